// 64-bit integers for devices that have none: vec2<u32>, x the low word and y the high word, which
// is how memory holds an int64 or uint64. Everything is exact modulo 2^64. A name ends in _u64 or
// _i64 where the sign matters, in _pair where both give the same bits.

// Arithmetic modulo 2^64.

fn add_pair(x: vec2<u32>, y: vec2<u32>) -> vec2<u32> {
    let low = x.x + y.x;
    return vec2<u32>(low, x.y + y.y + u32(low < x.x));
}

fn subtract_pair(x: vec2<u32>, y: vec2<u32>) -> vec2<u32> {
    return vec2<u32>(x.x - y.x, x.y - y.y - u32(x.x < y.x));
}

// All 64 bits of the product of two words, which WGSL has no operator for, from the four products
// of their halves. No sum here exceeds a word: (2^16 - 1)^2 + 2 (2^16 - 1) = 2^32 - 1.
// Source: Knuth, TAOCP 2, 4.3.1, algorithm M.
fn long_product_u32(x: u32, y: u32) -> vec2<u32> {
    let x_low = x & 0xffffu;
    let x_high = x >> 16u;
    let y_low = y & 0xffffu;
    let y_high = y >> 16u;
    let low = x_low * y_low;
    let middle = x_high * y_low + (low >> 16u);
    let other = x_low * y_high + (middle & 0xffffu);
    return vec2<u32>((other << 16u) | (low & 0xffffu),
                     x_high * y_high + (middle >> 16u) + (other >> 16u));
}

fn multiply_pair(x: vec2<u32>, y: vec2<u32>) -> vec2<u32> {
    return long_product_u32(x.x, y.x) + vec2<u32>(0u, x.x * y.y + x.y * y.x);
}

fn square_pair(x: vec2<u32>) -> vec2<u32> {
    return multiply_pair(x, x);
}

fn negative_pair(x: vec2<u32>) -> vec2<u32> {
    return vec2<u32>(0u - x.x, ~x.y + u32(x.x == 0u));
}

// x to the power n, whose exponent counts as unsigned: by squaring, at most 64 times.
fn power_pair(x: vec2<u32>, n: vec2<u32>) -> vec2<u32> {
    var result = vec2<u32>(1u, 0u);
    var factor = x;
    var left = n;
    while bool_from_pair(left) {
        if (left.x & 1u) != 0u {
            result = multiply_pair(result, factor);
        }
        left = vec2<u32>((left.x >> 1u) | (left.y << 31u), left.y >> 1u);
        factor = multiply_pair(factor, factor);
    }
    return result;
}

// The magnitude; read as unsigned, that of the most negative number is right too.
fn abs_i64(x: vec2<u32>) -> vec2<u32> {
    return select(x, negative_pair(x), is_negative_i64(x));
}

// -1, 0 or 1.
fn sign_i64(x: vec2<u32>) -> vec2<u32> {
    return select(sign_u64(x), vec2<u32>(0xffffffffu), is_negative_i64(x));
}

fn sign_u64(x: vec2<u32>) -> vec2<u32> {
    return pair_from_bool(bool_from_pair(x));
}

// Bits.

fn and_pair(x: vec2<u32>, y: vec2<u32>) -> vec2<u32> {
    return x & y;
}

fn or_pair(x: vec2<u32>, y: vec2<u32>) -> vec2<u32> {
    return x | y;
}

fn xor_pair(x: vec2<u32>, y: vec2<u32>) -> vec2<u32> {
    return x ^ y;
}

fn not_pair(x: vec2<u32>) -> vec2<u32> {
    return ~x;
}

// Shifts take their count as a pair: 64 or more, and so any negative count, leaves only the bits
// that are shifted in. A word is shifted by 32 - n in two steps, as WGSL takes a count modulo 32.

