// The second half of the same. The counts have become the places of the tile's next elements.

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
    let row_place = row * p.length;
    let counts_place = p.counts_place + row * DIGITS * p.tiles + tile;
    for (var i = 0u; i < valid; i++) {
        let value = source[p.source_place + row_place + first + i];
        let next = counts_place + digit_of(value) * p.tiles;
        let to = counts[next];
        counts[next] = to + 1u;
        if (!ORDERED || p.is_last == 0u) {
            target_values[p.target_place + to] = value;
        }
        if (ORDERED) {
            var index = first + i;
            if (p.is_first == 0u) {
                index = order_source[p.order_source_place + row_place + first + i];
            }
            put_index(p, to, index);
        }
    }
}
