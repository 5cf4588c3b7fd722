// How reductions accumulate elements.
#pragma once
#include "elementwise.cuh"

namespace numr {
namespace reduction {

// Each operation has a State, which none() begins, take() adds elements to and merge() those of
// other threads; finish() makes the result of it. take() is told where its elements are: element i
// has the position first + i / run * step + i % run.

struct Nothing {};
template <typename T> constexpr bool is_nothing = false;
template <> constexpr bool is_nothing<Nothing> = true;

// A sum, and what rounding left of it.
struct Compensated {
    double sum, rest;
};
template <typename F> struct ComplexTotal;

template <typename T> struct TotalOf { using type = Wrapping<T>; };
template <> struct TotalOf<float> { using type = double; };
template <> struct TotalOf<double> { using type = Compensated; };
template <typename F> struct TotalOf<Complex<F>> { using type = ComplexTotal<F>; };

template <typename F> struct ComplexTotal {
    typename TotalOf<F>::type real, imag;
};

DEVICE void add(uint32& total, uint32 x) { total += x; }
DEVICE void add(uint64& total, uint64 x) { total += x; }
DEVICE void add(double& total, double x) { total += x; }
DEVICE void add(Compensated& total, double x) {
    const double sum = total.sum + x, given = sum - total.sum;
    total.rest += (total.sum - (sum - given)) + (x - given);
    total.sum = sum;
}
DEVICE void add(Compensated& total, Compensated x) {
    add(total, x.sum);
    total.rest += x.rest;
}
template <typename F> DEVICE void add(ComplexTotal<F>& total, Complex<F> x) {
    add(total.real, x.real);
    add(total.imag, x.imag);
}
template <typename F> DEVICE void add(ComplexTotal<F>& total, ComplexTotal<F> x) {
    add(total.real, x.real);
    add(total.imag, x.imag);
}

// The quotient of a total by a number.
DEVICE double divided(double total, double by) { return total / by; }
DEVICE double divided(Compensated total, double by) {
    return (isfinite_(total.rest) ? total.sum + total.rest : total.sum) / by;
}

// Of a power of two of elements, pair by pair.
template <int count, typename T, int all> DEVICE T total_of(T (&x)[all]) {
    if constexpr (count == 1) {
        return x[0];
    } else {
        UNROLLED
        for (int i = 0; i < count / 2; ++i) x[i] = x[i] + x[i + count / 2];
        return total_of<count / 2>(x);
    }
}

// Whether elements are those of one access, of 16 bytes, of which instructions take four at once.
template <typename E, int run> constexpr bool are_bytes = sizeof(E) == 1 && run == 16;

// Four of such elements.
template <typename E, int count> DEVICE uint32 word_of(const E (&x)[count], int number) {
    return reinterpret_cast<const uint32*>(x)[number];
}

// The sum of four bytes, added to a number.
#ifdef __CUDACC__
DEVICE int32 added_bytes(int8, uint32 word, int32 sum) {
    return __dp4a(int32(word), 0x01010101, sum);
}
DEVICE int32 added_bytes(uint8, uint32 word, int32 sum) {
    return int32(__dp4a(word, 0x01010101u, uint32(sum)));
}
#else
template <typename E> int32 added_bytes(E, uint32 word, int32 sum) {
    for (int i = 0; i < 4; ++i) sum += E(word >> 8 * i);
    return sum;
}
#endif

// A sum of type R; Out is what it is rounded to, in the end.
template <typename E, typename R, typename Out> struct Sum {
    using Element = E;
    using Result = Out;
    using State = typename TotalOf<R>::type;
    using Reference = Nothing;
    static constexpr bool is_integer = !is_floating<R> && !is_complex<R>;
    static constexpr bool is_narrow = sizeof(E) <= 2;  // so that 32 bits hold a few elements' sum
    using Part = choice<is_integer, choice<is_narrow, int32, Wrapping<R>>, R>;

    static DEVICE State none() { return State{}; }
    template <int run, typename Index, int count>
    static DEVICE void take(State& state, Nothing, const E (&x)[count], Index, Index) {
        if constexpr (is_integer && sizeof(R) >= 4 && are_bytes<E, run>) {
            int32 sum = 0;
            UNROLLED
            for (int i = 0; i < count / 4; ++i) sum = added_bytes(E(0), word_of(x, i), sum);
            add(state, State(converted<R>(sum)));
        } else {
            Part parts[count];
            UNROLLED
            for (int i = 0; i < count; ++i) {
                if constexpr (is_complex<R>) {
                    parts[i] = converted<R>(x[i]);
                } else {
                    parts[i] = Part(converted<R>(x[i]));
                }
            }
            if constexpr (is_integer) {
                add(state, State(total_of<count>(parts)));
            } else {
                add(state, total_of<count>(parts));
            }
        }
    }
    static DEVICE void merge(State& state, const State& other) { add(state, other); }
    static DEVICE Out finish(const State& state, int64, double) {
        if constexpr (is_integer) {
            return Out(state);
        } else {
            return quotient(state, 1.0);
        }
    }
    static DEVICE Out quotient(const State& state, double by) {
        if constexpr (is_complex<R>) {
            using F = decltype(R::real);
            return R{F(divided(state.real, by)), F(divided(state.imag, by))};
        } else {
            return converted<Out>(divided(state, by));
        }
    }
};

template <typename E, typename R, typename Out> struct Mean : Sum<E, R, Out> {
    using Total = Sum<E, R, Out>;
    static DEVICE Out finish(const typename Total::State& state, int64 length, double) {
        return Total::quotient(state, double(length));
    }
};

template <typename E, typename R, typename Out> struct Product {
    using Element = E;
    using Result = Out;
    using State = choice<is_floating<R>, double, choice<is_complex<R>, complex128, Wrapping<R>>>;
    using Reference = Nothing;

    static DEVICE State none() {
        if constexpr (is_complex<R>) {
            return State{1.0, 0.0};
        } else {
            return State(1);
        }
    }
    template <int run, typename Index, int count>
    static DEVICE void take(State& state, Nothing, const E (&x)[count], Index, Index) {
        UNROLLED
        for (int i = 0; i < count; ++i) merge(state, converted<State>(converted<R>(x[i])));
    }
    static DEVICE void merge(State& state, const State& other) { state = state * other; }
    static DEVICE Out finish(const State& state, int64, double) { return converted<Out>(state); }
};

// Whether x is to be chosen rather than y; NaN comes before all numbers.
template <bool largest, typename T> DEVICE bool precedes(T x, T y) {
    const bool further = largest ? x > y : x < y;
    if constexpr (is_floating<T>) {
        return further || (x != x && y == y);
    } else {
        return further;
    }
}

// What is accumulated of narrow integers, so that threads can hand it on.
template <typename T>
using Widened = choice<sizeof(T) >= 4, T, choice<is_signed<T>, int32, uint32>>;

template <bool largest, int count, typename T, int all> DEVICE T extreme_of(T (&x)[all]) {
    if constexpr (count == 1) {
        return x[0];
    } else {
        UNROLLED
        for (int i = 0; i < count / 2; ++i) {
            x[i] = precedes<largest>(x[i + count / 2], x[i]) ? x[i + count / 2] : x[i];
        }
        return extreme_of<largest, count / 2>(x);
    }
}

// What every number precedes or equals.
template <bool largest, typename T> DEVICE T last_of() {
    if constexpr (is_floating<T>) {
        return largest ? -infinity<T>() : infinity<T>();
    } else if constexpr (is_signed<T>) {
        constexpr T most = T(~Wrapping<T>(0) >> 1);
        return largest ? T(-most - 1) : most;
    } else {
        return largest ? T(0) : T(~T(0));
    }
}

// Two numbers of 16 bits, each the one that is to be chosen.
#ifdef __CUDACC__
template <bool largest> DEVICE uint32 extremes_of(int8, uint32 x, uint32 y) {
    return largest ? __vmaxs2(x, y) : __vmins2(x, y);
}
template <bool largest> DEVICE uint32 extremes_of(uint8, uint32 x, uint32 y) {
    return largest ? __vmaxu2(x, y) : __vminu2(x, y);
}
#else
template <bool largest, typename E> uint32 extremes_of(E, uint32 x, uint32 y) {
    using Half = choice<is_signed<E>, int16, uint16>;
    uint32 result = 0;
    for (int i = 0; i < 32; i += 16) {
        const Half a = Half(x >> i), b = Half(y >> i);
        result |= uint32(uint16(precedes<largest>(a, b) ? a : b)) << i;
    }
    return result;
}
#endif

// The extreme of bytes that were read in whole accesses. Each is the upper half of 16 bits, whose
// lower half tells only equal ones apart.
template <bool largest, typename E, int count>
DEVICE Widened<E> extreme_of_bytes(const E (&x)[count]) {
    uint32 odd = word_of(x, 0), even = odd << 8;
    UNROLLED
    for (int i = 1; i < count / 4; ++i) {
        const uint32 word = word_of(x, i);
        odd = extremes_of<largest>(E(0), odd, word);
        even = extremes_of<largest>(E(0), even, word << 8);
    }
    const uint32 found = extremes_of<largest>(E(0), odd, even);
    return Widened<E>(E(extremes_of<largest>(E(0), found, found << 16) >> 24));
}

// The extreme of elements of which `run` are next to each other.
template <bool largest, int run, typename E, int count>
DEVICE Widened<E> chosen(const E (&x)[count]) {
    if constexpr (are_bytes<E, run>) {
        return extreme_of_bytes<largest>(x);
    } else {
        Widened<E> parts[count];
        UNROLLED
        for (int i = 0; i < count; ++i) parts[i] = Widened<E>(x[i]);
        return extreme_of<largest, count>(parts);
    }
}

template <typename E, bool largest> struct Extreme {
    using Element = E;
    using Result = E;
    using State = Widened<E>;
    using Reference = Nothing;

    static DEVICE State none() { return last_of<largest, State>(); }
    template <int run, typename Index, int count>
    static DEVICE void take(State& state, Nothing, const E (&x)[count], Index, Index) {
        merge(state, chosen<largest, run>(x));
    }
    static DEVICE void merge(State& state, const State& other) {
        if (precedes<largest>(other, state)) state = other;
    }
    static DEVICE E finish(const State& state, int64, double) { return E(state); }
};

// Where the first of the largest or smallest elements is.
template <typename E, bool largest, typename Index> struct Place {
    using Element = E;
    using Result = int64;
    using Value = Widened<E>;
    using Reference = Nothing;
    struct State {
        Value value;
        Index at;
    };
    static constexpr Index nowhere = ~Index(0);

    static DEVICE State none() { return {last_of<largest, Value>(), nowhere}; }
    template <int run, int count>
    static DEVICE void take(State& state, Nothing, const E (&x)[count], Index first, Index step) {
        const Value value = chosen<largest, run>(x);
        if (state.at != nowhere && !precedes<largest>(value, state.value)) return;
        state.value = value;
        UNROLLED
        for (int i = count - 1; i >= 0; --i) {  // the last that is found is the first
            if (!precedes<largest>(value, Value(x[i]))) state.at = first + i / run * step + i % run;
        }
    }
    static DEVICE void merge(State& state, const State& other) {
        if (precedes<largest>(state.value, other.value)) return;
        if (precedes<largest>(other.value, state.value) || other.at < state.at) state = other;
    }
    static DEVICE int64 finish(const State& state, int64, double) { return int64(state.at); }
};

template <typename T> DEVICE bool is_true(T x) { return converted<bool>(x); }

template <typename E> struct Count {
    using Element = E;
    using Result = int64;
    using State = uint64;
    using Reference = Nothing;

    static DEVICE State none() { return 0; }
    template <int run, typename Index, int count>
    static DEVICE void take(State& state, Nothing, const E (&x)[count], Index, Index) {
        uint32 found = 0;
        if constexpr (are_bytes<E, run>) {
            UNROLLED
            for (int i = 0; i < count / 4; ++i) found += uint32(__popc(true_bytes(word_of(x, i))));
        } else {
            UNROLLED
            for (int i = 0; i < count; ++i) found += is_true(x[i]);
        }
        state += found;
    }
    static DEVICE void merge(State& state, const State& other) { state += other; }
    static DEVICE int64 finish(const State& state, int64, double) { return int64(state); }
};

template <typename E, bool all> struct Test {
    using Element = E;
    using Result = uint8;
    using State = uint32;
    using Reference = Nothing;

    static DEVICE State none() { return all; }
    template <int run, typename Index, int count>
    static DEVICE void take(State& state, Nothing, const E (&x)[count], Index, Index) {
        if constexpr (are_bytes<E, run>) {
            UNROLLED
            for (int i = 0; i < count / 4; ++i) {
                const uint32 word = word_of(x, i);
                merge(state, all ? true_bytes(word) == TOPS : word != 0);
            }
        } else {
            UNROLLED
            for (int i = 0; i < count; ++i) merge(state, is_true(x[i]));
        }
    }
    static DEVICE void merge(State& state, const State& other) {
        state = all ? state & other : state | other;
    }
    static DEVICE uint8 finish(const State& state, int64, double) { return uint8(state); }
};

// The squares of deviations from the mean. Elements count from one of their row, so that little is
// lost where all lie far from 0. A few are deviations from their own mean first, which are then
// merged as Chan, Golub and LeVeque do (The American Statistician 37, 1983).
template <typename F, bool root, typename Out> struct Variance {
    using Element = F;
    using Result = Out;
    using Reference = F;
    struct State {
        double count, mean, squares;
    };

    static DEVICE State none() { return {0.0, 0.0, 0.0}; }
    template <int run, typename Index, int count>
    static DEVICE void take(State& state, F reference, const F (&x)[count], Index, Index) {
        F parts[count], squares[count];
        UNROLLED
        for (int i = 0; i < count; ++i) parts[i] = squares[i] = x[i] - reference;
        const F mean = total_of<count>(squares) * (F(1) / F(count));
        UNROLLED
        for (int i = 0; i < count; ++i) {
            const F deviation = parts[i] - mean;
            squares[i] = deviation * deviation;
        }
        const State taken{double(count), double(mean), double(total_of<count>(squares))};
        if (state.count == 0.0) {
            state = taken;
        } else {
            merge(state, taken);
        }
    }
    static DEVICE void merge(State& state, const State& other) {
        if (other.count == 0.0) return;
        const double count = state.count + other.count;
        double share = 0.5;  // as usual, and dividing takes long
        if (state.count != other.count) share = other.count / count;
        const double apart = other.mean - state.mean, part = apart * share;
        state.mean += part;
        state.squares += other.squares + apart * part * state.count;
        state.count = count;
    }
    static DEVICE Out finish(const State& state, int64, double divisor) {
        const double variance = state.squares / divisor;
        return converted<Out>(root ? ::sqrt(variance) : variance);
    }
};

// The same of elements of 16 or 8 bits, which are widened first.
template <typename E, typename Out, typename Wide> struct Narrow : Wide {
    using Element = E;
    using Result = Out;
    using State = typename Wide::State;
    using Reference = typename Wide::Reference;

    template <int run, typename Index, int count>
    static DEVICE void take(State& state, Reference reference, const E (&x)[count], Index first,
                            Index step) {
        float wide[count];
        UNROLLED
        for (int i = 0; i < count; ++i) wide[i] = x[i];
        Wide::template take<run>(state, reference, wide, first, step);
    }
    static DEVICE Out finish(const State& state, int64 length, double divisor) {
        return converted<Out>(Wide::finish(state, length, divisor));
    }
};

}  // namespace reduction
}  // namespace numr
