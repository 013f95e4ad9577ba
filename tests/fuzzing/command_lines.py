"""Command lines that read what others wrote, from the file to the exit status, each with documents that it takes."""

import json
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
from fuzzing.readers import FINDING, GRID, LISTINGS
from reports.sweep_of_loops import write_sweep

from kassay.cli import main
from kassay.engine.generate import draw_examples
from kassay.families import FAMILIES, family
from kassay.protocol.simulation.schedule import CHAPTERS, build_saved

ROOT = Path(__file__).parents[2]
FILE = "input"
"""The fuzzed document is in a file of this name, in a folder with only copies of `beside`."""
STATUSES = {0, 1, 2, 3, 130}
LONGEST_S, MOST_MB = 60, 1024
"""The time and the memory limit of one command."""
RUNAWAY_MB = 6144
"""A process that asks for more is stopped, so that the machine lives on."""
BUG = "this is a bug of kassay"
SMALL = {
    "topics": [{"name": "t0", "partitions": 3}, {"name": "t1", "partitions": 2}],
    "members": [
        {"id": "m0", "topics": ["t0", "t1"], "owned": [["t0", 0], ["t1", 0]], "generation": 3},
        {"id": "m1", "topics": ["t0", "t1"], "owned": [["t0", 1]], "generation": 3},
    ],
}
WEIGHTS = {
    "topics": [{"name": "t0", "weights": [3, 1, 2]}, {"name": "t1", "weights": [5, 1]}],
    "weight_unit": "bytes/s",
}
SETTINGS = """targets = ["consumer/range"]
promises = ["complete", "balanced"]
examples = 3
seeds = [0, 1]
strict = false
timeout = 5
[profiles.ci]
examples = 2
except = ["balanced=racks_decide"]
"""
ACCESS = """security.protocol=SASL_SSL
sasl.mechanism=SCRAM-SHA-256
sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required username="me" password="p\\u00e9";
ssl.truststore.type=PEM
ssl.endpoint.identification.algorithm=
request.timeout.ms=100
default.api.timeout.ms=100
"""
RPK = """GROUP        shop
COORDINATOR  1
STATE        Stable
BALANCER     cooperative-sticky
MEMBERS      2
TOTAL-LAG    7

TOPIC   PARTITION  CURRENT-OFFSET  LOG-START-OFFSET  LOG-END-OFFSET  LAG  MEMBER-ID  CLIENT-ID  HOST
orders  0          10              0                 12              2    a-1        a          10.0.0.1
orders  1          10              0                 15              5    b-2        b          10.0.0.2
"""
LAST = {"format": 1, "kassay": "0.2.0", "failures": [{"target": "consumer/range", "promise": "balanced", "family": "consumer", "says": "m0 holds 2", "group": SMALL}]}  # fmt: skip


@dataclass(frozen=True)
class CommandLine:
    """A command line, the documents whose changed copies its file is, and the other files that it needs, by name."""

    words: tuple[str, ...]
    documents: tuple[bytes, ...]
    beside: Mapping[str, bytes | Path] = field(default_factory=dict)
    name: str = FILE
    """The path of the changed copy."""


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    status: int
    printed: bytes
    told: str
    seconds: float
    peak_mb: int


