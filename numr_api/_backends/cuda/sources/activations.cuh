// Activations of neural networks and their gradients, about 2 units in the last place off; gelu_erf of
// float is up to 4.5 off in its negative tail.
#pragma once
#include "functions.cuh"

namespace numr {

// About 1/x for 1 <= x <= 2.
DEVICE float near_inverse(float x) { return near_reciprocal(x); }
DEVICE double near_inverse(double x) { return 1.0 / x; }

// Below this, exp has few digits.
template <typename F> constexpr F SMALL_EXPONENT = F(-708);
template <> constexpr float SMALL_EXPONENT<float> = -87.0f;

// A number in two parts, of which the second is tiny.
template <typename F> struct Parts {
    F high, low;
};

// A product that is rounded once but for its last factor's error.
template <typename F> DEVICE F product(F x, F y, F z) {
    const F high = x * y;
    return fused(high, z, fused(x, y, -high) * z);
}

// 64 log(2), of which the first part is added to exponents without rounding.
template <typename F> constexpr Parts<F> LIFT = {0x1.62e42fefa39fp+5, -0x1.950d871319ffp-48};
template <> constexpr Parts<float> LIFT<float> = {0x1.62e43p+5f, -0x1.05c61p-23f};

// x * factor * exp(exponent), given that exp, also where it has few digits; 0 for an infinity.
template <typename F> DEVICE F times_exp(F x, F factor, F exponent, F power) {
    if (exponent < SMALL_EXPONENT<F>) {
        const F lifted = exp(exponent + LIFT<F>.high);
        if (lifted == F(0)) return copysign_(F(0), x);
        return product(x, fused(factor, LIFT<F>.low, factor), lifted) * F(0x1p-64);
    }
    return product(x, factor, power);
}

template <typename F> DEVICE F relu(F x) { return x > F(0) || isnan_(x) ? x : F(0); }
template <typename F> DEVICE F leaky_relu(F x, F slope) { return x >= F(0) ? x : slope * x; }
template <typename F> DEVICE F elu(F x, F alpha) { return x > F(0) ? x : alpha * expm1(x); }

template <typename F> DEVICE F softplus(F x) {
    const F rest = log1p(exp(-abs(x)));
    return x > F(0) ? x + rest : rest;
}

// --- by the logistic function --------------------------------------------------------------------

// What is computed from exp(-|v|), for v in two parts; the second only counts as a factor.
template <typename F> struct Logistic {
    F exponent, power;  // -|v| and its exp, of the first part
    F share, tilted;    // 1/(1 + exp(-|v|)), and that times what the second part makes of power
    bool positive;

    DEVICE explicit Logistic(F high, F low) {
        positive = !(high < F(0));
        exponent = positive ? -high : high;
        const F rest = positive ? -low : low;
        power = exp(exponent);
        const F sum = F(1) + power, sum_low = fused(power, rest, power - (sum - F(1)));
        const F near = near_inverse(sum);
        const F error = fused(-sum_low, near, fused(-sum, near, F(1)));
        share = fused(near, error, near);
        tilted = fused(near, error + rest, near);
    }
    DEVICE F value() const { return positive ? share : power * tilted; }
    // x times the value
    DEVICE F times(F x) const {
        return positive ? x * share : times_exp(x, tilted, exponent, power);
    }
    // x times the derivative by v, times what v changes with x
    DEVICE F times_slope(F x, F change) const {
        return power == F(0) ? F(0) : x * change * (power * tilted) * share;
    }
};

template <typename F> DEVICE F sigmoid(F x) { return Logistic<F>(x, F(0)).value(); }
template <typename F> DEVICE F silu(F x) { return Logistic<F>(x, F(0)).times(x); }

// 2 sqrt(2/pi) in two parts, and that times 0.044715.
template <typename F> struct Tanh;
template <> struct Tanh<float> {
    static constexpr float first = 0x1.988454p+0f, first_low = -0x1.857936p-25f;
    static constexpr float third = 0x1.2444f2p-4f, third_low = 0x1.49b16ap-29f;
    static constexpr float far = 20.0f;
};
template <> struct Tanh<double> {
    static constexpr double first = 0x1.9884533d43651p+0, first_low = -0x1.cbc0d30ebfd15p-54;
    static constexpr double third = 0x1.2444f2a4d8b4bp-4, third_low = -0x1.6c843a29d1c7p-61;
    static constexpr double far = 24.0;
};

// 2 sqrt(2/pi) (x + 0.044715 x^3), and nothing that changes where x is large.
template <typename F> DEVICE Logistic<F> logistic_of_cubic(F x) {
    using C = Tanh<F>;
    const F y = x > C::far ? C::far : x < -C::far ? -C::far : x;
    const F square = y * y, square_low = fused(y, y, -square);
    const F cubic = C::third * square;
    const F cubic_low = fused(C::third, square, -cubic)
        + (C::third_low * square + C::third * square_low);
    const F sum = C::first + cubic, part = sum - C::first;
    const F sum_low = (C::first - (sum - part)) + (cubic - part) + (cubic_low + C::first_low);
    const F high = y * sum;
    return Logistic<F>(high, fused(y, sum, -high) + y * sum_low);
}

template <typename F> DEVICE F gelu_tanh(F x) { return logistic_of_cubic(x).times(x); }

// --- by the normal distribution ------------------------------------------------------------------

// exp(a^2/2) times the chance that a normal variate is beyond a >= 0, divided by 1 - t, where
// t = (a - middle)/(a + middle); fitted for the smallest relative error (1.0e-9 and 4.0e-18). The
// chance is 0 from ``far`` on.
template <typename F> struct Tail;
template <> struct Tail<float> {
    static constexpr float middle = 3.0f, far = 20.0f;
    DEVICE static float of(float t) {
        float p = 0x1.1d10fep-20f;
        p = fused(p, t, 0x1.6f7e9p-17f);
        p = fused(p, t, 0x1.66de7ep-16f);
        p = fused(p, t, -0x1.68168p-15f);
        p = fused(p, t, -0x1.6962fp-13f);
        p = fused(p, t, 0x1.6804c8p-13f);
        p = fused(p, t, 0x1.3088bp-10f);
        p = fused(p, t, -0x1.c9277ap-10f);
        p = fused(p, t, -0x1.021e38p-7f);
        p = fused(p, t, 0x1.3a0d08p-5f);
        p = fused(p, t, -0x1.5bb438p-4f);
        p = fused(p, t, 0x1.f1b89cp-4f);
        return p;
    }
};
template <> struct Tail<double> {
    static constexpr double middle = 4.0, far = 40.0;
    DEVICE static double of(double t) {
        double p = -0x1.8d587b432f065p-34;
        p = fused(p, t, -0x1.5929145f28705p-32);
        p = fused(p, t, 0x1.0790e75d68ebdp-32);
        p = fused(p, t, 0x1.5083bc814519ep-29);
        p = fused(p, t, 0x1.c7a5cd3cedadap-30);
        p = fused(p, t, -0x1.6ea9366c71d31p-27);
        p = fused(p, t, -0x1.4cb4177d9055cp-26);
        p = fused(p, t, 0x1.23d2974c408ccp-25);
        p = fused(p, t, 0x1.12365ab4f70dap-23);
        p = fused(p, t, -0x1.520fe422b9a7cp-24);
        p = fused(p, t, -0x1.8d4b8226b2abep-21);
        p = fused(p, t, 0x1.80c1d81b2e133p-24);
        p = fused(p, t, 0x1.26d0a086a6f5fp-18);
        p = fused(p, t, -0x1.001f476f64d56p-22);
        p = fused(p, t, -0x1.e4a425e64becdp-16);
        p = fused(p, t, 0x1.17a4aec5034d2p-16);
        p = fused(p, t, 0x1.ab825fc31e6b6p-13);
        p = fused(p, t, -0x1.c81719d61b984p-12);
        p = fused(p, t, -0x1.ee27610489488p-11);
        p = fused(p, t, 0x1.eec4cc3e4dc28p-8);
        p = fused(p, t, -0x1.7dff2bff6836fp-6);
        p = fused(p, t, 0x1.8c6dbf2cfc2afp-5);
        p = fused(p, t, -0x1.373e3a893c28ap-4);
        p = fused(p, t, 0x1.82b4bb8c94dcep-4);
        return p;
    }
};

// The chance that a normal variate is beyond |x|: exp(-x^2/2) times a ratio.
template <typename F> struct Normal {
    F exponent, power, ratio;
    F rest;  // what the rounding of the exponent left

    DEVICE explicit Normal(F x) {
        const F a = abs(x) > Tail<F>::far ? Tail<F>::far : abs(x);
        const F square = a * a;
        exponent = F(-0.5) * square;
        power = exp(exponent);
        // w = 1 - t, and what its rounding changes: the ratio's slope is about that of the factor.
        constexpr F twice = F(2) * Tail<F>::middle;
        const F sum = a + Tail<F>::middle, lost = a - (sum - Tail<F>::middle);
        const F w = twice / sum;
        const F error = fused(-w, lost, fused(-w, sum, twice)) * (fused(F(0.7), w, F(1)) / twice);
        const F near = w * Tail<F>::of(F(1) - w);
        rest = F(-0.5) * fused(a, a, -square);
        ratio = fused(near, error + rest, near);
    }
    // x times the chance that a variate is less than x
    DEVICE F times_chance(F x) const {
        return x < F(0) ? times_exp(x, ratio, exponent, power)
                        : x * fused(-power, ratio, F(1));
    }
    // the derivative of that
    DEVICE F slope(F x) const {
        const F near = power == F(0) ? F(0) : x * power * F(0.3989422804014327);
        const F density = fused(near, rest, near);
        return (x < F(0) ? power * ratio : fused(-power, ratio, F(1))) + density;
    }
};

template <typename F> DEVICE F gelu_erf(F x) { return Normal<F>(x).times_chance(x); }

// --- gradients of products with an activation ----------------------------------------------------

template <typename F> struct Two {
    F first, second;
};

template <typename F> DEVICE Two<F> relu_mul_backward(F grad, F a, F b) {
    return {a > F(0) ? grad * b : isnan_(a) ? a : F(0), grad * relu(a)};
}
template <typename F> DEVICE Two<F> sigmoid_mul_backward(F grad, F a, F b) {
    const Logistic<F> s(a, F(0));
    return {grad * b * s.times_slope(F(1), F(1)), grad * s.value()};
}
template <typename F> DEVICE Two<F> silu_mul_backward(F grad, F a, F b) {
    const Logistic<F> s(a, F(0));
    const F slope = isnan_(a) ? a : s.value() + s.times_slope(a, F(1));
    return {grad * b * slope, grad * s.times(a)};
}
template <typename F> DEVICE Two<F> gelu_mul_backward(F grad, F a, F b) {
    const Logistic<F> s = logistic_of_cubic(a);
    const F change = fused(F(3) * Tanh<F>::third, a * a, Tanh<F>::first);
    const F slope = isnan_(a) ? a : s.value() + s.times_slope(a, change);
    return {grad * b * slope, grad * s.times(a)};
}
template <typename F> DEVICE Two<F> gelu_erf_mul_backward(F grad, F a, F b) {
    const Normal<F> n(a);
    return {grad * b * n.slope(a), grad * n.times_chance(a)};
}

}  // namespace numr
