// A round of Jacobi's method for the rows of matrices that lie in ``work``: a row is a column of G,
// ``inner`` elements, and behind it one of the unitary V that G was multiplied by. A workgroup takes
// two blocks of rows, computes their products with each other, rotates these until each row has met
// each of the other block (in the first round of a sweep, of both blocks), and multiplies the rows
// by what that amounts to. A matrix of two blocks has one round, which is repeated until it does
// nothing.
//
// A rotation by a large angle of columns with nearly the same value mixes what they have left to
// lose to others, and multiple eigenvalues then take dozens of sweeps. What is left between such
// columns is about the square of what is left between others, so these are rotated first: of each
// sweep the largest element is kept, and elements far below that are left alone where they would
// take a large angle (thresholds: J. H. Wilkinson, The Algebraic Eigenvalue Problem, 1965, ch. 5).
//
// A rotation takes x - (conj(s) y + k x) and y + (s x - k y) for columns x and y, where k is
// 1 - cos (H. Rutishauser, Numer. Math. 9, 1966): hundreds of them keep lengths to a few roundings.

const HALF = ROWS / 2u;
const PAIRS = CHUNK / 2u;
const SMALL_ANGLE = R(0.01);
const STRIDE = ROWS + 1u;  // of products, so that their columns lie in different banks as well
var<workgroup> products: array<V, ROWS * STRIDE>;
var<workgroup> turned: array<V, TURNED>;  // the unitary; before, a tile of V
var<workgroup> tile: array<V, ROWS * PITCH>;
var<workgroup> pairs: array<vec2<u32>, HALF>;
var<workgroup> sines: array<V, HALF>;
var<workgroup> losses: array<R, HALF>;
var<workgroup> level: atomic<u32>;  // the bits of the largest element, 1 where it is a rounding
var<workgroup> moved: atomic<u32>;  // whether anything was rotated
var<workgroup> running: u32;
var<private> reached: f32;  // of level, by this thread
var<private> rotated: u32;  // of moved
var<private> small: R;  // what may be left for later sweeps, as a part of the largest values
var<private> first_rows: vec2<u32>;  // of the two blocks in the matrix

fn left_of(place: u32) -> V {
    if (GRAM) { return tile[place]; }
    return turned[place];
}

fn wrapped(place: u32, length: u32) -> u32 {
    return select(place, place - length, place >= length);
}

// The pair that meets in a step of a tournament of so many, which is even, where each meets each.
fn meeting(step: u32, number: u32, players: u32) -> vec2<u32> {
    let others = players - 1u;
    if (number == 0u) { return vec2<u32>(step, others); }
    return vec2<u32>(wrapped(step + number, others), wrapped(step + others - number, others));
}

fn choose(k: u32, rms: R) {
    let p = pairs[k].x;
    let q = pairs[k].y;
    let a = real_part(products[p * STRIDE + p]);
    let d = real_part(products[q * STRIDE + q]);
    let h = products[p * STRIDE + q];
    let distance = size(h);
    var limit = max(abs(a), abs(d));
    var later = small;
    if (GRAM) {
        let longer = sqrt(max(limit, R(0)));
        later *= longer * sqrt(max(min(a, d), R(0)));
        limit = longer * max(rms, longer);
    } else {
        limit = max(rms, limit);
        later *= limit;
    }
    limit *= ROTATED;
    sines[k] = from_real(R(0));
    losses[k] = R(0);
    if (distance > limit) {
        reached = max(reached, f32(distance / limit));
        if (distance < later && distance > SMALL_ANGLE * abs(d - a)) { return; }
        rotated = 1u;
        // What the angle lacks, the next sweep makes good; that cosine and sine belong together
        // matters.
        let zeta = (d - a) / (R(2) * distance);
        let sharp = R(1) / (abs(zeta) + sqrt(R(1) + zeta * zeta));
        let tangent = select(sharp, -sharp, zeta < R(0));
        let cosine = quotient(R(1), root(R(1) + tangent * tangent));
        let sine = cosine * tangent;
        sines[k] = h * (sine / distance);
        losses[k] = sine * sine / (R(1) + cosine);
    }
}

// What may be left for later sweeps where the largest element was this one, by its bits.
fn left_for_later(bits: u32) -> R {
    let largest = R(bitcast<f32>(bits)) * ROTATED;
    if (largest > R(1)) { return R(0); }  // nothing is known yet
    return min(largest * R(0.01), max(R(10) * largest * largest, R(16) * ROTATED));
}

