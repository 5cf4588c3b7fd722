// Lays matrices out for Jacobi's method: row i of ``work`` is column i of the matrix, multiplied by
// a power of two so that the largest part of an element is about 1, and row i of the identity.
// Of a Hermitian matrix the lower triangle is read.

var<workgroup> parts: array<R, THREADS>;
var<workgroup> infinite: atomic<u32>;

fn element(place: u32, row: u32, column: u32) -> V {
    let down = parameters[1].x;
    let along = parameters[1].y;
    if (HERMITIAN) {
        let value = source[place + max(row, column) * down + min(row, column) * along];
        if (row == column) { return from_real(real_part(value)); }
        if (row < column) { return conjugate(value); }
        return value;
    }
    return source[place + row * down + column * along];
}

@compute @workgroup_size(THREADS)
fn main(
    @builtin(local_invocation_index) thread: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    opaque_zero = parameters[0].x;
    let matrix = group.y * groups.x + group.x;
    let matrices = parameters[0].w;
    if (matrix >= matrices) { return; }
    let source_place = parameters[0].y + matrix * parameters[0].z;
    let count = parameters[1].z;
    let inner = parameters[1].w;
    let line = parameters[2].x;
    let work_place = parameters[2].y + matrix * count * line;
    let state_place = parameters[2].z;
    let measures_place = parameters[2].w + 2u * matrix;
    if (thread == 0u) { atomicStore(&infinite, 0u); }
    workgroupBarrier();

    var most = R(0);
    for (var e = thread; e < count * inner; e += THREADS) {
        // In the order of memory.
        var row = e / count;
        var column = e % count;
        if (parameters[3].x == 0u) {
            column = e / inner;
            row = e % inner;
        }
        let value = element(source_place, row, column);
        if (is_finite(value)) {
            most = max(most, larger_part(value));
        } else {
            atomicStore(&infinite, 1u);
        }
    }
    parts[thread] = most;
    workgroupBarrier();
    for (var step = THREADS / 2u; step > 0u; step >>= 1u) {
        if (thread < step) { parts[thread] = max(parts[thread], parts[thread + step]); }
        workgroupBarrier();
    }
    let exponent = bounded_exponent(parts[0]);
    let scale = power_of_two(-exponent);
    let broken = atomicLoad(&infinite);
    workgroupBarrier();

    var total = R(0);
    for (var e = thread; e < count * line; e += THREADS) {
        let column = e / line;
        let row = e % line;
        var value = from_real(select(R(0), R(1), row == column + inner));
        if (broken != 0u) {
            value = from_real(R(0));
        } else if (row < inner) {
            value = element(source_place, row, column) * scale;
            total += size_squared(value);
        }
        work[work_place + e] = value;
    }
    parts[thread] = total;
    workgroupBarrier();
    for (var step = THREADS / 2u; step > 0u; step >>= 1u) {
        if (thread < step) { parts[thread] += parts[thread + step]; }
        workgroupBarrier();
    }
    if (thread == 0u) {
        measures[measures_place] = root(quotient(parts[0], R(count)));
        measures[measures_place + 1u] = power_of_two(exponent);
        atomicMax(&state[state_place], broken);
        atomicStore(&state[parameters[3].y + 3u * matrix], FIRST);
    }
}
