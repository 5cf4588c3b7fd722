// sin, cos and tan of any float32. x = n pi/2 + r with |r| <= pi/4, r in a pair; then minimax
// polynomials in r^2, computed with a linear program from values of 40 digits, relative error
// 2^-32.

// pi/2 in parts of 15 bits, so that n <= 2^9 times each is exact, and what they lack.
const HALF_PI_1: f32 = 1.5708008;
const HALF_PI_2: f32 = -4.454516e-6;
const HALF_PI_3: f32 = 6.077272e-11;
const HALF_PI_4: f32 = -1.7151245e-15;
const TWO_OVER_PI: f32 = 0.63661975;
// The bits of 2/pi, after a word that is 0.
const TWO_OVER_PI_BITS = array<u32, 8>(
    0u, 0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u, 0x3c439041u, 0xfe5163abu,
);
const HALF_PI: f32 = 1.5707964;
const HALF_PI_LOW: f32 = -4.371139e-8;

// x = quadrant pi/2 + high + low, modulo 2 pi.
struct Angle_f32 {
    high: f32,
    low: f32,
    quadrant: i32,
}

// Of a finite |x| < 800. W. J. Cody, W. Waite, Software Manual for the Elementary Functions, 1980.
fn reduce_medium_angle_f32(x: f32) -> Angle_f32 {
    let n = round(x * TWO_OVER_PI);
    let first = opaque_f32(x - n * HALF_PI_1);
    let second = fast_two_sum_f32(first, -(n * HALF_PI_2));
    let third = fast_two_sum_f32(second.high, -(n * HALF_PI_3));
    let r = fast_two_sum_f32(third.high, (second.low + third.low) - n * HALF_PI_4);
    return Angle_f32(r.high, r.low, i32(n));
}

// a * b as its low and its high word.
fn multiply_wide_u32(a: u32, b: u32) -> vec2<u32> {
    let a_low = a & 0xffffu;
    let a_high = a >> 16u;
    let b_low = b & 0xffffu;
    let b_high = b >> 16u;
    let lows = a_low * b_low;
    let middle = a_high * b_low + (lows >> 16u);
    let other = a_low * b_high + (middle & 0xffffu);
    return vec2<u32>(a * b, a_high * b_high + (middle >> 16u) + (other >> 16u));
}

// The 32 bits that begin at a bit of the first word; shift < 32.
fn joined_words_u32(first: u32, second: u32, shift: u32) -> u32 {
    return (first << shift) | ((second >> 1u) >> (31u - shift));
}

// Of a finite |x| >= 2^-7: the product of its mantissa with those 96 bits of 2/pi that matter
// modulo 4, in integers. M. H. Payne, R. N. Hanek, SIGNUM Newsletter 18 (1983).
fn reduce_large_angle_f32(x: f32) -> Angle_f32 {
    let bits = bitcast<u32>(x) & 0x7fffffffu;
    let mantissa = (bits & 0x7fffffu) | 0x800000u;
    // |x| = mantissa 2^(exponent - 150). Bits of 2/pi above the one of weight 2^(151 - exponent)
    // contribute multiples of 4, so that the window begins there. For smaller x, which a compiler
    // may have computed as well, no word outside of the table is asked for.
    let start = max(bits >> 23u, 120u) - 120u;
    let word = start >> 5u;
    let shift = start & 31u;
    var words = vec4<u32>(
        TWO_OVER_PI_BITS[0], TWO_OVER_PI_BITS[1], TWO_OVER_PI_BITS[2], TWO_OVER_PI_BITS[3]);
    // A loop, since lavapipe takes long to compile each access to a table.
    for (var next = 4u; next < word + 4u; next += 1u) {
        words = vec4<u32>(words.yzw, TWO_OVER_PI_BITS[next]);
    }
    let top = joined_words_u32(words.x, words.y, shift) * mantissa;
    let middle = multiply_wide_u32(joined_words_u32(words.y, words.z, shift), mantissa);
    let bottom = multiply_wide_u32(joined_words_u32(words.z, words.w, shift), mantissa);
    // The sum, of which the first two bits are the quadrant.
    let second_word = middle.x + bottom.y;
    let first_word = top + middle.y + select(0u, 1u, second_word < middle.x);
    var quadrant = i32(first_word >> 30u);
    var high = (first_word << 2u) | (second_word >> 30u);
    var low = (second_word << 2u) | (bottom.x >> 30u);
    var third = bottom.x << 2u;
    // A fraction of a half or more is negative, of the next quadrant.
    let is_negative = (high >> 31u) == 1u;
    if (is_negative) {
        quadrant += 1;
        high = ~high;
        low = ~low;
        third = ~third;
    }
    // The first 48 bits of the fraction, as two numbers of 24.
    var exponent = 0;
    if (high == 0u) {
        high = low;
        low = third;
        exponent = -32;
    }
    let zeros = countLeadingZeros(high);
    if (zeros != 0u) {
        high = (high << zeros) | (low >> (32u - zeros));
        low = low << zeros;
    }
    exponent -= i32(zeros);
    let first = f32(high >> 8u) * power_of_two_f32(exponent - 24);
    let second = f32(((high & 0xffu) << 16u) | (low >> 16u)) * power_of_two_f32(exponent - 48);

    let product = two_product_f32(first, HALF_PI);
    let r = fast_two_sum_f32(
        product.high, product.low + (first * HALF_PI_LOW + second * HALF_PI));
    let turn = is_negative != is_negative_f32(x);
    return Angle_f32(
        select(r.high, -r.high, turn),
        select(r.low, -r.low, turn),
        select(quadrant, -quadrant, is_negative_f32(x)),
    );
}

