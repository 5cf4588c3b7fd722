// asin, acos, atan and atan2 of float64, as in inverse_trigonometric.wgsl, with minimax polynomials
// (E. Remez's exchange with 60 digits), relative error 2^-56.

const PI_F64: f64 = 3.141592653589793;
const PI_LOW_F64: f64 = 1.2246467991473532e-16;

// (asin(s) - s) / s^3 as a function of z = s^2, where s <= 1/2.
fn asin_series_f64(z: f64) -> f64 {
    return 0.16666666666666702 + z * (0.074999999999844927 + z * (0.044642857163652967
        + z * (0.030381943143769703 + z * (0.022372204955490884 + z * (0.017351756229650392
        + z * (0.013979475740538138 + z * (0.011407116004402912 + z * (0.010748272860954956
        + z * (0.0037799085636128341 + z * (0.02163178276641008 + z * (-0.021023229744635344
        + z * 0.032717721275487936)))))))))));
}

// 2 asin(sqrt((1 - x)/2)) = acos(x), where 1/2 <= x <= 1: 2 s + 2 s^3 P(s^2), s in a pair.
fn acos_near_one_f64(x: f64) -> Double_f64 {
    let z = 0.5 * (1.0 - x);
    let s = sqrt_double_f64(Double_f64(z, 0.0));
    return Double_f64(2.0 * s.high, 2.0 * (s.low + s.high * z * asin_series_f64(z)));
}

// asin(x) = x + x^3 P(x^2), or pi/2 - acos(x) where x > 1/2. Error 0.62.
fn asin_f64(x: f64) -> f64 {
    if is_nan_f64(x) || abs(x) > 1.0 {
        return nan_f64();
    }
    if abs(x) < 0x1p-27 {  // There the result is x, zeros with their sign.
        return x;
    }
    if abs(x) < 0.5 {
        let z = x * x;
        return x + x * z * asin_series_f64(z);
    }
    let acos_x = acos_near_one_f64(abs(x));
    let sum = fast_two_sum_f64(HALF_PI_F64, -acos_x.high);
    return copysign_f64(sum.high + (sum.low + (HALF_PI_LOW_F64 - acos_x.low)), x);
}

// acos(x) = pi/2 - (x + x^3 P(x^2)), or by acos_near_one_f64; acos(-x) = pi - acos(x). Error 0.6.
fn acos_f64(x: f64) -> f64 {
    if is_nan_f64(x) || abs(x) > 1.0 {
        return nan_f64();
    }
    if abs(x) < 0.5 {
        let z = x * x;
        let sum = fast_two_sum_f64(HALF_PI_F64, -x);
        return sum.high + (sum.low + (HALF_PI_LOW_F64 - x * z * asin_series_f64(z)));
    }
    let acos_x = acos_near_one_f64(abs(x));
    if !is_negative_f64(x) {
        return acos_x.high + acos_x.low;
    }
    let sum = fast_two_sum_f64(PI_F64, -acos_x.high);
    return sum.high + (sum.low + (PI_LOW_F64 - acos_x.low));
}

// (atan(t) - t) / t^3 as a function of z = t^2, where t <= 7/16.
fn atan_series_f64(z: f64) -> f64 {
    return -0.33333333333333137 + z * (0.1999999999991644 + z * (-0.14285714275146247
        + z * (0.11111110488465807 + z * (-0.090908885220227123 + z * (0.076918884581514954
        + z * (-0.066611143809471626 + z * (0.058333844308217711 + z * (-0.04974589569228003
        + z * (0.036449985452429993 + z * -0.016181308059265154)))))))));
}

// atan(c) to 106 bits, where c is quarters/4 and 0 <= quarters <= 4.
fn atan_of_quarters_f64(quarters: i32) -> Double_f64 {
    switch quarters {
        case 1: { return Double_f64(0.24497866312686414, 1.0698755618734451e-17); }
        case 2: { return Double_f64(0.4636476090008061, 2.2698777452961687e-17); }
        case 3: { return Double_f64(0.6435011087932844, 1.5834785051444286e-17); }
        case 4: { return Double_f64(0.7853981633974483, 3.061616997868383e-17); }
        default: { return Double_f64(0.0, 0.0); }
    }
}

