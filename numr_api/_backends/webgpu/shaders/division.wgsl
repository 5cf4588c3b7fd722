// Division, correctly rounded, and division with remainder in integers.

// Whether x is between 2^-60 and 2^60 in magnitude, so that the remainder of a quotient of such
// numbers is neither subnormal nor infinite.
fn is_of_medium_size_f32(x: f32) -> bool {
    return ((bitcast<u32>(x) & 0x7fffffffu) - 0x21800000u) < 0x3c000000u;
}

// x / y. A device may be off by two units in the last place and take the reciprocal of a huge y for
// 0; where a fused multiply-add gives the remainder exactly, one step corrects that. Error 0.5.
fn divide_f32(x: f32, y: f32) -> f32 {
    if (!fma_is_fused) {
        return x / y;
    }
    if (is_of_medium_size_f32(x) && is_of_medium_size_f32(y)) {
        return divide_medium_f32(x, y);
    }
    return divide_any_f32(x, y);
}

// The quotient, corrected by what the remainder adds to it, and then the neighbour if that leaves
// less: the correction may round the wrong way, as where the mantissa of y is all ones
// (P. Markstein, IBM J. Res. Dev. 34, 1990).
fn divide_medium_f32(x: f32, y: f32) -> f32 {
    let quotient = x / y;
    let corrected = quotient + fma(-quotient, y, x) * (1.0 / y);
    let remainder = fma(-corrected, y, x);
    let is_short = is_negative_f32(remainder) == is_negative_f32(x);
    let neighbour = bitcast<f32>(bitcast<u32>(corrected) + select(0xffffffffu, 1u, is_short));
    return select(corrected, neighbour, abs(fma(-neighbour, y, x)) < abs(remainder));
}

// The quotient of the mantissas, scaled; what is 0, infinite or NaN by its bits.
fn divide_any_f32(x: f32, y: f32) -> f32 {
    let x_magnitude = bitcast<u32>(x) & 0x7fffffffu;
    let y_magnitude = bitcast<u32>(y) & 0x7fffffffu;
    let sign = bitcast<f32>(bitcast<u32>(x) ^ bitcast<u32>(y));
    if (x_magnitude > 0x7f800000u || y_magnitude > 0x7f800000u
        || (x_magnitude == y_magnitude && (y_magnitude == 0u || y_magnitude == 0x7f800000u))) {
        return nan_f32();
    }
    if (x_magnitude == 0u || y_magnitude == 0x7f800000u) {
        return copysign_f32(0.0, sign);
    }
    if (y_magnitude == 0u || x_magnitude == 0x7f800000u) {
        return copysign_f32(infinity_f32(), sign);
    }
    let a = split_exponent_f32(bitcast<f32>(x_magnitude), 0x3f800000u);
    let b = split_exponent_f32(bitcast<f32>(y_magnitude), 0x3f800000u);
    let exponent = a.exponent - b.exponent;
    if (exponent <= -126) {
        return copysign_f32(divide_into_subnormal_f32(a.mantissa, b.mantissa, exponent), sign);
    }
    let quotient = divide_medium_f32(a.mantissa, b.mantissa);
    return copysign_f32(scale_by_power_of_two_f32(quotient, exponent), sign);
}

// a/b 2^exponent in quarters of the smallest subnormal number, with a last bit for what is less,
// rounded to even; 1 <= a, b < 2 and exponent <= -126. The bits of subnormal numbers count them.
fn divide_into_subnormal_f32(a: f32, b: f32, exponent: i32) -> f32 {
    if (exponent < -151) {
        return 0.0;
    }
    let result = divide_with_remainder_f32(a * power_of_two_f32(exponent + 151), b);
    let quarters = result.quotient | select(0u, 1u, result.remainder != 0u);
    return bitcast<f32>((quarters + 1u + ((quarters >> 2u) & 1u)) >> 2u);
}

fn reciprocal_f32(x: f32) -> f32 {
    return divide_f32(1.0, x);
}

// |x| = q |y| + r, where q = quotient 2^exponent plus what was cut off.
struct Division_f32 {
    quotient: u32,
    exponent: i32,
    is_cut: bool,           // Some digit that was cut off is not 0,
    is_cut_full: bool,      // and all that were are as large as digits can be.
    remainder: u32,           // Times 2^remainder_exponent, as is
    divisor: u32,             // |y| where the quotient is not 0.
    remainder_exponent: i32,
}

