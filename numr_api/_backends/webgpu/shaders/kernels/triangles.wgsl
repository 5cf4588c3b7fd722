// Systems of linear equations with a triangle, or with a lower and then an upper one stored in the
// same square, of at most WIDTH rows: a thread for each column of the right-hand sides.

var<workgroup> triangle: array<V, WIDTH * WIDTH>;  // by columns
var<workgroup> x: array<V, WIDTH * THREADS>;  // a column for each thread

@compute @workgroup_size(THREADS)
fn main(
    @builtin(local_invocation_index) thread: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    opaque_zero = parameters[0].x;
    let number = group.y * groups.x + group.x;
    if (number >= parameters[0].y) {
        return;
    }
    let m = parameters[0].z;
    let columns = parameters[0].w;
    let tiles = parameters[1].x;
    let matrix = number / tiles;
    let place = parameters[1].y + matrix * parameters[1].z;
    let row_step = parameters[1].w;
    let column_step = parameters[2].x;
    // Rows are added up to a multiple of STEP, those of the identity matrix.
    let padded = (m + STEP - 1u) / STEP * STEP;
    for (var e = thread; e < padded * padded; e += THREADS) {
        let row = e % padded;
        let column = e / padded;
        var value = from_real(R(select(0u, 1u, row == column)));
        if (row < m && column < m) {
            value = matrices[place + column * column_step + row * row_step];
        }
        triangle[column * WIDTH + row] = value;
    }
    workgroupBarrier();
    let column = number % tiles * THREADS + thread;
    if (column >= columns) {
        return;
    }
    let source_place = parameters[2].y + matrix * parameters[2].z + column * parameters[3].x;
    let target_place = parameters[3].y + matrix * parameters[3].z + column * parameters[4].x;
    let order_place = parameters[4].y + matrix * parameters[4].z;
    for (var i = 0u; i < padded; i += STEP) {
        var y: array<V, STEP>;
        for (var s = 0u; s < STEP; s++) {
            if (i + s < m) {
                var row = i + s;
                if (ORDERED) {
                    row = indices[order_place + row];
                }
                y[s] = sources[source_place + row * parameters[2].w];
            }
        }
        for (var s = 0u; s < STEP; s++) {
            x[(i + s) * THREADS + thread] = y[s];
        }
    }
    // STEP rows at a time are in registers.
    if (LOWER) {
        for (var first = 0u; first < padded; first += STEP) {
            var y: array<V, STEP>;
            for (var s = 0u; s < STEP; s++) {
                y[s] = x[(first + s) * THREADS + thread];
            }
            for (var j = 0u; j < STEP; j++) {
                let column = (first + j) * WIDTH + first;
                if (!UNIT) {
                    y[j] = divided(y[j], triangle[column + j]);
                }
                for (var s = 0u; s < STEP; s++) {
                    if (s > j) {
                        y[s] -= times(triangle[column + s], y[j]);
                    }
                }
            }
            for (var s = 0u; s < STEP; s++) {
                x[(first + s) * THREADS + thread] = y[s];
            }
            for (var i = first + STEP; i < padded; i++) {
                var value = x[i * THREADS + thread];
                for (var s = 0u; s < STEP; s++) {
                    value -= times(triangle[(first + s) * WIDTH + i], y[s]);
                }
                x[i * THREADS + thread] = value;
            }
        }
    }
    if (UPPER) {
        for (var end = padded; end > 0u; end -= STEP) {
            let first = end - STEP;
            var z = array<V, STEP>();
            for (var s = 0u; s < STEP; s++) {
                // Rows that were added may have become NaN, where there is an infinity.
                if (first + s < m) {
                    z[s] = x[(first + s) * THREADS + thread];
                }
            }
            for (var k = 0u; k < STEP; k++) {
                let column = (first + STEP - 1u - k) * WIDTH + first;
                z[STEP - 1u - k] = divided(z[STEP - 1u - k], triangle[column + STEP - 1u - k]);
                for (var s = 0u; s < STEP; s++) {
                    if (s < STEP - 1u - k) {
                        z[s] -= times(triangle[column + s], z[STEP - 1u - k]);
                    }
                }
            }
            for (var s = 0u; s < STEP; s++) {
                x[(first + s) * THREADS + thread] = z[s];
            }
            for (var i = 0u; i < first; i++) {
                var value = x[i * THREADS + thread];
                for (var s = 0u; s < STEP; s++) {
                    value -= times(triangle[(first + s) * WIDTH + i], z[s]);
                }
                x[i * THREADS + thread] = value;
            }
        }
    }
    for (var i = 0u; i < m; i++) {
        targets[target_place + i * parameters[3].w] = x[i * THREADS + thread];
    }
}
