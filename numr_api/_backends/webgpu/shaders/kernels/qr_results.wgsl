// R in the scale of what was given, and Q as far as the last panel's reflectors make it: the
// identity but for (row, column) from `start` on, where it is less V times what W holds, T V^H.
// The other panels' reflectors are still to be applied. A thread has an element of Q or R.

@compute @workgroup_size(THREADS)
fn main(
    @builtin(local_invocation_index) thread: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    opaque_zero = parameters[0].x;
    let number = (group.y * groups.x + group.x) * THREADS + thread;
    let count = parameters[0].y;
    let rows = parameters[0].z;
    let columns = parameters[0].w;
    let size = parameters[1].x;
    let start = parameters[1].y;
    let width = parameters[1].z;
    let triangle_size = size * columns;
    if (number < count * triangle_size) {
        let matrix = number / triangle_size;
        let row = number % triangle_size / columns;
        let column = number % columns;
        var element = from_real(R(0));
        if (row <= column) {
            element = matrices[parameters[1].w + (matrix * rows + row) * columns + column]
                * scales[parameters[2].x + matrix * columns + column];
        }
        triangles[parameters[2].y + number] = element;
        return;
    }
    let other = number - count * triangle_size;
    if (other >= count * rows * size) {
        return;
    }
    let matrix = other / size / rows;
    let row = other / size % rows;
    let column = other % size;
    var element = from_real(select(R(0), R(1), row == column));
    if (row >= start && column >= start) {
        let vector_place = parameters[2].w + (matrix * rows + row - start) * COLUMNS;
        let share_step = size - start;
        let share_place = parameters[3].x + matrix * width * share_step + column - start;
        for (var k = 0u; k < width; k++) {
            element -= times(vectors[vector_place + k], shares[share_place + k * share_step]);
        }
    }
    unitary[parameters[2].z + other] = element;
}
