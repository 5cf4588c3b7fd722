// The best of all threads' candidates, by subgroups.

var<private> lane: u32;
var<private> part: u32;
var<private> size_of_parts: u32;
var<private> parts: u32;

fn best(own: Best, thread: u32) -> Best {
    let first = best_of_subgroup(own);
    if (lane == 0u) {
        keys[part] = first.key;
        places[part] = first.place;
    }
    workgroupBarrier();
    var found = Best(K(), NONE);
    for (var i = 0u; i < parts; i += size_of_parts) {
        if (i + lane < parts) {
            found = better_of(found, Best(keys[i + lane], places[i + lane]));
        }
    }
    return best_of_subgroup(found);
}

@compute @workgroup_size(THREADS)
fn main(
    @builtin(local_invocation_index) thread: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(subgroup_invocation_id) subgroup_lane: u32,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(subgroup_size) subgroup_size: u32,
    @builtin(num_subgroups) subgroups: u32,
) {
    lane = subgroup_lane;
    part = subgroup;
    size_of_parts = subgroup_size;
    parts = subgroups;
    factor_panel(thread, group.y * groups.x + group.x);
}
