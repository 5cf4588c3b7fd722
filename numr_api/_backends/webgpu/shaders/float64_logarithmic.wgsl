// log of float64 and its relatives. x = 2^k (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)), and with
// s = f/(2 + f): log(1 + f) = 2 s + s R(s^2) = f - (f^2/2 - s (f^2/2 + R)), the form of fdlibm
// (Sun Microsystems, 1993); R minimax (E. Remez's exchange with 60 digits), relative error 2^-57.

const SQRT_HALF_BITS_F64: u64 = 0x3fe6a09e667f3bcdlu;
// 1/log 2, 1/log 10 and log10(2), each as a number of 26 bits and what it lacks.
const LOG2_E_SHORT_F64: f64 = 1.4426950514316559;
const LOG2_E_REST_F64: f64 = -1.0542692476429138e-08;
const LOG10_E_SHORT_F64: f64 = 0.4342944845557213;
const LOG10_E_REST_F64: f64 = -2.6524694553078553e-09;
const LOG10_2_SHORT_F64: f64 = 0.3010299950838089;
const LOG10_2_REST_F64: f64 = 5.801722962879576e-10;

// log(1 + f) - f + f^2/2, where -0.293 <= f <= 0.4143.
fn log_tail_f64(f: f64) -> f64 {
    let s = f / (2.0 + f);
    let z = s * s;
    let series = z * (0.66666666666667096 + z * (0.3999999999951947 + z * (0.28571428729349152
        + z * (0.22222199085441705 + z * (0.18183571774657753 + z * (0.15313159478259727
        + z * 0.14810559763627418))))));
    return s * (0.5 * f * f + series);
}

// What logarithms of any base have in common where x is no positive finite number.
fn log_special_f64(result: f64, x: f64) -> f64 {
    let bits = bitcast<u64>(x);
    if (bits & 0x7ffffffffffffffflu) == 0lu {
        return -infinity_f64();
    }
    if bits >= 0x7ff0000000000000lu {
        return select(nan_f64(), x, bits == 0x7ff0000000000000lu);
    }
    return result;
}

// log(x) = k log 2 + (f - (f^2/2 - (log(1 + f) - f + f^2/2))). Error 0.83.
fn log_f64(x: f64) -> f64 {
    let split = split_exponent_f64(x, SQRT_HALF_BITS_F64);
    let f = split.mantissa - 1.0;
    let k = f64(split.exponent);
    let rest = 0.5 * f * f - (log_tail_f64(f) + k * LOG_2_REST_F64);
    return log_special_f64(k * LOG_2_SHORT_F64 + (f - rest), x);
}

// Error 0.86.
fn log1p_f64(x: f64) -> f64 {
    if abs(x) <= 0x1p-54 || is_nan_f64(x) {  // Zeros keep their sign.
        return x;
    }
    if is_infinite_f64(x) {
        return select(x, nan_f64(), is_negative_f64(x));
    }
    return log1p_of_double_f64(x, 0.0);
}

// log(1 + (x + x_low)), rounded: log(u) + c/u, where u + c = 1 + x + x_low; x is finite.
fn log1p_of_double_f64(x: f64, x_low: f64) -> f64 {
    let sum = two_sum_f64(1.0, x);
    let split = split_exponent_f64(sum.high, SQRT_HALF_BITS_F64);
    let f = split.mantissa - 1.0;
    let k = f64(split.exponent);
    let missing = (sum.low + x_low) / sum.high + k * LOG_2_REST_F64;
    let rest = 0.5 * f * f - (log_tail_f64(f) + missing);
    return log_special_f64(k * LOG_2_SHORT_F64 + (f - rest), sum.high);
}

// log(1 + f) as a number of 26 bits and what it lacks, to about 60 bits. Opaque, since (f - a) - b
// may become (f - b) - a, which is not exact.
fn log_of_mantissa_f64(f: f64) -> Double_f64 {
    let half_square = opaque_f64(0.5 * f * f);
    let high = first_bits_f64(f - half_square);
    return Double_f64(high, (opaque_f64(f - high) - half_square) + log_tail_f64(f));
}

