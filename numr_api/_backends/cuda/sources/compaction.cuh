// Elements and rows that a mask chooses, read and written; compaction.py says which kernel is when.
//
// A mask is bytes, of which any but 0 is true. It is cut into tiles; how many are true in each is
// counted first, and the running sum of these, ``ends``, tells a block where its tile goes.
#pragma once
#include "elementwise.cuh"

namespace numr::masks {

constexpr unsigned ALL = 0xffffffffu;
constexpr int STEPS = 16;  // of a warp through its part of a tile
constexpr int PART = 32 * STEPS;  // elements of a tile that a warp has
constexpr int PARTS = THREADS / 32;
constexpr int TILE = PART * PARTS;

// Elements are moved whatever they mean.
struct alignas(16) bytes16 {
    uint64 low, high;
};

// --- counting ------------------------------------------------------------------------------------

// A warp counts a tile.
template <bool aligned> DEVICE void count_true(const uint8* mask, int64* counts, int64 size) {
    const int64 tile = (int64(blockIdx.x) * THREADS + threadIdx.x) / 32;
    const int64 first = tile * TILE;
    if (first >= size && tile > 0) return;
    const int lane = threadIdx.x % 32;
    int count = 0;
    if (aligned && size - first >= TILE) {
        const uint32* words = reinterpret_cast<const uint32*>(mask + first);
        Vector<uint32, 4> vectors[TILE / 512];
        UNROLLED
        for (int i = 0; i < TILE / 512; ++i) vectors[i] = loaded<4>(words + (i * 32 + lane) * 4);
        UNROLLED
        for (int i = 0; i < TILE / 512; ++i) {
            UNROLLED
            for (int j = 0; j < 4; ++j) count += __popc(true_bytes(vectors[i].at[j]));
        }
    } else {
        const int left = size - first < TILE ? int(size - first) : TILE;
        for (int i = lane; i < left; i += 32) count += mask[first + i] != 0;
    }
    UNROLLED
    for (int step = 16; step > 0; step /= 2) count += __shfl_xor_sync(ALL, count, step);
    if (lane == 0) counts[tile] = count;
}

// --- elements ------------------------------------------------------------------------------------

// What a mask chooses of a warp's part of a tile.
struct Chosen {
    uint32 lanes[STEPS];  // a bit for each lane
    int64 first;  // element of this lane
    int64 rank;  // of the first that is chosen

