// The product of float64 numbers as a pair (extended.generic.wgsl), and powers of two made by bits.
//
// "Error" here and in the files of functions is the largest one found, in units in the last place
// of the true result. Results are right whether or not the compiler contracts x*y + z. Division
// and sqrt of float64 are exact on the devices measured.

// The first 26 of the 53 bits of x; the products of such numbers, and of one with what the other
// lacks, are exact.
fn first_bits_f64(x: f64) -> f64 {
    return bitcast<f64>(bitcast<u64>(x) & 0xfffffffff8000000lu);
}

// x * y to about 106 bits, where neither the product nor its last bits overflow or underflow.
// By Dekker's products of halves: whether a multiply-add of float64 rounds once is not known.
fn two_product_f64(x: f64, y: f64) -> Double_f64 {
    let product = opaque_f64(x * y);
    let x_first = first_bits_f64(x);
    let y_first = first_bits_f64(y);
    let x_last = x - x_first;
    let y_last = y - y_first;
    // Opaque, since a*b + a*c may become a*(b + c).
    var low = opaque_f64(x_first * y_first - product);
    low = opaque_f64(low + x_first * y_last);
    low = opaque_f64(low + x_last * y_first);
    return Double_f64(product, low + x_last * y_last);
}

// The integer nearest to x, ties to even, where |x| < 2^51.
fn nearest_f64(x: f64) -> f64 {
    return opaque_f64(x + 6755399441055744.0) - 6755399441055744.0;
}

// 2^n, also where it is subnormal.
fn power_of_two_f64(n: i32) -> f64 {
    if n < -1022 {
        return bitcast<f64>(1lu << u32(n + 1074));
    }
    return bitcast<f64>(u64(u32(n + 1023) << 20u) << 32u);
}

// x 2^n, rounded once, for any n. What |x| >= 2^-900 becomes may be infinite or subnormal; the
// intermediate product is not.
fn scale_by_power_of_two_f64(x: f64, n: i32) -> f64 {
    let bounded = clamp(n, -2044, 2044);
    let first = bounded >> 1u;
    return opaque_f64(x * power_of_two_f64(first)) * power_of_two_f64(bounded - first);
}

// The leading bits of x that are 0. (Of a 64-bit type, naga's builtin ends the process.)
fn leading_zeros_u64(x: u64) -> u32 {
    let high = u32(x >> 32u);
    return select(countLeadingZeros(high), 32u + countLeadingZeros(u32(x)), high == 0u);
}

// The mantissa in [least, 2 least) and the exponent of a positive finite x, subnormal or not;
// `least` is given by its bits.
fn split_exponent_f64(x: f64, least: u64) -> Split_f64 {
    let bits = bitcast<u64>(x);
    // Moves the first bit of a subnormal number to where that of a normal one is.
    let shift = max(leading_zeros_u64(bits), 11u) - 11u;
    let exponent = bitcast<i32>(u32(((bits << shift) - least) >> 32u)) >> 20u;
    let mantissa = (bits << shift) - (u64(bitcast<u32>(exponent)) << 52u);
    return Split_f64(bitcast<f64>(mantissa), exponent - bitcast<i32>(shift));
}
