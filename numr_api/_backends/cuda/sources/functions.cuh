// Elementary functions of real numbers, at most 2 units in the last place off.
//
// CUDA's own functions are taken where they are that accurate: of double all but asinh and acosh
// (CUDA C++ Programming Guide, "Mathematical Functions", lists 3 units for these) and tan (2 units
// are listed, 2.3 were found next to a pole), of float those that are off by at most 1.9 units, as
// tried on all floats.
#pragma once
#include "single_circular.cuh"
#include "single_exponential.cuh"

namespace numr {

DEVICE float asin(float x) { return ::asinf(x); }
DEVICE double asin(double x) { return ::asin(x); }
DEVICE float atan(float x) { return ::atanf(x); }
DEVICE double atan(double x) { return ::atan(x); }
DEVICE float expm1(float x) { return ::expm1f(x); }
DEVICE double expm1(double x) { return ::expm1(x); }
DEVICE float log(float x) { return ::logf(x); }
DEVICE double log(double x) { return ::log(x); }
DEVICE float log1p(float x) { return ::log1pf(x); }
DEVICE double log1p(double x) { return ::log1p(x); }
DEVICE float log2(float x) { return ::log2f(x); }
DEVICE double log2(double x) { return ::log2(x); }
DEVICE float sin(float x) { return ::sinf(x); }
DEVICE double sin(double x) { return ::sin(x); }
DEVICE float sqrt(float x) { return ::sqrtf(x); }
DEVICE double sqrt(double x) { return ::sqrt(x); }

DEVICE float acos(float x) { return ::acosf(x); }
DEVICE double acos(double x) { return ::acos(x); }
DEVICE double atanh(double x) { return ::atanh(x); }
DEVICE float cos(float x) { return ::cosf(x); }
DEVICE double cos(double x) { return ::cos(x); }
DEVICE double cosh(double x) { return ::cosh(x); }
DEVICE double log10(double x) { return ::log10(x); }
DEVICE double sinh(double x) { return ::sinh(x); }
DEVICE double tan(double x) {
    return ::fabs(x) < 0x1p+45 ? tangent_pair(x).high : ::tan(x);
}
DEVICE float tanh(float x) { return ::tanhf(x); }
DEVICE double tanh(double x) { return ::tanh(x); }

DEVICE double atan2(double y, double x) { return ::atan2(y, x); }
DEVICE double pow(double x, double y) {
    return y == 2.0 ? x * x : ::pow(x, y);  // a square is rounded once, which CUDA's pow is not
}

DEVICE double hypot(double x, double y) { return ::hypot(x, y); }
DEVICE float hypot(float x, float y) {
    float a = ::fabsf(x), b = ::fabsf(y);
    float larger = larger_of(a, b), smaller = smaller_of(a, b);
    if (isinf_(x) || isinf_(y)) return infinity<float>();
    if (isnan_(x) || isnan_(y)) return nan_of<float>();
    float up = larger < 0x1p-60f ? 0x1p+90f : larger > 0x1p+60f ? 0x1p-90f : 1.0f;
    float down = larger < 0x1p-60f ? 0x1p-90f : larger > 0x1p+60f ? 0x1p+90f : 1.0f;
    larger *= up;
    smaller *= up;
    return ::sqrtf(::fmaf(larger, larger, smaller * smaller)) * down;
}

// For results of 16 bits: off by 2^-22 of it, and by 2^-24 |x| more.
#ifdef __CUDACC__
DEVICE float near_exp(float x) {
    float result;
    asm("ex2.approx.f32 %0, %1;" : "=f"(result) : "f"(x * 0x1.715476p+0f));
    return result;
}
#else
inline float near_exp(float x) { return ::expf(x); }
#endif

DEVICE double exp(double x) { return ::exp(x); }

// 2^n e^r, where |r| <= log(2)/2. Beyond the ends of the range of results the exponent stays, so that
// nothing wraps.
DEVICE float exp(float x) {
    const float inside = x > 90.0f ? 90.0f : x < -105.0f ? -105.0f : x;
    const float shifted = ::fmaf(inside, 0x1.715476p+0f, SHIFT), n = shifted - SHIFT;
    float r = ::fmaf(n, -0x1.63p-1f, inside);
    r = ::fmaf(n, 0x1.bd0106p-13f, r);
    const float power = 1.0f + ::fmaf(rest_of_exp(r), r * r, r);
    const int whole = int(bits_of(shifted) - bits_of(SHIFT));
    const int half = whole >> 1;  // twice, as 2^128 and 2^-150 are no numbers
    return power * from_bits(uint32(half + 127) << 23)
         * from_bits(uint32(whole - half + 127) << 23);
}

DEVICE float asinh(float x) { return ::asinhf(x); }

// log1p(t) for t = x + x^2/(1 + sqrt(1 + x^2)) in pairs.
DEVICE double asinh(double x) {
    double a = ::fabs(x);
    if (!(a < 0x1p+28)) return copysign_(::log(a) + LOG_2.high, x);
    Double square = two_product(a, a);
    Double root = square_root(square + 1.0);
    Double t = square / (root + 1.0) + a;
    return copysign_(::log1p(t.high) + t.low / (1.0 + t.high), x);
}

// log1p(t + sqrt(t^2 + 2t)) for t = x - 1 in pairs.
DEVICE double acosh(double x) {
    if (!(x >= 1.0)) return nan_of<double>();
    if (x > 0x1p+28) return ::log(x) + LOG_2.high;
    if (x == 1.0) return 0.0;
    Double t = two_sum(x, -1.0);
    Double sum = t + square_root(t * t + Double{2.0 * t.high, 2.0 * t.low});
    return ::log1p(sum.high) + sum.low / (1.0 + sum.high);
}

// --- sums of exponentials ------------------------------------------------------------------------

// larger + log1p(e^difference), in pairs.
NOT_INLINED double log_of_sum_in_pairs(double larger, Double difference) {
    Double sum = log1p_pair(exp_pair(difference)) + larger;
    return sum.high;
}

// larger + log1p(exp(smaller - larger)) for finite numbers, in pairs where the terms may cancel: where
// the result is smaller than ``bound``, below which one double is not accurate enough.
DEVICE double log_of_sum(double larger, double smaller, double bound) {
    Double difference = two_sum(smaller, -larger);
    if (difference.high < -744.0) return larger;
    double result = larger + ::log1p(::exp(difference.high));
    return ::fabs(result) >= bound ? result : log_of_sum_in_pairs(larger, difference);
}
DEVICE double accurate_log_of_sum(double larger, double smaller) {
    return log_of_sum(larger, smaller, 1.0);
}
// Where the terms may cancel: in double where they do, which is rare.
NOT_INLINED float log_of_cancelling_sum(float larger, float smaller) {
    float result = log_of_sum(larger, smaller);
    if (::fabsf(result) >= 0x1p-5f) return result;
    return float(log_of_sum(double(larger), double(smaller), 0x1p-20));
}
DEVICE float accurate_log_of_sum(float larger, float smaller) {
    if (larger > -1.5f && larger < 0x1p-20f) return log_of_cancelling_sum(larger, smaller);
    return plain_log_of_sum(larger, smaller);
}
template <typename F> DEVICE F logaddexp(F x, F y) {
    if (isnan_(x) || isnan_(y)) return nan_of<F>();
    F larger = larger_of(x, y), smaller = smaller_of(x, y);
    if (isinf_(larger) || isinf_(smaller)) return larger;
    return accurate_log_of_sum(larger, smaller);
}

// --- rounding, division and the like -------------------------------------------------------------

DEVICE float ceil(float x) { return ::ceilf(x); }
DEVICE double ceil(double x) { return ::ceil(x); }
DEVICE float floor(float x) { return ::floorf(x); }
DEVICE double floor(double x) { return ::floor(x); }
DEVICE float trunc(float x) { return ::truncf(x); }
DEVICE double trunc(double x) { return ::trunc(x); }
DEVICE float round(float x) { return ::rintf(x); }  // halves to even
DEVICE double round(double x) { return ::rint(x); }
DEVICE float abs(float x) { return ::fabsf(x); }
DEVICE double abs(double x) { return ::fabs(x); }

// x itself if it is a zero or NaN, but for -0.
template <typename F> DEVICE F sign(F x) {
    return x > F(0) ? F(1) : x < F(0) ? F(-1) : x + F(0);
}

// NaN if either is; +0 is larger than -0.
template <typename F> DEVICE F maximum(F x, F y) {
    if (isnan_(x) || x > y || (x == y && !signbit_(x))) return x;
    return y;
}
template <typename F> DEVICE F minimum(F x, F y) {
    if (isnan_(x) || x < y || (x == y && signbit_(x))) return x;
    return y;
}

DEVICE float truncated_remainder(float x, float y) { return ::fmodf(x, y); }
DEVICE double truncated_remainder(double x, double y) { return ::fmod(x, y); }

// Of floored division: it has the sign of y, and is exact but for one rounding where signs differ.
template <typename F> DEVICE F remainder(F x, F y) {
    if (isnan_(x) || isnan_(y) || isinf_(x) || y == F(0)) return nan_of<F>();
    if (x == F(0)) return copysign_(x, y);
    bool same = signbit_(x) == signbit_(y);
    if (isinf_(y)) return same ? x : y;
    F rest = truncated_remainder(x, y);
    if (rest == F(0)) return copysign_(rest, y);
    return same ? rest : rest + y;
}

// The largest integer that is at most x/y, rounded; a zero has the quotient's sign.
DEVICE double floor_divide(double x, double y) {
    double plain = x / y;
    if (!isfinite_(plain) || x == 0.0 || isinf_(y)) return plain;
    bool is_negative = signbit_(x) != signbit_(y);
    if (::fabs(x) < ::fabs(y)) return is_negative ? -1.0 : copysign_(0.0, plain);
    double rest = ::fmod(x, y);
    // x - rest, a multiple of y, is divided in pairs, scaled so that no part of them overflows or
    // underflows.
    double scale = ::fabs(x) < 0x1p-800 ? 0x1p+200 : ::fabs(x) > 0x1p+900 ? 0x1p-200 : 1.0;
    Double quotient = two_sum(x * scale, -(rest * scale)) / Double{y * scale, 0.0};
    Double whole = two_sum(quotient.high, is_negative && rest != 0.0 ? -1.0 : 0.0);
    // An integer, so that ties are told from what is next to them.
    double low = ::fabs(quotient.low) > 0x1p+50 ? quotient.low : ::rint(quotient.low);
    return whole.high + (whole.low + low);
}

// The floor of the rounded quotient, and the floor of what it lacks, which is known exactly.
DEVICE float floor_divide(float x, float y) {
    float plain = x / y;
    if (!isfinite_(plain) || x == 0.0f || isinf_(y)) return plain;
    if (::fabsf(x) < ::fabsf(y)) return signbit_(x) != signbit_(y) ? -1.0f : copysign_(0.0f, plain);
    float whole_ = ::floorf(plain);
    return whole_ + ::floorf(::fmaf(-whole_, y, x) / y);
}

}  // namespace numr
