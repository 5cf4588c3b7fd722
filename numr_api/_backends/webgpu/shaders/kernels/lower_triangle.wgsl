// The lower triangles of matrices that are stored by columns, by rows and with zeros above.

@compute @workgroup_size(THREADS)
fn main(
    @builtin(local_invocation_index) thread: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let e = (group.y * groups.x + group.x) * THREADS + thread;
    if (e >= parameters[0].y) {
        return;
    }
    let n = parameters[0].z;
    let column = e % n;
    let row = e / n % n;
    var value = V();
    if (row >= column) {
        value = sources[parameters[0].w + e / (n * n) * (n * n) + column * n + row];
    }
    targets[parameters[1].x + e] = value;
}
