// What complex64's exponential functions are made of, by operations on floats alone: numbers as sums
// of two parts, so that the product of two of them is rounded once. The lower part may be a quarter of
// the number; what it lacks is as small as if it were not.
#pragma once
#include "single_circular.cuh"
#include "single_exponential.cuh"

namespace numr {

// The product of numbers of which none is 0, rounded.
DEVICE float rounded_product(Single x, Single y) {
    return ::fmaf(x.high, y.high, ::fmaf(x.high, y.low, x.low * (y.high + y.low)));
}
// The same of any numbers; zeros have the product of the signs.
DEVICE float signed_product(Single x, Single y) {
    float product = x.high * y.high;
    return product == 0.0f ? product : rounded_product(x, y);
}

// --- circular functions --------------------------------------------------------------------------

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

DEVICE Direction direction_of(Turn turn) {
    float x = turn.rest.high, square = x * x;
    float p = -0x1.9953fep-13f;  // (sin(x)/x - 1) / x^2 but for 2^-28
    p = ::fmaf(p, square, 0x1.110778p-7f);
    p = ::fmaf(p, square, -0x1.555546p-3f);
    Single sine = {x, ::fmaf(x * square, p, turn.rest.low)};
    p = 0x1.99e816p-16f;  // (cos(x) - 1 + x^2/2) / x^4 but for 2^-33
    p = ::fmaf(p, square, -0x1.6c0c28p-10f);
    p = ::fmaf(p, square, 0x1.55554ap-5f);
    float c = ::fmaf(-0.5f, square, 1.0f);
    float c_low = ::fmaf(-x, turn.rest.low, ::fmaf(-0.5f, square, 1.0f - c));
    Single cosine = {c, ::fmaf(square * square, p, c_low)};
    bool is_across = turn.quarters & 1u;
    return {is_across ? sine : cosine, is_across ? cosine : sine, turn.quarters};
}

// For |angle| < 1600, so that the multiples of the second part of pi/2, which has 14 bits, are exact.
// The rest of -0 is -0.
DEVICE Turn turn_of_small(float angle) {
    float shifted = ::fmaf(angle, 0x1.45f306p-1f, SHIFT);
    float n = shifted - SHIFT;
    float part = ::fmaf(n, -0x1.921fb4p+0f, angle);  // exact, too
    float x = ::fmaf(n, -0x1.4440000000000p-24f, part);
    float low = ::fmaf(n, -0x1.68c2340000000p-39f, ::fmaf(n, -0x1.4440000000000p-24f, part - x));
    return {{x, low}, bits_of(shifted)};
}

// --- exponential functions -----------------------------------------------------------------------

struct Reduced {
    Single rest;     // x = n log(2) + rest
    uint32 shifted;  // the bits of n + SHIFT
};

// For |x| < 1000.
DEVICE Reduced reduced(float x) {
    float shifted = ::fmaf(x, 0x1.715476p+0f, SHIFT);
    float n = shifted - SHIFT;
    float part = ::fmaf(n, -0x1.62e4p-1f, x);  // exact, as the factor has 15 bits
    float r = ::fmaf(n, -0x1.7f7d1cp-20f, part);
    return {{r, ::fmaf(n, -0x1.7f7d1cp-20f, part - r)}, bits_of(shifted)};
}

// 2^(n + change), and 2^(change - n).
DEVICE float power(Reduced x, int change) {
    return from_bits((x.shifted << 23) + (uint32(change + 127) << 23));
}
DEVICE float inverse_power(Reduced x, int change) {
    return from_bits((uint32(change + 127) << 23) - (x.shifted << 23));
}

// e^rest.
DEVICE Single exp_of_rest(Single rest) {
    float r = rest.high;
    Single sum = fast_two_sum(1.0f, r);
    return {sum.high, sum.low + ::fmaf(r * r, rest_of_exp(r), rest.low)};
}

DEVICE Single scaled(Single x, float factor) { return {x.high * factor, x.low * factor}; }

struct Hyperbolic {
    Single cosh, sinh;
};

// For 0 <= x < 87, by those of the rest r and of n log(2): (2^n + 2^-n)/2 cosh(r) + (2^n - 2^-n)/2
// sinh(r) and the like.
DEVICE Hyperbolic hyperbolic(float x) {
    Reduced parts = reduced(x);
    float up = power(parts, -1), down = inverse_power(parts, -1);
    float even = up + down, odd = up - down;
    float r = parts.rest.high, square = r * r;
    float p = ::fmaf(0x1.6d4f3cp-10f, square, 0x1.5554e6p-5f);
    float c = square * ::fmaf(p, square, 0.5f);  // cosh(r) - 1 but for 2^-33
    p = 0x1.a2e312p-13f;  // (sinh(r)/r - 1) / r^2 but for 2^-34
    p = ::fmaf(p, square, 0x1.110fbep-7f);
    p = ::fmaf(p, square, 0x1.555556p-3f);
    float s = ::fmaf(r * square, p, parts.rest.low);
    float cosh = ::fmaf(odd, r, even), sinh = ::fmaf(even, r, odd);
    float cosh_low = ::fmaf(odd, r, (up - cosh) + down), sinh_low = ::fmaf(even, r, odd - sinh);
    return {{cosh, ::fmaf(even, c, ::fmaf(odd, s, cosh_low))},
            {sinh, ::fmaf(even, s, ::fmaf(odd, c, sinh_low))}};
}

}  // namespace numr
