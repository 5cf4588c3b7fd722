// Activations of neural networks and their gradients, at most 2 units in the last place off, and 4
// where results are next to the smallest numbers.
#pragma once
#include "functions.cuh"

namespace numr {

// 1/x for 1 <= x <= 2.
DEVICE float inverse(float x) {
    const float near = near_reciprocal(x);
    return ::fmaf(near, ::fmaf(-x, near, 1.0f), near);
}
DEVICE double inverse(double x) { return 1.0 / x; }


// Below this, exp has few digits.
template <typename F> constexpr F SMALL_EXPONENT = F(-708);
template <> constexpr float SMALL_EXPONENT<float> = -87.0f;

// A number in two parts, of which the second is tiny.
template <typename F> struct Parts {
    F high, low;
};

template <typename F> DEVICE F exp_of(Parts<F> x) {
    const F power = exp(x.high);
    return fused(power, x.low, power);
}

// x * exp(exponent), also where exp alone has few digits; 0 for an infinity.
template <typename F> DEVICE F times_exp(F x, Parts<F> exponent, F power) {
    if (exponent.high < SMALL_EXPONENT<F>) {
        if (isinf_(x)) return copysign_(F(0), x);
        const F root = exp_of(Parts<F>{exponent.high / F(2), exponent.low / F(2)});
        return x * root * root;
    }
    return x * power;
}

template <typename F> DEVICE F relu(F x) { return x > F(0) || isnan_(x) ? x : F(0); }
template <typename F> DEVICE F leaky_relu(F x, F slope) { return x >= F(0) ? x : slope * x; }
template <typename F> DEVICE F elu(F x, F alpha) { return x > F(0) ? x : alpha * expm1(x); }

template <typename F> DEVICE F softplus(F x) {
    const F rest = log1p(exp(-abs(x)));
    return x > F(0) ? x + rest : rest;
}

// --- by the logistic function --------------------------------------------------------------------

// What is computed from exp(-|v|), for v in two parts.
template <typename F> struct Logistic {
    Parts<F> exponent;  // -|v|
    F power, share;     // exp(-|v|), and 1/(1 + exp(-|v|))
    bool positive;

    DEVICE explicit Logistic(F high, F low) {
        positive = !(high < F(0));
        exponent = positive ? Parts<F>{-high, -low} : Parts<F>{high, low};
        power = exp_of(exponent);
        share = inverse(F(1) + power);
    }
    DEVICE F value() const { return positive ? share : power * share; }
    // x times the value
    DEVICE F times(F x) const { return (positive ? x : times_exp(x, exponent, power)) * share; }
    // x times the derivative by v, times what v changes with x
    DEVICE F times_slope(F x, F change) const {
        return power == F(0) ? F(0) : x * change * (power * share) * share;
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

// exp(a^2/2) times the chance that a normal variate is beyond a >= 0, by t = (a - middle)/(a + middle);
// fitted for the smallest relative error (4e-9 and 3e-18). The chance is 0 from ``far`` on.
template <typename F> struct Tail;
template <> struct Tail<float> {
    static constexpr float middle = 3.0f, far = 15.0f;
    DEVICE static float of(float t) {
        float p = -0x1.04983p-17f;
        p = fused(p, t, -0x1.6726f4p-17f);
        p = fused(p, t, 0x1.02d5p-14f);
        p = fused(p, t, 0x1.0e0a4ep-13f);
        p = fused(p, t, -0x1.677622p-12f);
        p = fused(p, t, -0x1.036e4ap-10f);
        p = fused(p, t, 0x1.7ccfeep-9f);
        p = fused(p, t, 0x1.91f15p-8f);
        p = fused(p, t, -0x1.7a948ap-5f);
        p = fused(p, t, 0x1.f8babcp-4f);
        p = fused(p, t, -0x1.a6b66ap-3f);
        p = fused(p, t, 0x1.f1b89cp-4f);
        return p;
    }
};
template <> struct Tail<double> {
    static constexpr double middle = 4.0, far = 40.0;
    DEVICE static double of(double t) {
        double p = 0x1.78b57267257d5p-34;
        p = fused(p, t, 0x1.de60df1856488p-33);
        p = fused(p, t, -0x1.24e646dd3535p-31);
        p = fused(p, t, -0x1.2bd6c3217879ap-29);
        p = fused(p, t, 0x1.9c51f178f0765p-31);
        p = fused(p, t, 0x1.a5ca012f2c046p-27);
        p = fused(p, t, 0x1.2c579044e92a2p-27);
        p = fused(p, t, -0x1.c9a990636a9bp-25);
        p = fused(p, t, -0x1.92a8eb05d3a73p-24);
        p = fused(p, t, 0x1.bb272e17a16aap-23);
        p = fused(p, t, 0x1.630bd9dd53994p-21);
        p = fused(p, t, -0x1.bd61129cacfe3p-21);
        p = fused(p, t, -0x1.20cdb29beaac6p-18);
        p = fused(p, t, 0x1.36d27b218d121p-18);
        p = fused(p, t, 0x1.e0a3aa4422722p-16);
        p = fused(p, t, -0x1.7e2469b44ebfap-15);
        p = fused(p, t, -0x1.888dc9f1c498ap-13);
        p = fused(p, t, 0x1.4eec24daa1af9p-11);
        p = fused(p, t, 0x1.0a1bd419a731ap-11);
        p = fused(p, t, -0x1.1644dc2f6e3p-7);
        p = fused(p, t, 0x1.f9b05f0efb961p-6);
        p = fused(p, t, -0x1.25b6aa9658247p-4);
        p = fused(p, t, 0x1.fd751a1fba3e3p-4);
        p = fused(p, t, -0x1.5cf97b0ae882cp-3);
        p = fused(p, t, 0x1.82b4bb8c94dcep-4);
        return p;
    }
};

// The chance that a normal variate is beyond |x|.
template <typename F> struct Normal {
    Parts<F> exponent;  // -x^2/2
    F power, ratio;     // exp(-x^2/2), and the chance divided by it

    DEVICE explicit Normal(F x) {
        const F a = abs(x) > Tail<F>::far ? Tail<F>::far : abs(x);
        const F square = a * a;
        exponent = {F(-0.5) * square, F(-0.5) * fused(a, a, -square)};
        power = exp_of(exponent);
        const F t = (a - Tail<F>::middle) / (a + Tail<F>::middle);
        ratio = Tail<F>::of(t);
    }
    // x times the chance that a variate is less than x.
    DEVICE F times_chance(F x) const {
        return x < F(0) ? times_exp(x, exponent, power) * ratio : x * (F(1) - power * ratio);
    }
    // The derivative of that.
    DEVICE F slope(F x) const {
        const F density = power == F(0) ? F(0) : x * power * F(0.3989422804014327);
        return x < F(0) ? fused(power, ratio, density) : F(1) - power * ratio + density;
    }
};

template <typename F> DEVICE F gelu_erf(F x) { return Normal<F>(x).times_chance(x); }

// --- gradients of products with an activation ----------------------------------------------------

template <typename F> struct Two {
    F first, second;
};

template <typename F> DEVICE Two<F> relu_mul_backward(F grad, F a, F b) {
    return {a > F(0) || isnan_(a) ? grad * b : F(0), grad * relu(a)};
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
