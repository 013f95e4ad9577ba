"""A further assignor, invariant, law, situation, fault, invariant of a group, or client is one piece with one line; every command serves it.

Each is added to one copy of kassay, as the recipes of CONTRIBUTING add it.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

import kassay

ASSIGNOR = '''
"""Give all partitions out in turn, the last one first.

Source: a toy.
"""

from kassay.model import Assignment, Assignor, Group, TopicPartition
from kassay.reference.promises import SOUND, VALID


def assign(group: Group) -> Assignment:
    """Give each partition to the next of the members that read its topic."""
    answer: dict[str, list[TopicPartition]] = {member.id: [] for member in group.members}
    for topic in group.topics:
        readers = sorted(member.id for member in group.members if topic.name in member.topics)
        for turn, partition in enumerate(reversed(list(topic)) if readers else ()):
            answer[readers[turn % len(readers)]].append(partition)
    return answer


BACKWARDS = Assignor("consumer/backwards", assign, promises=VALID | SOUND | {"listed_in_order"}, source="a toy")
'''
INVARIANT = '''

def listed_in_order(group: Group, assignment: Assignment) -> Iterator[str]:
    """Every member's partitions of a topic are listed by their numbers."""
    for member in group.members:
        given = assignment.get(member.id, ())
        for before, after in zip(given, given[1:]):
            if before.topic == after.topic and before.partition > after.partition:
                yield Violation(f"{member.id} is given {after} behind {before}", member.id)
'''
LAW = '''

def answers_all_members(assign: Assign, group: Group) -> Iterator[str]:
    """A second answer names as many members as the first."""
    if len(assign(group)) != len(assign(group)):
        yield "the second answer names other members"
'''
SITUATION = '''

def trio(group: Group) -> bool:
    """The group has three members."""
    return len(group.members) == 3
'''
FAULT = '''

def doze(world: World, fault: Fault) -> None:
    """A member dozes until `span` is over."""
    pause(world, fault)

'''
OF_GROUPS = '''

def no_third_generation(history: History, _request: JoinGroup, response: JoinGroupResponse) -> str | None:
    """No generation is the third."""
    return "generation 3 begins" if response.generation == 3 else None
