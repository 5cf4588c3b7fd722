// Activations. Each is x times a weight between 0 and 1 that is computed in pairs, and so keeps its
// relative accuracy where it is small. "Error" as in extended.wgsl.

// The logistic function of x as value 2^exponent, and of -x as rest.
struct Logistic_F {
    value: Double_F,
    exponent: i32,
    rest: Double_F,
}

// Of x + x_low, where |x_low| is at most a unit in the last place of x: 1/(1 + e) and e/(1 + e),
// where e = exp(-|x|).
fn logistic_F(x: F, x_low: F) -> Logistic_F {
    let bounded = clamp(x, LEAST_EXPONENT_F, -LEAST_EXPONENT_F);
    let is_below = bounded < F(0);
    let e = exp_scaled_F(-abs(bounded), select(-x_low, x_low, is_below));
    let power = power_of_two_F(max(e.exponent, -100));
    let sum = fast_two_sum_F(F(1), e.high * power);
    let one = Double_F(F(1), F(0));
    let larger = divide_double_F(one, Double_F(sum.high, sum.low + e.low * power));
    let mantissa = multiply_double_F(larger, Double_F(e.high, e.low));
    let smaller = Double_F(mantissa.high * power, mantissa.low * power);
    return Logistic_F(
        select_double_F(larger, mantissa, is_below),
        select(0, e.exponent, is_below),
        select_double_F(smaller, larger, is_below),
    );
}

// x times a weight, rounded once where the result is no subnormal number.
fn times_weight_F(x: F, weight: Double_F, exponent: i32) -> F {
    let product = two_product_F(x, weight.high);
    let sum = product.high + (product.low + x * weight.low);
    return copysign_F(scale_by_power_of_two_F(sum, exponent), x); // 0 + -0 is 0
}

// Error 0.5.
fn sigmoid_F(x: F) -> F {
    let s = logistic_F(x, F(0));
    return select(scale_by_power_of_two_F(s.value.high, s.exponent), x, is_nan_F(x));
}

// x sigmoid(x). Error 0.6.
fn silu_F(x: F) -> F {
    let s = logistic_F(x, F(0));
    let result = times_weight_F(max(x, LEAST_EXPONENT_F), s.value, s.exponent);
    return select(result, x, is_nan_F(x) || x > -LEAST_EXPONENT_F);
}

// The argument of the logistic function in the form of gelu with tanh, 2 sqrt(2/pi) (x + 0.044715
// x^3).
fn gelu_argument_F(x: F) -> Double_F {
    let square = two_product_F(x, x);
    let factor = add_double_F(GELU_LINEAR_F, multiply_double_F(GELU_CUBIC_F, square));
    return multiply_double_F(factor, Double_F(x, F(0)));
}

// x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))), the sum by the logistic function. Error 0.6.
fn gelu_tanh_F(x: F) -> F {
    let argument = gelu_argument_F(clamp(x, LEAST_OF_GELU_F, -LEAST_OF_GELU_F));
    let s = logistic_F(argument.high, argument.low);
    let result = times_weight_F(max(x, LEAST_OF_GELU_F), s.value, s.exponent);
    return select(result, x, is_nan_F(x) || x > -LEAST_OF_GELU_F);
}

// exp(-t^2/2) as a pair times a power of two, where t^2/2 is in range of exp_scaled.
fn normal_exponential_F(t: F) -> Scaled_F {
    let half = two_product_F(t, F(0.5) * t);
    return exp_scaled_F(-half.high, -half.low);
}

// 1 less a pair times 2^exponent, which is at most 1/2.
fn complement_F(x: Double_F, exponent: i32) -> Double_F {
    let power = power_of_two_F(max(exponent, -100));
    let sum = fast_two_sum_F(F(1), -(x.high * power));
    return Double_F(sum.high, sum.low - x.low * power);
}

// x times the probability that a normal number is below x. Error 0.8.
fn gelu_erf_F(x: F) -> F {
    let t = min(abs(x), -LEAST_OF_GELU_ERF_F);
    let e = normal_exponential_F(t);
    let tail = multiply_double_F(Double_F(e.high, e.low), normal_tail_ratio_F(t));
    let is_below = x < F(0);
    let weight = select_double_F(complement_F(tail, e.exponent), tail, is_below);
    let result =
        times_weight_F(max(x, LEAST_OF_GELU_ERF_F), weight, select(0, e.exponent, is_below));
    return select(result, x, is_nan_F(x) || x > -LEAST_OF_GELU_ERF_F);
}

