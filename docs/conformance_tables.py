"""The tables of the page "Conformance results", from digests of results kept with the sources.

    python docs/conformance_tables.py measure                     what is installed, one by one
    python docs/conformance_tables.py measure numr_api --device cuda:0
    python docs/conformance_tables.py measure numr_api --device cuda:0 --exclude 'fft.*'

runs the own checks of numr-conformance and writes conformance/results/NAMESPACE-DEVICE.json. MkDocs
loads this file as a hook; it puts the tables where the page has lines like ``<!-- chapters -->``.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from numr_conformance import results
from numr_conformance.report import digest
from numr_conformance.report.digest import Digest, failures
from numr_conformance.report.summary import STATUSES
from numr_conformance.report.text import table_cell, ulp

FOLDER = Path(__file__).parent.parent / "conformance" / "results"
PAGE = "conformance-results.md"
COMMAND = "python docs/conformance_tables.py measure"

# Measured by default, and the order of the columns; others come after them.
NAMESPACES = (
    "numr_api", "numpy", "array_api_strict", "torch", "array_api_compat.torch", "jax.numpy",
)  # fmt: skip
SETTINGS = {"jax.numpy": {"JAX_ENABLE_X64": "1"}}  # it has no 64-bit dtypes otherwise
# Some checks compile hundreds of operations, and a software driver compiles some kernels for
# seconds. NAMESPACE@KIND is about a kind of devices.
PATIENCE = {"jax.numpy": 10, "numr_api@webgpu": 6}
DTYPES = ("float64", "float32", "complex128", "complex64")


# --- measure --------------------------------------------------------------------------------------


def measure(
    namespace: str,
    device: str | None,
    jobs: int,
    excluded: Sequence[str] = (),
    patience: float | None = None,
) -> Path | None:
    """Check a namespace, and return the file of its digest; None if it cannot be checked.

    Arguments:
        excluded: patterns of functions and checks that are left out; the digest tells them.
        patience: multiplies the time limits of checks; None for what the namespace or the device
            needs.
    """
    settings = SETTINGS.get(namespace, {})
    kind = f"{namespace}@{(device or '').partition(':')[0]}"
    if patience is None:
        patience = PATIENCE.get(kind, PATIENCE.get(namespace, 1))
    with TemporaryDirectory(prefix="numr-conformance-") as scratch:
        command = [sys.executable, "-m", "numr_conformance", "run", namespace,
                   f"--jobs={jobs}", f"--patience={patience:g}",
                   f"--report={scratch}"]  # fmt: skip
        command += [f"--exclude={pattern}" for pattern in excluded]
        command += [] if device is None else [f"--device={device}"]
        variables = {**os.environ, **_cache(namespace, scratch), **settings}
        done = subprocess.run(command, env=variables, stdout=subprocess.DEVNULL, check=False)
        if done.returncode not in (0, 1):  # neither passed nor something found
            return None
        document = results.load(Path(scratch) / "results.json")
    if settings:
        told = (f"{name}={value}" for name, value in settings.items())
        document["environment"]["settings"] = ", ".join(told)
    if excluded:
        document["environment"]["excluded"] = ", ".join(excluded)
    (found,) = digest.make(document)
    return digest.save(found, FOLDER)


def _cache(namespace: str, scratch: str) -> dict[str, str]:
    """Lets JAX's processes share what they compile, which takes most of their time."""
    if namespace != "jax.numpy":
        return {}
    return {
        "JAX_COMPILATION_CACHE_DIR": f"{scratch}/compiled",
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
        "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1",
    }


def devices(namespace: str) -> Sequence[str | None]:
    """The devices to measure: all usable ones of numr_api, the default one of others."""
    if namespace != "numr_api":
        return [None]
    return import_module("numr_api").__array_namespace_info__().devices()


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Measure what the page of results shows.")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    measuring = commands.add_parser("measure", help="check namespaces and keep digests of results")
    measuring.add_argument("namespaces", metavar="NAMESPACE", nargs="*",
                           help="default: those of these that are installed: "
                           + ", ".join(NAMESPACES))  # fmt: skip
    measuring.add_argument("--device", metavar="D", action="append", dest="devices",
                           help="of each namespace; may be repeated (default: all usable devices "
                           "of numr_api, the default device of others)")  # fmt: skip
    measuring.add_argument("--jobs", metavar="N", type=int, default=2, help="processes (default 2)")
    measuring.add_argument("--exclude", metavar="PATTERN", action="append", default=[],
                           help="no checks whose function or name matches; may be repeated; the "
                           "page tells of it")  # fmt: skip
    measuring.add_argument("--patience", metavar="N", type=float,
                           help="multiply the time limits of checks, for what compiles at the "
                           "first call (default: what namespace and device need)")  # fmt: skip
    options = parser.parse_args(arguments)
    failed = False
    for namespace in options.namespaces or NAMESPACES:
        if not options.namespaces and find_spec(namespace.partition(".")[0]) is None:
            print(f"{namespace}: not installed, left out", file=sys.stderr)
            continue
        for device in options.devices or devices(namespace):
            path = measure(namespace, device, options.jobs, options.exclude, options.patience)
            failed = failed or path is None
            print(f"wrote {path}" if path else f"{namespace}: not measured", file=sys.stderr)
    return int(failed)


