// How element-wise kernels reach their operands; elementwise_kernels.py writes the kernels.
#pragma once
#include "numbers.cuh"

namespace numr {

constexpr int THREADS = 256;  // of a block

// So many elements as one access, of 16 bytes or a multiple of them where they are that many.
template <typename T, int count>
struct alignas(sizeof(T) * count < 16 ? sizeof(T) * count : 16) Vector {
    T at[count];
};

template <int count, typename T> DEVICE Vector<T, count> loaded(const T* first) {
    return *reinterpret_cast<const Vector<T, count>*>(first);
}
template <int count, typename T> DEVICE void store(T* first, const Vector<T, count>& values) {
    *reinterpret_cast<Vector<T, count>*>(first) = values;
}

// The number of this thread among all, and how many there are.
template <typename Index> DEVICE Index first_thread() {
    return Index(blockIdx.x) * THREADS + threadIdx.x;
}
template <typename Index> DEVICE Index all_threads() { return Index(gridDim.x) * THREADS; }

// --- places --------------------------------------------------------------------------------------

// A length to divide by. A number below 2**31 is divided by multiplying (Granlund and Montgomery,
// PLDI 1994): the quotient is (high half of factor * number + number) >> shift.
struct Length {
    uint32 length, factor, shift;
};
DEVICE uint32 quotient(uint32 number, const Length& by) {
    return (uint32(uint64(by.factor) * number >> 32) + number) >> by.shift;
}
DEVICE uint32 quotient(uint32 number, int64 by) { return number / uint32(by); }
DEVICE uint64 quotient(uint64 number, int64 by) { return number / uint64(by); }

DEVICE uint32 length_of(const Length& axis) { return axis.length; }
DEVICE int64 length_of(int64 axis) { return axis; }

// Axes that all arrays step through: their lengths, and the elements from one index to the next.
template <int axes, int arrays> struct Layout {
    Length lengths[axes];
    int32 steps[arrays][axes];
};
template <int axes, int arrays> struct WideLayout {
    int64 lengths[axes];
    int64 steps[arrays][axes];
};

// Finds an element's index along each axis, given its number in row-major order, and its place in
// all arrays.
template <typename Lay, typename Index, int axes, int arrays>
DEVICE void find_places(
    const Lay& layout, Index number, Index (&indexes)[axes], int64 (&places)[arrays]
) {
    UNROLLED
    for (int array = 0; array < arrays; ++array) places[array] = 0;
    UNROLLED
    for (int axis = axes - 1; axis >= 0; --axis) {
        const Index rest = axis == 0 ? Index(0) : Index(quotient(number, layout.lengths[axis]));
        const Index index = number - rest * Index(length_of(layout.lengths[axis]));
        indexes[axis] = index;
        UNROLLED
        for (int array = 0; array < arrays; ++array) {
            places[array] += int64(index) * layout.steps[array][axis];
        }
        number = rest;
    }
}

// --- chunks of rows that are not aligned ---------------------------------------------------------

// A row: its elements, and the steps of all arrays along it.
template <int arrays> struct Steps {
    int64 length;
    int64 steps[arrays];
};

// Elements next to each other that may begin anywhere. Of those that fill 4 bytes, the one or two
// words are read in which they lie.
template <int count, typename T> DEVICE Vector<T, count> shifted(const T* first) {
    Vector<T, count> result;
    if constexpr (count > 1 && count * sizeof(T) == 4) {
        const uint64 address = reinterpret_cast<uint64>(first);
        const uint32* words = reinterpret_cast<const uint32*>(address & ~uint64(3));
        const uint32 beyond = uint32(address & 3) * 8;
        uint64 found = words[0];
        if (beyond) found |= uint64(words[1]) << 32;
        *reinterpret_cast<uint32*>(&result) = uint32(found >> beyond);
    } else {
        UNROLLED
        for (int i = 0; i < count; ++i) result.at[i] = first[i];
    }
    return result;
}

// --- tiles ---------------------------------------------------------------------------------------

// Tiles of the last two axes, ``down`` and ``across``. The last two lengths of ``layout`` count
// tiles, and its steps go from tile to tile.
template <typename Lay, int arrays> struct Tiles {
    Lay layout;
    int64 down, across;  // elements
    int64 steps_down[arrays], steps_across[arrays];
};

// A tile's line of one index across. It consists of words, of which there are some in excess, so
// that reading across meets many banks.
template <typename T, int across, int down> struct Line {
    static constexpr int word = sizeof(T) < 4 ? 4 / sizeof(T) : 1;
    alignas(sizeof(T) < 4 ? 4 : sizeof(T)) T at[down + (across < 32 ? 32 / across : 1) * word];
};

// Reads a tile of an operand along ``down``, ``count`` elements at a time, to shared memory; of the
// tile there are ``high`` elements down and ``wide`` across.
template <int count, int across, int down, typename T>
DEVICE void read_tile(
    Line<T, across, down>* tile, const T* from, int64 step_across, int64 step_down, int wide, int high
) {
    constexpr int vectors = down / count, lines = THREADS / vectors, each = across / lines;
    const int d = int(threadIdx.x) % vectors * count, first = int(threadIdx.x) / vectors;
    from += first * step_across + d * step_down;
    // Whole words are not taken apart, which would be waiting for each.
    using Word = choice<count == 1, T, choice<count * sizeof(T) == 4, uint32, uint16>>;
    if (count == 1 || (high == down && wide == across)) {
        Word held[each];
        UNROLLED
        for (int k = 0; k < each; ++k) {
            if (count > 1 || (d < high && first + k * lines < wide)) {
                held[k] = *reinterpret_cast<const Word*>(from);
            }
            from += lines * step_across;
        }
        UNROLLED
        for (int k = 0; k < each; ++k) {
            *reinterpret_cast<Word*>(tile[first + k * lines].at + d) = held[k];
        }
    } else {
        ROLLED
        for (int l = first; l < wide; l += lines) {
            ROLLED
            for (int i = 0; i < count && d + i < high; ++i) tile[l].at[d + i] = from[i];
            from += lines * step_across;
        }
    }
}

}  // namespace numr
