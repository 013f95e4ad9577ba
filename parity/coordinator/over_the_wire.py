"""Hold brokers of others to the simulator's invariants, and to Kafka's answers: ``python parity/coordinator/over_the_wire.py [BROKER...] [OPTION...]``.

Brokers: kafka-4.4.0 and kafka-4.3.1, three of Kafka's own (KRaft); kfake, franz-go's fake cluster; mock, librdkafka's mock cluster. Options are those of `kassay simulate`. ``--fixtures`` asks them the
cases of group.json instead. The status is 1 where Kafka's own breaks anything that is not known, where one of the others breaks what it is not known to break or fails a case that it is not
known to fail (known-failures.txt), and where one does not start. ``--write`` stores what was judged for `kassay scoreboard`.
"""

import asyncio
import json
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, redirect_stdout
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from io import StringIO
from itertools import chain
from pathlib import Path

from kassay.cli import main as kassay
from kassay.conformance.fixture_runner import FAILED, PASSES, compare_with_known, read_known
from kassay.conformance.fixtures import FORMAT
from kassay.conformance.group import Chosen, read_chosen_cases
from kassay.conformance.group_playback import Broker as Settings
from kassay.conformance.group_playback import play_cases
from kassay.conformance.scoreboard import PROTOCOL_RUNS, Judged, build_part, write_judged
from kassay.errors import InputError
from kassay.protocol.server.addresses import parse_coordinator_address
from kassay.protocol.server.external_cluster import Cluster, build_prefix
from kassay.protocol.simulation.steps import BEHAVIOURS, NEWEST

HERE = Path(__file__).parent
DELAY_MS = 3_000
"""As the cases of group.json have it, and Kafka by default."""
sys.path[:1] = [
    str(HERE.parent / "broker"),
    str(HERE.parents[1] / "tests"),
]  # not this folder, whose file has the name of a package of the tests


@dataclass(frozen=True)
class Broker:
    """How a broker is started, with which options it is judged, and which promises it is known to break."""

    started: Callable[[], AbstractContextManager[str]]
    options: Sequence[str]
    breaks: frozenset[str]
    release: str
    delay_ms: int = 0
    alone: bool = False
    """Whether some cases end it."""

    @property
    def of_fixtures(self) -> list[str]:
        """Return the options of `kassay fixtures run`."""
        kept = [word for word in self.options if word == "--old-versions"]
        like = [*self.options[:2]] if "--like" in self.options else []
        return [
            *kept,
            *like,
            "--initial-delay",
            str(self.delay_ms),
            "--known",
            str(HERE / "known-failures.txt"),
        ]


@contextmanager
def kafka(release: str) -> Iterator[str]:
    """Run three brokers of a release of Kafka."""
    from cluster import running

    with tempfile.TemporaryDirectory() as folder, running(Path(folder), release, DELAY_MS) as cluster:
        yield cluster.address.partition(",")[0]


@contextmanager
def kfake() -> Iterator[str]:
    """Build and run franz-go's fake cluster."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "kfake"
        built = subprocess.run(
            ["go", "build", "-o", str(program), "."],
            cwd=HERE / "kfake",
            capture_output=True,
            text=True,
            check=False,
        )
        if built.returncode:
            raise InputError(f"kfake does not build: {built.stderr.strip()}")
        with _program([str(program)]) as address:
            yield address


@contextmanager
def mock() -> Iterator[str]:
    """Run librdkafka's mock cluster, in a process of its own, for it ends by an assertion where members have no protocol in common."""
    with _program([sys.executable, str(HERE / "mock_cluster.py")]) as address:
        yield address


@contextmanager
def _program(command: list[str]) -> Iterator[str]:
    """Run a program that prints its address, and ends with its standard input."""
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.kill()


BROKERS = {
    "kafka-4.4.0": Broker(partial(kafka, "4.4.0"), (), frozenset(), "4.4.0", DELAY_MS),
    "kafka-4.3.1": Broker(partial(kafka, "4.3.1"), ("--like", "kafka@4.3.1"), frozenset(), "4.3.1", DELAY_MS),
    "kfake": Broker(kfake, (), frozenset({"one_leader", "known_by_what_it_says", "legal_target_assignment"}), "2026-09-18"),
    "mock": Broker(
        mock,
        ("--old-versions", "--no-questions", "--faults", "crash,leave,death,departure,pause,stall,commit,subscribe,cut,loss,delay,reorder,duplicate"),
        frozenset({"requests_answered", "owned_in_time", "eventually_converges", "legal_target_assignment", "bounded_rounds", "stays_stable"}),
        "2.16.0",
        DELAY_MS,
        alone=True,
    ),
}  # fmt: skip


