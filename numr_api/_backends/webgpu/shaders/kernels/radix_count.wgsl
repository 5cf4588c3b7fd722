// Counts the digits of each tile.

var<workgroup> histogram: array<atomic<u32>, 256>;

@compute @workgroup_size(THREADS)
fn main(
    @builtin(local_invocation_index) thread: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let number = group.y * groups.x + group.x;
    let p = pass_of_parameters();
    if (number >= p.all_tiles) {
        return;
    }
    let row = number / p.tiles;
    let tile = number % p.tiles;
    let first = tile * TILE;
    let valid = min(TILE, p.length - first);
    let place = p.source_place + row * p.length + first;
    for (var digit = thread; digit < DIGITS; digit += THREADS) {
        atomicStore(&histogram[digit], 0u);
    }
    var values: array<V, ITEMS>;
    for (var k = 0u; k < ITEMS; k++) {
        values[k] = source[place + min(k * THREADS + thread, valid - 1u)];
    }
    workgroupBarrier();
    for (var k = 0u; k < ITEMS; k++) {
        if (k * THREADS + thread < valid) {
            atomicAdd(&histogram[digit_of(values[k])], 1u);
        }
    }
    workgroupBarrier();
    for (var digit = thread; digit < DIGITS; digit += THREADS) {
        counts[p.counts_place + (row * DIGITS + digit) * p.tiles + tile] =
            atomicLoad(&histogram[digit]);
    }
}
