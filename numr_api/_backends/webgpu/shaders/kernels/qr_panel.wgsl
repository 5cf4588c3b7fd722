// Householder's reduction of a panel of columns by one workgroup, and T of its block reflector
// H1 H2 ... = I - V T V^H (R. Schreiber, C. Van Loan, SIAM J. Sci. Stat. Comput. 10, 1989).
//
// One pass over the rows applies the reflector of column k and adds up what the next one needs: y^H
// times each column, y being column k + 1. For the columns to the right that is the reflector's dot
// product and the norm of y, but for a factor and the first row; for those to the left, which hold
// V by then, it is what T is made of. Only its thread touches a Part of `vectors`; columns k and
// k + 1 as they were before the pass are therefore in `pivots` as well.

// What is the same for all rows when reflector k is applied.
struct Pass {
    k: u32, lane: u32, vectors_place: u32, before_place: u32, after_place: u32,
    step: Step, is_k: Mask,
}

// Of a row: columns k and k + 1, and the thread's Part.
struct Elements { x: V, y: V, own: Part }

fn elements_of(p: Pass, row: u32) -> Elements {
    let place = p.before_place + 2u * row;
    return Elements(pivots[place], pivots[place + 1u],
                    vectors[p.vectors_place + row * STORED_LANES + p.lane]);
}

// The same when the reflector was applied, and of column k the reflector's vector.
fn changed(p: Pass, row: u32, before: Elements) -> Elements {
    let x = times(p.step.scale, before.x);
    let y = before.y - times(x, p.step.next_change);
    let own = select(before.own - multiple(x, p.step.change), spread(x), p.is_k);
    if ((p.lane + 1u) * EACH > p.k) {
        vectors[p.vectors_place + row * STORED_LANES + p.lane] = own;
    }
    put_pivots(p.after_place + 2u * row, p.k + 1u, p.lane, own);
    return Elements(x, y, own);
}

// Keep columns `next` and `next` + 1 for the pass of `next`.
fn put_pivots(place: u32, next: u32, lane: u32, own: Part) {
    if (lane == next / EACH) {
        pivots[place] = element_of(own, next % EACH);
    }
    if (lane == (next + 1u) / EACH) {
        pivots[place + 1u] = element_of(own, (next + 1u) % EACH);
    }
}

fn product(row: Elements) -> Part {
    return multiple(conjugate(row.y), row.own);
}

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
    let pivots_step = 2u * parameters[2].w;
    let pivots_place = parameters[2].z + number * 2u * pivots_step;
    let lane = thread % LANES;
    let row_group = thread / LANES;
    let column = lane * EACH;

    var sum = Part();
    for (var row = row_group; row < rows; row += GROUPS) {
        let place = matrix_place + row * matrix_step;
        let y = matrices[place];
        var own = Part();
        for (var i = 0u; i < EACH; i++) {
            if (column + i < width) {
                own = with_element(own, i, matrices[place + column + i]);
            }
        }
        put_pivots(pivots_place + 2u * row, 0u, lane, own);
        if (row == 0u) {
            put_first_row(column, own);
            own = row_of_vectors(row, column, own);
        } else {
            sum += multiple(conjugate(y), own);
        }
        vectors[vectors_place + row * STORED_LANES + lane] = own;
    }

    for (var k = 0u; k < width; k++) {
        storageBarrier();
        add_up(thread, sum);
        let step = step_of(k, column, row_group == 0u, width, matrix_place + k * matrix_step);
        let p = Pass(
            k, lane, vectors_place, pivots_place + (k & 1u) * pivots_step,
            pivots_place + (1u - (k & 1u)) * pivots_step, step, mask_of(column, k),
        );
        sum = Part();
        var row = row_group + (k + GROUPS - row_group) / GROUPS * GROUPS;
        if (row == k + 1u && row < rows) {
            let own = changed(p, row, elements_of(p, row)).own;
            put_first_row((1u - (k & 1u)) * COLUMNS + column, own);
            vectors[vectors_place + row * STORED_LANES + lane] = row_of_vectors(row, column, own);
            row += GROUPS;
        }
        if (AHEAD) {
            for (; row + 3u * GROUPS < rows; row += 4u * GROUPS) {
                let a = elements_of(p, row);
                let b = elements_of(p, row + GROUPS);
                let c = elements_of(p, row + 2u * GROUPS);
                let d = elements_of(p, row + 3u * GROUPS);
                sum += product(changed(p, row, a));
                sum += product(changed(p, row + GROUPS, b));
                sum += product(changed(p, row + 2u * GROUPS, c));
                sum += product(changed(p, row + 3u * GROUPS, d));
            }
        }
        for (; row < rows; row += GROUPS) {
            sum += product(changed(p, row, elements_of(p, row)));
        }
    }
    store_triangle(thread, triangle_place);
}
