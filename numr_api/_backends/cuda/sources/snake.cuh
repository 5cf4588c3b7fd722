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
};

// For |r| <= pi/4; fitted for float, and for results of 16 bits: to 2^-19 of a sine, 2^-24 of a cosine.
template <bool near> DEVICE float sine_of_rest(float r) {
    const float s = r * r;
    float p;
    if constexpr (near) {
        p = ::fmaf(s, 0x1.0b7e48p-7f, -0x1.554426p-3f);
    } else {
        p = ::fmaf(s, -0x1.994386p-13f, 0x1.11073ap-7f);
        p = ::fmaf(p, s, -0x1.555546p-3f);
    }
    return ::fmaf(p * s, r, r);
}
template <bool near> DEVICE float cosine_of_rest(float r) {
    const float s = r * r;
    float p;
    if constexpr (near) {
        p = ::fmaf(s, -0x1.644cfap-10f, 0x1.553e7cp-5f);
        p = ::fmaf(p, s, -0x1.ffffb2p-2f);
    } else {
        p = ::fmaf(s, 0x1.991642p-16f, -0x1.6c07fp-10f);
        p = ::fmaf(p, s, 0x1.55553cp-5f);
        p = ::fmaf(p, s, -0.5f);
    }
    return ::fmaf(p, s, 1.0f);
}

// Of x + rest, |x| < 2048, by what it is from the nearest multiple of pi/2.
template <bool near> DEVICE Waves<float> waves_of_sum(float x, float rest) {
    const float shifted = ::fmaf(x, 0x1.45f306p-1f, SHIFT), n = shifted - SHIFT;
    rest = ::fmaf(n, -0x1.846988p-48f, ::fmaf(n, -0x1.4442dp-24f, rest));
    const float r = ::fmaf(n, -0x1.921fb4p+0f, x) + rest;
    const bool is_odd = bits_of(shifted) & 1;
    const float sine = sine_of_rest<near>(r), square = sine * sine;
    const float twice = 2.0f * sine * cosine_of_rest<near>(r);
    return {is_odd ? ::fmaf(-sine, sine, 1.0f) : square, is_odd ? -twice : twice};
}

DEVICE Waves<double> waves_of_double(double x) {
    const double sine = ::sin(x);
    return {sine * sine, 2.0 * sine * ::cos(x)};
}
NOT_INLINED Waves<float> waves_of_large(float rate, float x) {
    const Waves<double> waves = waves_of_double(double(rate) * double(x));
    return {float(waves.square), float(waves.twice)};
}

// Of a product, whose rounding would be seen where it is large; that of two numbers of 16 bits is
// exact. What is not needed of the outcome is not computed.
template <typename E> DEVICE Waves<float> waves_of(float rate, float x) {
    const float high = rate * x;
    if (!(::fabsf(high) < 2048.0f)) return waves_of_large(rate, x);
    const float low = is_narrow<E> ? 0.0f : fused(rate, x, -high);
    return waves_of_sum<is_narrow<E>>(high, low);
}
template <typename E> DEVICE Waves<double> waves_of(double rate, double x) {
    const double high = rate * x;
    const Waves<double> waves = waves_of_double(high);
    // The same of high + rest, of which the rest is so small that its square counts for little.
    const double rest = isfinite_(high) ? fused(rate, x, -high) : 0.0;
    const double cosine = 1.0 - 2.0 * waves.square;  // of 2x
    return {fused(rest, fused(rest, cosine, waves.twice), waves.square),
            fused(2.0 * rest, cosine, waves.twice)};
}

// Threads have ``each`` elements side by side, which are all of one channel unless each is 1.
template <typename E, int each, typename Index, typename Divisor>
DEVICE void forward(E* out, const E* data, const E* alpha, const E* beta, double eps, int64 count,
                    const Divisor& channels, const Divisor& inner) {
    using F = Computed<E>;
    const Index step = all_threads<Index>() * each;
    for (Index at = first_thread<Index>() * each; at < Index(count); at += step) {
        const Index row = quotient(at, inner);
        const Index channel = row - quotient(row, channels) * Index(length_of(channels));
        const F rate = converted<F>(alpha[channel]);
        const F height = F(1) / (converted<F>(beta[channel]) + F(eps));
        const auto part = loaded<each>(data + at);
        Vector<E, each> result;
        UNROLLED
        for (int i = 0; i < each; ++i) {
            const F x = converted<F>(part.at[i]);
            result.at[i] = converted<E>(fused(waves_of<E>(rate, x).square, height, x));
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

// ``by`` divides by the vectors of a row, where they are few; its length is 0 where they are not.
// Blocks have a piece of a channel's vectors each; the last of a channel adds the sums of all.
template <typename E, int each>
DEVICE void backward(E* grad_x, E* grad_alpha, E* grad_beta, const E* grad, const E* data,
                     const E* alpha, const E* beta, Gradients<Computed<E>>* scratch,
                     uint32* counters, double eps, int64 outer, int64 channels, int64 inner,
                     int64 pieces, const Length& by) {
    using F = Computed<E>;
    const int64 vectors = inner / each;  // of one outer index
    const int64 all = outer * vectors, in_piece = (all + pieces - 1) / pieces;
    for (int64 block = blockIdx.x; block < channels * pieces; block += gridDim.x) {
        const int64 channel = block / pieces, piece = block % pieces;
        const F rate = converted<F>(alpha[channel]);
        const F height = F(1) / (converted<F>(beta[channel]) + F(eps));
        const F steep = rate * height;
        const int64 stop = smaller_of(all, (piece + 1) * in_piece);
        Gradients<F> sum{F(0), F(0)};
        for (int64 at = piece * in_piece + threadIdx.x; at < stop; at += THREADS) {
            const int64 row = by.length ? int64(quotient(uint32(at), by)) : at / vectors;
            const int64 place = (row * channels + channel) * inner + (at - row * vectors) * each;
            const auto xs = loaded<each>(data + place), gs = loaded<each>(grad + place);
            Vector<E, each> result;
            UNROLLED
            for (int i = 0; i < each; ++i) {
                const F x = converted<F>(xs.at[i]), g = converted<F>(gs.at[i]);
                const Waves<F> waves = waves_of<E>(rate, x);
                result.at[i] = converted<E>(g * fused(steep, waves.twice, F(1)));
                sum.alpha = fused(g * x, waves.twice, sum.alpha);
                sum.beta = fused(g, waves.square, sum.beta);
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
            grad_alpha[channel] = converted<E>(sum.alpha * height);
            grad_beta[channel] = converted<E>(-sum.beta * height * height);
        }
    }
}

}  // namespace snake
}  // namespace numr
