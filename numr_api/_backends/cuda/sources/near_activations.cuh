// Activations and their gradients for results of 16 bits, off by 2^-16 of a result at most before that
// is rounded: by the fast exponential function and the fast reciprocal of the GPU.
#pragma once
#include "activations.cuh"

namespace numr {

// From here on a number is 0 next to its product with a weight, or the other way round.
[[maybe_unused]] constexpr float FAR_HALF = 150.0f;

// 1/(1 + exp(-v)), and that of -v, which is what it lacks of 1.
struct NearWeight {
    float value, rest;
};
DEVICE NearWeight near_logistic(float v) {
    const float e = near_exp(-::fabsf(v)), share = near_reciprocal(1.0f + e), tail = e * share;
    return v < 0.0f ? NearWeight{tail, share} : NearWeight{share, tail};
}

// The argument of the logistic function in gelu's form with tanh.
DEVICE float near_cubic(float x) {
    return x * ::fmaf(x * x, Gelu<float>::third.high, Gelu<float>::first.high);
}

// The probability that a normal number exceeds t >= 0 is exp(-t^2/2) times a ratio, which is w times a
// polynomial, w = 1/(1 + t/3.8), but for 2^-20 of it where t is at most 14.
struct NearTail {
    float power, ratio;

    DEVICE explicit NearTail(float t) {
        const float w = near_reciprocal(::fmaf(t, 1.0f / 3.8f, 1.0f));
        float p = -0x1.1d6224p-4f;
        p = ::fmaf(p, w, 0x1.a8a694p-3f);
        p = ::fmaf(p, w, -0x1.49ee2p-4f);
        p = ::fmaf(p, w, 0x1.352ca8p-3f);
        p = ::fmaf(p, w, 0x1.4597aap-4f);
        p = ::fmaf(p, w, 0x1.b8ae24p-4f);
        p = ::fmaf(p, w, 0x1.ad6438p-4f);
        ratio = p * w;
        power = near_exp(t * (-0.5f * t));
    }
};

// Beyond this all is 0, or 1, to 16 bits.
[[maybe_unused]] constexpr float FAR_TAIL = 16.0f;

DEVICE float at_least(float x, float least) { return x < least ? least : x; }

DEVICE float near_sigmoid(float x) { return near_logistic(x).value; }
DEVICE float near_silu(float x) {
    const float y = at_least(x, -FAR_HALF);
    return y * near_logistic(y).value;
}
DEVICE float near_gelu_tanh(float x) {
    const float y = at_least(x, -FAR_TAIL);
    return y * near_logistic(near_cubic(y)).value;
}
DEVICE float near_gelu_erf(float x) {
    const float y = at_least(x, -FAR_TAIL);
    const NearTail tail(::fabsf(y));
    const float beyond = tail.power * tail.ratio;
    return y * (y < 0.0f ? beyond : 1.0f - beyond);
}

DEVICE Two<float> near_sigmoid_mul_backward(float grad, float a, float b) {
    const NearWeight s = near_logistic(a);
    return {grad * b * (s.value * s.rest), grad * s.value};
}
DEVICE Two<float> near_silu_mul_backward(float grad, float a, float b) {
    const float x = within(a, FAR_HALF);
    const NearWeight s = near_logistic(x);
    const float slope = s.value * ::fmaf(x, s.rest, 1.0f);
    return {grad * b * slope, grad * ((a > x ? a : x) * s.value)};
}
DEVICE Two<float> near_gelu_mul_backward(float grad, float a, float b) {
    const float x = within(a, FAR_TAIL);
    const NearWeight s = near_logistic(near_cubic(x));
    const float change = ::fmaf(x * x, Gelu<float>::slope.high, Gelu<float>::first.high);
    const float slope = s.value * ::fmaf(x * change, s.rest, 1.0f);
    return {grad * b * slope, grad * ((a > x ? a : x) * s.value)};
}
DEVICE Two<float> near_gelu_erf_mul_backward(float grad, float a, float b) {
    const float x = within(a, FAR_TAIL), t = ::fabsf(x);
    const NearTail tail(t);
    const float beyond = tail.power * tail.ratio;
    const float part = tail.power * ::fmaf(-Gelu<float>::peak.high, t, tail.ratio);
    const float weight = x < 0.0f ? beyond : 1.0f - beyond;
    return {grad * b * (x < 0.0f ? part : 1.0f - part), grad * ((a > x ? a : x) * weight)};
}

}  // namespace numr
