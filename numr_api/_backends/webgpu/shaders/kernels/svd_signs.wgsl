// Multiplies columns of Q by the signs of R's diagonal, which is real.

@compute @workgroup_size(THREADS)
fn main(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let number = id.y * groups.x * THREADS + id.x;
    if (number >= parameters[0].y) { return; }
    let count = parameters[0].z;  // of R's diagonal
    let rows = parameters[0].w;
    let columns = parameters[1].x;
    let triangle_rows = parameters[1].y;
    let column = number % count;
    let row = (number / count) % rows;
    let matrix = number / (count * rows);
    let diagonal = parameters[1].w + (matrix * triangle_rows + column) * count + column;
    if (real_part(triangle[diagonal]) < R(0)) {
        let place = parameters[1].z + (matrix * rows + row) * columns + column;
        factor[place] = -factor[place];
    }
}