// log2(x) = k + log(1 + f)/log 2, the product from short factors: powers of two are exact.
// The scheme of FreeBSD's msun (e_log2). Opaque, since a*b + a*c may become a*(b + c). Error 0.79.
fn log2_f64(x: f64) -> f64 {
    let split = split_exponent_f64(x, SQRT_HALF_BITS_F64);
    let log_ = log_of_mantissa_f64(split.mantissa - 1.0);
    let first = opaque_f64(log_.high * LOG2_E_SHORT_F64);
    let sum = fast_two_sum_f64(f64(split.exponent), first);
    let rest = log_.low * LOG2_E_SHORT_F64 + (log_.high + log_.low) * LOG2_E_REST_F64;
    return log_special_f64(sum.high + (sum.low + rest), x);
}

// log10(x) = k log10(2) + log(1 + f)/log 10, the products from short factors. Error 0.68.
fn log10_f64(x: f64) -> f64 {
    let split = split_exponent_f64(x, SQRT_HALF_BITS_F64);
    let log_ = log_of_mantissa_f64(split.mantissa - 1.0);
    let k = f64(split.exponent);
    let first = opaque_f64(log_.high * LOG10_E_SHORT_F64);
    let sum = fast_two_sum_f64(k * LOG10_2_SHORT_F64, first);
    let rest = log_.low * LOG10_E_SHORT_F64 + (log_.high + log_.low) * LOG10_E_REST_F64;
    return log_special_f64(sum.high + (sum.low + (rest + k * LOG10_2_REST_F64)), x);
}

// log(c) to 106 bits, where c is eighths/8 and 6 <= eighths <= 11.
fn log_of_eighths_f64(eighths: i32) -> Double_f64 {
    switch eighths {
        case 6: { return Double_f64(-0.2876820724517809, -2.607160616442564e-17); }
        case 7: { return Double_f64(-0.13353139262452263, 3.664457663660085e-18); }
        case 9: { return Double_f64(0.11778303565638346, -1.1971685747593677e-18); }
        case 10: { return Double_f64(0.22314355131420976, -9.091270597324799e-18); }
        case 11: { return Double_f64(0.3184537311185346, 2.7114779367326236e-17); }
        default: { return Double_f64(0.0, 0.0); }
    }
}

// log(x + x_low) to about 70 bits, relative to the result also near 1; x is positive and finite,
// and |x_low| is at most a unit in the last place of x.
// x = 2^k m with m in [11/16, 11/8), and c is m rounded to eighths.
fn log_extended_f64(x: f64, x_low: f64) -> Double_f64 {
    let split = split_exponent_f64(x, 0x3fe6000000000000lu);
    let m = split.mantissa;
    let m_low = scale_by_power_of_two_f64(x_low, -split.exponent);
    let eighths = nearest_f64(m * 8.0);
    let c = eighths * 0.125;
    let numerator = two_sum_f64(m - c, m_low);
    let sum = fast_two_sum_f64(c, m);
    let s = divide_double_f64(numerator, Double_f64(sum.high, sum.low + m_low));
    return log_of_parts_f64(split.exponent, i32(eighths), s);
}

// k log 2 + log(c) + log(m/c), where c is eighths/8 and s = (m - c)/(m + c), |s| < 0.047:
// log(m/c) = 2 s + 2/3 s^3 + 2/5 s^5 + ..., the first two terms in pairs. P. T. P. Tang, ACM Trans.
// Math. Softw. 16 (1990), with a coarser table.
fn log_of_parts_f64(exponent: i32, eighths: i32, s: Double_f64) -> Double_f64 {
    let two_thirds = Double_f64(0.6666666666666666, 3.700743415417188e-17);
    let square = multiply_double_f64(s, s);
    let cubic = multiply_double_f64(multiply_double_f64(s, two_thirds), square);
    let z = square.high;
    let series = 0.4 + z * (2.8571428571428571e-1 + z * (2.2222222222222222e-1
        + z * (1.8181818181818182e-1 + z * (1.5384615384615385e-1 + z * 1.3333333333333333e-1))));
    let tail = (2.0 * s.low + cubic.low) + s.high * z * z * series;
    let k = f64(exponent);
    let log_c = log_of_eighths_f64(eighths);
    let first = fast_two_sum_f64(k * LOG_2_SHORT_F64, log_c.high);
    let second = fast_two_sum_f64(first.high, 2.0 * s.high);
    let third = fast_two_sum_f64(second.high, cubic.high);
    let lows = first.low + second.low + third.low;
    return fast_two_sum_f64(third.high, lows + ((k * LOG_2_REST_F64 + log_c.low) + tail));
}

