// Functions of rows: each needs the largest of something, then a sum, then what follows of both.
//
// A row's elements are dealt to threads in vectors, one after the other, and sums are added in the
// order of a tree over these threads. That depends on the row's length and type alone, so that a
// row gives the same bits wherever it lies.
#pragma once
#include "activations.cuh"
#include "elementwise.cuh"

namespace numr {
namespace rows {

[[maybe_unused]] constexpr int LANES = 32;

// --- what is computed ----------------------------------------------------------------------------

// ``key`` of an element, of which the largest is found; ``value``, given that; ``term`` of a value,
// of which the sum is found; ``result`` of a value, given what ``Whole`` makes of both.
template <typename F> struct Exponential {
    static constexpr int operands = 1;
    static constexpr bool needs_largest = true;
    DEVICE static F key(F x) { return x; }
    DEVICE static F shift(F largest) { return largest == -infinity<F>() ? F(0) : largest; }
};

template <typename F> struct Softmax : Exponential<F> {
    F scale;
    DEVICE static F value(F x, F shift) { return exp(x - shift); }
    DEVICE static F term(F value, F) { return value; }
    DEVICE Softmax(F, F sum, F) : scale(sum == F(0) ? F(0) : F(1) / sum) {}
    DEVICE F result(F value, F) const { return value * scale; }
};

template <typename F> struct LogSoftmax : Exponential<F> {
    F log_sum;
    DEVICE static F value(F x, F shift) { return x - shift; }
    DEVICE static F term(F value, F) { return exp(value); }
    DEVICE LogSoftmax(F, F sum, F) : log_sum(sum == F(0) ? F(0) : log(sum)) {}
    DEVICE F result(F value, F) const { return value - log_sum; }
};

template <typename F> struct LogSumExp : Exponential<F> {
    F outcome;
    DEVICE static F shift(F largest) { return isinf_(largest) ? F(0) : largest; }
    DEVICE static F value(F x, F shift) { return x - shift; }
    DEVICE static F term(F value, F) { return exp(value); }
    DEVICE LogSumExp(F shift, F sum, F) : outcome(shift + log(sum)) {}
    DEVICE F result(F, F) const { return outcome; }
};

// The gradient is the second operand.
template <typename F> struct SoftmaxBackward {
    static constexpr int operands = 2;
    static constexpr bool needs_largest = false;
    F sum;
    DEVICE static F key(F) { return F(0); }
    DEVICE static F shift(F) { return F(0); }
    DEVICE static F value(F x, F) { return x; }
    DEVICE static F term(F value, F grad) { return value * grad; }
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
template <typename F> struct L2Normalize {
    static constexpr int operands = 1;
    static constexpr bool needs_largest = true;
    F back, divisor;
    bool is_short;
    DEVICE static F key(F x) { return abs(x); }
    DEVICE static F shift(F largest) { return power_below(largest); }
    DEVICE static F value(F x, F scale) { return x * scale; }
    DEVICE static F term(F value, F) { return value * value; }
    DEVICE L2Normalize(F scale, F sum, F eps) : back(F(1) / scale), divisor(sqrt(sum)) {
        is_short = divisor * back < eps || divisor == F(0);
        if (is_short) divisor = eps == F(0) ? F(1) : eps;
    }
    DEVICE F result(F value, F) const { return (is_short ? value * back : value) / divisor; }
};

// --- what threads share --------------------------------------------------------------------------

struct Sum {
    template <typename F> DEVICE static F of(F x, F y) { return x + y; }
};
struct Largest {
    template <typename F> DEVICE static F of(F x, F y) { return larger_of(x, y); }
};

// Of all threads of a row; each has the outcome.
template <typename Rule, int threads, typename F> DEVICE F together(F x) {
    UNROLLED
    for (int step = 1; step < LANES; step *= 2) {
        x = Rule::of(x, __shfl_xor_sync(0xffffffffu, x, step));
    }
    if constexpr (threads > LANES) {
        SHARED F parts[threads / LANES];
        __syncthreads();  // those of before have been read
        if (threadIdx.x % LANES == 0) parts[threadIdx.x / LANES] = x;
        __syncthreads();
        x = parts[0];
        UNROLLED
        for (int i = 1; i < threads / LANES; ++i) x = Rule::of(x, parts[i]);
    }
    return x;
}

template <int each, typename E> DEVICE bool is_aligned(const E* first) {
    return reinterpret_cast<uint64>(first) % (each * sizeof(E)) == 0;
}

// As words: a compiler that is told of small elements takes them apart.
template <int each, typename E>
DEVICE Vector<E, each> read(const E* from, int64 left, bool aligned) {
    union {
        Vector<uint32, 4> words;
        Vector<E, each> elements;
    } found;
    static_assert(sizeof(E) * each == 16, "an access");
    if (aligned && left >= each) {
        found.words = loaded<4>(reinterpret_cast<const uint32*>(from));
    } else {
        UNROLLED
        for (int i = 0; i < each; ++i) if (i < left) found.elements.at[i] = from[i];
    }
    return found.elements;
}
template <int each, typename E>
DEVICE void write(E* to, const Vector<E, each>& values, int64 left, bool aligned) {
    if (aligned && left >= each) {
        store<each>(to, values);
    } else {
        UNROLLED
        for (int i = 0; i < each; ++i) if (i < left) to[i] = values.at[i];
    }
}

// --- rows whose elements lie side by side --------------------------------------------------------

// Threads hold so many vectors each, which is read once.
template <template <typename> class Function, typename E, int threads, int held, bool one_result>
DEVICE void held_rows(E* out, const E* data, const E* other, double option, int64 count,
                      int64 length) {
    using F = Computed<E>;
    using R = Function<F>;
    constexpr int each = 16 / sizeof(E);
    constexpr int lanes = threads < LANES ? LANES : threads;
    constexpr int in_block = THREADS > lanes ? THREADS / lanes : 1;
    const int thread = int(threadIdx.x) % lanes;
    for (int64 row = int64(blockIdx.x) * in_block + int(threadIdx.x) / lanes; row < count;
         row += int64(gridDim.x) * in_block) {
        const E* from = data + row * length;
        const bool aligned = is_aligned<each>(from);
        Vector<E, each> parts[held], others[R::operands == 2 ? held : 1];
        UNROLLED
        for (int k = 0; k < held; ++k) {
            const int64 first = (k * lanes + thread) * each;
            parts[k] = read<each>(from + first, length - first, aligned);
        }
        if constexpr (R::operands == 2) {
            const E* second = other + row * length;
            const bool aligned = is_aligned<each>(second);
            UNROLLED
            for (int k = 0; k < held; ++k) {
                const int64 first = (k * lanes + thread) * each;
                others[k] = read<each>(second + first, length - first, aligned);
            }
        }
        F values[held][each], shift = F(0);
        UNROLLED
        for (int k = 0; k < held; ++k) {
            UNROLLED
            for (int i = 0; i < each; ++i) values[k][i] = converted<F>(parts[k].at[i]);
        }
        const int left = int(length) - thread * each;
        if constexpr (R::needs_largest) {
            F largest = -infinity<F>();
            UNROLLED
            for (int k = 0; k < held; ++k) {
                UNROLLED
                for (int i = 0; i < each; ++i) {
                    const F key = R::key(values[k][i]);
                    if (k * lanes * each + i < left && key > largest) largest = key;
                }
            }
            shift = R::shift(together<Largest, lanes>(largest));
        }
        F sum = F(0);
        UNROLLED
        for (int k = 0; k < held; ++k) {
            UNROLLED
            for (int i = 0; i < each; ++i) {
                F grad = F(0);
                if constexpr (R::operands == 2) grad = converted<F>(others[k].at[i]);
                values[k][i] = R::value(values[k][i], shift);
                const F term = R::term(values[k][i], grad);
                if (k * lanes * each + i < left) sum += term;
            }
        }
        const R whole(shift, together<Sum, lanes>(sum), F(option));
        if constexpr (one_result) {
            if (thread == 0) out[row] = converted<E>(whole.result(F(0), F(0)));
        } else {
            E* to = out + row * length;
            const bool aligned = is_aligned<each>(to);
            UNROLLED
            for (int k = 0; k < held; ++k) {
                Vector<E, each> results;
                UNROLLED
                for (int i = 0; i < each; ++i) {
                    F grad = F(0);
                    if constexpr (R::operands == 2) grad = converted<F>(others[k].at[i]);
                    results.at[i] = converted<E>(whole.result(values[k][i], grad));
                }
                const int64 first = (k * lanes + thread) * each;
                write<each>(to + first, results, length - first, aligned);
            }
        }
    }
}

// --- rows that are too long to be held, and those whose elements lie apart -----------------------

// The sum, or the largest, of the elements of one thread of a row; ``step`` is from one to the next.
template <typename R, bool of_terms, int threads, typename E, typename F>
DEVICE F of_thread(const E* data, const E* other, int64 step, int64 length, int thread, F shift) {
    constexpr int each = 16 / sizeof(E);
    F found = of_terms ? F(0) : -infinity<F>();
    for (int64 first = int64(thread) * each; first < length; first += threads * each) {
        UNROLLED
        for (int i = 0; i < each; ++i) {
            if (first + i < length) {
                const F x = converted<F>(data[(first + i) * step]);
                if constexpr (of_terms) {
                    F grad = F(0);
                    if constexpr (R::operands == 2) grad = converted<F>(other[(first + i) * step]);
                    found += R::term(R::value(x, shift), grad);
                } else {
                    const F key = R::key(x);
                    if (key > found) found = key;
                }
            }
        }
    }
    return found;
}

// Blocks have a row each, which they read several times.
template <template <typename> class Function, typename E, int threads, bool one_result>
DEVICE void long_rows(E* out, const E* data, const E* other, double option, int64 count,
                      int64 length) {
    using F = Computed<E>;
    using R = Function<F>;
    for (int64 row = blockIdx.x; row < count; row += gridDim.x) {
        const E *from = data + row * length, *second = other + row * length;
        const int thread = int(threadIdx.x);
        F shift = F(0);
        if constexpr (R::needs_largest) {
            shift = R::shift(together<Largest, threads>(
                of_thread<R, false, threads>(from, second, 1, length, thread, F(0))));
        }
        const R whole(shift, together<Sum, threads>(
            of_thread<R, true, threads>(from, second, 1, length, thread, shift)), F(option));
        if constexpr (one_result) {
            if (thread == 0) out[row] = converted<E>(whole.result(F(0), F(0)));
        } else {
            for (int64 i = thread; i < length; i += threads) {
                F grad = F(0);
                if constexpr (R::operands == 2) grad = converted<F>(second[i]);
                const F value = R::value(converted<F>(from[i]), shift);
                out[row * length + i] = converted<E>(whole.result(value, grad));
            }
        }
    }
}

// Threads have columns, and blocks 32 of them with THREADS / 32 threads each. These have the parts
// of as many warps as the row would have; sums are the same tree as there.
template <template <typename> class Function, typename E, int threads, bool one_result>
DEVICE void columns(E* out, const E* data, const E* other, double option, int64 count,
                    int64 length, int64 inner) {
    using F = Computed<E>;
    using R = Function<F>;
    constexpr int warps = threads / LANES, down = THREADS / LANES;
    SHARED F parts[warps][LANES];
    const int across = int(threadIdx.x) % LANES, line = int(threadIdx.x) / LANES;
    for (int64 block = blockIdx.x; block * LANES < count; block += gridDim.x) {
        const int64 column = block * LANES + across;
        const bool is_one = column < count;
        const int64 start = is_one ? column / inner * inner * length + column % inner : 0;
        const E *from = data + start, *second = other + start;
        F shift = F(0);
        if constexpr (R::needs_largest) {
            F largest = -infinity<F>();
            for (int64 i = line; is_one && i < length; i += down) {
                const F key = R::key(converted<F>(from[i * inner]));
                if (key > largest) largest = key;
            }
            SHARED F keys[down][LANES];
            keys[line][across] = largest;
            __syncthreads();
            UNROLLED
            for (int i = 0; i < down; ++i) largest = larger_of(largest, keys[i][across]);
            shift = R::shift(largest);
        }
        for (int warp = line; is_one && warp < warps; warp += down) {
            F waiting[6];  // sums of 1, 2, 4 ... lanes
            ROLLED
            for (int lane = 0; lane < LANES; ++lane) {
                F sum = of_thread<R, true, threads>(
                    from, second, inner, length, warp * LANES + lane, shift);
                int level = 0;
                for (; lane >> level & 1; ++level) sum = waiting[level] + sum;
                waiting[level] = sum;
            }
            parts[warp][across] = waiting[5];
        }
        __syncthreads();
        F sum = parts[0][across];
        ROLLED
        for (int warp = 1; warp < warps; ++warp) sum += parts[warp][across];
        if (is_one) {
            const R whole(shift, sum, F(option));
            if constexpr (one_result) {
                if (line == 0) out[column] = converted<E>(whole.result(F(0), F(0)));
            } else {
                for (int64 i = line; i < length; i += down) {
                    F grad = F(0);
                    if constexpr (R::operands == 2) grad = converted<F>(second[i * inner]);
                    const F value = R::value(converted<F>(from[i * inner]), shift);
                    out[start + i * inner] = converted<E>(whole.result(value, grad));
                }
            }
        }
        __syncthreads();
    }
}

}  // namespace rows
}  // namespace numr
