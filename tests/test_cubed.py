"""cubed computes with numr_api's arrays, in threads, processes and dask's workers.

cubed reads its backend when it is imported, and numr_api its mode; so all of it runs in processes
of its own.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cubed_operations
import cubed_work
import numpy as np
import pytest

import numr_api as xp
from numr_api import _devices

cloudpickle = pytest.importorskip("cloudpickle")
pytest.importorskip("cubed")

ROOT = Path(__file__).parent.parent
EXAMPLE = ROOT / "docs" / "examples" / "larger_than_memory.py"
BACKEND = {"CUBED_BACKEND_ARRAY_API_MODULE": "numr_api", "NUMR_API_MODE": "relaxed"}
ON_FAKE = {
    "NUMR_API_DEVICES": "cpu,fake",
    "NUMR_API_DEVICE": "fake:0",
    "NUMR_API_HOST_CONVERSION": "1",
}

Run = Callable[..., dict[str, Any]]


@pytest.fixture
def run_cubed(run_python: Callable[..., str], tmp_path: Path) -> Run:
    """What ``cubed_work.main`` computes; keyword arguments are environment variables."""

    def run(executor: str, *wanted: str, workers: dict[str, str] | None = None, **environment: str):
        code = (
            "import sys; sys.path.insert(0, 'tests'); import cubed_work; "
            f"cubed_work.main({str(tmp_path)!r}, {executor!r}, *{wanted}, **{workers or {}})"
        )
        printed = run_python(code, **{**BACKEND, "NUMR_API_DEVICES": "cpu", **environment})
        try:
            return json.loads(printed.splitlines()[-1])
        except ValueError:
            raise AssertionError(printed) from None

    return run


def assert_as_numpys(found: dict[str, Any]) -> None:
    """Each result is NumPy's, but for the rounding of float32."""
    x = cubed_work.numbers()
    expected = {
        "sum": x.sum(axis=0, dtype=np.float64),
        "mean": x.mean(axis=0, dtype=np.float64),
        "variance": x.var(axis=0, dtype=np.float64),
        "product": x.T.astype(np.float64) @ x,
        "carried": np.clip(x + np.arange(6), 0, 3),
    }
    for name in expected.keys() & found.keys():
        np.testing.assert_allclose(found[name], expected[name], rtol=2e-6, atol=2e-6)


def processes(found: dict[str, Any]) -> set[int]:
    return {process for process, _ in found["whereabouts"]}


def kinds(found: dict[str, Any]) -> set[str]:
    """The kinds of the devices where chunks were."""
    return {_devices.KINDS[kind] for _, kind in found["whereabouts"]}


@pytest.mark.parametrize("executor", ["threads", "processes", "dask"])
def test_results_of_each_executor_are_as_numpys(run_cubed: Run, executor: str) -> None:
    found = run_cubed(executor)
    assert_as_numpys(found)
    assert len(found) == 7
    assert (found["process"] in processes(found)) == (executor == "threads")
    assert kinds(found) == {"cpu"}


def test_operations_are_as_numpys(run_python: Callable[..., str], tmp_path: Path) -> None:
    code = (
        "import sys; sys.path.insert(0, 'tests'); import cubed_operations; "
        f"cubed_operations.main({str(tmp_path)!r})"
    )
    outcomes = json.loads(run_python(code, **BACKEND).splitlines()[-1])
    assert outcomes.keys() == {*cubed_operations.NAMES, *cubed_operations.BEYOND}
    assert {name: outcome for name, outcome in outcomes.items() if outcome} == {}


# --- devices --------------------------------------------------------------------------------------


def test_chunks_are_on_the_device_that_the_environment_names(run_cubed: Run) -> None:
    found = run_cubed("threads", **ON_FAKE)
    assert_as_numpys(found)
    assert kinds(found) == {"fake"}


def test_workers_of_dask_may_have_another_device_than_their_client(run_cubed: Run) -> None:
    found = run_cubed("dask", "sum", "mean", "whereabouts", workers=ON_FAKE)
    assert_as_numpys(found)
    assert kinds(found) == {"fake"}


def need_webgpu() -> None:
    if not _devices.count("webgpu"):
        reason = _devices.obstacle("webgpu")
        if "webgpu" in os.environ.get("NUMR_API_EXPECT", ""):
            pytest.fail(reason)
        pytest.skip(reason)


ON_WEBGPU = {
    "NUMR_API_DEVICES": "cpu,webgpu",
    "NUMR_API_DEVICE": "webgpu:0",
    "NUMR_API_HOST_CONVERSION": "1",
}


def test_workers_compute_on_webgpu(run_cubed: Run) -> None:
    need_webgpu()
    wanted = ["sum", "product", "carried", "whereabouts"]
    if xp.float64 in _devices.backend_of("webgpu:0").dtypes:
        wanted.append("mean")
    found = run_cubed("processes", *wanted, **ON_WEBGPU)
    assert_as_numpys(found)
    assert found["process"] not in processes(found)
    assert kinds(found) == {"webgpu"}


