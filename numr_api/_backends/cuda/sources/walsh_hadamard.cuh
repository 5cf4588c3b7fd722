// The transform of Walsh and Hadamard: sums and differences of elements 1, 2, 4 ... apart.
//
// Blocks of threads have tiles of 2^13 elements, which hold one block of the transform or several.
// Of an element's index in the tile, some bits choose a thread's register, and the others the
// thread. Bits 0 and 1 always choose the register, so that four elements are moved at a time; which
// others do is exchanged twice through shared memory.
#pragma once
#include "elementwise.cuh"

namespace numr {
namespace walsh {

constexpr int TILE_BITS = 13, TILE = 1 << TILE_BITS;
constexpr int TILE_THREADS = 128;
constexpr int HELD = TILE / TILE_THREADS;  // elements of a thread
constexpr int QUADS = HELD / 4;

// What is lent to a block: four words at a time, of which one in seventeen is in excess, so that
// threads meet different banks.
using Lent = Vector<uint32, 4>;
constexpr int LENT = TILE / 4 * 17 / 16;

// Sums and differences of registers whose numbers differ in a bit.
template <int count, int bit, typename F> DEVICE void combine(F (&x)[count]) {
    UNROLLED
    for (int i = 0; i < count; ++i) {
        if (i >> bit & 1) continue;
        const F sum = x[i] + x[i | 1 << bit], difference = x[i] - x[i | 1 << bit];
        x[i] = sum;
        x[i | 1 << bit] = difference;
    }
}

// The places of a thread's fours: the first, and from each to the next; the upper half of them is
// ``half`` further than the lower.
struct Places {
    int first, step, half;
    DEVICE int at(int i) const { return first + i % (QUADS / 2) * step + i / (QUADS / 2) * half; }
};

DEVICE uint32 word_of(float x, int) { return bits_of(x); }
DEVICE uint32 word_of(double x, int word) { return uint32(bits_of(x) >> (32 * word)); }
DEVICE float with_word(float, uint32 bits, int) { return from_bits(bits); }
DEVICE double with_word(double x, uint32 bits, int word) {
    const uint64 other = bits_of(x);
    return from_bits(word == 0 ? (other & 0xffffffff00000000ull) | bits
                               : (other & 0xffffffffull) | uint64(bits) << 32);
}

// Elements by way of memory. Numbers of two words are exchanged one word after the other: the low
// one is read first, but the high one is still to be written.
template <typename F> DEVICE void exchange(F (&x)[HELD], Lent* memory, Places to, Places from) {
    constexpr int words = sizeof(F) / 4;
    UNROLLED
    for (int word = 0; word < words; ++word) {
        if (word) __syncthreads();
        UNROLLED
        for (int k = 0; k < QUADS; ++k) {
            Lent part;
            UNROLLED
            for (int i = 0; i < 4; ++i) part.at[i] = word_of(x[4 * k + i], word);
            memory[to.at(k)] = part;
        }
        __syncthreads();
        UNROLLED
        for (int k = 0; k < QUADS; ++k) {
            const Lent part = memory[from.at(k)];
            UNROLLED
            for (int i = 0; i < 4; ++i) x[4 * k + i] = with_word(x[4 * k + i], part.at[i], word);
        }
    }
    if (words > 1) __syncthreads();
}

// The signs of four elements, given how far they are from the first of the tile, whose sign is that
// at ``along``.
template <bool whole, typename E>
DEVICE Vector<E, 4> signs_at(const E* signs, uint64 along, int at, int64 length) {
    if constexpr (whole) {
        uint64 place = along + at;
        if (length < TILE) {
            place = uint32(place) % uint32(length);
        } else if (place >= uint64(length)) {
            place -= length;
        }
        return loaded<4>(signs + place);
    } else {
        Vector<E, 4> found;
        UNROLLED
        for (int i = 0; i < 4; ++i) found.at[i] = signs[(along + at + i) % uint64(length)];
        return found;
    }
}

// Blocks of 2^bits elements, up to a tile. ``length`` is that of the last axis, which signs have.
template <typename E, typename R, int bits, bool has_signs>
DEVICE void tiles(R* out, const E* data, const E* signs, double scale, int64 count, int64 length) {
    using F = Computed<E>;
    SHARED Lent memory[LENT];
    constexpr bool whole = bits >= 2;  // whether four elements are of one block
    const int thread = int(threadIdx.x);
    for (int64 tile = blockIdx.x; tile * TILE < count; tile += gridDim.x) {
        const int64 start = tile * TILE;
        const int here = int(count - start < TILE ? count - start : TILE);
        F x[HELD];
        // Bits 0 and 1, and 9 to 12, choose the register, 2 to 8 the thread.
        UNROLLED
        for (int k = 0; k < QUADS; ++k) {
            const int at = (k * TILE_THREADS + thread) * 4;
            Vector<E, 4> part;
            UNROLLED
            for (int i = 0; i < 4; ++i) part.at[i] = converted<E>(0.0f);
            if (whole) {
                if (at < here) part = loaded<4>(data + start + at);
            } else {
                UNROLLED
                for (int i = 0; i < 4; ++i) if (at + i < here) part.at[i] = data[start + at + i];
            }
            UNROLLED
            for (int i = 0; i < 4; ++i) x[4 * k + i] = converted<F>(part.at[i]);
        }
        if constexpr (has_signs) {
            const uint64 along = uint64(start % length);
            UNROLLED
            for (int k = 0; k < QUADS; ++k) {
                const auto factors =
                    signs_at<whole>(signs, along, (k * TILE_THREADS + thread) * 4, length);
                UNROLLED
                for (int i = 0; i < 4; ++i) x[4 * k + i] *= converted<F>(factors.at[i]);
            }
        }
        if constexpr (bits > 0) combine<HELD, 0>(x);
        if constexpr (bits > 1) combine<HELD, 1>(x);
        if constexpr (bits > 9) combine<HELD, 2>(x);
        if constexpr (bits > 10) combine<HELD, 3>(x);
        if constexpr (bits > 11) combine<HELD, 4>(x);
        if constexpr (bits > 12) combine<HELD, 5>(x);
        if constexpr (bits > 2) {
            constexpr int lines = TILE_THREADS * 17 / 16;
            const Places by_loads = {thread + thread / 16, lines, QUADS / 2 * lines};
            // Bits 2 to 5 choose the register, 6 to 12 the thread.
            const Places by_runs = {thread * 17, 1, QUADS / 2};
            exchange(x, memory, by_loads, by_runs);
            combine<HELD, 2>(x);
            if constexpr (bits > 3) combine<HELD, 3>(x);
            if constexpr (bits > 4) combine<HELD, 4>(x);
            if constexpr (bits > 5) combine<HELD, 5>(x);
            // Bits 6 to 8, and 12, choose the register, 2 to 5 and 9 to 11 the thread.
            const int group = thread % 16 + thread / 16 * 128;
            exchange(x, memory, by_runs, {group + group / 16, 17, 1024 + 64});
            if constexpr (bits > 6) combine<HELD, 2>(x);
            if constexpr (bits > 7) combine<HELD, 3>(x);
            if constexpr (bits > 8) combine<HELD, 4>(x);
            __syncthreads();
        }
        const Places last = bits > 2
            ? Places{(thread % 16 + thread / 16 * 128) * 4, 64, 4096}
            : Places{thread * 4, 4 * TILE_THREADS, QUADS / 2 * 4 * TILE_THREADS};
        UNROLLED
        for (int k = 0; k < QUADS; ++k) {
            const int at = last.at(k);
            Vector<R, 4> part;
            UNROLLED
            for (int i = 0; i < 4; ++i) part.at[i] = converted<R>(x[4 * k + i] * F(scale));
            if (at + 4 <= here) {
                store<4>(out + start + at, part);
            } else if (!whole) {
                UNROLLED
                for (int i = 0; i < 4; ++i) if (at + i < here) out[start + at + i] = part.at[i];
            }
        }
    }
}

// What is left of larger blocks: elements that are multiples of a tile apart; a thread has those of
// one place.
template <typename E, typename R, int bits>
DEVICE void places(R* out, const E* data, double scale, int64 count) {
    constexpr int many = 1 << bits;
    using F = Computed<E>;
    const int64 step = int64(gridDim.x) * 128;
    for (int64 place = int64(blockIdx.x) * 128 + threadIdx.x; place * many < count; place += step) {
        const int64 first = place / TILE * (int64(TILE) * many) + place % TILE;
        F x[many];
        UNROLLED
        for (int i = 0; i < many; ++i) x[i] = converted<F>(data[first + i * int64(TILE)]);
        if constexpr (bits > 0) combine<many, 0>(x);
        if constexpr (bits > 1) combine<many, 1>(x);
        if constexpr (bits > 2) combine<many, 2>(x);
        if constexpr (bits > 3) combine<many, 3>(x);
        if constexpr (bits > 4) combine<many, 4>(x);
        if constexpr (bits > 5) combine<many, 5>(x);
        if constexpr (bits > 6) combine<many, 6>(x);
        UNROLLED
        for (int i = 0; i < many; ++i) out[first + i * int64(TILE)] = converted<R>(x[i] * F(scale));
    }
}

}  // namespace walsh
}  // namespace numr
