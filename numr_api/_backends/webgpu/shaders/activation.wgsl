// The tail of the normal distribution: the probability that a normal number exceeds t >= 0 is
// exp(-t^2/2) R(t), where R(t) = H(z)/(t + 5/4) and z = (t - k)/(t + k). H changes so little with z
// that the rounding of z is not seen. The form is that of M. M. Shepherd and J. G. Laframboise,
// Math. Comp. 36 (1981), with a constant and a scale of our own; the coefficients are of the
// interpolation at Chebyshev's nodes, computed with 60 digits.

// R(t), where 0 <= t <= 15, to about 27 bits; relative error of the polynomial 2^-29.
fn normal_tail_ratio_f32(t: f32) -> Double_f32 {
    let z = (t - 4.0) / (t + 4.0);
    let series = z * (-0.1393029 + z * (0.04509445 + z * (0.010673257 + z * (-0.024481537
        + z * (0.015815724 + z * (-0.004876072 + z * (-0.00013782392 + z * (0.000647529
        + z * (-8.049231e-05 + z * -7.247305e-05)))))))));
    let sum = fast_two_sum_f32(0.49565586, series);
    let h = Double_f32(sum.high, sum.low + 2.2738218e-09);
    return divide_double_f32(h, two_sum_f32(t, 1.25));
}

// R(t), where 0 <= t <= 39, to about 56 bits; relative error of the polynomial 2^-58.
fn normal_tail_ratio_f64(t: f64) -> Double_f64 {
    let z = (t - 5.0) / (t + 5.0);
    let series = z * (-0.12741667065001192 + z * (0.060047571397464077 + z * (-0.010218616930813395
        + z * (-0.01443720489524993 + z * (0.018683488122090922
        + z * (-0.012922572765022544 + z * (0.005927289573893978
        + z * (-0.0016211846604067444 + z * (4.136084470633433e-05
        + z * (0.00016722728857799862 + z * (-5.33674233612457e-05
        + z * (-8.235100316754601e-06 + z * (8.742790725830633e-06
        + z * (-2.3869987702764405e-07 + z * (-1.2474698884796171e-06
        + z * (1.4621808263055425e-07 + z * (1.873524928899151e-07
        + z * (-2.778834078540701e-08 + z * (-2.989800005258509e-08
        + z * (3.172471943428879e-09 + z * (4.1756108633505384e-09
        + z * (-5.72790072830046e-11 + z * -2.8355251773903815e-10))))))))))))))))))))));
    let sum = fast_two_sum_f64(0.48074565609378933, series);
    let h = Double_f64(sum.high, sum.low + 1.7914452121833925e-17);
    return divide_double_f64(h, two_sum_f64(t, 1.25));
}

// Constants as pairs: 2 sqrt(2/pi), that times 0.044715, three times that, and 1/sqrt(2 pi).

const GELU_LINEAR_f32 = Double_f32(1.5957692, -4.534068e-8);
const GELU_CUBIC_f32 = Double_f32(7.1354814e-2, 2.3988325e-9);
const GELU_SLOPE_f32 = Double_f32(2.1406445e-1, -2.5408342e-10);
const NORMAL_PEAK_f32 = Double_f32(3.989423e-1, -1.133517e-8);

const GELU_LINEAR_f64 = Double_f64(1.5957691216057308, -9.96930880911092e-17);
const GELU_CUBIC_f64 = Double_f64(0.07135481627260025, -6.175149918155315e-19);
const GELU_SLOPE_f64 = Double_f64(0.21406444881780073, 1.2025242832367862e-17);
const NORMAL_PEAK_f64 = Double_f64(0.3989422804014327, -2.49232720227773e-17);

// What is below them is as good as -infinity: to exp, to both forms of gelu.

const LEAST_EXPONENT_f32: f32 = -120.0;
const LEAST_OF_GELU_f32: f32 = -12.0;
const LEAST_OF_GELU_ERF_f32: f32 = -15.0;

const LEAST_EXPONENT_f64: f64 = -800.0;
const LEAST_OF_GELU_f64: f64 = -24.0;
const LEAST_OF_GELU_ERF_f64: f64 = -39.0;

// The bits of 1, for split_exponent.

const ONE_BITS_f32: u32 = 0x3f800000u;
const ONE_BITS_f64: u64 = 0x3ff0000000000000lu;

// An angle below it is its own sine, and 1 is its cosine, to more bits than a number has.

const SMALL_ANGLE_f32: f32 = 0x1p-13;
const SMALL_ANGLE_f64: f64 = 0x1p-28;
