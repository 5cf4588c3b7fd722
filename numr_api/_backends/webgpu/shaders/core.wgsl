// What compilers may not fold: NaN, infinity, and values whose origin they must not see.
// WGSL lets an implementation assume that neither NaN nor infinity occurs, so that `x != x` is
// false and `x - x` is 0; both are therefore told and made by their bits.

// Zero, which each kernel that names it sets from its parameters.
var<private> opaque_zero: u32;

// x itself; no compiler knows that, and so error-free transformations survive.
fn opaque_f32(x: f32) -> f32 {
    return bitcast<f32>(bitcast<u32>(x) ^ opaque_zero);
}

fn nan_f32() -> f32 {
    return bitcast<f32>(0x7fc00000u ^ opaque_zero);
}

fn infinity_f32() -> f32 {
    return bitcast<f32>(0x7f800000u ^ opaque_zero);
}

fn is_nan_f32(x: f32) -> bool {
    return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u;
}

fn is_infinite_f32(x: f32) -> bool {
    return (bitcast<u32>(x) & 0x7fffffffu) == 0x7f800000u;
}

fn is_finite_f32(x: f32) -> bool {
    return (bitcast<u32>(x) & 0x7f800000u) != 0x7f800000u;
}

fn is_negative_f32(x: f32) -> bool {
    return (bitcast<u32>(x) & 0x80000000u) != 0u;
}

// The magnitude of the first with the sign of the second, NaN and zeros included.
fn copysign_f32(x: f32, sign: f32) -> f32 {
    return bitcast<f32>((bitcast<u32>(x) & 0x7fffffffu) | (bitcast<u32>(sign) & 0x80000000u));
}

// -x by its bits: before other uses of bits, NVIDIA's driver (580.159) can lose a negation.
fn negative_f32(x: f32) -> f32 {
    return bitcast<f32>(bitcast<u32>(x) ^ 0x80000000u);
}
