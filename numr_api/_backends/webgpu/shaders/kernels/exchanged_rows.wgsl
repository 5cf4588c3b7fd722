// Rows of right-hand sides in another order.

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
    let columns = parameters[0].w;
    let matrix = e / (n * columns);
    let row = e / columns % n;
    let origin = indices[parameters[1].z + matrix * parameters[1].w + row];
    let source_place = parameters[1].x + matrix * parameters[1].y;
    targets[parameters[2].x + e] = sources[source_place + origin * columns + e % columns];
}
