// Padding: an element's place along each axis tells where it comes from, and the other way round.
#pragma once
#include "elementwise.cuh"

namespace numr {
namespace padding {

enum Mode { VALUE, REFLECT, EDGE, SYMMETRIC, WRAP };

// An axis of the padded array, of the one within, and what is ahead of it.
struct Axis {
    int64 padded, length, before, step;
};
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

template <typename E, Mode mode, int axes, typename Index>
DEVICE void forward(E* out, const E* data, const E* value, int64 count, const Axes<axes>& layout) {
    const Index step = all_threads<Index>();
    for (Index number = first_thread<Index>(); number < Index(count); number += step) {
        Index rest = number;
        int64 place = 0;
        bool is_inside = true;
        UNROLLED
        for (int axis = axes - 1; axis >= 0; --axis) {
            const Axis& along = layout.at[axis];
            const Index above = axis == 0 ? Index(0) : rest / Index(along.padded);
            const int64 from =
                inside<mode>(int64(rest - above * Index(along.padded)) - along.before, along.length);
            is_inside = is_inside && from >= 0;
            place += from * along.step;
            rest = above;
        }
        out[number] = is_inside ? data[place] : *value;
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