fn rotate_products(first: u32, second: u32) {
    let rows = pairs[first];
    let columns = pairs[second];
    let upper = rows.x * STRIDE;
    let lower = rows.y * STRIDE;
    var a = products[upper + columns.x];
    var b = products[upper + columns.y];
    var c = products[lower + columns.x];
    var d = products[lower + columns.y];
    let s = sines[second];
    let k = losses[second];
    let a1 = a - (times(conjugate(s), b) + a * k);
    let b1 = b + (times(s, a) - b * k);
    let c1 = c - (times(conjugate(s), d) + c * k);
    let d1 = d + (times(s, c) - d * k);
    let z = sines[first];
    let m = losses[first];
    a = a1 - (times(z, c1) + a1 * m);
    b = b1 - (times(z, d1) + b1 * m);
    c = c1 + (times(conjugate(z), a1) - c1 * m);
    d = d1 + (times(conjugate(z), b1) - d1 * m);
    products[upper + columns.x] = a;
    products[upper + columns.y] = b;
    products[lower + columns.x] = c;
    products[lower + columns.y] = d;
    if (first != second) {
        products[columns.x * STRIDE + rows.x] = conjugate(a);
        products[columns.y * STRIDE + rows.x] = conjugate(b);
        products[columns.x * STRIDE + rows.y] = conjugate(c);
        products[columns.y * STRIDE + rows.y] = conjugate(d);
    }
}

fn rotate_turned(row: u32, pair: u32) {
    let x_place = row * ROWS + pairs[pair].x;
    let y_place = row * ROWS + pairs[pair].y;
    let x = turned[x_place];
    let y = turned[y_place];
    let s = sines[pair];
    let k = losses[pair];
    turned[x_place] = x - (times(conjugate(s), y) + x * k);
    turned[y_place] = y + (times(s, x) - y * k);
}

// The row of the matrix that is row r of the two blocks.
fn row_of(r: u32) -> u32 {
    let half = parameters[1].z;
    return select(first_rows.x + r, first_rows.y + r - half, r >= half);
}

fn put(r: u32, place: u32, first: V, second: V, is_second: bool) {
    let row = row_of(r);
    if (r < 2u * parameters[1].z && row < parameters[0].w) {
        let at = place + row * parameters[0].z;
        work[at] = first;
        if (is_second) { work[at + PAIRS] = second; }
    }
}

