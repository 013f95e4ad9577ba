"""All readers of foreign documents, each with documents that it reads; `nox -s long -- fuzz` gives it mutated ones."""

import contextlib
import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from unittest.mock import patch

import msgspec

from kassay.cli import main
from kassay.engine.differential import Course, Difference, load_course
from kassay.engine.finding import load_finding
from kassay.engine.generate import draw_examples as generated
from kassay.engine.plan import parse_exceptions
from kassay.engine.promises import build_promises, refuse_unknown
from kassay.errors import InputError, SkippedError, TargetGoneError
from kassay.families import FAMILIES, family
from kassay.files.reading import read_groups, read_groups_of_any_family, read_json
from kassay.listings import ListingError, decode, read_broker_racks, read_listings, read_member_racks
from kassay.listings.import_groups import read_listed
from kassay.model import AssignorError, Group, Member, Topic, TopicPartition
from kassay.model.partitions_json import read_assignment, write_group
from kassay.oracles.errors import ImpossibleError
from kassay.oracles.proof import command
from kassay.protocol.server.api_messages import read_request
from kassay.protocol.server.leader_session import read_states
from kassay.reference.wire.consumer import build_assignment, write_assignment
from kassay.reference.wire.group import MemberState
from kassay.reference.wire.schema import MalformedError
from kassay.reports.comparison.gates import read_gaps
from kassay.reports.sweep.folder import create_run, note_wave, verify_waves
from kassay.reports.sweep.grid import parse_grid, read_grid
from kassay.reports.sweep.manifest import (
    NOTE,
    TargetSpec,
    complete_waves,
    draw_timeline,
    read_run,
    wave_folder,
    write_run,
)
from kassay.targets import Options, expand
from kassay.targets.conversation import BrokenOffError, Conversation
from kassay.targets.limits import Account, Limits
from kassay.targets.maven.repository import Coordinate, read_settings
from kassay.targets.program import Program
from kassay.targets.reference import open_reference

CONSUMER = family("consumer")
REFUSALS = (
    InputError, ListingError, TargetGoneError, AssignorError, SkippedError, ImpossibleError, MalformedError,
)  # fmt: skip
"""The errors that a reader may raise, each a sentence for people."""
LARGE = 5000
"""Ranges that come to more are read, but no group is drawn of them."""
LISTINGS = Path(__file__).parents[1] / "listings" / "kafka-4.3"
GRID = """
family = "consumer"
targets = ["consumer/range", "consumer/*@2.8.0"]
seeds = [0, 7]
measures = ["*"]
optima = ["balance", "moves"]
wave = 40
timeout_s = 2.5
sample = { laws = 8, rounds = 8, programs = 8 }
[[cells]]
name = "running"
groups = 90
members = ["1..5", 7]
racks = "0..2"
claims = { even = 1, newcomers = 1, uneven = 1 }
situations = ["racks"]
[[cells]]
name = "changing"
groups = 10
shape = "anything"
churn = "0..3"
"""
SETTINGS = """<?xml version="1.0" encoding="UTF-8"?>
<settings xmlns="http://maven.apache.org/SETTINGS/1.2.0"><mirrors><mirror><id>m</id><mirrorOf>*</mirrorOf>
<url>https://maven.example/all</url></mirror></mirrors><servers><server><id>m</id><username>me</username>
<password>p</password></server></servers><proxies><proxy><host>h</host><port>1</port><nonProxyHosts>a|b</nonProxyHosts>
</proxy></proxies></settings>"""


@dataclass(frozen=True)
class Reader:
    """A reader of bytes, which may raise REFUSALS alone, and documents that it takes."""

    read: Callable[[bytes], object]
    documents: tuple[bytes, ...]


class Scripted(Conversation):
    """A conversation that answers every question with one line, without a process."""

    def __init__(self, line: bytes) -> None:
        self._said = line

    def send(self, question: object) -> None:
        """Take a question."""

    def _read_line(self, deadline: float) -> bytes:  # noqa: ARG002 - the line is there at once
        return self._said

    def worked(self) -> None:
        """No process works."""

    def _broken(self, what: str) -> BrokenOffError:
        return BrokenOffError(what)

    def close(self) -> None:
        """Nothing was started."""


