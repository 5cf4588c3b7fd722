// Sets of threads of subgroups of up to 64.

fn voted(has: bool) -> vec2<u32> {
    return subgroupBallot(has).xy;
}

fn lanes_below(number: u32) -> vec2<u32> {
    let below = (1u << (number & 31u)) - 1u;
    return select(vec2<u32>(below, 0u), vec2<u32>(0xffffffffu, below), number >= 32u);
}

fn count_bits(lanes: vec2<u32>) -> u32 {
    return countOneBits(lanes.x) + countOneBits(lanes.y);
}

fn first_bit(lanes: vec2<u32>) -> u32 {
    return select(countTrailingZeros(lanes.x), 32u + countTrailingZeros(lanes.y), lanes.x == 0u);
}
