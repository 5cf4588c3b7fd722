// log and its relatives. x = 2^k (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)), and
// log(1 + f) = f - f^2/2 + f^3 P(f), P minimax, computed with a linear program from values of 40
// digits, relative error 2^-30.

const SQRT_HALF_BITS: u32 = 0x3f3504f3u;
// 1/log 2, 1/log 10 and log10(2), each as a number of 12 bits and what it lacks.
const LOG2_E_SHORT: f32 = 1.4428711;
const LOG2_E_REST: f32 = -1.7605285e-4;
const LOG10_E_SHORT: f32 = 0.43432617;
const LOG10_E_REST: f32 = -3.168997e-5;
const LOG10_2_SHORT: f32 = 0.3010254;
const LOG10_2_REST: f32 = 4.605039e-6;

// (log(1 + f) - f + f^2/2) / f^3, where -0.293 <= f <= 0.4143.
fn log_series_f32(f: f32) -> f32 {
    return 3.3333313e-1 + f * (-2.500001e-1 + f * (2.0002073e-1 + f * (-1.6667992e-1
        + f * (1.4220312e-1 + f * (-1.2406119e-1 + f * (1.18838586e-1
        + f * (-1.1671116e-1 + f * 6.7498125e-2)))))));
}

// What logarithms of any base have in common where x is no positive finite number.
fn log_special_f32(result: f32, x: f32) -> f32 {
    let bits = bitcast<u32>(x);
    if ((bits & 0x7fffffffu) == 0u) {
        return -infinity_f32();
    }
    if (bits >= 0x7f800000u) {
        return select(nan_f32(), x, bits == 0x7f800000u);
    }
    return result;
}

// log(x) = k log 2 + (f - (f^2/2 - f^3 P(f))). Error 0.83.
fn log_f32(x: f32) -> f32 {
    let split = split_exponent_f32(x, SQRT_HALF_BITS);
    let f = split.mantissa - 1.0;
    let k = f32(split.exponent);
    let square = f * f;
    let rest = 0.5 * square - (f * square * log_series_f32(f) + k * LOG_2_REST);
    return log_special_f32(k * LOG_2_SHORT + (f - rest), x);
}

// log(1 + x) = log(u) + c/u, where u + c = 1 + x exactly. Error 0.87.
// The scheme of fdlibm (Sun Microsystems, 1993).
fn log1p_f32(x: f32) -> f32 {
    let magnitude = bitcast<u32>(x) & 0x7fffffffu;
    if (magnitude <= 0x33800000u) {  // Up to 2^-24 the result is x; zeros keep their sign.
        return x;
    }
    if (magnitude >= 0x7f800000u) {
        return select(nan_f32(), x, bitcast<u32>(x) == 0x7f800000u);
    }
    let sum = two_sum_f32(1.0, x);
    let split = split_exponent_f32(sum.high, SQRT_HALF_BITS);
    let f = split.mantissa - 1.0;
    let k = f32(split.exponent);
    let square = f * f;
    // 1/u = 1 - f + f^2 - ... where k is 0; elsewhere an inexact division is not seen.
    let near_one = sum.low * (1.0 - (f - square));
    let correction = select(sum.low / sum.high, near_one, split.exponent == 0);
    let missing = correction + k * LOG_2_REST;
    let rest = 0.5 * square - (f * square * log_series_f32(f) + missing);
    return log_special_f32(k * LOG_2_SHORT + (f - rest), sum.high);
}

// log(1 + f) as a number of 12 bits and what it lacks, to about 30 bits. Opaque, since (f - a) - b
// may become (f - b) - a, which is not exact.
fn log_of_mantissa_f32(f: f32) -> Double_f32 {
    let square = f * f;
    let high = first_bits_f32(f - 0.5 * square);
    return Double_f32(
        high, (opaque_f32(f - high) - 0.5 * square) + f * square * log_series_f32(f));
}

// log2(x) = k + log(1 + f)/log 2, the product from short factors: powers of two are exact.
// The scheme of FreeBSD's msun (e_log2f). Opaque, since a*b + a*c may become a*(b + c). Error 0.81.
fn log2_f32(x: f32) -> f32 {
    let split = split_exponent_f32(x, SQRT_HALF_BITS);
    let log_ = log_of_mantissa_f32(split.mantissa - 1.0);
    let first = opaque_f32(log_.high * LOG2_E_SHORT);
    let sum = fast_two_sum_f32(f32(split.exponent), first);
    let rest = log_.low * LOG2_E_SHORT + (log_.high + log_.low) * LOG2_E_REST;
    return log_special_f32(sum.high + (sum.low + rest), x);
}

// log10(x) = k log10(2) + log(1 + f)/log 10, the products from short factors. Error 0.71.
fn log10_f32(x: f32) -> f32 {
    let split = split_exponent_f32(x, SQRT_HALF_BITS);
    let log_ = log_of_mantissa_f32(split.mantissa - 1.0);
    let k = f32(split.exponent);
    let first = opaque_f32(log_.high * LOG10_E_SHORT);
    let sum = fast_two_sum_f32(k * LOG10_2_SHORT, first);
    let rest = log_.low * LOG10_E_SHORT + (log_.high + log_.low) * LOG10_E_REST;
    return log_special_f32(sum.high + (sum.low + (rest + k * LOG10_2_REST)), x);
}

