// Conversions from and to the pairs of pairs.wgsl, and from float32 to integers of 32 bits, for
// which WGSL's own stops short of the largest integer.

fn pair_from_bool(x: bool) -> vec2<u32> {
    return vec2<u32>(u32(x), 0u);
}

fn pair_from_u32(x: u32) -> vec2<u32> {
    return vec2<u32>(x, 0u);
}

fn pair_from_i32(x: i32) -> vec2<u32> {
    return vec2<u32>(bitcast<u32>(x), bitcast<u32>(x >> 31u));
}

fn bool_from_pair(x: vec2<u32>) -> bool {
    return (x.x | x.y) != 0u;
}

fn u32_from_pair(x: vec2<u32>) -> u32 {
    return x.x;
}

fn i32_from_pair(x: vec2<u32>) -> i32 {
    return bitcast<i32>(x.x);
}

// Rounds once, to nearest, ties to even: f32(high) * 2^32 + f32(low) would round twice. With the
// leading bit moved to the top, the upper 24 bits are the significand, and the other 40 say where
// it rounds. A significand that rounds up to 2^24 carries into the exponent, as it has to.
fn f32_from_u64(x: vec2<u32>) -> f32 {
    let count = count_leading_zeros_pair(x);
    let normal = shift_left_pair(x, vec2<u32>(count, 0u));
    let significand = normal.y >> 8u;
    let half = (normal.y >> 7u) & 1u;
    let beyond_half = (normal.y & 0x7fu) | normal.x;
    let up = half & (u32(beyond_half != 0u) | significand);
    let bits = ((126u + 63u - count) << 23u) + significand + up;
    return bitcast<f32>(select(0u, bits, bool_from_pair(x)));
}

fn f32_from_i64(x: vec2<u32>) -> f32 {
    return bitcast<f32>(bitcast<u32>(f32_from_u64(abs_i64(x))) | (x.y & 0x80000000u));
}

// From float32: the fraction is dropped, what lies beyond the range gives the nearest bound, and
// NaN gives 0. Only bits are read, as compilers may assume that NaN and infinity never occur.

// The integer part of |x|; 2^64 - 1 from 2^64 on, and 0 for NaN.
fn magnitude_u64_from_f32(x: f32) -> vec2<u32> {
    let bits = bitcast<u32>(x) & 0x7fffffffu;
    if bits < 0x3f800000u || bits > 0x7f800000u {
        return vec2<u32>(0u);
    }
    if bits >= 0x5f800000u {
        return vec2<u32>(0xffffffffu);
    }
    let exponent = (bits >> 23u) - 127u;
    // The significand stands 40 bits too high for exponent 23.
    let significand = vec2<u32>(0u, (bits << 8u) | 0x80000000u);
    return shift_right_u64(significand, vec2<u32>(63u - exponent, 0u));
}

fn u64_from_f32(x: f32) -> vec2<u32> {
    return select(magnitude_u64_from_f32(x), vec2<u32>(0u), (bitcast<u32>(x) >> 31u) != 0u);
}

fn i64_from_f32(x: f32) -> vec2<u32> {
    let magnitude = magnitude_u64_from_f32(x);
    if (bitcast<u32>(x) >> 31u) != 0u {
        return negative_pair(minimum_u64(magnitude, vec2<u32>(0u, 0x80000000u)));
    }
    return minimum_u64(magnitude, vec2<u32>(0xffffffffu, 0x7fffffffu));
}

// To 32 bits: WGSL's own conversion stops at the largest float32 below the bound.
fn u32_from_f32(x: f32) -> u32 {
    let within = select(u32(x), 0xffffffffu, x >= 4294967296.0);
    return select(within, 0u, is_nan_f32(x));
}

fn i32_from_f32(x: f32) -> i32 {
    let within = select(i32(x), 0x7fffffff, x >= 2147483648.0);
    return select(within, 0, is_nan_f32(x));
}
