// Hyperbolic functions of float64 and their inverses: sinh and tanh near 0 from minimax polynomials
// (E. Remez's exchange with 60 digits), relative error 2^-56; the rest from exp and log in pairs.

// exp(|x|) = (high + low) 2^n gives sinh(|x|) and cosh(|x|) as 2^(n - 1) (high + (low -+ inverse)),
// where inverse is exp(-|x|)/2^n.
fn half_exp_sum_f64(x: f64, sign: f64) -> f64 {
    // At 712 the result is infinite.
    let e = exp_scaled_f64(min(abs(x), 712.0), 0.0);
    let power = power_of_two_f64(max(-2 * e.exponent, -120));
    let inverse = divide_double_f64(Double_f64(power, 0.0), Double_f64(e.high, e.low));
    let sum = fast_two_sum_f64(e.high, sign * inverse.high);
    let rest = sum.low + (e.low + sign * inverse.low);
    return scale_by_power_of_two_f64(sum.high + rest, e.exponent - 1);
}

// x + x^3 P(x^2) where |x| < 1. Error 0.76.
fn sinh_f64(x: f64) -> f64 {
    if is_nan_f64(x) || abs(x) < 0x1p-27 {
        return x;
    }
    if abs(x) < 1.0 {
        let z = x * x;
        let series = 0.16666666666666669 + z * (0.0083333333333331736 + z * (0.00019841269841425422
            + z * (2.7557319156676165e-06 + z * (2.5052123480329357e-08
            + z * (1.6057216857179106e-10 + z * 7.7604179530943268e-13)))));
        return x + x * z * series;
    }
    return copysign_f64(half_exp_sum_f64(x, -1.0), x);
}

// Error 0.61.
fn cosh_f64(x: f64) -> f64 {
    if is_nan_f64(x) {
        return x;
    }
    return half_exp_sum_f64(x, 1.0);
}

// x + x^3 P(x^2) where |x| < 1, 1 - 2/(exp(2 |x|) + 1) elsewhere. Error 1.04.
fn tanh_f64(x: f64) -> f64 {
    if is_nan_f64(x) || abs(x) < 0x1p-27 {
        return x;
    }
    if abs(x) < 1.0 {
        let z = x * x;
        let series = -0.3333333333333332 + z * (0.13333333333331132 + z * (-0.053968253967123611
            + z * (0.021869488508740102 + z * (-0.0088632351482529799 + z * (0.0035921246424116876
            + z * (-0.0014558137892546554 + z * (0.00058993839630611046
            + z * (-0.00023884692543506904 + z * (9.6247348496622173e-05
            + z * (-3.8083102664786789e-05 + z * (1.4292321903757329e-05
            + z * (-4.7625949990123143e-06 + z * (1.2717531862266542e-06
            + z * (-2.3270461897840485e-07 + z * 2.1217091361899515e-08))))))))))))));
        return x + x * z * series;
    }
    // From 19.1 on the result is 1.
    let e = exp_f64(2.0 * min(abs(x), 20.0));
    return copysign_f64(1.0 - 2.0 / (e + 1.0), x);
}

// sign(x) log(1 + w), w = |x| + x^2/(1 + sqrt(1 + x^2)) in pairs. Error 0.8.
fn asinh_f64(x: f64) -> f64 {
    if abs(x) < 0x1p-27 || !is_finite_f64(x) {
        return x;
    }
    let a = abs(x);
    if a > 268435456.0 {
        return copysign_f64(log_of_twice_f64(a), x);
    }
    let one = Double_f64(1.0, 0.0);
    let square = two_product_f64(a, a);
    let root = sqrt_double_f64(add_double_f64(one, square));
    let rest = divide_double_f64(square, add_double_f64(one, root));
    let w = add_double_f64(Double_f64(a, 0.0), rest);
    return copysign_f64(log1p_of_double_f64(w.high, w.low), x);
}

// log(2 x), where x is positive and finite.
fn log_of_twice_f64(x: f64) -> f64 {
    let split = split_exponent_f64(x, SQRT_HALF_BITS_F64);
    let f = split.mantissa - 1.0;
    let k = f64(split.exponent + 1);
    let rest = 0.5 * f * f - (log_tail_f64(f) + k * LOG_2_REST_F64);
    return k * LOG_2_SHORT_F64 + (f - rest);
}

// log(1 + w), w = (x - 1) + sqrt(x^2 - 1) in pairs. Error 0.81.
fn acosh_f64(x: f64) -> f64 {
    if is_nan_f64(x) || x < 1.0 {
        return nan_f64();
    }
    if x == 1.0 || is_infinite_f64(x) {
        return select(x, 0.0, x == 1.0);
    }
    if x > 268435456.0 {
        return log_of_twice_f64(x);
    }
    // x^2 - 1 = t^2 + 2 t.
    let t = x - 1.0;
    let sum = add_double_f64(Double_f64(2.0 * t, 0.0), two_product_f64(t, t));
    let w = add_double_f64(Double_f64(t, 0.0), sqrt_double_f64(sum));
    return log1p_of_double_f64(w.high, w.low);
}

// log(1 + 2 |x|/(1 - |x|))/2, the quotient in pairs. Error 0.8.
fn atanh_f64(x: f64) -> f64 {
    let a = abs(x);
    if is_nan_f64(x) || a > 1.0 {
        return nan_f64();
    }
    if a < 0x1p-27 {
        return x;
    }
    if a == 1.0 {
        return copysign_f64(infinity_f64(), x);
    }
    let difference = two_sum_f64(1.0, -a);
    let quotient = divide_double_f64(Double_f64(2.0 * a, 0.0), difference);
    return copysign_f64(0.5 * log1p_of_double_f64(quotient.high, quotient.low), x);
}
