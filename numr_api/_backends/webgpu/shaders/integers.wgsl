// Integers of the device: i32 and u32, and, on a device that has 64 bits, i64 and u64, whose
// functions end in _native_i64 and _native_u64. The kernels of a device without them name those of
// pairs.wgsl instead.
//
// int8, int16, uint8 and uint16 are computed as i32 and u32. Storing keeps the low bits, and these
// are right after +, -, *, negation, powers, bits and left shifts, whatever the high bits are. All
// else reads the high bits: a result that a kernel does not store but goes on with, and compares,
// divides, shifts right or converts, has to pass through one of the next four functions first.

fn wrap_i8(x: i32) -> i32 {
    return (x << 24u) >> 24u;
}

fn wrap_i16(x: i32) -> i32 {
    return (x << 16u) >> 16u;
}

fn wrap_u8(x: u32) -> u32 {
    return x & 0xffu;
}

fn wrap_u16(x: u32) -> u32 {
    return x & 0xffffu;
}

// Quotients round down and remainders have the sign of the divisor, as in Python; WGSL's truncate.
// Division by zero gives 0 for both, and the most negative number by -1 gives itself and 0. Some
// processors trap on these two, also in lanes that a condition has switched off: therefore a
// selected divisor rather than a branch.

fn floor_divide_i32(x: i32, y: i32) -> i32 {
    let divisor = select(y, 1i, y == 0i || y == -1i);
    let quotient = x / divisor;
    let down = quotient * divisor != x && (x ^ divisor) < 0i;
    return select(select(quotient - select(0i, 1i, down), -x, y == -1i), 0i, y == 0i);
}

fn floor_divide_u32(x: u32, y: u32) -> u32 {
    return select(x / max(y, 1u), 0u, y == 0u);
}

fn floor_divide_native_i64(x: i64, y: i64) -> i64 {
    let divisor = select(y, 1li, y == 0li || y == -1li);
    let quotient = x / divisor;
    let down = quotient * divisor != x && (x ^ divisor) < 0li;
    return select(select(quotient - select(0li, 1li, down), -x, y == -1li), 0li, y == 0li);
}

fn floor_divide_native_u64(x: u64, y: u64) -> u64 {
    return select(x / max(y, 1lu), 0lu, y == 0lu);
}

fn remainder_i32(x: i32, y: i32) -> i32 {
    return select(x - floor_divide_i32(x, y) * y, 0i, y == 0i);
}

fn remainder_u32(x: u32, y: u32) -> u32 {
    return select(x % max(y, 1u), 0u, y == 0u);
}

fn remainder_native_i64(x: i64, y: i64) -> i64 {
    return select(x - floor_divide_native_i64(x, y) * y, 0li, y == 0li);
}

fn remainder_native_u64(x: u64, y: u64) -> u64 {
    return select(x % max(y, 1lu), 0lu, y == 0lu);
}

// Shifts by the width or more, and so by any negative count, leave only the bits that are shifted
// in; WGSL takes counts modulo the width.

fn shift_left_i32(x: i32, n: i32) -> i32 {
    return bitcast<i32>(shift_left_u32(bitcast<u32>(x), bitcast<u32>(n)));
}

fn shift_left_u32(x: u32, n: u32) -> u32 {
    return select(x << (n & 31u), 0u, n > 31u);
}

fn shift_left_native_i64(x: i64, n: i64) -> i64 {
    return bitcast<i64>(shift_left_native_u64(bitcast<u64>(x), bitcast<u64>(n)));
}

fn shift_left_native_u64(x: u64, n: u64) -> u64 {
    return select(x << (u32(n) & 63u), 0lu, n > 63lu);
}

fn shift_right_i32(x: i32, n: i32) -> i32 {
    return x >> min(bitcast<u32>(n), 31u);
}

fn shift_right_u32(x: u32, n: u32) -> u32 {
    return select(x >> (n & 31u), 0u, n > 31u);
}

fn shift_right_native_i64(x: i64, n: i64) -> i64 {
    return x >> u32(min(bitcast<u64>(n), 63lu));
}

fn shift_right_native_u64(x: u64, n: u64) -> u64 {
    return select(x >> (u32(n) & 63u), 0lu, n > 63lu);
}

// x to the power n by squaring, modulo 2^32 or 2^64; the exponent counts as unsigned.

fn power_i32(x: i32, n: i32) -> i32 {
    return bitcast<i32>(power_u32(bitcast<u32>(x), bitcast<u32>(n)));
}

fn power_u32(x: u32, n: u32) -> u32 {
    var result = 1u;
    var factor = x;
    for (var left = n; left != 0u; left >>= 1u) {
        result *= select(1u, factor, (left & 1u) != 0u);
        factor *= factor;
    }
    return result;
}

fn power_native_i64(x: i64, n: i64) -> i64 {
    return bitcast<i64>(power_native_u64(bitcast<u64>(x), bitcast<u64>(n)));
}

fn power_native_u64(x: u64, n: u64) -> u64 {
    var result = 1lu;
    var factor = x;
    for (var left = n; left != 0lu; left = left >> 1u) {
        result *= select(1lu, factor, (left & 1lu) != 0lu);
        factor *= factor;
    }
    return result;
}

// -1, 0 or 1.

fn sign_i32(x: i32) -> i32 {
    return select(0i, 1i, x > 0i) - select(0i, 1i, x < 0i);
}

fn sign_u32(x: u32) -> u32 {
    return min(x, 1u);
}

fn sign_native_i64(x: i64) -> i64 {
    return select(0li, 1li, x > 0li) - select(0li, 1li, x < 0li);
}

fn sign_native_u64(x: u64) -> u64 {
    return min(x, 1lu);
}

// The most negative number gives itself, as it does in NumPy.

fn abs_i32(x: i32) -> i32 {
    return select(x, -x, x < 0i);
}

fn abs_u32(x: u32) -> u32 {
    return x;
}

fn abs_native_i64(x: i64) -> i64 {
    return select(x, -x, x < 0li);
}

fn abs_native_u64(x: u64) -> u64 {
    return x;
}
