// Exponentials, logarithms and powers of float by operations on floats alone, as most GPUs have few
// units for double. Where one float is not enough, numbers are pairs. The polynomials were fitted
// for the least of the largest errors, which are stated as parts of the result.
#pragma once
#include "pairs.cuh"

namespace numr {

// 2^n for an integer n, given as a float to which SHIFT of pairs.cuh was added.
DEVICE float power_of_two(float shifted) {
    return from_bits((bits_of(shifted) << 23) + 0x3f800000u);
}

// --- exponential functions -----------------------------------------------------------------------

// (e^r - 1 - r) / r^2 for |r| <= log(2)/2, but for 3e-9 of e^r.
DEVICE float rest_of_exp(float r) {
    float p = 0x1.6a2352p-10f;
    p = ::fmaf(p, r, 0x1.123a6cp-7f);
    p = ::fmaf(p, r, 0x1.5558f4p-5f);
    p = ::fmaf(p, r, 0x1.55549p-3f);
    return ::fmaf(p, r, 0x1.fffffcp-2f);
}

// e^x - 1 for |x| <= log(2)/2, where |low| is at most half a unit in the last place of high. The
// result has 30 bits.
DEVICE Single expm1_of_small(Single x) {
    float r = x.high;
    float p = 0x1.9e8b3ep-13f;  // (e^r - 1 - r) / r^2 but for 2^-31 of e^r - 1
    p = ::fmaf(p, r, 0x1.6d405p-10f);
    p = ::fmaf(p, r, 0x1.1112dp-7f);
    p = ::fmaf(p, r, 0x1.5554f4p-5f);
    p = ::fmaf(p, r, 0x1.555554p-3f);
    p = ::fmaf(p, r, 0.5f);
    return fast_two_sum(r, ::fmaf(r * r, p, x.low));
}

struct Power {
    Single rest;    // e^x = 2^n (1 + rest)
    float shifted;  // n + SHIFT
};

// For |x| < 1000.
DEVICE Power power_of_e(float x) {
    float shifted = ::fmaf(x, 0x1.715476p+0f, SHIFT);
    float n = shifted - SHIFT;
    float part = ::fmaf(n, -0x1.63p-1f, x);  // exact, as the factor has 9 bits
    float r = ::fmaf(n, 0x1.bd0106p-13f, part);
    return {expm1_of_small(Single{r, ::fmaf(n, 0x1.bd0106p-13f, part - r)}), shifted};
}

// 1 + rest.
DEVICE Single significand(Power power) {
    Single sum = fast_two_sum(1.0f, power.rest.high);
    return {sum.high, sum.low + power.rest.low};
}

// e^x / 4 for -80 < x < 89.5, as a pair.
DEVICE Single quarter_of_exp(float x) {
    Power power = power_of_e(x);
    Single p = significand(power);
    float size = power_of_two(power.shifted - 2.0f);
    return {p.high * size, p.low * size};
}

// From here on cosh and sinh are infinite.
constexpr float MOST_HYPERBOLIC = 89.5f;

DEVICE float cosh(float x) {
    float a = ::fabsf(x);
    Single quarter = quarter_of_exp(a > MOST_HYPERBOLIC ? MOST_HYPERBOLIC : a);
    return 2.0f * (quarter.high + ::fmaf(0.0625f, near_reciprocal(quarter.high), quarter.low));
}

DEVICE float sinh(float x) {
    float a = ::fabsf(x);
    if (a < 1.0f) {
        float square = x * x;
        float p = 0x1.756c1ep-19f;  // (sinh(x)/x - 1) / x^2 but for 2^-31
        p = ::fmaf(p, square, 0x1.a022bcp-13f);
        p = ::fmaf(p, square, 0x1.1110ep-7f);
        p = ::fmaf(p, square, 0x1.555556p-3f);
        return ::fmaf(x * square, p, x);
    }
    Single quarter = quarter_of_exp(a > MOST_HYPERBOLIC ? MOST_HYPERBOLIC : a);
    float rest = ::fmaf(-0.0625f, near_reciprocal(quarter.high), quarter.low);
    return copysign_(2.0f * (quarter.high + rest), x);
}

// --- logarithms ----------------------------------------------------------------------------------

struct Logarithm {
    Single rest;  // log(x) = exponent log(2) + rest
    float exponent;
};

// The exponent of the power of two to which a positive number that is not subnormal is next.
DEVICE int nearest_exponent(float x) { return int(bits_of(x) - 0x3f3504f3u) >> 23; }

// (log(1 + f) - f + f^2/2) / f^3 for 1 + f from sqrt(1/2) to sqrt(2), but for 2^-30 of log(1 + f).
DEVICE float rest_of_log1p(float f) {
    float p = 0x1.16a6dp-4f;
    p = ::fmaf(p, f, -0x1.e02078p-4f);
    p = ::fmaf(p, f, 0x1.e6d192p-4f);
    p = ::fmaf(p, f, -0x1.fbbf4p-4f);
    p = ::fmaf(p, f, 0x1.23331ap-3f);
    p = ::fmaf(p, f, -0x1.555fbep-3f);
    p = ::fmaf(p, f, 0x1.99a524p-3f);
    p = ::fmaf(p, f, -0x1.fffff8p-3f);
    p = ::fmaf(p, f, 0x1.555546p-2f);
    return p;
}

// log(1 + f) for such f, to 30 bits.
DEVICE Single log1p_of_small(float f) {
    Single square = two_product(f, f), sum = fast_two_sum(f, -0.5f * square.high);
    return {sum.high,
            sum.low + ::fmaf(f * square.high, rest_of_log1p(f), -0.5f * square.low)};
}

// The rest has 30 bits, also next to 1.
DEVICE Logarithm logarithm(Single x) {  // less than 2^127
    int exponent = nearest_exponent(x.high);
    float m = from_bits(bits_of(x.high) - (uint32(exponent) << 23));
    Single f = fast_two_sum(m - 1.0f, x.low * from_bits(uint32(127 - exponent) << 23));
    Single rest = log1p_of_small(f.high);
    rest.low = ::fmaf(f.low, 1.0f - f.high + f.high * f.high, rest.low);
    return {rest, float(exponent)};
}

// The sum of both parts, as a pair.
DEVICE Single whole(Logarithm log_) {
    float first = log_.exponent * 0x1.62e4p-1f;  // exact
    Single sum = fast_two_sum(first, log_.rest.high);
    return {sum.high, sum.low + ::fmaf(log_.exponent, 0x1.7f7d1cp-20f, log_.rest.low)};
}

DEVICE float log10(float x) {
    bool is_small = x < 0x1p-126f;
    if (!(x < infinity<float>() && x > 0.0f)) {
        return x == 0.0f ? -infinity<float>() : x > 0.0f ? x : nan_of<float>();
    }
    if (is_small) x *= 0x1p+23f;
    int exponent = nearest_exponent(x);
    float f = from_bits(bits_of(x) - (uint32(exponent) << 23)) - 1.0f;
    float n = float(is_small ? exponent - 23 : exponent);
    float p = -0x1.1081fap-5f;  // (log10(1 + f) - f log10(e)) / f^2 but for 2^-27
    p = ::fmaf(p, f, 0x1.cd0bd2p-5f);
    p = ::fmaf(p, f, -0x1.d79538p-5f);
    p = ::fmaf(p, f, 0x1.f84baap-5f);
    p = ::fmaf(p, f, -0x1.276a2cp-4f);
    p = ::fmaf(p, f, 0x1.63d06ap-4f);
    p = ::fmaf(p, f, -0x1.bcbf52p-4f);
    p = ::fmaf(p, f, 0x1.287a70p-3f);
    p = ::fmaf(p, f, -0x1.bcb7aap-3f);
    float rest = ::fmaf(f, -0x1.5b235ep-27f, f * f * p);
    rest = ::fmaf(n, -0x1.ec10cp-27f, rest);
    return ::fmaf(n, 0x1.344136p-2f, ::fmaf(f, 0x1.bcb7b2p-2f, rest));
}

// log(1 + s) + log(2) for each of ``more``, for s >= 0 that is not infinite.
DEVICE float log1p_of_pair(Single s, float more) {
    uint32 bits = (bits_of(1.0f + s.high) - 0x3f3504f3u) & 0xff800000u;
    float scale = from_bits(0x3f800000u - bits), n = float(int(bits)) * 0x1p-23f + more;
    float f = ::fmaf(s.high, scale, scale - 1.0f), f_low = s.low * scale;
    float p = ::fmaf(rest_of_log1p(f), f, -0.5f);
    float rest = ::fmaf(f * f, p, ::fmaf(-f, f_low, f_low));
    return ::fmaf(n, 0x1.62e43p-1f, f + ::fmaf(n, -0x1.05c61p-29f, rest));
}

// log1p(t + sqrt(t^2 + 2t)) for t = x - 1; log(2x) where the square may be infinite.
DEVICE float acosh(float x) {
    if (!(x >= 1.0f)) return nan_of<float>();
    if (x == infinity<float>()) return x;
    bool is_large = x > 0x1p+60f;
    float t = x - 1.0f;
    float square = larger_of(::fmaf(t, t, 2.0f * t), 0x1p-126f);
    float inverse = near_inverse_root(square);
    float root = square * inverse;
    root = ::fmaf(0.5f * inverse, ::fmaf(-root, root, square), root);
    if (t == 0.0f) return 0.0f;
    Single sum = fast_two_sum(root, t);
    if (is_large) sum = {0.25f * x, 0.0f};
    return log1p_of_pair(sum, is_large ? 3.0f : 0.0f);
}

// log1p(2a / (1 - a)) / 2.
DEVICE float atanh(float x) {
    float a = ::fabsf(x);
    if (!(a < 1.0f)) return a == 1.0f ? copysign_(infinity<float>(), x) : nan_of<float>();
    Single below = fast_two_sum(1.0f, -a);
    float inverse = near_reciprocal(below.high);
    float quotient = 2.0f * a * inverse;
    float rest = ::fmaf(-quotient, below.low, ::fmaf(-quotient, below.high, 2.0f * a));
    return copysign_(0.5f * log1p_of_pair({quotient, rest * inverse}, 0.0f), x);
}

// --- powers --------------------------------------------------------------------------------------

// log2 of a positive number, by 2 atanh(s) for s = (m - 1)/(m + 1). The result has 35 bits.
DEVICE Single log2_pair(float x) {
    bool is_small = x < 0x1p-126f;
    if (is_small) x *= 0x1p+23f;
    int exponent = nearest_exponent(x);
    float f = from_bits(bits_of(x) - (uint32(exponent) << 23)) - 1.0f;
    Single sum = fast_two_sum(2.0f, f);
    float inverse = near_reciprocal(sum.high);
    float s = f * inverse;
    float s_low = (::fmaf(-s, sum.high, f) - s * sum.low) * inverse;
    Single square = two_product(s, s);
    square.low = ::fmaf(s + s, s_low, square.low);
    float p = 0x1.dfd25ep-4f;  // atanh(s)/s = 1 + s^2/3 + s^4 p(s^2) but for 2^-36
    p = ::fmaf(p, square.high, 0x1.245192p-3f);
    p = ::fmaf(p, square.high, 0x1.999a02p-3f);
    Single factor = fast_two_sum(0x1.555556p-2f, p * square.high);
    factor.low -= 0x1.555556p-27f;
    Single tail = square * factor * Single{s, s_low};
    sum = fast_two_sum(s, tail.high);
    sum.low += tail.low + s_low;
    Single product = sum * Single{0x1.715476p+1f, 0x1.4ae0cp-25f};
    sum = fast_two_sum(float(is_small ? exponent - 23 : exponent), product.high);
    return {sum.high, sum.low + product.low};
}

// x^y for finite numbers, x > 0.
DEVICE float power_of_positive(float x, float y) {
    Single log_ = log2_pair(x);
    Single z = two_product(log_.high, y);
    z.low = ::fmaf(log_.low, y, z.low);
    if (!(::fabsf(z.high) < 160.0f)) return z.high > 0.0f ? infinity<float>() : 0.0f;
    float shifted = z.high + SHIFT, n = shifted - SHIFT;
    Single r = two_sum(z.high - n, z.low) * Single{0x1.62e43p-1f, -0x1.05c61p-29f};
    Single p = significand({expm1_of_small(r), shifted});
    int whole_ = int(n), half = whole_ >> 1;  // twice, as 2^128 and 2^-150 are no numbers
    return (p.high + p.low) * from_bits(uint32(half + 127) << 23)
         * from_bits(uint32(whole_ - half + 127) << 23);
}

NOT_INLINED float pow_of_any(float x, float y) {
    if (y == 2.0f) return x * x;  // rounded once
    if (x == 1.0f || y == 0.0f) return 1.0f;
    if (isnan_(x) || isnan_(y)) return nan_of<float>();
    float a = ::fabsf(x), half = 0.5f * y, size;
    bool is_integer = ::truncf(y) == y, is_odd = is_integer && ::truncf(half) != half;
    if (isinf_(y)) {
        size = a == 1.0f ? 1.0f : (a > 1.0f) == (y > 0.0f) ? infinity<float>() : 0.0f;
    } else if (a == 0.0f || isinf_(x)) {
        size = (a == 0.0f) == (y < 0.0f) ? infinity<float>() : 0.0f;
    } else {
        if (x < 0.0f && !is_integer) return nan_of<float>();
        size = power_of_positive(a, y);
    }
    return is_odd && signbit_(x) ? -size : size;
}

// log2 of a positive number that is not subnormal, by log2(c) + 2 atanh((m - c)/(m + c)) / log(2) for
// the nearest c to m of about 2^(-1/3), 1 and 2^(1/3). The result has 31 bits.
DEVICE Single near_log2(float x) {
    int exponent = nearest_exponent(x);
    float m = from_bits(bits_of(x) - (uint32(exponent) << 23));
    bool is_low = m < 0x1.c8p-1f, is_high = m > 0x1.1f8p+0f;
    float c = is_low ? 0x1.965fe8p-1f : is_high ? 0x1.428a3p+0f : 1.0f;
    float log_c = is_low ? -0x1.5554p-2f : is_high ? 0x1.5554p-2f : 0.0f;
    float log_c_low = is_low ? -0x1.5dcb6ep-18f : is_high ? 0x1.572dd4p-18f : 0.0f;
    float f = m - c;  // exact
    Single sum = fast_two_sum(c + c, f);
    float inverse = near_reciprocal(sum.high);
    float s = f * inverse;
    float s_low = ::fmaf(-s, sum.low, ::fmaf(-s, sum.high, f)) * inverse;
    float square = s * s;
    float p = ::fmaf(0x1.287898p-1f, square, 0x1.ec7058p-1f);
    float head = s * 0x1.715476p+1f;
    float low = ::fmaf(s, 0x1.715476p+1f, -head);
    low += ::fmaf(s, 0x1.4ae0cp-25f, ::fmaf(s_low, 0x1.715476p+1f, ::fmaf(s * square, p, log_c_low)));
    Single log_ = fast_two_sum(float(exponent) + log_c, head);
    return {log_.high, log_.low + low};
}

// In few steps where neither operand is extreme and the result is not, either.
DEVICE float pow(float x, float y) {
    float a = ::fabsf(x);
    Single log_ = near_log2(a);
    float z = log_.high * y;
    float z_low = ::fmaf(log_.low, y, ::fmaf(log_.high, y, -z));
    float shifted = (z + z_low) + SHIFT, rest = z - (shifted - SHIFT);
    float r = rest + z_low, r_low = (rest - r) + z_low;
    float p = 0x1.414df4p-13f;  // (2^r - 1 - r log(2)) / r^2 but for 3e-9 of 2^r
    p = ::fmaf(p, r, 0x1.5f049ep-10f);
    p = ::fmaf(p, r, 0x1.3b2e0ep-7f);
    p = ::fmaf(p, r, 0x1.c6af86p-5f);
    p = ::fmaf(p, r, 0x1.ebfbdcp-3f);
    float sum = ::fmaf(r, 0x1.62e43p-1f, 1.0f);
    float low = ::fmaf(r, 0x1.62e43p-1f, 1.0f - sum);
    low += ::fmaf(r * r, p, r_low * 0x1.62e43p-1f);
    float size = (sum + low) * power_of_two(shifted);
    // A negative number's power is real for integers, and has its sign for those that are odd.
    float whole_ = y + SHIFT;
    uint32 sign = bits_of(whole_) << 31 & bits_of(x);
    bool is_real = (x > 0.0f) | ((whole_ - SHIFT == y) & (::fabsf(y) < 0x1p+21f));
    bool is_moderate = (a >= 0x1p-126f) & (a < infinity<float>()) & (::fabsf(z) < 125.0f);
    if (!(is_real & is_moderate)) return pow_of_any(x, y);
    return y == 2.0f ? x * x : from_bits(bits_of(size) ^ sign);
}

// --- sums of exponentials ------------------------------------------------------------------------

// larger + log1p(exp(smaller - larger)) for finite numbers where nothing cancels and the larger is
// not so small that e^-87 counts.
DEVICE float plain_log_of_sum(float larger, float smaller) {
    Single difference = two_sum(smaller, -larger);
    if (difference.high < -87.0f) difference = {-87.0f, 0.0f};
    float shifted = ::fmaf(difference.high, 0x1.715476p+0f, SHIFT), n = shifted - SHIFT;
    float r = ::fmaf(n, -0x1.62e4p-1f, difference.high);
    r = ::fmaf(n, -0x1.7f7d1cp-20f, r);
    Single e = fast_two_sum(1.0f, ::fmaf(rest_of_exp(r), r * r, r));
    float size = power_of_two(shifted);
    e.low = ::fmaf(e.high, difference.low, e.low);
    return larger + log1p_of_pair({e.high * size, e.low * size}, 0.0f);
}

// larger + log1p(exp(smaller - larger)) for finite numbers; the error is 2^-30 at most where the
// terms cancel.
DEVICE float log_of_sum(float larger, float smaller) {
    Single difference = two_sum(smaller, -larger);
    if (difference.high < -80.0f) return larger;
    Power power = power_of_e(difference.high);
    Single p = significand(power);
    float size = power_of_two(power.shifted);
    Single e = {p.high * size, size * ::fmaf(p.high, difference.low, p.low)};
    Single sum = two_sum(1.0f, e.high);
    Single log_ = whole(logarithm({sum.high, sum.low + e.low}));
    sum = two_sum(larger, log_.high);
    return sum.high + (sum.low + log_.low);
}

}  // namespace numr