# --- read -----------------------------------------------------------------------------------------


def read(folder: Path = FOLDER) -> list[Digest]:
    """The digests of a folder, numr_api's first and the devices of a namespace by name."""
    order = {namespace: number for number, namespace in enumerate(NAMESPACES)}
    return sorted(
        (digest.load(path) for path in folder.glob("*.json")),
        key=lambda d: (order.get(d.namespace, len(order)), d.namespace, d.device),
    )


def label(found: Digest) -> str:
    """The head of a column."""
    device = "" if found.device == "default" else f"<br>{table_cell(found.device)}"
    return table_cell(found.namespace).replace(".", ".<wbr>") + device


# --- tables ---------------------------------------------------------------------------------------


def _table(head: Sequence[str], rows: Iterable[Sequence[str]], *, left: int = 1) -> str:
    """A table whose first columns are aligned to the left and the others to the right."""
    line = ["---"] * left + ["--:"] * (len(head) - left)
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (head, line, *rows))


def _words(name: str) -> str:
    return name.replace("_", " ")


def chapters(digests: Sequence[Digest]) -> str:
    """For each chapter: passed / failed, and in a second line unsupported / recorded."""
    names = dict.fromkeys(chapter for found in digests for chapter in found.chapters)
    counted = [found.chapters for found in digests]
    rows = [[_words(name), *(_counts(of.get(name)) for of in counted)] for name in names]
    rows.append(["**all**", *(_counts(found.totals) for found in digests)])
    return _table(["chapter", *map(label, digests)], rows)


def _counts(found: Any) -> str:
    if not found:
        return ""
    failed = failures(found)
    lines = (
        (found["passed"], f"**{failed}**" if failed else 0),
        (found["unsupported"], found["recorded"]),
    )
    return "<br>".join(" / ".join(str(part or "·") for part in line) for line in lines)


def accuracy(digests: Sequence[Digest]) -> str:
    """For each dtype a table of the largest errors of functions in ulp."""
    blocks: list[str] = []
    for dtype in DTYPES:
        measured = [
            {name: ulp(row[dtype].largest) for name, row in found.accuracy.items() if dtype in row}
            for found in digests
        ]
        names = sorted({name for of in measured for name in of})
        rows = [[f"`{name}`", *(of.get(name, "") for of in measured)] for name in names]
        blocks += [f"### {dtype}", _table(["function", *map(label, digests)], rows)]
    return "\n\n".join(blocks)


def findings(digests: Sequence[Digest]) -> str:
    """For each chapter and function with a failure somewhere: how many, or how else it went."""
    blocks: list[str] = []
    for chapter in dict.fromkeys(chapter for found in digests for chapter in found.functions):
        names = sorted({name for found in digests for name in found.functions.get(chapter, {})})
        rows: list[list[str]] = []
        for name in names:
            counts = [found.functions.get(chapter, {}).get(name, {}) for found in digests]
            if any(map(failures, counts)):
                cells = (_found(found, chapter, name) for found in digests)
                rows.append([f"`{name}`" if name else "general", *cells])
        if rows:
            table = _table(["function", *map(label, digests)], rows)
            blocks += [f"### {_words(chapter)[0].upper()}{_words(chapter)[1:]}", table]
    return "\n\n".join(blocks) or "None."


def _found(found: Digest, chapter: str, name: str) -> str:
    counts = found.functions.get(chapter, {}).get(name, {})
    if failed := failures(counts):
        return f"{failed} of {sum(counts.values())}"
    status = found.status(chapter, name)
    return STATUSES[status][0] if status else ""


def environments(digests: Sequence[Digest]) -> str:
    """When, with which versions and where each column was measured, and what was left out."""
    keys = ("namespace_version", "numpy", "python", "platform", "processor", "settings")
    rows = [
        [
            table_cell(found.namespace),
            table_cell(found.device),
            found.environment["date"].partition("T")[0],
            str(found.totals.total()),
            *(table_cell(found.environment.get(key, "")) for key in keys),
        ]
        for found in digests
    ]
    head = "namespace,device,date,checks,version,NumPy,Python,system,processor,settings".split(",")
    blocks = [_table(head, rows, left=len(head))]
    for found in digests:
        if excluded := found.environment.get("excluded"):
            names = ", ".join(f"`{pattern}`" for pattern in excluded.split(", "))
            blocks.append(f"Left out of {found.namespace} on {found.device}: {names}.")
    return "\n\n".join(blocks)


TABLES: dict[str, Callable[[Sequence[Digest]], str]] = {
    "chapters": chapters,
    "accuracy": accuracy,
    "findings": findings,
    "environments": environments,
}


def render(markdown: str, digests: Sequence[Digest]) -> str:
    """The page with its tables."""

    def table(found: re.Match[str]) -> str:
        return TABLES[found[1]](digests) if digests else f"Nothing was measured: `{COMMAND}`."

    return re.sub(r"^<!-- (\w+) -->$", table, markdown, flags=re.MULTILINE)


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Called by MkDocs for each page."""
    return render(markdown, read()) if page.file.src_uri == PAGE else markdown


if __name__ == "__main__":
    sys.exit(main())
