"""Refusals of functions that make arrays, and of functions on dtypes."""

from __future__ import annotations

from refusals import Row

ASARRAY = [
    Row("xp.asarray([[1, 2], [3]])", ValueError, "asarray: nested sequences ... ragged"),
    Row("xp.asarray([1, [2]])", ValueError, "asarray: nested sequences ... ragged"),
    Row("xp.asarray([[], [1]])", ValueError, "asarray: nested sequences ... ragged"),
    Row("xp.asarray('abc')", TypeError, "asarray: needs an array, a number ... got str 'abc'"),
    Row("xp.asarray(['a', 'b'])", TypeError, "asarray: a sequence must hold numbers, got str 'a'"),
    Row("xp.asarray([b'ab'])", TypeError, "asarray: a sequence must hold numbers, got bytes"),
    Row("xp.asarray(None)", TypeError, "asarray: needs an array ... got NoneType None"),
    Row("xp.asarray([1, None])", TypeError, "asarray: a sequence ... got NoneType None"),
    Row("xp.asarray(object())", TypeError, "asarray: needs an array ... got object"),
    Row("xp.asarray([object()])", TypeError, "asarray: a sequence must hold numbers, got object"),
    Row("xp.asarray({})", TypeError, "asarray: needs an array ... got dict {}"),
    Row("xp.asarray({1, 2})", TypeError, "asarray: needs an array ... got set {1, 2}"),
    Row("xp.asarray(range(3))", TypeError, "asarray: needs an array ... got range"),
    Row("xp.asarray([range(2), range(2)])", TypeError, "asarray: a sequence ... got range"),
    Row("xp.asarray(iter([1]))", TypeError, "asarray: needs an array ... got list_iterator"),
    Row("xp.asarray(np.array(['2020'], 'M8[D]'))", TypeError, "datetime64[D] has no counterpart"),
    Row("xp.asarray([np.datetime64('2020')])", TypeError, "asarray: a sequence ... datetime64"),
    Row("xp.asarray(np.zeros(2, 'i4,f4'))", TypeError, "asarray: NumPy's ... has no counterpart"),
    Row("xp.asarray(np.zeros(2, 'V4'))", TypeError, "asarray: NumPy's ... has no counterpart"),
    Row("xp.asarray(np.array([None]))", TypeError, "asarray: NumPy's object has no counterpart"),
    Row("xp.asarray(np.array(['a']))", TypeError, "asarray: NumPy's <U1 has no counterpart"),
    Row("xp.asarray(np.ma.masked_array([1], [True]))", TypeError, "asarray: a masked ... fill it"),
    Row("xp.asarray([np.ma.masked_array([1], [True])])", TypeError, "asarray: a masked array"),
    Row("xp.asarray(np.ma.masked)", TypeError, "asarray: a masked array would lose its mask"),
    Row("xp.asarray([i64, f64])", TypeError, "int64 and float64 have no common type"),
    Row("xp.asarray([f64, two])", ValueError, "shapes (3,) and (2,) differ"),
    Row("xp.asarray([f64, g])", ValueError, "different devices: cpu, fake:0"),
    Row("xp.asarray(2**63)", OverflowError, "asarray: an integer is out of range of int64"),
    Row("xp.asarray(300, dtype=xp.uint8)", OverflowError, "asarray: ... out of range of uint8"),
    Row("xp.asarray([-1], dtype=xp.uint64)", OverflowError, "asarray: ... out of range of uint64"),
    Row("xp.asarray(10**400, dtype=xp.float64)", OverflowError, "asarray: ... float64"),
    Row("xp.asarray([2**40], device='fake:2')", OverflowError, "asarray: ... range of int32"),
    Row("xp.asarray([1.5], dtype=xp.int64)", ValueError, "asarray: int64 does not hold ... 1.5"),
    Row("xp.asarray([xp.nan], dtype=xp.int8)", ValueError, "asarray: int8 does not hold ... nan"),
    Row("xp.asarray([300.0], dtype=xp.uint8)", ValueError, "asarray: uint8 does not hold ... 300"),
    Row(
        "xp.asarray(1j, dtype=xp.float64)", TypeError, "asarray: complex ... cannot become float64"
    ),
    Row("xp.asarray([2], dtype=xp.bool)", ValueError, "asarray: bool does not hold ... [2]"),
    Row("xp.asarray(c128, dtype=xp.float64)", TypeError, "complex128 cannot become float64; use"),
    Row("xp.asarray(np.ones(2, 'c16'), dtype=xp.float64)", TypeError, "asarray: complex128 ... 64"),
    Row("xp.asarray([1], dtype='int64')", TypeError, "asarray: dtype must be a numr_api dtype"),
    Row("xp.asarray([1], dtype=np.int64)", TypeError, "asarray: dtype must be a numr_api dtype"),
    Row("xp.asarray([1], dtype=np.dtype('i8'))", TypeError, "asarray: dtype must be a numr_api"),
    Row("xp.asarray([1], dtype=int)", TypeError, "asarray: dtype must be a numr_api dtype"),
    Row("xp.asarray([1], copy=False)", ValueError, "asarray: Python scalars ... without a copy"),
    Row(
        "xp.asarray(f64, dtype=xp.float32, copy=False)", ValueError, "float64 ... float32 ... copy"
    ),
    Row("xp.asarray(f64, device='fake:0', copy=False)", ValueError, "asarray: ... fake:0 ... copy"),
    Row(
        "xp.asarray(np.ones(2), dtype=xp.int8, copy=False)", ValueError, "float64 ... int8 ... copy"
    ),
    Row(
        "xp.asarray(np.ones(2), device='fake:0', copy=False)", ValueError, "asarray: fake:0 cannot"
    ),
    Row("xp.asarray(b'abcd', copy=False)", ValueError, "asarray: the memory is read-only"),
    Row("xp.asarray(f64, copy=1)", TypeError, "asarray: copy must be True, False or None, got int"),
]

