// Numbers as the unevaluated sum of two, for the few steps that need more digits than one holds.
// The sums and products are those of T. J. Dekker, A floating-point technique for extending the
// available precision, Numer. Math. 18 (1971), the product with a fused multiplication.
// The compiler must not fuse anything by itself: kernels are compiled with --fmad=false.
#pragma once
#include "numbers.cuh"

namespace numr {

template <typename F> struct Pair {
    F high, low;
};
using Double = Pair<double>;
using Single = Pair<float>;

DEVICE float fused(float x, float y, float z) { return ::fmaf(x, y, z); }
DEVICE double fused(double x, double y, double z) { return ::fma(x, y, z); }

// x + y and its error, for |x| >= |y|.
template <typename F> DEVICE Pair<F> fast_two_sum(F x, F y) {
    F sum = x + y;
    return {sum, y - (sum - x)};
}

// D. E. Knuth, The Art of Computer Programming 2, 4.2.2.
template <typename F> DEVICE Pair<F> two_sum(F x, F y) {
    F sum = x + y;
    F part = sum - x;
    return {sum, (x - (sum - part)) + (y - part)};
}

template <typename F> DEVICE Pair<F> two_product(F x, F y) {
    F product = x * y;
    return {product, fused(x, y, -product)};
}

template <typename F> DEVICE Pair<F> operator+(Pair<F> x, Pair<F> y) {
    Pair<F> high = two_sum(x.high, y.high);
    Pair<F> low = two_sum(x.low, y.low);
    high = fast_two_sum(high.high, high.low + low.high);
    return fast_two_sum(high.high, high.low + low.low);
}

template <typename F> DEVICE Pair<F> operator+(Pair<F> x, F y) {
    Pair<F> high = two_sum(x.high, y);
    return fast_two_sum(high.high, high.low + x.low);
}

template <typename F> DEVICE Pair<F> operator-(Pair<F> x) { return {-x.high, -x.low}; }

template <typename F> DEVICE Pair<F> operator*(Pair<F> x, Pair<F> y) {
    Pair<F> product = two_product(x.high, y.high);
    return fast_two_sum(product.high, product.low + (x.high * y.low + x.low * y.high));
}

template <typename F> DEVICE Pair<F> operator*(Pair<F> x, F y) {
    Pair<F> product = two_product(x.high, y);
    return fast_two_sum(product.high, product.low + x.low * y);
}

template <typename F> DEVICE Pair<F> operator/(Pair<F> x, Pair<F> y) {
    F quotient = x.high / y.high;
    Pair<F> product = two_product(quotient, y.high);
    F rest = (x.high - product.high) - product.low + x.low - quotient * y.low;
    return fast_two_sum(quotient, rest / y.high);
}

DEVICE Double halved(Double x) { return {0.5 * x.high, 0.5 * x.low}; }

// Added to a float |x| < 2^21, it leaves the nearest integer in the low bits.
constexpr float SHIFT = 0x1.8p+23f;

// The square root of a positive number.
DEVICE Double square_root(Double x) {
    double root = ::sqrt(x.high);
    double rest = ::fma(-root, root, x.high) + x.low;
    return fast_two_sum(root, rest / (2.0 * root));
}

CONSTANT Double LOG_2 = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
CONSTANT Double LOG2_E = {0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56};
CONSTANT Double LOG10_E = {0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57};
CONSTANT Double HALF_PI = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};

// 1/k!
CONSTANT Double INVERSE_FACTORIALS[28] = {
    {1.0, 0.0}, {1.0, 0.0},
    {0.5, 0.0}, {0.16666666666666666, 9.25185853854297e-18},
    {0.041666666666666664, 2.3129646346357427e-18}, {0.008333333333333333, 1.1564823173178714e-19},
    {0.001388888888888889, -5.300543954373577e-20}, {0.0001984126984126984, 1.7209558293420705e-22},
    {2.48015873015873e-05, 2.1511947866775882e-23}, {2.7557319223985893e-06, -1.858393274046472e-22},
    {2.755731922398589e-07, 2.3767714622250297e-23}, {2.505210838544172e-08, -1.448814070935912e-24},
    {2.08767569878681e-09, -1.20734505911326e-25}, {1.6059043836821613e-10, 1.2585294588752098e-26},
    {1.1470745597729725e-11, 2.0655512752830745e-28}, {7.647163731819816e-13, 7.03872877733453e-30},
    {4.779477332387385e-14, 4.399205485834081e-31}, {2.8114572543455206e-15, 1.6508842730861433e-31},
    {1.5619206968586225e-16, 1.1910679660273754e-32}, {8.22063524662433e-18, 2.2141894119604265e-34},
    {4.110317623312165e-19, 1.4412973378659527e-36}, {1.9572941063391263e-20, -1.3643503830087908e-36},
    {8.896791392450574e-22, -7.911402614872376e-38}, {3.868170170630684e-23, -8.843177655482344e-40},
    {1.6117375710961184e-24, -3.6846573564509766e-41}, {6.446950284384474e-26, -1.9330404233703465e-42},
    {2.4795962632247976e-27, -1.2953730964765229e-43}, {9.183689863795546e-29, 1.4303150396787322e-45}};

