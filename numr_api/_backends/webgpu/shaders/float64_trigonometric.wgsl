// sin, cos and tan of any float64, as in trigonometric.wgsl: x = n pi/2 + r with |r| <= pi/4, r in
// a pair; then minimax polynomials in r^2 (E. Remez's exchange with 60 digits), relative error
// 2^-56.

// pi/2 in parts of 33 bits, so that n <= 2^20 times each is exact, and what they lack.
const HALF_PI_1_F64: f64 = 1.5707963267341256;
const HALF_PI_2_F64: f64 = 6.077100506303966e-11;
const HALF_PI_3_F64: f64 = 2.0222662487111665e-21;
const HALF_PI_4_F64: f64 = 8.4784276603689e-32;
const TWO_OVER_PI_F64: f64 = 0.6366197723675814;
// The bits of 2/pi, after a word that is 0.
const TWO_OVER_PI_BITS_F64 = array<u64, 20>(
    0x0000000000000000lu, 0xa2f9836e4e441529lu, 0xfc2757d1f534ddc0lu, 0xdb6295993c439041lu,
    0xfe5163abdebbc561lu, 0xb7246e3a424dd2e0lu, 0x06492eea09d1921clu, 0xfe1deb1cb129a73elu,
    0xe88235f52ebb4484lu, 0xe99c7026b45f7e41lu, 0x3991d639835339f4lu, 0x9c845f8bbdf9283blu,
    0x1ff897ffde05980flu, 0xef2f118b5a0a6d1flu, 0x6d367ecf27cb09b7lu, 0x4f463f669e5fea2dlu,
    0x7527bac7ebe5f17blu, 0x3d0739f78a5292ealu, 0x6bfb5fb11f8d5d08lu, 0x56033046fc7b6bablu,
);
const HALF_PI_F64: f64 = 1.5707963267948966;
const HALF_PI_LOW_F64: f64 = 6.123233995736766e-17;

// x = quadrant pi/2 + high + low, modulo 2 pi.
struct Angle_f64 {
    high: f64,
    low: f64,
    quadrant: i32,
}

// Of a finite |x| < 2^20. W. J. Cody, W. Waite, Software Manual for the Elementary Functions, 1980.
fn reduce_medium_angle_f64(x: f64) -> Angle_f64 {
    let n = nearest_f64(x * TWO_OVER_PI_F64);
    let first = opaque_f64(x - n * HALF_PI_1_F64);
    let second = two_sum_f64(first, -(n * HALF_PI_2_F64));
    let third = two_sum_f64(second.high, -(n * HALF_PI_3_F64));
    let r = fast_two_sum_f64(third.high, (second.low + third.low) - n * HALF_PI_4_F64);
    return Angle_f64(r.high, r.low, i32(n));
}

// a * b as its low and its high half.
fn multiply_wide_u64(a: u64, b: u64) -> vec2<u64> {
    let a_low = a & 0xfffffffflu;
    let a_high = a >> 32u;
    let b_low = b & 0xfffffffflu;
    let b_high = b >> 32u;
    let lows = a_low * b_low;
    let middle = a_high * b_low + (lows >> 32u);
    let other = a_low * b_high + (middle & 0xfffffffflu);
    return vec2<u64>(a * b, a_high * b_high + (middle >> 32u) + (other >> 32u));
}

// The 64 bits that begin at a bit of the first word; shift < 64.
fn joined_words_u64(first: u64, second: u64, shift: u32) -> u64 {
    return (first << shift) | ((second >> 1u) >> (63u - shift));
}

