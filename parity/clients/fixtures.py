"""Run the fixtures on clients of other languages, in the newest and in an older release: ``python parity/clients/fixtures.py [LIBRARY...] [--write] [--times N]``.

Each adapter in adapters/fixtures runs in its own test framework, with its own package manager, and is held to its file of known failures; the releases are
those that stand there (go.mod and older.mod, package.json, pom.xml, newest.txt and older.txt). The status is 1 where anything is not as it is known.
``--write`` writes these files anew, and the run into src/kassay/conformance/runs, for `kassay scoreboard`; of ``--times N`` runs, what fails in some only gets ``~``.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from kassay.conformance.fixture_runner import KnownFailures, read_known
from kassay.conformance.fixtures import read_family_fixtures
from kassay.conformance.scoreboard import write_ranges

ROOT = Path(__file__).parents[2]
ADAPTERS, BUILD = ROOT / "adapters" / "fixtures", ROOT / "build" / "fixtures"
RUNS = ROOT / "src" / "kassay" / "conformance" / "runs"
FIXTURES = read_family_fixtures("consumer")
COMMENTS = {case.id: case.comment for case in FIXTURES.cases}
NEWEST, OLDER = "newest", "older"
KAFKA = "kafka"
"""What adapters/fixtures/kafka holds: assignors of the broker and of Kafka Streams, whose families have no scoreboard yet."""
CAN = ("owned", "generation", "instance_id", "orphan_topic", "unknown_topic", "time_limit")
"""What calls can say; those of Kafka and librdkafka also tell of racks, and none of joined topics."""

Found = dict[tuple[str, str, str], str]
"""Assignor, case and check -> what is wrong, "" where nothing is; only what was judged."""


@dataclass(frozen=True, slots=True)
class Ran:
    """What one run found, whether its framework was content with the file of known failures, and what it printed."""

    found: Found
    content: bool
    said: str


@dataclass(frozen=True, slots=True)
class Library:
    """A client library: its language, how people would run its adapter, its release on either side, and what runs it."""

    language: str
    command: str
    release: Callable[[str], str]
    run: Callable[[str, str], Ran]


def done(command: Sequence[str], folder: Path, **environment: str) -> "subprocess.CompletedProcess[str]":
    """Run a command of a package manager or test framework; raises FileNotFoundError where it is not installed."""
    if shutil.which(command[0]) is None:
        raise FileNotFoundError(f"needs {command[0]}")
    return subprocess.run(
        command, cwd=folder, env=os.environ | environment, capture_output=True, text=True, check=False
    )


def bare(message: str) -> str:
    """Return what is wrong without the words of the framework's test and of its case; "" where the check passes."""
    said = message.strip().removeprefix("known: ")
    if said.startswith("passes now"):
        return ""
    for comment in COMMENTS.values():
        said = said.removeprefix(comment).strip()
    return re.split(r"; it wrote last:|; its standard error ends:", said)[0]


def go_release(module: str, side: str) -> str:
    """Return the release of a Go module that go.mod or older.mod names."""
    listed = done(["go", "list", "-m", "-f", "{{.Version}}", module], ADAPTERS / "go", GOFLAGS=go_flags(side))
    return listed.stdout.strip().removeprefix("v")


def go_flags(side: str) -> str:
    """Return the flags of Go that choose a side."""
    return "-modfile=older.mod" if side == OLDER else ""


def go(test: str, side: str, _release: str) -> Ran:
    """Run one test of Go, and read its events."""
    ended = done(["go", "test", "-count=1", "-json", "-timeout=30m", "-run", f"^{test}$", "."], ADAPTERS / "go", GOFLAGS=go_flags(side))  # fmt: skip
    outputs: dict[str, list[str]] = {}
    found: Found = {}
    for line in ended.stdout.splitlines():
        event = json.loads(line)
        words = event.get("Test", "").split("/")
        if event["Action"] == "output":
            outputs.setdefault(event.get("Test", ""), []).append(event["Output"])
        elif len(words) == 4 and event["Action"] in ("pass", "skip", "fail"):
            said = "".join(outputs.get(event["Test"], []))
            told = re.search(r"fixtures\.go:\d+: (.*)", said)
            found[words[1], words[2], words[3]] = bare(told[1]) if told else ""
    return Ran(found, ended.returncode == 0, "".join(map("".join, outputs.values())) + ended.stderr)


