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

// Axes that all arrays step through: their lengths, and the elements from one index to the next.
template <int axes, int arrays> struct Layout {
    int64 lengths[axes];
    int64 steps[arrays][axes];
};

// The places of an element of all arrays, given its number in row-major order.
template <typename Index, int axes, int arrays>
DEVICE void find_places(const Layout<axes, arrays>& layout, Index number, int64 (&places)[arrays]) {
    UNROLLED
    for (int array = 0; array < arrays; ++array) places[array] = 0;
    UNROLLED
    for (int axis = axes - 1; axis >= 0; --axis) {
        Index length = Index(layout.lengths[axis]);
        Index rest = axis == 0 ? 0 : number / length;
        int64 index = int64(number - rest * length);
        UNROLLED
        for (int array = 0; array < arrays; ++array) {
            places[array] += index * layout.steps[array][axis];
        }
        number = rest;
    }
}

}  // namespace numr
