// What all kernels of Fourier transforms share: where the elements of a transform come from, and
// where they go. The parameters are those of ``Words`` in fourier_kernels.py.
//
// A kernel computes many short transforms. Those of a pass of a long transform take elements that
// are ``logical step`` apart; the index along the long axis, of which lengths are cropped or padded
// and factors are counted, is called logical.
//
// Parameters, by vectors of four words:
// 0: zero; how many transforms; places of the output and of the input
// 1: steps of the axis in the input and in the output; logical step of the input; whether the shift
//    counts for the input
// 2: logical step of the output; none; how many shifts there are; length of the whole transform
// 3: elements of the input that there are, and of the output that are wanted; flags; the last axis
// 4: places in the table of roots between stages and between passes, low and high; how many low ones
// 5: places in the table of the factors of the input and of the output; scale
// Then, for each axis of the loop over transforms, the innermost first: its length, its steps in the
// input and in the output, and in the shift.

fn times(a: V, b: V) -> V {
    return V(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

fn flag(bit: u32) -> bool {
    return (parameters[3].z & bit) != 0u;
}

struct Transform {
    input: u32,  // where logical index 0 is
    output: u32,
    shift: u32,  // of the logical indices: the number of the transform within the long one
}

fn transform_at(number: u32) -> Transform {
    var found = Transform(parameters[0].w, parameters[0].z, 0u);
    var rest = number;
    let last = parameters[3].w;
    for (var axis = 0u; axis <= last; axis++) {
        let row = parameters[FIRST_AXIS + axis];
        var i = rest;
        if axis != last {
            rest /= row.x;
            i -= rest * row.x;
        }
        found.input += i * row.y;
        found.output += i * row.z;
        found.shift += i * row.w;
    }
    return found;
}

// A transform of conjugates is the conjugate of the inverse.
fn sign(bit: u32) -> R {
    return select(R(1), R(-1), flag(bit));
}

fn scales() -> V {
    return V(scale(), scale() * sign(CONJUGATE_LAST));
}

// Element ``e`` of a transform, zero beyond the end of the data.
fn source_element(t: Transform, e: u32) -> V {
    let logical = e * parameters[1].z + t.shift * parameters[1].w;
    let whole = parameters[2].w;
    // The second half of a Hermitian axis are the conjugates of the first.
    let mirrored = is_mirrored() && 2u * logical > whole;
    let index = select(logical, whole - logical, mirrored);
    var value = V();
    if !is_padded() || (index < parameters[3].x && logical < whole) {
        value = element(t.input + index * parameters[1].x);
        if is_mirrored() {
            if logical == 0u || 2u * logical == whole {
                value.y = R(0);
            }
            if mirrored {
                value.y = -value.y;
            }
        }
        value.y *= sign(CONJUGATE_FIRST);
        if has_input_factor() {
            value = times(value, table[parameters[5].x + logical]);
        }
    }
    return value;
}

// Store element ``e`` of a transform that is not the last pass of a long one.
fn store_between(t: Transform, e: u32, value: V) {
    put(t.output + (e * parameters[2].x + t.shift) * parameters[1].y, value);
}

// Store element ``e`` of a transform unless it is beyond the end of the result.
fn store_last(t: Transform, e: u32, transformed: V) {
    let logical = e * parameters[2].x + t.shift;
    if is_limited() && logical >= parameters[3].y {
        return;
    }
    var value = transformed;
    if has_output_factor() {
        value.y *= sign(CONJUGATE_SECOND);
        value = times(value, table[parameters[5].y + logical]);
    }
    value *= scales();
    if is_half() && (logical == 0u || 2u * logical == parameters[2].w) {
        value.y = R(0);
    }
    put(t.output + logical * parameters[1].y, value);
}
