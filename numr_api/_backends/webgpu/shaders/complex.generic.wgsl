// Arithmetic of complex numbers, as vectors of the real and the imaginary part.

fn is_nan_C(x: C) -> bool {
    return is_nan_F(x.x) || is_nan_F(x.y);
}

fn is_infinite_C(x: C) -> bool {
    return is_infinite_F(x.x) || is_infinite_F(x.y);
}

fn is_finite_C(x: C) -> bool {
    return is_finite_F(x.x) && is_finite_F(x.y);
}

fn abs_C(x: C) -> F {
    return hypot_F(x.x, x.y);
}

fn round_C(x: C) -> C {
    return C(round_F(x.x), round_F(x.y));
}

fn multiply_C(x: C, y: C) -> C {
    return C(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x);
}

// (x + y)(x - y) keeps the real part right where x^2 - y^2 cancels.
fn square_C(x: C) -> C {
    return C((x.x + x.y) * (x.x - x.y), F(2) * x.x * x.y);
}

// By the larger part of the divisor, so that no square overflows. R. L. Smith, Comm. ACM 5 (1962).
fn divide_C(x: C, y: C) -> C {
    if y.x == F(0) && y.y == F(0) {
        let zero = abs(y.x);
        return C(divide_F(x.x, zero), divide_F(x.y, zero));
    }
    if abs(y.x) >= abs(y.y) {
        let ratio = divide_F(y.y, y.x);
        let size = y.x + y.y * ratio;
        return C(divide_F(x.x + x.y * ratio, size), divide_F(x.y - x.x * ratio, size));
    }
    let ratio = divide_F(y.x, y.y);
    let size = y.y + y.x * ratio;
    return C(divide_F(x.x * ratio + x.y, size), divide_F(x.y * ratio - x.x, size));
}

fn reciprocal_C(x: C) -> C {
    return divide_C(C(F(1), F(0)), x);
}

// x / |x|, where |x| neither overflows nor underflows: x is divided by its larger part first.
fn sign_C(x: C) -> C {
    let largest = max(abs(x.x), abs(x.y));
    if largest == F(0) && !is_nan_C(x) {
        return C(F(0), F(0));
    }
    let y = C(divide_F(x.x, largest), divide_F(x.y, largest));
    let size = hypot_F(y.x, y.y);
    return C(divide_F(y.x, size), divide_F(y.y, size));
}