def run_command(words: Sequence[str], folder: Path) -> Ended:
    """Run kassay in a process of its own in a folder, within bounds."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        began = time.monotonic()
        process = os.fork()
        if not process:
            _become(words, folder, out.fileno(), err.fileno())
        status, used = _wait(process, began + LONGEST_S)
        seconds = time.monotonic() - began
        out.seek(0)
        err.seek(0)
        told = err.read().decode(errors="replace")
        return Ended(os.waitstatus_to_exitcode(status), out.read(), told, seconds, used.ru_maxrss // 1024)


def _wait(process: int, deadline: float) -> tuple[int, resource.struct_rusage]:
    pause = 0.002
    while True:
        ended, status, used = os.wait4(process, os.WNOHANG)
        if ended:
            return status, used
        if time.monotonic() > deadline:
            os.killpg(process, signal.SIGKILL)
            _, status, used = os.wait4(process, 0)
            return status, used
        time.sleep(pause)
        pause = min(0.1, pause * 1.5)


def _become(words: Sequence[str], folder: Path, out: int, err: int) -> None:
    """Turn this process into the command; it never returns."""
    status = 70
    try:
        os.setsid()
        os.chdir(folder)
        nothing = os.open(os.devnull, os.O_RDONLY)
        for number, handle in enumerate((nothing, out, err)):
            os.dup2(handle, number)
        sys.stdin, sys.stdout, sys.stderr = os.fdopen(0), os.fdopen(1, "w"), os.fdopen(2, "w")
        os.environ |= {
            "HOME": str(folder),
            "XDG_CACHE_HOME": str(folder),
            "TMPDIR": str(folder),
            "KASSAY_REPLAY": "1",
        }
        os.environ.pop("COLUMNS", None)
        tempfile.tempdir = None
        resource.setrlimit(resource.RLIMIT_DATA, (RUNAWAY_MB * 2**20,) * 2)
        status = main([*words])
    except SystemExit as ended:
        status = ended.code if isinstance(ended.code, int) else 70
    except BaseException:  # noqa: BLE001 - whatever it is, it is told
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def find_trouble(line: CommandLine, content: bytes) -> str | None:
    """Run a command line on a document; return what it did that it must not, None if nothing."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as place:
        folder = Path(place)
        for name, given in {**line.beside, line.name: content}.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            if isinstance(given, Path):
                shutil.copytree(given, folder / name, dirs_exist_ok=True)
            else:
                (folder / name).write_bytes(given)
        ended = run_command(line.words, folder)
        traces = "".join(path.read_text(errors="replace") for path in folder.glob("kassay-bug-*.txt"))
    return next(_troubles(line, ended, traces), None)


def _troubles(line: CommandLine, ended: Ended, traces: str) -> Iterator[str]:
    if ended.seconds > LONGEST_S:
        yield f"took over {LONGEST_S} seconds"
    if BUG in ended.told or "Traceback (most recent call last)" in ended.told or traces:
        yield traces or ended.told
    if ended.status not in STATUSES:
        yield f"ended with {ended.status}: {ended.told[-2000:]}"
    if ended.peak_mb > MOST_MB:
        yield f"took {ended.peak_mb} MB"
    if ended.status == 2 and not ended.told.strip():
        yield "exit status 2 without a sentence"
    if "--json" in line.words:
        for each in ended.printed.splitlines():
            try:
                msgspec.json.decode(each)
            except msgspec.DecodeError:
                yield f"prints what is no JSON: {each[:200]!r}"


def _run_command(words: Sequence[str], **files: bytes) -> bytes:
    """Return the output of a command, with more files in its folder."""
    with tempfile.TemporaryDirectory() as place:
        for name, content in files.items():
            Path(place, name).write_bytes(content)
        ended = run_command(words, Path(place))
        assert ended.status in {0, 1, 3}, ended.told
        return ended.printed


def _line(
    words: str, *documents: bytes, beside: Mapping[str, bytes | Path] | None = None, name: str = FILE
) -> CommandLine:
    return CommandLine(tuple(words.split()), documents, beside or {}, name)


def command_lines(folder: Path) -> dict[str, CommandLine]:
    """Return all command lines by name; a sweep that they need is made in a folder."""
    made = {
        **_list_group_commands(),
        **_list_listing_commands(),
        **_list_certificate_commands(),
        **_list_check_commands(),
        **_list_fixture_commands(),
        **_list_simulation_commands(),
    }
    write_sweep(folder / "sweep", 4, ("consumer/range", "consumer/sticky"), ("balance",))
    run = (folder / "sweep" / "run.json").read_bytes()
    beside = {"sweep": folder / "sweep"}
    swept = "compare consumer/range --sweep sweep --not-worse-than consumer/sticky --json"
    grids = [path.read_bytes() for path in sorted((ROOT / "grids").glob("*.toml"))]
    made |= {
        "sweep: run": _line(swept, run, beside=beside, name="sweep/run.json"),
        "sweep: grid": _line(f"sweep {FILE} -o file/sweep", GRID.encode(), *grids, beside={"file": b""}),
        "sweep: diff": _line("diff sweep sweep", run, beside=beside, name="sweep/run.json"),
    }
    note = next((folder / "sweep").rglob("*parts*.json"), None)
    if note is not None:
        made["sweep: parts"] = _line(
            swept, note.read_bytes(), beside=beside, name=str(note.relative_to(folder))
        )
    return made


