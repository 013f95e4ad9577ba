"""Hold brokers of others to the simulator's invariants, and to Kafka's answers: ``python parity/coordinator/over_the_wire.py [BROKER...] [OPTION...]``.

Brokers: kafka, three of Kafka's own (KRaft); kfake, franz-go's fake cluster; mock, librdkafka's mock cluster. Options are those of `kassay simulate`. The status is 1 where Kafka's own breaks
anything that is not known, where one of the others breaks what it is not known to break, and where one does not start.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

from kassay.cli import main as kassay
from kassay.errors import InputError

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "broker"))


@dataclass(frozen=True)
class Broker:
    """How a broker is started, with which options it is judged, and which promises it is known to break."""

    started: Callable[[], AbstractContextManager[str]]
    options: Sequence[str]
    breaks: frozenset[str]


@contextmanager
def kafka() -> Iterator[str]:
    """Run three brokers of Kafka."""
    from cluster import running

    with tempfile.TemporaryDirectory() as folder, running(Path(folder)) as cluster:
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
    "kafka": Broker(kafka, ("--like", "kafka@4.3.1"), frozenset()),
    "kfake": Broker(kfake, (), frozenset({"one_leader", "known_by_what_it_says", "legal_target_assignment"})),
    "mock": Broker(
        mock,
        ("--old-versions", "--no-questions", "--faults", "crash,leave,death,departure,pause,stall,commit,subscribe,cut,loss,delay,reorder,duplicate"),
        frozenset({"requests_answered", "owned_in_time", "eventually_converges", "legal_target_assignment", "bounded_rounds", "stays_stable"}),
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
    more = broken - broker.breaks
    print(
        f"{name}: exit status {status}; breaks {', '.join(sorted(broken)) or 'nothing'}{'; NEW: ' + ', '.join(sorted(more)) if more else ''}",
        flush=True,
    )
    return not more and status in (0, 1)


def main() -> int:
    """Judge the brokers that are named, or all."""
    words = [word for word in sys.argv[1:] if word != "--over-the-wire"]
    named = [word for word in words if word in BROKERS]
    options = [word for word in words if word not in BROKERS]
    good = [judged(name, options) for name in named or BROKERS]
    return int(not all(good))


if __name__ == "__main__":
    sys.exit(main())
