// Circular functions of float by operations on floats alone; see single_exponential.cuh.
#pragma once
#include "pairs.cuh"

namespace numr {

constexpr Single PI_SINGLE = {0x1.921fb6p+1f, -0x1.777a5cp-24f};
constexpr Single HALF_PI_SINGLE = {0x1.921fb6p+0f, -0x1.777a5cp-25f};

struct Turn {
    Single rest;      // x = quarters pi/2 + rest
    uint32 quarters;  // modulo 4
};

// Bits of 2/pi after 32 zeros.
CONSTANT uint32 TWO_OVER_PI[8] = {0x00000000u, 0xa2f9836eu, 0x4e441529u, 0xfc2757d1u,
                                  0xf534ddc0u, 0xdb629599u, 0x3c439041u, 0xfe5163abu};

// For 2^15 <= x: M. H. Payne and R. N. Hanek, Radian reduction for trigonometric functions, SIGNUM
// Newsletter 18 (1983). Of x 2/pi only the bits from 2 on are formed, which are 96.
DEVICE Turn turn_of_large(float x) {
    uint32 bits = bits_of(x);
    uint32 from = (bits >> 23) - 120u, word = from >> 5, shift = from & 31u;
    uint64 significand_ = (bits & 0x7fffffu) | 0x800000u;
    uint32 window[3];
    for (int i = 0; i < 3; ++i) {
        uint64 two = uint64(TWO_OVER_PI[word + i]) << 32 | TWO_OVER_PI[word + i + 1];
        window[i] = uint32(two << shift >> 32);
    }
    uint64 low = significand_ * window[2];
    uint64 high = (significand_ * window[0] << 32) + significand_ * window[1] + (low >> 32);
    uint32 quarters = uint32((high >> 61) + 1) >> 1;
    int64 rest = int64(high << 2 | (low >> 30 & 3u)) >> 2;  // of a quarter, in 2^-62
    float first = float(rest);
    float second = float(rest - int64(first));
    Single scaled = Single{first, second} * HALF_PI_SINGLE;
    return {{scaled.high * 0x1p-62f, scaled.low * 0x1p-62f}, quarters};
}

DEVICE Turn turn(float x) {
    float a = ::fabsf(x);
    if (!(a < 0x1p+15f)) {
        if (!isfinite_(x)) return {{nan_of<float>(), 0.0f}, 0u};
        Turn found = turn_of_large(a);
        return signbit_(x) ? Turn{-found.rest, 0u - found.quarters} : found;
    }
    float shifted = ::fmaf(x, 0x1.45f306p-1f, SHIFT);
    float n = shifted - SHIFT;
    float part = ::fmaf(n, -0x1.921fb4p+0f, x);  // exact
    float second = n * 0x1.4442d2p-24f;
    float rest = part - second;
    float lost = ::fmaf(n, -0x1.4442d2p-24f, second) + ((part - rest) - second);
    return {{rest, ::fmaf(n, 0x1.ee59dap-50f, lost)}, bits_of(shifted)};
}

DEVICE float tan(float x) {
    Turn t = turn(x);
    float r = t.rest.high, square = r * r;
    float p = 0x1.17ea78p-9f;  // (tan(x)/x - 1) / x^2 but for 2^-32
    p = ::fmaf(p, square, -0x1.ab34e8p-11f);
    p = ::fmaf(p, square, 0x1.549cdep-8f);
    p = ::fmaf(p, square, 0x1.0dc6f8p-7f);
    p = ::fmaf(p, square, 0x1.689eb8p-6f);
    p = ::fmaf(p, square, 0x1.b9f78ap-5f);
    p = ::fmaf(p, square, 0x1.111198p-3f);
    p = ::fmaf(p, square, 0x1.555554p-2f);
    Single factor = two_product(square, p);
    factor.low = ::fmaf(::fmaf(r, r, -square), p, factor.low);
    Single tangent = fast_two_sum(r, ::fmaf(r, factor.high, ::fmaf(r, factor.low, t.rest.low)));
    if (x == 0.0f) return x;  // the rest of -0 is +0
    if (!(t.quarters & 1u)) return tangent.high + tangent.low;
    float inverse = -near_reciprocal(tangent.high);
    float rest = ::fmaf(inverse, tangent.low, ::fmaf(inverse, tangent.high, 1.0f));
    return ::fmaf(inverse, rest, inverse);
}

// --- inverse circular functions ------------------------------------------------------------------

DEVICE float atan2(float y, float x) {
    float a = ::fabsf(x), b = ::fabsf(y);
    if (isnan_(x) || isnan_(y)) return nan_of<float>();
    bool is_steep = b > a;
    float quotient = is_steep ? a / b : b / a;
    if (a == b) quotient = a == 0.0f ? 0.0f : 1.0f;
    float square = quotient * quotient;
    float p = -0x1.d4984ap-10f;  // (atan(x)/x - 1) / x^2 but for 2^-28
    p = ::fmaf(p, square, 0x1.64c1cep-7f);
    p = ::fmaf(p, square, -0x1.fdfc1cp-6f);
    p = ::fmaf(p, square, 0x1.da5ed4p-5f);
    p = ::fmaf(p, square, -0x1.58155ep-4f);
    p = ::fmaf(p, square, 0x1.c08f64p-4f);
    p = ::fmaf(p, square, -0x1.2420b6p-3f);
    p = ::fmaf(p, square, 0x1.9991e6p-3f);
    p = ::fmaf(p, square, -0x1.55553ep-2f);
    float angle = ::fmaf(quotient * square, p, quotient);
    if (is_steep) {
        Single rest = fast_two_sum(HALF_PI_SINGLE.high, -angle);
        angle = rest.high + (rest.low + HALF_PI_SINGLE.low);
    }
    if (signbit_(x)) {
        Single rest = fast_two_sum(PI_SINGLE.high, -angle);
        angle = rest.high + (rest.low + PI_SINGLE.low);
    }
    return copysign_(angle, y);
}

}  // namespace numr