def js_release(package: str, side: str) -> str:
    """Return the release of a package that package.json names."""
    named = json.loads((ADAPTERS / "js" / "package.json").read_text())["devDependencies"]
    return str(named[package + "-older" * (side == OLDER)]).rpartition("@")[2]


def js(file: str, side: str, _release: str) -> Ran:
    """Run one file under node:test, once the packages of package-lock.json are installed."""
    folder = ADAPTERS / "js"
    installed = done(["npm", "ci", "--no-audit", "--no-fund"], folder)
    if installed.returncode:
        return Ran({}, False, installed.stderr)
    ended = done(["node", "--test", "--test-reporter=junit", file], folder, **({"OLDER": "1"} if side == OLDER else {}))  # fmt: skip
    found: Found = {}
    for case in ET.fromstring(ended.stdout).iter("testcase"):
        words = case.get("name", "").split("/")
        if len(words) == 3:
            said = [each.get("message", "") for each in case if each.tag in ("skipped", "failure")]
            found[words[0], words[1], words[2]] = bare(said[0]) if said else ""
    return Ran(found, ended.returncode == 0, ended.stdout)


def rust_release(side: str) -> str:
    """Return the release of krafka that Cargo.toml names."""
    newest, older = re.findall(r'krafka.*"=(.+?)"', (ADAPTERS / "rust" / "Cargo.toml").read_text())
    return str(older if side == OLDER else newest)


def rust(side: str, _release: str) -> Ran:
    """Run the tests of Cargo; those of known failures, too, which it leaves out, for what is wrong with them."""
    older = {"OLDER": "1"} if side == OLDER else {}
    command = ["cargo", "test", "-q", "--test", "krafka", "--", "--test-threads=1"]
    ended = done(command, ADAPTERS / "rust", **older)
    every = done([*command, "--include-ignored"], ADAPTERS / "rust", **older).stdout
    wrong = dict(re.findall(r"^---- (\S+/\S+/\S+) ----\n(.*)$", every, re.MULTILINE))
    names = re.findall(r"^test (\S+)/(\S+)/(\S+) +\.\.\. (?:ok|FAILED)$", every, re.MULTILINE)
    found = {
        (name, case, check): bare(wrong.get(f"{name}/{case}/{check}", "")) for name, case, check in names
    }
    return Ran(found, ended.returncode == 0, ended.stdout[-20000:] + ended.stderr)


def java_release(side: str) -> str:
    """Return the release of kafka-clients that pom.xml names."""
    newest, older = (re.findall(r"<kafka>(.+?)</kafka>", (ADAPTERS / "java" / "pom.xml").read_text())[at] for at in (0, 1))  # fmt: skip
    return str(older if side == OLDER else newest)


def java(side: str, release: str) -> Ran:
    """Run the JUnit tests; what each check finds is asked of kassay's own judge, as Surefire hides the names of what passes."""
    ended = done(["mvn", "-q", "-B", "test", *(["-Polder"] if side == OLDER else [])], ADAPTERS / "java")
    names = ("range", "roundrobin", "sticky", "cooperative-sticky")
    every = {name: f"kafka:{release}#consumer/{name}" for name in names}
    known = ADAPTERS / "java" / f"known-failures-kafka-clients-{release}.txt"
    ours = kassay(every, known, (*CAN, "racks"), release)
    return Ran(ours.found, ours.content and ended.returncode == 0, ended.stdout[-20000:] + ours.said)


def python_release(package: str, side: str) -> str:
    """Return the release of a package of PyPI that newest.txt or older.txt names."""
    named = (ADAPTERS / "python" / f"{side}.txt").read_text()
    return str(re.findall(rf"^{package}==(.+)$", named, re.MULTILINE)[0])