// e^r - 1 for |r| <= log(2)/2, by Taylor's series.
DEVICE Double expm1_of_small(Double r) {
    double tail = INVERSE_FACTORIALS[23].high;  // where one double is enough
    for (int k = 22; k > 12; --k) tail = tail * r.high + INVERSE_FACTORIALS[k].high;
    Double sum = {tail, 0.0};
    for (int k = 12; k > 0; --k) sum = sum * r + INVERSE_FACTORIALS[k];
    return sum * r;
}

// exp(x) for -745 < x < 709.
DEVICE Double exp_pair(Double x) {
    double n = ::rint(x.high * LOG2_E.high);
    // n has 11 bits and the first two parts of log(2) have 40, so that their products are exact.
    Double r = two_sum(x.high - n * 0x1.62e42fefa4p-1, n * 0x1.8432a1b0e2p-43);
    r = r + Double{n * 0x1.8cff81a12a17ep-85, 0.0} + x.low;
    Double power = expm1_of_small(r) + 1.0;
    return {::scalbn(power.high, int(n)), ::scalbn(power.low, int(n))};
}

// log(x) for x from 2^-500 to 2^500, not near 1: a step of Newton's method from log(high).
DEVICE Double log_pair(Double x) {
    double log_ = ::log(x.high);
    Double ratio = x * exp_pair({-log_, 0.0});
    double rest = (ratio.high - 1.0) + ratio.low;
    return fast_two_sum(log_, rest - 0.5 * rest * rest);
}

// log(1 + x) for x from -1/2 to 1: a step from log1p(high), accurate also where x is small.
DEVICE Double log1p_pair(Double x) {
    double log_ = ::log1p(x.high);
    Double minus = {-log_, 0.0};
    Double shift = ::fabs(log_) < 0.25 ? expm1_of_small(minus) : exp_pair(minus) + -1.0;
    Double ratio = x + shift + x * shift;  // (1 + x)(1 + shift) - 1
    return fast_two_sum(log_, ratio.high - 0.5 * ratio.high * ratio.high);
}

// (cos(x), sin(x)) for 0 <= x <= pi, by Taylor's series about a multiple of pi/2.
DEVICE void turn_pair(double x, Double& cosine, Double& sine) {
    double n = ::rint(x * 0x1.45f306dc9c883p-1);  // 2/pi
    // n is 0, 1 or 2, so that all products are exact.
    Double t = two_sum(x - n * 0x1.921fb54442p+0, -n * 0x1.a308d3131ap-41);
    t = t + n * 0x1.d747f23e32ed7p-83;
    Double u = -(t * t);
    double even = INVERSE_FACTORIALS[26].high, odd = INVERSE_FACTORIALS[27].high;
    for (int k = 24; k > 14; k -= 2) {
        even = even * u.high + INVERSE_FACTORIALS[k].high;
        odd = odd * u.high + INVERSE_FACTORIALS[k + 1].high;
    }
    Double c = {even, 0.0}, s = {odd, 0.0};
    for (int k = 14; k >= 0; k -= 2) {
        c = c * u + INVERSE_FACTORIALS[k];
        s = s * u + INVERSE_FACTORIALS[k + 1];
    }
    s = s * t;
    cosine = n == 0.0 ? c : n == 1.0 ? -s : -c;
    sine = n == 0.0 ? s : n == 1.0 ? c : -s;
}

