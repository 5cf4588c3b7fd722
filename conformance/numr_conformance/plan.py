"""What a command runs: a namespace on a device with a layer, one after the other."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from numr_conformance import consumers, extension_checks, official, results
from numr_conformance.check import Outcome
from numr_conformance.consumers import Consumer, ConsumersRunner
from numr_conformance.official import OfficialRunner
from numr_conformance.progress import Progress
from numr_conformance.results import Document
from numr_conformance.runner import ExtensionsRunner, NoCheck, Runner

LAYERS = ("own", "official", "consumers", "extensions")


# Parts of the consumers that have tests, few of them.
TRIAL: dict[Consumer, Sequence[str]] = {
    "scipy": ("scipy.constants",),
    "sklearn": (),
    "array_api_extra": (),
}


@dataclass(frozen=True)
class Run:
    """Checks of one layer on one device of a namespace.

    Attributes:
        device: by the namespace's own name; None for its default device.
        consumer: whose tests, in the layer of consumers.
    """

    namespace: str
    device: str | None
    layer: str
    consumer: Consumer | None = None

    @property
    def label(self) -> str:
        """What the device is called in results."""
        return self.device or "default"


@dataclass(frozen=True)
class Options:
    """How checks are chosen and run, the same in all runs of a plan.

    Attributes:
        topics: modules of the own checks or of those of extensions, or parts of consumers.
    """

    functions: str = "*"
    topics: Sequence[str] = ()
    jobs: int = 2
    patience: float = 1
    suite: Path | None = None
    examples: int = official.EXAMPLES
    max_ulp: float | None = None
    masquerade: bool = True
    second_device: str | None = None


def plan(
    namespaces: Iterable[str],
    devices: Sequence[str] = (),
    layers: Sequence[str] = (),
    *,
    topics: Sequence[str] = (),
    baseline: bool = True,
) -> list[Run]:
    """Every namespace on every device with every layer; what is named twice is run once.

    Consumers' tests are also run with the namespace that they are made for, array_api_strict,
    unless there shall be no baseline. Topics choose the consumers of which they are parts, and the
    own checks if any is a module of these.

    Raises:
        CannotRun: the tests of consumers are wanted, and none is installed.
        NoCheck: no layer has any of the topics.
    """
    runs = [
        run
        for namespace in namespaces
        for device in devices or [None]
        for layer in layers or LAYERS[:1]
        for run in _of_layer(namespace, device, layer, topics)
    ]
    if baseline and "consumers" in layers:
        runs += _of_layer(consumers.STRICT, None, "consumers", topics)
    if not runs:
        raise NoCheck(f"no check matches{' ' if topics else ''}{', '.join(topics)}")
    return list(dict.fromkeys(runs))


def _of_layer(namespace: str, device: str | None, layer: str, topics: Sequence[str]) -> list[Run]:
    if layer in ("own", "extensions") and topics and not _modules(layer, topics):
        return []
    if layer != "consumers":
        return [Run(namespace, device, layer)]
    return [
        Run(namespace, device, layer, consumer)
        for consumer in consumers.installed()
        if not topics or consumers.parts(consumer, topics)
    ]


def _modules(layer: str, topics: Sequence[str]) -> list[str]:
    """Those of some topics that are modules of the own checks, or of those of extensions."""
    paths = extension_checks.PATHS
    if layer == "extensions":
        return [paths[topic] for topic in topics if topic in paths]
    others = {*consumers.PACKAGES, *paths}
    return [topic for topic in topics if topic.partition(".")[0] not in others]


def execute(runs: Sequence[Run], options: Options) -> list[Document]:
    """Do all runs, and return a document for each namespace.

    Raises:
        CannotRun: a namespace, a device or a layer cannot be used; nothing was run then.
    """
    suite = None
    if any(run.layer == "official" for run in runs):
        suite = official.find_suite(options.suite)
        if warning := official.warning(suite):
            print(f"numr-conformance: {warning}", file=sys.stderr)
    for run in runs[1:]:  # a mistake in a later one shall not cost the earlier runs
        if run.namespace != consumers.STRICT or run.layer != "consumers":
            with _runner(run, options, suite, jobs=1, trial=True):
                pass
    of_namespaces: dict[str, list[Run]] = {}
    for run in runs:
        of_namespaces.setdefault(run.namespace, []).append(run)
    return [_document(own, options, suite) for own in of_namespaces.values()]


def _runner(
    run: Run, options: Options, suite: Path | None, jobs: int, *, trial: bool = False
) -> Runner:
    """The runner of a run; on trial, of few tests where collecting all of them takes long."""
    where, choice = (run.namespace, run.device), {"functions": options.functions, "jobs": jobs}
    if run.layer == "official":
        assert suite is not None  # ``execute`` has found it
        return OfficialRunner(*where, suite=suite, examples=options.examples, **choice)
    if run.consumer is not None:
        if trial:
            choice["functions"] = "*"
        parts = TRIAL[run.consumer] if trial else consumers.parts(run.consumer, options.topics)
        return ConsumersRunner(
            *where,
            consumer=run.consumer,
            parts=parts,
            masquerade=options.masquerade,
            second_device=options.second_device,
            **choice,
        )
    kind = ExtensionsRunner if run.layer == "extensions" else Runner
    topics = _modules(run.layer, options.topics)
    return kind(*where, topics=topics, max_ulp=options.max_ulp, **choice)


def _document(runs: Sequence[Run], options: Options, suite: Path | None) -> Document:
    """The document of runs of one namespace."""
    outcomes: dict[str, list[Outcome]] = {}
    environment: dict[str, str] = {}
    for run in runs:
        runner = _runner(run, options, suite, options.jobs)
        runner.patience = options.patience
        try:
            found = _outcomes(runner, run.label)
        except NoCheck:
            if run.consumer is None:
                raise
            continue  # a pattern such as "scipy.stats.*" is about one consumer
        outcomes.setdefault(run.label, []).extend(found)
        if not environment:
            environment = results.environment(
                run.namespace, runner.version, runner.array_api_version
            )
        if isinstance(runner, OfficialRunner):
            environment[f"array-api-tests on {run.label}"] = runner.describe()
        elif isinstance(runner, ConsumersRunner):
            environment[f"{runner.package} on {run.label}"] = runner.describe()
    if not outcomes:
        raise NoCheck("no check matches")
    return results.document(
        outcomes, environment, functions=options.functions, topics=options.topics
    )


def _outcomes(runner: Runner, device: str) -> list[Outcome]:
    """What comes of all checks, in their order."""
    found: dict[str, Outcome] = {}
    title = f"{runner.namespace} on {device}"
    if isinstance(runner, OfficialRunner):
        title += f", array-api-tests {official.revision(runner.suite)[:7]}"
    elif isinstance(runner, ConsumersRunner):
        title += f", {runner.package}"
    with runner, Progress(title, len(runner.checks)) as progress:
        for outcome in runner:
            found[outcome.name] = outcome
            progress.add(outcome)
    return [found[check.name] for check in runner.checks]
