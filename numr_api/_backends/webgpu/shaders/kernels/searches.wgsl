// Order of elements by their keys, and places in sorted arrays.

fn is_less(x: V, y: V) -> bool {
    for (var w = KEY_WORDS; w > 0u; w--) {
        let x_word = key_word(x, w - 1u);
        let y_word = key_word(y, w - 1u);
        if (x_word != y_word) {
            return x_word < y_word;
        }
    }
    return false;
}

// NaN equals nothing.
fn is_same(x: V, y: V) -> bool {
    return !is_less(x, y) && !is_less(y, x) && !is_nan(x);
}
