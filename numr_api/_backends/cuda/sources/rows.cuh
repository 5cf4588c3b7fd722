// Functions of rows: each needs the largest of something, then a sum, then what follows of both.
//
// A sum is that of chains: of the elements whose indices leave one remainder, in order; and the sums
// of chains are added by a tree, that of neighbours first. How many chains there are depends on the
// row's length and type alone, so that a row gives the same bits wherever it lies.
#pragma once
#include "near_activations.cuh"
#include "elementwise.cuh"

namespace numr {
namespace rows {

[[maybe_unused]] constexpr int LANES = 32;

// --- what is computed ----------------------------------------------------------------------------

// ``key`` of an element, of which the largest is found; ``value``, given that; ``term`` of a value,
// of which the sum is found; ``result`` of a value, given what the function makes of both. What is
// read as ``beyond`` the end of a row changes neither.
template <typename E> struct Exponential {
    using F = Computed<E>;
    static constexpr int operands = 1;
    static constexpr bool needs_largest = true;
    DEVICE static F beyond() { return -infinity<F>(); }
    DEVICE static F key(F x) { return x; }
    DEVICE static F shift(F largest) { return largest == -infinity<F>() ? F(0) : largest; }
    DEVICE static F power(F x) {
        if constexpr (is_narrow<E>) {
            return near_exp(x);
        } else {
            return exp(x);
        }
    }
};

template <typename E> struct Softmax : Exponential<E> {
    using F = Computed<E>;
    F scale;
    DEVICE static F value(F x, F shift) { return Exponential<E>::power(x - shift); }
    DEVICE static F term(F value, F) { return value; }
    Softmax() = default;
    DEVICE Softmax(F, F sum, F) : scale(sum == F(0) ? F(0) : F(1) / sum) {}
    DEVICE F result(F value, F) const { return value * scale; }
};

template <typename E> struct LogSoftmax : Exponential<E> {
    using F = Computed<E>;
    F log_sum;
    DEVICE static F value(F x, F shift) { return x - shift; }
    DEVICE static F term(F value, F) { return Exponential<E>::power(value); }
    LogSoftmax() = default;
    DEVICE LogSoftmax(F, F sum, F) : log_sum(sum == F(0) ? F(0) : log(sum)) {}
    DEVICE F result(F value, F) const { return value - log_sum; }
};

template <typename E> struct LogSumExp : Exponential<E> {
    using F = Computed<E>;
    F outcome;
    DEVICE static F shift(F largest) { return isinf_(largest) ? F(0) : largest; }
    DEVICE static F value(F x, F shift) { return x - shift; }
    DEVICE static F term(F value, F) { return Exponential<E>::power(value); }
    LogSumExp() = default;
    DEVICE LogSumExp(F shift, F sum, F) : outcome(shift + log(sum)) {}
    DEVICE F result(F, F) const { return outcome; }
};

// The gradient is the second operand.
template <typename E> struct SoftmaxBackward {
    using F = Computed<E>;
    static constexpr int operands = 2;
    static constexpr bool needs_largest = false;
    F sum;
    DEVICE static F beyond() { return F(0); }
    DEVICE static F key(F) { return F(0); }
    DEVICE static F shift(F) { return F(0); }
    DEVICE static F value(F x, F) { return x; }
    DEVICE static F term(F value, F grad) { return value * grad; }
    SoftmaxBackward() = default;
    DEVICE SoftmaxBackward(F, F sum, F) : sum(sum) {}
    DEVICE F result(F value, F grad) const { return value * (grad - sum); }
};

// 2^n of the float that has only an exponent
DEVICE float power_below(float x) {
    const uint32 exponent = bits_of(x) >> 23 & 255;
    return from_bits((exponent == 0 ? 253u : exponent >= 253 ? (exponent == 255 ? 127u : 1u)
                                                             : 254u - exponent) << 23);
}
DEVICE double power_below(double x) {
    const uint64 exponent = bits_of(x) >> 52 & 2047;
    return from_bits((exponent == 0 ? uint64(2045) : exponent >= 2045
        ? uint64(exponent == 2047 ? 1023 : 1) : 2046 - exponent) << 52);
}

// Elements are scaled by a power of two, so that squares neither overflow nor vanish together.
template <typename E> struct L2Normalize {
    using F = Computed<E>;
    static constexpr int operands = 1;
    static constexpr bool needs_largest = true;
    DEVICE static F beyond() { return F(0); }
    F factor, divisor, near;
    L2Normalize() = default;
    DEVICE static F key(F x) { return abs(x); }
    DEVICE static F shift(F largest) { return power_below(largest); }
    DEVICE static F value(F x, F scale) { return x * scale; }
    DEVICE static F term(F value, F) { return value * value; }
    DEVICE L2Normalize(F scale, F sum, F eps) : factor(F(1)), divisor(sqrt(sum)) {
        const F back = F(1) / scale;
        if (divisor * back < eps || divisor == F(0)) {
            const F least = eps == F(0) ? F(1) : eps, other = power_below(least);
            factor = back * other;
            divisor = least * other;
        }
        near = F(1) / divisor;
    }
    // A quotient of which the remainder is divided, too. There is none where the divisor is infinite.
    DEVICE F result(F value, F) const {
        const F number = value * factor, quotient = number * near;
        if (is_narrow<E> || near == F(0)) return quotient;
        return fused(fused(-quotient, divisor, number), near, quotient);
    }
};

// --- what threads share --------------------------------------------------------------------------

// The sum of numbers by the tree of which neighbours are the leaves.
template <int count, typename F> DEVICE F tree(const F* x) {
    if constexpr (count == 1) {
        return x[0];
    } else {
        return tree<count / 2>(x) + tree<count / 2>(x + count / 2);
    }
}

struct Sum {
    template <typename F> DEVICE static F of(F x, F y) { return x + y; }
    template <int count, typename F> DEVICE static F all(const F* x) { return tree<count>(x); }
};
struct Largest {
    template <typename F> DEVICE static F of(F x, F y) { return larger_of(x, y); }
    template <int count, typename F> DEVICE static F all(const F* x) {
        F found = x[0];
        UNROLLED
        for (int i = 1; i < count; ++i) found = larger_of(found, x[i]);
        return found;
    }
};

// Of the lanes of a warp whose numbers differ in bits from ``first`` on; each has the outcome.
template <typename Rule, int first, typename F> DEVICE F of_warp(F x) {
    UNROLLED
    for (int step = first; step < LANES; step *= 2) {
        x = Rule::of(x, __shfl_xor_sync(0xffffffffu, x, step));
    }
    return x;
}

// Of all threads of a row; each has the outcome. Before the next row threads must wait for all.
template <typename Rule, int threads, typename F> DEVICE F together(F x) {
    x = of_warp<Rule, 1>(x);
    if constexpr (threads > LANES) {
        SHARED F parts[threads / LANES];
        if (threadIdx.x % LANES == 0) parts[threadIdx.x / LANES] = x;
        __syncthreads();
        x = Rule::template all<threads / LANES>(parts);
    }
    return x;
}

template <int each, typename E> DEVICE bool is_aligned(const E* first) {
    return reinterpret_cast<uint64>(first) % (each * sizeof(E)) == 0;
}

// A vector of a row, of which so many elements are left; ``whole`` if all vectors are whole and
// aligned, or none is left. As words: a compiler that is told of small elements takes them apart.
template <typename R, int each, typename E>
DEVICE Vector<E, each> read(const E* from, int64 left, bool whole) {
    union {
        Vector<uint32, 4> words;
        Vector<E, each> elements;
    } found;
    static_assert(sizeof(E) * each == 16, "an access");
    UNROLLED
    for (int i = 0; i < each; ++i) found.elements.at[i] = converted<E>(R::beyond());
    if (whole) {
        if (left > 0) found.words = loaded<4>(reinterpret_cast<const uint32*>(from));
    } else {
        UNROLLED
        for (int i = 0; i < each; ++i) if (i < left) found.elements.at[i] = from[i];
    }
    return found.elements;
}
template <int each, typename E>
DEVICE void write(E* to, const Vector<E, each>& values, int64 left, bool whole) {
    if (whole) {
        if (left > 0) store<each>(to, values);
    } else {
        UNROLLED
        for (int i = 0; i < each; ++i) if (i < left) to[i] = values.at[i];
    }
}

// --- rows whose elements lie side by side --------------------------------------------------------

// A row of which each thread holds so many vectors, that are whole and aligned.
template <typename R, typename E, int threads, int held, bool one_result>
DEVICE void held_row(E* to, const E* from, const E* second, double option, int length, int thread) {
    using F = Computed<E>;
    constexpr int each = 16 / sizeof(E);
    Vector<E, each> parts[held], others[R::operands == 2 ? held : 1];
    UNROLLED
    for (int k = 0; k < held; ++k) {
        const int first = (k * threads + thread) * each;
        parts[k] = read<R, each>(from + first, length - first, true);
        if constexpr (R::operands == 2) {
            others[k] = read<R, each>(second + first, length - first, true);
        }
    }
    F values[held][each], sums[each], shift = F(0);
    UNROLLED
    for (int k = 0; k < held; ++k) {
        UNROLLED
        for (int i = 0; i < each; ++i) values[k][i] = converted<F>(parts[k].at[i]);
    }
    if constexpr (R::needs_largest) {
        F largest = -infinity<F>();
        UNROLLED
        for (int k = 0; k < held; ++k) {
            UNROLLED
            for (int i = 0; i < each; ++i) {
                const F key = R::key(values[k][i]);
                if (key > largest) largest = key;
            }
        }
        shift = R::shift(together<Largest, threads>(largest));
    }
    UNROLLED
    for (int i = 0; i < each; ++i) sums[i] = F(0);
    UNROLLED
    for (int k = 0; k < held; ++k) {
        UNROLLED
        for (int i = 0; i < each; ++i) {
            F grad = F(0);
            if constexpr (R::operands == 2) grad = converted<F>(others[k].at[i]);
            values[k][i] = R::value(values[k][i], shift);
            sums[i] += R::term(values[k][i], grad);
        }
    }
    const R function(shift, together<Sum, threads>(tree<each>(sums)), F(option));
    if constexpr (one_result) {
        if (thread == 0) *to = converted<E>(function.result(F(0), F(0)));
    } else {
        UNROLLED
        for (int k = 0; k < held; ++k) {
            Vector<E, each> results;
            UNROLLED
            for (int i = 0; i < each; ++i) {
                F grad = F(0);
                if constexpr (R::operands == 2) grad = converted<F>(others[k].at[i]);
                results.at[i] = converted<E>(function.result(values[k][i], grad));
            }
            const int first = (k * threads + thread) * each;
            write<each>(to + first, results, length - first, true);
        }
    }
}

// A row that is read several times.
template <typename R, typename E, int threads, bool one_result>
DEVICE void long_row(E* to, const E* from, const E* second, double option, int64 length, int thread,
                     bool whole) {
    using F = Computed<E>;
    constexpr int each = 16 / sizeof(E), step = threads * each;
    F shift = F(0), sums[each];
    if constexpr (R::needs_largest) {
        F largest = -infinity<F>();
        ROLLED
        for (int64 first = thread * each; first < length; first += step) {
            const auto part = read<R, each>(from + first, length - first, whole);
            UNROLLED
            for (int i = 0; i < each; ++i) {
                const F key = R::key(converted<F>(part.at[i]));
                if (key > largest) largest = key;
            }
        }
        shift = R::shift(together<Largest, threads>(largest));
    }
    UNROLLED
    for (int i = 0; i < each; ++i) sums[i] = F(0);
    ROLLED
    for (int64 first = thread * each; first < length; first += step) {
        const auto part = read<R, each>(from + first, length - first, whole);
        auto grads = part;
        if constexpr (R::operands == 2) grads = read<R, each>(second + first, length - first, whole);
        UNROLLED
        for (int i = 0; i < each; ++i) {
            const F value = R::value(converted<F>(part.at[i]), shift);
            sums[i] += R::term(value, converted<F>(grads.at[i]));
        }
    }
    const R function(shift, together<Sum, threads>(tree<each>(sums)), F(option));
    if constexpr (one_result) {
        if (thread == 0) *to = converted<E>(function.result(F(0), F(0)));
    } else {
        ROLLED
        for (int64 first = thread * each; first < length; first += step) {
            const auto part = read<R, each>(from + first, length - first, whole);
            auto grads = part;
            if constexpr (R::operands == 2) {
                grads = read<R, each>(second + first, length - first, whole);
            }
            Vector<E, each> results;
            UNROLLED
            for (int i = 0; i < each; ++i) {
                const F value = R::value(converted<F>(part.at[i]), shift);
                results.at[i] = converted<E>(function.result(value, converted<F>(grads.at[i])));
            }
            write<each>(to + first, results, length - first, whole);
        }
    }
}

// Rows of blocks or, several to a block, of warps. Threads hold so many vectors, if any, where all
// vectors of all rows are whole and aligned.
template <template <typename> class Function, typename E, int threads, int held, bool one_result>
DEVICE void side_by_side(E* out, const E* data, const E* other, double option, int64 count,
                         int64 length) {
    using R = Function<E>;
    constexpr int each = 16 / sizeof(E), in_block = THREADS > threads ? THREADS / threads : 1;
    const int thread = int(threadIdx.x) % threads;
    const bool whole = length % each == 0 && is_aligned<each>(data)
        && (one_result || is_aligned<each>(out)) && (R::operands == 1 || is_aligned<each>(other));
    for (int64 row = int64(blockIdx.x) * in_block + int(threadIdx.x) / threads; row < count;
         row += int64(gridDim.x) * in_block) {
        E* to = out + (one_result ? row : row * length);
        const E *from = data + row * length, *second = other + row * length;
        bool is_held = false;
        if constexpr (held > 0) {
            is_held = whole;
            if (whole) {
                held_row<R, E, threads, held, one_result>(
                    to, from, second, option, int(length), thread);
            }
        }
        if (!is_held) {
            long_row<R, E, threads, one_result>(to, from, second, option, length, thread, whole);
        }
        if constexpr (threads > LANES) __syncthreads();
    }
}

}  // namespace rows
}  // namespace numr
