// Ranks with subgroups, which are the parts: eight votes tell each thread which others have its
// digit. D. Merrill, A. Grimshaw, High performance and scalable radix sorting, 2011; A. Adinets,
// D. Merrill, Onesweep, arXiv:2206.01784.

var<private> lane: u32;
var<private> part: u32;
var<private> width: u32;
var<private> parts: u32;
// Counts by part and digit, then words of the ordered tile.
var<workgroup> memory: array<atomic<u32>, max(PARTS * 256u, TILE)>;

// wgpu does not see to it that workgroup memory begins as zeros.
fn clear_counts(thread: u32) {
    for (var i = thread; i < PARTS * DIGITS; i += THREADS) {
        atomicStore(&memory[i], 0u);
    }
}

fn item(k: u32) -> u32 {
    return (part * ITEMS + k) * width + lane;
}

fn rank(digit: u32) -> u32 {
    var peers = voted(true);
    for (var bit = 0u; bit < 8u; bit++) {
        let has = ((digit >> bit) & 1u) != 0u;
        let vote = voted(has);
        peers &= select(~vote, vote, has);
    }
    let lower = count_bits(peers & lanes_below(lane));
    var before = 0u;
    if (lower == 0u) {
        before = atomicAdd(&memory[part * DIGITS + digit], count_bits(peers));
    }
    return subgroupShuffle(before, first_bit(peers)) + lower;
}

// How many there are of a digit; replaces the counts of parts by those of the parts before.
fn count_parts(digit: u32) -> u32 {
    var sum = 0u;
    for (var i = 0u; i < parts; i++) {
        let count = atomicLoad(&memory[i * DIGITS + digit]);
        atomicStore(&memory[i * DIGITS + digit], sum);
        sum += count;
    }
    return sum;
}

fn start_of_part(digit: u32) -> u32 {
    return atomicLoad(&memory[part * DIGITS + digit]);
}

fn put_word(place: u32, bits: u32) {
    atomicStore(&memory[place], bits);
}

fn word_at(place: u32) -> u32 {
    return atomicLoad(&memory[place]);
}

// The sum of the values of the threads before this one.
fn sum_before(value: u32) -> u32 {
    var before = subgroupExclusiveAdd(value);
    if (lane == width - 1u) {
        sums[part] = before + value;
    }
    workgroupBarrier();
    for (var i = 0u; i < part; i++) {
        before += sums[i];
    }
    return before;
}

@compute @workgroup_size(THREADS)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(subgroup_invocation_id) subgroup_lane: u32,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(subgroup_size) subgroup_size: u32,
    @builtin(num_subgroups) subgroups: u32,
) {
    lane = subgroup_lane;
    part = subgroup;
    width = subgroup_size;
    parts = subgroups;
    let number = group.y * groups.x + group.x;
    if (number < parameters[2].x) {
        // Nothing promises that numbers of threads follow those of subgroups.
        move_tile(part * width + lane, number);
    }
}
