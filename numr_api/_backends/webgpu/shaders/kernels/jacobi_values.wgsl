// The value that belongs to a row after Jacobi's method, and the length of its part of V: of
// singular values the length of its part of G, of eigenvalues Rayleigh's quotient.

var<workgroup> sums: array<vec2<R>, THREADS>;

@compute @workgroup_size(THREADS)
fn main(
    @builtin(local_invocation_index) thread: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    opaque_zero = parameters[0].x;
    let row = group.y * groups.x + group.x;
    if (row >= parameters[0].y) { return; }
    let place = parameters[0].z + row * parameters[0].w;
    let inner = parameters[1].x;
    let turned_place = parameters[1].y + row * parameters[1].z;
    let turned_length = parameters[1].w;
    let values_place = parameters[2].x;
    var sum = vec2<R>(R(0), R(0));
    for (var e = thread; e < max(inner, turned_length); e += THREADS) {
        if (GRAM) {
            if (e < inner) { sum.x += size_squared(work[place + e]); }
        } else {
            sum.x += real_part(times(conjugate(turned[turned_place + e]), work[place + e]));
        }
        if (e < turned_length) { sum.y += size_squared(turned[turned_place + e]); }
    }
    sums[thread] = sum;
    workgroupBarrier();
    for (var step = THREADS / 2u; step > 0u; step >>= 1u) {
        if (thread < step) { sums[thread] += sums[thread + step]; }
        workgroupBarrier();
    }
    if (thread == 0u) {
        sum = sums[0];
        values[values_place + 2u * row] = select(quotient(sum.x, sum.y), root(sum.x), GRAM);
        values[values_place + 2u * row + 1u] = root(sum.y);
    }
}