// log(1 + (x + x_low)) to about 70 bits, relative to the result; x > -1 is finite.
fn log1p_extended_f64(x: f64, x_low: f64) -> Double_f64 {
    if abs(x) < 0.0625 {
        let sum = fast_two_sum_f64(2.0, x);
        let denominator = Double_f64(sum.high, sum.low + x_low);
        return log_of_parts_f64(0, 8, divide_double_f64(Double_f64(x, x_low), denominator));
    }
    let sum = two_sum_f64(1.0, x);
    return log_extended_f64(sum.high, sum.low + x_low);
}

// log(sqrt(x^2 + y^2)) to about 70 bits, and with an error of 2^-105 where it is near 0; x and y
// are finite and not both 0. From 1/2 to 2 the larger one stays as it is, and the squares, less 1,
// are added in pairs; elsewhere it is scaled to be in [1/2, 1).
fn log_hypot_extended_f64(x: f64, y: f64) -> Double_f64 {
    let larger = max(abs(x), abs(y));
    let smaller = min(abs(x), abs(y));
    let exponent = split_exponent_f64(larger, 0x3fe0000000000000lu).exponent;
    let k = select(exponent, 0, larger >= 0.5 && larger < 2.0);
    let first = scale_by_power_of_two_f64(larger, -k);
    let second = scale_by_power_of_two_f64(smaller, -k);
    let a = two_product_f64(first, first);
    let is_small = second < 1.0e-140;  // Not seen in the result, unless the larger one is 1.
    let b = two_product_f64(second, select(second, 0.0, is_small));
    let less_one = two_sum_f64(a.high, -1.0);
    let both_less_one = two_sum_f64(less_one.high, b.high);
    let lows = both_less_one.low + ((less_one.low + a.low) + b.low);
    let sum = two_sum_f64(both_less_one.high, lows);
    let twice = log1p_extended_f64(sum.high, sum.low);
    let near = Double_f64(0.5 * twice.high, 0.5 * twice.low);
    // Where the larger one is 1, the other square is all that is left: log(1 + e) = e.
    let is_square = is_small && first == 1.0 && k == 0;
    let n = f64(k);
    let sum_high = fast_two_sum_f64(n * LOG_2_SHORT_F64, near.high);
    let rest = sum_high.low + (n * LOG_2_REST_F64 + near.low);
    let result = fast_two_sum_f64(sum_high.high, rest);
    return Double_f64(select(result.high, 0.5 * second * second, is_square), result.low);
}

// log(exp(x) + exp(y)) = a + log(1 + exp(b - a)), where a >= b are x and y. All in pairs, since the
// sum may cancel. Error 0.51, for subnormal results 1.5, but for results below 1e-5 in magnitude,
// where the terms cancel to more than 16 bits and an error of about 2^-70 is left.
fn logaddexp_f64(x: f64, y: f64) -> f64 {
    if is_nan_f64(x) || is_nan_f64(y) {
        return nan_f64();
    }
    let larger = max(x, y);
    let smaller = min(x, y);
    if is_infinite_f64(larger) || is_infinite_f64(smaller) {
        return larger;
    }
    let difference = two_sum_f64(smaller, -larger);
    if difference.high < -746.0 {
        return larger;
    }
    let ratio = exp_extended_f64(difference.high, difference.low);
    let log_ = log1p_extended_f64(ratio.high, ratio.low);
    let sum = two_sum_f64(larger, log_.high);
    return sum.high + (sum.low + log_.low);
}
