// The factors of a panel of neighbouring columns: a workgroup for each matrix.
//
// Matrices are stored by columns. COLUMNS columns at a time are in registers, each thread with
// whole rows of them; after each step the columns are moved to the left, and the one that is done
// to the right end, so that no index depends on the step.
//
// ``indices`` has three parts for each matrix: with which row each row was exchanged; the moves,
// from which row of the matrix before the panel each row came; and from which of the matrix at all.

const NONE = 0xffffffffu;

var<workgroup> keys: array<K, THREADS>;
var<workgroup> places: array<u32, THREADS>;
var<workgroup> pivot_row: array<V, COLUMNS>;
var<workgroup> upper_row: array<V, COLUMNS>;
var<workgroup> pivot_origin: u32;
var<workgroup> upper_origin: u32;
var<workgroup> lower: array<V, COLUMNS * COLUMNS>;  // by rows
var<workgroup> upper: array<V, COLUMNS * WIDTH>;
var<workgroup> count_moved: atomic<u32>;
var<workgroup> moved_to: array<u32, MOVED>;
var<workgroup> moved_from: array<u32, MOVED>;

struct Best {
    key: K,
    place: u32,
}

fn better_of(first: Best, second: Best) -> Best {
    if (second.key > first.key || (second.key == first.key && second.place < first.place)) {
        return second;
    }
    return first;
}