fn reduce_angle_f32(x: f32) -> Angle_f32 {
    if (abs(x) < 800.0) {
        return reduce_medium_angle_f32(x);
    }
    return reduce_large_angle_f32(x);
}

// sin(r) to about 27 bits: r + r^3 S(r^2), and the rest of r times cos(r).
fn sin_of_reduced_f32(r: Angle_f32) -> Double_f32 {
    let z = r.high * r.high;
    let series = -1.6666667e-1 + z * (8.333379e-3 + z * (-1.9853064e-4 + z * 2.83251e-6));
    return fast_two_sum_f32(r.high, r.high * z * series + (r.low - 0.5 * z * r.low));
}

// cos(r) to about 27 bits: 1 - r^2/2 + r^4 C(r^2), and the rest of r times -sin(r).
fn cos_of_reduced_f32(r: Angle_f32) -> Double_f32 {
    let z = r.high * r.high;
    let series = 4.1666646e-2 + z * (-1.3887308e-3 + z * 2.4432102e-5);
    let half = two_product_f32(r.high, 0.5 * r.high);
    let one = fast_two_sum_f32(1.0, -half.high);
    return fast_two_sum_f32(one.high, (one.low - half.low) + (z * z * series - r.high * r.low));
}

// (sin(x), cos(x)). Errors 0.77.
fn sincos_f32(x: f32) -> vec2<f32> {
    let magnitude = bitcast<u32>(x) & 0x7fffffffu;
    if (magnitude >= 0x7f800000u) {
        return vec2<f32>(nan_f32());
    }
    let r = reduce_angle_f32(x);
    let sin_r = sin_of_reduced_f32(r).high;
    let cos_r = cos_of_reduced_f32(r).high;
    let is_odd = (r.quadrant & 1) != 0;
    let sin_x = select(sin_r, cos_r, is_odd);
    let cos_x = select(cos_r, sin_r, is_odd);
    // Below 2^-12 sin(x) is x, zeros with their sign.
    let signed_sin = select(sin_x, -sin_x, (r.quadrant & 2) != 0);
    return vec2<f32>(
        select(signed_sin, x, magnitude < 0x39800000u),
        select(cos_x, -cos_x, ((r.quadrant + 1) & 2) != 0),
    );
}

fn sin_f32(x: f32) -> f32 {
    return sincos_f32(x).x;
}

fn cos_f32(x: f32) -> f32 {
    return sincos_f32(x).y;
}

// sin(x)/cos(x), each to 27 bits. Error 0.92.
fn tan_f32(x: f32) -> f32 {
    let magnitude = bitcast<u32>(x) & 0x7fffffffu;
    if (magnitude >= 0x7f800000u) {
        return nan_f32();
    }
    if (magnitude < 0x39000000u) {  // Below 2^-13 tan(x) is x, zeros with their sign.
        return x;
    }
    let r = reduce_angle_f32(x);
    let sin_r = sin_of_reduced_f32(r);
    let cos_r = cos_of_reduced_f32(r);
    // -cos(r)/sin(r) where the quadrant is odd.
    let is_odd = (r.quadrant & 1) != 0;
    let above = select_double_f32(sin_r, Double_f32(-cos_r.high, -cos_r.low), is_odd);
    let below = select_double_f32(cos_r, sin_r, is_odd);
    return divide_double_f32(above, below).high;
}
