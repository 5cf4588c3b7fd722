// Functions of rows whose elements lie apart, so that rows are columns of a matrix.
//
// Blocks have so many columns that lines of 32 bytes or more are read; threads have some columns, in
// lines that are a fixed number apart. They hold what they read first; the rest, of long columns, is
// read again, by then from the cache. Sums are the same trees as in rows.cuh.
#pragma once
#include "rows.cuh"

namespace numr {
namespace rows {

// What a thread has of its columns: so many elements across, and of the lines those that are
// ``down`` apart, of which it holds some.
template <typename R, typename E, int across, int down> struct Columns {
    using F = Computed<E>;
    static constexpr int held = (is_narrow<E> ? 48 : 64) / int(across * sizeof(E)) / R::operands;
    const E *data, *other;  // the first line
    int64 step;             // from a line of the thread to its next
    int lines;
    Vector<E, across> parts[held], others[R::operands == 2 ? held : 1];

    DEVICE Columns(const E* data, const E* other, int64 step, int lines)
        : data(data), other(other), step(step), lines(lines) {
        UNROLLED
        for (int k = 0; k < held; ++k) {
            if (k < lines) {
                parts[k] = loaded<across>(data + k * step);
                if constexpr (R::operands == 2) others[k] = loaded<across>(other + k * step);
            }
        }
    }
    // Calls a function with each line that is of a chain, its number, and those of the other operand.
    template <typename Use> DEVICE void each(int chain, int chains, Use use) const {
        UNROLLED
        for (int k = 0; k < held; ++k) {
            if (k < lines && k % chains == chain) {
                if constexpr (R::operands == 2) {
                    use(k, parts[k], others[k]);
                } else {
                    use(k, parts[k], parts[k]);
                }
            }
        }
        const int ahead = (held - chain + chains - 1) / chains * chains + chain;
        _Pragma("unroll 4")
        for (int k = ahead > chain ? ahead : chain; k < lines; k += chains) {
            const auto part = loaded<across>(data + k * step);
            if constexpr (R::operands == 2) {
                use(k, part, loaded<across>(other + k * step));
            } else {
                use(k, part, part);
            }
        }
    }
};

// ``threads`` are those that a row side by side has; ``lanes`` have the columns of a line.
template <template <typename> class Function, typename E, int threads, int block, int lanes,
          int across, bool one_result>
DEVICE void columns(E* out, const E* data, const E* other, double option, int64 count,
                    int64 length, int64 inner) {
    using F = Computed<E>;
    using R = Function<E>;
    constexpr int wide = lanes * across, down = block / lanes, warps = block / LANES;
    constexpr int chains = threads * (16 / int(sizeof(E))) / down;  // of a thread
    static_assert(chains > 0 && lanes <= LANES, "lines are of chains of their own, and of one warp");
    SHARED F parts[2][wide][warps], waiting[8][wide], found[wide];
    const int lane = int(threadIdx.x) % lanes, line = int(threadIdx.x) / lanes;
    const int warp = int(threadIdx.x) / LANES, own = int(threadIdx.x);
    const bool tells = int(threadIdx.x) % LANES < lanes;  // of a warp's outcome
    for (int64 tile = blockIdx.x; tile * wide < count; tile += gridDim.x) {
        const int64 column = tile * wide + lane * across;
        const int64 start =
            column < count ? column / inner * inner * length + column % inner + line * inner : 0;
        const int lines =
            column < count && line < length ? int((length - line + down - 1) / down) : 0;
        const Columns<R, E, across, down> mine(data + start, other + start, down * inner, lines);
        F shifts[across];
        UNROLLED
        for (int i = 0; i < across; ++i) shifts[i] = F(0);
        if constexpr (R::needs_largest) {
            F largest[across];
            UNROLLED
            for (int i = 0; i < across; ++i) largest[i] = -infinity<F>();
            mine.each(0, 1, [&](int, const auto& part, const auto&) {
                UNROLLED
                for (int i = 0; i < across; ++i) {
                    const F key = R::key(converted<F>(part.at[i]));
                    if (key > largest[i]) largest[i] = key;
                }
            });
            UNROLLED
            for (int i = 0; i < across; ++i) {
                const F key = of_warp<Largest, lanes>(largest[i]);
                if (tells) parts[1][lane * across + i][warp] = key;
            }
            __syncthreads();
            for (int k = own; k < wide; k += block) {
                found[k] = R::shift(Largest::all<warps>(parts[1][k]));
            }
            __syncthreads();
            UNROLLED
            for (int i = 0; i < across; ++i) shifts[i] = found[lane * across + i];
        }
        // Chains without elements would add zeros.
        const int most = int((length + down - 1) / down);
        const int some = most < chains ? most : chains;
        ROLLED
        for (int chain = 0; chain < some; ++chain) {
            F sums[across];
            UNROLLED
            for (int i = 0; i < across; ++i) sums[i] = F(0);
            mine.each(chain, chains, [&](int, const auto& part, const auto& grads) {
                UNROLLED
                for (int i = 0; i < across; ++i) {
                    const F value = R::value(converted<F>(part.at[i]), shifts[i]);
                    sums[i] += R::term(value, converted<F>(grads.at[i]));
                }
            });
            UNROLLED
            for (int i = 0; i < across; ++i) {
                const F sum = of_warp<Sum, lanes>(sums[i]);
                if (tells) parts[chain & 1][lane * across + i][warp] = sum;
            }
            __syncthreads();
            for (int k = own; k < wide; k += block) {
                F sum = tree<warps>(parts[chain & 1][k]);
                int level = 0;
                for (; chain >> level & 1; ++level) sum = waiting[level][k] + sum;
                waiting[level][k] = sum;
            }
        }
        for (int k = own; k < wide; k += block) {
            F sum = F(0);
            for (int level = 0; some >> level; ++level) {
                if (some >> level & 1) sum = waiting[level][k] + sum;
            }
            found[k] = sum;
        }
        __syncthreads();
        E* to = out + (one_result ? column : start);
        R functions[across];
        UNROLLED
        for (int i = 0; i < across; ++i) {
            functions[i] = R(shifts[i], found[lane * across + i], F(option));
        }
        if constexpr (one_result) {
            UNROLLED
            for (int i = 0; i < across; ++i) {
                if (line == 0 && lines) to[i] = converted<E>(functions[i].result(F(0), F(0)));
            }
        } else {
            mine.each(0, 1, [&](int k, const auto& part, const auto& grads) {
                Vector<E, across> results;
                UNROLLED
                for (int i = 0; i < across; ++i) {
                    const F value = R::value(converted<F>(part.at[i]), shifts[i]);
                    results.at[i] =
                        converted<E>(functions[i].result(value, converted<F>(grads.at[i])));
                }
                store<across>(to + k * mine.step, results);
            });
        }
        __syncthreads();
    }
}

}  // namespace rows
}  // namespace numr
