// asin, acos, atan and atan2, with minimax polynomials computed with a linear program from values
// of 40 digits, relative error 2^-31.

const PI: f32 = 3.1415927;
const PI_LOW: f32 = -8.742278e-8;

// (asin(s) - s) / s^3 as a function of z = s^2, where s <= 1/2.
fn asin_series_f32(z: f32) -> f32 {
    return 1.666666e-1 + z * (7.500522e-2 + z * (4.4513382e-2 + z * (3.1838845e-2
        + z * (1.4316893e-2 + z * 3.769196e-2))));
}

// 2 asin(sqrt((1 - x)/2)) = acos(x), where 1/2 <= x <= 1: 2 s + 2 s^3 P(s^2), s in a pair.
fn acos_near_one_f32(x: f32) -> Double_f32 {
    let z = 0.5 * (1.0 - x);
    let s = sqrt_double_f32(Double_f32(z, 0.0));
    return Double_f32(2.0 * s.high, 2.0 * (s.low + s.high * z * asin_series_f32(z)));
}

// asin(x) = x + x^3 P(x^2), or pi/2 - acos(x) where x > 1/2. Error 0.64.
fn asin_f32(x: f32) -> f32 {
    let magnitude = bitcast<u32>(x) & 0x7fffffffu;
    if (magnitude > 0x3f800000u) {
        return nan_f32();
    }
    if (magnitude < 0x39000000u) {  // Below 2^-13 the result is x, zeros with their sign.
        return x;
    }
    if (magnitude < 0x3f000000u) {
        let z = x * x;
        return x + x * z * asin_series_f32(z);
    }
    let acos_x = acos_near_one_f32(abs(x));
    let sum = fast_two_sum_f32(HALF_PI, -acos_x.high);
    return copysign_f32(sum.high + (sum.low + (HALF_PI_LOW - acos_x.low)), x);
}

// acos(x) = pi/2 - (x + x^3 P(x^2)), or by acos_near_one_f32; acos(-x) = pi - acos(x). Error 0.62.
fn acos_f32(x: f32) -> f32 {
    let magnitude = bitcast<u32>(x) & 0x7fffffffu;
    if (magnitude > 0x3f800000u) {
        return nan_f32();
    }
    if (magnitude < 0x3f000000u) {
        let z = x * x;
        let sum = fast_two_sum_f32(HALF_PI, -x);
        return sum.high + (sum.low + (HALF_PI_LOW - x * z * asin_series_f32(z)));
    }
    let acos_x = acos_near_one_f32(abs(x));
    if (!is_negative_f32(x)) {
        return acos_x.high + acos_x.low;
    }
    let sum = fast_two_sum_f32(PI, -acos_x.high);
    return sum.high + (sum.low + (PI_LOW - acos_x.low));
}

// (atan(t) - t) / t^3 as a function of z = t^2, where t <= 1.
fn atan_series_f32(z: f32) -> f32 {
    return -3.3333328e-1 + z * (1.9999716e-1 + z * (-1.4280343e-1 + z * (1.1061233e-1
        + z * (-8.821462e-2 + z * (6.763649e-2 + z * (-4.4983257e-2 + z * (2.2777615e-2
        + z * (-7.425359e-3 + z * 1.1345198e-3))))))));
}

// atan(a / b), where 0 <= a <= b and b is neither huge nor tiny: t + t^3 P(t^2), and what t = a/b
// lacks times about 1/(1 + t^2).
fn atan_of_quotient_f32(a: f32, b: f32) -> Double_f32 {
    let t = divide_double_f32(Double_f32(a, 0.0), Double_f32(b, 0.0));
    let z = t.high * t.high;
    return Double_f32(t.high, t.high * z * atan_series_f32(z) + (t.low - 0.5 * z * t.low));
}

// atan(x), and pi/2 - atan(1/x) where |x| > 1. Error 1.18.
fn atan_f32(x: f32) -> f32 {
    let magnitude = bitcast<u32>(x) & 0x7fffffffu;
    // Below 2^-13 the result is x, zeros with their sign; NaN is handed through.
    if (magnitude < 0x39000000u || magnitude > 0x7f800000u) {
        return x;
    }
    if (magnitude <= 0x3f800000u) {
        let z = x * x;
        return x + x * z * atan_series_f32(z);
    }
    // From 2^30 on the result is pi/2 anyway.
    let inverse = atan_of_quotient_f32(1.0, min(abs(x), 1.0e9));
    let sum = fast_two_sum_f32(HALF_PI, -inverse.high);
    return copysign_f32(sum.high + (sum.low + (HALF_PI_LOW - inverse.low)), x);
}

// The angle of the point (x, y): from atan of the smaller coordinate's quotient with the larger
// one, reflected at the diagonal and at the axis. Error 1.18.
fn atan2_f32(y: f32, x: f32) -> f32 {
    let y_magnitude = bitcast<u32>(y) & 0x7fffffffu;
    let x_magnitude = bitcast<u32>(x) & 0x7fffffffu;
    if (y_magnitude > 0x7f800000u || x_magnitude > 0x7f800000u) {
        return nan_f32();
    }
    if (y_magnitude == 0u) {
        return copysign_f32(select(0.0, PI, is_negative_f32(x)), y);
    }
    let is_steep = y_magnitude > x_magnitude;
    var smaller = bitcast<f32>(select(y_magnitude, x_magnitude, is_steep));
    var larger = bitcast<f32>(select(x_magnitude, y_magnitude, is_steep));
    if (max(x_magnitude, y_magnitude) == 0x7f800000u) {
        smaller = select(0.0, 1.0, x_magnitude == y_magnitude);
        larger = 1.0;
    }
    // The larger one in [1, 2), so that its reciprocal is no subnormal number.
    let exponent = split_exponent_f32(larger, 0x3f800000u).exponent;
    let b = scale_by_power_of_two_f32(larger, -exponent);
    let a = scale_by_power_of_two_f32(smaller, -exponent);
    if (a < 1.0e-30 && !is_steep && !is_negative_f32(x)) {
        return copysign_f32(divide_any_f32(smaller, larger), y);  // It may be subnormal.
    }
    let angle = atan_of_quotient_f32(select(a, 0.0, a < 1.0e-30), b);
    if (!is_steep && !is_negative_f32(x)) {
        return copysign_f32(angle.high + angle.low, y);
    }
    // pi/2 - angle, pi/2 + angle, or pi - angle.
    let base = select(PI, HALF_PI, is_steep);
    let base_low = select(PI_LOW, HALF_PI_LOW, is_steep);
    let turn = is_steep && is_negative_f32(x);
    let sum = fast_two_sum_f32(base, select(-angle.high, angle.high, turn));
    let low = base_low + select(-angle.low, angle.low, turn);
    return copysign_f32(sum.high + (sum.low + low), y);
}
