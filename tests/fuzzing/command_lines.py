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
from kassay.engine.generate import drawn
from kassay.families import FAMILIES, family
from kassay.protocol.simulation.schedule import CHAPTERS, saved

ROOT = Path(__file__).parents[2]
FILE = "input"
"""What is fuzzed lies in a file of this name, in a folder with nothing else than copies of `beside`."""
STATUSES = {0, 1, 2, 3, 130}
LONGEST_S, MOST_MB = 60, 1024
"""So long, and so much memory, one command may take."""
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
    """Where the changed copy lies."""


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


def _printed(words: Sequence[str], **files: bytes) -> bytes:
    """Return what a command prints, with files beside it."""
    with tempfile.TemporaryDirectory() as place:
        for name, content in files.items():
            Path(place, name).write_bytes(content)
        ended = run_command(words, Path(place))
        assert ended.status in {0, 1, 3}, ended.told
        return ended.printed


def command_lines(folder: Path) -> dict[str, CommandLine]:
    """Return all command lines by name; a sweep that they need is made in a folder."""
    made = {
        **dict(_of_groups()),
        **dict(_of_listings()),
        **dict(_of_certificates()),
        **dict(_of_checks()),
        **dict(_of_fixtures()),
        **dict(_of_simulations()),
    }
    write_sweep(folder / "sweep", 4, ("consumer/range", "consumer/sticky"), ("balance",))
    run = (folder / "sweep" / "run.json").read_bytes()
    beside = {"sweep": folder / "sweep"}
    swept = CommandLine(("compare", "consumer/range", "--sweep", "sweep", "--not-worse-than", "consumer/sticky", "--json"), (run,), beside, "sweep/run.json")  # fmt: skip
    note = next((folder / "sweep").rglob("*parts*.json"), None)
    made |= {
        "sweep: run": swept,
        "sweep: grid": CommandLine(("sweep", FILE, "-o", "file/sweep"), (GRID.encode(), *(path.read_bytes() for path in sorted((ROOT / "grids").glob("*.toml")))), {"file": b""}),
        "sweep: diff": CommandLine(("diff", "sweep", "sweep"), (run,), beside, "sweep/run.json"),
    }  # fmt: skip
    if note is not None:
        name = str(note.relative_to(folder))
        made["sweep: parts"] = CommandLine(swept.words, (note.read_bytes(),), beside, name)
    return made


def _of_groups() -> Iterator[tuple[str, CommandLine]]:
    for name in FAMILIES:
        known = family(name)
        several = next(iter(known.shape.sizes.values()))
        groups = sorted(drawn(known.shape.groups(), 24, 0), key=lambda each: several(each) < 2)[:12]
        written = [json.dumps(known.write_group(each)).encode() for each in groups]
        documents = (*written[:8], b"\n".join(written[8:]))
        target = next(iter(known.settable), "") or f"{name}/*"
        lines = {
            "compare": ("compare", "--group", FILE),
            "assign": ("assign", target, FILE),
            "check": ("check", target, "--group", FILE, "--examples", "0", "--json"),
            "what-if": ("what-if", "--group", FILE, "--join", "1", "--json"),
            "explain": ("explain", FILE),
        }
        if known.oracles is not None:
            lines["optimum"] = (
                "optimum",
                next(iter(known.oracles.levels)),
                FILE,
                "--time-limit",
                "5",
                "--json",
            )
            if known.oracles.frontiers is not None:
                lines["frontier"] = ("frontier", FILE, "--time-limit", "5")
            if known.oracles.over_time is not None:
                lines["over-time"] = ("over-time", "--group", FILE, "--restart", "1", "--time-limit", "5")
        for command, words in lines.items():
            yield f"{name}: {command}", CommandLine(words, documents)
    group = json.dumps(SMALL).encode()
    listed = [path.read_bytes() for path in sorted((ROOT / "examples" / "groups").glob("*.txt"))]
    yield "playground", CommandLine(("playground", "--group", FILE, "--no-browser"), (group, *listed))
    weighed = json.dumps(WEIGHTS).encode()
    yield (
        "weights",
        CommandLine(
            ("compare", "--group", "g.json", "--weights", FILE, "--json"), (weighed,), {"g.json": group}
        ),
    )
    yield "settings", CommandLine(("check",), (SETTINGS.encode(),), name="kassay.toml")
    project = SETTINGS.replace("[profiles", "[tool.kassay.profiles")
    yield (
        "shared settings",
        CommandLine(
            ("check", "--profile", "ci"), (f"[tool.kassay]\n{project}".encode(),), name="pyproject.toml"
        ),
    )


