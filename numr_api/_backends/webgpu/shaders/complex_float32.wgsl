// What the complex functions need of float32 alone.

fn half_pi_f32() -> f32 {
    return HALF_PI;
}

// 1/log(2) and 1/log(10), each and what it lacks.
fn log2_e_extended_f32() -> Double_f32 {
    return Double_f32(1.442695, 1.925963e-8);
}

fn log10_e_extended_f32() -> Double_f32 {
    return Double_f32(0.4342945, -1.0103050e-8);
}

// From here on 1 + z^2 is z^2, and below no square of it overflows.
fn large_for_squares_f32() -> f32 {
    return 1.0e8;
}

// exp_scaled_f32 of any finite x: of a large one, the square of the root.
fn exp_scaled_wide_f32(x: f32) -> Scaled_f32 {
    if abs(x) <= 150.0 {
        return exp_scaled_f32(x, 0.0);
    }
    let root = exp_scaled_f32(0.5 * clamp(x, -300.0, 300.0), 0.0);
    let square = root.high * root.high + 2.0 * root.high * root.low;
    return Scaled_f32(square, 0.0, 2 * root.exponent);
}

// The angle of a point that is finite and not the origin, y >= 0, to about 28 bits; as atan2_f32,
// which has the special cases.
fn angle_extended_f32(y: f32, x: f32) -> Double_f32 {
    let is_steep = y > abs(x);
    let larger = select(abs(x), y, is_steep);
    let smaller = select(y, abs(x), is_steep);
    let exponent = split_exponent_f32(larger, 0x3f800000u).exponent;
    let b = scale_by_power_of_two_f32(larger, -exponent);
    let a = scale_by_power_of_two_f32(smaller, -exponent);
    let is_tiny = a < 1.0e-30;
    if is_tiny && !is_steep && !is_negative_f32(x) {
        return Double_f32(divide_any_f32(y, x), 0.0);
    }
    let angle = atan_of_quotient_f32(select(a, 0.0, is_tiny), b);
    if !is_steep && !is_negative_f32(x) {
        return fast_two_sum_f32(angle.high, angle.low);
    }
    let turn = is_steep && is_negative_f32(x);
    let base = select(PI, HALF_PI, is_steep);
    let sum = fast_two_sum_f32(base, select(-angle.high, angle.high, turn));
    let low = select(PI_LOW, HALF_PI_LOW, is_steep) + select(-angle.low, angle.low, turn);
    return fast_two_sum_f32(sum.high, sum.low + low);
}
