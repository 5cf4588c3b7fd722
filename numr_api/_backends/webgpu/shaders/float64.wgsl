// float64 where the adapter has it: tests of bits, rounding and order. WGSL's own arithmetic, sqrt,
// abs, min, max, floor and ceil are exact; its other functions return garbage without an error
// (naga, measured), and lavapipe's round and trunc return what is above 2^24 as it is.
//
// Literals without a suffix become float64 with all their digits where the other operand is one;
// `let` and select() of two literals make float32 of them.

// x itself; no compiler knows that, and so error-free transformations survive.
fn opaque_f64(x: f64) -> f64 {
    return bitcast<f64>(bitcast<u64>(x) ^ u64(opaque_zero));
}

fn nan_f64() -> f64 {
    return bitcast<f64>((u64(0x7ff80000u ^ opaque_zero)) << 32u);
}

fn infinity_f64() -> f64 {
    return bitcast<f64>((u64(0x7ff00000u ^ opaque_zero)) << 32u);
}

fn high_word_f64(x: f64) -> u32 {
    return u32(bitcast<u64>(x) >> 32u);
}

fn is_nan_f64(x: f64) -> bool {
    return (bitcast<u64>(x) & 0x7ffffffffffffffflu) > 0x7ff0000000000000lu;
}

fn is_infinite_f64(x: f64) -> bool {
    return (bitcast<u64>(x) & 0x7ffffffffffffffflu) == 0x7ff0000000000000lu;
}

fn is_finite_f64(x: f64) -> bool {
    return (high_word_f64(x) & 0x7ff00000u) != 0x7ff00000u;
}

fn is_negative_f64(x: f64) -> bool {
    return (high_word_f64(x) & 0x80000000u) != 0u;
}

fn copysign_f64(x: f64, sign: f64) -> f64 {
    let magnitude = bitcast<u64>(x) & 0x7ffffffffffffffflu;
    return bitcast<f64>(magnitude | (bitcast<u64>(sign) & 0x8000000000000000lu));
}

fn negative_f64(x: f64) -> f64 {
    return bitcast<f64>(bitcast<u64>(x) ^ 0x8000000000000000lu);
}

fn abs_f64(x: f64) -> f64 {
    return bitcast<f64>(bitcast<u64>(x) & 0x7ffffffffffffffflu);
}

fn floor_f64(x: f64) -> f64 {
    return copysign_f64(floor(x), x);
}

fn ceil_f64(x: f64) -> f64 {
    return copysign_f64(ceil(x), x);
}

fn trunc_f64(x: f64) -> f64 {
    return copysign_f64(floor(abs(x)), x);
}

// Ties to even.
fn round_f64(x: f64) -> f64 {
    let below = floor(x);
    let rest = x - below;
    let is_odd = floor(below * f64(0.5)) * f64(2) != below;
    let up = rest > f64(0.5) || (rest == f64(0.5) && is_odd);
    return copysign_f64(select(below, below + f64(1), up), x);
}

fn sign_f64(x: f64) -> f64 {
    if x > f64(0) { return f64(1); }
    if x < f64(0) { return f64(-1); }
    return select(f64(0), x, is_nan_f64(x));
}

fn maximum_f64(x: f64, y: f64) -> f64 {
    if is_nan_f64(x) { return x; }
    return select(x, y, y > x || is_nan_f64(y) || (x == y && is_negative_f64(x)));
}

fn minimum_f64(x: f64, y: f64) -> f64 {
    if is_nan_f64(x) { return x; }
    return select(x, y, y < x || is_nan_f64(y) || (x == y && is_negative_f64(y)));
}

fn nextafter_f64(x: f64, y: f64) -> f64 {
    if is_nan_f64(x) { return x; }
    if is_nan_f64(y) || x == y { return y; }
    if x == f64(0) {
        return bitcast<f64>((bitcast<u64>(y) & 0x8000000000000000lu) | 1lu);
    }
    let away = (y > x) == (x > f64(0));
    return bitcast<f64>(select(bitcast<u64>(x) - 1lu, bitcast<u64>(x) + 1lu, away));
}
