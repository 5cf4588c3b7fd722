// Rounding to integers, order and neighbours. Zeros keep their sign, which builtins need not.

fn floor_f32(x: f32) -> f32 {
    return copysign_f32(floor(x), x);
}

fn ceil_f32(x: f32) -> f32 {
    return copysign_f32(ceil(x), x);
}

fn trunc_f32(x: f32) -> f32 {
    return copysign_f32(trunc(x), x);
}

// Halves go to the even integer.
fn round_f32(x: f32) -> f32 {
    return copysign_f32(round(x), x);
}

fn signbit_f32(x: f32) -> bool {
    return is_negative_f32(x);
}

// -1, +0 (of either zero) or 1; NaN for NaN. Subnormals have a sign even where they are flushed.
fn sign_f32(x: f32) -> f32 {
    let magnitude = bitcast<u32>(x) & 0x7fffffffu;
    let size = select(select(1.0, 0.0, magnitude == 0u), x, magnitude > 0x7f800000u);
    return select(size, copysign_f32(size, x), magnitude != 0u);
}

// An integer that grows with x, -0 below +0.
fn order_f32(x: f32) -> i32 {
    let bits = bitcast<i32>(x);
    return bits ^ ((bits >> 31u) & 0x7fffffff);
}

fn maximum_f32(x: f32, y: f32) -> f32 {
    let greater = select(y, x, order_f32(x) > order_f32(y));
    return select(select(greater, y, is_nan_f32(y)), x, is_nan_f32(x));
}

fn minimum_f32(x: f32, y: f32) -> f32 {
    let less = select(y, x, order_f32(x) < order_f32(y));
    return select(select(less, y, is_nan_f32(y)), x, is_nan_f32(x));
}

// The number next to x in the direction of y, subnormal numbers included.
fn nextafter_f32(x: f32, y: f32) -> f32 {
    if (is_nan_f32(x) || is_nan_f32(y)) {
        return nan_f32();
    }
    let bits = bitcast<u32>(x);
    if (bits == bitcast<u32>(y) || ((bits | bitcast<u32>(y)) & 0x7fffffffu) == 0u) {
        return y;
    }
    if ((bits & 0x7fffffffu) == 0u) {
        return copysign_f32(bitcast<f32>(1u), y);
    }
    // Away from zero the bits grow.
    let is_outward = (order_f32(x) < order_f32(y)) != is_negative_f32(x);
    return bitcast<f32>(select(bits - 1u, bits + 1u, is_outward));
}
