// Sorts short rows, each in the memory of one workgroup, by a bitonic network on keys and indices.
// As no two indices are equal, neither are two elements of the network, and so it is stable.
// A workgroup sorts several rows at once; each is padded to the same power of two.

var<workgroup> keys: array<K, CAPACITY>;
var<workgroup> order: array<u32, CAPACITY>;

fn comes_after(first: u32, second: u32) -> bool {
    if (all_equal(keys[first], keys[second])) {
        return order[first] > order[second];
    }
    return less_key(keys[second], keys[first]);
}

@compute @workgroup_size(THREADS)
fn main(
    @builtin(local_invocation_index) thread: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let number = group.y * groups.x + group.x;
    let source_place = parameters[0].y;
    let target_place = parameters[0].z;
    let length = parameters[0].w;
    let shift = parameters[1].x;  // padded rows have 2^shift elements
    let rows_at_once = parameters[1].y;
    let rows = parameters[1].z;
    let flip = parameters[1].w;
    if (number * rows_at_once >= rows) {
        return;
    }
    let padded = 1u << shift;
    let first_row = number * rows_at_once;
    let filled = min(rows_at_once, rows - first_row) << shift;
    let first = first_row * length;
    for (var e = thread; e < filled; e += THREADS) {
        let i = e & (padded - 1u);
        let at = source_place + first + (e >> shift) * length + min(i, length - 1u);
        keys[e] = select(K(0xffffffffu), key_of(source[at]) ^ K(flip), i < length);
        order[e] = i;
    }
    workgroupBarrier();
    // After each turn of the outer loop runs of ``size`` are sorted, up and down in turn.
    for (var size = 2u; size <= padded; size <<= 1u) {
        for (var step = size >> 1u; step > 0u; step >>= 1u) {
            for (var pair = thread; pair < (filled >> 1u); pair += THREADS) {
                let low = pair * 2u - (pair & (step - 1u));
                let high = low + step;
                let is_upward = (low & (padded - 1u) & size) == 0u;
                if (comes_after(low, high) == is_upward) {
                    let key = keys[low];
                    keys[low] = keys[high];
                    keys[high] = key;
                    let index = order[low];
                    order[low] = order[high];
                    order[high] = index;
                }
            }
            workgroupBarrier();
        }
    }
    for (var e = thread; e < filled; e += THREADS) {
        let i = e & (padded - 1u);
        if (i < length) {
            let row = first + (e >> shift) * length;
            put(target_place + row + i, source_place + row, order[e]);
        }
    }
}
