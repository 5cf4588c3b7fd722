"""The command ``numr-conformance``."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Sequence
from pathlib import Path

from numr_conformance import __version__, fetch, gate, official, results
from numr_conformance.plan import LAYERS, Options, execute, plan
from numr_conformance.results import Document
from numr_conformance.runner import CannotRun
from numr_conformance.table import failures_text, totals_text

OK, FINDINGS, BAD_USAGE, INTERRUPTED = 0, 1, 2, 130

DESCRIPTION = """\
Tell what of the Python array API standard works in a namespace: on which device, with which dtype,
how accurately, and if not, why not.
"""
NAMESPACE = """\
NAMESPACE is what you would import (numpy, array_api_strict, torch, jax.numpy, cupy, numr_api), or
module:expression for something inside a module.
"""
EXIT_CODES = """\
exit codes: 0 nothing found, 1 something found (a failure, a difference), 2 bad usage.
"""
EXAMPLES = f"""\
examples:
  numr-conformance run numpy
  numr-conformance run torch --functions 'linalg.*' --report torch-report
  numr-conformance run numr_api --device cpu --device webgpu:0
  numr-conformance run numpy array_api_strict --report out
  numr-conformance run numpy --layer own --layer official
  numr-conformance report here.json there.json --output out
  numr-conformance compare before/results.json after/results.json
  numr-conformance gate numr_api --device cpu --expected conformance/expected

{NAMESPACE}
{EXIT_CODES}"""
RUN_EXAMPLES = f"""\
examples:
  numr-conformance run numpy                              all checks, two at a time
  numr-conformance run numpy --functions exp              one function
  numr-conformance run numpy --functions 'fft.*'          a group of functions
  numr-conformance run numpy --exclude 'fft.*'            all others
  numr-conformance run numpy --layer official             array-api-tests; first: fetch
  numr-conformance run mylib --layer consumers            tests of SciPy and others
  numr-conformance run numr_api --layer extensions        numr's extensions
  numr-conformance run mylib --topics accuracy --max-ulp 4
  numr-conformance run numpy --report out                 out/report.html and more
  numr-conformance run numpy torch jax.numpy --report out three, side by side
  numr-conformance run 'mylib:backends["fast"]'           an expression in a module
  numr-conformance run cupy --jobs 1                      one process, where memory is scarce

{NAMESPACE}
Several are checked in turn, on the same devices, and shown side by side. The results of one are in
results.json, those of each of several in a file such as results-jax.numpy.json.

Checks run in processes of their own and have time limits: that the namespace hangs or crashes is
reported like any other finding.
"""
COMPARE_EPILOG = f"""\
Shown are verdicts that differ, accuracy that changed by more than {results.ULP_TOLERANCE} ulp, and
checks that only one file has. If both files are about one device, these two are compared, whatever
their names are.

exit codes: 0 no differences, 1 differences, 2 bad usage.
"""
REPORT_EPILOG = """\
examples:
  numr-conformance report laptop/results.json gpu/results.json --output both

Results that were made in different environments, or on different machines, come on one page: each
namespace on each of its devices is a column. What was checked twice is numbered.
"""
GATE_EPILOG = """\
examples:
  numr-conformance gate numr_api --device cpu --expected conformance/expected
  numr-conformance gate out/results.json --expected conformance/expected

