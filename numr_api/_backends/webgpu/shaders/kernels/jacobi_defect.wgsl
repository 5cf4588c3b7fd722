// Makes (V V^H - I) / 2 of V V^H.

@compute @workgroup_size(THREADS)
fn main(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let number = id.y * groups.x * THREADS + id.x;
    if (number >= parameters[0].y) { return; }
    let count = parameters[0].z;
    let is_diagonal = number % count == (number / count) % count;
    let place = parameters[0].w + number;
    defect[place] = (defect[place] - from_real(select(R(0), R(1), is_diagonal))) * R(0.5);
}