def python(
    library: str, targets: Mapping[str, str], can: Sequence[str], new: str, side: str, release: str
) -> Ran:
    """Run kassay's own judge on targets that find the packages of one side; the older one has not the assignor that is `new`."""
    targets = {name: target for name, target in targets.items() if side == NEWEST or name != new}
    wanted, packages = ADAPTERS / "python" / f"{side}.txt", BUILD / "python" / side
    if not (packages / wanted.name).exists() or (packages / wanted.name).read_text() != wanted.read_text():
        shutil.rmtree(packages, ignore_errors=True)
        install = [sys.executable, "-m", "pip", "install", "-q", "--target", str(packages), "-r", str(wanted)]
        subprocess.run(install, check=True, env={**os.environ, "PIP_NO_INDEX": ""})  # no lock has both sides
        shutil.copy(wanted, packages)
    known = ADAPTERS / "python" / f"known-failures-{library}-{release}.txt"
    return kassay(targets, known, can, PYTHONPATH=str(packages))


def kassay(targets: Mapping[str, str], known: Path, can: Sequence[str] = (), exact: str = "", **environment: str) -> Ran:  # fmt: skip
    """Run `kassay fixtures run` on each target, by the name of Kafka's assignor whose aims it has."""
    found: Found = {}
    content, said = True, []
    for name, target in targets.items():
        command = [sys.executable, "-m", "kassay", "fixtures", "run", target, "--name", name, "--json"]
        command += ["--promises-of", f"consumer/{name}", "--known", str(known)]
        command += [word for need in can for word in ("--can", need)]
        kept = f"{name}@{exact}"
        command += ["--exact", kept] if any(kept in case.exact for case in FIXTURES.cases) else []
        ended = done(command, ROOT, **environment)
        for line in ended.stdout.splitlines():
            record = json.loads(line)
            if record["record"] == "checked":
                found[name, record["case"], record["check"]] = bare(record["wrong"])
                if record["outcome"] not in ("kept", "known failure"):
                    said.append(f"{name} {record['case']} {record['check']} {record['outcome']}: {record['wrong']}")  # fmt: skip
            elif record["record"] == "unchecked":
                said.append(f"never checked: {record['line']}")
        content = content and ended.returncode == 0
        said.append(ended.stderr)
    return Ran(found, content, "\n".join(filter(None, said)))


def go_library(module: str, test: str) -> Library:
    """Return a library of Go."""
    return Library("Go", f"go test -run {test}", partial(go_release, module), partial(go, test))


def js_library(package: str, file: str) -> Library:
    """Return a library of JavaScript."""
    return Library("JavaScript", f"node --test {file}", partial(js_release, package), partial(js, file))


def python_library(
    name: str, package: str, prefix: str, targets: Mapping[str, str], can: Sequence[str] = CAN, new: str = ""
) -> Library:
    """Return a library of Python."""
    named = {assignor: prefix + target for assignor, target in targets.items()}
    command = f"kassay fixtures run '{next(iter(named.values()))}'"
    return Library(
        "Python", command, partial(python_release, package), partial(python, name, named, can, new)
    )


LIBRARIES = {
    "franz-go": go_library("github.com/twmb/franz-go", "TestFranz"),
    "sarama": go_library("github.com/IBM/sarama", "TestSarama"),
    "kafka-go": go_library("github.com/segmentio/kafka-go", "TestKafkaGo"),
    "kafkajs": js_library("kafkajs", "kafkajs.test.mjs"),
    "platformatic": js_library("@platformatic/kafka", "platformatic.test.mjs"),
    "kafka-clients": Library("Java", "mvn test", java_release, java),
    "krafka": Library("Rust", "cargo test", rust_release, rust),
    "kafka-python": python_library(
        "kafka-python", "kafka-python", "python:kafka.coordinator.assignors.",
        {
            "range": "range:RangePartitionAssignor",
            "roundrobin": "roundrobin:RoundRobinPartitionAssignor",
            "sticky": "sticky.sticky_assignor:StickyPartitionAssignor",
            "cooperative-sticky": "cooperative_sticky:CooperativeStickyAssignor",
        }, new="cooperative-sticky",
    ),
    "aiokafka": python_library(
        "aiokafka", "aiokafka", "python:aiokafka.coordinator.assignors.",
        {
            "range": "range:RangePartitionAssignor",
            "roundrobin": "roundrobin:RoundRobinPartitionAssignor",
            "sticky": "sticky.sticky_assignor:StickyPartitionAssignor",
        },
    ),
    "confluent-kafka": python_library(
        "confluent-kafka", "confluent-kafka", "client:python examples/clients/librdkafka.py ",
        {name: name for name in ("range", "roundrobin", "cooperative-sticky")}, (*CAN, "racks"),
    ),
}  # fmt: skip