// atan(a / b) to about 58 bits, where 0 <= a <= b and b is neither huge nor tiny: atan(c) + atan(t)
// with c = a/b rounded to quarters and t = (a - c b)/(b + c a), |t| <= 1/8.
fn atan_of_quotient_f64(a: f64, b: f64) -> Double_f64 {
    let quarters = nearest_f64(4.0 * a / b);
    let c = 0.25 * quarters;
    let part = two_product_f64(b, -c);
    let numerator = add_double_f64(part, Double_f64(a, 0.0));
    let denominator = add_double_f64(two_product_f64(a, c), Double_f64(b, 0.0));
    let t = divide_double_f64(numerator, denominator);
    let z = t.high * t.high;
    let tail = t.high * z * atan_series_f64(z) + (t.low - z * t.low);
    let angle = atan_of_quarters_f64(i32(quarters));
    let sum = fast_two_sum_f64(angle.high, t.high);
    return fast_two_sum_f64(sum.high, sum.low + (angle.low + tail));
}

// atan(x), and pi/2 - atan(1/x) where |x| > 1. Error 0.63.
fn atan_f64(x: f64) -> f64 {
    // Below 2^-27 the result is x, zeros with their sign; NaN is handed through.
    if is_nan_f64(x) || abs(x) < 0x1p-27 {
        return x;
    }
    if abs(x) < 0.4375 {
        let z = x * x;
        return x + x * z * atan_series_f64(z);
    }
    if abs(x) <= 1.0 {
        return copysign_f64(atan_of_quotient_f64(abs(x), 1.0).high, x);
    }
    // From 2^60 on the result is pi/2 anyway.
    let inverse = atan_of_quotient_f64(1.0, min(abs(x), 1.0e20));
    let sum = fast_two_sum_f64(HALF_PI_F64, -inverse.high);
    return copysign_f64(sum.high + (sum.low + (HALF_PI_LOW_F64 - inverse.low)), x);
}

// The angle of the point (x, y). Error 0.54.
fn atan2_f64(y: f64, x: f64) -> f64 {
    if is_nan_f64(y) || is_nan_f64(x) {
        return nan_f64();
    }
    if y == 0.0 {
        return copysign_f64(select(f64(0.0), PI_F64, is_negative_f64(x)), y);
    }
    if is_infinite_f64(x) || is_infinite_f64(y) {
        let across = copysign_f64(select(f64(0.0), f64(1.0), is_infinite_f64(x)), x);
        let up = select(f64(0.0), f64(1.0), is_infinite_f64(y));
        return copysign_f64(angle_extended_f64(up, across).high, y);
    }
    return copysign_f64(angle_extended_f64(abs(y), x).high, y);
}

// The angle of a point that is finite and not the origin, y >= 0, to about 58 bits: from atan of
// the smaller coordinate's quotient with the larger one, reflected at the diagonal and at the axis.
fn angle_extended_f64(y: f64, x: f64) -> Double_f64 {
    let is_steep = y > abs(x);
    let larger = select(abs(x), y, is_steep);
    let smaller = select(y, abs(x), is_steep);
    // The larger one in [1, 2), so that no product overflows or underflows.
    let exponent = split_exponent_f64(larger, 0x3ff0000000000000lu).exponent;
    let b = scale_by_power_of_two_f64(larger, -exponent);
    let a = scale_by_power_of_two_f64(smaller, -exponent);
    let is_tiny = a < 1.0e-200;
    if is_tiny && !is_steep && !is_negative_f64(x) {
        return Double_f64(y / x, 0.0);  // It may be subnormal.
    }
    let angle = atan_of_quotient_f64(select(a, 0.0, is_tiny), b);
    if !is_steep && !is_negative_f64(x) {
        return angle;
    }
    // pi/2 - angle, pi/2 + angle, or pi - angle.
    let turn = is_steep && is_negative_f64(x);
    let base = select(PI_F64, HALF_PI_F64, is_steep);
    let sum = fast_two_sum_f64(base, select(-angle.high, angle.high, turn));
    let low = select(PI_LOW_F64, HALF_PI_LOW_F64, is_steep) + select(-angle.low, angle.low, turn);
    return fast_two_sum_f64(sum.high, sum.low + low);
}
