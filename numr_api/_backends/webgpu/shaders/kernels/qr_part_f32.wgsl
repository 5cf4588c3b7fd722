// A Part of a row: four float32, 16 bytes.

alias Part = vec4<f32>;
alias Mask = vec4<bool>;

fn multiple(x: V, part: Part) -> Part {
    return x * part;
}

fn spread(x: V) -> Part {
    return Part(x);
}

fn mask_of(first: u32, chosen: u32) -> Mask {
    return vec4<u32>(first, first + 1u, first + 2u, first + 3u) == vec4<u32>(chosen);
}

fn element_of(part: Part, i: u32) -> V {
    return select(select(part.x, part.y, i == 1u), select(part.z, part.w, i == 3u), i >= 2u);
}

fn with_element(part: Part, i: u32, x: V) -> Part {
    return select(part, Part(x), mask_of(0u, i));
}
