// The columns beside a panel: their rows are exchanged as the panel's were, and those to the right
// get their rows of U. A thread for each column; matrices are stored by columns.

const LONGER = 33u;  // Mesa would write out the loops that step through shorter arrays
var<workgroup> lower: array<V, WIDTH * WIDTH>;  // by columns
var<workgroup> above: array<V, WIDTH * THREADS>;  // a column for each thread
var<workgroup> exchanged: array<V, WIDTH * THREADS>;
var<workgroup> row_from: array<u32, LONGER>;
var<workgroup> below: array<u32, LONGER>;
var<workgroup> below_from: array<u32, LONGER>;

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
    let end = parameters[1].x;
    let tiles = parameters[1].y;
    let matrix = number / tiles;
    let place = parameters[1].z + matrix * n * n;
    let pivots_place = parameters[1].w + matrix * n;
    let moves_place = parameters[2].x + matrix * n;
    let width = end - start;
    for (var i = thread; i < width; i += THREADS) {
        let pivot = indices[pivots_place + start + i];
        row_from[i] = indices[moves_place + start + i];
        below[i] = pivot;
        below_from[i] = indices[moves_place + pivot];
    }
    for (var e = thread; e < width * width; e += THREADS) {
        let column = e / width;
        lower[column * WIDTH + e % width] =
            matrices[place + (start + column) * n + start + e % width];
    }
    workgroupBarrier();
    let other = number % tiles * THREADS + thread;
    if (other >= n - width) {
        return;
    }
    let column = other + select(0u, width, other >= start);
    let base = place + column * n;
    for (var i = 0u; i < width; i += STEP) {
        var x: array<V, STEP>;
        var y: array<V, STEP>;
        for (var s = 0u; s < STEP; s++) {
            let at = min(i + s, width - 1u);
            x[s] = matrices[base + row_from[at]];
            y[s] = matrices[base + below_from[at]];
        }
        for (var s = 0u; s < STEP; s++) {
            above[(i + s) * THREADS + thread] = x[s];
            exchanged[(i + s) * THREADS + thread] = y[s];
        }
    }
    for (var i = 0u; i < width; i++) {
        if (below[i] >= end) {
            matrices[base + below[i]] = exchanged[i * THREADS + thread];
        }
    }
    if (column > start) {
        // The panel then has all WIDTH columns. STEP rows at a time are in registers.
        for (var first = 0u; first < width; first += STEP) {
            var x: array<V, STEP>;
            for (var s = 0u; s < STEP; s++) {
                x[s] = above[(first + s) * THREADS + thread];
            }
            for (var j = 0u; j < STEP; j++) {
                for (var s = 0u; s < STEP; s++) {
                    if (s > j) {
                        x[s] -= times(lower[(first + j) * WIDTH + first + s], x[j]);
                    }
                }
            }
            for (var s = 0u; s < STEP; s++) {
                above[(first + s) * THREADS + thread] = x[s];
            }
            for (var i = first + STEP; i < width; i++) {
                var value = above[i * THREADS + thread];
                for (var s = 0u; s < STEP; s++) {
                    value -= times(lower[(first + s) * WIDTH + i], x[s]);
                }
                above[i * THREADS + thread] = value;
            }
        }
    }
    for (var i = 0u; i < width; i++) {
        matrices[base + start + i] = above[i * THREADS + thread];
    }
}
