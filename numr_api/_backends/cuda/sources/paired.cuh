// Element-wise kernels of three operands and two results, all contiguous.
#pragma once
#include "near_activations.cuh"
#include "elementwise.cuh"

namespace numr {

template <typename Function, int each, typename Index, typename E>
DEVICE void paired(E* first, E* second, const E* a, const E* b, const E* c, int64 count) {
    using F = Computed<E>;
    const Index step = all_threads<Index>() * each;
    for (Index at = first_thread<Index>() * each; at < Index(count); at += step) {
        if (Index(count) - at >= each) {
            const auto as = loaded<each>(a + at), bs = loaded<each>(b + at), cs = loaded<each>(c + at);
            Vector<E, each> firsts, seconds;
            UNROLLED
            for (int i = 0; i < each; ++i) {
                const Two<F> found = Function::of(
                    converted<F>(as.at[i]), converted<F>(bs.at[i]), converted<F>(cs.at[i]));
                firsts.at[i] = converted<E>(found.first);
                seconds.at[i] = converted<E>(found.second);
            }
            store<each>(first + at, firsts);
            store<each>(second + at, seconds);
        } else {
            ROLLED
            for (Index i = at; i < Index(count); ++i) {
                const Two<F> found =
                    Function::of(converted<F>(a[i]), converted<F>(b[i]), converted<F>(c[i]));
                first[i] = converted<E>(found.first);
                second[i] = converted<E>(found.second);
            }
        }
    }
}

}  // namespace numr
