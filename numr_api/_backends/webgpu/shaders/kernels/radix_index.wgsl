// Writes where an element is from; in the last pass with 64 bits, of which the upper half is zero.
fn put_index(p: Pass, to: u32, index: u32) {
    if (p.is_last == 0u) {
        order_target[p.order_target_place + to] = index;
    } else {
        last_order[p.order_target_place + to] = vec2<u32>(index, 0u);
    }
}
