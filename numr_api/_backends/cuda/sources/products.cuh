// Products of a few rows with a matrix, which take as long as reading the matrix: each element is
// read once. The order of the sums depends on the shape alone.
#pragma once
#include "elementwise.cuh"
#include "pairs.cuh"

namespace numr {

template <int number> struct Number {
    static constexpr int value = number;
};

// Rows of x beyond the last are those of the last, whose sums are not written.
template <typename F> struct Rows {
    const F* first;
    int64 step;
    int32 count;
    DEVICE const F* at(int row) const { return first + step * (row < count ? row : count - 1); }
};

// out[m, n] = sum of x[m, k] w[n, k]. A warp has ``columns`` rows of w, of which a thread reads
// ``each`` elements in one access, and makes ``depth`` accesses before it uses the first.
template <typename F, int rows, int each, int depth, int columns>
DEVICE void product_by_rows(F* out, int64 out_step, Rows<F> x, const F* w, int64 w_step, int32 n,
                            int32 length) {
    const int lane = threadIdx.x & 31, warps = blockDim.x / 32;
    const int64 first = (int64(blockIdx.x) * warps + threadIdx.x / 32) * columns;
    if (first >= n) return;
    const F* w_rows[columns];
    UNROLLED
    for (int c = 0; c < columns; ++c) {
        w_rows[c] = w + (first + c < n ? first + c : int64(n) - 1) * w_step;
    }
    F sums[rows][columns] = {};
    int32 k = lane * each;
    auto add = [&](auto steps) {
        constexpr int count = decltype(steps)::value;
        Vector<F, each> b[count][columns];
        UNROLLED
        for (int s = 0; s < count; ++s) {
            UNROLLED
            for (int c = 0; c < columns; ++c) b[s][c] = loaded<each>(w_rows[c] + k + s * 32 * each);
        }
        UNROLLED
        for (int s = 0; s < count; ++s) {
            UNROLLED
            for (int m = 0; m < rows; ++m) {
                const auto a = loaded<each>(x.at(m) + k + s * 32 * each);
                UNROLLED
                for (int c = 0; c < columns; ++c) {
                    UNROLLED
                    for (int i = 0; i < each; ++i) {
                        sums[m][c] = fused(a.at[i], b[s][c].at[i], sums[m][c]);
                    }
                }
            }
        }
        k += count * 32 * each;
    };
    while (k + (depth - 1) * 32 * each < length) add(Number<depth>());
    while (k < length) add(Number<1>());
    UNROLLED
    for (int m = 0; m < rows; ++m) {
        UNROLLED
        for (int c = 0; c < columns; ++c) {
            UNROLLED
            for (int step = 16; step; step /= 2) {
                sums[m][c] += __shfl_xor_sync(0xffffffffu, sums[m][c], step);
            }
            if (lane == (m * columns + c) % 32 && m < x.count && first + c < n) {
                out[m * out_step + first + c] = sums[m][c];
            }
        }
    }
}

constexpr int SLICES = 16;  // warps of a block, each of which has a part of the sums

// out[m, n] = sum of x[m, k] w[k, n]. A block has 128 bytes of each row of w, of which a thread
// reads ``each`` elements in one access; it reads ``depth`` rows before it uses the first. Those of
// x are read as vectors if they are aligned.
template <typename F, int rows, int each, int depth, bool aligned>
DEVICE void product_by_columns(F* out, int64 out_step, Rows<F> x, const F* w, int64 w_step, int32 n,
                               int32 length) {
    constexpr int width = 128 / sizeof(F), lanes = width / each;
    SHARED F parts[SLICES][rows][width];
    const int lane = threadIdx.x % lanes, warp = threadIdx.x / 32;
    const int64 column = int64(blockIdx.x) * width + lane * each;
    const bool inside = column < n;
    F sums[rows][each] = {};
    int32 k = int32(threadIdx.x / lanes) * depth;
    const F* at = w + (inside ? column : 0);
    for (; k + depth <= length; k += SLICES * 32 / lanes * depth) {
        Vector<F, each> b[depth];
        UNROLLED
        for (int d = 0; d < depth; ++d) b[d] = loaded<each>(at + (k + d) * w_step);
        UNROLLED
        for (int m = 0; m < rows; ++m) {
            const auto a = loaded<aligned ? depth : 1>(x.at(m) + k);
            UNROLLED
            for (int d = 0; d < depth; ++d) {
                const F factor = aligned ? a.at[aligned ? d : 0] : x.at(m)[k + d];
                UNROLLED
                for (int i = 0; i < each; ++i) sums[m][i] = fused(factor, b[d].at[i], sums[m][i]);
            }
        }
    }
    for (; k < length; ++k) {  // the last rows, fewer than depth
        const auto b = loaded<each>(at + k * w_step);
        UNROLLED
        for (int m = 0; m < rows; ++m) {
            UNROLLED
            for (int i = 0; i < each; ++i) sums[m][i] = fused(x.at(m)[k], b.at[i], sums[m][i]);
        }
    }
    UNROLLED
    for (int m = 0; m < rows; ++m) {
        UNROLLED
        for (int i = 0; i < each; ++i) {
            UNROLLED
            for (int step = 16; step >= lanes; step /= 2) {
                sums[m][i] += __shfl_xor_sync(0xffffffffu, sums[m][i], step);
            }
            if (threadIdx.x % 32 < lanes) parts[warp][m][lane * each + i] = sums[m][i];
        }
    }
    __syncthreads();
    for (int place = threadIdx.x; place < rows * width; place += SLICES * 32) {
        const int m = place / width, c = place % width;
        if (m >= x.count || int64(blockIdx.x) * width + c >= n) continue;
        F sum = parts[0][m][c];
        for (int s = 1; s < SLICES; ++s) sum += parts[s][m][c];
        out[m * out_step + int64(blockIdx.x) * width + c] = sum;
    }
}

}  // namespace numr
