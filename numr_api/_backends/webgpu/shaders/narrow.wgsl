// Floating-point numbers of 16 and 8 bits, which are computed as float32: from their bits, and to
// them, rounded once to nearest, ties to even. All by integers, as devices may flush subnormal
// numbers, and differ in what they make of numbers that are too large. NaN keeps the upper bits of
// its payload.
//
// A format has so many digits of the significand, without the leading one, and a bias of the
// exponent.

fn f32_from_bfloat16(bits: u32) -> f32 {
    return bitcast<f32>(bits << 16u);
}

fn f32_from_float16(bits: u32) -> f32 {
    return bitcast<f32>(widened(bits & 0x7fffu, 10u, 15u) | ((bits & 0x8000u) << 16u));
}

fn f32_from_float8_e5m2(bits: u32) -> f32 {
    return bitcast<f32>(widened(bits & 0x7fu, 2u, 15u) | ((bits & 0x80u) << 24u));
}

fn f32_from_float8_e4m3fn(bits: u32) -> f32 {
    let magnitude = bits & 0x7fu;
    let wide = select(widened(magnitude, 3u, 7u), 0x7fc00000u, magnitude == 0x7fu);
    return bitcast<f32>(wide | ((bits & 0x80u) << 24u));
}

// The bits of a magnitude in float32. Only with a bias of 15 the largest exponent is infinity's.
fn widened(magnitude: u32, digits: u32, bias: u32) -> u32 {
    let normal = (magnitude << (23u - digits)) + ((127u - bias) << 23u);
    let least = bitcast<f32>((128u - bias - digits) << 23u);
    let subnormal = bitcast<u32>(f32(magnitude) * least);
    let finite = select(normal, subnormal, magnitude < (1u << digits));
    return finite | select(0u, 0x7f800000u, bias == 15u && magnitude >= (31u << digits));
}

fn bfloat16_from_f32(x: f32) -> u32 {
    let bits = bitcast<u32>(x);
    let payload = (bits >> 16u) & 0x7fu;
    let nan = (bits >> 16u) | select(0u, 0x40u, payload == 0u);
    return select(rounded(bits, 16u), nan, (bits & 0x7fffffffu) > 0x7f800000u);
}

fn float16_from_f32(x: f32) -> u32 {
    let bits = bitcast<u32>(x);
    return narrowed_with_infinity(bits & 0x7fffffffu, 10u) | ((bits >> 16u) & 0x8000u);
}

fn float8_e5m2_from_f32(x: f32) -> u32 {
    let bits = bitcast<u32>(x);
    return narrowed_with_infinity(bits & 0x7fffffffu, 2u) | ((bits >> 24u) & 0x80u);
}

// There is no infinity: what is too large is NaN.
fn float8_e4m3fn_from_f32(x: f32) -> u32 {
    let bits = bitcast<u32>(x);
    return min(narrowed(bits & 0x7fffffffu, 3u, 7u), 0x7fu) | ((bits >> 24u) & 0x80u);
}

// Of a format with a bias of 15.
fn narrowed_with_infinity(magnitude: u32, digits: u32) -> u32 {
    let infinity = 31u << digits;
    if magnitude > 0x7f800000u {
        let payload = (magnitude >> (23u - digits)) & ((1u << digits) - 1u);
        return infinity | select(payload, 1u << (digits - 1u), payload == 0u);
    }
    return min(narrowed(magnitude, digits, 15u), infinity);
}

// The magnitude in a format as if its exponents went on; for that of NaN it is some large number.
fn narrowed(magnitude: u32, digits: u32, bias: u32) -> u32 {
    let dropped = 23u - digits;
    let exponent = magnitude >> 23u;
    let least = 128u - bias;
    if exponent >= least {
        return rounded(magnitude, dropped) - ((127u - bias) << digits);
    }
    let significand = (magnitude & 0x7fffffu) | 0x800000u;
    return rounded(significand, min(dropped + least - exponent, 25u));
}

// x / 2^dropped to nearest, ties to even.
fn rounded(x: u32, dropped: u32) -> u32 {
    return (x + (1u << (dropped - 1u)) - 1u + ((x >> dropped) & 1u)) >> dropped;
}

// Exact for subnormal numbers as well, as bfloat16 has them.
fn f64_from_narrow(x: f32) -> f64 {
    let magnitude = bitcast<u32>(x) & 0x7fffffffu;
    if magnitude >= 0x800000u {
        return f64(x);
    }
    let size = f64(magnitude) * bitcast<f64>(0x36a0000000000000lu); // 2^-149
    return select(size, -size, is_negative_f32(x));
}