    DEVICE bool has(int step) const { return lanes[step] >> (threadIdx.x % 32) & 1; }
    DEVICE int64 element(int step) const { return first + step * 32; }
    // The rank of this lane's element among all that are chosen, and how many a step chooses.
    DEVICE int64 rank_of(int step, int before) const {
        const uint32 below = (uint32(1) << (threadIdx.x % 32)) - 1;
        return rank + before + __popc(lanes[step] & below);
    }
    DEVICE int count(int step) const { return __popc(lanes[step]); }
};

// A block calls this for its tile.
DEVICE Chosen chosen_of(const uint8* mask, const int64* ends, int64 size) {
    SHARED int counts[PARTS];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int64 tile = blockIdx.x;
    Chosen chosen;
    chosen.first = tile * TILE + warp * PART + lane;
    uint8 bytes[STEPS];
    UNROLLED
    for (int step = 0; step < STEPS; ++step) {
        bytes[step] = chosen.element(step) < size ? mask[chosen.element(step)] : 0;
    }
    int count = 0;
    UNROLLED
    for (int step = 0; step < STEPS; ++step) {
        chosen.lanes[step] = __ballot_sync(ALL, bytes[step] != 0);
        count += chosen.count(step);
    }
    if (lane == 0) counts[warp] = count;
    __syncthreads();
    chosen.rank = tile > 0 ? ends[tile - 1] : 0;
    for (int i = 0; i < warp; ++i) chosen.rank += counts[i];
    return chosen;
}

// How many elements a thread reads before it writes the first.
template <typename U> constexpr int AT_ONCE = sizeof(U) <= 4 ? STEPS : sizeof(U) == 8 ? 8 : 4;

// The chosen elements, next to each other.
template <typename U>
DEVICE void compress(const uint8* mask, const int64* ends, const U* data, U* result, int64 size,
                     int64 limit) {
    const Chosen chosen = chosen_of(mask, ends, size);
    int before = 0;
    UNROLLED
    for (int start = 0; start < STEPS; start += AT_ONCE<U>) {
        U values[AT_ONCE<U>];
        UNROLLED
        for (int i = 0; i < AT_ONCE<U>; ++i) {
            if (chosen.has(start + i)) values[i] = data[chosen.element(start + i)];
        }
        UNROLLED
        for (int i = 0; i < AT_ONCE<U>; ++i) {
            const int64 rank = chosen.rank_of(start + i, before);
            if (chosen.has(start + i) && rank < limit) result[rank] = values[i];
            before += chosen.count(start + i);
        }
    }
}

// The other way: values are written where the mask chooses.
template <typename U>
DEVICE void put(const uint8* mask, const int64* ends, const U* values, U* data, int64 size,
                int64 limit) {
    const Chosen chosen = chosen_of(mask, ends, size);
    int before = 0;
    UNROLLED
    for (int start = 0; start < STEPS; start += AT_ONCE<U>) {
        U found[AT_ONCE<U>];
        bool has[AT_ONCE<U>];
        UNROLLED
        for (int i = 0; i < AT_ONCE<U>; ++i) {
            const int64 rank = chosen.rank_of(start + i, before);
            has[i] = chosen.has(start + i) && rank < limit;
            if (has[i]) found[i] = values[rank];
            before += chosen.count(start + i);
        }
        UNROLLED
        for (int i = 0; i < AT_ONCE<U>; ++i) {
            if (has[i]) data[chosen.element(start + i)] = found[i];
        }
    }
}

template <int axes> struct Lengths {
    int64 of[axes];
};

// The indices of the chosen elements along each axis, those of an axis next to each other.
template <typename Index, int axes>
DEVICE void find_indices(const uint8* mask, const int64* ends, int64* result, int64 size,
                         int64 limit, const Lengths<axes>& lengths) {
    const Chosen chosen = chosen_of(mask, ends, size);
    int before = 0;
    UNROLLED
    for (int step = 0; step < STEPS; ++step) {
        const int64 rank = chosen.rank_of(step, before);
        before += chosen.count(step);
        if (chosen.has(step) && rank < limit) {
            Index number = Index(chosen.element(step));
            UNROLLED
            for (int axis = axes - 1; axis > 0; --axis) {
                const Index length = Index(lengths.of[axis]), rest = number / length;
                result[axis * limit + rank] = int64(number - rest * length);
                number = rest;
            }
            result[rank] = int64(number);
        }
    }
}

// --- rows ----------------------------------------------------------------------------------------

// Rows of units at places, next to each other, or the other way: what is next to each other is put
// at the places.
template <typename U, typename Index, bool puts>
DEVICE void move_rows(const int64* places, const U* from, U* to, int64 count, int64 row) {
    constexpr int UNITS = 4;  // that a thread moves
    const Index step = Index(gridDim.x) * THREADS * UNITS;
    for (Index first = Index(blockIdx.x) * THREADS * UNITS + threadIdx.x; first < Index(count);
         first += step) {
        U values[UNITS];
        int64 at[UNITS];
        UNROLLED
        for (int i = 0; i < UNITS; ++i) {
            const Index number = first + i * THREADS;
            if (number >= Index(count)) break;
            const Index rank = number / Index(row);
            at[i] = places[rank] * row + int64(number - rank * Index(row));
            values[i] = puts ? from[number] : from[at[i]];
        }
        UNROLLED
        for (int i = 0; i < UNITS; ++i) {
            const Index number = first + i * THREADS;
            if (number < Index(count)) to[puts ? at[i] : int64(number)] = values[i];
        }
    }
}

// Elements of rows that are next to each other, put into an array that lies in any way.
template <typename U, typename Index, int axes>
DEVICE void put_anywhere(const int64* places, const U* from, U* to, int64 count, int64 row,
                         const Lengths<axes>& lengths, const Lengths<axes>& steps) {
    const Index step = all_threads<Index>();
    for (Index number = first_thread<Index>(); number < Index(count); number += step) {
        const Index rank = number / Index(row);
        Index rest = Index(places[rank] * row) + (number - rank * Index(row));
        int64 at = 0;
        UNROLLED
        for (int axis = axes - 1; axis > 0; --axis) {
            const Index length = Index(lengths.of[axis]), outer = rest / length;
            at += int64(rest - outer * length) * steps.of[axis];
            rest = outer;
        }
        to[at + int64(rest) * steps.of[0]] = from[number];
    }
}

}  // namespace numr::masks
