// exp and what is made of it. x = n log 2 + r with |r| <= log(2)/2, the first part of log 2 so
// short that n times it is exact (W. J. Cody, W. Waite, Software Manual for the Elementary
// Functions, 1980); exp(r) = 1 + r + r^2 P(r), P minimax, computed with a linear program from
// values of 40 digits, relative error 2^-31.

const LOG2_E: f32 = 1.442695;
const LOG_2: f32 = 0.6931472;
const LOG_2_LOW: f32 = -1.9046542e-9;
// log 2 as a number of 15 bits and what it lacks.
const LOG_2_SHORT: f32 = 0.69314575;
const LOG_2_REST: f32 = 1.4286068e-6;
// That as a number of 15 bits and what it lacks.
const LOG_2_MIDDLE: f32 = 1.4285906e-6;
const LOG_2_LAST: f32 = 1.619851e-11;

// (exp(r) - 1 - r) / r^2, where |r| <= 0.3476.
fn exp_series_f32(r: f32) -> f32 {
    return 0.5 + r * (1.6666666e-1 + r * (4.1666493e-2 + r * (8.333543e-3
        + r * (1.3932388e-3 + r * 1.976443e-4))));
}

// exp(x) = 2^n (1 + (r + r^2 P(r))). Error 1.25, subnormal results included.
fn exp_f32(x: f32) -> f32 {
    // Outside of these bounds the result is 0 or infinite; NaN is told by its bits below.
    let bounded = clamp(x, -105.0, 89.0);
    let n = round(bounded * LOG2_E);
    let r = opaque_f32(bounded - n * LOG_2_SHORT) - n * LOG_2_REST;
    let mantissa = 1.0 + (r + r * r * exp_series_f32(r));
    return select(scale_by_power_of_two_f32(mantissa, i32(n)), x, is_nan_f32(x));
}

// 2^x. Error 1.3.
fn exp2_f32(x: f32) -> f32 {
    let bounded = clamp(x, -151.0, 129.0);
    let n = round(bounded);
    let r = (bounded - n) * LOG_2;
    let mantissa = 1.0 + (r + r * r * exp_series_f32(r));
    return select(scale_by_power_of_two_f32(mantissa, i32(n)), x, is_nan_f32(x));
}

// exp(x + x_low) as a mantissa in [0.7, 1.42] to about 27 bits and an exponent, where |x| <= 150
// and |x_low| is at most a unit in the last place of x.
fn exp_scaled_f32(x: f32, x_low: f32) -> Scaled_f32 {
    let n = round(x * LOG2_E);
    let r = fast_two_sum_f32(opaque_f32(x - n * LOG_2_SHORT), x_low - n * LOG_2_REST);
    let tail = r.high * r.high * exp_series_f32(r.high) + (r.low + r.high * r.low);
    let less_one = fast_two_sum_f32(r.high, tail);
    let mantissa = fast_two_sum_f32(1.0, less_one.high);
    return Scaled_f32(mantissa.high, mantissa.low + less_one.low, i32(n));
}

// exp(c) to 48 bits, where c is eighths/8 and -3 <= eighths <= 3.
fn exp_of_eighths_f32(eighths: i32) -> Double_f32 {
    switch eighths {
        case -3: { return Double_f32(0.6872893, -1.8789747e-8); }
        case -2: { return Double_f32(0.7788008, -2.4701297e-9); }
        case -1: { return Double_f32(0.8824969, 9.178681e-9); }
        case 1: { return Double_f32(1.1331484, 2.1288873e-8); }
        case 2: { return Double_f32(1.2840254, -1.39915795e-8); }
        case 3: { return Double_f32(1.4549915, -4.5228294e-8); }
        default: { return Double_f32(1.0, 0.0); }
    }
}

// exp(x + x_low) to about 36 bits, where the result and its last bits are normal numbers.
// x = n log 2 + c + t with c rounded to eighths; exp(t) = 1 + t + t^2/2 + ..., t in a pair and its
// square exact. After P. T. P. Tang, ACM Trans. Math. Softw. 15 (1989), with a coarser table.
fn exp_extended_f32(x: f32, x_low: f32) -> Double_f32 {
    let n = round(x * LOG2_E);
    let first = opaque_f32(x - n * LOG_2_SHORT);
    let second = two_sum_f32(first, -(n * LOG_2_MIDDLE));
    let eighths = round(second.high * 8.0);
    let low = second.low + (x_low - n * LOG_2_LAST);
    let t = two_sum_f32(second.high - eighths * 0.125, low);
    let half = two_product_f32(t.high, 0.5 * t.high);
    let series = 1.6666667e-1 + t.high * (4.1666668e-2 + t.high * (8.333334e-3
        + t.high * 1.3888889e-3));
    let tail = 2.0 * half.high * t.high * series + (half.low + (t.low + t.high * t.low));
    let less_one = fast_two_sum_f32(t.high, half.high);
    let sum = fast_two_sum_f32(1.0, less_one.high);
    let mantissa = multiply_double_f32(
        exp_of_eighths_f32(i32(eighths)),
        fast_two_sum_f32(sum.high, sum.low + (less_one.low + tail)),
    );
    return Double_f32(
        scale_by_power_of_two_f32(mantissa.high, i32(n)),
        scale_by_power_of_two_f32(mantissa.low, i32(n)),
    );
}

// exp(x) - 1 = 2^n ((1 - 2^-n) + r + r^2 P(r)), where the rounding error of the first sum is
// added to the rest. Error 1.06.
fn expm1_f32(x: f32) -> f32 {
    let magnitude = bitcast<u32>(x) & 0x7fffffffu;
    let bounded = clamp(x, -18.0, 89.0);
    let n = round(bounded * LOG2_E);
    let r = fast_two_sum_f32(opaque_f32(bounded - n * LOG_2_SHORT), -(n * LOG_2_REST));
    let tail = r.high * r.high * exp_series_f32(r.high) + r.low;
    let sum = fast_two_sum_f32(1.0 - power_of_two_f32(-min(i32(n), 100)), r.high);
    let mantissa = sum.high + (sum.low + tail);
    // Below 2^-25 the result is x; zeros keep their sign, and NaN is handed through.
    let is_result = magnitude < 0x33000000u || magnitude > 0x7f800000u;
    return select(scale_by_power_of_two_f32(mantissa, i32(n)), x, is_result);
}