def written(
    known: KnownFailures,
    release: str,
    library: str,
    found: Found,
    failed: Mapping[tuple[str, str, str], int],
    times: int,
    remarks: Mapping[str, str],
) -> str:
    """Write a file of known failures: what fails in all runs, with ~ what fails in some; what is flaky after one run stays, and so do remarks."""
    flaky = {line for line, count in failed.items() if count < times}
    if times == 1:
        flaky = {line for line in known.flaky if line in found}
    head = remarks.get(
        "", f"# {library} {release}: ASSIGNOR CASE CHECK; a line that passes must be deleted.\n"
    )
    lines = []
    for line in sorted({*failed, *flaky}, key=_order):
        said = " ".join(line)
        counted = f"fails in {failed.get(line, 0)} of {times} runs" if line in flaky and times > 1 else ""
        remark = counted or remarks.get(said, "")
        lines.append("~" * (line in flaky) + said + (f"  # {remark}" if remark else ""))
    return head + "".join(f"{line}\n" for line in lines)


def remarks_of(path: Path) -> dict[str, str]:
    """Return the remarks of a file of known failures by line, and what stands above the first under ""."""
    lines = path.read_text().splitlines(keepends=True) if path.exists() else []
    found = {}
    for line in lines:
        said, mark, remark = line.partition("#")
        if said.strip() and mark:
            found[said.strip().removeprefix("~")] = remark.strip()
    head = [line for line in lines if line.startswith("#")]
    return found | ({"": "".join(head)} if head else {})


def stored(
    name: str,
    library: Library,
    release: str,
    found: Found,
    flaky: Collection[tuple[str, str, str]],
    times: int,
) -> str:
    """Write a run: by assignor which cases kept each check, and what failed."""
    assignors = []
    for assignor in dict.fromkeys(each for each, _, _ in found):
        own = {(case, check): wrong for (each, case, check), wrong in found.items() if each == assignor}
        kept: dict[str, list[int]] = {}
        for (case, check), wrong in sorted(own.items()):
            if not wrong:
                kept.setdefault(check, []).append(int(case.rpartition("-")[2]))
        wrong_ones = [
            {"case": case, "check": check, "wrong": wrong, "flaky": (assignor, case, check) in flaky}
            for (case, check), wrong in sorted(own.items())
            if wrong
        ]
        ranges = {check: write_ranges(numbers) for check, numbers in sorted(kept.items())}
        assignors.append({"name": assignor, "kept": ranges, "failed": wrong_ones})
    head = {
        "format": 1, "library": name, "release": release, "language": library.language, "date": datetime.now(UTC).date().isoformat(),
        "command": library.command, "family": "consumer", "fixtures": FIXTURES.version, "runs": times,
    }  # fmt: skip
    rows = ",\n".join(json.dumps(each, ensure_ascii=False) for each in assignors)
    return f'{json.dumps(head)[:-1]}, "assignors": [\n{rows}\n]}}\n'


