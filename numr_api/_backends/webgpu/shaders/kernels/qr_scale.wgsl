// Columns times powers of two, so that their largest elements are about 1 and neither squares nor
// sums overflow. Q stays what it is, and R's columns are multiples as well; nothing is rounded.
// A workgroup has COLUMNS columns of a matrix.

var<workgroup> maxima: array<R, THREADS>;

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
    let columns = parameters[0].w;
    let across = (columns + COLUMNS - 1u) / COLUMNS;
    let matrix = number / across;
    let column = number % across * COLUMNS + thread % COLUMNS;
    let first = matrix * rows * columns + column;
    let source_place = parameters[1].x + first;
    let target_place = parameters[1].y + first;

    var largest = R(0);
    if (column < columns) {
        for (var row = thread / COLUMNS; row < rows; row += GROUPS) {
            largest = max(largest, larger_part(sources[source_place + row * columns]));
        }
    }
    maxima[thread] = largest;
    workgroupBarrier();
    if (thread < COLUMNS) {
        for (var i = thread + COLUMNS; i < THREADS; i += COLUMNS) {
            largest = max(largest, maxima[i]);
        }
        maxima[thread] = largest;
    }
    workgroupBarrier();
    if (column >= columns) {
        return;
    }
    let exponent = bounded_exponent(maxima[thread % COLUMNS]);
    let factor = power_of_two(-exponent);
    for (var row = thread / COLUMNS; row < rows; row += GROUPS) {
        matrices[target_place + row * columns] = sources[source_place + row * columns] * factor;
    }
    if (thread < COLUMNS) {
        scales[parameters[1].z + matrix * columns + column] = power_of_two(exponent);
    }
}