// log(c) to 48 bits, where c is eighths/8 and 6 <= eighths <= 11.
fn log_of_eighths_f32(eighths: i32) -> Double_f32 {
    switch eighths {
        case 6: { return Double_f32(-0.2876821, 1.37775436e-8); }
        case 7: { return Double_f32(-0.13353139, -1.0038866e-9); }
        case 9: { return Double_f32(0.11778303, 3.2986907e-9); }
        case 10: { return Double_f32(0.22314355, 3.5408485e-9); }
        case 11: { return Double_f32(0.31845373, 1.9658553e-9); }
        default: { return Double_f32(0.0, 0.0); }
    }
}

// log(x + x_low) to about 33 bits, relative to the result also near 1; x is positive and finite,
// and |x_low| is at most a unit in the last place of x.
// x = 2^k m with m in [11/16, 11/8), and c is m rounded to eighths.
fn log_extended_f32(x: f32, x_low: f32) -> Double_f32 {
    let split = split_exponent_f32(x, 0x3f300000u);
    let m = split.mantissa;
    let m_low = scale_by_power_of_two_f32(x_low, -split.exponent);
    let eighths = round(m * 8.0);
    let c = eighths * 0.125;
    let numerator = two_sum_f32(m - c, m_low);
    let sum = fast_two_sum_f32(c, m);
    let s = divide_double_f32(numerator, Double_f32(sum.high, sum.low + m_low));
    return log_of_parts_f32(split.exponent, i32(eighths), s);
}

// k log 2 + log(c) + log(m/c), where c is eighths/8 and s = (m - c)/(m + c), |s| < 0.047:
// log(m/c) = 2 s + 2/3 s^3 + 2/5 s^5 + 2/7 s^7. P. T. P. Tang, ACM Trans. Math. Softw. 16 (1990),
// with a coarser table.
fn log_of_parts_f32(exponent: i32, eighths: i32, s: Double_f32) -> Double_f32 {
    let square = s.high * s.high;
    let series = 0.6666667 + square * (0.4 + square * 0.2857143);
    let tail = 2.0 * s.low + s.high * square * series;
    let k = f32(exponent);
    let log_c = log_of_eighths_f32(eighths);
    let first = fast_two_sum_f32(k * LOG_2_SHORT, log_c.high);
    let second = fast_two_sum_f32(first.high, 2.0 * s.high);
    let rest = (first.low + second.low) + ((k * LOG_2_REST + log_c.low) + tail);
    return fast_two_sum_f32(second.high, rest);
}

// log(1 + (x + x_low)) to about 33 bits, relative to the result; x > -1 is finite.
fn log1p_extended_f32(x: f32, x_low: f32) -> Double_f32 {
    if (abs(x) < 0.0625) {
        let sum = fast_two_sum_f32(2.0, x);
        let denominator = Double_f32(sum.high, sum.low + x_low);
        return log_of_parts_f32(0, 8, divide_double_f32(Double_f32(x, x_low), denominator));
    }
    let sum = two_sum_f32(1.0, x);
    return log_extended_f32(sum.high, sum.low + x_low);
}

// log(sqrt(x^2 + y^2)) to about 33 bits, and with an error of 2^-46 where it is near 0; x and y are
// finite and not both 0. From 1/2 to 2 the larger one stays as it is, and the squares, less 1, are
// added in pairs; elsewhere it is scaled to be in [1/2, 1).
fn log_hypot_extended_f32(x: f32, y: f32) -> Double_f32 {
    let larger = max(abs(x), abs(y));
    let smaller = min(abs(x), abs(y));
    let exponent = split_exponent_f32(larger, 0x3f000000u).exponent;
    let k = select(exponent, 0, larger >= 0.5 && larger < 2.0);
    let first = scale_by_power_of_two_f32(larger, -k);
    let second = scale_by_power_of_two_f32(smaller, -k);
    let a = two_product_f32(first, first);
    let is_small = second < 1.0e-15;  // Not seen in the result, unless the larger one is 1.
    let b = two_product_f32(second, select(second, 0.0, is_small));
    let less_one = two_sum_f32(a.high, -1.0);
    let both_less_one = two_sum_f32(less_one.high, b.high);
    let lows = both_less_one.low + ((less_one.low + a.low) + b.low);
    let sum = two_sum_f32(both_less_one.high, lows);
    let twice = log1p_extended_f32(sum.high, sum.low);
    let near = Double_f32(0.5 * twice.high, 0.5 * twice.low);
    // Where the larger one is 1, the other square is all that is left: log(1 + e) = e.
    let is_square = is_small && first == 1.0 && k == 0;
    let n = f32(k);
    let sum_high = fast_two_sum_f32(n * LOG_2_SHORT, near.high);
    let rest = sum_high.low + (n * LOG_2_REST + near.low);
    let result = fast_two_sum_f32(sum_high.high, rest);
    return Double_f32(select(result.high, 0.5 * second * second, is_square), result.low);
}

// log(exp(x) + exp(y)) = a + log(1 + exp(b - a)), where a >= b are x and y. All in pairs, since the
// sum may cancel. Error 0.52, but for results below 1e-5 in magnitude, where the terms cancel to
// more than 16 bits and an error of about 2^-37 is left.
fn logaddexp_f32(x: f32, y: f32) -> f32 {
    if (is_nan_f32(x) || is_nan_f32(y)) {
        return nan_f32();
    }
    let larger = max(x, y);
    let difference = two_sum_f32(min(x, y), -larger);
    if (is_infinite_f32(larger) || difference.high < -104.0 || is_infinite_f32(min(x, y))) {
        return larger;
    }
    let ratio = exp_extended_f32(difference.high, difference.low);
    let log_ = log1p_extended_f32(ratio.high, ratio.low);
    let sum = two_sum_f32(larger, log_.high);
    return sum.high + (sum.low + log_.low);
}
