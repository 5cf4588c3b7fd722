// What the kernels of a pass of the radix sort share. A pass orders rows by one digit of eight bits
// of their keys, and keeps the order of elements with equal digits. It counts digits and moves
// elements tile by tile.

const DIGITS = 256u;

struct Pass {
    source_place: u32,  // in elements
    target_place: u32,
    order_source_place: u32,
    order_target_place: u32,
    counts_place: u32,  // [row][digit][tile], first how many, then where the first one goes
    length: u32,  // of a row
    tiles: u32,  // of a row
    all_tiles: u32,  // of all rows
    digit: u32,  // which, from the least significant one on
    flip: u32,  // all ones if the largest come first
    is_first: u32,
    is_last: u32,
}

fn pass_of_parameters() -> Pass {
    return Pass(
        parameters[0].y, parameters[0].z, parameters[0].w, parameters[1].x,
        parameters[1].y, parameters[1].z, parameters[1].w, parameters[2].x,
        parameters[2].y, parameters[2].z, parameters[2].w, parameters[3].x);
}

fn digit_of(value: V) -> u32 {
    let digit = parameters[2].y;
    return extractBits(key_word(value, digit >> 2u) ^ parameters[2].z, (digit & 3u) * 8u, 8u);
}
