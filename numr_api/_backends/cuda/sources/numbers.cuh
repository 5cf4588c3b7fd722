// What all kernels share: tests of floating-point numbers, integer rules, conversions.
#pragma once
#include "narrow.cuh"

namespace numr {

template <typename F> constexpr int highest_bit = sizeof(F) * 8 - 1;

template <typename F> DEVICE F infinity();
template <> DEVICE float infinity<float>() { return from_bits(0x7f800000u); }
template <> DEVICE double infinity<double>() { return from_bits(0x7ff0000000000000ull); }

template <typename F> DEVICE F nan_of();
template <> DEVICE float nan_of<float>() { return from_bits(0x7fc00000u); }
template <> DEVICE double nan_of<double>() { return from_bits(0x7ff8000000000000ull); }

template <typename F> DEVICE bool isnan_(F x) { return x != x; }
template <typename F> DEVICE bool isinf_(F x) { return x == infinity<F>() || x == -infinity<F>(); }
template <typename F> DEVICE bool isfinite_(F x) { return x - x == F(0); }
template <typename F> DEVICE bool signbit_(F x) {
    if constexpr (is_narrow<F>) {
        return signbit_of(x);
    } else {
        return bits_of(x) >> highest_bit<F>;
    }
}

// The highest bit of each byte that is not 0.
[[maybe_unused]] constexpr uint32 TOPS = 0x80808080u;
DEVICE uint32 true_bytes(uint32 word) { return (((word & ~TOPS) + ~TOPS) | word) & TOPS; }

// The magnitude of the first with the sign of the second, NaN and zeros included.
template <typename F> DEVICE F copysign_(F x, F sign) {
    if constexpr (is_narrow<F>) {
        return with_sign(x, sign);
    } else {
        auto top = decltype(bits_of(x))(1) << highest_bit<F>;
        return from_bits((bits_of(x) & ~top) | (bits_of(sign) & top));
    }
}

// The neighbour of x on the way to y.
template <typename F> DEVICE F nextafter_(F x, F y) {
    if constexpr (is_narrow<F>) {
        return neighbour(x, y);
    } else {
        using Bits = decltype(bits_of(x));
        if (isnan_(x) || isnan_(y)) return nan_of<F>();
        if (x == y) return y;
        if (x == F(0)) return copysign_(from_bits(Bits(1)), y);
        return from_bits((x < y) == (x > F(0)) ? bits_of(x) + 1 : bits_of(x) - 1);
    }
}

// About 1/x, off by 2^-23 of it at most, for 2^-126 <= |x| <= 2^126.
#ifdef __CUDACC__
DEVICE float near_reciprocal(float x) {
    float result;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
    return result;
}
#else
inline float near_reciprocal(float x) { return 1.0f / x; }
#endif

// --- integers ------------------------------------------------------------------------------------

template <typename T> DEVICE T added(T x, T y) { return T(Wrapping<T>(x) + Wrapping<T>(y)); }
template <typename T> DEVICE T subtracted(T x, T y) { return T(Wrapping<T>(x) - Wrapping<T>(y)); }
template <typename T> DEVICE T multiplied(T x, T y) { return T(Wrapping<T>(x) * Wrapping<T>(y)); }
template <typename T> DEVICE T negated(T x) { return T(Wrapping<T>(0) - Wrapping<T>(x)); }

// The most negative number gives itself, as it does in NumPy.
template <typename T> DEVICE T magnitude(T x) { return is_signed<T> && x < T(0) ? negated(x) : x; }

template <typename T> DEVICE T sign_of_integer(T x) { return T((x > T(0)) - (is_signed<T> && x < T(0))); }

// Rounds down, as in Python. Division by zero gives 0, and the most negative number by -1 itself.
template <typename T> DEVICE T floor_divided(T x, T y) {
    if (y == T(0)) return T(0);
    if (is_signed<T> && y == T(-1)) return negated(x);
    T quotient = T(x / y);
    bool down = is_signed<T> && T(quotient * y) != x && (x < T(0)) != (y < T(0));
    return T(quotient - down);
}

// Has the sign of the divisor; 0 by zero.
template <typename T> DEVICE T remainder_of(T x, T y) {
    if (y == T(0) || (is_signed<T> && y == T(-1))) return T(0);
    T rest = T(x % y);
    return is_signed<T> && rest != T(0) && (rest < T(0)) != (y < T(0)) ? T(rest + y) : rest;
}

// x to the power n by squaring, modulo the range; the exponent counts as unsigned.
template <typename T> DEVICE T integer_power(T x, T n) {
    Wrapping<T> result = 1, factor = x;
    for (Wrapping<T> left = Wrapping<T>(n); left != 0; left >>= 1) {
        if (left & 1) result *= factor;
        factor *= factor;
    }
    return T(result);
}

// Shifts by the width or more, and by any negative count, leave only the bits shifted in.
template <typename T> DEVICE bool is_shift(T n) { return Wrapping<T>(n) < sizeof(T) * 8; }
template <typename T> DEVICE T shifted_left(T x, T n) {
    return is_shift(n) ? T(Wrapping<T>(x) << Wrapping<T>(n)) : T(0);
}
template <typename T> DEVICE T shifted_right(T x, T n) {
    if (is_shift(n)) return T(x >> n);
    return is_signed<T> && x < T(0) ? T(-1) : T(0);
}

template <typename T> DEVICE T larger_of(T x, T y) { return x > y ? x : y; }
template <typename T> DEVICE T smaller_of(T x, T y) { return x < y ? x : y; }

// --- conversion ----------------------------------------------------------------------------------

// As promotion and astype convert. Floating-point numbers lose their fraction; where they are out
// of an integer's range, narrow integers take the low bits, and those of 32 and 64 bits the end of
// their range; NaN gives 0. Complex numbers lose their imaginary part. Floating-point numbers are
// rounded once.
template <typename To, typename From> DEVICE To converted(From x) {
    if constexpr (is_same<To, From>) {
        return x;
    } else if constexpr (is_narrow<From>) {
        return converted<To>(widened(x));
    } else if constexpr (is_narrow<To>) {
        if constexpr (is_complex<From>) {
            return narrowed<To>(x.real);
        } else {
            return narrowed<To>(x);
        }
    } else if constexpr (is_complex<To> && is_complex<From>) {
        using F = decltype(To::real);
        return To{F(x.real), F(x.imag)};
    } else if constexpr (is_complex<To>) {
        using F = decltype(To::real);
        return To{F(x), F(0)};
    } else if constexpr (is_complex<From>) {
        if constexpr (is_bool<To>) {
            return x.real != 0 || x.imag != 0;
        } else {
            return converted<To>(x.real);
        }
    } else if constexpr (is_bool<To>) {
        return x != From(0);
    } else if constexpr (is_floating<From> && !is_floating<To>) {
        if (isnan_(x)) return To(0);
        if constexpr (sizeof(To) < 4) {
            return To(converted<int32>(x));
        } else {
            // The ends of the range as powers of two, which floating-point numbers hold.
            constexpr int digits = sizeof(To) * 8 - is_signed<To>;
            constexpr From end = From(uint64(1) << (digits - 1)) * From(2);
            constexpr To most = To(~Wrapping<To>(0) >> is_signed<To>);
            if (x >= end) return most;
            if (x <= (is_signed<To> ? -end : From(0))) return To(is_signed<To> ? To(~most) : To(0));
            return To(x);
        }
    } else {
        return To(x);
    }
}

}  // namespace numr
