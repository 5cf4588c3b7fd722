// x + sin(alpha x)^2 / (beta + eps), with an alpha and a beta for each index of an axis, and its
// gradient. Arrays are (outer, channels, inner).
#pragma once
#include "reductions.cuh"
#include "functions.cuh"

namespace numr {
namespace snake {

// sin(x)^2 and sin(2x), which have the period pi.
template <typename F> struct Waves {
    F square, twice;

    // The same of x + rest, of which the rest is so small that its square counts for little.
    DEVICE Waves moved(F rest) const {
        const F cosine = F(1) - F(2) * square;  // of 2x
        return {fused(rest, fused(rest, cosine, twice), square), fused(F(2) * rest, cosine, twice)};
    }
};

// By polynomials of r = x - n pi, |r| <= pi/2, in a sine and a cosine that are fitted for float.
DEVICE Waves<float> waves_of(float x) {
    const float n = ::rintf(x * 0x1.45f306p-2f);
    float r = ::fmaf(n, -0x1.921fb4p+1f, x);
    r = ::fmaf(n, -0x1.4442dp-23f, r);
    r = ::fmaf(n, -0x1.846988p-47f, r);
    const float s = r * r;
    float p = ::fmaf(s, -2.3889859e-8f, 2.7525562e-6f);
    p = ::fmaf(p, s, -1.9840874e-4f);
    p = ::fmaf(p, s, 8.3333310e-3f);
    p = ::fmaf(p, s, -1.6666667e-1f);
    const float sine = ::fmaf(p * s, r, r);
    float q = ::fmaf(s, 2.0875723e-9f, -2.7557319e-7f);
    q = ::fmaf(q, s, 2.4801587e-5f);
    q = ::fmaf(q, s, -1.3888889e-3f);
    q = ::fmaf(q, s, 4.1666668e-2f);
    q = ::fmaf(q, s, -0.5f);
    const float cosine = ::fmaf(q, s, 1.0f);
    return {sine * sine, 2.0f * sine * cosine};
}
DEVICE Waves<double> waves_of(double x) {
    const double sine = ::sin(x);
    return {sine * sine, 2.0 * sine * ::cos(x)};
}

// Of a product, whose rounding would be seen where it is large.
NOT_INLINED Waves<float> waves_of_large(float rate, float x) {
    const Waves<double> waves = waves_of(double(rate) * double(x));
    return {float(waves.square), float(waves.twice)};
}
DEVICE Waves<float> waves_of(float rate, float x) {
    const float high = rate * x;
    if (!(::fabsf(high) < 2048.0f)) return waves_of_large(rate, x);
    return waves_of(high).moved(fused(rate, x, -high));
}
DEVICE Waves<double> waves_of(double rate, double x) {
    const double high = rate * x;
    return waves_of(high).moved(isfinite_(high) ? fused(rate, x, -high) : 0.0);
}

// Threads have ``each`` elements side by side, which are all of one channel unless each is 1.
template <typename E, int each, typename Index>
DEVICE void forward(E* out, const E* data, const E* alpha, const E* beta, double eps, int64 count,
                    int64 channels, int64 inner) {
    using F = Computed<E>;
    const Index step = all_threads<Index>() * each;
    for (Index at = first_thread<Index>() * each; at < Index(count); at += step) {
        const Index channel = at / Index(inner) % Index(channels);
        const F rate = converted<F>(alpha[channel]);
        const F height = F(1) / (converted<F>(beta[channel]) + F(eps));
        const auto part = loaded<each>(data + at);
        Vector<E, each> result;
        UNROLLED
        for (int i = 0; i < each; ++i) {
            const F x = converted<F>(part.at[i]);
            result.at[i] = converted<E>(x + waves_of(rate, x).square * height);
        }
        store<each>(out + at, result);
    }
}

template <typename F> struct Gradients {
    F alpha, beta;
};

template <typename F> DEVICE Gradients<F> total(Gradients<F> sum) {
    UNROLLED
    for (int step = 16; step > 0; step /= 2) {
        sum.alpha += __shfl_down_sync(0xffffffffu, sum.alpha, step);
        sum.beta += __shfl_down_sync(0xffffffffu, sum.beta, step);
    }
    SHARED Gradients<F> parts[THREADS / 32];
    __syncthreads();
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = sum;
    __syncthreads();
    sum = parts[0];
    for (int i = 1; i < THREADS / 32; ++i) {
        sum.alpha += parts[i].alpha;
        sum.beta += parts[i].beta;
    }
    return sum;
}

// Blocks have a piece of a channel's vectors each; the last of a channel adds the sums of all.
template <typename E, int each>
DEVICE void backward(E* grad_x, E* grad_alpha, E* grad_beta, const E* grad, const E* data,
                     const E* alpha, const E* beta, Gradients<Computed<E>>* scratch,
                     uint32* counters, double eps, int64 outer, int64 channels, int64 inner,
                     int64 pieces) {
    using F = Computed<E>;
    const uint32 vectors = uint32(inner / each);  // of one outer index
    const int64 all = outer * vectors, in_piece = (all + pieces - 1) / pieces;
    for (int64 block = blockIdx.x; block < channels * pieces; block += gridDim.x) {
        const int64 channel = block / pieces, piece = block % pieces;
        const F rate = converted<F>(alpha[channel]);
        const F height = F(1) / (converted<F>(beta[channel]) + F(eps));
        const int64 stop = smaller_of(all, (piece + 1) * in_piece);
        Gradients<F> sum{F(0), F(0)};
        for (int64 at = piece * in_piece + threadIdx.x; at < stop; at += THREADS) {
            const int64 row = all < (int64(1) << 31) ? int64(uint32(at) / vectors) : at / vectors;
            const int64 place = (row * channels + channel) * inner + (at - row * vectors) * each;
            const auto xs = loaded<each>(data + place), gs = loaded<each>(grad + place);
            Vector<E, each> result;
            UNROLLED
            for (int i = 0; i < each; ++i) {
                const F x = converted<F>(xs.at[i]), g = converted<F>(gs.at[i]);
                const Waves<F> waves = waves_of(rate, x);
                const F slope = waves.twice * height;
                result.at[i] = converted<E>(g * (F(1) + rate * slope));
                sum.alpha += g * x * slope;
                sum.beta += -g * waves.square * height * height;
            }
            store<each>(grad_x + place, result);
        }
        sum = total(sum);
        if (pieces > 1) {
            if (threadIdx.x == 0) scratch[block] = sum;
            if (reduction::is_last(counters + channel, uint32(pieces))) {
                sum = {F(0), F(0)};
                for (int64 i = threadIdx.x; i < pieces; i += THREADS) {
                    const Gradients<F> part = reduction::seen(scratch + channel * pieces + i);
                    sum.alpha += part.alpha;
                    sum.beta += part.beta;
                }
                sum = total(sum);
            } else {
                continue;
            }
        }
        if (threadIdx.x == 0) {
            grad_alpha[channel] = converted<E>(sum.alpha);
            grad_beta[channel] = converted<E>(sum.beta);
        }
    }
}

}  // namespace snake
}  // namespace numr
