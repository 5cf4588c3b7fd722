// The best of all threads' candidates, by workgroup memory.

fn best(own: Best, thread: u32) -> Best {
    keys[thread] = own.key;
    places[thread] = own.place;
    workgroupBarrier();
    if (thread < LANES) {
        var found = own;
        for (var i = thread + LANES; i < THREADS; i += LANES) {
            found = better_of(found, Best(keys[i], places[i]));
        }
        keys[thread] = found.key;
        places[thread] = found.place;
    }
    workgroupBarrier();
    var found = Best(keys[0], places[0]);
    for (var i = 1u; i < LANES; i++) {
        found = better_of(found, Best(keys[i], places[i]));
    }
    return found;
}

@compute @workgroup_size(THREADS)
fn main(
    @builtin(local_invocation_index) thread: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    factor_panel(thread, group.y * groups.x + group.x);
}