// (tan(r) - r - r^3/3) / r^5 as a polynomial of r^2, the highest power first; fitted for |r| <= pi/4.
CONSTANT double REST_OF_TANGENT[15] = {
    0x1.d033772a83ad4p-19, -0x1.f7d5e6ac33e3fp-18, 0x1.f5dc6a5fe0707p-17, -0x1.370a7347d921ap-18,
    0x1.7c03c5e4e7642p-16, 0x1.316e900c4455cp-15, 0x1.9a24795a61d02p-14, 0x1.f5188cff952e6p-13,
    0x1.355bf810194d4p-11, 0x1.7da331a1d3a57p-10, 0x1.d6d3d295f45b6p-9, 0x1.226e355a03698p-7,
    0x1.664f4882ccf77p-6, 0x1.ba1ba1ba1b951p-5, 0x1.1111111111111p-3};

// tan(x) for |x| < 2^45, so that the multiples of pi/2 are known to enough digits. Near its poles
// and zeros all depends on how far from such a multiple x is.
DEVICE Double tangent_pair(double x) {
    if (::fabs(x) < 0x1p-27) return {x, 0.0};
    double n = ::rint(x * 0x1.45f306dc9c883p-1);  // 2/pi
    Double first = two_product(n, HALF_PI.high), second = two_product(n, HALF_PI.low);
    Double r = two_sum(x - first.high, -first.low) + -second;
    r = r + n * 0x1.f1976b7ed8fbcp-110;
    Double square = r * r;
    double rest = REST_OF_TANGENT[0];
    for (int k = 1; k < 15; ++k) rest = rest * square.high + REST_OF_TANGENT[k];
    rest = rest * (square.high * square.high) * r.high;
    Double third = {0x1.5555555555555p-2, 0x1.5555555555555p-56};
    Double tangent = r + (r * square * third + rest);
    return int64(n) & 1 ? Double{-1.0, 0.0} / tangent : tangent;
}

// log|x + iy| for numbers that are finite and not both zero, y^2 + x^2 - 1 exact where it is small.
DEVICE Double log_of_modulus_pair(double x, double y) {
    double a = larger_of(::fabs(x), ::fabs(y)), b = smaller_of(::fabs(x), ::fabs(y));
    if (a >= 0.5 && a < 2.0) {
        Double first = two_product(a, a), second = two_product(b, b);
        Double sum = two_sum(first.high - 1.0, second.high);
        Double excess = fast_two_sum(sum.high, sum.low + (first.low + second.low));
        if (sum.high == 0.0) excess = two_sum(first.low, second.low);
        if (excess.high >= -0.5 && excess.high <= 1.0) return halved(log1p_pair(excess));
    }
    int exponent = ::ilogb(a);
    a = ::scalbn(a, -exponent);
    b = ::scalbn(b, -exponent);
    Double log_ = log_pair(two_product(a, a) + two_product(b, b));
    return halved(log_) + LOG_2 * double(exponent);
}

// The same to one double.
DEVICE double log_of_modulus(double x, double y) {
    double a = larger_of(::fabs(x), ::fabs(y)), b = smaller_of(::fabs(x), ::fabs(y));
    int exponent = 0;
    if (a > 0x1p+500 || a < 0x1p-400) {
        exponent = ::ilogb(a);
        a = ::scalbn(a, -exponent);
        b = ::scalbn(b, -exponent);
    } else if (a >= 0.5 && a < 2.0) {
        Double first = two_product(a, a), second = two_product(b, b);
        Double excess = two_sum(first.high - 1.0, second.high);
        excess.low += first.low + second.low;
        double whole = excess.high + excess.low;
        if (whole >= -0.5 && whole <= 1.0) {
            double lost = (excess.high - whole) + excess.low;
            return 0.5 * (::log1p(whole) + lost / (1.0 + whole));
        }
    }
    Double square = two_product(a, a) + two_product(b, b);
    double log_ = 0.5 * (::log(square.high) + square.low / square.high);
    return exponent == 0 ? log_ : log_ + exponent * LOG_2.high;
}

// The angle of x + iy for numbers that are finite, not both zero, y >= 0, to about 100 bits: a step
// of Newton's method from atan2.
DEVICE Double angle_pair(double y, double x) {
    int exponent = ::ilogb(larger_of(::fabs(x), y));
    x = ::scalbn(x, -exponent);
    y = ::scalbn(y, -exponent);
    double angle = ::atan2(y, x);
    if (angle < 0x1p-400) return {angle, 0.0};  // the square would vanish; so does what is lacking
    Double c, s;
    turn_pair(angle, c, s);
    Double across = c * y + -(s * x), along = c * x + s * y;
    return fast_two_sum(angle, across.high / along.high);
}

}  // namespace numr
