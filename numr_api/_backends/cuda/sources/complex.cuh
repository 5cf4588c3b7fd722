// Complex arithmetic and elementary functions. Special values are those of ISO C, annex G, as the
// array API standard lists them. complex64 is computed in double and rounded
// once, but for exp, sin, cos, sinh and cosh.
#pragma once
#include "functions.cuh"
#include "single_complex.cuh"

namespace numr {

DEVICE complex128 wide(complex64 z) { return {z.real, z.imag}; }
DEVICE complex64 narrow(complex128 z) { return {float(z.real), float(z.imag)}; }

template <typename F> DEVICE bool isnan_(Complex<F> z) { return isnan_(z.real) || isnan_(z.imag); }
template <typename F> DEVICE bool isinf_(Complex<F> z) { return isinf_(z.real) || isinf_(z.imag); }
template <typename F> DEVICE bool isfinite_(Complex<F> z) {
    return isfinite_(z.real) && isfinite_(z.imag);
}

// --- arithmetic ----------------------------------------------------------------------------------

template <typename F> DEVICE bool operator==(Complex<F> x, Complex<F> y) {
    return x.real == y.real && x.imag == y.imag;
}
template <typename F> DEVICE bool operator!=(Complex<F> x, Complex<F> y) { return !(x == y); }
template <typename F> DEVICE Complex<F> operator+(Complex<F> x, Complex<F> y) {
    return {x.real + y.real, x.imag + y.imag};
}
template <typename F> DEVICE Complex<F> operator-(Complex<F> x, Complex<F> y) {
    return {x.real - y.real, x.imag - y.imag};
}
template <typename F> DEVICE Complex<F> operator-(Complex<F> x) { return {-x.real, -x.imag}; }
template <typename F> DEVICE Complex<F> conj(Complex<F> x) { return {x.real, -x.imag}; }
template <typename F> DEVICE Complex<F> round(Complex<F> x) { return {round(x.real), round(x.imag)}; }
template <typename F> DEVICE F abs(Complex<F> x) { return hypot(x.real, x.imag); }

DEVICE complex128 operator*(complex128 x, complex128 y) {
    return {x.real * y.real - x.imag * y.imag, x.real * y.imag + x.imag * y.real};
}
DEVICE complex64 operator*(complex64 x, complex64 y) { return narrow(wide(x) * wide(y)); }

// (x + y)(x - y) keeps the real part right where x^2 - y^2 cancels.
DEVICE complex128 square(complex128 z) {
    return {(z.real + z.imag) * (z.real - z.imag), 2.0 * z.real * z.imag};
}
DEVICE complex64 square(complex64 z) { return narrow(square(wide(z))); }

// The exponent of the larger part of a number that is finite and not 0; else 0.
DEVICE int exponent_of(complex128 z) {
    double size = larger_of(::fabs(z.real), ::fabs(z.imag));
    return size > 0.0 && size < infinity<double>() ? ::ilogb(size) : 0;
}

// 1 with the sign of x for infinity, 0 with the sign for all else.
DEVICE double one_if_infinite(double x) { return copysign_(isinf_(x) ? 1.0 : 0.0, x); }

// The quotients that are infinite or 0 where the formula gives NaN in both parts: ISO C, G.5.1.
DEVICE complex128 special_quotient(complex128 x, complex128 y, complex128 quotient) {
    if (y.real == 0.0 && y.imag == 0.0 && !(isnan_(x.real) && isnan_(x.imag))) {
        double size = copysign_(infinity<double>(), y.real);
        return {size * x.real, size * x.imag};
    }
    if (isinf_(x) && isfinite_(y)) {
        double a = one_if_infinite(x.real), b = one_if_infinite(x.imag);
        return {infinity<double>() * (a * y.real + b * y.imag),
                infinity<double>() * (b * y.real - a * y.imag)};
    }
    if (isinf_(y) && isfinite_(x)) {
        double c = one_if_infinite(y.real), d = one_if_infinite(y.imag);
        return {0.0 * (x.real * c + x.imag * d), 0.0 * (x.imag * c - x.real * d)};
    }
    return quotient;
}

// x conj(y) / |y|^2 of numbers scaled by powers of two, the sums of products in pairs.
DEVICE complex128 divide(complex128 x, complex128 y) {
    int up = exponent_of(x), down = exponent_of(y);
    double a = ::scalbn(x.real, -up), b = ::scalbn(x.imag, -up);
    double c = ::scalbn(y.real, -down), d = ::scalbn(y.imag, -down);
    Double size = two_product(c, c) + two_product(d, d);
    Double real = (two_product(a, c) + two_product(b, d)) / size;
    Double imag = (two_product(b, c) + two_product(-a, d)) / size;
    complex128 quotient = {::scalbn(real.high, up - down), ::scalbn(imag.high, up - down)};
    bool lost = isnan_(quotient.real) && isnan_(quotient.imag);
    return lost ? special_quotient(x, y, quotient) : quotient;
}
DEVICE complex64 divide(complex64 x, complex64 y) {
    double a = x.real, b = x.imag, c = y.real, d = y.imag, size = c * c + d * d;
    complex128 quotient = {(a * c + b * d) / size, (b * c - a * d) / size};
    bool lost = isnan_(quotient.real) && isnan_(quotient.imag);
    return narrow(lost ? special_quotient(wide(x), wide(y), quotient) : quotient);
}

template <typename F> DEVICE Complex<F> reciprocal(Complex<F> z) {
    return divide(Complex<F>{F(1), F(0)}, z);
}

// z / |z|.
DEVICE complex128 sign(complex128 z) {
    if (z.real == 0.0 && z.imag == 0.0) return {0.0, 0.0};
    if (!isfinite_(z)) return {nan_of<double>(), nan_of<double>()};
    int exponent = exponent_of(z);
    double a = ::scalbn(z.real, -exponent), b = ::scalbn(z.imag, -exponent);
    Double size = square_root(two_product(a, a) + two_product(b, b));
    return {(Double{a, 0.0} / size).high, (Double{b, 0.0} / size).high};
}
DEVICE complex64 sign(complex64 z) { return narrow(sign(wide(z))); }

// --- exponential functions -----------------------------------------------------------------------

// a * b, where a zero makes 0 of infinity and NaN as well.
template <typename F> DEVICE F times(F a, F b) {
    if (a == F(0) || b == F(0)) return signbit_(a) != signbit_(b) ? -F(0) : F(0);
    return a * b;
}

// e^x p / 2^halvings for |x| that may be too large for e^x: by e^r p and powers of two, the second
// power last, since it may overflow where the product does not.
DEVICE double exp_times(double x, double p, int halvings) {
    x = x > 1500.0 ? 1500.0 : x < -1500.0 ? -1500.0 : x;
    double n = ::rint(x * LOG2_E.high);
    double r = x - n * 0x1.62e42fefa4p-1 + n * 0x1.8432a1b0e2p-43;
    int exponent = int(n) - halvings, half = exponent >> 1;
    return ::scalbn(::scalbn(p, half) * ::exp(r), exponent - half);
}

DEVICE bool is_moderate(double x) { return ::fabs(x) < 700.0; }

DEVICE complex128 exp(complex128 z) {
    if (z.imag == 0.0) return {::exp(z.real), z.imag};
    double s, c;
    ::sincos(z.imag, &s, &c);
    if (!isfinite_(z.real) || is_moderate(z.real)) {
        double size = ::exp(z.real);
        if (isinf_(z.real) && !isfinite_(z.imag)) {
            return {size, size == 0.0 ? copysign_(size, z.imag) : s};
        }
        return {size * c, size * s};
    }
    return {exp_times(z.real, c, 0), exp_times(z.real, s, 0)};
}

// The real part is expm1(x) cos(y) - 2 sin(y/2)^2.
DEVICE complex128 expm1(complex128 z) {
    if (z.imag == 0.0) return {z.real == 0.0 ? 0.0 : ::expm1(z.real), z.imag};
    complex128 whole = exp(z);
    if (!isfinite_(z) || z.real > 40.0) return {whole.real - 1.0, whole.imag};
    double half = ::sin(0.5 * z.imag);
    Double first = two_product(::expm1(z.real), ::cos(z.imag));
    Double second = two_product(half, half) * -2.0;
    return {(first + second).high, whole.imag};
}

// (cosh(x) cos(y), sinh(x) sin(y)).
DEVICE complex128 cosh(complex128 z) {
    double s, c;
    ::sincos(z.imag, &s, &c);
    if (isinf_(z.real) && !isfinite_(z.imag)) return {::fabs(z.real), c};
    if (isfinite_(z.real) && !is_moderate(z.real)) {
        double size = ::fabs(z.real);
        return {exp_times(size, c, 1), exp_times(size, copysign_(1.0, z.real) * s, 1)};
    }
    return {times(copysign_(::cosh(z.real), 1.0), c), times(::sinh(z.real), s)};
}

// (sinh(x) cos(y), cosh(x) sin(y)).
DEVICE complex128 sinh(complex128 z) {
    double s, c;
    ::sincos(z.imag, &s, &c);
    if (isinf_(z.real) && !isfinite_(z.imag)) return {z.real, s};
    if (isfinite_(z.real) && !is_moderate(z.real)) {
        double size = ::fabs(z.real);
        return {exp_times(size, copysign_(1.0, z.real) * c, 1), exp_times(size, s, 1)};
    }
    return {times(::sinh(z.real), c), times(copysign_(::cosh(z.real), 1.0), s)};
}

// W. Kahan, Branch cuts for complex elementary functions, in The State of the Art in Numerical
// Analysis, 1987: with t = tan(y), s = sinh(x), b = 1 + t^2: (b cosh(x) s, t) / (1 + b s^2).
DEVICE complex128 tanh(complex128 z) {
    const double nan = nan_of<double>();
    if (isinf_(z.real)) return {copysign_(1.0, z.real), copysign_(0.0, z.imag)};
    if (!isfinite_(z)) {
        return {z.real == 0.0 ? z.real : nan, z.imag == 0.0 ? z.imag : nan};
    }
    if (::fabs(z.real) > 40.0) {
        double s, c;
        ::sincos(z.imag, &s, &c);
        return {copysign_(1.0, z.real), times(4.0 * s * c, ::exp(-2.0 * ::fabs(z.real)))};
    }
    double s = ::sinh(z.real);
    Double t = ::fabs(z.imag) < 0x1p+45 ? tangent_pair(z.imag) : Double{::tan(z.imag), 0.0};
    Double b = t * t + 1.0, square = two_product(s, s), size = b * square + 1.0;
    Double real = b * square_root(square + 1.0) * s / size, imag = t / size;
    return {copysign_(real.high, s), copysign_(imag.high, t.high)};  // zeros included
}

// The circular functions are the hyperbolic ones of iz.
template <typename F> DEVICE Complex<F> turned(Complex<F> z) { return {-z.imag, z.real}; }
template <typename F> DEVICE Complex<F> turned_back(Complex<F> z) { return {z.imag, -z.real}; }
DEVICE complex128 cos(complex128 z) { return cosh(turned(z)); }
DEVICE complex128 sin(complex128 z) { return turned_back(sinh(turned(z))); }
DEVICE complex128 tan(complex128 z) { return turned_back(tanh(turned(z))); }

// --- logarithms, roots and powers ----------------------------------------------------------------

DEVICE double log_of_any_modulus(complex128 z) {
    if (isinf_(z)) return infinity<double>();
    if (isnan_(z)) return nan_of<double>();
    if (z.real == 0.0 && z.imag == 0.0) return -infinity<double>();
    return log_of_modulus(z.real, z.imag);
}

DEVICE complex128 log(complex128 z) {
    return {log_of_any_modulus(z), ::atan2(z.imag, z.real)};
}

DEVICE complex128 log_to_base(complex128 z, Double factor) {
    complex128 log_ = log(z);
    return {::fma(log_.real, factor.high, log_.real * factor.low),
            ::fma(log_.imag, factor.high, log_.imag * factor.low)};
}
DEVICE complex128 log2(complex128 z) {
    complex128 result = log_to_base(z, LOG2_E);
    if (z.imag == 0.0) result.real = ::log2(::fabs(z.real));  // exact for powers
    return result;
}
DEVICE complex128 log10(complex128 z) {
    complex128 result = log_to_base(z, LOG10_E);
    if (z.imag == 0.0) result.real = ::log10(::fabs(z.real));
    return result;
}

// |1 + z|^2 - 1 = 2x + x^2 + y^2 in pairs where 1 + x is rounded and matters.
DEVICE complex128 log1p(complex128 z) {
    double angle = ::atan2(z.imag, 1.0 + z.real);
    if (!isfinite_(z) || z.real <= -0.5 || larger_of(::fabs(z.real), ::fabs(z.imag)) > 100.0) {
        return {log_of_any_modulus({1.0 + z.real, z.imag}), angle};
    }
    Double squares = two_product(z.real, z.real) + two_product(z.imag, z.imag);
    Double excess = squares + 2.0 * z.real;
    if (excess.high == 0.0) return {z.real, angle};
    return {0.5 * (::log1p(excess.high) + excess.low / (1.0 + excess.high)), angle};
}

// t = sqrt((|z| + |x|)/2) and y/(2t), scaled by powers of two whose roots are, too. After W. Kahan,
// as above.
DEVICE complex128 sqrt(complex128 z) {
    const double nan = nan_of<double>();
    if (isinf_(z.imag)) return {infinity<double>(), z.imag};
    if (isnan_(z.real)) return {nan, nan};
    if (isinf_(z.real)) {
        double zero = isnan_(z.imag) ? nan : 0.0;
        if (z.real < 0.0) return {zero, copysign_(infinity<double>(), z.imag)};
        return {z.real, copysign_(zero, z.imag)};
    }
    if (isnan_(z.imag)) return {nan, nan};
    if (z.real == 0.0 && z.imag == 0.0) return {0.0, z.imag};
    int half = exponent_of(z) >> 1;
    double a = ::scalbn(::fabs(z.real), -2 * half), b = ::scalbn(::fabs(z.imag), -2 * half);
    Double size = square_root(two_product(a, a) + two_product(b, b)) + a;
    Double t = square_root(halved(size));
    double larger = ::scalbn(t.high, half);
    double smaller = ::scalbn((Double{b, 0.0} / (t * 2.0)).high, half);
    if (signbit_(z.real)) return {smaller, copysign_(larger, z.imag)};
    return {larger, copysign_(smaller, z.imag)};
}

// exp(w log z), the logarithm and the product in pairs.
NOT_INLINED complex128 pow(complex128 z, complex128 w) {
    if (w.real == 0.0 && w.imag == 0.0) return {1.0, 0.0};
    if (z.real == 0.0 && z.imag == 0.0) {
        double value = w.real > 0.0 && isfinite_(w) ? 0.0 : nan_of<double>();
        return {value, value};
    }
    if (!isfinite_(z) || !isfinite_(w)) return exp(w * log(z));
    Double size = log_of_modulus_pair(z.real, z.imag);
    Double angle = angle_pair(::fabs(z.imag), z.real);
    if (signbit_(z.imag)) angle = -angle;
    Double exponent = size * w.real + -(angle * w.imag);
    Double turn = angle * w.real + size * w.imag;
    if (!isfinite_(exponent.high) || !isfinite_(turn.high)) return exp(w * log(z));
    double s, c;
    ::sincos(turn.high, &s, &c);
    // exp(low) and the turn by it are 1 + low and (1, low) to the last bit.
    double cosine = (c - turn.low * s) * (1.0 + exponent.low);
    double sine = (s + turn.low * c) * (1.0 + exponent.low);
    return {exp_times(exponent.high, cosine, 0), exp_times(exponent.high, sine, 0)};
}

// --- inverse functions ---------------------------------------------------------------------------
// From the roots of 1 - z and 1 + z, which are exact where they are small, by products without
// cancellation, so that signed zeros choose the side of a branch cut: W. Kahan, as above.

// Beyond this modulus 1 + z^2 is z^2, and the functions are those of log(2z).
DEVICE bool is_large(complex128 z) {
    return larger_of(::fabs(z.real), ::fabs(z.imag)) > 0x1p+30;
}
DEVICE double log_of_double_modulus(complex128 z) {
    return log_of_modulus(z.real, z.imag) + LOG_2.high;
}

NOT_INLINED complex128 asinh(complex128 z) {
    if (isinf_(z)) {
        double angle = ::atan2(::fabs(z.imag), ::fabs(z.real));
        return {copysign_(infinity<double>(), z.real),
                isnan_(angle) ? angle : copysign_(angle, z.imag)};
    }
    if (isnan_(z)) return {nan_of<double>(), z.imag == 0.0 ? z.imag : nan_of<double>()};
    if (is_large(z)) {
        return {copysign_(log_of_double_modulus(z), z.real), ::atan2(z.imag, ::fabs(z.real))};
    }
    complex128 minus = sqrt(complex128{1.0 + z.imag, -z.real});  // of 1 - iz and 1 + iz
    complex128 plus = sqrt(complex128{1.0 - z.imag, z.real});
    double real = asinh(plus.imag * minus.real - plus.real * minus.imag);
    double imag = ::atan2(z.imag, minus.real * plus.real - minus.imag * plus.imag);
    return {copysign_(real, z.real), imag};
}

NOT_INLINED complex128 acos(complex128 z) {
    const double half_pi = HALF_PI.high;
    if (isinf_(z)) {
        double imag = isnan_(z.imag) ? infinity<double>() : copysign_(infinity<double>(), -z.imag);
        return {::atan2(::fabs(z.imag), z.real), imag};
    }
    if (isnan_(z)) return {z.real == 0.0 ? half_pi : nan_of<double>(), nan_of<double>()};
    if (is_large(z)) {
        return {::atan2(::fabs(z.imag), z.real), copysign_(log_of_double_modulus(z), -z.imag)};
    }
    complex128 minus = sqrt(complex128{1.0 - z.real, -z.imag});
    complex128 plus = sqrt(complex128{1.0 + z.real, z.imag});
    double imag = asinh(plus.real * minus.imag - plus.imag * minus.real);
    return {2.0 * ::atan2(minus.real, plus.real), copysign_(imag, -z.imag)};
}

NOT_INLINED complex128 acosh(complex128 z) {
    if (isinf_(z)) return {infinity<double>(), ::atan2(z.imag, z.real)};
    if (isnan_(z)) return {nan_of<double>(), z.real == 0.0 ? HALF_PI.high : nan_of<double>()};
    if (is_large(z)) return {log_of_double_modulus(z), ::atan2(z.imag, z.real)};
    complex128 minus = sqrt(complex128{z.real - 1.0, z.imag});
    complex128 plus = sqrt(complex128{z.real + 1.0, z.imag});
    double real = asinh(minus.real * plus.real + minus.imag * plus.imag);
    return {real, 2.0 * ::atan2(minus.imag, plus.real)};
}

// x in the first quadrant: log1p(4x / ((1 - x)^2 + y^2)) / 4, and half the angle of
// ((1 - x)(1 + x) - y^2, 2y); for large z the real part of 1/z.
DEVICE complex128 atanh(complex128 z) {
    const double nan = nan_of<double>(), half_pi = HALF_PI.high;
    if (isinf_(z)) {
        return {copysign_(0.0, z.real), isnan_(z.imag) ? nan : copysign_(half_pi, z.imag)};
    }
    if (isnan_(z)) return {z.real == 0.0 ? z.real : nan, nan};
    double x = ::fabs(z.real), y = ::fabs(z.imag), real, turn;
    if (larger_of(x, y) > 1e17) {
        double size = larger_of(x, y), a = x / size, b = y / size;
        real = a / (a * a + b * b) / size;
        turn = half_pi;
    } else if (x == 1.0 && y == 0.0) {
        real = infinity<double>();
        turn = 0.0;
    } else {
        double rest = 1.0 - x;
        if (x == 1.0 && y < 1.0) {  // log(2/y) and smaller: the square of y may vanish
            real = 0.5 * (::log(::hypot(2.0, y)) - ::log(y));
        } else {
            real = 0.25 * ::log1p(4.0 * x / (rest * rest + y * y));
        }
        Double along = two_product(rest, 1.0 + x) + -two_product(y, y);
        turn = 0.5 * ::atan2(2.0 * y, along.high);
    }
    return {copysign_(real, z.real), copysign_(turn, z.imag)};
}

DEVICE complex128 asin(complex128 z) { return turned_back(asinh(turned(z))); }
DEVICE complex128 atan(complex128 z) { return turned_back(atanh(turned(z))); }

// --- complex64 -----------------------------------------------------------------------------------

DEVICE complex64 acos(complex64 z) { return narrow(acos(wide(z))); }
DEVICE complex64 acosh(complex64 z) { return narrow(acosh(wide(z))); }
DEVICE complex64 asin(complex64 z) { return narrow(asin(wide(z))); }
DEVICE complex64 asinh(complex64 z) { return narrow(asinh(wide(z))); }
DEVICE complex64 atan(complex64 z) { return narrow(atan(wide(z))); }
DEVICE complex64 atanh(complex64 z) { return narrow(atanh(wide(z))); }
DEVICE complex64 expm1(complex64 z) { return narrow(expm1(wide(z))); }
DEVICE complex64 log(complex64 z) { return narrow(log(wide(z))); }
DEVICE complex64 log10(complex64 z) { return narrow(log10(wide(z))); }
DEVICE complex64 log1p(complex64 z) { return narrow(log1p(wide(z))); }
DEVICE complex64 log2(complex64 z) { return narrow(log2(wide(z))); }
DEVICE complex64 pow(complex64 z, complex64 w) { return narrow(pow(wide(z), wide(w))); }
DEVICE complex64 sqrt(complex64 z) { return narrow(sqrt(wide(z))); }
DEVICE complex64 tan(complex64 z) { return narrow(tan(wide(z))); }
DEVICE complex64 tanh(complex64 z) { return narrow(tanh(wide(z))); }

// Whether e^x is neither so small that what it lacks is no number, nor so large that it is infinite,
// and the angle does not take long to reduce.
DEVICE bool is_moderate(float x, float angle) {
    return (::fabsf(x) < 72.0f) & (::fabsf(angle) < 1600.0f);
}

// e^x 2^change (cos(angle), sin(angle)) for finite numbers, by powers of two of which none overflows or
// underflows before the result does.
DEVICE complex64 extreme_exp(float x, float angle, int change) {
    Direction d = direction_of(turn(angle));
    Reduced parts = reduced(x > 200.0f ? 200.0f : x < -200.0f ? -200.0f : x);
    int n = int(parts.shifted - bits_of(SHIFT)) + change;
    int first = n > 100 ? 100 : n < -100 ? -100 : n, second = (n - first) >> 1;
    Single size = scaled(exp_of_rest(parts.rest), from_bits(uint32(first + 127) << 23));
    float up = from_bits(uint32(second + 127) << 23);
    float last = from_bits(uint32(n - first - second + 127) << 23);
    float along = rounded_product(size, d.cosine) * up * last;
    float across = signed_product(size, d.sine) * up * last;
    return {signed_by_cosine(along, d), angle == 0.0f ? angle : signed_by_sine(across, d)};
}

// (cos(angle), sin(angle)); NaN if it is not finite.
DEVICE complex64 direction_of_any(float angle) {
    if (!isfinite_(angle)) return {nan_of<float>(), nan_of<float>()};
    return extreme_exp(0.0f, angle, 0);
}

NOT_INLINED complex64 exp_of_extreme(complex64 z) {
    if (isfinite_(z)) return extreme_exp(z.real, z.imag, 0);
    float size = z.real < 0.0f ? 0.0f : z.real;
    if (z.imag == 0.0f) return {size, z.imag};
    complex64 direction = direction_of_any(z.imag);
    if (isinf_(z.real) && !isfinite_(z.imag)) {
        return {size, size == 0.0f ? copysign_(size, z.imag) : direction.imag};
    }
    return {size * direction.real, size * direction.imag};
}

DEVICE complex64 exp(complex64 z) {
    if (!is_moderate(z.real, z.imag)) return exp_of_extreme(z);
    Reduced parts = reduced(z.real);
    Single size = scaled(exp_of_rest(parts.rest), power(parts, 0));
    Direction d = direction_of(turn_of_small(z.imag));
    return {signed_by_cosine(rounded_product(size, d.cosine), d),
            signed_by_sine(signed_product(size, d.sine), d)};
}

// cosh(x + iy), or sinh, by y's direction, for |x| < 72.
template <bool is_sinh> DEVICE complex64 hyperbolic(float x, Direction d) {
    Hyperbolic h = hyperbolic(::fabsf(x));
    if (is_sinh) {
        float real = signed_by_cosine(signed_product(h.sinh, d.cosine), d);
        return {signed_by(real, x), signed_by_sine(signed_product(h.cosh, d.sine), d)};
    }
    float imag = signed_by_sine(signed_product(h.sinh, d.sine), d);
    return {signed_by_cosine(rounded_product(h.cosh, d.cosine), d), signed_by(imag, x)};
}

template <bool is_sinh> NOT_INLINED complex64 hyperbolic_of_extreme(complex64 z) {
    float size = ::fabsf(z.real);
    if (isfinite_(z)) {
        if (size < 72.0f) return hyperbolic<is_sinh>(z.real, direction_of(turn(z.imag)));
        complex64 half = extreme_exp(size, z.imag, -1);
        if (is_sinh) return {signed_by(half.real, z.real), half.imag};
        return {half.real, signed_by(half.imag, z.real)};
    }
    complex64 d = direction_of_any(z.imag);
    if (isinf_(z.real) && !isfinite_(z.imag)) return {is_sinh ? z.real : size, d.imag};
    float sum = size + 1.0f;  // infinite or NaN as cosh is, and not 0
    if (is_sinh) return {times(z.real, d.real), times(sum, d.imag)};
    return {times(sum, d.real), times(z.real, d.imag)};
}

template <bool is_sinh> DEVICE complex64 hyperbolic(complex64 z) {
    if (!is_moderate(z.real, z.imag)) return hyperbolic_of_extreme<is_sinh>(z);
    return hyperbolic<is_sinh>(z.real, direction_of(turn_of_small(z.imag)));
}
DEVICE complex64 cosh(complex64 z) { return hyperbolic<false>(z); }
DEVICE complex64 sinh(complex64 z) { return hyperbolic<true>(z); }
DEVICE complex64 cos(complex64 z) { return cosh(turned(z)); }
DEVICE complex64 sin(complex64 z) { return turned_back(sinh(turned(z))); }

}  // namespace numr
