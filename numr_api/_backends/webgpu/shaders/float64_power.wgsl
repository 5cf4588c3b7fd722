// Powers and roots of float64.

fn square_f64(x: f64) -> f64 {
    return x * x;
}

fn sqrt_f64(x: f64) -> f64 {
    return sqrt(x);
}

// sqrt(x^2 + y^2) as a pair 2^exponent of about 104 bits; x and y are finite.
fn hypot_scaled_f64(x: f64, y: f64) -> Scaled_f64 {
    let larger = max(abs(x), abs(y));
    let smaller = min(abs(x), abs(y));
    let exponent = split_exponent_f64(larger, 0x3ff0000000000000lu).exponent;
    let a = scale_by_power_of_two_f64(larger, -exponent);
    let scaled = scale_by_power_of_two_f64(smaller, -exponent);
    let b = select(scaled, 0.0, scaled < 1.0e-100);  // Of which the square is not seen in the sum.
    let a_squared = two_product_f64(a, a);
    let b_squared = two_product_f64(b, b);
    let sum = fast_two_sum_f64(a_squared.high, b_squared.high);
    let lows = sum.low + (a_squared.low + b_squared.low);
    let root = sqrt_double_f64(fast_two_sum_f64(sum.high, lows));
    return Scaled_f64(root.high, root.low, exponent);
}

// sqrt(x^2 + y^2), without undue overflow or underflow. Error 0.5, for subnormal results 0.75.
fn hypot_f64(x: f64, y: f64) -> f64 {
    if is_infinite_f64(x) || is_infinite_f64(y) {
        return infinity_f64();
    }
    if is_nan_f64(x) || is_nan_f64(y) {
        return nan_f64();
    }
    if x == 0.0 || y == 0.0 {
        return max(abs(x), abs(y));
    }
    let root = hypot_scaled_f64(x, y);
    return scale_by_power_of_two_f64(root.high, root.exponent);
}

// Whether y is an odd integer; from 2^53 on all numbers are even.
fn is_odd_integer_f64(y: f64) -> bool {
    let half = 0.5 * y;
    return floor(y) == y && floor(half) != half && abs(y) < 9007199254740992.0;
}

// |x|^y = exp(y log|x|), the logarithm and the product to 70 bits; x is neither 0 nor infinite,
// y is finite.
fn pow_of_magnitude_f64(x: f64, y: f64) -> f64 {
    let log_ = log_extended_f64(abs(x), 0.0);
    let product = two_product_f64(y, log_.high);
    // From here on the result is infinite or 0, whatever the last bits, which may not be finite.
    let is_extreme = abs(product.high) > 800.0;
    let low = select(product.low + y * log_.low, 0.0, is_extreme);
    let result = exp_scaled_f64(clamp(product.high, -800.0, 800.0), low);
    return scale_by_power_of_two_f64(result.high + result.low, result.exponent);
}

// x^y. Error 0.76, for normal results 0.6; a square is rounded once.
fn pow_f64(x: f64, y: f64) -> f64 {
    if y == 2.0 {
        return x * x;
    }
    if y == 0.0 || x == 1.0 {
        return 1.0;
    }
    if is_nan_f64(x) || is_nan_f64(y) {
        return nan_f64();
    }
    let size = abs(x);
    if is_infinite_f64(y) {
        if size == 1.0 {
            return 1.0;
        }
        return select(f64(0.0), infinity_f64(), (size > 1.0) != is_negative_f64(y));
    }
    let sign = select(1.0, x, is_odd_integer_f64(y));
    if x == 0.0 || is_infinite_f64(x) {
        let is_infinite = (x == 0.0) == is_negative_f64(y);
        return copysign_f64(select(f64(0.0), infinity_f64(), is_infinite), sign);
    }
    if is_negative_f64(x) && floor(y) != y {
        return nan_f64();
    }
    return copysign_f64(pow_of_magnitude_f64(x, y), sign);
}
