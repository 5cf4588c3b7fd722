// The transform of Walsh and Hadamard: sums and differences of elements 1, 2, 4 ... apart.
//
// Blocks of threads have tiles of 2^13 elements, which hold one block of the transform or several.
// Of an element's index in the tile, some bits choose a thread's register, and the others the
// thread; what bits choose is exchanged twice through shared memory.
#pragma once
#include "elementwise.cuh"

namespace numr {
namespace walsh {

constexpr int TILE_BITS = 13, TILE = 1 << TILE_BITS;
constexpr int HELD = 32;                       // elements of a thread
constexpr int PART = TILE / 8;                 // elements next to each other, of which a tile has 8
constexpr int PADDED = TILE + TILE / 32 + 32;  // so that threads of a warp meet many banks

DEVICE int padded(int i) { return i + (i >> 5) + 4 * (i >> 10); }

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

// Elements by way of memory that holds words of 4 bytes; ``To`` and ``From`` are places by register.
template <typename F, typename To, typename From>
DEVICE void exchange(F (&x)[HELD], uint32* memory, To to, From from) {
    constexpr int words = sizeof(F) / 4;
    UNROLLED
    for (int word = 0; word < words; ++word) {
        if (word) __syncthreads();
        UNROLLED
        for (int i = 0; i < HELD; ++i) {
            memory[padded(to(i))] = uint32(bits_of(x[i]) >> (word * 32 % (8 * sizeof(F))));
        }
        __syncthreads();
        UNROLLED
        for (int i = 0; i < HELD; ++i) {
            const uint32 found = memory[padded(from(i))];
            if constexpr (words == 1) {
                x[i] = from_bits(found);
            } else {
                const uint64 other = bits_of(x[i]);
                // The low word is read first, but the high one is still to be written from x.
                x[i] = from_bits(word == 0 ? (other & 0xffffffff00000000ull) | found
                                           : (other & 0xffffffffull) | uint64(found) << 32);
            }
        }
    }
    __syncthreads();
}

// Blocks of 2^bits elements, up to a tile. ``length`` is that of the last axis, which signs have.
template <typename E, typename R, int bits, bool has_signs>
DEVICE void tiles(R* out, const E* data, const E* signs, double scale, int64 count, int64 length) {
    using F = Computed<E>;
    SHARED uint32 memory[PADDED];
    const int lane = int(threadIdx.x) % 32, warp = int(threadIdx.x) / 32;
    for (int64 tile = blockIdx.x; tile * TILE < count; tile += gridDim.x) {
        const int64 start = tile * TILE;
        const int here = int(count - start < TILE ? count - start : TILE);
        F x[HELD];
        // Bits 0 and 1, and 10 to 12, choose the register.
        const uint32 along = has_signs ? uint32(start % length) : 0u;
        UNROLLED
        for (int k = 0; k < 8; ++k) {
            const int at = k * PART + int(threadIdx.x) * 4;
            Vector<E, 4> part;
            UNROLLED
            for (int i = 0; i < 4; ++i) part.at[i] = E();
            if (bits >= 2 || at + 4 <= here) {
                if (at < here) part = loaded<4>(data + start + at);
            } else {
                UNROLLED
                for (int i = 0; i < 4; ++i) if (at + i < here) part.at[i] = data[start + at + i];
            }
            UNROLLED
            for (int i = 0; i < 4; ++i) {
                x[k * 4 + i] = converted<F>(part.at[i]);
                if constexpr (has_signs) {
                    uint64 place = uint64(along) + at + i;
                    if (length >= TILE) {
                        if (place >= uint64(length)) place -= length;
                    } else {
                        place = uint32(place) % uint32(length);
                    }
                    if (at + i < here) x[k * 4 + i] *= converted<F>(signs[place]);
                }
            }
        }
        if constexpr (bits > 0) combine<HELD, 0>(x);
        if constexpr (bits > 1) combine<HELD, 1>(x);
        if constexpr (bits > 10) combine<HELD, 2>(x);
        if constexpr (bits > 11) combine<HELD, 3>(x);
        if constexpr (bits > 12) combine<HELD, 4>(x);
        const int thread = int(threadIdx.x);
        const auto loading = [=](int i) { return (i >> 2) * PART + thread * 4 + (i & 3); };
        if constexpr (bits > 2) {
            // Bits 2 to 6 choose the register, 0, 1 and 10 to 12 the lane.
            const auto by_lanes = [=](int i) {
                return (lane >> 2) * PART + warp * 128 + i * 4 + (lane & 3);
            };
            exchange(x, memory, loading, by_lanes);
            combine<HELD, 0>(x);
            if constexpr (bits > 3) combine<HELD, 1>(x);
            if constexpr (bits > 4) combine<HELD, 2>(x);
            if constexpr (bits > 5) combine<HELD, 3>(x);
            if constexpr (bits > 6) combine<HELD, 4>(x);
            // Bits 0, 1 and 7 to 9 choose the register, 2 to 6 the lane.
            const auto by_warps = [=](int i) {
                return warp * PART + (i >> 2) * 128 + lane * 4 + (i & 3);
            };
            exchange(x, memory, by_lanes, by_warps);
            if constexpr (bits > 7) combine<HELD, 2>(x);
            if constexpr (bits > 8) combine<HELD, 3>(x);
            if constexpr (bits > 9) combine<HELD, 4>(x);
        }
        UNROLLED
        for (int k = 0; k < 8; ++k) {
            const int at = bits > 2 ? warp * PART + k * 128 + lane * 4 : k * PART + thread * 4;
            Vector<R, 4> part;
            UNROLLED
            for (int i = 0; i < 4; ++i) part.at[i] = converted<R>(x[k * 4 + i] * F(scale));
            if (at + 4 <= here) {
                store<4>(out + start + at, part);
            } else {
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