// Long division of finite numbers, y not 0, with digits to the base 128: exact however large
// the quotient is. At most 40 steps; one or two for quotients below 2^14.
fn divide_with_remainder_f32(x: f32, y: f32) -> Division_f32 {
    let x_bits = bitcast<u32>(x) & 0x7fffffffu;
    let y_bits = bitcast<u32>(y) & 0x7fffffffu;
    // Numbers are mantissa 2^(exponent - 150), subnormal ones with the exponent 1.
    let x_exponent = max(i32(x_bits >> 23u), 1);
    let y_exponent = max(i32(y_bits >> 23u), 1);
    let x_mantissa = x_bits - (u32(x_exponent - 1) << 23u);
    let y_mantissa = y_bits - (u32(y_exponent - 1) << 23u);
    if (x_bits < y_bits) {
        return Division_f32(0u, 0, false, false, x_mantissa, 0u, x_exponent - 150);
    }
    var quotient = x_mantissa / y_mantissa;
    var remainder = x_mantissa % y_mantissa;
    var places = x_exponent - y_exponent;
    var cut = 0;
    var is_cut = false;
    var is_cut_full = true;
    while (places > 0) {
        let step = min(places, 7);
        let shifted = remainder << u32(step);
        let digit = shifted / y_mantissa;
        remainder = shifted - digit * y_mantissa;
        if (quotient < 0x2000000u) {
            quotient = (quotient << u32(step)) | digit;
        } else {
            is_cut = is_cut || digit != 0u;
            is_cut_full = is_cut_full && digit == (1u << u32(step)) - 1u;
            cut += step;
        }
        places -= step;
    }
    return Division_f32(
        quotient, cut, is_cut, is_cut && is_cut_full, remainder, y_mantissa, y_exponent - 150);
}

// The largest integer that is at most x/y, rounded to float32; a zero has the quotient's sign.
fn floor_divide_f32(x: f32, y: f32) -> f32 {
    if (!is_finite_f32(x) || !is_finite_f32(y) || is_zero_f32(x) || is_zero_f32(y)) {
        return divide_any_f32(x, y);
    }
    let result = divide_with_remainder_f32(x, y);
    var quotient = result.quotient;
    var is_cut = result.is_cut;
    let sign = bitcast<f32>(bitcast<u32>(x) ^ bitcast<u32>(y));
    if (is_negative_f32(sign) && result.remainder != 0u) {
        // The magnitude is the next integer: one more in the last digit, with carry.
        if (result.exponent == 0 || result.is_cut_full) {
            quotient += 1u;
            is_cut = false;
        } else {
            is_cut = true;
        }
    }
    // Digits are cut off from quotients of 26 bits or more only, whose last bit then serves to
    // break ties.
    let magnitude = f32(quotient | select(0u, 1u, is_cut));
    return copysign_f32(scale_by_power_of_two_f32(magnitude, result.exponent), sign);
}

// x - y floor(x/y), rounded once, with the sign of y.
fn remainder_f32(x: f32, y: f32) -> f32 {
    if (is_nan_f32(x) || is_nan_f32(y) || is_infinite_f32(x) || is_zero_f32(y)) {
        return nan_f32();
    }
    let is_other_sign = is_negative_f32(x) != is_negative_f32(y);
    if (is_infinite_f32(y)) {
        return select(select(x, y, is_other_sign), copysign_f32(0.0, y), is_zero_f32(x));
    }
    let result = divide_with_remainder_f32(x, y);
    var remainder = result.remainder;
    if (is_other_sign && remainder != 0u) {
        if (result.quotient == 0u) {
            return copysign_f32(abs(y) - abs(x), y);
        }
        remainder = result.divisor - remainder;
    }
    return copysign_f32(
        integer_times_power_of_two_f32(remainder, result.remainder_exponent), y);
}

fn is_zero_f32(x: f32) -> bool {
    return (bitcast<u32>(x) & 0x7fffffffu) == 0u;
}

// n 2^exponent, where n < 2^24 and exponent >= -149, by bits, so that subnormal results are right
// on every device.
fn integer_times_power_of_two_f32(n: u32, exponent: i32) -> f32 {
    if (n == 0u) {
        return 0.0;
    }
    let shift = min(i32(countLeadingZeros(n)) - 8, exponent + 149);
    let mantissa = n << u32(shift);
    let biased = exponent - shift + 149;  // One less than the exponent's field where n is normal.
    return bitcast<f32>(mantissa + (u32(biased) << 23u));
}
