// A Part of a row: a single element.

alias Part = V;
alias Mask = bool;

fn multiple(x: V, part: Part) -> Part {
    return times(x, part);
}

fn spread(x: V) -> Part {
    return x;
}

fn mask_of(first: u32, chosen: u32) -> Mask {
    return first == chosen;
}

fn element_of(part: Part, i: u32) -> V {
    return part;
}

fn with_element(part: Part, i: u32, x: V) -> Part {
    return x;
}
