// Moves each tile's elements to where they belong. They are ordered by digit within the workgroup
// first, so that neighbouring threads write neighbouring places.
//
// A tile has parts, one of each subgroup, in which elements are ranked: ``rank`` tells how many
// elements of a part with the same digit come before.

const LANES = min(THREADS, 256u);  // threads that have digits
const DIGITS_EACH = 256u / LANES;

var<workgroup> sums: array<u32, PARTS>;
var<workgroup> starts: array<u32, 256>;  // of each digit in the ordered tile
var<workgroup> bases: array<u32, 256>;  // add an element's place in the ordered tile

fn move_tile(thread: u32, number: u32) {
    let p = pass_of_parameters();
    let row = number / p.tiles;
    let tile = number % p.tiles;
    let first = tile * TILE;
    let valid = min(TILE, p.length - first);
    let row_place = row * p.length;
    let source_place = p.source_place + row_place + first;
    clear_counts(thread);
    var values: array<V, ITEMS>;
    var places: array<u32, ITEMS>;
    for (var k = 0u; k < ITEMS; k++) {
        values[k] = source[source_place + min(item(k), valid - 1u)];
    }
    workgroupBarrier();
    for (var k = 0u; k < ITEMS; k++) {
        // Elements beyond the last one have the largest digit and stay behind it.
        let digit = select(255u, digit_of(values[k]), item(k) < valid);
        places[k] = (digit << 16u) | rank(digit);
    }
    workgroupBarrier();

    // Prefix sums of the tile's counts.
    var sum = 0u;
    var before: array<u32, DIGITS_EACH>;
    if (thread < LANES) {
        for (var k = 0u; k < DIGITS_EACH; k++) {
            before[k] = sum;
            sum += count_parts(thread * DIGITS_EACH + k);
        }
    }
    var all_before = sum_before(sum);
    if (thread < LANES) {
        for (var k = 0u; k < DIGITS_EACH; k++) {
            let digit = thread * DIGITS_EACH + k;
            let start = all_before + before[k];
            starts[digit] = start;
            bases[digit] = row_place;  // right if the row is one tile
            if (p.tiles > 1u) {
                bases[digit] =
                    counts[p.counts_place + (row * DIGITS + digit) * p.tiles + tile] - start;
            }
        }
    }
    workgroupBarrier();

    for (var k = 0u; k < ITEMS; k++) {
        let digit = places[k] >> 16u;
        places[k] = (places[k] & 0xffffu) + starts[digit] + start_of_part(digit);
    }
    workgroupBarrier();
    for (var k = 0u; k < ITEMS; k++) {
        put_word(places[k], select(digit_of(values[k]), word(values[k], 0u), WORDS == 1u));
    }
    workgroupBarrier();
    var targets: array<u32, ITEMS>;
    for (var k = 0u; k < ITEMS; k++) {
        let bits = word_at(k * THREADS + thread);
        var digit = bits;
        if (WORDS == 1u) {
            values[k] = with_word(values[k], 0u, bits);
            digit = digit_of(values[k]);
        }
        targets[k] = bases[digit & 255u] + k * THREADS + thread;
    }
    if (WORDS > 1u && (!ORDERED || p.is_last == 0u)) {
        for (var w = 0u; w < WORDS; w++) {
            workgroupBarrier();
            for (var k = 0u; k < ITEMS; k++) {
                put_word(places[k], word(values[k], w));
            }
            workgroupBarrier();
            for (var k = 0u; k < ITEMS; k++) {
                values[k] = with_word(values[k], w, word_at(k * THREADS + thread));
            }
        }
    }
    if (!ORDERED || p.is_last == 0u) {
        for (var k = 0u; k < ITEMS; k++) {
            if (k * THREADS + thread < valid) {
                target_values[p.target_place + targets[k]] = values[k];
            }
        }
    }
    if (ORDERED) {
        workgroupBarrier();
        for (var k = 0u; k < ITEMS; k++) {
            let i = item(k);
            var index = first + i;
            if (p.is_first == 0u) {
                index = order_source[
                    p.order_source_place + row_place + first + min(i, valid - 1u)];
            }
            put_word(places[k], index);
        }
        workgroupBarrier();
        for (var k = 0u; k < ITEMS; k++) {
            let i = k * THREADS + thread;
            if (i < valid) {
                put_index(p, targets[k], word_at(i));
            }
        }
    }
}
