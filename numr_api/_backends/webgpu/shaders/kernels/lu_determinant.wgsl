// Determinants from the factors: the product of the diagonal, as a number of medium size and an
// exponent of two, and its sign by the exchanges of rows. A workgroup for each matrix.

var<workgroup> products: array<V, THREADS>;
var<workgroup> exponents: array<i32, THREADS>;

// A number of medium size and the exponent of two that it lacks; zero, NaN and infinity stay.
struct Scaled {
    value: V,
    exponent: i32,
}

fn scaled(value: V, exponent: i32) -> Scaled {
    let most = larger_part(value);
    if (most == R(0) || !is_finite(value)) {
        return Scaled(value, exponent);
    }
    let by = exponent_of(most);
    return Scaled(times_power_of_two(value, -by), exponent + by);
}

@compute @workgroup_size(THREADS)
fn main(
    @builtin(local_invocation_index) thread: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    opaque_zero = parameters[0].x;
    let matrix = group.y * groups.x + group.x;
    if (matrix >= parameters[0].y) {
        return;
    }
    let n = parameters[0].z;
    let place = parameters[0].w + matrix * n * n;
    let pivots_place = parameters[1].x + matrix * n;
    var product = Scaled(from_real(R(1)), 0);
    for (var i = thread; i < n; i += THREADS) {
        let factor = scaled(matrices[place + i * n + i], 0);
        let value = select(factor.value, -factor.value, indices[pivots_place + i] != i);
        product = scaled(times(product.value, value), product.exponent + factor.exponent);
    }
    products[thread] = product.value;
    exponents[thread] = product.exponent;
    // So few numbers of medium size have a product in range.
    for (var half = THREADS / 2u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if (thread < half) {
            products[thread] = times(products[thread], products[thread + half]);
            exponents[thread] += exponents[thread + half];
        }
    }
    if (thread == 0u) {
        put(matrix, products[0], exponents[0]);
    }
}
