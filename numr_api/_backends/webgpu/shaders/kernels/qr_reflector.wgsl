// What the kernels for panels share. A thread has EACH columns, as a Part, of each GROUPS-th row.

var<workgroup> sums: array<Part, THREADS>;
var<workgroup> dots: array<V, COLUMNS>;
var<workgroup> first_rows: array<V, 2 * COLUMNS>;
var<workgroup> triangle: array<V, COLUMNS * COLUMNS>;
var<workgroup> products: array<V, COLUMNS * COLUMNS / 4>;

struct Reflector { beta: R, tau: V, scale: V }

// I - tau v v^H, the adjoint of which maps (alpha, x) to (beta, 0); v is (1, scale x). As LAPACK's
// larfg; the norm of a column that is negligible in the column's own scale may have lost its digits
// to underflow, so that such a column is taken for 0.
fn reflector_of(alpha: V, rest_squared: R) -> Reflector {
    let real = real_part(alpha);
    let squared = size_squared(alpha) + rest_squared;
    let is_real = size_squared(alpha - from_real(real)) == R(0);
    if ((is_real && rest_squared == R(0)) || squared < NEGLIGIBLE) {
        return Reflector(real, from_real(R(0)), from_real(R(0)));
    }
    var beta = root(squared);
    if (real >= R(0)) {
        beta = -beta;
    }
    let tau = (from_real(beta) - alpha) * quotient(R(1), beta);
    return Reflector(beta, tau, divided(from_real(R(1)), alpha - from_real(beta)));
}

// Sums of the threads by column, in two steps, so that few are added one after another.
fn add_up(thread: u32, part: Part) {
    var sum = part;
    sums[thread] = sum;
    workgroupBarrier();
    if (thread < FIRST_SUMS * LANES) {
        sum = Part();
        for (var i = thread; i < THREADS; i += FIRST_SUMS * LANES) {
            sum += sums[i];
        }
        sums[thread] = sum;
    }
    workgroupBarrier();
    if (thread < LANES) {
        for (var i = thread + LANES; i < FIRST_SUMS * LANES; i += LANES) {
            sum += sums[i];
        }
        for (var i = 0u; i < EACH; i++) {
            dots[thread * EACH + i] = element_of(sum, i);
        }
    }
    workgroupBarrier();
}

fn put_first_row(place: u32, own: Part) {
    for (var i = 0u; i < EACH; i++) {
        first_rows[place + i] = element_of(own, i);
    }
}

// What a row is in V, with ones in its diagonal and zeros above it.
fn row_of_vectors(row: u32, column: u32, own: Part) -> Part {
    var found = own;
    for (var i = 0u; i < EACH; i++) {
        if (column + i >= row) {
            found = with_element(found, i, from_real(select(R(0), R(1), column + i == row)));
        }
    }
    return found;
}

// What a pass needs of reflector k: v is `scale` times column k; a row's Part is changed by its
// element of v times `change`, and column k + 1 by that times `next_change`.
struct Step { scale: V, change: Part, next_change: V }

// Find reflector k of the dots and the first row. Row k of R is then final, and so are the products
// of reflector k's vector and those before it. The first row group stores them.
fn step_of(k: u32, column: u32, is_storing: bool, width: u32, row_place: u32) -> Step {
    let here = (k & 1u) * COLUMNS;
    let next = min(k + 1u, COLUMNS - 1u);
    let reflector = reflector_of(first_rows[here + k], real_part(dots[k]));
    let scale = conjugate(reflector.scale);
    let tau = conjugate(reflector.tau);
    var change = Part();
    for (var i = 0u; i < EACH; i++) {
        let own = column + i;
        let first = first_rows[here + own];
        let dot = first + times(scale, dots[own]);
        if (own > k) {
            change = with_element(change, i, times(tau, dot));
        }
        if (is_storing) {
            if (own < k) {
                triangle[k * COLUMNS + own] = conjugate(dot);
            } else if (own == k) {
                triangle[k * COLUMNS + k] = reflector.tau;
                matrices[row_place + own] = from_real(reflector.beta);
            } else if (own < width) {
                matrices[row_place + own] = first - times(tau, dot);
            }
        }
    }
    let next_dot = first_rows[here + next] + times(scale, dots[next]);
    return Step(reflector.scale, change, times(tau, next_dot));
}

// Make T of its diagonal and of the products of V's columns, V1^H V2, which are below it: pairs of
// triangles become one, whose upper right part is -T1 (V1^H V2) T2.
fn store_triangle(thread: u32, place: u32) {
    for (var size = 1u; size < COLUMNS; size *= 2u) {
        workgroupBarrier();
        for (var i = thread; i < size * COLUMNS / 2u; i += THREADS) {
            let first = i / (size * size) * 2u * size;
            let row = first + i / size % size;
            let column = first + size + i % size;
            var product = from_real(R(0));
            for (var j = first + size; j <= column; j++) {
                product += times(triangle[j * COLUMNS + row], triangle[j * COLUMNS + column]);
            }
            products[i] = product;
        }
        workgroupBarrier();
        for (var i = thread; i < size * COLUMNS / 2u; i += THREADS) {
            let first = i / (size * size) * 2u * size;
            let row = i / size % size;
            var product = from_real(R(0));
            for (var j = row; j < size; j++) {
                product += times(triangle[(first + row) * COLUMNS + first + j],
                                 products[i + (j - row) * size]);
            }
            triangle[(first + row) * COLUMNS + first + size + i % size] = -product;
        }
    }
    workgroupBarrier();
    for (var i = thread; i < COLUMNS * COLUMNS; i += THREADS) {
        let row = i / COLUMNS;
        let column = i % COLUMNS;
        let is_upper = row <= column;
        triangles[place + row * STORED + column] = select(from_real(R(0)), triangle[i], is_upper);
    }
}
