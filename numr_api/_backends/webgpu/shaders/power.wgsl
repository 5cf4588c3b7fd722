// Powers and roots.

fn square_f32(x: f32) -> f32 {
    return x * x;
}

// The builtin, corrected by one step of Newton's iteration where that is exact: a device may be off
// by a unit in the last place. Error 0.5.
fn sqrt_f32(x: f32) -> f32 {
    let bits = bitcast<u32>(x);
    if ((bits & 0x7fffffffu) == 0u || bits == 0x7f800000u) {
        return x;
    }
    if (bits > 0x7f800000u) {
        return nan_f32();
    }
    if (fma_is_fused && bits >= 0x00800000u) {
        // Below 2^-64 scaled by 2^64, so that the remainder is no subnormal number.
        let is_small = bits < 0x1f800000u;
        let scaled = select(x, x * 18446744073709551616.0, is_small);
        let root = sqrt(scaled);
        let corrected = root + fma(-root, root, scaled) * (0.5 / root);
        return select(corrected, corrected * 2.3283064365386963e-10, is_small);
    }
    return sqrt(x);
}

// sqrt(x^2 + y^2) as a pair 2^exponent of about 45 bits; x and y are finite.
fn hypot_scaled_f32(x: f32, y: f32) -> Scaled_f32 {
    let larger = max(abs(x), abs(y));
    let smaller = min(abs(x), abs(y));
    let exponent = split_exponent_f32(larger, 0x3f800000u).exponent;
    let a = scale_by_power_of_two_f32(larger, -exponent);
    let scaled = scale_by_power_of_two_f32(smaller, -exponent);
    let b = select(scaled, 0.0, scaled < 1.0e-15);  // Of which the square is not seen in the sum.
    let a_squared = two_product_f32(a, a);
    let b_squared = two_product_f32(b, b);
    let sum = fast_two_sum_f32(a_squared.high, b_squared.high);
    let lows = sum.low + (a_squared.low + b_squared.low);
    let root = sqrt_double_f32(fast_two_sum_f32(sum.high, lows));
    return Scaled_f32(root.high, root.low, exponent);
}

// sqrt(x^2 + y^2), without undue overflow or underflow. Error 0.5, for subnormal results 0.75.
fn hypot_f32(x: f32, y: f32) -> f32 {
    if (is_infinite_f32(x) || is_infinite_f32(y)) {
        return infinity_f32();
    }
    if (is_nan_f32(x) || is_nan_f32(y)) {
        return nan_f32();
    }
    if (is_zero_f32(x) || is_zero_f32(y)) {
        // By bits, so that a subnormal number is kept on every device.
        return bitcast<f32>((bitcast<u32>(x) | bitcast<u32>(y)) & 0x7fffffffu);
    }
    let root = hypot_scaled_f32(x, y);
    return scale_by_power_of_two_f32(root.high, root.exponent);
}

// Whether y is an odd integer; from 2^24 on all numbers are even.
fn is_odd_integer_f32(y: f32) -> bool {
    let magnitude = abs(y);
    return magnitude < 16777216.0 && trunc(magnitude) == magnitude
        && (u32(magnitude) & 1u) == 1u;
}

// |x|^y = exp(y log|x|), the logarithm and the product to 33 bits; x is neither 0 nor infinite,
// y is finite.
fn pow_of_magnitude_f32(x: f32, y: f32) -> f32 {
    let log_ = log_extended_f32(abs(x), 0.0);
    let product = two_product_f32(y, log_.high);
    // From here on the result is infinite or 0, whatever the last bits, which may not be finite.
    let is_extreme = abs(product.high) > 110.0;
    let low = select(product.low + y * log_.low, 0.0, is_extreme);
    let result = exp_scaled_f32(clamp(product.high, -110.0, 110.0), low);
    return scale_by_power_of_two_f32(result.high + result.low, result.exponent);
}

// x^y. Error 0.77, for normal results 0.6; a square is rounded once.
fn pow_f32(x: f32, y: f32) -> f32 {
    if (y == 2.0) {
        return x * x;
    }
    let x_magnitude = bitcast<u32>(x) & 0x7fffffffu;
    let y_magnitude = bitcast<u32>(y) & 0x7fffffffu;
    if (y_magnitude == 0u || bitcast<u32>(x) == 0x3f800000u) {
        return 1.0;
    }
    if (x_magnitude > 0x7f800000u || y_magnitude > 0x7f800000u) {
        return nan_f32();
    }
    if (y_magnitude == 0x7f800000u) {
        if (x_magnitude == 0x3f800000u) {
            return 1.0;
        }
        return select(0.0, infinity_f32(), (x_magnitude > 0x3f800000u) != is_negative_f32(y));
    }
    let is_odd = is_odd_integer_f32(y);
    let sign = select(1.0, x, is_odd);
    if (x_magnitude == 0u || x_magnitude == 0x7f800000u) {
        return copysign_f32(
            select(0.0, infinity_f32(), (x_magnitude == 0u) == is_negative_f32(y)), sign);
    }
    if (is_negative_f32(x) && trunc(y) != y) {
        return nan_f32();
    }
    return copysign_f32(pow_of_magnitude_f32(x, y), sign);
}
