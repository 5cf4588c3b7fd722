// What the complex functions need of float64 alone.

fn half_pi_f64() -> f64 {
    return HALF_PI_F64;
}

// 1/log(2) and 1/log(10), each and what it lacks.
fn log2_e_extended_f64() -> Double_f64 {
    return Double_f64(1.4426950408889634, 2.0355273740931033e-17);
}

fn log10_e_extended_f64() -> Double_f64 {
    return Double_f64(0.4342944819032518, 1.098319650216765e-17);
}

// From here on 1 + z is z for the angle, and below no square of it overflows.
fn large_for_squares_f64() -> f64 {
    return 1.0e17;
}

// exp_scaled_f64 of any finite x: beyond 1500 the result, times any float64, is infinite or 0.
fn exp_scaled_wide_f64(x: f64) -> Scaled_f64 {
    return exp_scaled_f64(clamp(x, -1500.0, 1500.0), 0.0);
}
