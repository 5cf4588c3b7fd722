// Activations of neural networks and their gradients, at most 2 units in the last place off.
#pragma once
#include "weights.cuh"

namespace numr {

template <typename F> DEVICE F relu(F x) { return x > F(0) || isnan_(x) ? x : F(0); }
template <typename F> DEVICE F leaky_relu(F x, F slope) { return x >= F(0) ? x : slope * x; }
template <typename F> DEVICE F elu(F x, F alpha) { return x > F(0) ? x : alpha * expm1(x); }

template <typename F> DEVICE F softplus(F x) {
    const F rest = log1p(exp(-abs(x)));
    return x > F(0) ? x + rest : rest;
}

// --- a number times a weight ----------------------------------------------------------------------

template <typename F> DEVICE F sigmoid(F x) { return logistic(x, F(0)).rounded(); }
template <typename F> DEVICE F silu(F x) {
    constexpr F far = sizeof(F) == 4 ? F(120) : F(800);
    return x > far ? x : logistic(x, F(0)).times(x < -far ? -far : x);
}
template <typename F> DEVICE F gelu_tanh(F x) {
    const F y = within(x, Gelu<F>::far);
    return x > y ? x : logistic_of_cubic(y).times(y);
}
template <typename F> DEVICE F gelu_erf(F x) {
    const F y = within(x, Gelu<F>::far_erf);
    const Weight<F> weight = {normal_weight(y, NormalTail<F>(abs(y))), {}};
    return x > y ? x : weight.times(y);
}

// --- gradients of products with an activation ----------------------------------------------------

template <typename F> struct Two {
    F first, second;
};

template <typename F> DEVICE Two<F> relu_mul_backward(F grad, F a, F b) {
    return {a > F(0) ? grad * b : isnan_(a) ? a : F(0), grad * relu(a)};
}
// A product with a slope in two parts, of which the second counts where the first is finite.
template <typename F> DEVICE F times_slope(F x, Pair<F> slope) {
    const F near = x * slope.high;
    return isfinite_(near) ? fused(x, slope.high, x * slope.low) : near;
}

template <typename F> DEVICE Two<F> sigmoid_mul_backward(F grad, F a, F b) {
    const Weight<F> s = logistic(-abs(a), F(0));  // whose slope is the same
    const Pair<F> slope = scaled_down(Scaled<F>{product(s.value.part, s.rest), s.value.exponent});
    return {times_slope(grad * b, slope), grad * (a > F(0) ? s.rest.high : s.rounded())};
}
template <typename F> DEVICE Two<F> silu_mul_backward(F grad, F a, F b) {
    const F x = within(a, sizeof(F) == 4 ? F(120) : F(800));
    const Weight<F> s = logistic(x, F(0));
    return {times_slope(grad * b, s.times_sum(product(s.rest, Pair<F>{x, F(0)}))), grad * (a > x ? a : s.times(x))};
}
template <typename F> DEVICE Two<F> gelu_mul_backward(F grad, F a, F b) {
    const F x = within(a, Gelu<F>::far);
    const Weight<F> s = logistic_of_cubic(x);
    const Pair<F> change = sum(Gelu<F>::first, product(Gelu<F>::slope, two_product(x, x)));
    const Pair<F> part = product(product(s.rest, Pair<F>{x, F(0)}), change);
    return {times_slope(grad * b, s.times_sum(part)), grad * (a > x ? a : s.times(x))};
}
// The slope is the probability that a normal number is below a, and a times its density.
template <typename F> DEVICE Two<F> gelu_erf_mul_backward(F grad, F a, F b) {
    const F x = within(a, Gelu<F>::far_erf), t = abs(x);
    const NormalTail<F> tail(t);
    const Weight<F> weight = {normal_weight(x, tail), {}};
    const Pair<F> difference = sum(tail.ratio, product(Gelu<F>::peak, Pair<F>{-t, F(0)}));
    const Scaled<F> part = {product(tail.power.part, difference), tail.power.exponent};
    const Pair<F> slope = x < F(0) ? scaled_down(part) : complement(part);
    return {times_slope(grad * b, slope), grad * (a > x ? a : weight.times(x))};
}

}  // namespace numr
