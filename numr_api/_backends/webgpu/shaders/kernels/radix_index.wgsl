// Writes where an element is from; in the last pass with 64 bits, of which the upper half is zero.
fn put_index(p: Pass, to: u32, index: u32) {
    if (p.is_last == 0u) {
        order_target[p.order_target_place + to] = index;
    } else {
        order_target[p.order_target_place + 2u * to] = index;
        order_target[p.order_target_place + 2u * to + 1u] = 0u;
    }
}
