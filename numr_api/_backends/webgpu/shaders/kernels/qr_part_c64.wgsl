// A Part of a row: two complex64, 16 bytes.

alias Part = vec4<f32>;
alias Mask = vec4<bool>;

fn multiple(x: V, part: Part) -> Part {
    return Part(times(x, part.xy), times(x, part.zw));
}

fn spread(x: V) -> Part {
    return Part(x, x);
}

fn mask_of(first: u32, chosen: u32) -> Mask {
    return vec4<u32>(first, first, first + 1u, first + 1u) == vec4<u32>(chosen);
}

fn element_of(part: Part, i: u32) -> V {
    return select(part.xy, part.zw, i == 1u);
}

fn with_element(part: Part, i: u32, x: V) -> Part {
    return select(part, Part(x, x), mask_of(0u, i));
}