fn shift_left_pair(x: vec2<u32>, n: vec2<u32>) -> vec2<u32> {
    let count = n.x & 31u;
    let low = x.x << count;
    let high = (x.y << count) | ((x.x >> 1u) >> (31u - count));
    let shifted = select(vec2<u32>(low, high), vec2<u32>(0u, low), n.x >= 32u);
    return select(shifted, vec2<u32>(0u), n.x >= 64u || n.y != 0u);
}

fn shift_right_u64(x: vec2<u32>, n: vec2<u32>) -> vec2<u32> {
    let count = n.x & 31u;
    let high = x.y >> count;
    let low = (x.x >> count) | ((x.y << 1u) << (31u - count));
    let shifted = select(vec2<u32>(low, high), vec2<u32>(high, 0u), n.x >= 32u);
    return select(shifted, vec2<u32>(0u), n.x >= 64u || n.y != 0u);
}

// A negative number's complement is not negative, and zeros shifted into it become ones.
fn shift_right_i64(x: vec2<u32>, n: vec2<u32>) -> vec2<u32> {
    let signs = vec2<u32>(select(0u, 0xffffffffu, is_negative_i64(x)));
    return shift_right_u64(x ^ signs, n) ^ signs;
}

// 64 for zero.
fn count_leading_zeros_pair(x: vec2<u32>) -> u32 {
    return select(countLeadingZeros(x.y), 32u + countLeadingZeros(x.x), x.y == 0u);
}

// Comparisons.

fn equal_pair(x: vec2<u32>, y: vec2<u32>) -> bool {
    return all(x == y);
}

fn less_u64(x: vec2<u32>, y: vec2<u32>) -> bool {
    return x.y < y.y || (x.y == y.y && x.x < y.x);
}

fn less_i64(x: vec2<u32>, y: vec2<u32>) -> bool {
    return less_u64(sort_key_i64(x), sort_key_i64(y));
}

// Maps the order of int64 to that of uint64, and back.
fn sort_key_i64(x: vec2<u32>) -> vec2<u32> {
    return vec2<u32>(x.x, x.y ^ 0x80000000u);
}

fn is_negative_i64(x: vec2<u32>) -> bool {
    return (x.y >> 31u) != 0u;
}

fn minimum_u64(x: vec2<u32>, y: vec2<u32>) -> vec2<u32> {
    return select(x, y, less_u64(y, x));
}

fn minimum_i64(x: vec2<u32>, y: vec2<u32>) -> vec2<u32> {
    return select(x, y, less_i64(y, x));
}

fn maximum_u64(x: vec2<u32>, y: vec2<u32>) -> vec2<u32> {
    return select(x, y, less_u64(x, y));
}

fn maximum_i64(x: vec2<u32>, y: vec2<u32>) -> vec2<u32> {
    return select(x, y, less_i64(x, y));
}

// The upper bound, where the lower one exceeds it.
fn clamp_u64(x: vec2<u32>, low: vec2<u32>, high: vec2<u32>) -> vec2<u32> {
    return minimum_u64(maximum_u64(x, low), high);
}

fn clamp_i64(x: vec2<u32>, low: vec2<u32>, high: vec2<u32>) -> vec2<u32> {
    return minimum_i64(maximum_i64(x, low), high);
}

// Division: by zero, quotient and remainder are both 0.

struct PairDivision {
    quotient: vec2<u32>,
    remainder: vec2<u32>,
}

// One step of long division in digits of 16 bits: the quotient digit and the remainder of
// 2^16 r + digit by y, where r < y and y has its highest bit set. The digit estimated from the
// upper half of y is at most 2 too large, hence at most 2^16 + 1, and its product with the lower
// half, which is still a word, tells. Source: Knuth, TAOCP 2, 4.3.1, algorithm D, step D3.
fn division_step_u32(r: u32, digit: u32, y: u32) -> vec2<u32> {
    let y_high = y >> 16u;
    let y_low = y & 0xffffu;
    var quotient = r / y_high;
    var rest = r - quotient * y_high;
    for (var k = 0u; k < 2u; k++) {
        if rest < 0x10000u && quotient * y_low > ((rest << 16u) | digit) {
            quotient -= 1u;
            rest += y_high;
        }
    }
    return vec2<u32>(quotient, ((r << 16u) | digit) - quotient * y);
}

