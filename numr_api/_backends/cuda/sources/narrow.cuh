// Floating-point numbers of 16 and 8 bits. They are kept as bits, and computed with as float32,
// which holds all of them; a result is rounded once, to the nearest, ties to even.
#pragma once
#include "types.cuh"

namespace numr {

// How numbers are laid out: a sign, the exponent, the fraction. Without an infinity, the largest
// exponent is that of numbers, too, and only all bits that are one mean NaN.
template <typename Bits_, int exponent_bits, int fraction_bits, bool has_infinity> struct Format {
    using Bits = Bits_;
    static constexpr int bias = (1 << (exponent_bits - 1)) - 1;
    static constexpr int fraction = fraction_bits;
    static constexpr uint32 top = uint32(1) << (exponent_bits + fraction_bits);  // the sign
    static constexpr uint32 nan = has_infinity ? top - (1u << (fraction_bits - 1)) : top - 1;
    // What is not less means an infinity, or NaN where there is none.
    static constexpr uint32 overflow =
        has_infinity ? top - (1u << fraction_bits) : top - 1;
    static constexpr bool infinite = has_infinity;
};

struct float16;
struct bfloat16;
struct float8_e4m3fn;
struct float8_e5m2;

template <typename T> constexpr bool is_narrow = false;
template <> constexpr bool is_narrow<float16> = true;
template <> constexpr bool is_narrow<bfloat16> = true;
template <> constexpr bool is_narrow<float8_e4m3fn> = true;
template <> constexpr bool is_narrow<float8_e5m2> = true;

template <typename T> DEVICE float widened(T x);

struct float16 : Format<uint16, 5, 10, true> {
    Bits bits;
    DEVICE operator float() const;
};
struct bfloat16 : Format<uint16, 8, 7, true> {
    Bits bits;
    DEVICE operator float() const;
};
struct float8_e4m3fn : Format<uint8, 4, 3, false> {
    Bits bits;
    DEVICE operator float() const;
};
struct float8_e5m2 : Format<uint8, 5, 2, true> {
    Bits bits;
    DEVICE operator float() const;
};

// What numbers of a type are computed in.
template <typename T> using Computed = choice<is_narrow<T>, float, T>;

template <typename T> DEVICE T narrow_of(uint32 bits) {
    T result;
    result.bits = typename T::Bits(bits);
    return result;
}

// --- to float32 ----------------------------------------------------------------------------------

// By integers, for all formats. A power of two corrects the exponent, also of subnormal numbers.
template <typename T> DEVICE float widened_by_bits(T x) {
    const uint32 size = x.bits & (T::top - 1), sign = uint32(x.bits & T::top) != 0 ? 1u << 31 : 0;
    if (size >= T::overflow) {
        const bool is_infinity = T::infinite && size == T::overflow;
        return from_bits(sign | (is_infinity ? 0x7f800000u : 0x7fc00000u));
    }
    const float scale = from_bits(uint32(127 + 127 - T::bias) << 23);
    return from_bits(sign | bits_of(from_bits(size << (23 - T::fraction)) * scale));
}

template <typename T> DEVICE float widened(T x) { return widened_by_bits(x); }
template <> DEVICE float widened(bfloat16 x) { return from_bits(uint32(x.bits) << 16); }
#ifdef __CUDACC__
template <> DEVICE float widened(float16 x) {
    float result;
    asm("cvt.f32.f16 %0, %1;" : "=f"(result) : "h"(x.bits));
    return result;
}
#endif

DEVICE float16::operator float() const { return widened(*this); }
DEVICE bfloat16::operator float() const { return widened(*this); }
DEVICE float8_e4m3fn::operator float() const { return widened(*this); }
DEVICE float8_e5m2::operator float() const { return widened(*this); }

// --- from float32 --------------------------------------------------------------------------------

template <typename T> DEVICE T rounded_by_bits(float x) {
    constexpr int lost = 23 - T::fraction;
    const uint32 sign = bits_of(x) >> 31 ? T::top : 0, size = bits_of(x) & 0x7fffffffu;
    if (size > 0x7f800000u) return narrow_of<T>(sign | T::nan);
    uint32 result;
    if (T::bias < 127 && size < uint32(127 + 1 - T::bias) << 23) {
        // Added to this number, a subnormal one is rounded to its last bit.
        const uint32 shift = uint32(127 + 1 - T::bias + lost) << 23;
        result = bits_of(from_bits(size) + from_bits(shift)) - shift;
    } else {
        const uint32 half = (1u << (lost - 1)) - 1 + (size >> lost & 1);
        result = ((size + half) >> lost) - (uint32(127 - T::bias) << T::fraction);
    }
    return narrow_of<T>(sign | (result < T::overflow ? result : T::overflow));
}

template <typename T> DEVICE T rounded(float x) { return rounded_by_bits<T>(x); }
#ifdef __CUDACC__
template <> DEVICE float16 rounded(float x) {
    float16 result;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(result.bits) : "f"(x));
    return result;
}
#if __CUDA_ARCH__ >= 800
template <> DEVICE bfloat16 rounded(float x) {
    bfloat16 result;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(result.bits) : "f"(x));
    return result;
}
#endif
#endif

