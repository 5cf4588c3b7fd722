// Elements taken by index, and numbers that count.
#pragma once
#include "elementwise.cuh"

namespace numr {

// The axes of an array along which index arrays select: their lengths, the units from one index to
// the next, and what is left in the fault word if an index is out of bounds.
template <int arrays> struct Selected {
    int64 lengths[arrays];
    int64 steps[arrays];
    uint32 faults[arrays];
};

// An index from 0 of one that may be negative; of one out of bounds 0, and the word gets the number.
template <typename T> DEVICE int64 place_of(T index, int64 length, uint32 number, uint32* fault) {
    uint64 at = uint64(index);
    if (is_signed<T> && index < T(0)) at += uint64(length);
    if (at >= uint64(length)) {
        atomicMax(fault, number);
        at = 0;
    }
    return int64(at);
}

// start + step * i for each i, in the arithmetic of T, then converted; 16 bytes at a time.
template <typename T, typename Stored>
DEVICE void write_range(Stored* out, int64 count, T start, T step) {
    constexpr int each = 16 / sizeof(Stored);
    for (int64 at = first_thread<int64>() * each; at < count; at += all_threads<int64>() * each) {
        Vector<Stored, each> numbers;
        UNROLLED
        for (int i = 0; i < each; ++i) {
            numbers.at[i] = converted<Stored>(T(T(at + i) * step + start));
        }
        if (at + each <= count) {
            store<each>(out + at, numbers);
        } else {
            UNROLLED
            for (int i = 0; i < each; ++i) {
                if (at + i < count) out[at + i] = numbers.at[i];
            }
        }
    }
}

}  // namespace numr
