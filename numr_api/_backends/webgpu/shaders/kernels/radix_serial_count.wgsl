// A pass without subgroups and workgroup memory: each thread counts and moves a tile of its own.

@compute @workgroup_size(64)
fn main(
    @builtin(local_invocation_index) thread: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let number = (group.y * groups.x + group.x) * 64u + thread;
    let p = pass_of_parameters();
    if (number >= p.all_tiles) {
        return;
    }
    let row = number / p.tiles;
    let tile = number % p.tiles;
    let first = tile * TILE;
    let valid = min(TILE, p.length - first);
    let place = p.source_place + row * p.length + first;
    let counts_place = p.counts_place + row * DIGITS * p.tiles + tile;
    for (var digit = 0u; digit < DIGITS; digit++) {
        counts[counts_place + digit * p.tiles] = 0u;
    }
    for (var i = 0u; i < valid; i++) {
        counts[counts_place + digit_of(source[place + i]) * p.tiles] += 1u;
    }
}