The folder has a file for each device, such as cpu.txt or cuda-0.txt (for cuda:0): names of checks
that are expected to fail, one a line, and above each block a comment (# ...) that says why.
"""

FETCH_EPILOG = f"""\
The official suite, array-api-tests, cannot be installed with pip: it is a git repository. It is
kept in {official.default_folder()}
at commit {official.COMMIT[:7]}. A checkout elsewhere is named with --suite or ARRAY_API_TESTS.
"""


class BadUsage(Exception):
    """What the command was given cannot be used."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    options = _parser().parse_args(arguments)
    try:
        return options.command(options)
    except (BadUsage, CannotRun, fetch.CannotFetch, results.BadResults, gate.BadList) as problem:
        print(f"numr-conformance: {problem}", file=sys.stderr)
        return BAD_USAGE
    except KeyboardInterrupt:
        print("numr-conformance: interrupted", file=sys.stderr)
        return INTERRUPTED


def _parser() -> argparse.ArgumentParser:
    style = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(
        "numr-conformance", description=DESCRIPTION, epilog=EXAMPLES, formatter_class=style
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)

    run = commands.add_parser(
        "run", help="check namespaces", description="Check namespaces.", epilog=RUN_EXAMPLES,
        formatter_class=style,
    )  # fmt: skip
    run.add_argument("namespaces", metavar="NAMESPACE", nargs="+", help="what to check; see below")
    _add_run_options(run)
    run.set_defaults(command=_run)

    reporting = commands.add_parser(
        "report", help="show results side by side", epilog=REPORT_EPILOG,
        description="Show results of several runs side by side.", formatter_class=style,
    )  # fmt: skip
    reporting.add_argument("files", metavar="RESULTS.json", nargs="+", type=Path,
                           help="results of runs, in the order of their columns")  # fmt: skip
    reporting.add_argument("--output", metavar="DIR", type=Path, required=True,
                           help="write an HTML page, Markdown and JUnit XML here")  # fmt: skip
    reporting.set_defaults(command=_report)

    compare = commands.add_parser(
        "compare", help="show what differs between two results", epilog=COMPARE_EPILOG,
        description="Show what differs between two results.json.", formatter_class=style,
    )  # fmt: skip
    compare.add_argument("a", metavar="A.json", type=Path, help="the results before")
    compare.add_argument("b", metavar="B.json", type=Path, help="the results after")
    compare.set_defaults(command=_compare)

    gating = commands.add_parser(
        "gate", help="compare with the failures that are expected", epilog=GATE_EPILOG,
        description="Fail if a check fails unexpectedly, or does not fail although it is listed.",
        formatter_class=style,
    )  # fmt: skip
    gating.add_argument("subject", metavar="RESULTS.json|NAMESPACE",
                        help="results of a run, or a namespace to check now")  # fmt: skip
    gating.add_argument("--expected", metavar="DIR", type=Path, required=True,
                        help="folder with a list of expected failures for each device")  # fmt: skip
    _add_run_options(gating)
    gating.set_defaults(command=_gate)

    fetching = commands.add_parser(
        "fetch", help="get the official suite", epilog=FETCH_EPILOG,
        description="Get the official suite, for --layer official.", formatter_class=style,
    )  # fmt: skip
    fetching.add_argument("--from", metavar="URL", default=fetch.URL, dest="url",
                          help="another repository, such as a local mirror")  # fmt: skip
    fetching.set_defaults(command=_fetch)
    return parser


def _add_run_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--device", metavar="D", action="append", default=[], dest="devices",
        help="a device by the namespace's own name, such as cpu or cuda:0; may be repeated "
        "(default: the namespace's default device)")  # fmt: skip
    add(
        "--layer",
        choices=LAYERS,
        action="append",
        default=[],
        dest="layers",
        help="own checks; the official suite, array-api-tests; the array API tests of consumers, "
        "SciPy, scikit-learn and array-api-extra; or checks of numr's extensions of the standard; "
        "may be repeated (default: own)",
    )
    add("--no-baseline", dest="baseline", action="store_false",
        help="do not run consumers' tests with array_api_strict as well, which they are made for, "
        "to be shown beside it")  # fmt: skip
    add("--own-name", action="store_false", dest="masquerade",
        help="run consumers' tests under the name of the namespace, not of array_api_strict: "
        "also those that are skipped for array_api_strict")  # fmt: skip
    add("--second-device", metavar="D",
        help="one that tests of scikit-learn and array-api-extra use beside --device, if they do "
        "not know the namespace; SciPy's use one device only")  # fmt: skip
    add("--max-ulp", metavar="N", type=_bound, help="the largest error of elementary functions, in "
        "units in the last place; accuracy is only measured without")  # fmt: skip
    add("--suite", metavar="PATH", type=Path, help="a checkout of the official suite (default: "
        "ARRAY_API_TESTS, else what `fetch` got)")  # fmt: skip
    add("--examples", metavar="N", type=_positive, default=official.EXAMPLES,
        help="inputs that the official suite draws for a test "
        f"(default: {official.EXAMPLES})")  # fmt: skip
    add("--functions", metavar="PATTERN", default="*",
        help="only checks whose function or name matches: exp, 'linalg.*', __add__")  # fmt: skip
    add("--exclude", metavar="PATTERN", action="append", default=[],
        help="no checks whose function or name matches; may be repeated")  # fmt: skip
    add("--topics", metavar="LIST", type=lambda text: tuple(filter(None, text.split(","))),
        default=(), help="only these modules of checks, such as promotion,accuracy,activation, or "
        "parts of consumers, such as sklearn,scipy.fft, separated by commas; a layer without any "
        "of them is left out (default: all)")  # fmt: skip
    add("--jobs", metavar="N", type=_positive, default=2,
        help="how many checks to run at once, each in a process (default: 2)")  # fmt: skip
    add("--patience", metavar="N", type=_positive, default=1,
        help="multiply the time limits of checks, for what compiles at the first call or runs on a "
        "busy machine (default: 1)")  # fmt: skip
    add("--report", metavar="DIR", type=Path,
        help="write the results, an HTML page, Markdown and JUnit XML to this folder")  # fmt: skip