FROM_DLPACK = [
    Row(
        "xp.from_dlpack([1, 2])",
        AttributeError,
        "from_dlpack: needs ... __dlpack__, got list",
    ),
    Row(
        "xp.from_dlpack(None)",
        AttributeError,
        "from_dlpack: needs ... __dlpack__, got",
    ),
    Row("xp.from_dlpack(np.array(['a']))", BufferError, "from_dlpack: "),
    Row("xp.from_dlpack(np.zeros(2, 'M8[D]'))", BufferError, "from_dlpack: "),
    Row("xp.from_dlpack(np.ma.masked_array([1], [True]))", TypeError, "from_dlpack: a masked"),
    Row("xp.from_dlpack(f64, copy=1)", TypeError, "from_dlpack: copy must be True, False or None"),
    Row("xp.from_dlpack(f64, device='fake:0', copy=False)", ValueError, "from_dlpack: ... fake:0"),
    Row(
        "xp.from_dlpack(g, device='cpu', copy=False)", ValueError, "from_dlpack: ... fake:0 to cpu"
    ),
    Row("xp.from_dlpack(np.ones(2), device='fake:0', copy=False)", ValueError, "from_dlpack: can"),
    Row("xp.from_dlpack(f64, device='gpu')", ValueError, "'gpu' is not a device; ... cpu"),
]