def _of_listings() -> Iterator[tuple[str, CommandLine]]:
    read = {path.stem: path.read_bytes() for path in sorted(LISTINGS.iterdir())}
    whole = [
        b"\n".join(read[name] for name in names)
        for names in (
            ("members", "topics"), ("members", "offsets", "states", "topics"), ("coordinated-members", "coordinated-topics", "coordinated-states"),
            ("share-members", "share-offsets", "share-states"), ("streams-groups-members", "streams-groups-states"), ("streams-members", "streams-topics"), ("streams-tasks",),
        )
    ]  # fmt: skip
    every = (
        *whole,
        read["connect"],
        read["connect-alone"],
        RPK.encode(),
        *(path.read_bytes() for path in sorted((ROOT / "examples" / "groups").glob("*.txt"))),
    )
    yield "listing: import", CommandLine(("import", FILE, "--json"), every)
    yield "listing: compare", CommandLine(("compare", "--group", FILE), every)
    yield "listing: what-if", CommandLine(("what-if", "--group", FILE, "--leave", "1"), every)
    members = whole[0]
    racks = (b"BROKER RACK\n1 a\n2 b\n", read["brokers"])
    yield "racks", CommandLine(("import", "g.txt", "--racks", FILE), racks, {"g.txt": members})
    yield (
        "member racks",
        CommandLine(
            ("import", "g.txt", "--member-racks", FILE), (b"MEMBER RACK\nm0 a\n",), {"g.txt": members}
        ),
    )
    lagging = whole[1]
    yield (
        "earlier",
        CommandLine(
            ("import", "g.txt", "--earlier", FILE, "--seconds", "60"), (lagging,), {"g.txt": lagging}
        ),
    )
    streams = whole[5]
    yield (
        "end offsets",
        CommandLine(
            ("import", "g.txt", "--family", "streams", "--end-offsets", FILE),
            (read["streams-end-offsets"],),
            {"g.txt": streams},
        ),
    )
    access = ("import", "--bootstrap-server", "127.0.0.1:1", "--command-config", FILE, "--group", "g")
    yield "command config", CommandLine(access, (ACCESS.encode(), b"security.protocol=PLAINTEXT\n"))


def _of_certificates() -> Iterator[tuple[str, CommandLine]]:
    group = json.dumps(SMALL).encode()
    beside = {"g.json": group}
    for question in ("balance,moves", "copies=2,balance"):
        answer = _printed(["optimum", question, "g.json", "--json"], **{"g.json": group})
        yield (
            f"certificate: {question}",
            CommandLine(("optimum", "--verify", FILE, "g.json", "--json"), (answer,), beside),
        )
        yield (
            f"certificate's group: {question}",
            CommandLine(("optimum", "--verify", "a.json", FILE), (group,), {"a.json": answer}),
        )
    frontiers = _printed(["frontier", "g.json", "--json"], **{"g.json": group})
    yield "frontiers", CommandLine(("frontier", "g.json", "--verify", FILE), (frontiers,), beside)
    words = ("over-time", "--group", "g.json", "--restart", "1")
    answers = _printed([*words, "--json"], **{"g.json": group})
    yield "certificates over time", CommandLine((*words, "--verify", FILE), (answers,), beside)


def _of_checks() -> Iterator[tuple[str, CommandLine]]:
    findings = [path.read_bytes() for path in sorted((ROOT / "examples" / "findings").glob("*.json"))]
    ours = tuple(one for one in findings if ":" not in json.loads(one)["target"])
    finding = json.dumps(FINDING).encode()
    yield "finding", CommandLine(("explain", FILE, "--json"), (finding, *ours))
    yield (
        "finding: another target",
        CommandLine(("explain", FILE, "--target", "consumer/sticky"), (finding, *findings[:12])),
    )
    yield "finding: a test", CommandLine(("explain", FILE, "--as", "pytest"), (finding, *ours))
    known = json.dumps(LAST).encode()
    check = ("check", "consumer/range", "--promise", "balanced", "--promise", "complete", "--examples", "2")
    yield "baseline", CommandLine((*check, "--baseline", FILE), (known,))
    yield "baseline: written", CommandLine((*check, "--write-baseline", FILE), (known,))
    yield "last failures", CommandLine(check, (known,), name=".kassay/failures.json")
    for words in ([*check, "--json"], ["compare", "--group", "g.json", "--json"]):
        printed = _printed(words, **{"g.json": json.dumps(SMALL).encode()})
        yield f"diff: {words[0]}", CommandLine(("diff", "a.jsonl", FILE), (printed,), {"a.jsonl": printed})


def _of_fixtures() -> Iterator[tuple[str, CommandLine]]:
    folder = ROOT / "src" / "kassay" / "fixtures"
    for name in ("consumer", "streams", "connect", "broker", "share", "streams-group"):
        whole = json.loads((folder / f"{name}.json").read_bytes())
        few = json.dumps({**whole, "count": 3, "cases": whole["cases"][:3]}).encode()
        yield (
            f"fixtures: diff {name}",
            CommandLine(("fixtures", "diff", "old.json", FILE), (few,), {"old.json": few}),
        )
        target = next(iter(family(name).settable))
        yield (
            f"fixtures: run {name}",
            CommandLine(
                ("fixtures", "run", target, "--fixtures", "f"),
                (few,),
                {"f/package.json": (folder / "package.json").read_bytes()},
                f"f/{name}.json",
            ),
        )
        yield (
            f"fixtures: verify {name}",
            CommandLine(
                ("fixtures", "verify", name, "--fixtures", "f"), (few,), {"f": folder}, f"f/{name}.json"
            ),
        )
    runs = [
        path.read_bytes()
        for path in sorted((ROOT / "src" / "kassay" / "conformance" / "runs").glob("*.json"))
    ]
    small = tuple(sorted(runs, key=len)[:4])
    yield "scoreboard", CommandLine(("scoreboard", FILE, "--json"), small)
    failing = b"# known\nrange consumer-0001 balanced\nconsumer/range consumer-0002 *\n"
    yield (
        "known failures",
        CommandLine(
            ("fixtures", "run", "consumer/range", "--case", "consumer-000*", "--known", FILE), (failing,)
        ),
    )


def _of_simulations() -> Iterator[tuple[str, CommandLine]]:
    documents = tuple(
        msgspec.json.encode(saved(one.schedule("kafka@4.4.0"), target=one.target))
        for scenarios in CHAPTERS.values()
        for one in scenarios.values()
    )
    yield "replay", CommandLine(("simulate", "--replay", FILE, "--json"), documents[:12])