// --- to float32 on the way to a narrower type ----------------------------------------------------

// What float32 does not hold gets an odd fraction, so that it is neither a number of a narrower
// type nor halfway between two, and rounding again has the effect of rounding once (S. Boldo,
// G. Melquiond, IEEE Transactions on Computers 57, 2008).
template <typename T> DEVICE float towards_zero(T x);
#ifdef __CUDACC__
template <> DEVICE float towards_zero(double x) { return __double2float_rz(x); }
template <> DEVICE float towards_zero(int64 x) { return __ll2float_rz(x); }
template <> DEVICE float towards_zero(uint64 x) { return __ull2float_rz(x); }
#else
template <typename T> float towards_zero(T x) {
    using Wide = long double;  // which holds all that is given
    const float nearest = float(x);
    const Wide found = nearest < 0 ? -Wide(nearest) : Wide(nearest);
    const Wide size = x < 0 ? -Wide(x) : Wide(x);
    return found > size ? from_bits(bits_of(nearest) - 1) : nearest;
}
#endif

DEVICE float rounded_to_odd(double x) {
    const float found = towards_zero(x);
    return from_bits(bits_of(found) | (double(found) != x));
}
DEVICE float rounded_to_odd(int64 x) {
    const float found = towards_zero(x);
    return from_bits(bits_of(found) | (int64(found) != x));
}
DEVICE float rounded_to_odd(uint64 x) {
    const float found = towards_zero(x);
    return from_bits(bits_of(found) | (uint64(found) != x));
}

// A real number of any other type.
template <typename T, typename From> DEVICE T narrowed(From x) {
    if constexpr (is_floating<From> && sizeof(From) == 8) {
        return rounded<T>(rounded_to_odd(x));
    } else if constexpr (is_floating<From> || sizeof(From) < 4) {
        return rounded<T>(float(x));
    } else if constexpr (is_signed<From>) {
        return rounded<T>(rounded_to_odd(int64(x)));
    } else {
        return rounded<T>(rounded_to_odd(uint64(x)));
    }
}

// --- what their own bits decide ------------------------------------------------------------------

template <typename T> DEVICE bool signbit_of(T x) { return x.bits & T::top; }

// The magnitude of the first with the sign of the second, NaN and zeros included.
template <typename T> DEVICE T with_sign(T x, T sign) {
    return narrow_of<T>((x.bits & (T::top - 1)) | (sign.bits & T::top));
}

// The neighbour of x on the way to y.
template <typename T> DEVICE T neighbour(T x, T y) {
    const float from = x, to = y;
    if (from != from || to != to) return narrow_of<T>(T::nan);
    if (from == to) return y;
    if (from == 0.0f) return with_sign(narrow_of<T>(1), y);
    return narrow_of<T>((from < to) == (from > 0.0f) ? x.bits + 1u : x.bits - 1u);
}

}  // namespace numr
