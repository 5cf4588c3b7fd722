// Integers in the order of floating-point numbers, for extremes that no compiler may spoil: -0 comes
// before +0, and NaN last or first of all.

fn key_nan_last_f32(x: f32) -> i32 {
    let bits = bitcast<i32>(x);
    return select(bits ^ ((bits >> 31u) & 0x7fffffff), 0x7fffffff, is_nan_f32(x));
}

fn key_nan_first_f32(x: f32) -> i32 {
    let bits = bitcast<i32>(x);
    return select(bits ^ ((bits >> 31u) & 0x7fffffff), ~0x7fffffff, is_nan_f32(x));
}

// The keys of NaN are those of NaNs.
fn from_key_f32(key: i32) -> f32 {
    return bitcast<f32>(key ^ ((key >> 31u) & 0x7fffffff));
}

fn key_nan_last_f64(x: f64) -> i64 {
    let bits = bitcast<i64>(x);
    let magnitude = bits & 0x7fffffffffffffffli;
    let key = select(bits, bits ^ 0x7fffffffffffffffli, bits < 0li);
    return select(key, 0x7fffffffffffffffli, magnitude > 0x7ff0000000000000li);
}

fn key_nan_first_f64(x: f64) -> i64 {
    let bits = bitcast<i64>(x);
    let magnitude = bits & 0x7fffffffffffffffli;
    let key = select(bits, bits ^ 0x7fffffffffffffffli, bits < 0li);
    return select(key, ~0x7fffffffffffffffli, magnitude > 0x7ff0000000000000li);
}

fn from_key_f64(key: i64) -> f64 {
    return bitcast<f64>(select(key, key ^ 0x7fffffffffffffffli, key < 0li));
}

// The key of -0 becomes that of +0, since both are the same number.
fn key_of_number_i32(key: i32) -> i32 {
    return select(key, 0, key == -1);
}

fn key_of_number_i64(key: i64) -> i64 {
    return select(key, 0li, key == -1li);
}