// Of a finite |x| >= 2^-10: the product of its mantissa with those 192 bits of 2/pi that matter
// modulo 4, in integers. M. H. Payne, R. N. Hanek, SIGNUM Newsletter 18 (1983). No float64 comes
// nearer to a multiple of pi/2 than 2^-62, so that 75 bits of the rest are right.
fn reduce_large_angle_f64(x: f64) -> Angle_f64 {
    let bits = bitcast<u64>(x) & 0x7ffffffffffffffflu;
    let mantissa = (bits & 0x000ffffffffffffflu) | 0x0010000000000000lu;
    // |x| = mantissa 2^(exponent - 1075). Bits of 2/pi above the one of weight 2^(1076 - exponent)
    // contribute multiples of 4, so that the window begins there. For smaller and infinite x, which
    // a compiler may have computed as well, no word outside of the table is asked for.
    let start = clamp(u32(bits >> 52u), 1013u, 2046u) - 1013u;
    let word = start >> 6u;
    let shift = start & 63u;
    var words = vec4<u64>(
        TWO_OVER_PI_BITS_F64[0], TWO_OVER_PI_BITS_F64[1], TWO_OVER_PI_BITS_F64[2],
        TWO_OVER_PI_BITS_F64[3],
    );
    // A loop, since lavapipe compiles each access to a table for 50 ms.
    for (var next = 4u; next < word + 4u; next += 1u) {
        words = vec4<u64>(words.yzw, TWO_OVER_PI_BITS_F64[next]);
    }
    let top = joined_words_u64(words.x, words.y, shift) * mantissa;
    let middle = multiply_wide_u64(joined_words_u64(words.y, words.z, shift), mantissa);
    let bottom = multiply_wide_u64(joined_words_u64(words.z, words.w, shift), mantissa);
    // The sum, of which the first two bits are the quadrant.
    let second_word = middle.x + bottom.y;
    let first_word = top + middle.y + select(0lu, 1lu, second_word < middle.x);
    var quadrant = i32(u32(first_word >> 62u));
    var high = (first_word << 2u) | (second_word >> 62u);
    var low = (second_word << 2u) | (bottom.x >> 62u);
    // A fraction of a half or more is negative, of the next quadrant.
    let is_negative = (high >> 63u) == 1lu;
    if is_negative {
        quadrant += 1;
        high = ~high;
        low = ~low;
    }
    // The first 106 bits of the fraction, as two numbers of 53. At most 62 bits are 0.
    let zeros = leading_zeros_u64(high) & 63u;
    if zeros != 0u {
        high = (high << zeros) | (low >> (64u - zeros));
        low = low << zeros;
    }
    let exponent = -i32(zeros);
    let first = f64(high >> 11u) * power_of_two_f64(exponent - 53);
    let rest_bits = ((high & 0x7fflu) << 42u) | (low >> 22u);
    let rest = f64(rest_bits) * power_of_two_f64(exponent - 106);

    let product = two_product_f64(first, HALF_PI_F64);
    let r = fast_two_sum_f64(
        product.high, product.low + (first * HALF_PI_LOW_F64 + rest * HALF_PI_F64));
    let turn = is_negative != is_negative_f64(x);
    return Angle_f64(
        select(r.high, -r.high, turn),
        select(r.low, -r.low, turn),
        select(quadrant, -quadrant, is_negative_f64(x)),
    );
}

fn reduce_angle_f64(x: f64) -> Angle_f64 {
    if abs(x) < 1048576.0 {
        return reduce_medium_angle_f64(x);
    }
    return reduce_large_angle_f64(x);
}

// sin(r) to about 56 bits: r + r^3 S(r^2), and the rest of r times cos(r).
fn sin_of_reduced_f64(r: Angle_f64) -> Double_f64 {
    let z = r.high * r.high;
    let series = -1.6666666666666644e-1 + z * (8.3333333333236673e-3
        + z * (-1.9841269830149592e-4 + z * (2.7557313653809602e-6
        + z * (-2.5050734892970514e-8 + z * 1.5894729828221007e-10))));
    return fast_two_sum_f64(r.high, r.high * z * series + (r.low - 0.5 * z * r.low));
}

// cos(r) to about 56 bits: 1 - r^2/2 + r^4 C(r^2), and the rest of r times -sin(r).
fn cos_of_reduced_f64(r: Angle_f64) -> Double_f64 {
    let z = r.high * r.high;
    let series = 4.166666666666665e-2 + z * (-1.388888888888284e-3 + z * (2.4801587294629488e-5
        + z * (-2.7557315739349883e-7 + z * (2.0875897876952361e-9
        + z * -1.136799080871233e-11))));
    let half = two_product_f64(r.high, 0.5 * r.high);
    let one = fast_two_sum_f64(1.0, -half.high);
    return fast_two_sum_f64(one.high, (one.low - half.low) + (z * z * series - r.high * r.low));
}

// (sin(x), cos(x)). Errors 0.78.
fn sincos_f64(x: f64) -> vec2<f64> {
    if !is_finite_f64(x) {
        return vec2<f64>(nan_f64(), nan_f64());
    }
    let r = reduce_angle_f64(x);
    let sin_r = sin_of_reduced_f64(r).high;
    let cos_r = cos_of_reduced_f64(r).high;
    let is_odd = (r.quadrant & 1) != 0;
    let sin_x = select(sin_r, cos_r, is_odd);
    let cos_x = select(cos_r, sin_r, is_odd);
    // Below 2^-27 sin(x) is x, zeros with their sign.
    let signed_sin = select(sin_x, -sin_x, (r.quadrant & 2) != 0);
    return vec2<f64>(
        select(signed_sin, x, abs(x) < 0x1p-27),
        select(cos_x, -cos_x, ((r.quadrant + 1) & 2) != 0),
    );
}

fn sin_f64(x: f64) -> f64 {
    return sincos_f64(x).x;
}

fn cos_f64(x: f64) -> f64 {
    return sincos_f64(x).y;
}

// sin(x)/cos(x), each to 56 bits. Error 0.96.
fn tan_f64(x: f64) -> f64 {
    if !is_finite_f64(x) {
        return nan_f64();
    }
    if abs(x) < 0x1p-27 {  // There tan(x) is x, zeros with their sign.
        return x;
    }
    let r = reduce_angle_f64(x);
    let sin_r = sin_of_reduced_f64(r);
    let cos_r = cos_of_reduced_f64(r);
    // -cos(r)/sin(r) where the quadrant is odd.
    let is_odd = (r.quadrant & 1) != 0;
    let above = select_double_f64(sin_r, Double_f64(-cos_r.high, -cos_r.low), is_odd);
    let below = select_double_f64(cos_r, sin_r, is_odd);
    return divide_double_f64(above, below).high;
}