@compute @workgroup_size(THREADS)
fn main(
    @builtin(local_invocation_index) thread: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    opaque_zero = parameters[0].x;
    let line = parameters[0].z;  // elements of a row
    let count = parameters[0].w;  // rows of a matrix
    let inner = parameters[1].x;
    let blocks = parameters[1].y;
    let half = parameters[1].z;  // rows of a block
    let round = parameters[1].w;
    let turns = parameters[2].x;
    let matrices = parameters[2].y;
    let now = parameters[2].z;  // the word of this sweep in ``state``, and of all matrices
    let levels_place = parameters[2].w;  // three words of each matrix, for sweeps in turn
    let measures_place = parameters[3].x;
    let shift = parameters[3].y;  // 2^shift is half or a little more
    let mask = (1u << shift) - 1u;
    let sweep = parameters[3].z;

    let number = group.y * groups.x + group.x;
    let matrix = number / (blocks >> 1u);
    if (matrix >= matrices) { return; }
    let met = meeting(round, number % (blocks >> 1u), blocks);
    first_rows = vec2<u32>(min(met.x, met.y), max(met.x, met.y)) * half;
    if (round > 0u && first_rows.y >= count) { return; }
    let height = 2u * half;
    let work_place = parameters[0].y + matrix * count * line;
    let rms = measures[measures_place + 2u * matrix];
    let levels = levels_place + 3u * matrix;
    if (thread == 0u && round == 0u) { atomicStore(&state[levels + (sweep + 2u) % 3u], 0u); }

    for (var turn = 0u; turn < turns; turn++) {
        if (thread == 0u) {
            running = atomicLoad(&level);
            if (turn == 0u) { running = atomicLoad(&state[levels + sweep % 3u]); }
            atomicStore(&level, 0u);
            atomicStore(&moved, 0u);
        }
        let last = workgroupUniformLoad(&running);
        if (last < NEEDED) { break; }
        small = left_for_later(last);

        for (var e = thread; e < height * STRIDE; e += THREADS) {
            products[e] = from_real(R(0));
        }
        for (var start = 0u; start < inner; start += CHUNK) {
            for (var e = thread; e < height * CHUNK; e += THREADS) {
                let r = e / CHUNK;
                let c = e % CHUNK;
                let row = row_of(r);
                var value = from_real(R(0));
                var left = value;
                if (row < count && start + c < inner) {
                    let place = work_place + row * line + start + c;
                    value = work[place];
                    if (!GRAM) { left = work[place + inner]; }
                }
                tile[r * PITCH + c] = value;
                if (!GRAM) { turned[r * PITCH + c] = left; }
            }
            workgroupBarrier();
            let filled = min(CHUNK, inner - start);
            for (var e = thread; e < half * half; e += THREADS) {
                let i = 2u * (e / half);
                let j = 2u * (e % half);
                if (i > j) { continue; }
                var aa = from_real(R(0));
                var ab = aa;
                var ba = aa;
                var bb = aa;
                for (var c = 0u; c < filled; c++) {
                    let a = conjugate(left_of(i * PITCH + c));
                    let b = conjugate(left_of((i + 1u) * PITCH + c));
                    let x = tile[j * PITCH + c];
                    let y = tile[(j + 1u) * PITCH + c];
                    aa += times(a, x);
                    ab += times(a, y);
                    ba += times(b, x);
                    bb += times(b, y);
                }
                products[i * STRIDE + j] += aa;
                products[i * STRIDE + j + 1u] += ab;
                products[(i + 1u) * STRIDE + j] += ba;
                products[(i + 1u) * STRIDE + j + 1u] += bb;
            }
            workgroupBarrier();
        }
        for (var e = thread; e < height * height; e += THREADS) {
            let i = e / height;
            let j = e % height;
            if (i < j) { products[j * STRIDE + i] = conjugate(products[i * STRIDE + j]); }
            turned[i * ROWS + j] = from_real(select(R(0), R(1), i == j));
        }
        workgroupBarrier();

        reached = 0.0;
        rotated = 0u;
        let steps = select(half, height - 1u, round == 0u);
        for (var step = 0u; step < steps; step++) {
            for (var k = thread; k < half; k += THREADS) {
                if (round == 0u) {
                    pairs[k] = meeting(step, k, height);
                } else {
                    pairs[k] = vec2<u32>(k, half + wrapped(k + step, half));
                }
                choose(k, rms);
            }
            workgroupBarrier();
            for (var e = thread; e < half << shift; e += THREADS) {
                let first = e >> shift;
                let second = e & mask;
                if (first <= second && second < half) { rotate_products(first, second); }
            }
            for (var e = thread; e < height << shift; e += THREADS) {
                if ((e & mask) < half) { rotate_turned(e >> shift, e & mask); }
            }
            workgroupBarrier();
        }
        atomicMax(&level, bitcast<u32>(reached));
        atomicMax(&moved, rotated);
        workgroupBarrier();
        if (thread == 0u) { running = atomicLoad(&moved); }
        if (workgroupUniformLoad(&running) == 0u) { continue; }

        for (var start = 0u; start < line; start += CHUNK) {
            for (var e = thread; e < height * CHUNK; e += THREADS) {
                let r = e / CHUNK;
                let c = e % CHUNK;
                let row = row_of(r);
                if (row < count && start + c < line) {
                    tile[r * PITCH + c] = work[work_place + row * line + start + c];
                } else {
                    tile[r * PITCH + c] = from_real(R(0));
                }
            }
            workgroupBarrier();
            for (var e = thread; e < ((height + 3u) / 4u) * PAIRS; e += THREADS) {
                let j = 4u * (e / PAIRS);
                let c = e % PAIRS;
                if (start + c >= line) { continue; }
                var a0 = from_real(R(0));
                var a1 = a0;
                var a2 = a0;
                var a3 = a0;
                var b0 = a0;
                var b1 = a0;
                var b2 = a0;
                var b3 = a0;
                for (var i = 0u; i < height; i++) {
                    let a = tile[i * PITCH + c];
                    let b = tile[i * PITCH + c + PAIRS];
                    let u0 = turned[i * ROWS + j];
                    let u1 = turned[i * ROWS + j + 1u];
                    let u2 = turned[i * ROWS + j + 2u];
                    let u3 = turned[i * ROWS + j + 3u];
                    a0 += times(u0, a);
                    a1 += times(u1, a);
                    a2 += times(u2, a);
                    a3 += times(u3, a);
                    b0 += times(u0, b);
                    b1 += times(u1, b);
                    b2 += times(u2, b);
                    b3 += times(u3, b);
                }
                let is_second = start + c + PAIRS < line;
                let place = work_place + start + c;
                put(j, place, a0, b0, is_second);
                put(j + 1u, place, a1, b1, is_second);
                put(j + 2u, place, a2, b2, is_second);
                put(j + 3u, place, a3, b3, is_second);
            }
            storageBarrier();
            workgroupBarrier();
        }
    }
    if (thread == 0u) {
        let reached_here = atomicLoad(&level);
        atomicMax(&state[now], reached_here);
        atomicMax(&state[levels + (sweep + 1u) % 3u], reached_here);
    }
}
