// The weights between 0 and 1 by which activations multiply a number: of the logistic function and
// of the normal distribution. They are pairs and powers of two, so that all their digits count also
// where they are tiny.
#pragma once
#include "functions.cuh"

namespace numr {

// About 1/x for 1 <= x <= 50.
DEVICE float near_inverse(float x) { return near_reciprocal(x); }
DEVICE double near_inverse(double x) { return 1.0 / x; }

// Like the operators, but for the last sum of both parts, which are left as they are.
template <typename F> DEVICE Pair<F> sum(Pair<F> x, Pair<F> y) {
    const Pair<F> high = two_sum(x.high, y.high);
    return {high.high, high.low + (x.low + y.low)};
}
template <typename F> DEVICE Pair<F> product(Pair<F> x, Pair<F> y) {
    const F high = x.high * y.high, cross = fused(x.high, y.low, x.low * y.high);
    return {high, fused(x.high, y.high, -high) + cross};
}

// A pair times 2^exponent.
template <typename F> struct Scaled {
    Pair<F> part;
    int exponent;
};

// For exponents from -126 and -1022.
template <typename F> DEVICE F to_power_of_two(int exponent);
template <> DEVICE float to_power_of_two<float>(int exponent) {
    return from_bits(uint32(exponent + 127) << 23);
}
template <> DEVICE double to_power_of_two<double>(int exponent) {
    return from_bits(uint64(exponent + 1023) << 52);
}

// x 2^exponent for exponents that are not positive, rounded to a subnormal number if need be.
template <typename F> DEVICE F scaled_down(F x, int exponent) {
    constexpr int far = sizeof(F) == 4 ? 100 : 900;
    if (exponent >= -far) return x * to_power_of_two<F>(exponent);
    return x * to_power_of_two<F>(exponent + far) * to_power_of_two<F>(-far);
}
template <typename F> DEVICE Pair<F> scaled_down(Scaled<F> x) {
    return {scaled_down(x.part.high, x.exponent), scaled_down(x.part.low, x.exponent)};
}

// exp(x + low), where low is at most a unit in the last place of x and x is in range: to 2^-29 and
// 2^-57.
DEVICE Scaled<float> exp_scaled(float x, float low) {
    const float shifted = ::fmaf(x, 0x1.715476p+0f, SHIFT), n = shifted - SHIFT;
    const float part = ::fmaf(n, -0x1.63p-1f, x);  // exact, as the factor has 9 bits
    const float r = ::fmaf(n, 0x1.bd0106p-13f, part);
    const Single rest = expm1_of_small(Single{r, ::fmaf(n, 0x1.bd0106p-13f, part - r)});
    const Single sum = fast_two_sum(1.0f, rest.high);
    return {{sum.high, ::fmaf(low, sum.high, sum.low + rest.low)},
            int(bits_of(shifted) - bits_of(SHIFT))};
}
DEVICE Scaled<double> exp_scaled(double x, double low) {
    // 1/k!, k from 15 to 3
    constexpr double series[] = {
        0x1.ae7f3e733b81fp-41, 0x1.93974a8c07c9dp-37, 0x1.6124613a86d09p-33, 0x1.1eed8eff8d898p-29,
        0x1.ae64567f544e4p-26, 0x1.27e4fb7789f5cp-22, 0x1.71de3a556c734p-19, 0x1.a01a01a01a01ap-16,
        0x1.a01a01a01a01ap-13, 0x1.6c16c16c16c17p-10, 0x1.1111111111111p-7, 0x1.5555555555555p-5,
        0x1.5555555555555p-3};
    const double n = ::rint(x * 0x1.71547652b82fep+0);
    const double part = ::fma(n, -0x1.62e42fefa4p-1, x);  // exact, as the factor has 39 bits
    const double r = ::fma(n, 0x1.8432a1b0e2p-43, part);
    const double r_low = ::fma(n, 0x1.8432a1b0e2p-43, part - r);
    double p = series[0];
    UNROLLED
    for (int i = 1; i < 13; ++i) p = ::fma(p, r, series[i]);
    p = ::fma(p, r, 0.5);
    const Double rest = fast_two_sum(r, ::fma(r * r, p, ::fma(r, r_low, r_low)));
    const Double sum = fast_two_sum(1.0, rest.high);
    return {{sum.high, ::fma(low, sum.high, sum.low + rest.low)}, int(n)};
}

// 1 less x 2^exponent, which is from 0 to 1.
template <typename F> DEVICE Pair<F> complement(Scaled<F> x) {
    constexpr int least = sizeof(F) == 4 ? -100 : -900;
    const F power = to_power_of_two<F>(x.exponent < least ? least : x.exponent);
    const Pair<F> sum = fast_two_sum(F(1), -(x.part.high * power));
    return {sum.high, fused(-x.part.low, power, sum.low)};
}

// A function of x that is a weight, and what it lacks of 1.
template <typename F> struct Weight {
    Scaled<F> value;
    Pair<F> rest;

    DEVICE F rounded() const { return scaled_down(value.part.high + value.part.low, value.exponent); }
    // x times the weight, rounded once
    DEVICE F times(F x) const {
        const F whole = fused(x, value.part.high, x * value.part.low);
        return copysign_(scaled_down(whole, value.exponent), x);  // 0 + -0 is 0
    }
    // the weight times 1 + change
    DEVICE Pair<F> times_sum(Pair<F> change) const {
        return scaled_down(Scaled<F>{product(value.part, sum(Pair<F>{F(1), F(0)}, change)), value.exponent});
    }
};

// --- the logistic function -----------------------------------------------------------------------

// Of a sum of which the second is at most a unit in the last place of the first.
template <typename F> DEVICE Weight<F> logistic(F high, F low) {
    constexpr F far = sizeof(F) == 4 ? F(120) : F(800);
    const F size = abs(high) > far ? far : abs(high);
    const bool is_below = high < F(0);
    const Scaled<F> e = exp_scaled(-size, is_below ? low : -low);
    constexpr int least = sizeof(F) == 4 ? -100 : -900;
    const F power = to_power_of_two<F>(e.exponent < least ? least : e.exponent);
    Pair<F> sum = fast_two_sum(F(1), e.part.high * power);
    sum.low = fused(e.part.low, power, sum.low);
    const F near = near_inverse(sum.high);
    const F larger = fused(near, fused(-sum.high, near, F(1)), near);
    const F left = fused(-sum.low, larger, fused(-sum.high, larger, F(1)));
    const Pair<F> share = {larger, near * left};
    const Pair<F> tail = product(share, e.part);
    if (is_below) return {{tail, e.exponent}, share};
    return {{share, 0}, {tail.high * power, tail.low * power}};
}

// Constants in two parts: 2 sqrt(2/pi), that times 0.044715, three times that, and 1/sqrt(2 pi).
template <typename F> struct Gelu;
template <> struct Gelu<float> {
    static constexpr Single first = {0x1.988454p+0f, -0x1.857936p-25f};
    static constexpr Single third = {0x1.2444f2p-4f, 0x1.49b16ap-29f};
    static constexpr Single slope = {0x1.b6676cp-3f, -0x1.175e2p-32f};
    static constexpr Single peak = {0x1.988454p-2f, -0x1.857936p-27f};
    static constexpr float far = 12.0f, far_erf = 15.0f;
};
template <> struct Gelu<double> {
    static constexpr Double first = {0x1.9884533d43651p+0, -0x1.cbc0d30ebfd15p-54};
    static constexpr Double third = {0x1.2444f2a4d8b4bp-4, -0x1.6c843a29d1c7p-61};
    static constexpr Double slope = {0.21406444881780073, 1.2025242832367862e-17};
    static constexpr Double peak = {0x1.9884533d43651p-2, -0x1.cbc0d30ebfd15p-56};
    static constexpr double far = 24.0, far_erf = 39.0;
};

template <typename F> DEVICE F within(F x, F far) { return x > far ? far : x < -far ? -far : x; }

// Of 2 sqrt(2/pi) (x + 0.044715 x^3), |x| <= far.
template <typename F> DEVICE Weight<F> logistic_of_cubic(F x) {
    using C = Gelu<F>;
    const F square = x * x, square_low = fused(x, x, -square);
    const F cubic = C::third.high * square;
    const F cubic_low = fused(C::third.high, square, -cubic)
        + fused(C::third.low, square, C::third.high * square_low);
    const F sum = C::first.high + cubic, part = sum - C::first.high;
    const F sum_low = (C::first.high - (sum - part)) + (cubic - part) + (cubic_low + C::first.low);
    const F high = x * sum;
    return logistic(high, fused(x, sum_low, fused(x, sum, -high)));
}

// --- the normal distribution ---------------------------------------------------------------------

// The probability that a normal number exceeds t >= 0 is exp(-t^2/2) H(z)/(t + 5/4), where
// z = (t - middle)/(t + middle). H changes so little with z that the rounding of z is not seen. The
// form is that of M. M. Shepherd and J. G. Laframboise, Math. Comp. 36 (1981), with a constant and
// a scale of our own; the coefficients are of the interpolation at Chebyshev's nodes, with a
// relative error of 2^-29 for t up to 15, and of 2^-58 for t up to 39.
DEVICE Single normal_factor(float t) {
    constexpr float series[] = {
        -7.247305e-05f, -8.049231e-05f, 0.000647529f, -0.00013782392f, -0.004876072f, 0.015815724f,
        -0.024481537f, 0.010673257f, 0.04509445f, -0.1393029f};
    const float z = (t - 4.0f) * near_inverse(t + 4.0f);
    float p = series[0];
    UNROLLED
    for (int i = 1; i < 10; ++i) p = ::fmaf(p, z, series[i]);
    const Single sum = fast_two_sum(0.49565586f, p * z);
    return {sum.high, sum.low + 2.2738218e-09f};
}
DEVICE Double normal_factor(double t) {
    constexpr double series[] = {
        -2.8355251773903815e-10, -5.72790072830046e-11, 4.1756108633505384e-09,
        3.172471943428879e-09, -2.989800005258509e-08, -2.778834078540701e-08,
        1.873524928899151e-07, 1.4621808263055425e-07, -1.2474698884796171e-06,
        -2.3869987702764405e-07, 8.742790725830633e-06, -8.235100316754601e-06,
        -5.33674233612457e-05, 0.00016722728857799862, 4.136084470633433e-05,
        -0.0016211846604067444, 0.005927289573893978, -0.012922572765022544,
        0.018683488122090922, -0.01443720489524993, -0.010218616930813395, 0.060047571397464077,
        -0.12741667065001192};
    const double z = (t - 5.0) / (t + 5.0);
    double p = series[0];
    UNROLLED
    for (int i = 1; i < 23; ++i) p = ::fma(p, z, series[i]);
    const Double sum = fast_two_sum(0.48074565609378933, p * z);
    return {sum.high, sum.low + 1.7914452121833925e-17};
}

// The probability that a normal number exceeds t, 0 <= t <= far_erf: a power, and what it is
// multiplied by.
template <typename F> struct NormalTail {
    Scaled<F> power;
    Pair<F> ratio;

    DEVICE explicit NormalTail(F t) {
        const F half = t * (F(0.5) * t);
        power = exp_scaled(-half, -fused(t, F(0.5) * t, -half));
        const Pair<F> factor = normal_factor(t);
        const F divisor = t + F(1.25), lost = t - (divisor - F(1.25));
        const F near = near_inverse(divisor), quotient = factor.high * near;
        const F left = fused(-quotient, divisor, factor.high) + fused(-quotient, lost, factor.low);
        ratio = {quotient, left * near};
    }
    DEVICE Scaled<F> value() const { return {product(power.part, ratio), power.exponent}; }
};

// The probability that a normal number is below x, |x| <= far_erf.
template <typename F> DEVICE Scaled<F> normal_weight(F x, const NormalTail<F>& tail) {
    const Scaled<F> value = tail.value();
    if (x < F(0)) return value;
    return {complement(value), 0};
}

}  // namespace numr
