// A Part of a row: two float64, 16 bytes.

alias Part = vec2<f64>;
alias Mask = vec2<bool>;

fn multiple(x: V, part: Part) -> Part {
    return x * part;
}

fn spread(x: V) -> Part {
    return Part(x);
}

fn mask_of(first: u32, chosen: u32) -> Mask {
    return vec2<u32>(first, first + 1u) == vec2<u32>(chosen);
}

fn element_of(part: Part, i: u32) -> V {
    return select(part.x, part.y, i == 1u);
}

fn with_element(part: Part, i: u32, x: V) -> Part {
    return select(part, Part(x), mask_of(0u, i));
}
