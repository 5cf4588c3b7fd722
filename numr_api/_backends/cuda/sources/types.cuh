// The types of numbers, and the bits of those that the processor computes with.
// These files are also C++17 headers for the host, where tests run the functions without a GPU.
#pragma once

// NOT_INLINED is for long code that few elements need or that takes long to compile: there is one
// copy of it.
#ifdef __CUDACC__
#define DEVICE __device__ inline
#define NOT_INLINED __device__ __noinline__
#define KERNEL extern "C" __global__
#define KERNEL_OF(threads) KERNEL __launch_bounds__(threads)
#define KERNEL_OF_BLOCKS(threads, blocks) KERNEL __launch_bounds__(threads, blocks)
#define CONSTANT __constant__ const
#define SHARED __shared__
#define UNROLLED _Pragma("unroll")
#define ROLLED _Pragma("unroll 1")
#else
#include <cmath>
#include <cstring>
#define DEVICE inline
#define NOT_INLINED inline
#define KERNEL extern "C"
#define KERNEL_OF(threads) KERNEL
#define KERNEL_OF_BLOCKS(threads, blocks) KERNEL
#define CONSTANT static const
#define SHARED static
#define UNROLLED
#define ROLLED
#endif

namespace numr {

using int8 = signed char;
using int16 = short;
using int32 = int;
using int64 = long long;
using uint8 = unsigned char;
using uint16 = unsigned short;
using uint32 = unsigned int;
using uint64 = unsigned long long;
using float32 = float;
using float64 = double;

template <typename F> struct Complex {
    F real, imag;
};
using complex64 = Complex<float>;
using complex128 = Complex<double>;

// --- what a type is ------------------------------------------------------------------------------

template <bool condition, typename A, typename B> struct Choice { using type = A; };
template <typename A, typename B> struct Choice<false, A, B> { using type = B; };
template <bool condition, typename A, typename B>
using choice = typename Choice<condition, A, B>::type;

template <typename A, typename B> constexpr bool is_same = false;
template <typename A> constexpr bool is_same<A, A> = true;

template <typename T> constexpr bool is_signed = T(-1) < T(0);
template <> constexpr bool is_signed<complex64> = true;
template <> constexpr bool is_signed<complex128> = true;

template <typename T> constexpr bool is_bool = false;
template <> constexpr bool is_bool<bool> = true;

template <typename T> constexpr bool is_floating = false;
template <> constexpr bool is_floating<float> = true;
template <> constexpr bool is_floating<double> = true;

template <typename T> constexpr bool is_complex = false;
template <> constexpr bool is_complex<complex64> = true;
template <> constexpr bool is_complex<complex128> = true;

// Unsigned integers of 32 bits at least, whose arithmetic wraps; that of int is undefined there.
template <typename T> using Wrapping = choice<sizeof(T) == 8, uint64, uint32>;

// --- bits ----------------------------------------------------------------------------------------

#ifdef __CUDACC__
DEVICE uint32 bits_of(float x) { return __float_as_uint(x); }
DEVICE uint64 bits_of(double x) { return __double_as_longlong(x); }
DEVICE float from_bits(uint32 bits) { return __uint_as_float(bits); }
DEVICE double from_bits(uint64 bits) { return __longlong_as_double(bits); }
#else
template <typename To, typename From> To copied(From from) {
    To to;
    std::memcpy(&to, &from, sizeof to);
    return to;
}
inline uint32 bits_of(float x) { return copied<uint32>(x); }
inline uint64 bits_of(double x) { return copied<uint64>(x); }
inline float from_bits(uint32 bits) { return copied<float>(bits); }
inline double from_bits(uint64 bits) { return copied<double>(bits); }
#endif

}  // namespace numr
