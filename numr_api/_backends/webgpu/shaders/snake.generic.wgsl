// Snake: x + sin(alpha x)^2/(beta + eps). The product is a pair, and so the sine is right to some
// units in the last place for angles of any size.

// sin(alpha x) and cos(alpha x).
fn sincos_of_product_F(alpha: F, x: F) -> vec2<F> {
    let angle = two_product_F(alpha, x);
    let at = sincos_F(angle.high);
    // Where the product is subnormal or infinite its low part is no number to go by.
    let low = select(F(0), angle.low, is_finite_F(angle.low));
    if abs(low) < SMALL_ANGLE_F {
        return vec2<F>(at.x + low * at.y, at.y - low * at.x);
    }
    // Of a huge angle the low part is an angle of its own.
    let rest = sincos_F(low);
    return vec2<F>(at.x * rest.y + at.y * rest.x, at.y * rest.y - at.x * rest.x);
}

fn snake_beta_F(x: F, alpha: F, beta: F, eps: F) -> F {
    let sine = sincos_of_product_F(alpha, x).x;
    return x + divide_F(sine * sine, beta + eps);
}

// Of an element: its own gradient, and what it adds to those of alpha and of beta, but for powers of
// beta + eps.
fn snake_gradients_F(gradient: F, x: F, alpha: F, sum: F) -> vec3<F> {
    let at = sincos_of_product_F(alpha, x);
    let slope = F(2) * at.x * at.y;
    return vec3<F>(
        gradient * (F(1) + divide_F(alpha * slope, sum)), gradient * x * slope,
        -(gradient * (at.x * at.x)));
}