FILLED = [
    Row("xp.zeros(-1)", ValueError, "zeros: lengths of a shape cannot be negative, got (-1,)"),
    Row("xp.ones((2, -1))", ValueError, "ones: lengths of a shape cannot be negative, got (2, -1)"),
    Row("xp.zeros(2.0)", TypeError, "zeros: a length of shape must be an integer, got float 2.0"),
    Row("xp.empty((1.5,))", TypeError, "empty: a length of shape must be an integer"),
    Row(
        "xp.zeros([2, 'a'])", TypeError, "zeros: a length of shape must be an integer, got str 'a'"
    ),
    Row("xp.zeros(True)", TypeError, "zeros: a length of shape must be an integer, got bool True"),
    Row("xp.zeros('3')", TypeError, "zeros: a length of shape must be an integer, got str '3'"),
    Row("xp.zeros(None)", TypeError, "zeros: a length of shape must be an integer ... None"),
    Row("xp.zeros(10**20)", ValueError, "zeros: an array of shape (100000000000000000000,)"),
    Row("xp.empty((1,) * 65)", ValueError, "empty: 65 axes, an array has at most 64"),
    Row("xp.zeros(3, dtype=float)", TypeError, "zeros: dtype must be a numr_api dtype, got type"),
    Row("xp.ones(3, dtype='f8')", TypeError, "ones: dtype must be a numr_api dtype, got str 'f8'"),
    Row("xp.full(3, 'a')", TypeError, "full: expected a Python scalar, got str 'a'"),
    Row("xp.full(3, zi)", TypeError, "full: expected a Python scalar, got Array"),
    Row("xp.full(3, 1.5, dtype=xp.int64)", TypeError, "full: int64 does not hold the float 1.5"),
    Row("xp.full(3, True, dtype=xp.int64)", TypeError, "full: int64 does not hold the bool True"),
    Row("xp.full(3, 1j, dtype=xp.float64)", TypeError, "full: float64 does not hold ... 1j"),
    Row("xp.full(3, 300, dtype=xp.uint8)", OverflowError, "full: 300 is out of range of uint8"),
    Row(
        "xp.full(3, 2**70)", OverflowError, "full: 1180591620717411303424 is out of range of int64"
    ),
    Row("xp.full_like(i64, 0.5)", TypeError, "full_like: int64 does not hold the float 0.5"),
    Row("xp.full_like(b, 1)", TypeError, "full_like: bool does not hold the int 1"),
    Row("xp.zeros_like([1, 2])", TypeError, "zeros_like: expected a numr_api array, got list"),
    Row("xp.ones_like(np.ones(3))", TypeError, "ones_like: expected ... numpy.ndarray; convert it"),
    Row("xp.empty_like(1.0)", TypeError, "empty_like: expected a numr_api array, got float 1.0"),
]

RANGES = [
    Row("xp.arange(0, 3, 0)", ValueError, "arange: step cannot be 0"),
    Row("xp.arange(0, 1, 0.0)", ValueError, "arange: step cannot be 0"),
    Row("xp.arange(0, xp.inf)", ValueError, "arange: no finite number of steps from 0 to inf"),
    Row("xp.arange(xp.nan)", ValueError, "arange: no finite number of steps"),
    Row("xp.arange(0.0, 1e30)", ValueError, "arange: ... too large"),
    Row("xp.arange(1j)", TypeError, "arange: stop must be a real number, got complex 1j"),
    Row("xp.arange(True)", TypeError, "arange: stop must be a real number, got bool True"),
    Row("xp.arange('3')", TypeError, "arange (stop): expected a Python scalar, got str '3'"),
    Row("xp.arange(3, dtype=xp.bool)", TypeError, "arange: bool cannot hold numbers from 0 to 3"),
    Row("xp.arange(3.5, dtype=xp.int64)", TypeError, "arange: int64 cannot hold ... 0 to 3.5"),
    Row("xp.arange(300, dtype=xp.int8)", OverflowError, "arange: 299 is out of range of int8"),
    Row("xp.arange(0, 10**400, 1.0)", OverflowError, "arange: an int too large for float64"),
    Row("xp.linspace(0, 1, -1)", ValueError, "linspace: num cannot be negative, got -1"),
    Row("xp.linspace(0, 1, 2.5)", TypeError, "linspace: num must be an integer, got float 2.5"),
    Row("xp.arange(xp.ones(1))", TypeError, "arange (stop): expected a Python scalar, got Array"),
    Row("xp.arange(xp.asarray(True))", TypeError, "arange: stop must be a real number, got Array"),
    Row("xp.linspace(0, 1, 3, dtype=xp.bool)", TypeError, "linspace: bool cannot hold ... 0 to 1"),
    Row("xp.linspace(0, 300, 3, dtype=xp.uint8)", OverflowError, "linspace: 300 ... of uint8"),
    Row("xp.linspace(-0.5, 1, 3, dtype=xp.uint8)", OverflowError, "linspace: -1 ... of uint8"),
    Row("xp.linspace(0, xp.inf, 3, dtype=xp.int8)", ValueError, "linspace: int8 cannot hold inf"),
    Row("xp.linspace(0, 1j, 3, dtype=xp.int8)", TypeError, "linspace: int8 cannot hold numbers"),
    Row("xp.linspace(0, 1j, 3, dtype=xp.float64)", TypeError, "linspace: float64 cannot hold"),
    Row(
        "xp.linspace(xp.ones(1), 1, 3)", TypeError, "linspace: expected a Python scalar, got Array"
    ),
    Row("xp.linspace(xp.asarray(True), 1, 3)", TypeError, "linspace: start ... got a bool"),
    Row("xp.linspace('a', 1, 3)", TypeError, "linspace: expected a Python scalar, got str 'a'"),
    Row("xp.linspace(True, 2, 3)", TypeError, "linspace: start and stop must be numbers ... bool"),
    Row("xp.linspace(0, 1, 3, endpoint=1)", TypeError, "linspace: endpoint must be True or False"),
    Row("xp.linspace(0, 10**400, 3)", OverflowError, "linspace: an int too large for float64"),
    Row("xp.eye(-1)", ValueError, "eye: lengths of a shape cannot be negative"),
    Row("xp.eye(2.0)", TypeError, "eye: a length of shape must be an integer, got float 2.0"),
    Row("xp.eye(2, k=0.5)", TypeError, "eye: k must be an integer, got float 0.5"),
    Row("xp.tril(f64)", ValueError, "tril: needs an array of two axes or more, got shape (3,)"),
    Row("xp.triu(m, k=1.0)", TypeError, "triu: k must be an integer, got float 1.0"),
    Row("xp.meshgrid(m)", ValueError, "meshgrid: needs 1-dimensional arrays, got shape (2, 3)"),
    Row("xp.meshgrid(f64, i64)", TypeError, "meshgrid: needs arrays of one dtype ... int64"),
    Row("xp.meshgrid(f64, indexing='yx')", ValueError, "meshgrid: indexing must be 'xy' or 'ij'"),
    Row("xp.meshgrid([1, 2])", TypeError, "meshgrid: expected a numr_api array, got list [1, 2]"),
]

