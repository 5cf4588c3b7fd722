// Reductions along axes: how threads share the elements; accumulators.cuh has what they do.
// reduction_kernels.py writes the kernels. What is added to what follows from shapes alone.
#pragma once
#include "accumulators.cuh"

namespace numr {
namespace reduction {

[[maybe_unused]] constexpr int LANES = 32;      // of a warp
[[maybe_unused]] constexpr int IN_COLUMNS = 8;  // accesses of a thread before it needs the first
[[maybe_unused]] constexpr int AT_ONCE = 16;    // elements that are taken as one, or one access's
[[maybe_unused]] constexpr int APART = 4;       // columns of a thread that may have fewer

template <typename R> using StateOf = typename R::State;
template <typename R> using ElementOf = typename R::Element;
template <typename R> using ReferenceOf = typename R::Reference;

// Whether elements count from the first of their row.
template <typename R> constexpr bool needs_reference = !is_nothing<ReferenceOf<R>>;

// A state as words that can be handed on.
template <typename State> union Words {
    using Word = choice<sizeof(State) % 8 == 0, uint64, uint32>;
    static constexpr int count = sizeof(State) / sizeof(Word);
    State state;
    Word at[count];
};

template <typename State> DEVICE State of_lane_below(const State& state, int step) {
    Words<State> given, found;
    given.state = state;
    UNROLLED
    for (int i = 0; i < Words<State>::count; ++i) {
        found.at[i] = __shfl_down_sync(0xffffffffu, given.at[i], step);
    }
    return found.state;
}

// A state that another block has written.
template <typename State> DEVICE State seen(const State* state) {
    using Word = typename Words<State>::Word;
    Words<State> found;
    UNROLLED
    for (int i = 0; i < Words<State>::count; ++i) {
        found.at[i] = reinterpret_cast<const volatile Word*>(state)[i];
    }
    return found.state;
}

// Merges the states of groups of threads; the first thread of each has the outcome.
template <typename R, int threads> DEVICE void gather(StateOf<R>& state) {
    UNROLLED
    for (int step = (threads < LANES ? threads : LANES) / 2; step > 0; step /= 2) {
        R::merge(state, of_lane_below(state, step));
    }
    if constexpr (threads > LANES) {
        constexpr int warps = threads / LANES;
        SHARED StateOf<R> parts[warps];
        __syncthreads();  // those of before have been read
        if (threadIdx.x % LANES == 0) parts[threadIdx.x / LANES] = state;
        __syncthreads();
        if (threadIdx.x < LANES) {
            state = threadIdx.x < warps ? parts[threadIdx.x] : R::none();
            UNROLLED
            for (int step = warps / 2; step > 0; step /= 2) {
                R::merge(state, of_lane_below(state, step));
            }
        }
    }
}

// Whether this block is the last of so many to come here; what they wrote before can be seen then.
// The counter is 0 before the first and after the last.
DEVICE bool is_last(uint32* counter, uint32 blocks) {
    SHARED bool last;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        last = atomicAdd(counter, 1u) == blocks - 1;
        if (last) *counter = 0;
    }
    __syncthreads();
    const bool result = last;
    __threadfence();
    return result;
}

// Elements next to each other, of which so many are aligned together; 0 if not even one is.
template <int each, int chunk, typename T> DEVICE Vector<T, each> part_of(const T* first) {
    if constexpr (each == chunk && sizeof(T) * each == 16) {
        // As words: a compiler that is told of bytes takes them apart.
        union {
            Vector<uint32, 4> words;
            Vector<T, each> elements;
        };
        words = loaded<4>(reinterpret_cast<const uint32*>(first));
        return elements;
    } else if constexpr (each == chunk) {
        return loaded<each>(first);
    } else if constexpr (chunk == 0) {
        static_assert(each == 1, "only complex128 is larger than what it is aligned to");
        return {{*first}};
    } else {
        Vector<T, each> result;
        UNROLLED
        for (int i = 0; i < each; i += chunk) {
            const auto part = loaded<chunk>(first + i);
            UNROLLED
            for (int j = 0; j < chunk; ++j) result.at[i + j] = part.at[j];
        }
        return result;
    }
}

// Where a row's vectors are, in elements from its start: one after the other, or along some axes.
template <int each> struct Straight {
    template <typename Index> DEVICE int64 place(Index vector) const {
        return int64(vector) * each;
    }
};
template <int axes> struct Spread {
    WideLayout<axes, 1> layout;
    template <typename Index> DEVICE int64 place(Index vector) const {
        Index indexes[axes];
        int64 places[1];
        find_places(layout, vector, indexes, places);
        return places[0];
    }
};

// Takes a row's vectors from `first` on, `ahead` of them that are `threads` apart, and again so many
// after `stride`, up to before `stop`.
template <typename R, int threads, int ahead, int each, int chunk, typename Index, typename Along>
DEVICE void take_row(StateOf<R>& state, ReferenceOf<R> reference, const ElementOf<R>* row,
                     const Along& along, Index first, Index stride, Index stop) {
    using E = ElementOf<R>;
    constexpr int most = AT_ONCE / each, together = most < 1 ? 1 : most < ahead ? most : ahead;
    for (; first < stop; first += stride) {
        Vector<E, each> parts[ahead];
        if (stop - first > (ahead - 1) * threads) {
            UNROLLED
            for (int n = 0; n < ahead; ++n) {
                parts[n] = part_of<each, chunk>(row + along.place(first + n * threads));
            }
            UNROLLED
            for (int n = 0; n < ahead; n += together) {
                const Index at = Index((first + n * threads) * each);
                if constexpr (together == 1) {
                    R::template take<each>(state, reference, parts[n].at, at, Index(0));
                } else {
                    E x[together * each];
                    UNROLLED
                    for (int i = 0; i < together * each; ++i) {
                        x[i] = parts[n + i / each].at[i % each];
                    }
                    R::template take<each>(state, reference, x, at, Index(threads * each));
                }
            }
        } else {
            UNROLLED
            for (int n = 0; n < ahead; ++n) {
                if (first + n * threads >= stop) break;
                parts[n] = part_of<each, chunk>(row + along.place(first + n * threads));
            }
            UNROLLED
            for (int n = 0; n < ahead; ++n) {
                if (first + n * threads >= stop) break;
                R::template take<each>(state, reference, parts[n].at,
                                       Index((first + n * threads) * each), Index(0));
            }
        }
    }
}

// Rows, each by `threads` threads; or by several blocks, which take turns in reading it, so that
// all read what lies together. The last of them merges what all have written to `scratch`.
template <typename R, typename Index, int threads, int ahead, int each, int chunk, int kept,
          typename Along>
DEVICE void reduce_rows(typename R::Result* out, const ElementOf<R>* data, StateOf<R>* scratch,
                        uint32* counters, double divisor, int64 rows, int64 length, int64 pieces,
                        const WideLayout<kept, 2>& layout, const Along& along) {
    constexpr int together = THREADS / threads;  // rows of a block
    const Index lane = threadIdx.x % threads, full = Index(length / each);
    const Index count = Index(rows * pieces);
    for (Index base = Index(blockIdx.x) * together; base < count;
         base += Index(gridDim.x) * together) {
        const Index number = base + threadIdx.x / threads;
        const Index row = threads < THREADS || pieces == 1 ? number : number / Index(pieces);
        const Index part = number - row * (threads < THREADS ? 1 : Index(pieces));
        StateOf<R> state = R::none();
        int64 places[2] = {0, 0};
        if (number < count) {
            Index indexes[kept];
            find_places(layout, row, indexes, places);
            const ElementOf<R>* first = data + places[0];
            ReferenceOf<R> reference{};
            if constexpr (needs_reference<R>) reference = *first;
            constexpr Index step = threads * ahead;
            const Index stride = threads < THREADS ? step : step * Index(pieces);
            take_row<R, threads, ahead, each, chunk>(state, reference, first, along,
                                                     part * step + lane, stride, full);
            if (each > 1 && part == 0) {
                ROLLED
                for (Index i = full * each + lane; i < Index(length); i += threads) {
                    const ElementOf<R> x[1] = {first[i]};
                    R::template take<1>(state, reference, x, i, Index(0));
                }
            }
        }
        gather<R, threads>(state);
        if constexpr (threads == THREADS) {
            if (pieces > 1) {
                if (threadIdx.x == 0) scratch[number] = state;
                if (!is_last(counters + row, uint32(pieces))) continue;
                state = R::none();
                for (Index n = threadIdx.x; n < Index(pieces); n += THREADS) {
                    R::merge(state, seen(scratch + row * Index(pieces) + n));
                }
                gather<R, threads>(state);
            }
        }
        if (number < count && lane == 0) out[places[1]] = R::finish(state, length, divisor);
    }
}

// Merges the states of threads whose columns are the same; those of the first have the outcome.
template <typename R, int across, int down, int each>
DEVICE void gather_columns(StateOf<R> (&states)[each]) {
    if constexpr (down > 1) {
        SHARED StateOf<R> parts[across * down];
        UNROLLED
        for (int i = 0; i < each; ++i) {
            parts[threadIdx.x] = states[i];
            __syncthreads();
            UNROLLED
            for (int half = down / 2; half > 0; half /= 2) {
                if (threadIdx.x < half * across) {
                    R::merge(states[i], parts[threadIdx.x + half * across]);
                    parts[threadIdx.x] = states[i];
                }
                __syncthreads();
            }
        }
    }
}

// Elements of a thread's columns. Narrow ones of a whole access stay words until each is needed:
// a compiler that is told of bytes has a register for each.
template <typename T, int each> struct Columns {
    static constexpr bool packed = sizeof(T) < 4 && sizeof(T) * each == 16;
    Vector<choice<packed, uint32, T>, packed ? 4 : each> held;

    DEVICE T at(int i) const {
        if constexpr (packed) {
            constexpr int in_word = 4 / sizeof(T);
            const uint32 bits = held.at[i / in_word] >> i % in_word * (32 / in_word);
            if constexpr (is_narrow<T>) return narrow_of<T>(bits);
            else return T(bits);
        } else {
            return held.at[i];
        }
    }
};

// Reads all columns of a thread, which a branch at each access would make it wait for, or some.
template <bool all, int each, int chunk, typename T>
DEVICE Columns<T, each> columns_of(const T* first, int valid) {
    Columns<T, each> result{};
    if constexpr (Columns<T, each>::packed) {
        static_assert(all && each == chunk, "what is wider than APART is whole");
        result.held = loaded<4>(reinterpret_cast<const uint32*>(first));
    } else if constexpr (all) {
        result.held = part_of<each, chunk>(first);
    } else {
        UNROLLED
        for (int i = 0; i < each; ++i) {
            if (i < valid) result.held.at[i] = first[i];
        }
    }
    return result;
}

// Takes every down-th element of a thread's columns from `row` on, a few, and again after `stride`.
template <typename R, bool all, int down, int each, int chunk, typename Index, typename Along>
DEVICE void take_columns(StateOf<R> (&states)[each], const ElementOf<R>* first, int valid,
                         const Along& along, Index row, Index stride, Index stop) {
    using E = ElementOf<R>;
    ReferenceOf<R> references[each];
    if constexpr (needs_reference<R>) {
        const auto top = columns_of<all, each, chunk>(first, valid);
        UNROLLED
        for (int i = 0; i < each; ++i) references[i] = top.at(i);
    }
    for (; row < stop; row += stride) {
        Columns<E, each> parts[IN_COLUMNS];
        if (stop - row > (IN_COLUMNS - 1) * down) {
            UNROLLED
            for (int n = 0; n < IN_COLUMNS; ++n) {
                parts[n] =
                    columns_of<all, each, chunk>(first + along.place(row + n * down), valid);
            }
            UNROLLED
            for (int i = 0; i < each; ++i) {
                E taken[IN_COLUMNS];
                UNROLLED
                for (int n = 0; n < IN_COLUMNS; ++n) taken[n] = parts[n].at(i);
                R::template take<1>(states[i], references[i], taken, row, Index(down));
            }
        } else {
            UNROLLED
            for (int n = 0; n < IN_COLUMNS; ++n) {
                if (row + n * down >= stop) break;
                parts[n] =
                    columns_of<all, each, chunk>(first + along.place(row + n * down), valid);
            }
            UNROLLED
            for (int n = 0; n < IN_COLUMNS; ++n) {
                if (row + n * down >= stop) break;
                UNROLLED
                for (int i = 0; i < each; ++i) {
                    const E taken[1] = {parts[n].at(i)};
                    R::template take<1>(states[i], references[i], taken, Index(row + n * down),
                                        Index(0));
                }
            }
        }
    }
}

// Columns next to each other. A block has across * down threads: the former have `each` columns
// each, the latter take every down-th element of these. Several blocks may take turns, as in rows.
template <typename R, typename Index, int across, int down, int each, int chunk, int kept, int axes>
DEVICE void reduce_columns(typename R::Result* out, const ElementOf<R>* data, StateOf<R>* scratch,
                           uint32* counters, double divisor, int64 planes, int64 width,
                           int64 length, int64 pieces, int64 step, int64 out_step,
                           const WideLayout<kept, 2>& layout, const Spread<axes>& along) {
    using E = ElementOf<R>;
    const Index groups = Index((width + across * each - 1) / (across * each));
    const Index count = groups * Index(planes) * Index(pieces);
    const Index x = threadIdx.x % across, y = threadIdx.x / across;
    for (Index number = blockIdx.x; number < count; number += gridDim.x) {
        const Index rest = number / groups, group = number - rest * groups;
        const Index part = rest / Index(planes), plane = rest - part * Index(planes);
        const Index column = (group * across + x) * each;
        const int64 left = width - int64(column);
        const int valid = left >= each ? each : left > 0 ? int(left) : 0;
        Index indexes[kept];
        int64 places[2];
        find_places(layout, plane, indexes, places);
        const E* first = data + places[0] + int64(column) * step;
        StateOf<R> states[each];
        UNROLLED
        for (int i = 0; i < each; ++i) states[i] = R::none();
        const Index stride = Index(pieces) * (IN_COLUMNS * down);
        const Index row = part * (IN_COLUMNS * down) + y;
        if (valid == each) {
            take_columns<R, true, down, each, chunk>(states, first, valid, along, row, stride,
                                                     Index(length));
        } else if constexpr (each <= APART) {
            if (valid > 0) {
                take_columns<R, false, down, each, chunk>(states, first, valid, along, row, stride,
                                                          Index(length));
            }
        }
        gather_columns<R, across, down>(states);
        if (pieces > 1) {
            const Index apart = Index(planes) * Index(width);  // states of one piece
            StateOf<R>* to = scratch + (plane * Index(width) + column);
            if (y == 0) {
                UNROLLED
                for (int i = 0; i < each; ++i) {
                    if (i < valid) to[part * apart + i] = states[i];
                }
            }
            if (!is_last(counters + (plane * groups + group), uint32(pieces))) continue;
            UNROLLED
            for (int i = 0; i < each; ++i) {
                states[i] = R::none();
                if (i >= valid) continue;
                for (Index n = y; n < Index(pieces); n += down) {
                    R::merge(states[i], seen(to + n * apart + i));
                }
            }
            gather_columns<R, across, down>(states);
        }
        if (y == 0) {
            UNROLLED
            for (int i = 0; i < each; ++i) {
                if (i < valid) {
                    out[places[1] + (int64(column) + i) * out_step] =
                        R::finish(states[i], length, divisor);
                }
            }
        }
    }
}

}  // namespace reduction
}  // namespace numr
