// The inverse circular and hyperbolic functions of complex numbers. From the roots of 1 - z and
// 1 + z, which are exact where they are small, by products without cancellation, so that signed
// zeros choose the side of a branch cut: W. Kahan, Branch cuts for complex elementary functions,
// in The State of the Art in Numerical Analysis, 1987. Special values as in ISO C, annex G.

// (1 - z, 1 + z) have these roots; their imaginary parts have opposite signs.
fn asin_of_finite_C(z: C) -> C {
    let minus = sqrt_C(C(F(1) - z.x, -z.y));
    let plus = sqrt_C(C(F(1) + z.x, z.y));
    let real = atan2_F(z.x, minus.x * plus.x - minus.y * plus.y);
    return C(real, copysign_F(asinh_F(minus.x * plus.y - minus.y * plus.x), z.y));
}

fn asinh_C(z: C) -> C {
    if !is_finite_C(z) {
        if is_infinite_F(z.x) || is_infinite_F(z.y) {
            let angle = atan2_F(abs(z.y), abs(z.x));
            let real = copysign_F(infinity_F(), z.x);
            return C(real, select(copysign_F(angle, z.y), angle, is_nan_F(angle)));
        }
        return C(nan_F(), select(nan_F(), z.y, z.y == F(0)));
    }
    let w = asin_of_finite_C(C(negative_F(z.y), z.x));
    return C(w.y, negative_F(w.x));
}

// asin(z) = -i asinh(i z).
fn asin_C(z: C) -> C {
    let w = asinh_C(C(negative_F(z.y), z.x));
    return C(w.y, negative_F(w.x));
}

fn acos_C(z: C) -> C {
    if !is_finite_C(z) {
        if is_infinite_F(z.x) || is_infinite_F(z.y) {
            return C(atan2_F(abs(z.y), z.x), copysign_F(infinity_F(), select(-z.y, F(-1), z.y == F(0) && !is_negative_F(z.y))));
        }
        return C(select(nan_F(), half_pi_F(), z.x == F(0)), nan_F());
    }
    let minus = sqrt_C(C(F(1) - z.x, -z.y));
    let plus = sqrt_C(C(F(1) + z.x, z.y));
    let imaginary = asinh_F(plus.x * minus.y - plus.y * minus.x);
    return C(F(2) * atan2_F(minus.x, plus.x), copysign_F(imaginary, minus.y));
}

fn acosh_C(z: C) -> C {
    if !is_finite_C(z) {
        if is_infinite_F(z.x) || is_infinite_F(z.y) {
            return C(infinity_F(), atan2_F(z.y, z.x));
        }
        return C(nan_F(), select(nan_F(), half_pi_F(), z.x == F(0)));
    }
    let minus = sqrt_C(C(z.x - F(1), z.y));
    let plus = sqrt_C(C(z.x + F(1), z.y));
    let real = asinh_F(minus.x * plus.x + minus.y * plus.y);
    return C(real, F(2) * atan2_F(minus.y, plus.x));
}

// x in the first quadrant: log1p(4 x / ((1 - x)^2 + y^2)) / 4, and half the angle of
// ((1 - x)(1 + x) - y^2, 2 y); for large z the real part of 1/z.
fn atanh_C(z: C) -> C {
    if !is_finite_C(z) {
        if is_infinite_F(z.x) || is_infinite_F(z.y) {
            let turn = select(copysign_F(half_pi_F(), z.y), z.y, is_nan_F(z.y));
            return C(copysign_F(F(0), z.x), turn);
        }
        return C(select(nan_F(), z.x, z.x == F(0)), nan_F());
    }
    let x = abs(z.x);
    let y = abs(z.y);
    var real: F;
    var turn: F;
    if max(x, y) > large_for_squares_F() {
        let size = max(x, y);
        let a = divide_F(x, size);
        let b = divide_F(y, size);
        real = divide_F(divide_F(a, a * a + b * b), size);
        turn = half_pi_F();
    } else if x == F(1) && y == F(0) {
        real = infinity_F();
        turn = F(0);
    } else {
        let rest = F(1) - x;
        if x == F(1) && y < F(1) { // log(2/y) and smaller: the square of y may vanish
            real = F(0.5) * (log_F(hypot_F(F(2), y)) - log_F(y));
        } else {
            real = F(0.25) * log1p_F(divide_F(F(4) * x, rest * rest + y * y));
        }
        let across = two_product_F(rest, F(1) + x);
        let square = two_product_F(y, y);
        let along = two_sum_F(across.high, -square.high);
        turn = F(0.5) * atan2_F(F(2) * y, along.high + (along.low + (across.low - square.low)));
    }
    return C(copysign_F(real, z.x), copysign_F(turn, z.y));
}

fn atan_C(z: C) -> C {
    let w = atanh_C(C(negative_F(z.y), z.x));
    return C(w.y, negative_F(w.x));
}
