// How many elements of the sorted array are less than a value, or not greater than it.
fn bound(place: u32, count: u32, value: V, is_right: bool) -> u32 {
    var low = 0u;
    var high = count;
    while (low < high) {
        let middle = low + ((high - low) >> 1u);
        let other = sorted[place + middle];
        if (select(is_less(other, value), !is_less(value, other), is_right)) {
            low = middle + 1u;
        } else {
            high = middle;
        }
    }
    return low;
}
