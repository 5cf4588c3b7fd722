// Padding: an element's place along each axis tells where it comes from, and the other way round.
// Where the last axis is long, threads have 16 bytes each of what is made, which lie side by side
// where they come from, too, but near the ends of that axis.
#pragma once
#include "elementwise.cuh"

namespace numr {
namespace padding {

enum Mode { VALUE, REFLECT, EDGE, SYMMETRIC, WRAP };

// An axis of the padded array, of the one within, and what is ahead of it.
struct Axis {
    int64 padded, length, before, step;
    Length by;  // divides by what is padded, where elements are few
};
DEVICE uint32 above(uint32 number, const Axis& along) { return quotient(number, along.by); }
DEVICE uint64 above(uint64 number, const Axis& along) { return number / uint64(along.padded); }
template <int axes> struct Axes {
    Axis at[axes];
};

// The index within an axis, from one ahead of it, in it or behind; -1 if there is none.
template <Mode mode> DEVICE int64 inside(int64 index, int64 length) {
    if (index >= 0 && index < length) return index;
    if constexpr (mode == REFLECT) return index < 0 ? -index : 2 * (length - 1) - index;
    if constexpr (mode == EDGE) return index < 0 ? 0 : length - 1;
    if constexpr (mode == SYMMETRIC) return index < 0 ? -1 - index : 2 * length - 1 - index;
    if constexpr (mode == WRAP) return index < 0 ? index + length : index - length;
    return -1;
}

// Where the axes but the last lead to; false if beyond the array.
template <Mode mode, int axes, typename Index>
DEVICE bool find_row(Index row, const Axes<axes>& layout, int64& place) {
    bool is_inside = true;
    place = 0;
    UNROLLED
    for (int axis = axes - 2; axis >= 0; --axis) {
        const Axis& along = layout.at[axis];
        const Index rest = axis == 0 ? Index(0) : Index(above(row, along));
        const int64 from =
            inside<mode>(int64(row - rest * Index(along.padded)) - along.before, along.length);
        is_inside = is_inside && from >= 0;
        place += from * along.step;
        row = rest;
    }
    return is_inside;
}

// As many elements as 16 bytes have, in the largest accesses that their address allows.
template <typename Word, typename E, int each> DEVICE void copy(Vector<E, each>& to, const E* from) {
    const Word* words = reinterpret_cast<const Word*>(from);
    union {
        Vector<Word, int(16 / sizeof(Word))> words;
        Vector<E, each> elements;
    } found;
    UNROLLED
    for (int i = 0; i < int(16 / sizeof(Word)); ++i) found.words.at[i] = words[i];
    to = found.elements;
}
template <typename E, int each> DEVICE Vector<E, each> unaligned(const E* from) {
    const uint32 excess = uint32(reinterpret_cast<uint64>(from)) % 16;
    Vector<E, each> found;
    if (excess == 0) {
        found = loaded<each>(from);
    } else if (excess == 8) {
        copy<uint64>(found, from);
    } else if (excess % 4 == 0) {
        copy<uint32>(found, from);
    } else {
        copy<E>(found, from);
    }
    return found;
}

template <typename E, Mode mode, int axes, int each, typename Index>
DEVICE void forward(E* out, const E* data, int64 count, const Axes<axes>& layout, E value) {
    const Index step = all_threads<Index>() * each;
    const Axis& last = layout.at[axes - 1];
    for (Index first = first_thread<Index>() * each; first < Index(count); first += step) {
        Index row = axes == 1 ? Index(0) : Index(above(first, last));
        int64 at = int64(first - row * Index(last.padded));
        int64 place;
        bool is_inside = find_row<mode>(row, layout, place);
        const int64 from = at - last.before;
        if (is_inside && from >= 0 && from + each <= last.length) {
            if constexpr (each == 1) {
                out[first] = data[place + from];
            } else {
                store<each>(out + first, unaligned<E, each>(data + place + from));
            }
        } else {
            ROLLED
            for (int i = 0; i < each && first + i < Index(count); ++i) {
                if (at == last.padded) {
                    at = 0;
                    is_inside = find_row<mode>(++row, layout, place);
                }
                const int64 found = inside<mode>(at - last.before, last.length);
                out[first + i] = is_inside && found >= 0 ? data[place + found] : value;
                ++at;
            }
        }
    }
}

// The places of an axis that hold an element: up to three runs, from ``first`` on.
struct Run {
    int64 first, count;
};
template <Mode mode> DEVICE void runs_of(int64 index, const Axis& along, Run (&runs)[3]) {
    const int64 before = along.before, length = along.length;
    const int64 after = along.padded - length - before;
    runs[1] = {before + index, 1};
    if constexpr (mode == EDGE) {
        runs[0] = {0, index == 0 ? before : 0};
        runs[2] = {before + length, index == length - 1 ? after : 0};
    } else if constexpr (mode == WRAP) {
        runs[0] = {index - (length - before), index >= length - before ? 1 : 0};
        runs[2] = {before + length + index, index < after ? 1 : 0};
    } else {
        constexpr int64 same = mode == SYMMETRIC ? 1 : 0;  // whether the last is repeated itself
        runs[0] = {before - index - same, index >= 1 - same && index + same <= before ? 1 : 0};
        const int64 mirrored = 2 * (length - 1) + same - index;
        runs[2] = {before + mirrored, mirrored >= length && mirrored < length + after ? 1 : 0};
    }
}

template <int axis, int axes, typename F, typename E>
DEVICE void add(F& sum, const E* grad, const Axes<axes>& layout, const Run (&runs)[axes][3],
                int64 place) {
    if constexpr (axis == axes) {
        sum += converted<F>(grad[place]);
    } else {
        const int64 padded = layout.at[axis].padded;
        ROLLED
        for (int run = 0; run < 3; ++run) {
            ROLLED
            for (int64 i = 0; i < runs[axis][run].count; ++i) {
                add<axis + 1>(sum, grad, layout, runs, place * padded + runs[axis][run].first + i);
            }
        }
    }
}

template <typename E, Mode mode, int axes, typename Index>
DEVICE void backward(E* out, const E* grad, int64 count, const Axes<axes>& layout) {
    using F = Computed<E>;
    const Index step = all_threads<Index>();
    for (Index number = first_thread<Index>(); number < Index(count); number += step) {
        Index rest = number;
        Run runs[axes][3];
        UNROLLED
        for (int axis = axes - 1; axis >= 0; --axis) {
            const Axis& along = layout.at[axis];
            const Index above = axis == 0 ? Index(0) : rest / Index(along.length);
            runs_of<mode>(int64(rest - above * Index(along.length)), along, runs[axis]);
            rest = above;
        }
        F sum = F(0);
        add<0>(sum, grad, layout, runs, 0);
        out[number] = converted<E>(sum);
    }
}

}  // namespace padding
}  // namespace numr
