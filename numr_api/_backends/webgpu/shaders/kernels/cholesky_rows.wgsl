// The rows of a Cholesky factor below a diagonal block of WIDTH rows: a thread for each row.
// Matrices are stored by columns.

var<workgroup> block: array<V, WIDTH * WIDTH>;  // by columns
var<workgroup> x: array<V, WIDTH * THREADS>;  // a row for each thread

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
    let n = parameters[0].z;
    let start = parameters[0].w;
    let tiles = parameters[1].x;
    let matrix = number / tiles;
    let place = parameters[1].y + matrix * n * n;
    let width = min(WIDTH, n - start);  // which is WIDTH, but loops to that would be written out
    for (var e = thread; e < width * WIDTH; e += THREADS) {
        block[e] = matrices[place + (start + e / WIDTH) * n + start + e % WIDTH];
    }
    workgroupBarrier();
    let row = start + WIDTH + number % tiles * THREADS + thread;
    if (row >= n) {
        return;
    }
    // STEP columns at a time are in registers.
    for (var first = 0u; first < width; first += STEP) {
        let at = place + (start + first) * n + row;
        var y: array<V, STEP>;
        for (var s = 0u; s < STEP; s++) {
            y[s] = matrices[at + s * n];
        }
        for (var s = 0u; s < STEP; s++) {
            x[(first + s) * THREADS + thread] = y[s];
        }
    }
    for (var first = 0u; first < width; first += STEP) {
        let at = place + (start + first) * n + row;
        var y: array<V, STEP>;
        for (var s = 0u; s < STEP; s++) {
            y[s] = x[(first + s) * THREADS + thread];
        }
        for (var j = 0u; j < STEP; j++) {
            let column = (first + j) * WIDTH + first;
            y[j] = over(y[j], real_part(block[column + j]));
            for (var s = 0u; s < STEP; s++) {
                if (s > j) {
                    y[s] -= times(y[j], conjugate(block[column + s]));
                }
            }
        }
        for (var s = 0u; s < STEP; s++) {
            matrices[at + s * n] = y[s];
            if (COMPLEX) {
                conjugates[parameters[1].z + (matrix * WIDTH + first + s) * n + row] =
                    conjugate(y[s]);
            }
        }
        for (var i = first + STEP; i < width; i++) {
            var value = x[i * THREADS + thread];
            for (var s = 0u; s < STEP; s++) {
                value -= times(y[s], conjugate(block[(first + s) * WIDTH + i]));
            }
            x[i * THREADS + thread] = value;
        }
    }
}
