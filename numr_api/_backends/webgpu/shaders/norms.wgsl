// Norms by three sums of squares: of x scaled up, of x itself, and of x scaled down. At least one of
// them neither overflows nor loses digits that matter to underflow. Scales are powers of two, and so
// exact. After the accumulators of J. L. Blue, A portable Fortran program to find the Euclidean norm
// of a vector, ACM Trans. Math. Softw. 4 (1978); here no element is compared with anything, and the
// sum that is right is told from the plain one.

fn squares_f32(x: f32) -> vec3<f32> {
    // A device may take subnormal numbers for zeros. They get a leading 1, which is then taken away.
    let magnitude = bitcast<u32>(x) & 0x7fffffffu;
    let subnormal = bitcast<f32>(magnitude + 0x2c000000u) - 0x1p-39;
    let large = select(x * 0x1p+87, subnormal, magnitude < 0x00800000u);
    let scaled = vec3<f32>(large, x, x * 0x1p-87);
    return scaled * scaled;
}

fn squares_f64(x: f64) -> vec3<f64> {
    let scaled = vec3<f64>(x * 0x1p+600, x, x * 0x1p-600);
    return scaled * scaled;
}

fn squares_c64(z: vec2<f32>) -> vec3<f32> {
    return squares_f32(z.x) + squares_f32(z.y);
}

fn squares_c128(z: vec2<f64>) -> vec3<f64> {
    return squares_f64(z.x) + squares_f64(z.y);
}

// The norm of up to 2^33 numbers. Above the lower limit of the plain sum, what underflowed from it
// does not count; below, the sum of large squares is finite. Beside a plain sum that overflowed,
// what underflowed from the sum of small squares does not count. NaN is in the plain sum.
fn root_of_squares_f32(sums: vec3<f32>) -> f32 {
    if is_infinite_f32(sums.y) {
        return sqrt_f32(sums.z) * 0x1p+87;
    }
    if is_nan_f32(sums.y) || sums.y >= 0x1p-69 {
        return sqrt_f32(sums.y);
    }
    let root = sqrt_f32(sums.x);
    if root >= 0x1p-39 {
        return root * 0x1p-87;
    }
    // A subnormal number's bits count it in units of 2^-149; a product might be flushed to zero.
    return bitcast<f32>(u32(round(root * 0x1p+62)));
}

fn root_of_squares_f64(sums: vec3<f64>) -> f64 {
    if is_infinite_f64(sums.y) {
        return sqrt_f64(sums.z) * 0x1p+600;
    }
    if is_nan_f64(sums.y) || sums.y >= 0x1p-900 {
        return sqrt_f64(sums.y);
    }
    return sqrt_f64(sums.x) * 0x1p-600;
}
