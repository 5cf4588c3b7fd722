// Puts the values of rows in order, the largest singular value first or the smallest eigenvalue,
// and with them the rows: normalised parts of G, which are 0 where the value is, and of V.

var<workgroup> rank: atomic<u32>;

@compute @workgroup_size(THREADS)
fn main(
    @builtin(local_invocation_index) thread: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    opaque_zero = parameters[0].x;
    let number = group.y * groups.x + group.x;
    if (number >= parameters[0].y) { return; }
    let place = parameters[0].z + number * parameters[0].w;
    let inner = parameters[1].x;
    let turned_place = parameters[1].y + number * parameters[1].z;
    let turned_length = parameters[1].w;
    let values_place = parameters[2].x;
    let count = parameters[2].y;
    let results_place = parameters[2].z;
    let left_place = parameters[2].w;
    let right_place = parameters[3].x;
    let measures_place = parameters[3].y;

    if (thread == 0u) { atomicStore(&rank, 0u); }
    workgroupBarrier();
    let matrix = number / count;
    let row = number % count;
    let first = values_place + 2u * matrix * count;
    let own = values[first + 2u * row];
    var before = 0u;
    for (var other = thread; other < count; other += THREADS) {
        let value = values[first + 2u * other];
        let ahead = select((value < own), (value > own), GRAM);
        before += select(0u, 1u, ahead || (value == own && other < row));
    }
    atomicAdd(&rank, before);
    workgroupBarrier();
    let target_row = matrix * count + min(atomicLoad(&rank), count - 1u);
    if (thread == 0u) {
        results[results_place + target_row] = own * measures[measures_place + 2u * matrix + 1u];
    }
    if (LEFT) {
        // The square of a shorter row is not normal.
        let is_zero = own < TINY;
        let factor = select(quotient(R(1), own), R(0), is_zero);
        for (var e = thread; e < inner; e += THREADS) {
            left[left_place + target_row * inner + e] = work[place + e] * factor;
        }
    }
    if (RIGHT) {
        let factor = quotient(R(1), values[values_place + 2u * number + 1u]);
        for (var e = thread; e < turned_length; e += THREADS) {
            let value = turned[turned_place + e] * factor;
            right[right_place + target_row * turned_length + e] = as_right(value);
        }
    }
}
