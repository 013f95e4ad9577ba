"""Lead the consumers of ten libraries through generated groups: ``python parity/clients/lead.py [CLIENT...] [--groups N] [--seed N] [--write]``.

The programs of examples/clients are built into build/clients first. For each strategy a line tells how the client learns of topics, how many
groups a second it leads, and on how many its answer is that of the reference of the same name, is another, or is none. The status is 1 where a
client whose answers are known to be the reference's gives another one, or leads no group, or cannot be built.
"""

import argparse
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

from kassay.conformance.fixtures import FORMAT
from kassay.conformance.scoreboard import PROTOCOL_RUNS, Judged, Kind, Part, Promise, write_judged
from kassay.engine import generate
from kassay.errors import InputError, SkippedError, TargetGoneError
from kassay.families import family
from kassay.families.assignors import ASSIGNORS
from kassay.model import AssignorError
from kassay.output.block import BROKEN, KEPT
from kassay.reference.consumer.members import apply_leader_order
from kassay.targets import Limits, Options, open_target
from kassay.targets.java import SLF4J_API, SLF4J_NOP
from kassay.targets.java.releases import find_newest
from kassay.targets.maven.java_programs import compile_sources, find_java
from kassay.targets.maven.repository import fetch

FAMILY = family("consumer")
ROOT = Path(__file__).parents[2]
SOURCES, BUILD = ROOT / "examples" / "clients", ROOT / "build" / "clients"
THEIRS, OTHERS = "as the reference", "otherwise than the reference"
FRESH = "as the reference where a fresh client is asked, otherwise where it has led others"
ALONE = 50
"""How many groups are also asked about one by one."""
MOST = 160
"""How many characters of a sentence are kept."""


@dataclass(frozen=True, slots=True)
class Library:
    """A client library: the words of its command, made once it is built, its release, and its strategies, each with the reference it equals, if one."""

    command: Callable[[], Sequence[str]]
    release: Callable[[], str]
    strategies: Mapping[str, str | None]


def python(name: str) -> Callable[[], Sequence[str]]:
    """Return what makes the command of a program in Python."""
    return lambda: [sys.executable, str(SOURCES / name)]


def node(name: str) -> Callable[[], Sequence[str]]:
    """Return what installs the libraries of Node and makes the command of a program."""

    def command() -> Sequence[str]:
        folder = BUILD / "node"
        folder.mkdir(parents=True, exist_ok=True)
        for file in ("package.json", "package-lock.json", name):
            shutil.copy(SOURCES / file, folder)
        built(["npm", "ci", "--silent", "--no-audit", "--no-fund"], folder)
        return ["node", str(folder / name)]

    return command


def go(name: str) -> Callable[[], Sequence[str]]:
    """Return what builds a program in Go and makes its command."""

    def command() -> Sequence[str]:
        built(["go", "build", "-o", str(BUILD / "go" / name), f"./{name}"], SOURCES / "go")
        return [str(BUILD / "go" / name)]

    return command


def rust() -> Sequence[str]:
    """Build the program in Rust and return its command."""
    built(
        ["cargo", "build", "--release", "--quiet", "--locked", "--target-dir", str(BUILD / "rust")],
        SOURCES / "rust",
    )
    return [str(BUILD / "rust" / "release" / "client")]


def java() -> Sequence[str]:
    """Compile the program in Java and return its command."""
    jars = [find_newest("kafka-clients"), SLF4J_API, SLF4J_NOP]
    classes = compile_sources([SOURCES / "java" / "Client.java"], jars[:1])
    return find_java().command([classes, *map(fetch, jars)], "Client")


def built(command: Sequence[str], folder: Path) -> None:
    """Run what builds a client; raises InputError where it is not there or fails."""
    if shutil.which(command[0]) is None:
        raise InputError(f"needs {command[0]}")
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise InputError(f"{shlex.join(command)} fails: {done.stderr.strip().splitlines()[-1:]}")


def named(file: str, pattern: str) -> Callable[[], str]:
    """Return what finds the release in a file of examples/clients."""

    def release() -> str:
        (found,) = re.findall(pattern, (SOURCES / file).read_text())
        return str(found)

    return release


def installed(package: str) -> Callable[[], str]:
    """Return what tells which release of a package is installed."""
    return lambda: version(package)


LIBRARIES = {
    "librdkafka": Library(python("librdkafka.py"), lambda: str(import_module("confluent_kafka").libversion()[0]), {"range": None, "roundrobin": None, "cooperative-sticky": None}),
    "kafka-python": Library(python("kafka_python.py"), installed("kafka-python"), {"range": None, "roundrobin": None, "sticky": None, "cooperative-sticky": None}),
    "aiokafka": Library(python("aiokafka_.py"), installed("aiokafka"), {"range": None, "roundrobin": None, "sticky": None}),
    "kafkajs": Library(node("kafkajs.mjs"), named("package.json", r'"kafkajs": "(.+)"'), {"": None}),
    "platformatic": Library(node("platformatic.mjs"), named("package.json", r'platformatic/kafka": "(.+)"'), {"": None}),
    "java": Library(
        java,
        lambda: find_newest("kafka-clients").version,
        {
            "RangeAssignor": "consumer/range",
            "RoundRobinAssignor": "consumer/roundrobin",
            "StickyAssignor": "consumer/sticky",
            "CooperativeStickyAssignor": "consumer/cooperative-sticky",
        },
    ),
    "franz-go": Library(go("franz-go"), named("go/go.mod", r"twmb/franz-go v(.+)"), {"range": None, "roundrobin": None, "sticky": None, "cooperative-sticky": None}),
    "sarama": Library(go("sarama"), named("go/go.mod", r"IBM/sarama v(.+)"), {"": None}),
    "kafka-go": Library(go("kafka-go"), named("go/go.mod", r"segmentio/kafka-go v(.+)"), {"": None}),
    "krafka": Library(rust, named("rust/Cargo.toml", r'krafka = "=(.+)"'), {"range": None, "roundrobin": None, "cooperative-sticky": None}),
}  # fmt: skip