// The quotient and the remainder of a pair by a word greater than its high word, so that the
// quotient is a word too. Source: Hacker's Delight, figure 9-3.
fn divide_by_word_u64(x: vec2<u32>, y: u32) -> vec2<u32> {
    let count = countLeadingZeros(y);
    let normal = y << count;
    let scaled = shift_left_pair(x, vec2<u32>(count, 0u));
    let first = division_step_u32(scaled.y, scaled.x >> 16u, normal);
    let second = division_step_u32(first.y, scaled.x & 0xffffu, normal);
    return vec2<u32>((first.x << 16u) | second.x, second.y >> count);
}

// Long division in words. A divisor of two words is replaced by its 32 leading bits, and half of x
// is divided by them; that quotient, scaled, is right or 1 too large, so that 1 less is right or 1
// too small, which the remainder tells. Source: Hacker's Delight, figure 9-5.
fn division_u64(x: vec2<u32>, y: vec2<u32>) -> PairDivision {
    if y.y == 0u {
        if y.x == 0u {
            return PairDivision(vec2<u32>(0u), vec2<u32>(0u));
        }
        let high = x.y / y.x;
        let rest = x.y - high * y.x;
        if rest == 0u {
            let low = x.x / y.x;
            return PairDivision(vec2<u32>(low, high), vec2<u32>(x.x - low * y.x, 0u));
        }
        let low = divide_by_word_u64(vec2<u32>(x.x, rest), y.x);
        return PairDivision(vec2<u32>(low.x, high), vec2<u32>(low.y, 0u));
    }
    let count = countLeadingZeros(y.y);
    let leading = shift_left_pair(y, vec2<u32>(count, 0u)).y;
    let half = vec2<u32>((x.x >> 1u) | (x.y << 31u), x.y >> 1u);
    var quotient = divide_by_word_u64(half, leading).x >> (31u - count);
    quotient -= u32(quotient != 0u);
    let product = long_product_u32(quotient, y.x) + vec2<u32>(0u, quotient * y.y);
    let remainder = subtract_pair(x, product);
    if less_u64(remainder, y) {
        return PairDivision(vec2<u32>(quotient, 0u), remainder);
    }
    return PairDivision(vec2<u32>(quotient + 1u, 0u), subtract_pair(remainder, y));
}

// Rounds the quotient down, as Python does, so that the remainder has the sign of y. The most
// negative number by -1 gives itself.
fn floor_division_i64(x: vec2<u32>, y: vec2<u32>) -> PairDivision {
    let magnitudes = division_u64(abs_i64(x), abs_i64(y));
    let opposite = is_negative_i64(x ^ y);
    var quotient = magnitudes.quotient;
    var remainder = magnitudes.remainder;
    if opposite && bool_from_pair(remainder) {
        quotient = ~quotient;  // -(quotient + 1)
        remainder = subtract_pair(abs_i64(y), remainder);
    } else if opposite {
        quotient = negative_pair(quotient);
    }
    return PairDivision(quotient, select(remainder, negative_pair(remainder), is_negative_i64(y)));
}

fn divide_u64(x: vec2<u32>, y: vec2<u32>) -> vec2<u32> {
    return division_u64(x, y).quotient;
}

fn remainder_u64(x: vec2<u32>, y: vec2<u32>) -> vec2<u32> {
    return division_u64(x, y).remainder;
}

fn floor_divide_i64(x: vec2<u32>, y: vec2<u32>) -> vec2<u32> {
    return floor_division_i64(x, y).quotient;
}

fn remainder_i64(x: vec2<u32>, y: vec2<u32>) -> vec2<u32> {
    return floor_division_i64(x, y).remainder;
}