DTYPES = [
    Row("xp.astype(c128, xp.float64)", TypeError, "astype: complex128 cannot become float64; use"),
    Row("xp.astype(f64, 'float32')", TypeError, "astype: dtype must be a numr_api dtype, got str"),
    Row(
        "xp.astype(f64, np.float32)", TypeError, "astype: dtype must be a numr_api dtype, got type"
    ),
    Row("xp.astype([1], xp.float32)", TypeError, "astype: expected a numr_api array, got list [1]"),
    Row("xp.astype(f64, xp.float32, copy=1)", TypeError, "astype: copy must be True or False"),
    Row("xp.isdtype(xp.float32, 'float')", ValueError, "isdtype: unknown kind 'float'; ... bool"),
    Row("xp.isdtype(xp.float32, ('bool', 'x'))", ValueError, "isdtype: unknown kind 'x'"),
    Row(
        "xp.isdtype(xp.float32, ['bool'])", TypeError, "isdtype: kind must be ... a tuple, got list"
    ),
    Row("xp.isdtype('float32', 'bool')", TypeError, "isdtype: dtype must be a numr_api dtype"),
    Row("xp.finfo(xp.int32)", TypeError, "finfo: needs a floating-point dtype, got int32"),
    Row("xp.finfo('float32')", TypeError, "finfo: expected a numr_api dtype or array, got str"),
    Row("xp.iinfo(xp.float32)", TypeError, "iinfo: needs an integer dtype, got float32"),
    Row("xp.iinfo(b)", TypeError, "iinfo: needs an integer dtype, got bool"),
    Row("xp.result_type()", ValueError, "result_type: needs at least one array or dtype"),
    Row("xp.result_type(1, 2.0)", ValueError, "result_type: needs at least one array or dtype"),
    Row(
        "xp.result_type(xp.int64, xp.float32)", TypeError, "result_type: int64 and float32 have no"
    ),
    Row("xp.result_type(xp.int64, xp.uint64)", TypeError, "result_type: int64 and uint64 have no"),
    Row("xp.result_type(i64, 1.0)", TypeError, "result_type: a Python float (1.0) ... int64"),
    Row(
        "xp.result_type(xp.uint8, 300)", OverflowError, "result_type: 300 is out of range of uint8"
    ),
    Row("xp.result_type(f64, 'float64')", TypeError, "result_type: expected ... got str 'float64'"),
    Row("xp.can_cast('int8', xp.int16)", TypeError, "can_cast: expected a numr_api dtype or array"),
    Row("xp.can_cast(xp.int8, 'int16')", TypeError, "can_cast: dtype must be a numr_api dtype"),
    Row("xp.int8(3)", TypeError, "'DType' object is not callable"),
]

ROWS = ASARRAY + FROM_DLPACK + FILLED + RANGES + DTYPES