def judged(name: str, options: Sequence[str]) -> bool:
    """Judge a broker, and say whether it breaks no more than is known."""
    broker = BROKERS[name]
    print(f"{name} {' '.join((*broker.options, *options))}", flush=True)
    with broker.started() as address, redirect_stdout(StringIO()) as said:
        status = kassay(["simulate", "--coordinator", address, *broker.options, *options, "--json"])
    records = [json.loads(line) for line in said.getvalue().splitlines()]
    for one in records:
        if one["record"] == "verdict" and one["outcome"] != "kept":
            print(
                f"  {one['outcome']}: {one['property']} on {one['breaches']} of {one['judged']}: {one['message']}"
            )
        if one["record"] == "answers otherwise":
            print(f"  {one['question']}: Kafka {one['kafka']!r}, {name} {one['coordinator']!r}")
    broken = {one["property"] for one in records if one["record"] == "verdict" and one["outcome"] == "broken"}
    if "--write" in sys.argv:
        verdicts = [one for one in records if one["record"] == "verdict"]
        others = [one for one in records if one["record"] == "answers otherwise"]
        line = shlex.join(["nox", "-s", "parity", "--", "coordinator", "--over-the-wire", name, *options])
        part = build_part(" ".join(broker.options), verdicts)
        today = datetime.now(UTC).date().isoformat()
        write_judged(
            PROTOCOL_RUNS,
            Judged(FORMAT, "coordinator", name.partition("-")[0], broker.release, today, line, [part]),
        )
        print(f"  {len(others)} answers otherwise than Kafka")
    more = broken - broker.breaks
    print(
        f"{name}: exit status {status}; breaks {', '.join(sorted(broken)) or 'nothing'}{'; NEW: ' + ', '.join(sorted(more)) if more else ''}",
        flush=True,
    )
    return not more and status in (0, 1)


async def asked_alone(name: str) -> bool:
    """Ask a broker the cases of group.json that some of them end: each case asks one of its own, twelve at a time."""
    broker, free = BROKERS[name], asyncio.Semaphore(12)

    async def one(case: Chosen) -> list[tuple[Chosen, dict[str, str] | str]]:
        async with free:
            with broker.started() as address:
                cluster = Cluster(
                    parse_coordinator_address(address),
                    build_prefix(),
                    remote=False,
                    old="--old-versions" in broker.options,
                )
                return await play_cases(
                    cluster, [case], [], Settings(broker.delay_ms, None, BEHAVIOURS[NEWEST])
                )

    found = await asyncio.gather(*map(one, read_chosen_cases()))
    known = read_known(str(HERE / "known-failures.txt"))
    run = compare_with_known(name, known, ((case, checks, {}) for case, checks in chain.from_iterable(found)))
    wrong = [each for each in run.checked if each.outcome in (FAILED, PASSES)]
    for each in wrong:
        print(f"  {each.case.id}: {each.outcome}: {each.wrong}")
    print(
        f"{name}: {len(run.checked)} cases asked, {sum(bool(each.wrong) for each in run.checked)} answered otherwise than by Kafka; {len(wrong)} not as known"
    )
    return run.status == 0


def asked(name: str, options: Sequence[str]) -> bool:
    """Ask a broker the cases of group.json, and say whether it fails no more than is known."""
    broker = BROKERS[name]
    if broker.alone:
        return asyncio.run(asked_alone(name))
    with broker.started() as address:
        words = [f"coordinator:{address}", "--name", name, *broker.of_fixtures, *options]
        print(name, *words[3:], flush=True)
        return kassay(["fixtures", "run", *words]) == 0


def main() -> int:
    """Judge the brokers that are named, or all."""
    words = [word for word in sys.argv[1:] if word not in ("--over-the-wire", "--fixtures", "--write")]
    named = [word for word in words if word in BROKERS]
    options = [word for word in words if word not in BROKERS]
    ask = asked if "--fixtures" in sys.argv else judged
    good = [ask(name, options) for name in named or BROKERS]
    return int(not all(good))


if __name__ == "__main__":
    sys.exit(main())
