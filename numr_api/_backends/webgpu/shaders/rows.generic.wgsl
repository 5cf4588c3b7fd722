// What is computed of rows: sums in pairs, softmax and its relatives, and norms.

// The sum with a term or another sum; where it is infinite nothing is left over.
fn add_term_F(sum: Double_F, term: Double_F) -> Double_F {
    let high = two_sum_F(sum.high, term.high);
    let low = high.low + (sum.low + term.low);
    return Double_F(high.high, select(F(0), low, is_finite_F(high.high)));
}

fn settled_F(sum: Double_F) -> Double_F {
    let settled = fast_two_sum_F(sum.high, sum.low);
    return Double_F(settled.high, select(F(0), settled.low, is_finite_F(settled.high)));
}

// exp(x - top), where top is the largest number of the row: 0 if that is -infinity, NaN if it is
// infinity or NaN.
fn exp_below_F(x: F, top: F) -> F {
    if !is_finite_F(top) {
        return select(nan_F(), F(0), top < F(0));
    }
    let difference = two_sum_F(x, -top);
    if is_infinite_F(x) || difference.high < LEAST_EXPONENT_F {
        return F(0);
    }
    let e = exp_scaled_F(difference.high, difference.low);
    return scale_by_power_of_two_F(e.high, e.exponent);
}

fn softmax_share_F(e: F, top: F, total: Double_F) -> F {
    if is_infinite_F(top) && top < F(0) {
        return F(0);
    }
    return divide_double_F(Double_F(e, F(0)), total).high;
}

fn log_of_total_F(top: F, total: Double_F) -> Double_F {
    if !is_finite_F(top) {
        return Double_F(F(0), F(0));
    }
    return log_extended_F(total.high, total.low);
}

// x - top - log(total).
fn log_softmax_share_F(x: F, top: F, log_: Double_F) -> F {
    if !is_finite_F(top) {
        return select(nan_F(), x, top < F(0));
    }
    let difference = two_sum_F(x, -top);
    if !is_finite_F(difference.high) {
        return difference.high;
    }
    let sum = two_sum_F(difference.high, -log_.high);
    return sum.high + (sum.low + (difference.low - log_.low));
}

// top + log(total).
fn logsumexp_of_F(top: F, log_: Double_F) -> F {
    if !is_finite_F(top) {
        return top;
    }
    let sum = two_sum_F(top, log_.high);
    return sum.high + (sum.low + log_.low);
}

fn product_term_F(x: F, y: F) -> Double_F {
    let product = two_product_F(x, y);
    return Double_F(product.high, select(F(0), product.low, is_finite_F(product.high)));
}

// y (x - total).
fn softmax_gradient_F(x: F, y: F, total: Double_F) -> F {
    if !is_finite_F(total.high) || !is_finite_F(x) {
        return y * (x - total.high);
    }
    let difference = two_sum_F(x, -total.high);
    return y * (difference.high + (difference.low - total.low));
}

// The exponent of the largest magnitude of a row, if that is finite.
fn level_F(top: F) -> i32 {
    return split_exponent_F(top, ONE_BITS_F).exponent;
}

// The square of x, scaled so that the largest one of the row is between 1 and 4.
fn square_term_F(x: F, top: F) -> Double_F {
    if !is_finite_F(top) || top == F(0) {
        return Double_F(F(0), F(0));
    }
    let scaled = scale_by_power_of_two_F(x, -level_F(top));
    return two_product_F(scaled, scaled);
}

// A sum of such squares of a part of the row.
fn squares_of_part_F(sum: Double_F, part_top: F, top: F) -> Double_F {
    if !is_finite_F(top) || part_top == F(0) {
        return Double_F(F(0), F(0));
    }
    let scale = 2 * (level_F(part_top) - level_F(top));
    return Double_F(
        scale_by_power_of_two_F(sum.high, scale), scale_by_power_of_two_F(sum.low, scale));
}

// x/max(norm, eps), where root is the norm of the scaled row.
fn normalized_F(x: F, top: F, root: Double_F, eps: F) -> F {
    if is_nan_F(top) {
        return top;
    }
    if is_infinite_F(top) {
        return select(copysign_F(F(0), x), nan_F(), is_infinite_F(x));
    }
    if top == F(0) {
        return x;
    }
    let level = level_F(top);
    if scale_by_power_of_two_F(root.high, level) < eps {
        return divide_F(x, eps);
    }
    let scaled = scale_by_power_of_two_F(x, -level);
    return copysign_F(divide_double_F(Double_F(scaled, F(0)), root).high, x);
}