'''
CALLED = "from kassay.protocol.simulation.invariants.groups import no_third_generation\n\n"
CLIENT = """
[[client]]
id = "toy"
title = "Toy client"
names = ["toy-client"]
syntax = "text"

[client.instead]
text = "Toys are no members of a group."
release = "1.x"
basis = "source"
source = "a toy"

[client.static]
setting = ""
since = ""
release = "1.x"
basis = "source"
source = "a toy"
"""


class Added(NamedTuple):
    """A piece of a copy of kassay, the line of a table that names it, and what is added else."""

    file: str
    piece: str
    before: str = ""
    """The line of the file before which the piece stands; "" for its end."""
    table: str = ""
    last: str = ""
    """The text of the table behind which the line stands."""
    line: str = ""
    words: str = ""
    """Its record in the words of families."""


ADDED = {
    "assignor": Added(
        "reference/consumer/backwards.py", ASSIGNOR, "", "reference/__init__.py", "        UNIFORM,\n", "        BACKWARDS,\n",
    ),
    "invariant": Added(
        "properties/partitions/invariants.py", INVARIANT, "", "properties/consumer.py", "invariants.co_partitioned,", " invariants.listed_in_order,",
        '    "listed_in_order": Promise("lists partitions out of order"),\n',
    ),
    "law": Added(
        "properties/partitions/laws.py", LAW, "", "properties/consumer.py", "laws.instance_isolated,", " laws.answers_all_members,",
        '    "answers_all_members": Promise("forgets a member when asked again"),\n',
    ),
    "situation": Added("properties/partitions/situations.py", SITUATION),
    "fault": Added(
        "protocol/simulation/faults.py", FAULT, "FAULTS: dict", "protocol/simulation/faults.py", "FAULTS: dict[str, Kind] = {\n",
        '    "doze": Kind(doze, "member", "member {who} dozes for {span} ms"),\n',
    ),
    "invariant of groups": Added(
        "protocol/simulation/invariants/groups.py", OF_GROUPS, "", "protocol/simulation/group.py", "    groups.one_leader,\n",
        "    groups.no_third_generation,\n",
    ),
    "its calls": Added(
        "protocol/simulation/monitor.py", CALLED, "JOINED = (", "protocol/simulation/monitor.py", "JOINED = (", "no_third_generation, ",
    ),
    "client": Added("comparison/client_settings/clients.toml", CLIENT),
}  # fmt: skip
GROUP = {
    "topics": [{"name": "t", "partitions": 4}],
    "members": [{"id": id_, "topics": ["t"]} for id_ in "abc"],
}
CHECK = ["check", "consumer/backwards", "--examples", "20", "--seed", "0"]
SIMULATE = ["simulate", "consumer", "--target", "consumer/range", "--schedules", "20", "--faults", "doze"]
COMMANDS = {
    "assignor": ["assign", "consumer/backwards", "group.json"],
    "promises": ["list", "promises", "--family", "consumer", "--all"],
    "situations": ["list", "situations", "--family", "consumer", "--all"],
    "check": [*CHECK, "--all", "--json"],
    "fault": SIMULATE,
    "client": ["compare", "consumer/*", "--group", "group.json", "--client", "toy"],
}
RUNS = """
import contextlib, io, json, sys
from kassay.cli import main

told = {}
for name, command in json.load(sys.stdin).items():
    printed, remarks = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(remarks):
        status = main(command)
    told[name] = status, printed.getvalue() or remarks.getvalue()
print(json.dumps(told))
"""


def insert(file: Path, before: str, text: str) -> None:
    """Insert a text before a line, or at the end of the file for ""."""
    known = file.read_text() if file.exists() else ""
    assert before in known, (file, before)
    at = known.index(before) if before else len(known)
    file.write_text(f"{known[:at]}{text.lstrip() if not known else text}{known[at:]}")


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """Each command -> its exit status and what it printed, in a copy with all that is added."""
    folder = tmp_path_factory.mktemp("parts")
    copy = folder / "kassay"
    shutil.copytree(Path(kassay.__file__).parent, copy)
    for each in ADDED.values():
        insert(copy / each.file, each.before, each.piece)
        if each.table:
            table = copy / each.table
            text = table.read_text()
            assert text.count(each.last) == 1, each
            table.write_text(text.replace(each.last, f"{each.last}{each.line}"))
        if each.words:
            insert(copy / "families" / "words.py", '    "equal": Promise(', each.words)
    line = "from kassay.reference.consumer.backwards import BACKWARDS\n"
    insert(copy / "reference/__init__.py", "from kassay.reference.consumer.fair", line)
    (folder / "group.json").write_text(json.dumps(GROUP))
    paths = os.pathsep.join((str(folder), *os.environ.get("PYTHONPATH", "").split(os.pathsep)))
    done = subprocess.run(
        [sys.executable, "-B", "-c", RUNS], input=json.dumps(COMMANDS), env={**os.environ, "PYTHONPATH": paths}, text=True, cwd=folder,
        capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


SHOWN = {
    "assignor": (0, '"a":[["t",3],["t",0]]'),
    "promises": (
        0,
        "listed_in_order         Every member's partitions of a topic are listed by their numbers",
    ),
    "situations": (0, "The group has three members"),
    "fault": (1, "dozes for"),
    "client": (0, "Toys are no members of a group."),
}
"""Command -> its exit status, and a part of what it prints."""


@pytest.mark.parametrize("command", SHOWN)
def test_a_command_shows_what_was_added(told, command):
    status, text = told[command]
    assert (status, SHOWN[command][1] in text) == (SHOWN[command][0], True), text


def test_a_check_judges_by_what_was_added(told):
    status, text = told["check"]
    records = [json.loads(line) for line in text.splitlines()]
    verdicts = {one["property"]: one["outcome"] for one in records if one["record"] == "verdict"}
    assert (status, verdicts["listed_in_order"], verdicts["answers_all_members"]) == (
        1,
        "broken",
        "not promised",
    )
    assert "consumer/backwards lists partitions out of order" in records[0]["says"]
    assert next(one for one in records if one["record"] == "tally")["situations"]["trio"] > 0


def test_a_simulation_judges_by_what_was_added(told):
    assert "no_third_generation" in told["fault"][1]
    assert "Generation 3 begins" in told["fault"][1]


def test_a_piece_is_short_and_has_one_line():
    for name, each in ADDED.items():
        assert len(each.piece.split("\n")) <= 25, name
        assert each.line.count("\n") <= 1, name
        assert each.words.count("\n") <= 1, name