fn factor_panel(thread: u32, matrix: u32) {
    opaque_zero = parameters[0].x;
    if (matrix >= parameters[0].y) {
        return;
    }
    let n = parameters[0].z;
    let start = parameters[0].w;
    let end = parameters[1].x;
    let place = parameters[1].y + matrix * n * n;
    let pivots_place = parameters[1].z + matrix * n;
    let moves_place = parameters[1].w + matrix * n;
    let order_place = parameters[2].x + matrix * n;
    for (var i = start + thread; i < n; i += THREADS) {
        indices[moves_place + i] = i;
    }
    for (var first = start; first < end; first += COLUMNS) {
        let count = min(COLUMNS, end - first);
        var a: array<array<V, COLUMNS>, ROWS>;
        var origin: array<u32, ROWS>;
        for (var r = 0u; r < ROWS; r++) {
            let row = first + thread + r * THREADS;
            origin[r] = row;
            if (row < n) {
                for (var s = 0u; s < COLUMNS; s++) {
                    if (s < count) {
                        a[r][s] = matrices[place + (first + s) * n + row];
                    }
                }
            }
        }
        if (thread == 0u) {
            atomicStore(&count_moved, 0u);
        }
        for (var column = first; column < first + count; column++) {
            // The largest element, of equal ones the first.
            var own = Best(K(), NONE);
            for (var r = 0u; r < ROWS; r++) {
                let row = first + thread + r * THREADS;
                let key = key_of(a[r][0u]);
                if (row >= column && row < n && key > own.key) {
                    own = Best(key, row);
                }
            }
            let found = best(own, thread);
            let is_zero = found.key == K();
            let at = select(found.place, column, is_zero);
            for (var r = 0u; r < ROWS; r++) {
                let row = first + thread + r * THREADS;
                if (row == at) {
                    for (var s = 0u; s < COLUMNS; s++) {
                        pivot_row[s] = a[r][s];
                    }
                    pivot_origin = origin[r];
                }
                if (row == column) {
                    for (var s = 0u; s < COLUMNS; s++) {
                        upper_row[s] = a[r][s];
                    }
                    upper_origin = origin[r];
                }
            }
            workgroupBarrier();
            let pivot = pivot_row[0];
            let left = first + count - column;
            for (var r = 0u; r < ROWS; r++) {
                let row = first + thread + r * THREADS;
                if (row == at) {
                    for (var s = 0u; s < COLUMNS; s++) {
                        a[r][s] = upper_row[s];
                    }
                    origin[r] = upper_origin;
                }
                if (row == column) {
                    for (var s = 0u; s < COLUMNS; s++) {
                        a[r][s] = pivot_row[s];
                    }
                    origin[r] = pivot_origin;
                }
                let is_below = row > column && row < n && !is_zero;
                var done = a[r][0u];
                if (is_below) {
                    done = divided(done, pivot);
                }
                for (var s = 0u; s < REST; s++) {
                    let next = a[r][s + 1u];
                    let less = next - times(done, pivot_row[s + 1u]);
                    a[r][s] = select(next, less, is_below && s + 1u < left);
                }
                a[r][REST] = done;
            }
            if (thread == 0u) {
                indices[pivots_place + column] = at;
                if (is_zero) {
                    atomicMax(&status[parameters[2].y], 1u);
                }
            }
        }
        for (var i = count; i < COLUMNS; i++) {
            for (var r = 0u; r < ROWS; r++) {
                let head = a[r][0u];
                for (var s = 0u; s < REST; s++) {
                    a[r][s] = a[r][s + 1u];
                }
                a[r][REST] = head;
            }
        }
        for (var r = 0u; r < ROWS; r++) {
            let row = first + thread + r * THREADS;
            if (row < n) {
                for (var s = 0u; s < COLUMNS; s++) {
                    if (s < count) {
                        matrices[place + (first + s) * n + row] = a[r][s];
                    }
                }
                if (origin[r] != row) {
                    let slot = atomicAdd(&count_moved, 1u);
                    moved_to[slot] = row;
                    moved_from[slot] = origin[r];
                }
            }
            if (row < first + COLUMNS) {
                for (var s = 0u; s < COLUMNS; s++) {
                    lower[(row - first) * COLUMNS + s] = a[r][s];
                }
            }
        }
        workgroupBarrier();
        storageBarrier();
        let moved = atomicLoad(&count_moved);
        var came = 0u;
        if (thread < moved) {
            came = indices[moves_place + moved_from[thread]];
        }
        // The panel's other columns: their rows are exchanged too, and those to the right get
        // their rows of U.
        if (thread < end - start - count) {
            let column = start + thread + select(0u, count, start + thread >= first);
            let base = place + column * n;
            var x: array<V, MOVED>;
            for (var i = 0u; i < MOVED; i++) {
                if (i < moved) {
                    x[i] = matrices[base + moved_from[i]];
                }
            }
            for (var i = 0u; i < MOVED; i++) {
                if (i < moved) {
                    matrices[base + moved_to[i]] = x[i];
                }
            }
            if (column > first) {
                var u: array<V, COLUMNS>;
                for (var i = 0u; i < COLUMNS; i++) {
                    u[i] = matrices[base + first + i];
                }
                for (var j = 0u; j < COLUMNS; j++) {
                    upper[j * WIDTH + column - start] = u[j];
                    matrices[base + first + j] = u[j];
                    for (var i = 0u; i < COLUMNS; i++) {
                        if (i > j) {
                            u[i] -= times(lower[i * COLUMNS + j], u[j]);
                        }
                    }
                }
            }
        }
        workgroupBarrier();
        storageBarrier();
        if (thread < moved) {
            indices[moves_place + moved_to[thread]] = came;
        }
        for (var column = first + count; column < end; column += BATCH) {
            for (var r = 0u; r < ROWS; r++) {
                let row = first + thread + r * THREADS;
                if (row >= first + COLUMNS && row < n) {
                    let at = place + column * n + row;
                    var values: array<V, BATCH>;
                    for (var q = 0u; q < BATCH; q++) {
                        if (column + q < end) {
                            values[q] = matrices[at + q * n];
                        }
                    }
                    for (var q = 0u; q < BATCH; q++) {
                        if (column + q < end) {
                            for (var s = 0u; s < COLUMNS; s++) {
                                values[q] -=
                                    times(a[r][s], upper[s * WIDTH + column + q - start]);
                            }
                            matrices[at + q * n] = values[q];
                        }
                    }
                }
            }
        }
        workgroupBarrier();
        storageBarrier();
    }
    // The order that there was before is read by all before it is written.
    var came_from: array<u32, ROWS>;
    for (var r = 0u; r < ROWS; r++) {
        let row = start + thread + r * THREADS;
        if (row < n) {
            came_from[r] = indices[moves_place + row];
            if (start > 0u) {
                came_from[r] = indices[order_place + came_from[r]];
            }
        }
    }
    workgroupBarrier();
    storageBarrier();
    for (var r = 0u; r < ROWS; r++) {
        let row = start + thread + r * THREADS;
        if (row < n) {
            indices[order_place + row] = came_from[r];
        }
    }
}
