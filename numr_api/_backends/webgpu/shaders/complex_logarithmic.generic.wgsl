// log and sqrt of complex numbers, and powers.

// (log|z|, angle).
fn log_C(z: C) -> C {
    return C(log_of_modulus_F(z.x, z.y).high, atan2_F(z.y, z.x));
}

// log|z| as a pair, also where it is not finite.
fn log_of_modulus_F(x: F, y: F) -> Double_F {
    if is_infinite_F(x) || is_infinite_F(y) {
        return Double_F(infinity_F(), F(0));
    }
    if is_nan_F(x) || is_nan_F(y) {
        return Double_F(nan_F(), F(0));
    }
    if x == F(0) && y == F(0) {
        return Double_F(-infinity_F(), F(0));
    }
    return log_hypot_extended_F(x, y);
}

fn log2_C(z: C) -> C {
    let factor = log2_e_extended_F();
    let size = log_of_modulus_F(z.x, z.y);
    return C(product_of_logarithm_F(size, factor), angle_product_F(z, factor));
}

fn log10_C(z: C) -> C {
    let factor = log10_e_extended_F();
    let size = log_of_modulus_F(z.x, z.y);
    return C(product_of_logarithm_F(size, factor), angle_product_F(z, factor));
}

fn product_of_logarithm_F(size: Double_F, factor: Double_F) -> F {
    if !is_finite_F(size.high) {
        return size.high;
    }
    return multiply_double_F(size, factor).high;
}

// The angle of z times a factor.
fn angle_product_F(z: C, factor: Double_F) -> F {
    let angle = atan2_F(z.y, z.x);
    if !is_finite_F(angle) || angle == F(0) {
        return angle;
    }
    if !is_finite_C(z) || (z.x == F(0) && z.y == F(0)) { // where angle_extended is not defined
        return angle * factor.high;
    }
    return copysign_F(multiply_double_F(angle_extended_F(abs(z.y), z.x), factor).high, angle);
}

// |1 + z|^2 - 1 = 2 x + x^2 + y^2 in pairs where 1 + x is rounded and matters.
fn log1p_C(z: C) -> C {
    let angle = atan2_F(z.y, F(1) + z.x);
    if !is_finite_C(z) || z.x <= F(-0.5) || max(abs(z.x), abs(z.y)) > F(100) {
        return C(log_of_modulus_F(F(1) + z.x, z.y).high, angle);
    }
    // Squares below the last bits of 2 x vanish, and so does what they lack.
    let first = two_product_F(z.x, z.x);
    let second = two_product_F(z.y, z.y);
    let squares = add_double_F(first, second);
    let sum = add_double_F(Double_F(F(2) * z.x, F(0)), squares);
    if sum.high == F(0) {
        return C(z.x, angle);
    }
    let twice = log1p_extended_F(sum.high, sum.low);
    return C(F(0.5) * (twice.high + twice.low), angle);
}

// t = sqrt((|z| + |x|)/2) and y/(2 t). |z| comes as a pair and a power of two, of which the root is
// taken apart. After W. Kahan, Branch cuts for complex elementary functions, 1987.
fn sqrt_C(z: C) -> C {
    if is_infinite_F(z.y) {
        return C(infinity_F(), z.y);
    }
    if !is_finite_F(z.x) {
        if is_nan_F(z.x) {
            return C(z.x, nan_F());
        }
        let other = select(F(0), nan_F(), is_nan_F(z.y));
        if is_negative_F(z.x) {
            return C(other, copysign_F(infinity_F(), z.y));
        }
        return C(z.x, select(copysign_F(F(0), z.y), other, is_nan_F(z.y)));
    }
    if is_nan_F(z.y) {
        return C(z.y, z.y);
    }
    if z.x == F(0) && z.y == F(0) {
        return C(F(0), z.y);
    }
    let size = hypot_scaled_F(z.x, z.y);
    let part = scale_by_power_of_two_F(abs(z.x), -size.exponent);
    let sum = add_double_F(Double_F(size.high, size.low), Double_F(part, F(0)));
    // (|z| + |x|)/2 = sum 2^(exponent - 1), where the exponent of the root is whole.
    let is_even = (size.exponent & 1) == 0;
    let factor = select(F(1), F(0.5), is_even);
    let root = sqrt_double_F(Double_F(sum.high * factor, sum.low * factor));
    let exponent = (size.exponent - select(1, 0, is_even)) >> 1u;
    let t = scale_by_power_of_two_F(root.high, exponent);
    let other = divide_F(abs(z.y), F(2) * t);
    if is_negative_F(z.x) {
        return C(other, copysign_F(t, z.y));
    }
    return C(t, copysign_F(other, z.y));
}

// exp(w log z), the logarithm and the product in pairs.
fn pow_C(z: C, w: C) -> C {
    if w.x == F(0) && w.y == F(0) {
        return C(F(1), F(0));
    }
    if z.x == F(0) && z.y == F(0) {
        return select(C(nan_F(), nan_F()), C(F(0), F(0)), w.x > F(0) && is_finite_C(w));
    }
    if !is_finite_C(z) || !is_finite_C(w) {
        return exp_C(multiply_C(w, log_C(z)));
    }
    let size = log_hypot_extended_F(z.x, z.y);
    var angle = angle_extended_F(abs(z.y), z.x);
    if is_negative_F(z.y) {
        angle = Double_F(-angle.high, -angle.low);
    }
    let real = Double_F(w.x, F(0));
    let imaginary = Double_F(w.y, F(0));
    let first = multiply_double_F(imaginary, angle);
    let exponent = add_double_F(
        multiply_double_F(real, size), Double_F(-first.high, -first.low));
    let turn = add_double_F(multiply_double_F(real, angle), multiply_double_F(imaginary, size));
    if !is_finite_F(exponent.high) || !is_finite_F(turn.high) {
        return exp_C(multiply_C(w, log_C(z)));
    }
    let modulus = exp_scaled_wide_F(exponent.high);
    // exp(low) and the turn by it are 1 + low and (1, low) to the last bit.
    let point = sincos_F(turn.high);
    let cos_ = (point.y - turn.low * point.x) * (F(1) + exponent.low);
    let sin_ = (point.x + turn.low * point.y) * (F(1) + exponent.low);
    return C(scaled_product_F(modulus, cos_), scaled_product_F(modulus, sin_));
}
