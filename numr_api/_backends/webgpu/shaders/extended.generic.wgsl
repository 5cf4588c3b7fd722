// Pairs of numbers that hold about twice their bits (45 for float32, 104 for float64), and what is
// done with them; the product is in extended.wgsl and float64_extended.wgsl.
//
// Sources of the transformations: T. J. Dekker, Numer. Math. 18 (1971), and D. E. Knuth, The Art
// of Computer Programming 2, 4.2.2; both in J.-M. Muller et al., Handbook of Floating-Point
// Arithmetic.

// The number high + low, where |low| is at most half a unit in the last place of high.
struct Double_F {
    high: F,
    low: F,
}

// The number (high + low) 2^exponent.
struct Scaled_F {
    high: F,
    low: F,
    exponent: i32,
}

// The positive number mantissa 2^exponent.
struct Split_F {
    mantissa: F,
    exponent: i32,
}

fn select_double_F(otherwise: Double_F, chosen: Double_F, condition: bool) -> Double_F {
    return Double_F(
        select(otherwise.high, chosen.high, condition),
        select(otherwise.low, chosen.low, condition),
    );
}

// a + b exactly, where |a| >= |b| or a is 0. Dekker.
fn fast_two_sum_F(a: F, b: F) -> Double_F {
    let sum = opaque_F(a + b);
    return Double_F(sum, b - opaque_F(sum - a));
}

// a + b exactly. Knuth.
fn two_sum_F(a: F, b: F) -> Double_F {
    let sum = opaque_F(a + b);
    let b_in_sum = opaque_F(sum - a);
    let a_in_sum = opaque_F(sum - b_in_sum);
    return Double_F(sum, opaque_F(a - a_in_sum) + opaque_F(b - b_in_sum));
}

// a + b to about twice the bits of the larger one.
fn add_double_F(a: Double_F, b: Double_F) -> Double_F {
    let sum = two_sum_F(a.high, b.high);
    return fast_two_sum_F(sum.high, sum.low + (a.low + b.low));
}

// a * b to about twice the bits of one number.
fn multiply_double_F(a: Double_F, b: Double_F) -> Double_F {
    let product = two_product_F(a.high, b.high);
    return fast_two_sum_F(product.high, product.low + (a.high * b.low + a.low * b.high));
}

// a / b to about twice the bits of one number: the remainder of the rounded quotient is exact.
// Opaque, since x/b + y/b may become (x + y)/b.
fn divide_double_F(a: Double_F, b: Double_F) -> Double_F {
    let quotient = opaque_F(a.high / b.high);
    let product = two_product_F(quotient, b.high);
    let remainder = opaque_F(a.high - product.high) - product.low;
    return fast_two_sum_F(quotient, (remainder + (a.low - quotient * b.low)) / b.high);
}

// The square root of a number that is not negative to about twice the bits of one number.
fn sqrt_double_F(x: Double_F) -> Double_F {
    let root = opaque_F(sqrt(x.high));
    let square = two_product_F(root, root);
    let remainder = opaque_F(x.high - square.high) - square.low;
    let low = (remainder + x.low) / (F(2) * root);
    return fast_two_sum_F(root, select(low, F(0), root == F(0)));
}