def _list_group_commands() -> dict[str, CommandLine]:
    made = {}
    for name in FAMILIES:
        known = family(name)
        several = next(iter(known.shape.sizes.values()))
        groups = sorted(draw_examples(known.shape.groups(), 24, 0), key=lambda each: several(each) < 2)[:12]
        written = [json.dumps(known.write_group(each)).encode() for each in groups]
        documents = (*written[:8], b"\n".join(written[8:]))
        target = next(iter(known.settable), "") or f"{name}/*"
        lines = {
            "compare": f"compare --group {FILE}",
            "assign": f"assign {target} {FILE}",
            "check": f"check {target} --group {FILE} --examples 0 --json",
            "what-if": f"what-if --group {FILE} --join 1 --json",
            "explain": f"explain {FILE}",
        }
        if known.oracles is not None:
            question = next(iter(known.oracles.levels))
            lines["optimum"] = f"optimum {question} {FILE} --time-limit 5 --json"
            if known.oracles.frontiers is not None:
                lines["frontier"] = f"frontier {FILE} --time-limit 5"
            if known.oracles.over_time is not None:
                lines["over-time"] = f"over-time --group {FILE} --restart 1 --time-limit 5"
        made |= {f"{name}: {command}": _line(words, *documents) for command, words in lines.items()}
    group = json.dumps(SMALL).encode()
    listed = [path.read_bytes() for path in sorted((ROOT / "examples" / "groups").glob("*.txt"))]
    project = "[tool.kassay]\n" + SETTINGS.replace("[profiles", "[tool.kassay.profiles")
    weights = json.dumps(WEIGHTS).encode()
    return made | {
        "playground": _line(f"playground --group {FILE} --no-browser", group, *listed),
        "weights": _line(
            f"compare --group g.json --weights {FILE} --json", weights, beside={"g.json": group}
        ),
        "settings": _line("check", SETTINGS.encode(), name="kassay.toml"),
        "shared settings": _line("check --profile ci", project.encode(), name="pyproject.toml"),
    }


def _list_listing_commands() -> dict[str, CommandLine]:
    read = {path.stem: path.read_bytes() for path in sorted(LISTINGS.iterdir())}
    whole = [
        b"\n".join(read[name] for name in names.split())
        for names in (
            "members topics", "members offsets states topics", "coordinated-members coordinated-topics coordinated-states",
            "share-members share-offsets share-states", "streams-groups-members streams-groups-states",
            "streams-members streams-topics", "streams-tasks",
        )
    ]  # fmt: skip
    examples = [path.read_bytes() for path in sorted((ROOT / "examples" / "groups").glob("*.txt"))]
    every = (*whole, read["connect"], read["connect-alone"], RPK.encode(), *examples)
    racks = (b"BROKER RACK\n1 a\n2 b\n", read["brokers"])
    members, lagging, streams = ({"g.txt": whole[number]} for number in (0, 1, 5))
    access = f"import --bootstrap-server 127.0.0.1:1 --command-config {FILE} --group g"
    streams_words = f"import g.txt --family streams --end-offsets {FILE}"
    return {
        "listing: import": _line(f"import {FILE} --json", *every),
        "listing: compare": _line(f"compare --group {FILE}", *every),
        "listing: what-if": _line(f"what-if --group {FILE} --leave 1", *every),
        "racks": _line(f"import g.txt --racks {FILE}", *racks, beside=members),
        "member racks": _line(f"import g.txt --member-racks {FILE}", b"MEMBER RACK\nm0 a\n", beside=members),
        "earlier": _line(f"import g.txt --earlier {FILE} --seconds 60", whole[1], beside=lagging),
        "end offsets": _line(streams_words, read["streams-end-offsets"], beside=streams),
        "command config": _line(access, ACCESS.encode(), b"security.protocol=PLAINTEXT\n"),
    }


