// What complex64's exponential functions are made of, by operations on floats alone: numbers as sums
// of two parts, so that the product of two of them is rounded once. The lower part may be a quarter of
// the number; what it lacks is as small as if it were not.
#pragma once
#include "single_circular.cuh"
#include "single_exponential.cuh"

namespace numr {

// The product, rounded; it has the sign of what is rounded to zero.
DEVICE float rounded_product(Single x, Single y) {
    float product = x.high * y.high;
    float rest = ::fmaf(x.high, y.low, x.low * (y.high + y.low));
    return product == 0.0f ? product : ::fmaf(x.high, y.high, rest);
}

// An angle's cosine and sine but for their signs.
struct Direction {
    Single cosine, sine;
    uint32 quarters;  // of a turn, of which only the last two bits count
};

// The product of x and the sign of a cosine or sine.
DEVICE float signed_by_cosine(float x, Direction d) {
    return from_bits(bits_of(x) ^ ((d.quarters + 1u) << 30 & 0x80000000u));
}
DEVICE float signed_by_sine(float x, Direction d) {
    return from_bits(bits_of(x) ^ (d.quarters << 30 & 0x80000000u));
}
// The product of x and the sign of y.
DEVICE float signed_by(float x, float y) {
    return from_bits(bits_of(x) ^ (bits_of(y) & 0x80000000u));
}

// For |angle| < 2^15. The sine of -0 is -0.
DEVICE Direction direction_of(float angle) {
    float shifted = ::fmaf(angle, 0x1.45f306p-1f, SHIFT);
    float n = shifted - SHIFT;
    float part = ::fmaf(n, -0x1.921fb4p+0f, angle);  // exact
    float second = n * 0x1.4442d2p-24f;
    float x = part - second;
    float lost = ::fmaf(n, -0x1.4442d2p-24f, second) + ((part - x) - second);
    float x_low = ::fmaf(n, 0x1.ee59dap-50f, lost);
    float square = x * x;
    float p = -0x1.9953fep-13f;  // (sin(x)/x - 1) / x^2 but for 2^-28
    p = ::fmaf(p, square, 0x1.110778p-7f);
    p = ::fmaf(p, square, -0x1.555546p-3f);
    Single sine = {x, ::fmaf(x * square, p, x_low)};
    p = 0x1.99e816p-16f;  // (cos(x) - 1 + x^2/2) / x^4 but for 2^-33
    p = ::fmaf(p, square, -0x1.6c0c28p-10f);
    p = ::fmaf(p, square, 0x1.55554ap-5f);
    float c = ::fmaf(-0.5f, square, 1.0f);
    float c_low = ::fmaf(-x, x_low, ::fmaf(-0.5f, square, 1.0f - c));
    Single cosine = {c, ::fmaf(square * square, p, c_low)};
    uint32 quarters = bits_of(shifted);
    bool is_across = quarters & 1u;
    return {is_across ? sine : cosine, is_across ? cosine : sine, quarters};
}

// e^x for |x| < 72, or half of it.
DEVICE Single parts_of_exp(float x, bool is_half) {
    float shifted = ::fmaf(x, 0x1.715476p+0f, SHIFT);
    float n = shifted - SHIFT;
    float part = ::fmaf(n, -0x1.63p-1f, x);  // exact, as the factor has 9 bits
    float r = ::fmaf(n, 0x1.bd0106p-13f, part);
    float r_low = ::fmaf(n, 0x1.bd0106p-13f, part - r);
    float p = 0x1.6a2352p-10f;  // (e^r - 1 - r) / r^2 but for 3e-9 of e^r
    p = ::fmaf(p, r, 0x1.123a6cp-7f);
    p = ::fmaf(p, r, 0x1.5558f4p-5f);
    p = ::fmaf(p, r, 0x1.55549p-3f);
    p = ::fmaf(p, r, 0x1.fffffcp-2f);
    Single sum = fast_two_sum(1.0f, r);
    float size = from_bits((bits_of(shifted) << 23) + (is_half ? 0x3f000000u : 0x3f800000u));
    return {sum.high * size, (sum.low + ::fmaf(r * r, p, r_low)) * size};
}

struct Hyperbolic {
    Single cosh, sinh;
};

// For 0 <= x < 72.
DEVICE Hyperbolic hyperbolic(float x) {
    Single half = parts_of_exp(x, true);
    half = fast_two_sum(half.high, half.low);
    float inverse = near_reciprocal(half.high);
    float rest = ::fmaf(-inverse, half.low, ::fmaf(-inverse, half.high, 1.0f));
    inverse *= 0.25f;  // e^-x / 2 = inverse (1 + rest)
    Single cosh = fast_two_sum(half.high, inverse), sinh = fast_two_sum(half.high, -inverse);
    cosh.low += ::fmaf(inverse, rest, half.low);
    sinh.low += ::fmaf(-inverse, rest, half.low);
    float square = x * x;
    float p = 0x1.756c1ep-19f;  // (sinh(x)/x - 1) / x^2 but for 2^-31
    p = ::fmaf(p, square, 0x1.a022bcp-13f);
    p = ::fmaf(p, square, 0x1.1110ep-7f);
    p = ::fmaf(p, square, 0x1.555556p-3f);
    float tail = x * square * p;
    bool is_small = x < 1.0f;
    return {cosh, {is_small ? x : sinh.high, is_small ? tail : sinh.low}};
}

}  // namespace numr
