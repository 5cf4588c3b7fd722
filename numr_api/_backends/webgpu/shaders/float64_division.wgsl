// Division of float64, and division with remainder in integers.

fn divide_f64(x: f64, y: f64) -> f64 {
    return x / y;
}

fn reciprocal_f64(x: f64) -> f64 {
    return f64(1) / x;
}

// The remainder of truncated division, exact however large the quotient: the significands are
// divided 11 bits at a time. For finite x and y that is not zero.
fn truncated_remainder_f64(x: f64, y: f64) -> f64 {
    let a = abs_f64(x);
    let b = abs_f64(y);
    if a < b { return x; }
    let first = significand_f64(a);
    let second = significand_f64(b);
    var distance = exponent_f64(a) - exponent_f64(b);
    var rest = first % second;
    while distance > 0 && rest != 0lu {
        let step = min(distance, 11);
        rest = (rest << u32(step)) % second;
        distance -= step;
    }
    // rest * 2^(exponent of b) fits, as it is less than b.
    return copysign_f64(f64(rest) * power_of_two_f64(exponent_f64(b)), x);
}

fn exponent_f64(x: f64) -> i32 {
    return max(i32((high_word_f64(x) >> 20u) & 0x7ffu), 1) - 1075;
}

// The integer s of x = s 2^exponent_f64(x), for x from 0 on.
fn significand_f64(x: f64) -> u64 {
    let bits = bitcast<u64>(x);
    let fraction = bits & 0x000ffffffffffffflu;
    return select(fraction, fraction | 0x0010000000000000lu, (bits >> 52u) != 0lu);
}

// Of floored division: it has the sign of y, and is exact but for one rounding where signs differ.
fn remainder_f64(x: f64, y: f64) -> f64 {
    if is_nan_f64(x) { return x; }
    if is_nan_f64(y) { return y; }
    if is_infinite_f64(x) || y == f64(0) { return nan_f64(); }
    if x == f64(0) { return copysign_f64(x, y); }
    if is_infinite_f64(y) {
        return select(y, x, is_negative_f64(x) == is_negative_f64(y));
    }
    let rest = truncated_remainder_f64(x, y);
    if rest == f64(0) { return copysign_f64(rest, y); }
    return select(rest + y, rest, is_negative_f64(rest) == is_negative_f64(y));
}

// The largest integer that is at most x/y, rounded to float64; a zero has the quotient's sign.
fn floor_divide_f64(x: f64, y: f64) -> f64 {
    if is_nan_f64(x) || is_nan_f64(y) {
        return nan_f64();
    }
    let plain = x / y;
    if is_infinite_f64(x) {
        return select(plain, nan_f64(), is_infinite_f64(y));
    }
    if y == 0.0 || is_infinite_f64(y) || is_infinite_f64(plain) {
        return floor_f64(plain);
    }
    let is_negative = is_negative_f64(x) != is_negative_f64(y);
    if abs(x) < abs(y) {
        return select(copysign_f64(0.0, plain), -1.0, is_negative && x != 0.0);
    }
    let rest = truncated_remainder_f64(x, y);
    // x - rest, a multiple of y, is divided in pairs, scaled so that none of their parts overflows
    // or underflows.
    let shrunk = select(f64(1.0), 0x1p-200, abs(x) > 0x1p+900);
    let scale = select(shrunk, 0x1p+200, abs(x) < 0x1p-800);
    let multiple = two_sum_f64(x * scale, -(rest * scale));
    let quotient = divide_double_f64(multiple, Double_f64(y * scale, 0.0));
    let step = select(f64(0.0), -1.0, is_negative && rest != 0.0);
    let whole = two_sum_f64(quotient.high, step);
    // An integer, so that ties are told from what is next to them.
    let low = select(nearest_f64(quotient.low), quotient.low, abs(quotient.low) > 0x1p+50);
    return whole.high + (whole.low + low);
}