def run(name: str, side: str, times: int, *, write: bool) -> bool:
    """Run one library in one release and say what came of it; True where everything is as it is known, or is written anew."""
    library = LIBRARIES[name]
    release = library.release(side)
    folder = (
        ADAPTERS
        / {"Go": "go", "JavaScript": "js", "Java": "java", "Python": "python", "Rust": "rust"}[
            library.language
        ]
    )
    known = folder / f"known-failures-{name}-{release}.txt"
    if not known.exists():
        known.write_text(f"# {name} {release}: ASSIGNOR CASE CHECK; a line that passes must be deleted.\n")
    every = [library.run(side, release) for _ in range(times)]
    found: Found = {}
    counts: Counter[tuple[str, str, str]] = Counter()
    for ran in every:
        for line, wrong in ran.found.items():
            found[line] = found.get(line) or wrong
            counts[line] += bool(wrong)
    failed = {line: counts[line] for line in sorted(found, key=_order) if counts[line]}
    flaky = sum(count < times for count in failed.values())
    print(f"{name} {release}: {len(found)} checks, {len(failed)} fail" + f", {flaky} of them not in all of {times} runs" * bool(flaky), flush=True)  # fmt: skip
    if not found:
        print(every[-1].said[-4000:])
        return False
    if write:
        text = written(read_known(str(known)), release, name, found, failed, times, remarks_of(known))
        known.write_text(text)
        RUNS.mkdir(exist_ok=True)
        unsure = read_known(str(known)).flaky
        (RUNS / f"{name}-{release}.json").write_text(stored(name, library, release, found, unsure, times))
        return True
    listed = read_known(str(known))
    of = listed.lines & found.keys()  # cases that were skipped are skipped with their lines
    new, passing = failed.keys() - of, of - failed.keys() - listed.flaky
    for what, lines in (("fails and is not listed", new), ("passes now", passing)):
        for line in sorted(lines, key=_order):
            print(f"  {' '.join(line)} {what}" + f": {found[line]}" * bool(found[line]))
    content = all(ran.content for ran in every)
    if not (content or new or passing):
        print(f"  {known.relative_to(ROOT)} does not fit: {every[-1].said[-2000:]}")
    return content


def coordinators(side: str) -> bool:
    """Run the adapters of Kafka's server-side and task assignors, which JUnit holds to their known failures."""
    ended = done(["mvn", "-q", "-B", "test", *(["-Polder"] if side == OLDER else [])], ADAPTERS / "kafka")
    print(f"kafka ({side}): {'as it is known' if not ended.returncode else ended.stdout[-4000:]}", flush=True)
    return ended.returncode == 0


def linked(sources: Path) -> bool:
    """Run the adapter in C on librdkafka's own assignors, which its shared library hides; raises FileNotFoundError where its archive is not there."""
    archive = sources / "src" / "librdkafka.a"
    if not archive.exists():
        raise FileNotFoundError(f"needs {archive}; adapters/fixtures/c/Makefile says how to make it")
    ended = done(["make", "test", f"LIBRDKAFKA={sources.resolve()}"], ADAPTERS / "c")
    wrong = re.findall(r"^not ok (?!.*# TODO).*$", ended.stdout, re.MULTILINE)
    kept = len(re.findall(r"^ok \d+ - \S+/\S+/\S+$", ended.stdout, re.MULTILINE))
    print(f"librdkafka, linked: {kept} checks pass, {len(wrong)} are not as they are known", flush=True)
    if ended.returncode:
        print("\n".join(wrong) or ended.stderr[-4000:])
    return kept > 0 and not ended.returncode


def _order(line: tuple[str, str, str]) -> tuple[int, str, str]:
    names = ("range", "roundrobin", "roundRobin", "sticky", "cooperative-sticky")
    return names.index(line[0]), line[1], line[2]


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("libraries", nargs="*", choices=[[], *LIBRARIES, KAFKA], metavar="LIBRARY", help=f"of {', '.join([*LIBRARIES, KAFKA])}; default: all")  # fmt: skip
    parser.add_argument("--side", choices=(NEWEST, OLDER), help="default: both")
    parser.add_argument(
        "--librdkafka",
        type=Path,
        metavar="FOLDER",
        help="also run the adapter in C, linked to the sources in FOLDER",
    )
    parser.add_argument("--times", type=int, default=1, help="run each so often; default: once")
    parser.add_argument("--write", action="store_true", help="write the known failures and the runs anew")
    asked = parser.parse_args()
    good = True
    for name in asked.libraries or [*LIBRARIES, KAFKA]:
        for side in (asked.side,) if asked.side else (NEWEST, OLDER):
            try:
                ran = coordinators(side) if name == KAFKA else run(name, side, asked.times, write=asked.write)
                good = ran and good
            except FileNotFoundError as missing:
                print(f"{name}: {missing}")
                good = False
    if asked.librdkafka:
        try:
            good = linked(asked.librdkafka) and good
        except FileNotFoundError as missing:
            print(f"librdkafka: {missing}")
            good = False
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
