// Indices as they are given, counted from either end of an axis, as places on it; a number that is
// not below the length stands for those out of bounds. Integers of 64 bits are read as pairs.

fn wrapped_i32(index: i32, length: u32) -> u32 {
    return bitcast<u32>(index) + select(0u, length, index < 0);
}

fn wrapped_u32(index: u32, length: u32) -> u32 {
    return index;
}

fn wrapped_i64(index: vec2<u32>, length: u32) -> u32 {
    // From -length on, adding the length carries out of the low word.
    let counted = index.x + length;
    let from_end = index.y == 0xffffffffu && counted < length;
    return select(select(0xffffffffu, index.x, index.y == 0u), counted, from_end);
}

fn wrapped_u64(index: vec2<u32>, length: u32) -> u32 {
    return select(0xffffffffu, index.x, index.y == 0u);
}
