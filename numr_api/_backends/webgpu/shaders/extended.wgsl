// The product of float32 numbers as a pair (extended.generic.wgsl), and powers of two made by bits.
//
// "Error" here and in the files of functions is the largest one found, in units in the last place
// of the true result, over millions of points of all exponents and whole binades where arguments
// are reduced, on a device whose multiply-add rounds twice and which keeps subnormal numbers.
//
// The device layer supplies `const fma_is_fused: bool`. Results are right either way, and whether
// or not the compiler contracts x*y + z: a product that is added is exact, or its rounding does not
// matter, or it went through opaque_f32. Where a quotient or root of the device may be off by some
// units in the last place, it is corrected or small against the result. What underflows may become
// 0 without harm to normal results.

// The first 12 of the 24 bits of x, so that products of such numbers are exact.
fn first_bits_f32(x: f32) -> f32 {
    return bitcast<f32>(bitcast<u32>(x) & 0xfffff000u);
}

// x * y exactly, where neither the product nor its last bits overflow or underflow.
// By a fused multiply-add, or by Dekker's products of halves.
fn two_product_f32(x: f32, y: f32) -> Double_f32 {
    let product = opaque_f32(x * y);
    if (fma_is_fused) {
        return Double_f32(product, fma(x, y, -product));
    }
    let x_first = first_bits_f32(x);
    let y_first = first_bits_f32(y);
    let x_last = x - x_first;
    let y_last = y - y_first;
    // Opaque, since a*b + a*c may become a*(b + c).
    var low = opaque_f32(x_first * y_first - product);
    low = opaque_f32(low + x_first * y_last);
    low = opaque_f32(low + x_last * y_first);
    return Double_f32(product, low + x_last * y_last);
}

// 2^n, where -126 <= n <= 127.
fn power_of_two_f32(n: i32) -> f32 {
    return bitcast<f32>(bitcast<u32>(n + 127) << 23u);
}

// x 2^n, rounded once, for any n. What |x| >= 2^-100 becomes may be infinite or subnormal; the
// intermediate product is not.
fn scale_by_power_of_two_f32(x: f32, n: i32) -> f32 {
    let bounded = clamp(n, -252, 252);
    let first = bounded >> 1u;
    return opaque_f32(x * power_of_two_f32(first)) * power_of_two_f32(bounded - first);
}

// The mantissa in [least, 2 least) and the exponent of a positive finite x, subnormal or not;
// `least` is given by its bits.
fn split_exponent_f32(x: f32, least: u32) -> Split_f32 {
    let bits = bitcast<u32>(x);
    // Moves the first bit of a subnormal number to where that of a normal one is.
    let shift = max(countLeadingZeros(bits), 8u) - 8u;
    let exponent = bitcast<i32>((bits << shift) - least) >> 23u;
    let mantissa = (bits << shift) - (bitcast<u32>(exponent) << 23u);
    return Split_f32(bitcast<f32>(mantissa), exponent - bitcast<i32>(shift));
}
