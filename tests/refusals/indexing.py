"""Refusals of indexing, assignment, and functions that select by indices."""

from __future__ import annotations

from refusals import Row

KINDS = "indexing: an index must be an integer, a slice, '...', None or an array of integers or"

KEYS = [
    Row("f64[1.0]", IndexError, f"{KINDS} booleans, got float 1.0"),
    Row("f64['a']", IndexError, f"{KINDS} booleans, got str 'a'"),
    Row("f64[[0, 1]]", IndexError, f"{KINDS} booleans, got list [0, 1]"),
    Row("f64[np.asarray([0, 1])]", IndexError, f"{KINDS} ... numpy.ndarray; convert it"),
    Row("f64[np.asarray(1)]", IndexError, f"{KINDS} ... numpy.ndarray; convert it"),
    Row("f64[np.float64(1)]", IndexError, f"{KINDS} booleans, got float64"),
    Row("f64[True]", IndexError, f"{KINDS} booleans, got bool True"),
    Row("f64[np.True_]", IndexError, f"{KINDS} booleans, got bool"),
    Row("f64[{}]", IndexError, f"{KINDS} booleans, got dict"),
    Row("m[range(2), 0]", IndexError, f"{KINDS} booleans, got range"),
    Row("m[0, 'a']", IndexError, f"{KINDS} booleans, got str 'a'"),
    Row("f64[zf]", IndexError, "indexing: index arrays must be integer or boolean, got float64"),
    Row("f64[c128]", IndexError, "indexing: index arrays must be integer or boolean, got complex"),
    Row("m[0]", IndexError, "indexing: 1 indices for 2 axes; give one for each axis, or '...'"),
    Row("m[0:1]", IndexError, "indexing: 1 indices for 2 axes"),
    Row("m[0, 1, 2]", IndexError, "indexing: 3 indices for 2 axes"),
    Row("m[0, 0, ..., 0]", IndexError, "indexing: 3 indices for 2 axes"),
    Row("zf[0]", IndexError, "indexing: 1 indices for 0 axes"),
    Row("zf[:]", IndexError, "indexing: 1 indices for 0 axes"),
    Row("m[..., ...]", IndexError, "indexing: more than one ellipsis"),
    Row("f64[3]", IndexError, "indexing: index 3 is out of bounds for axis 0 of length 3"),
    Row("f64[-4]", IndexError, "indexing: index -4 is out of bounds for axis 0 of length 3"),
    Row("m[0, 3]", IndexError, "indexing: index 3 is out of bounds for axis 1 of length 3"),
    Row("m[2, ...]", IndexError, "indexing: index 2 is out of bounds for axis 0 of length 2"),
    Row("none[0]", IndexError, "indexing: index 0 is out of bounds for axis 0 of length 0"),
    Row("f64[2**70]", IndexError, "indexing: index 1180591620717411303424 is out of bounds"),
    Row("f64[::0]", IndexError, "indexing: the step of a slice cannot be 0"),
    Row("f64[0.0:2]", IndexError, "indexing: the parts of a slice must be integers, got slice(0.0"),
    Row("f64[:'a']", IndexError, "indexing: the parts of a slice must be integers"),
]

MASKS = [
    Row("f64[mask]", IndexError, "indexing: a mask of shape (2,) does not fit ... (3,)"),
    Row("m[b]", IndexError, "indexing: a mask of shape (3,) does not fit ... (2, 3)"),
    Row("zf[b]", IndexError, "indexing: a mask of shape (3,) has more axes than ... ()"),
    Row("m[mask, :]", IndexError, "indexing: a boolean array must be the only index"),
    Row("m[mask, 0]", IndexError, "indexing: a boolean array must be the only index"),
    Row("m[mask, i64]", IndexError, "indexing: a boolean array must be the only index"),
    Row("f64[b, ...]", IndexError, "indexing: a boolean array must be the only index"),
]

INTEGER_ARRAYS = [
    Row("m[i64]", IndexError, "indexing: 1 index arrays or integers for 2 axes; give one each"),
    Row("zf[i64]", IndexError, "indexing: 1 index arrays or integers for 0 axes"),
    Row("m[i64, :]", IndexError, "indexing: integer arrays ... got slice ... use take"),
    Row("m[..., i64]", IndexError, "indexing: integer arrays can be combined with integers only"),
    Row("m[i64, None]", IndexError, "indexing: integer arrays ... got NoneType None"),
    Row("m[i64[:2], i64]", ValueError, "indexing: shapes (2,), (3,) cannot be broadcast"),
    Row("m[i64[:1], 5]", IndexError, "indexing: index 5 is out of bounds for axis 1 of length 3"),
    Row("m[i64, 0]", IndexError, "indexing: index 2 is out of bounds for axis 0"),
    Row("f64[i64]", IndexError, "indexing: index 3 is out of bounds for axis 0"),
    Row("f64[-2 - i64]", IndexError, "indexing: index -4 is out of bounds for axis 0"),
]