def _list_certificate_commands() -> dict[str, CommandLine]:
    beside = {"g.json": json.dumps(SMALL).encode()}
    made = {}
    for question in ("balance,moves", "copies=2,balance"):
        answer = _run_command(["optimum", question, "g.json", "--json"], **beside)
        made[f"certificate: {question}"] = _line(
            f"optimum --verify {FILE} g.json --json", answer, beside=beside
        )
        made[f"certificate's group: {question}"] = _line(
            f"optimum --verify a.json {FILE}", *beside.values(), beside={"a.json": answer}
        )
    frontiers = _run_command(["frontier", "g.json", "--json"], **beside)
    made["frontiers"] = _line(f"frontier g.json --verify {FILE}", frontiers, beside=beside)
    words = "over-time --group g.json --restart 1"
    answers = _run_command([*words.split(), "--json"], **beside)
    made["certificates over time"] = _line(f"{words} --verify {FILE}", answers, beside=beside)
    return made


def _list_check_commands() -> dict[str, CommandLine]:
    findings = [path.read_bytes() for path in sorted((ROOT / "examples" / "findings").glob("*.json"))]
    ours = tuple(one for one in findings if ":" not in json.loads(one)["target"])
    finding = json.dumps(FINDING).encode()
    known = json.dumps(LAST).encode()
    check = "check consumer/range --promise balanced --promise complete --examples 2"
    made = {
        "finding": _line(f"explain {FILE} --json", finding, *ours),
        "finding: another target": _line(f"explain {FILE} --target consumer/sticky", finding, *findings[:12]),
        "finding: a test": _line(f"explain {FILE} --as pytest", finding, *ours),
        "baseline": _line(f"{check} --baseline {FILE}", known),
        "baseline: written": _line(f"{check} --write-baseline {FILE}", known),
        "last failures": _line(check, known, name=".kassay/failures.json"),
    }
    for words in (f"{check} --json", "compare --group g.json --json"):
        printed = _run_command(words.split(), **{"g.json": json.dumps(SMALL).encode()})
        made[f"diff: {words.split()[0]}"] = _line(
            f"diff a.jsonl {FILE}", printed, beside={"a.jsonl": printed}
        )
    return made


def _list_fixture_commands() -> dict[str, CommandLine]:
    folder = ROOT / "src" / "kassay" / "fixtures"
    package = {"f/package.json": (folder / "package.json").read_bytes()}
    made = {}
    for name in ("consumer", "streams", "connect", "broker", "share", "streams-group"):
        whole = json.loads((folder / f"{name}.json").read_bytes())
        few = json.dumps({**whole, "count": 3, "cases": whole["cases"][:3]}).encode()
        target = next(iter(family(name).settable))
        place = f"f/{name}.json"
        made |= {
            f"fixtures: diff {name}": _line(f"fixtures diff old.json {FILE}", few, beside={"old.json": few}),
            f"fixtures: run {name}": _line(
                f"fixtures run {target} --fixtures f", few, beside=package, name=place
            ),
            f"fixtures: verify {name}": _line(
                f"fixtures verify {name} --fixtures f", few, beside={"f": folder}, name=place
            ),
        }
    runs = sorted((ROOT / "src" / "kassay" / "conformance" / "runs").glob("*.json"))
    small = sorted((path.read_bytes() for path in runs), key=len)[:4]
    failing = b"# known\nrange consumer-0001 balanced\nconsumer/range consumer-0002 *\n"
    known = f"fixtures run consumer/range --case consumer-000* --known {FILE}"
    return made | {
        "scoreboard": _line(f"scoreboard {FILE} --json", *small),
        "known failures": _line(known, failing),
    }


def _list_simulation_commands() -> dict[str, CommandLine]:
    documents = [
        msgspec.json.encode(build_saved(one.schedule("kafka@4.4.0"), target=one.target))
        for scenarios in CHAPTERS.values()
        for one in scenarios.values()
    ]
    return {"replay": _line(f"simulate --replay {FILE} --json", *documents[:12])}