// --- float32 from wider numbers, to be rounded again ----------------------------------------------
//
// What is not exact gets an odd significand, and is then neither a number of a narrower format nor
// halfway between two: rounding it again has the effect of rounding once (S. Boldo, G. Melquiond,
// IEEE Transactions on Computers 57, 2008). What is beyond float32 is infinity, which is right for
// all the narrower formats.

fn odd_f32_from_f64(x: f64) -> f32 {
    let bits = bitcast<u64>(x);
    let sign = u32(bits >> 32u) & 0x80000000u;
    let magnitude = bits & 0x7ffffffffffffffflu;
    let exponent = u32(magnitude >> 52u);
    if exponent == 0u {
        return bitcast<f32>(sign);
    }
    if exponent >= 1151u {
        let special = select(0x7f800000u, 0x7fc00000u, magnitude > 0x7ff0000000000000lu);
        return bitcast<f32>(special | sign);
    }
    if exponent >= 897u {
        return bitcast<f32>(cut_to_odd(magnitude - 0x3800000000000000lu, 29u) | sign);
    }
    let significand = (magnitude & 0xffffffffffffflu) | 0x10000000000000lu;
    return bitcast<f32>(cut_to_odd(significand, min(29u + 897u - exponent, 63u)) | sign);
}

fn cut_to_odd(x: u64, dropped: u32) -> u32 {
    let kept = x >> dropped;
    return u32(kept) | select(0u, 1u, (kept << dropped) != x);
}

fn odd_f32_from_u32(x: u32) -> f32 {
    let count = countLeadingZeros(x);
    let normal = x << (count & 31u);
    let significand = (normal >> 8u) | select(0u, 1u, (normal & 0xffu) != 0u);
    return bitcast<f32>(select(((126u + 31u - count) << 23u) + significand, 0u, x == 0u));
}

fn odd_f32_from_i32(x: i32) -> f32 {
    let sign = bitcast<u32>(x) & 0x80000000u;
    return bitcast<f32>(bitcast<u32>(odd_f32_from_u32(bitcast<u32>(abs(x)))) | sign);
}

fn odd_f32_from_u64(x: vec2<u32>) -> f32 {
    let count = count_leading_zeros_pair(x);
    let normal = shift_left_pair(x, vec2<u32>(count, 0u));
    let is_exact = (normal.y & 0xffu) == 0u && normal.x == 0u;
    let significand = (normal.y >> 8u) | select(1u, 0u, is_exact);
    let bits = ((126u + 63u - count) << 23u) + significand;
    return bitcast<f32>(select(0u, bits, bool_from_pair(x)));
}

fn odd_f32_from_i64(x: vec2<u32>) -> f32 {
    return bitcast<f32>(bitcast<u32>(odd_f32_from_u64(abs_i64(x))) | (x.y & 0x80000000u));
}

fn odd_f32_from_native_u64(x: u64) -> f32 {
    return odd_f32_from_u64(vec2<u32>(u32(x & 0xfffffffflu), u32(x >> 32u)));
}

fn odd_f32_from_native_i64(x: i64) -> f32 {
    let bits = bitcast<u64>(x);
    return odd_f32_from_i64(vec2<u32>(u32(bits & 0xfffffffflu), u32(bits >> 32u)));
}

// The sum of two parts, of which the first is the sum to nearest.
fn odd_f32_from_double(x: Double_f32) -> f32 {
    let bits = bitcast<u32>(x.high);
    let is_exact = (bitcast<u32>(x.low) << 1u) == 0u || !is_finite_f32(x.high);
    let is_beyond = is_negative_f32(x.low) != is_negative_f32(x.high);
    return bitcast<f32>(select((bits - select(0u, 1u, is_beyond)) | 1u, bits, is_exact));
}

// --- neighbours -----------------------------------------------------------------------------------

fn nextafter_float16(x: f32, y: f32) -> f32 {
    return select(
        f32_from_float16(next_of_16_bits(float16_from_f32(x), float16_from_f32(y))),
        nan_f32(),
        is_nan_f32(x) || is_nan_f32(y),
    );
}

fn nextafter_bfloat16(x: f32, y: f32) -> f32 {
    return select(
        f32_from_bfloat16(next_of_16_bits(bfloat16_from_f32(x), bfloat16_from_f32(y))),
        nan_f32(),
        is_nan_f32(x) || is_nan_f32(y),
    );
}

// The bits next to those of a number in the direction of another one.
fn next_of_16_bits(bits: u32, goal: u32) -> u32 {
    if bits == goal || ((bits | goal) & 0x7fffu) == 0u {
        return goal;
    }
    if (bits & 0x7fffu) == 0u {
        return (goal & 0x8000u) | 1u;
    }
    // Away from zero, the bits grow.
    let is_outward = (bits & 0x8000u) == (goal & 0x8000u) && (goal & 0x7fffu) > (bits & 0x7fffu);
    return select(bits - 1u, bits + 1u, is_outward);
}
