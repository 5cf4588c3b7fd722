// Hyperbolic functions and their inverses: near 0 from minimax polynomials, computed with a linear
// program from values of 40 digits, relative error 2^-31; elsewhere from exp and log in pairs.

// exp(|x|) = (high + low) 2^n gives sinh(|x|) and cosh(|x|) as 2^(n - 1) (high + (low -+ inverse)),
// where inverse is exp(-|x|)/2^n.
fn half_exp_sum_f32(x: f32, sign: f32) -> f32 {
    // At 91 the result is infinite.
    let e = exp_scaled_f32(min(abs(x), 91.0), 0.0);
    let power = power_of_two_f32(max(-2 * e.exponent, -60));
    let inverse = divide_double_f32(Double_f32(power, 0.0), Double_f32(e.high, e.low));
    let sum = fast_two_sum_f32(e.high, sign * inverse.high);
    let rest = sum.low + (e.low + sign * inverse.low);
    return scale_by_power_of_two_f32(sum.high + rest, e.exponent - 1);
}

// x + x^3 P(x^2) where |x| < 1. Error 0.79.
fn sinh_f32(x: f32) -> f32 {
    let magnitude = bitcast<u32>(x) & 0x7fffffffu;
    if (magnitude < 0x39000000u || magnitude > 0x7f800000u) {
        return x;
    }
    if (magnitude < 0x3f800000u) {
        let z = x * x;
        let series = 1.6666667e-1 + z * (8.3333105e-3 + z * (1.9842896e-4 + z * 2.7822132e-6));
        return x + x * z * series;
    }
    return copysign_f32(half_exp_sum_f32(x, -1.0), x);
}

// Error 0.6.
fn cosh_f32(x: f32) -> f32 {
    if (is_nan_f32(x)) {
        return x;
    }
    return half_exp_sum_f32(x, 1.0);
}

// x + x^3 P(x^2) where |x| < 1, 1 - 2/(exp(2 |x|) + 1) elsewhere. Error 1.05.
fn tanh_f32(x: f32) -> f32 {
    let magnitude = bitcast<u32>(x) & 0x7fffffffu;
    if (magnitude < 0x39000000u || magnitude > 0x7f800000u) {
        return x;
    }
    if (magnitude < 0x3f800000u) {
        let z = x * x;
        let series = -3.3333328e-1 + z * (1.3333175e-1 + z * (-5.3950723e-2 + z * (2.1774445e-2
            + z * (-8.571457e-3 + z * (3.0488763e-3 + z * (-8.2189625e-4 + z * 1.1644971e-4))))));
        return x + x * z * series;
    }
    // From 9.1 on the result is 1.
    let e = exp_f32(2.0 * min(abs(x), 10.0));
    return copysign_f32(1.0 - 2.0 / (e + 1.0), x);
}

// sign(x) log(|x| + sqrt(x^2 + 1)), all in pairs; x + x^3 P(x^2) where |x| < 1/2. Error 0.59.
fn asinh_f32(x: f32) -> f32 {
    let magnitude = bitcast<u32>(x) & 0x7fffffffu;
    if (magnitude < 0x39000000u || magnitude >= 0x7f800000u) {
        return x;
    }
    if (magnitude < 0x3f000000u) {
        let z = x * x;
        let series = -1.6666666e-1 + z * (7.499907e-2 + z * (-4.4616096e-2 + z * (3.003357e-2
            + z * (-2.0049585e-2 + z * 9.25663e-3))));
        return x + x * z * series;
    }
    let a = abs(x);
    if (a > 4096.0) {
        return copysign_f32(log_of_twice_f32(a), x);
    }
    let square = two_product_f32(a, a);
    let sum = add_double_f32(square, Double_f32(1.0, 0.0));
    let argument = add_double_f32(Double_f32(a, 0.0), sqrt_double_f32(sum));
    return copysign_f32(log_extended_f32(argument.high, argument.low).high, x);
}

// log(2 x), where x is positive and finite.
fn log_of_twice_f32(x: f32) -> f32 {
    let log_ = log_extended_f32(x, 0.0);
    let sum = fast_two_sum_f32(log_.high, LOG_2);
    return sum.high + (sum.low + (log_.low + LOG_2_LOW));
}

// log(1 + w), w = (x - 1) + sqrt(x^2 - 1), all in pairs. Error 0.52.
fn acosh_f32(x: f32) -> f32 {
    let bits = bitcast<u32>(x);
    if (bits < 0x3f800000u || bits > 0x7f800000u) {
        return nan_f32();
    }
    if (bits == 0x3f800000u || bits == 0x7f800000u) {
        return select(x, 0.0, bits == 0x3f800000u);
    }
    if (x > 4096.0) {
        return log_of_twice_f32(x);
    }
    // x^2 - 1 = t^2 + 2 t.
    let t = x - 1.0;
    let sum = add_double_f32(Double_f32(2.0 * t, 0.0), two_product_f32(t, t));
    let w = add_double_f32(Double_f32(t, 0.0), sqrt_double_f32(sum));
    return log1p_extended_f32(w.high, w.low).high;
}

// log(1 + 2 |x|/(1 - |x|))/2; x + x^3 P(x^2) where |x| < 1/2. Error 0.71.
fn atanh_f32(x: f32) -> f32 {
    let magnitude = bitcast<u32>(x) & 0x7fffffffu;
    if (magnitude < 0x39000000u) {
        return x;
    }
    if (magnitude >= 0x3f800000u) {
        return select(nan_f32(), copysign_f32(infinity_f32(), x), magnitude == 0x3f800000u);
    }
    if (magnitude < 0x3f000000u) {
        let z = x * x;
        let series = 3.3333337e-1 + z * (1.9999622e-1 + z * (1.4297815e-1 + z * (1.0929401e-1
            + z * (1.0524456e-1 + z * (1.6961219e-2 + z * 1.8513611e-1)))));
        return x + x * z * series;
    }
    let a = abs(x);
    let quotient = divide_double_f32(Double_f32(2.0 * a, 0.0), Double_f32(1.0 - a, 0.0));
    return copysign_f32(0.5 * log1p_extended_f32(quotient.high, quotient.low).high, x);
}
