// As qr_panel, for panels of so few rows that threads keep their Parts of up to KEPT rows each, and
// only what others need of them goes through the workgroup's memory. `pivots` has column k where k
// is even, before its reflector is applied, and then where it is odd.

var<workgroup> pivots: array<V, 2 * KEPT * GROUPS>;

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
    let rows = parameters[0].z;
    let width = parameters[0].w;
    let matrix_place = parameters[1].x + number * parameters[1].y;
    let matrix_step = parameters[1].z;
    let vectors_place = parameters[1].w + number * parameters[2].x;
    let triangle_place = parameters[2].y + number * STORED * STORED;
    let lane = thread % LANES;
    let row_group = thread / LANES;
    let column = lane * EACH;

    var kept: array<Part, KEPT>;
    for (var i = 0u; i < KEPT; i++) {
        let row = row_group + i * GROUPS;
        var own = Part();
        if (row < rows) {
            let place = matrix_place + row * matrix_step + column;
            for (var j = 0u; j < EACH; j++) {
                if (column + j < width) {
                    own = with_element(own, j, matrices[place + j]);
                }
            }
        }
        kept[i] = own;
        if (lane == 0u) {
            pivots[row] = element_of(own, 0u);
        }
        if (row == 0u) {
            put_first_row(column, own);
        }
    }

    storageBarrier();  // Before rows of R are written.
    for (var k = 0u; k < width; k++) {
        let here = (k & 1u) * KEPT * GROUPS;
        let there = KEPT * GROUPS - here;
        workgroupBarrier();
        var sum = Part();
        for (var i = 0u; i < KEPT; i++) {
            let row = row_group + i * GROUPS;
            if (row > k && row < rows) {
                sum += multiple(conjugate(pivots[here + row]), kept[i]);
            }
        }
        add_up(thread, sum);
        let step = step_of(k, column, row_group == 0u, width, matrix_place + k * matrix_step);
        let is_k = mask_of(column, k);
        let is_next = lane == (k + 1u) / EACH;
        for (var i = 0u; i < KEPT; i++) {
            let row = row_group + i * GROUPS;
            if (row > k && row < rows) {
                let x = times(step.scale, pivots[here + row]);
                let own = select(kept[i] - multiple(x, step.change), spread(x), is_k);
                kept[i] = own;
                if (is_next) {
                    pivots[there + row] = element_of(own, (k + 1u) % EACH);
                }
                if (row == k + 1u) {
                    put_first_row((1u - (k & 1u)) * COLUMNS + column, own);
                }
            }
        }
    }
    for (var i = 0u; i < KEPT; i++) {
        let row = row_group + i * GROUPS;
        if (row < rows) {
            vectors[vectors_place + row * STORED_LANES + lane] =
                row_of_vectors(row, column, kept[i]);
        }
    }
    store_triangle(thread, triangle_place);
}
