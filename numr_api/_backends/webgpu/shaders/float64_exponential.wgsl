// exp of float64 and what is made of it, as in exponential.wgsl: x = n log 2 + r with
// |r| <= log(2)/2, exp(r) = 1 + r + r^2 P(r), P minimax (E. Remez's exchange with 60 digits),
// relative error 2^-61.

const LOG2_E_F64: f64 = 1.4426950408889634;
const LOG_2_F64: f64 = 0.6931471805599453;
// log 2 as a number of 41 bits, so that n <= 2^12 times it is exact, and what it lacks.
const LOG_2_SHORT_F64: f64 = 0.6931471805601177;
const LOG_2_REST_F64: f64 = -1.7239444525614835e-13;

// (exp(r) - 1 - r) / r^2, where |r| <= 0.3476.
fn exp_series_f64(r: f64) -> f64 {
    return 0.5 + r * (1.6666666666666685e-1 + r * (4.1666666666666727e-2
        + r * (8.3333333333163572e-3 + r * (1.3888888888857766e-3 + r * (1.9841269898020623e-4
        + r * (2.4801587374946535e-5 + r * (2.7557233261242121e-6 + r * (2.7557232405532479e-7
        + r * (2.5112584485867139e-8 + r * 2.0927220693070722e-9)))))))));
}

// exp(x) = 2^n (1 + (r + r^2 P(r))). Error 1.23, subnormal results included.
fn exp_f64(x: f64) -> f64 {
    // Outside of these bounds the result is 0 or infinite; NaN is told by its bits below.
    let bounded = clamp(x, -746.0, 710.0);
    let n = nearest_f64(bounded * LOG2_E_F64);
    let r = opaque_f64(bounded - n * LOG_2_SHORT_F64) - n * LOG_2_REST_F64;
    let mantissa = 1.0 + (r + r * r * exp_series_f64(r));
    return select(scale_by_power_of_two_f64(mantissa, i32(n)), x, is_nan_f64(x));
}

// 2^x. Error 1.28.
fn exp2_f64(x: f64) -> f64 {
    let bounded = clamp(x, -1080.0, 1025.0);
    let n = nearest_f64(bounded);
    let r = (bounded - n) * LOG_2_F64;
    let mantissa = 1.0 + (r + r * r * exp_series_f64(r));
    return select(scale_by_power_of_two_f64(mantissa, i32(n)), x, is_nan_f64(x));
}

// exp(x + x_low) as a mantissa in [0.7, 1.42] to about 56 bits and an exponent, where |x| <= 2000
// and |x_low| is at most a unit in the last place of x.
fn exp_scaled_f64(x: f64, x_low: f64) -> Scaled_f64 {
    let n = nearest_f64(x * LOG2_E_F64);
    let first = opaque_f64(x - n * LOG_2_SHORT_F64);
    let r = two_sum_f64(first, x_low - n * LOG_2_REST_F64);
    let tail = r.high * r.high * exp_series_f64(r.high) + (r.low + r.high * r.low);
    let less_one = fast_two_sum_f64(r.high, tail);
    let mantissa = fast_two_sum_f64(1.0, less_one.high);
    return Scaled_f64(mantissa.high, mantissa.low + less_one.low, i32(n));
}

// exp(c) to 106 bits, where c is eighths/8 and -3 <= eighths <= 3.
fn exp_of_eighths_f64(eighths: i32) -> Double_f64 {
    switch eighths {
        case -3: { return Double_f64(0.6872892787909722, -3.7088003061371396e-17); }
        case -2: { return Double_f64(0.7788007830714049, -1.0231869534531498e-17); }
        case -1: { return Double_f64(0.8824969025845955, -5.224526916735663e-17); }
        case 1: { return Double_f64(1.1331484530668263, -5.370737708558031e-18); }
        case 2: { return Double_f64(1.2840254166877414, 8.968972781793724e-17); }
        case 3: { return Double_f64(1.4549914146182013, 8.517923078996071e-17); }
        default: { return Double_f64(1.0, 0.0); }
    }
}

// exp(x + x_low) to about 65 bits, where the result and its last bits are normal numbers.
// x = n log 2 + c + t with c rounded to eighths; exp(t) = 1 + t + t^2/2 + ..., t in a pair and its
// square exact. After P. T. P. Tang, ACM Trans. Math. Softw. 15 (1989), with a coarser table.
fn exp_extended_f64(x: f64, x_low: f64) -> Double_f64 {
    let n = nearest_f64(x * LOG2_E_F64);
    let first = opaque_f64(x - n * LOG_2_SHORT_F64);
    let second = two_sum_f64(first, -(n * LOG_2_REST_F64));
    let eighths = nearest_f64(second.high * 8.0);
    let t = two_sum_f64(second.high - eighths * 0.125, second.low + x_low);
    let half = two_product_f64(t.high, 0.5 * t.high);
    // |t| < 0.0626: Taylor's terms up to t^10/10!.
    let h = t.high;
    let series = 1.6666666666666667e-1 + h * (4.1666666666666664e-2 + h * (8.3333333333333333e-3
        + h * (1.3888888888888889e-3 + h * (1.9841269841269841e-4 + h * (2.4801587301587302e-5
        + h * (2.7557319223985891e-6 + h * 2.7557319223985889e-7))))));
    let tail = 2.0 * half.high * h * series + (half.low + (t.low + h * t.low));
    let less_one = fast_two_sum_f64(h, half.high);
    let sum = fast_two_sum_f64(1.0, less_one.high);
    let mantissa = multiply_double_f64(
        exp_of_eighths_f64(i32(eighths)),
        fast_two_sum_f64(sum.high, sum.low + (less_one.low + tail)),
    );
    return Double_f64(
        scale_by_power_of_two_f64(mantissa.high, i32(n)),
        scale_by_power_of_two_f64(mantissa.low, i32(n)),
    );
}

// exp(x) - 1 = 2^n ((1 - 2^-n) + r + r^2 P(r)), where the rounding error of the first sum is
// added to the rest. Error 1.13.
fn expm1_f64(x: f64) -> f64 {
    let bounded = clamp(x, -40.0, 710.0);
    let n = nearest_f64(bounded * LOG2_E_F64);
    let r = two_sum_f64(opaque_f64(bounded - n * LOG_2_SHORT_F64), -(n * LOG_2_REST_F64));
    let tail = r.high * r.high * exp_series_f64(r.high) + r.low;
    let sum = two_sum_f64(1.0 - power_of_two_f64(-min(i32(n), 100)), r.high);
    let mantissa = sum.high + (sum.low + tail);
    // Below 2^-54 the result is x; zeros keep their sign, and NaN is handed through.
    let is_result = abs(x) < 0x1p-54 || is_nan_f64(x);
    return select(scale_by_power_of_two_f64(mantissa, i32(n)), x, is_result);
}