GROUP = Group(
    (Topic("t0", 3, (("a", "b"), ("b", None), ())), Topic("empty", 0)),
    (
        Member("m0", ("t0", "gone"), (TopicPartition("t0", 1),), 4, "i0", "a"),
        Member("m1", ("t0",), (TopicPartition("gone", 7),)),
    ),
)
FINDING = {
    "kassay": "0.1.0", "target": "consumer/range", "family": "consumer", "property": "balanced", "promised": True,
    "seed": 3, "smallest": True, "outcome": "broken", "count": 2, "against": "consumer/fair", "except_in": ["racks"],
    "met": [], "given": "x", "stack": "a:1", "messages": ["m"], "group": write_group(GROUP), "assignment": {"m0": [["t0", 0]]},
}  # fmt: skip
REQUESTS = tuple(
    bytes.fromhex(one)
    for one in (
        "00030001000000070001630000000100027430",  # Metadata 1 about t0
        "000b0000000000070001630001670000271000000008636f6e73756d657200000001000572616e6765000000020000",
        "000e0000000000070001630001670000000100016d0000000100016d000000020000",
        "001200030000000700016300026b023100",  # ApiVersions 3
    )
)  # fmt: skip
ASSIGNED = write_assignment(build_assignment(GROUP.members[0].owned))
COURSE = Course(["consumer/range"], "consumer/fair", 0, differences=[Difference("a", 1, 2, 3, smallest=True)])
GREETING = {
    "assignors": [{"name": "x", "family": "consumer", "promises": ["stable"], "except_in": {"stable": ["racks"]}}],
    "language": "go",
}  # fmt: skip


def readers(folder: Path) -> dict[str, Reader]:
    """Return all readers by name; the files that they read are in a folder."""
    group, answer = folder / "group.json", folder / "answer.json"
    group.write_text(json.dumps(write_group(GROUP)))
    with contextlib.redirect_stdout(io.StringIO()) as proved:
        assert main(["optimum", "balance,moves,cross-rack", str(group), "--json"]) == 0
    answer.write_text(proved.getvalue())
    found = json.dumps(write_group(GROUP)).encode(), json.dumps(write_group(GROUP), indent=1).encode()
    listed = [(LISTINGS / f"{name}.txt").read_bytes() for name in ("topics", "members", "offsets", "states")]
    in_file = partial(_read_file, folder / "input")
    tables = (b"BROKER RACK\n1 a\n2 b\n", (LISTINGS / "brokers.txt").read_bytes(), b"MEMBER RACK\nm0 a\n")
    return {
        "group": Reader(in_file(lambda path: read_groups([path], CONSUMER)), found),
        "groups": Reader(
            in_file(lambda path: read_groups_of_any_family([path], None)),
            (b"\n".join([found[0]] * 3), b"\n".join(listed)),
        ),
        **{f"{name} group": _list_documents(in_file, name) for name in FAMILIES},
        "assignment": Reader(
            in_file(lambda path: [read_assignment(read.value) for read in read_json(path)]),
            (b'{"m0": [["t0", 0], ["t0", 1]], "m1": []}',),
        ),
        "finding": Reader(in_file(load_finding), (json.dumps(FINDING).encode(),)),
        "grid": Reader(in_file(lambda path: read_grid(Path(path))), (GRID.encode(),)),
        "run": _run(folder / "run"),
        "parts": _parts(folder / "parts"),
        "listings": Reader(
            lambda content: read_listings([("f", decode("f", content))]), (b"\n".join(listed),)
        ),
        "coordinated": Reader(_read_listing, (_list_listings("coordinated"), _list_listings("share"))),
        "streams groups": Reader(
            _read_listing, (_list_listings("streams-groups-members"), _list_listings("streams-groups-states"))
        ),
        "connect": Reader(
            _read_listing, ((LISTINGS / "connect.json").read_bytes(), *_read_pasted("d-", "D"))
        ),
        "pasted": Reader(
            _read_listing, (*_read_pasted("k-", "m-"), *_read_pasted("p-", "w-"), *_read_pasted("z-", "f-"))
        ),
        "rpk": Reader(_read_listing, _read_pasted("r-", "A5")),
        "described": Reader(_read_listing, _read_pasted("j-")),
        "broker racks": Reader(lambda content: read_broker_racks("f", decode("f", content)), tables),
        "member racks": Reader(lambda content: read_member_racks("f", decode("f", content)), tables),
        "certificate": Reader(in_file(lambda path: _verify(group, path)), (answer.read_bytes(),)),
        "group of a certificate": Reader(in_file(lambda path: _verify(path, answer)), found),
        "certificate alone": Reader(in_file(lambda path: _read_alone(group, path)), (answer.read_bytes(),)),
        "group of one alone": Reader(in_file(lambda path: _read_alone(path, answer)), found),
        "settings": Reader(in_file(lambda path: read_settings(Path(path))), (SETTINGS.encode(),)),
        "course": Reader(
            in_file(lambda path: load_course(Path(path), COURSE)), (msgspec.json.encode(COURSE),)
        ),
        "greeting": Reader(_read_greeting, (json.dumps(GREETING).encode(),)),
        "answer": Reader(
            _read_answer,
            (
                b'{"seq": 1, "assignment": {"m0": [["t0", 0]], "m1": []}}',
                b'{"seq": 1, "error": "e", "stack": "s"}',
                b'{"seq": 1, "skipped": "s"}',
            ),
        ),
        "options": Reader(
            _options, (b"stable=racks+static_members", b"balance=12", b"consumer/*@2.8.0", b"a.b:c:1.2")
        ),
        "request": Reader(read_request, REQUESTS),
        "states": Reader(lambda content: read_states([MemberState("m", content)]), (ASSIGNED,)),
        "question": Reader(
            lambda content: CONSUMER.oracles.optimum(content.decode(errors="replace"), GROUP, 1.0),
            (b"balance,moves,cross-rack", b"copies=2,balance", b"co-partition,moves"),
        ),
    }


