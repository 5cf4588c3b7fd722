// exp of complex numbers, and the functions that are made of it. For special values, the standard's
// tables, which are those of ISO C, annex G.

// a * b, where a zero makes 0 of infinity and NaN as well. NaN has a sign as well.
fn times_F(a: F, b: F) -> F {
    if a == F(0) || b == F(0) {
        return copysign_F(F(0), select(F(1), F(-1), is_negative_F(a) != is_negative_F(b)));
    }
    return a * b;
}

// m 2^n p, the power last, since it may overflow where the product does not.
fn scaled_product_F(e: Scaled_F, p: F) -> F {
    let half = e.exponent >> 1u;
    // Scaled before it is multiplied, since p may be subnormal and the result not.
    let first = scale_by_power_of_two_F(p, half) * e.high;
    return scale_by_power_of_two_F(first, e.exponent - half);
}

// exp(x) (cos(y), sin(y)).
fn exp_C(z: C) -> C {
    if z.y == F(0) {
        return C(exp_F(z.x), z.y);
    }
    let turn = sincos_F(z.y);
    if !is_finite_F(z.x) {
        let size = exp_F(z.x);
        if is_finite_F(z.y) || is_nan_F(z.x) {
            return C(size * turn.y, size * turn.x);
        }
        return C(size, select(copysign_F(size, z.y), turn.x, size != F(0)));
    }
    let size = exp_scaled_wide_F(z.x);
    return C(scaled_product_F(size, turn.y), scaled_product_F(size, turn.x));
}

// The real part is expm1(x) cos(y) - 2 sin(y/2)^2.
fn expm1_C(z: C) -> C {
    if z.y == F(0) {
        return C(select(expm1_F(z.x), F(0), z.x == F(0)), z.y);
    }
    let whole = exp_C(z);
    if !is_finite_C(z) || z.x > F(40) {
        return C(whole.x - F(1), whole.y);
    }
    let turn = sincos_F(z.y);
    let half = sincos_F(F(0.5) * z.y).x;
    let first = two_product_F(expm1_F(z.x), turn.y);
    let second = two_product_F(half, half);
    let sum = two_sum_F(first.high, -F(2) * second.high);
    return C(sum.high + (sum.low + (first.low - F(2) * second.low)), whole.y);
}

// (cosh(x) cos(y), sinh(x) sin(y)).
fn cosh_C(z: C) -> C {
    let turn = sincos_F(z.y);
    if is_infinite_F(z.x) && !is_finite_F(z.y) {
        return C(abs(z.x), turn.x);
    }
    if is_finite_F(z.x) && abs(z.x) > F(40) {
        let size = exp_scaled_wide_F(abs(z.x));
        let half = Scaled_F(size.high, size.low, size.exponent - 1);
        return C(scaled_product_F(half, turn.y), scaled_product_F(half, copysign_F(F(1), z.x) * turn.x));
    }
    return C(times_F(copysign_F(cosh_F(z.x), F(1)), turn.y), times_F(sinh_F(z.x), turn.x));
}

// (sinh(x) cos(y), cosh(x) sin(y)).
fn sinh_C(z: C) -> C {
    let turn = sincos_F(z.y);
    if is_infinite_F(z.x) && !is_finite_F(z.y) {
        return C(z.x, turn.x);
    }
    if is_finite_F(z.x) && abs(z.x) > F(40) {
        let size = exp_scaled_wide_F(abs(z.x));
        let half = Scaled_F(size.high, size.low, size.exponent - 1);
        return C(scaled_product_F(half, copysign_F(F(1), z.x) * turn.y), scaled_product_F(half, turn.x));
    }
    return C(times_F(sinh_F(z.x), turn.y), times_F(copysign_F(cosh_F(z.x), F(1)), turn.x));
}

// W. Kahan, Branch cuts for complex elementary functions, 1987: with t = tan(y), s = sinh(x),
// b = 1 + t^2: (b cosh(x) s, t) / (1 + b s^2).
fn tanh_C(z: C) -> C {
    if !is_finite_F(z.x) || !is_finite_F(z.y) {
        if is_infinite_F(z.x) {
            return C(copysign_F(F(1), z.x), copysign_F(F(0), z.y));
        }
        if z.y == F(0) || z.x == F(0) {
            return C(select(nan_F(), z.x, z.x == F(0)), select(nan_F(), z.y, z.y == F(0)));
        }
        return C(nan_F(), nan_F());
    }
    if abs(z.x) > F(40) {
        let turn = sincos_F(z.y);
        let size = exp_F(-F(2) * abs(z.x));
        return C(copysign_F(F(1), z.x), times_F(F(4) * turn.x * turn.y, size));
    }
    let t = tan_F(z.y);
    let s = sinh_F(z.x);
    let b = F(1) + t * t;
    let size = F(1) + b * s * s;
    return C(divide_F(b * cosh_F(z.x) * s, size), divide_F(t, size));
}

// The circular functions are the hyperbolic ones of i z.
fn cos_C(z: C) -> C {
    return cosh_C(C(negative_F(z.y), z.x));
}

fn sin_C(z: C) -> C {
    let w = sinh_C(C(negative_F(z.y), z.x));
    return C(w.y, negative_F(w.x));
}

fn tan_C(z: C) -> C {
    let w = tanh_C(C(negative_F(z.y), z.x));
    return C(w.y, negative_F(w.x));
}
