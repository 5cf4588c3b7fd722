// Transforms of any short length whose factors are small: one kernel for all of them, since a
// driver that compiles for a processor takes longer to compile a kernel than to run it.
// Stages of the Stockham algorithm go from one half of the memory to the other. In a stage each
// thread adds up all that an element consists of, so that factors are any numbers; only for the most
// frequent one there is code of its own.

var<workgroup> memory: array<V, 2 * CAPACITY>;

fn radix_of(stage: u32) -> u32 {
    return parameters[7u + stage / 4u][stage % 4u];
}

@compute @workgroup_size(THREADS)
fn main(
    @builtin(local_invocation_index) thread: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let n = parameters[6].x;
    let together = parameters[6].y;
    let stages = parameters[6].z;
    let order = parameters[6].w;
    let first = (group.y * groups.x + group.x) * together;
    let transforms = parameters[0].y;
    if first >= transforms {
        return;
    }
    let here = min(together, transforms - first);
    let count = here * n;
    for (var i = thread; i < count; i += THREADS) {
        var row = i / n;
        var e = i % n;
        if (order & 1u) != 0u {
            row = i % here;
            e = i / here;
        }
        memory[row * n + e] = source_element(transform_at(first + row), e);
    }
    workgroupBarrier();
    var source = 0u;
    var span = 1u;  // length of the transforms that are done
    for (var stage = 0u; stage < stages; stage++) {
        let radix = radix_of(stage);
        let done = span * radix;
        let apart = n / radix;
        let unit = n / done;
        if radix == 4u {
            for (var i = thread; i < count / 4u; i += THREADS) {
                let b = i % apart;
                let row = (i - b) * 4u;
                let k = b % span;
                let from_place = source + row + b;
                let roots = parameters[4].x;
                let v0 = memory[from_place];
                let v1 = times(memory[from_place + apart], table[roots + k * unit]);
                let v2 = times(memory[from_place + 2u * apart], table[roots + 2u * k * unit]);
                let v3 = times(memory[from_place + 3u * apart], table[roots + 3u * k * unit]);
                let to_place = CAPACITY - source + row + (b - k) * 4u + k;
                let difference = v1 - v3;
                let turned = V(difference.y, -difference.x);
                memory[to_place] = (v0 + v2) + (v1 + v3);
                memory[to_place + span] = (v0 - v2) + turned;
                memory[to_place + 2u * span] = (v0 + v2) - (v1 + v3);
                memory[to_place + 3u * span] = (v0 - v2) - turned;
            }
        } else {
            for (var i = thread; i < count; i += THREADS) {
                let k = i % n;
                let o = k % done;
                let from_place = source + i - k + k / done * span + o % span;
                var sum = V();
                var part = memory[from_place];  // of a few elements, so that roundings add up less
                var turn = 0u;
                for (var j = 1u; j < radix; j++) {
                    turn += o;
                    turn -= select(0u, done, turn >= done);
                    let root = table[parameters[4].x + turn * unit];
                    if (j & 7u) == 0u {
                        sum += part;
                        part = V();
                    }
                    part += times(memory[from_place + j * apart], root);
                }
                memory[CAPACITY - source + i] = sum + part;
            }
        }
        workgroupBarrier();
        source = CAPACITY - source;
        span = done;
    }
    for (var i = thread; i < count; i += THREADS) {
        var row = i / n;
        var e = i % n;
        if (order & 2u) != 0u {
            row = i % here;
            e = i / here;
        }
        let t = transform_at(first + row);
        let value = memory[source + row * n + e];
        if flag(BETWEEN) {
            let part = parameters[4].w;
            let low = table[parameters[4].y + e % part * parameters[2].z + t.shift];
            let high = table[parameters[4].z + e / part * parameters[2].z + t.shift];
            store_between(t, e, times(value, times(low, high)));
        } else {
            store_last(t, e, value);
        }
    }
}
