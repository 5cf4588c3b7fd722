// Running sums and products along an axis; scans.py says which kernel is used when.
//
// What a result is made of depends on nothing but the shape: each partial result is combined with
// the others in an order that is fixed, however long the blocks take. Elements are of a type K in
// memory; those of 16 bits are computed in float32 and rounded when they are written.
#pragma once
#include "elementwise.cuh"

// So many blocks have to find room at once.
#ifdef __CUDACC__
#define KERNEL_BESIDE(blocks) KERNEL __launch_bounds__(THREADS, blocks)
#else
#define KERNEL_BESIDE(blocks) KERNEL
#endif

namespace numr::scans {

constexpr unsigned ALL_LANES = 0xffffffffu;
constexpr int LANES_OF_WARP = 32;
constexpr int WARPS = THREADS / LANES_OF_WARP;

struct Sum {
    template <typename T> static DEVICE T of(T x, T y) {
        if constexpr (is_floating<T> || is_complex<T>) return x + y;
        else return added(x, y);
    }
};
struct Product {
    template <typename T> static DEVICE T of(T x, T y) {
        if constexpr (is_floating<T> || is_complex<T>) return x * y;
        else return multiplied(x, y);
    }
};

// --- lanes of a warp -----------------------------------------------------------------------------

template <typename T> DEVICE T of_lane(T x, int lane) {
    if constexpr (is_complex<T>) return T{of_lane(x.real, lane), of_lane(x.imag, lane)};
    else if constexpr (sizeof(T) < 4) return T(__shfl_sync(ALL_LANES, uint32(x), lane));
    else return __shfl_sync(ALL_LANES, x, lane);
}
template <typename T> DEVICE T of_lane_before(T x, int step) {
    if constexpr (is_complex<T>) return T{of_lane_before(x.real, step), of_lane_before(x.imag, step)};
    else if constexpr (sizeof(T) < 4) return T(__shfl_up_sync(ALL_LANES, uint32(x), step));
    else return __shfl_up_sync(ALL_LANES, x, step);
}

// The value of each lane combined with those of the lanes before it in its slice of the warp.
template <typename Op, int lanes, typename T> DEVICE T across_lanes(T x) {
    const int lane = threadIdx.x % lanes;
    UNROLLED
    for (int step = 1; step < lanes; step *= 2) {
        const T before = of_lane_before(x, step);
        if (lane >= step) x = Op::of(before, x);
    }
    return x;
}

// A stretch of memory that a slice of a warp scans: in each round, the lanes have vectors that are
// next to each other.
template <typename Op, typename K, int lanes, int rounds> struct Stretch {
    using T = Computed<K>;
    static constexpr int each = 16 / sizeof(K);
    static constexpr int length = lanes * each * rounds;

    Vector<T, each> values[rounds];  // each the sum of those before it in the stretch and itself
    T total;

    DEVICE static int place(int round) {
        return (round * lanes + int(threadIdx.x % lanes)) * each;
    }

    // Reads and scans ``left`` elements. Those beyond are taken as zero, which only comes after
    // all others.
    template <bool aligned> DEVICE void read(const K* from, int left) {
        UNROLLED
        for (int round = 0; round < rounds; ++round) {
            const int at = place(round);
            if (aligned && at + each <= left) {
                const auto vector = loaded<each>(from + at);
                UNROLLED
                for (int i = 0; i < each; ++i) values[round].at[i] = converted<T>(vector.at[i]);
            } else {
                UNROLLED
                for (int i = 0; i < each; ++i) {
                    values[round].at[i] = at + i < left ? converted<T>(from[at + i]) : T{};
                }
            }
        }
        T upto[rounds];
        UNROLLED
        for (int round = 0; round < rounds; ++round) {
            UNROLLED
            for (int i = 1; i < each; ++i) {
                values[round].at[i] = Op::of(values[round].at[i - 1], values[round].at[i]);
            }
            upto[round] = across_lanes<Op, lanes>(values[round].at[each - 1]);
        }
        const int lane = threadIdx.x % lanes;
        const int last = (threadIdx.x % LANES_OF_WARP) / lanes * lanes + lanes - 1;
        UNROLLED
        for (int round = 0; round < rounds; ++round) {
            T before = of_lane_before(upto[round], 1);
            const T all = lanes == 1 ? upto[round] : of_lane(upto[round], last);
            if (round > 0) before = lane > 0 ? Op::of(total, before) : total;
            total = round > 0 ? Op::of(total, all) : all;
            if (round > 0 || lane > 0) {  // nothing precedes the first
                UNROLLED
                for (int i = 0; i < each; ++i) {
                    values[round].at[i] = Op::of(before, values[round].at[i]);
                }
            }
        }
    }

    // Writes what was read, after a prefix if there is one.
    template <bool aligned> DEVICE void write(K* to, int left, bool has_prefix, T prefix) {
        UNROLLED
        for (int round = 0; round < rounds; ++round) {
            const int at = place(round);
            if (has_prefix) {
                UNROLLED
                for (int i = 0; i < each; ++i) {
                    values[round].at[i] = Op::of(prefix, values[round].at[i]);
                }
            }
            if (aligned && at + each <= left) {
                Vector<K, each> vector;
                UNROLLED
                for (int i = 0; i < each; ++i) vector.at[i] = converted<K>(values[round].at[i]);
                store<each>(to + at, vector);
            } else {
                UNROLLED
                for (int i = 0; i < each; ++i) {
                    if (at + i < left) to[at + i] = converted<K>(values[round].at[i]);
                }
            }
        }
    }
};

// How much of a stretch is left before the end of a row.
DEVICE int part_left(int64 left, int most) {
    return left < 0 ? 0 : left < most ? int(left) : most;
}

// --- rows ----------------------------------------------------------------------------------------

// A slice of a warp goes along each row.
template <typename Op, typename K, int lanes, int rounds, bool aligned>
DEVICE void scan_rows(const K* data, K* result, int64 rows, int64 length) {
    using T = Computed<K>;
    using Part = Stretch<Op, K, lanes, rounds>;
    const int64 row = (int64(blockIdx.x) * THREADS + threadIdx.x) / lanes;
    const int64 start = row * length;
    T sum{};
    ROLLED
    for (int64 first = 0; first < length; first += Part::length) {
        const int left = row < rows ? part_left(length - first, Part::length) : 0;
        Part part;
        part.template read<aligned>(data + start + first, left);
        part.template write<aligned>(result + start + first, left, first > 0, sum);
        sum = first > 0 ? Op::of(sum, part.total) : part.total;
    }
}

// --- tiles of rows -------------------------------------------------------------------------------

// A row is cut into tiles, each of which a block scans. Blocks tell each other their totals, so
// that the array is read once: those of tiles, of groups of 32 tiles, and of all groups up to each
// 32nd. A tile adds what precedes it from one value of the last kind and at most 31 of each other,
// and these are always the same ones.

// Two words that other blocks write, in one access.
#ifdef __CUDACC__
DEVICE void read_two(const uint64* at, uint64& first, uint64& second) {
    asm volatile("ld.volatile.global.v2.u64 {%0, %1}, [%2];"
                 : "=l"(first), "=l"(second) : "l"(at) : "memory");
}
#else
inline void read_two(const uint64* at, uint64& first, uint64& second) {
    first = at[0];
    second = at[1];
}
#endif

// A value in memory with a mark in each word that says it is there, as one access for each word.
template <typename T> struct Told {
    static constexpr int words = sizeof(T) <= 4 ? 1 : sizeof(T) / 4;
    static constexpr uint64 mark = uint64(1) << 32;
    union Bits {
        T value;
        uint32 part[words];
        DEVICE Bits() {}
    };

    static DEVICE void tell(uint64* at, T value) {
        Bits bits;
        bits.part[0] = 0;
        bits.value = value;
        UNROLLED
        for (int i = 0; i < words; ++i) {
            *static_cast<volatile uint64*>(at + i) = mark | bits.part[i];
        }
    }
    // Whether the value is there.
    static DEVICE bool hear(const uint64* at, T& value) {
        Bits bits;
        uint64 heard[words];
        bool found = true;
        if constexpr (words % 2 == 0) {
            UNROLLED
            for (int i = 0; i < words; i += 2) read_two(at + i, heard[i], heard[i + 1]);
        } else {
            heard[0] = *static_cast<const volatile uint64*>(at);
        }
        UNROLLED
        for (int i = 0; i < words; ++i) {
            found = found && heard[i] >= mark;
            bits.part[i] = uint32(heard[i]);
        }
        value = bits.value;
        return found;
    }
};

// What precedes a tile of a row that is not the first; a warp calls this.
template <typename Op, typename T>
DEVICE T preceding(uint64* told, uint32 tiles, uint32 tile, T total) {
    using Word = Told<T>;
    const uint32 lane = threadIdx.x % 32;
    const uint32 group = tile / 32, place = tile % 32;
    const uint32 era = group / 32, place_of_group = group % 32;
    uint64* of_groups = told + uint64(tiles) * Word::words;
    uint64* of_eras = of_groups + uint64(tiles / 32) * Word::words;
    if (lane == 0) Word::tell(told + uint64(tile) * Word::words, total);
    T one{}, many{}, all{};
    bool has_one = lane >= place, has_many = lane >= place_of_group, has_all = era == 0;
    const uint64* at_one = told + (uint64(group) * 32 + lane) * Word::words;
    const uint64* at_many = of_groups + (uint64(era) * 32 + lane) * Word::words;
    const uint64* at_all = of_eras + uint64(era - (era > 0)) * Word::words;
    do {
        if (!has_one) has_one = Word::hear(at_one, one);
        if (!has_many) has_many = Word::hear(at_many, many);
        if (!has_all) has_all = Word::hear(at_all, all);
    } while (!__all_sync(ALL_LANES, has_one));
    T before = of_lane(across_lanes<Op, 32>(one), int(place + 31) % 32);
    const T with_tile = place > 0 ? Op::of(before, total) : total;
    if (lane == 0 && place == 31) {
        Word::tell(of_groups + uint64(group) * Word::words, with_tile);
    }
    while (!__all_sync(ALL_LANES, has_many && has_all)) {
        if (!has_many) has_many = Word::hear(at_many, many);
        if (!has_all) has_all = Word::hear(at_all, all);
    }
    const T groups = of_lane(across_lanes<Op, 32>(many), int(place_of_group + 31) % 32);
    // What precedes the group.
    T start = groups;
    if (era > 0) start = place_of_group > 0 ? Op::of(all, groups) : all;
    if (lane == 0 && place == 31 && place_of_group == 31) {
        Word::tell(of_eras + uint64(era) * Word::words, Op::of(start, with_tile));
    }
    if (group > 0) before = place > 0 ? Op::of(start, before) : start;
    return before;
}

// ``told`` is zero: two words that count the blocks, and for each row its values. It is not used
// where rows are one tile each.
template <typename Op, typename K, int rounds, bool aligned>
DEVICE void scan_tiles(const K* data, K* result, uint64* told, int64 length, int64 tiles) {
    using T = Computed<K>;
    using Part = Stretch<Op, K, LANES_OF_WARP, rounds>;
    constexpr int64 tile_length = int64(WARPS) * Part::length;
    SHARED uint32 shared_number;
    SHARED T totals[WARPS];
    SHARED T shared_prefix;
    uint32 number = blockIdx.x;
    if (tiles > 1) {
        // Blocks are numbered as they start, so that those before one have started.
        if (threadIdx.x == 0) shared_number = atomicAdd(reinterpret_cast<uint32*>(told), 1u);
        __syncthreads();
        number = shared_number;
    }
    const uint32 row = number / uint32(tiles), tile = number % uint32(tiles);
    const int warp = threadIdx.x / LANES_OF_WARP;
    const int64 first = tile * tile_length + warp * Part::length;
    const int64 at = row * length + first;
    const int left = part_left(length - first, Part::length);
    Part part;
    part.template read<aligned>(data + at, left);
    if (threadIdx.x % LANES_OF_WARP == 0) totals[warp] = part.total;
    __syncthreads();
    T prefix{}, total = totals[0];
    UNROLLED
    for (int i = 1; i < WARPS; ++i) {
        if (i == warp) prefix = total;
        total = Op::of(total, totals[i]);
    }
    if (tiles > 1) {
        constexpr int words = Told<T>::words;
        const int64 of_row = tiles + tiles / 32 + tiles / 1024;
        uint64* own = told + 2 + row * of_row * words;
        if (threadIdx.x < LANES_OF_WARP) {
            const T before = preceding<Op>(own, uint32(tiles), tile, total);
            if (threadIdx.x == 0) shared_prefix = before;
        }
        __syncthreads();
        if (tile > 0) prefix = warp > 0 ? Op::of(shared_prefix, prefix) : shared_prefix;
    }
    part.template write<aligned>(result + at, left, tile > 0 || warp > 0, prefix);
}

// --- columns -------------------------------------------------------------------------------------

// A thread goes along a piece of a column of ``data``, of axes outer, length, inner. It starts from
// the total of the pieces before, or writes nothing but the total of the piece.
template <typename Op, typename K, typename Index, bool only_totals, bool prefixed>
DEVICE void scan_columns(const K* data, choice<only_totals, Computed<K>, K>* result,
                         const Computed<K>* totals, int64 columns, int64 length, int64 inner,
                         int64 pieces, int64 piece) {
    using T = Computed<K>;
    constexpr int AHEAD = 8;  // elements that are read before the first is written
    const Index number = first_thread<Index>();
    if (number >= Index(columns * pieces)) return;
    const Index rest = number / Index(inner), column = number - rest * Index(inner);
    const Index outer = rest / Index(pieces), own = rest - outer * Index(pieces);
    const Index first = own * Index(piece);
    const Index most = Index(length) - first;
    const Index count = most < Index(piece) ? most : Index(piece);
    const int64 start = (int64(outer) * length + first) * inner + column;
    const K* from = data + start;
    bool has_sum = prefixed && own > 0;
    T sum{};
    if (has_sum) sum = totals[number - Index(inner)];
    ROLLED
    for (Index i = 0; i < count; i += AHEAD) {
        T values[AHEAD];
        UNROLLED
        for (int j = 0; j < AHEAD; ++j) {
            values[j] = i + j < count ? converted<T>(from[int64(i + j) * inner]) : T{};
        }
        UNROLLED
        for (int j = 0; j < AHEAD; ++j) {
            if (i + j < count) {
                sum = has_sum ? Op::of(sum, values[j]) : values[j];
                has_sum = true;
                if constexpr (!only_totals) {
                    result[start + int64(i + j) * inner] = converted<K>(sum);
                }
            }
        }
    }
    if constexpr (only_totals) result[number] = sum;
}

}  // namespace numr::scans