def led(command: Sequence[str], strategy: str, reference: str | None, groups: Sequence[object]) -> tuple[Part, bool]:  # fmt: skip
    """Lead a client through groups, print what came of it, and say whether that is as it should be."""
    spec = f"client:{shlex.join([*command, *([strategy] if strategy else [])])}"
    options = Options(limits=Limits(memory_mb=4096))
    with open_target(spec, options) as target:
        target.answers(groups[:1])  # it learns
        began = time.monotonic()
        answers = target.answers(groups)
        together = len(groups) / (time.monotonic() - began)
        began = time.monotonic()
        target_alone = [target.answers([group]) for group in groups[:ALONE]]
        alone = len(target_alone) / (time.monotonic() - began)
        promised = target.promises or frozenset()
    counted: Counter[str] = Counter()
    alike = reference or f"consumer/{strategy}"
    for answer, group in zip(answers, groups, strict=True):
        judged = _judged(answer, group, alike)
        if judged == OTHERS and reference is not None:
            with open_target(spec, options) as fresh:
                judged = FRESH if _judged(fresh.answers([group])[0], group, alike) == THEIRS else OTHERS
        counted[judged] += 1
    said = ", ".join(f"{number} {what}" for what, number in counted.most_common())
    print(f"  {strategy or 'its own':28} {together:6.0f} groups a second, {alone:5.0f} one by one: {said}")
    asked = [one for one in zip(groups, answers, strict=True) if not isinstance(one[1], SkippedError)]
    promises = [*_promises(asked, promised)]
    for one in promises:
        if one.breaches:
            print(f"    {one.name} broken on {one.breaches} of {one.judged}: {one.says}")
    figures = {"groups a second": f"{together:.0f}", "one by one": f"{alone:.0f}"}
    if alike in ASSIGNORS:
        figures["as Kafka"] = f"{counted[THEIRS]}/{len(asked)}"
    led_any = any(counted[what] for what in ("answered", THEIRS, OTHERS, FRESH))
    good = led_any and not (reference and counted[OTHERS])
    return Part(strategy or "its own", promises, figures), good


def _promises(asked: Sequence[tuple[object, object]], promised: frozenset[str]) -> Iterator[Promise]:
    """Judge the answers by the invariants that are promised, and count those that failed."""
    failed = [str(answer) for _, answer in asked if isinstance(answer, Exception)]
    yield _promise("crash_free", failed, len(asked))
    answered = [one for one in asked if not isinstance(one[1], Exception)]
    for name, invariant in FAMILY.invariants.items():
        if name in promised:
            broken = [
                str(said) for said in (next(invariant(*one), None) for one in answered) if said is not None
            ]
            yield _promise(name, broken, len(answered))


def _promise(name: str, broken: Sequence[str], judged: int) -> Promise:
    says = min(broken, key=len, default="")
    return Promise(
        name, BROKEN if broken else KEPT, len(broken), judged, says[:MOST] + " ..." * (len(says) > MOST)
    )


def _judged(answer: object, group: object, alike: str) -> str:
    if isinstance(answer, SkippedError):
        return "skipped"
    if alike not in ASSIGNORS:
        return "failed" if isinstance(answer, Exception) else "answered"
    try:
        wanted = {
            member: set(given) for member, given in ASSIGNORS[alike].assign(apply_leader_order(group)).items()
        }
    except AssignorError:
        wanted = None
    found = (
        None if isinstance(answer, Exception) else {member: set(given) for member, given in answer.items()}
    )
    return THEIRS if found == wanted else OTHERS


def store(kind: Kind, name: str, parts: list[Part], options: Sequence[str]) -> None:
    """Store what came of a client, with today's date and the options of the session."""
    line = shlex.join(["nox", "-s", "parity", "--", *options])
    called = "kafka-clients" if name == "java" else name
    today = datetime.now(UTC).date().isoformat()
    write_judged(PROTOCOL_RUNS, Judged(FORMAT, kind, called, LIBRARIES[name].release(), today, line, parts))


def main() -> int:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "clients",
        nargs="*",
        choices=[[], *LIBRARIES],
        metavar="CLIENT",
        help=f"of {', '.join(LIBRARIES)}; default: all",
    )
    parser.add_argument(
        "--groups", type=int, default=500, help="how many groups each strategy is led through; default: 500"
    )
    parser.add_argument("--seed", type=int, default=0)  # fmt: skip
    parser.add_argument("--write", action="store_true", help="store what came of it")
    asked = parser.parse_args()
    groups = list(generate.draw_groups(FAMILY, asked.groups, asked.seed))
    good = True
    for name in asked.clients or LIBRARIES:
        print(name, flush=True)
        library = LIBRARIES[name]
        try:
            command = library.command()
            parts = []
            for strategy, reference in library.strategies.items():
                part, well = led(command, strategy, reference, groups)
                parts.append(part)
                good = well and good
            if asked.write:
                store(
                    "leader",
                    name,
                    parts,
                    ["clients", "--groups", str(asked.groups), "--seed", str(asked.seed)],
                )
        except (InputError, TargetGoneError) as failure:
            print(f"  {failure}")
            good = False
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