ASSIGNMENT = [
    Row("f64[i64 - 1] = 1.0", IndexError, "assignment: integer arrays cannot select ... mask"),
    Row("m[:, i64] = 1.0", IndexError, "assignment: integer arrays"),
    Row("f64[None, :] = 1.0", IndexError, "assignment: None (newaxis) cannot be assigned to"),
    Row("f64[5] = 1.0", IndexError, "assignment: index 5 is out of bounds for axis 0 of length 3"),
    Row("m[0] = 1.0", IndexError, "assignment: 1 indices for 2 axes"),
    Row("f64[..., ...] = 0.0", IndexError, "assignment: more than one ellipsis"),
    Row("f64[1.0] = 1.0", IndexError, "assignment: an index must be ... got float 1.0"),
    Row("f64[True] = 1.0", IndexError, "assignment: an index must be ... got bool True"),
    Row("f64[mask] = 1.0", IndexError, "assignment: a mask of shape (2,) does not fit"),
    Row("f64[0] = 1j", TypeError, "assignment: a complex value does not fit the array's float64"),
    Row("f64[0] = c128[0]", TypeError, "assignment: complex128 does not promote ... float64"),
    Row("f64[b] = 1j", TypeError, "assignment: a complex value does not fit the array's float64"),
    Row(
        "f32[0] = f64[0]", TypeError, "assignment: float64 does not promote ... float32 ... astype"
    ),
    Row("i8[:] = i64", TypeError, "assignment: int64 does not promote to the array's int8"),
    Row("f64[b] = i64[:2]", TypeError, "assignment: int64 does not promote ... float64"),
    Row("b[0] = i64[0]", TypeError, "assignment: int64 does not promote to the array's bool"),
    Row("i64[0] = 1.5", TypeError, "assignment: a Python float (1.5) does not mix with int64"),
    Row("b[0] = 1", TypeError, "assignment: a Python int (1) does not mix with bool"),
    Row("f64[0] = True", TypeError, "assignment: a Python bool (True) does not mix"),
    Row("f64[0] = 'a'", TypeError, "assignment: expected ... array or a Python scalar ... 'a'"),
    Row("f64[:] = None", TypeError, "assignment: expected ... got NoneType None"),
    Row("f64[:] = [1.0, 2.0, 3.0]", TypeError, "assignment: expected ... got list [1.0"),
    Row("f64[:] = np.ones(3)", TypeError, "assignment: expected ... numpy.ndarray; convert it"),
    Row("wide[0] = 'a'", TypeError, "assignment: expected ... got str 'a'"),
    Row("i8[0] = 200", OverflowError, "assignment: 200 is out of range of int8 (-128 to 127)"),
    Row("u8[0] = -1", OverflowError, "assignment: -1 is out of range of uint8"),
    Row("f32[0] = 10**400", OverflowError, "assignment: an int too large for float32"),
    Row("f64[:] = two", ValueError, "assignment: shapes (3,), (2,) cannot be broadcast together"),
    Row("f64[0] = f64", ValueError, "assignment: the value's shape (3,) does not broadcast to ()"),
    Row("f64[0] = f64[:1]", ValueError, "assignment: the value's shape (1,) ... to ()"),
    Row("f64[b] = f64", ValueError, "assignment: shapes (2,), (3,) cannot be broadcast together"),
]

FUNCTIONS = [
    Row("xp.take(f64, f64)", TypeError, "take (indices): needs an integer dtype, got float64"),
    Row("xp.take(f64, [0, 1])", TypeError, "take (indices): expected ... got list [0, 1]"),
    Row("xp.take(f64, 0)", TypeError, "take (indices): expected a numr_api array, got int 0"),
    Row("xp.take(f64, i64)", IndexError, "take: index 3 is out of bounds for axis 0"),
    Row("xp.take(m, i64)", ValueError, "take: axis must be given for an array of 2 axes"),
    Row("xp.take(m, i64, axis=2)", IndexError, "take: axis 2 is out of bounds ... dimension 2"),
    Row("xp.take(m, mi, axis=0)", ValueError, "take: indices must have one axis ... (2, 3)"),
    Row("xp.take(f64, zi)", ValueError, "take: indices must have one axis, got shape ()"),
    Row("xp.take_along_axis(f64, i64)", IndexError, "take_along_axis: index 3 is out of bounds"),
    Row("xp.take_along_axis(m, i64)", ValueError, "take_along_axis: indices have 1 axes ... 2"),
    Row("xp.take_along_axis(m, f64)", TypeError, "take_along_axis (indices): needs an integer"),
    Row("xp.take_along_axis(f64, i64, axis=1)", IndexError, "take_along_axis: axis 1 is out of"),
    Row(
        "xp.take_along_axis(m, xp.zeros((3, 3), dtype=xp.int64), axis=1)",
        ValueError,
        "take_along_axis: shapes (2, 1), (3, 1) cannot be broadcast",
    ),
]

ROWS = KEYS + MASKS + INTEGER_ARRAYS + ASSIGNMENT + FUNCTIONS