def _read_pasted(*starts: str) -> tuple[bytes, ...]:
    """Return the pasted listings whose names begin so, and that are read."""
    found = sorted((LISTINGS.parent / "pasted").iterdir())
    return tuple(path.read_bytes() for path in found if path.name.startswith(starts))


def _list_listings(start: str) -> bytes:
    """Return the real listings with this prefix, and one listing to combine them with."""
    return b"\n".join(
        path.read_bytes()
        for path in sorted(LISTINGS.glob("*.txt"))
        if path.stem.startswith((start, "streams-groups-members")) and not path.stem.endswith("tasks")
    )


def _read_listing(content: bytes) -> None:
    """Read groups of every family; where one is JSON, as a family that knows it reads it."""
    read_listed([("f", decode("f", content))], leader=True)


def _list_documents(
    in_file: Callable[[Callable[[str], object]], Callable[[bytes], object]], name: str
) -> Reader:
    """Groups of a family, which are written as they are read."""
    known = family(name)

    def read(path: str) -> None:
        try:
            found = read_groups([path], known)
        except InputError as refused:
            if path not in str(refused):
                raise ValueError(f"the file is not named in: {refused}") from None
            raise
        for each in found:
            assert known.shape.read_group(known.shape.write_group(each.value)) == each.value

    drawn_groups = generated(known.shape.groups(), 12, 0)
    return Reader(in_file(read), tuple(json.dumps(known.write_group(each)).encode() for each in drawn_groups))


def _read_file(file: Path, read: Callable[[str], object]) -> Callable[[bytes], object]:
    def written(content: bytes) -> object:
        file.write_bytes(content)
        return read(str(file))

    return written


def _run(folder: Path) -> Reader:
    """Settings of a sweep: what is read draws groups, too."""
    folder.mkdir()
    grid = parse_grid(GRID)
    run = create_run(
        grid,
        tuple(TargetSpec(target, ("stable",), {"stable": ("racks",)}) for target in grid.targets),
        "c0de",
    )
    write_run(folder, run)
    document = (folder / "run.json").read_bytes()

    def read(content: bytes) -> None:
        (folder / "run.json").write_bytes(content)
        changed = read_run(folder)
        assert not complete_waves(folder, changed)
        for cell in changed.cells:
            if sum(high for _, high in cell.ranges.values()) < LARGE:
                draw_timeline(CONSUMER, cell, 1)

    return Reader(read, (document,))


def _parts(folder: Path) -> Reader:
    """The note of a wave's parts."""
    folder.mkdir()
    run = create_run(parse_grid(GRID), (TargetSpec("consumer/range", ()),), "c0de")
    place = wave_folder(folder, run, 0)
    place.mkdir(parents=True)
    (place / "_SUCCESS").touch()
    note_wave(folder, run, 0)
    document = b'{"part-0.parquet": {"rows": 3, "sha256": "00"}}'

    def read(content: bytes) -> None:
        (place / NOTE).write_bytes(content)
        verify_waves(folder, run)

    return Reader(read, (document, b"{}"))


def _verify(group: Path | str, answer: Path | str) -> None:
    ((read,), (stated,)) = read_groups_of_any_family([str(group)], None)[1], read_json(str(answer))
    CONSUMER.oracles.verify(read.value, stated.value)


def _read_alone(group: Path | str, answer: Path | str) -> None:
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        assert command.main([str(answer), str(group)]) in {0, 1, 2}


def _program(line: bytes) -> Program:
    program = Program("exec:x", ["x"], Options(), 0, Account(Limits()))
    program._conversation = Scripted(line)
    return program


def _read_greeting(line: bytes) -> None:
    with patch("kassay.targets.program.Conversation", lambda *_: Scripted(line)):
        offered = _program(line).start()
    build_promises(
        None if offered.promises is None else frozenset(offered.promises), offered.except_in, CONSUMER
    )


def _read_answer(line: bytes) -> None:
    try:
        answer = _program(line).assign(GROUP, "x", CONSUMER)
    except InputError as wrong:
        raise TypeError("what a program answers is no input") from wrong
    assert all(isinstance(each, TopicPartition) for given in answer.values() for each in given)


def _options(content: bytes) -> None:
    text = content.decode(errors="replace")
    for read in (
        lambda: refuse_unknown(parse_exceptions([text]), CONSUMER),
        lambda: read_gaps([text], CONSUMER.oracles.levels),
        lambda: expand([text]),
        lambda: Coordinate.parse(text),
        lambda: open_reference(text),
    ):
        with contextlib.suppress(*REFUSALS):
            read()
