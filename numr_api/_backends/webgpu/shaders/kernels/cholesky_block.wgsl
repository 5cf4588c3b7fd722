// Cholesky factors of Hermitian matrices of at most WIDTH rows, of which the lower triangle is
// read: a workgroup for each.

const PITCH = WIDTH + 1u;  // so that rows begin in different banks

var<workgroup> a: array<V, WIDTH * PITCH>;

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
    let m = parameters[0].z;
    let source_place = parameters[0].w + matrix * parameters[1].x;
    let source_row = parameters[1].y;
    let source_column = parameters[1].z;
    let target_place = parameters[1].w + matrix * parameters[2].x;
    let target_row = parameters[2].y;
    let target_column = parameters[2].z;
    for (var e = thread; e < m * m; e += THREADS) {
        // Neighbouring threads read neighbouring elements.
        let by_rows = source_column == 1u;
        let row = select(e % m, e / m, by_rows);
        let column = select(e / m, e % m, by_rows);
        if (row >= column) {
            a[row * PITCH + column] =
                sources[source_place + row * source_row + column * source_column];
        }
    }
    workgroupBarrier();
    for (var j = 0u; j < m; j++) {
        var diagonal = real_part(a[j * PITCH + j]);
        if (diagonal <= R(0) || is_nan_real(diagonal)) {
            if (thread == 0u) {
                atomicMax(&status[parameters[2].w], 1u);
            }
            diagonal = R(1);
        }
        diagonal = root(diagonal);
        workgroupBarrier();
        for (var row = j + thread; row < m; row += THREADS) {
            var value = from_real(diagonal);
            if (row > j) {
                value = over(a[row * PITCH + j], diagonal);
            }
            a[row * PITCH + j] = value;
        }
        workgroupBarrier();
        for (var e = thread; e < m * WIDTH; e += THREADS) {
            let row = e / WIDTH;
            let column = e % WIDTH;
            if (column > j && column <= row) {
                a[row * PITCH + column] -=
                    times(a[row * PITCH + j], conjugate(a[column * PITCH + j]));
            }
        }
        workgroupBarrier();
    }
    for (var e = thread; e < m * m; e += THREADS) {
        let by_rows = target_column == 1u;
        let row = select(e % m, e / m, by_rows);
        let column = select(e / m, e % m, by_rows);
        var value = V();
        if (row >= column) {
            value = a[row * PITCH + column];
        }
        targets[target_place + row * target_row + column * target_column] = value;
    }
}