def test_means_need_float64_of_the_device(run_cubed: Run) -> None:
    """cubed adds up float32 in float64, whatever the device; sums and products need none."""
    need_webgpu()
    baseline = {**ON_WEBGPU, "NUMR_API_WEBGPU_FEATURES": "none"}
    found = run_cubed("single-threaded", "sum", "product", **baseline)
    assert_as_numpys(found)
    with pytest.raises(AssertionError, match="Unsupported: sum: float64 is not available"):
        run_cubed("single-threaded", "mean", **baseline)


# --- pickles --------------------------------------------------------------------------------------

UNPICKLE = """
import cloudpickle, sys
import numr_api as xp
array, elsewhere, function, dtypes, devices, functions = cloudpickle.loads(sys.stdin.buffer.read())
assert all(functions[name] is getattr(xp, name) for name in functions)
assert all(dtypes[name] is getattr(xp, name) for name in dtypes)
print(array, array.device, elsewhere.device, xp.ones(1).device, function(array), *devices)
"""


def unpickled(data: bytes, **environment: str) -> str:
    inherited = {k: value for k, value in os.environ.items() if not k.startswith("NUMR_API_")}
    outcome = subprocess.run(
        [sys.executable, "-c", UNPICKLE],
        input=data,
        env={**inherited, **environment},
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    return (outcome.stdout + outcome.stderr).decode().strip()


def test_pickles_arrive_in_another_process(fakes: tuple[str, ...]) -> None:
    """Arrays on their device, whatever the default there; names as what they are there."""
    array, dtype = xp.asarray([1.0, 2.0]), xp.float32
    names = [name for name in dir(xp) if callable(getattr(xp, name)) and name.islower()]
    functions = {name: getattr(xp, name) for name in names}
    assert len(functions) > 130
    dtypes = {name: getattr(xp, name) for name in ("bool", "int8", "uint64", "complex128")}
    elsewhere = xp.ones(2, device="fake:1")
    devices = [array.device, elsewhere.device]

    def function(x: Any) -> Any:
        return xp.sum(xp.astype(x * array, dtype))

    data = cloudpickle.dumps([array, elsewhere, function, dtypes, devices, functions])
    printed = unpickled(data, NUMR_API_DEVICES="cpu,fake", NUMR_API_DEVICE="fake:0")
    assert printed == "[1. 2.] cpu fake:1 fake:0 5.0 cpu fake:1"
    last = unpickled(data, NUMR_API_DEVICES="cpu").splitlines()[-1]
    assert last == "ValueError: unpickling: no device 'fake:1': NUMR_API_DEVICES does not list it"


# --- the example ----------------------------------------------------------------------------------


def run_example(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, EXAMPLE, *arguments],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_example_computes_an_array_that_is_larger_than_the_memory() -> None:
    result = run_example("--size=60MB", "--memory=40MB", "--reserved=10MB", "--progress")
    assert result.returncode == 0, result.stderr
    assert "15000 rows of 500 float64 numbers: 60 MB" in result.stdout
    assert result.stdout.endswith("\nequal to NumPy's results\n")
    assert "matmul" in result.stdout + result.stderr


def test_cubed_refuses_a_plan_that_needs_more_memory() -> None:
    result = run_example("--size=60MB", "--memory=11MB", "--reserved=10MB")
    assert "exceeds allowed_mem" in result.stderr


def test_examples_exact_results_are_numpys(run_python: Callable[..., str], tmp_path: Path) -> None:
    code = f"""
import sys
sys.path.insert(0, {str(EXAMPLE.parent)!r})
from pathlib import Path
import numpy as np
import larger_than_memory as example
x = example.write(Path({str(tmp_path)!r}, "x"), 10**6, np.dtype("float64"), 10**6)
found, x = example.exact(x), x[...]
print(x.shape, x.min(), x.max())
print(np.allclose(found.mean, x.mean(axis=0), rtol=1e-13, atol=1e-13))
print(np.allclose(found.variance, x.var(axis=0), rtol=1e-13))
print(np.array_equal(found.product, x.T @ x))
"""
    assert run_python(code).splitlines() == ["(250, 500) -3.0 3.0", *["True"] * 3]


# --- dask.array -----------------------------------------------------------------------------------


def test_dask_arrays_carry_blocks_but_join_and_reduce_them_with_numpy() -> None:
    import dask.array as da

    x = xp.reshape(xp.arange(12.0), (3, 4))
    blocks = da.from_array(x, chunks=2)
    block = blocks.map_blocks(lambda block: block * 2.0).blocks[0, 1].compute()
    assert type(block) is type(x)
    assert np.asarray(block).tolist() == [[4.0, 6.0], [12.0, 14.0]]
    assert type((blocks + 1.0).compute()) is np.ndarray
    with pytest.raises(TypeError, match="does not support ufuncs"):
        blocks.sum().compute()
