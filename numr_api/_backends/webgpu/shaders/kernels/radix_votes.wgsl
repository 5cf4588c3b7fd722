// Sets of threads of subgroups of up to 32.

fn voted(has: bool) -> u32 {
    return subgroupBallot(has).x;
}

fn lanes_below(number: u32) -> u32 {
    return (1u << number) - 1u;
}

fn count_bits(lanes: u32) -> u32 {
    return countOneBits(lanes);
}

fn first_bit(lanes: u32) -> u32 {
    return countTrailingZeros(lanes);
}
