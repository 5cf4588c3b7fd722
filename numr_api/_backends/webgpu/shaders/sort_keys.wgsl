// Sort keys: words without sign whose order is the one that values are sorted in. Zeros are equal,
// and so are NaNs, whose key is the largest.

fn sort_key_f32(bits: u32) -> u32 {
    let magnitude = bits & 0x7fffffffu;
    let key = bits ^ select(0x80000000u, 0xffffffffu, magnitude != bits);
    return select(select(key, 0x80000000u, magnitude == 0u), 0xffffffffu, magnitude > 0x7f800000u);
}

// The low word is x.
fn sort_key_f64(bits: vec2<u32>) -> vec2<u32> {
    let magnitude = bits.y & 0x7fffffffu;
    let flip = select(vec2<u32>(0u, 0x80000000u), vec2<u32>(0xffffffffu), magnitude != bits.y);
    let key = select(bits ^ flip, vec2<u32>(0u, 0x80000000u), (magnitude | bits.x) == 0u);
    let is_nan = magnitude > 0x7ff00000u || (magnitude == 0x7ff00000u && bits.x != 0u);
    return select(key, vec2<u32>(0xffffffffu), is_nan);
}

// Complex numbers are ordered by which of their parts are NaN, then by the real part, then by the
// imaginary part, as NumPy does it. These are the words of such a key, the least significant first.

fn sort_key_c64(value: vec2<u32>, word: u32) -> u32 {
    if (word < 2u) {
        return sort_key_f32(value[1u - word]);
    }
    return select(0u, 1u, sort_key_f32(value.y) == 0xffffffffu)
        + select(0u, 2u, sort_key_f32(value.x) == 0xffffffffu);
}

fn sort_key_c128(value: vec4<u32>, word: u32) -> u32 {
    if (word < 4u) {
        return sort_key_f64(select(value.xy, value.zw, word < 2u))[word & 1u];
    }
    return select(0u, 1u, sort_key_f64(value.zw).y == 0xffffffffu)
        + select(0u, 2u, sort_key_f64(value.xy).y == 0xffffffffu);
}