def _positive(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 on")
    return int(text)


def _bound(text: str) -> float:
    try:
        bound = float(text)
    except ValueError:
        bound = math.nan
    if not bound > 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number greater than 0")
    return bound


# --- commands -------------------------------------------------------------------------------------


def _run(options: argparse.Namespace) -> int:
    documents = _check(options.namespaces, options)
    for document in documents:
        print(*filter(None, [totals_text(document), failures_text(document)]), sep="\n\n")
        if document is not documents[-1]:
            print()
    return FINDINGS if any(map(results.has_failures, documents)) else OK


def _report(options: argparse.Namespace) -> int:
    documents = [results.load(path) for path in options.files]
    _make(options.output)
    _write_reports(documents, options.output)
    return OK


def _compare(options: argparse.Namespace) -> int:
    differences = results.compare(results.load(options.a), results.load(options.b))
    print(*differences, sep="\n") if differences else print("no differences")
    return FINDINGS if differences else OK


def _gate(options: argparse.Namespace) -> int:
    subject = Path(options.subject)
    document = results.load(subject) if subject.suffix == ".json" else None
    devices = options.devices or (["default"] if document is None else list(document["devices"]))
    # Read before anything is run: a mistake in a list shall not cost minutes.
    expected = {d: gate.read_expected(gate.expected_file(options.expected, d)) for d in devices}
    if document is None:
        (document,) = _check([options.subject], options)
    ok = True
    for device, names in expected.items():
        if device not in document["devices"]:
            known = ", ".join(document["devices"])
            raise BadUsage(f"{subject} has no results for {device}, but for {known}")
        rows = document["devices"][device]["outcomes"]
        names = official.of_sources(names, (row["name"] for row in rows))
        findings = gate.judge(device, rows, names, complete=results.is_complete(document))
        print(findings)
        ok = ok and findings.ok
    return OK if ok else FINDINGS


def _fetch(options: argparse.Namespace) -> int:
    folder, fetched = fetch.fetch(options.url)
    print(f"fetched {folder}" if fetched else f"{folder} has the right revision already")
    return OK


def _check(namespaces: Sequence[str], options: argparse.Namespace) -> list[Document]:
    """Do what ``run`` was asked for, and write the reports."""
    if options.report is not None:
        _make(options.report)
    documents = execute(
        plan(
            namespaces,
            options.devices,
            options.layers,
            topics=options.topics,
            baseline=options.baseline,
        ),
        Options(
            "\n!".join([options.functions, *options.exclude]),
            options.topics,
            options.jobs,
            options.patience,
            options.suite,
            options.examples,
            options.max_ulp,
            options.masquerade,
            options.second_device,
        ),
    )
    if options.report is not None:
        for document, name in zip(documents, results.file_names(documents), strict=True):
            path = options.report / name
            results.save(document, path)
            print(f"wrote {path}", file=sys.stderr)
        _write_reports(documents, options.report)
    return documents


def _make(directory: Path) -> None:
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadUsage(f"cannot write to {directory}: {error.strerror}") from error


def _write_reports(documents: Sequence[Document], directory: Path) -> None:
    from numr_conformance import report

    try:
        written = report.write(documents, directory)
    except ModuleNotFoundError as error:  # the results themselves are safe
        print(f"numr-conformance: not all reports were written: {error}", file=sys.stderr)
    else:
        print(*(f"wrote {path}" for path in written), sep="\n", file=sys.stderr)