// max(x, 0) + log(1 + exp(-|x|)), all in pairs. Error 0.6.
fn softplus_F(x: F) -> F {
    if is_nan_F(x) || x > -LEAST_EXPONENT_F {
        return x;
    }
    let size = min(abs(x), -LEAST_EXPONENT_F);
    let e = exp_extended_F(-size, F(0));
    if x < F(0) && e.high < F(0x1p-60) {
        return e.high;
    }
    let log_ = log1p_extended_F(e.high, e.low);
    let sum = two_sum_F(max(x, F(0)), log_.high);
    return sum.high + (sum.low + log_.low);
}

fn relu_F(x: F) -> F {
    return select(select(F(0), x, is_nan_F(x)), x, x > F(0));
}

// Error 1.1 times the scale's rounding.
fn elu_F(x: F, alpha: F) -> F {
    return select(alpha * expm1_F(x), x, x > F(0));
}

// --- gradients of a function of x times y, from the gradient of the product -----------------------

// weight 2^exponent (1 + x rest slope), rounded once.
fn slope_of_weighted_F(x: F, s: Logistic_F, slope: Double_F) -> F {
    let change = multiply_double_F(multiply_double_F(s.rest, Double_F(x, F(0))), slope);
    let sum = add_double_F(Double_F(F(1), F(0)), change);
    return scale_by_power_of_two_F(multiply_double_F(s.value, sum).high, s.exponent);
}

fn relu_mul_backward_F(gradient: F, x: F, y: F) -> vec2<F> {
    let first = select(select(F(0), x, is_nan_F(x)), gradient * y, x > F(0));
    return vec2<F>(first, gradient * relu_F(x));
}

fn sigmoid_mul_backward_F(gradient: F, x: F, y: F) -> vec2<F> {
    let s = logistic_F(-abs(x), F(0)); // whose slope is the same
    let product = multiply_double_F(s.value, s.rest).high;
    let slope = select(scale_by_power_of_two_F(product, s.exponent), x, is_nan_F(x));
    return vec2<F>(gradient * y * slope, gradient * sigmoid_F(x));
}

fn silu_mul_backward_F(gradient: F, x: F, y: F) -> vec2<F> {
    let s = logistic_F(x, F(0));
    let bounded = clamp(x, LEAST_EXPONENT_F, -LEAST_EXPONENT_F);
    let slope = slope_of_weighted_F(bounded, s, Double_F(F(1), F(0)));
    return vec2<F>(gradient * y * select(slope, x, is_nan_F(x)), gradient * silu_F(x));
}

fn gelu_mul_backward_F(gradient: F, x: F, y: F) -> vec2<F> {
    let bounded = clamp(x, LEAST_OF_GELU_F, -LEAST_OF_GELU_F);
    let argument = gelu_argument_F(bounded);
    let s = logistic_F(argument.high, argument.low);
    let cubic = multiply_double_F(GELU_SLOPE_F, two_product_F(bounded, bounded));
    let slope = slope_of_weighted_F(bounded, s, add_double_F(GELU_LINEAR_F, cubic));
    return vec2<F>(gradient * y * select(slope, x, is_nan_F(x)), gradient * gelu_tanh_F(x));
}

// The probability that a normal number is below x, and x times its density:
// exp(-t^2/2) (R(t) - t/sqrt(2 pi)) where x = -t, and 1 less that where x = t.
fn gelu_erf_mul_backward_F(gradient: F, x: F, y: F) -> vec2<F> {
    let t = min(abs(x), -LEAST_OF_GELU_ERF_F);
    let e = normal_exponential_F(t);
    let density = multiply_double_F(NORMAL_PEAK_F, Double_F(-t, F(0)));
    let difference = add_double_F(normal_tail_ratio_F(t), density);
    let tail = multiply_double_F(Double_F(e.high, e.low), difference);
    let below = scale_by_power_of_two_F(tail.high, e.exponent);
    let slope = select(complement_F(tail, e.exponent).high, below, x < F(0));
    return vec2<F>(gradient * y * select(slope, x, is_nan_F(x)), gradient * gelu_erf_F(x));
}
