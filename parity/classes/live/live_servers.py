"""Users' own server-side assignors from a folder of classes: gated with one command, whatever they answer."""

import json
from pathlib import Path

import pytest

from kassay.cli import main
from kassay.model import AssignorError, Group, Member, Topic, TopicPartition
from kassay.targets import Options, open_target
from kassay.targets.java.releases import find_newest
from kassay.targets.maven.java_programs import compile_sources

pytestmark = pytest.mark.usefixtures("java")

TWO = Group(
    (Topic("t", 2, id="AAAAAAAAAAAAAAAAAAAAAQ"), Topic("u", 1)),
    (Member("a", ("t",)), Member("b", ("t", "u"))),
)


@pytest.fixture(scope="module")
def folder():
    """Return the folder with their classes and nothing else."""
    parts = [find_newest(name) for name in ("kafka-clients", "kafka-group-coordinator-api")]
    return compile_sources([Path(__file__).with_name("Servers.java")], parts)


def opened(folder, name):
    return open_target(f"jar:{folder}#own.Servers${name}", Options())


def test_each_is_of_its_family_and_is_told_ids_and_subscriptions(folder):
    with opened(folder, "InTurn") as of_consumers, opened(folder, "ToAll") as of_shares:
        assert (of_consumers.family, of_shares.family) == ("broker", "share")
        t0, t1, u0 = TopicPartition("t", 0), TopicPartition("t", 1), TopicPartition("u", 0)
        assert dict(of_consumers.assign(TWO)) == {"a": (t0,), "b": (t1, u0)}
        assert dict(of_shares.assign(TWO)) == {"a": (t0, t1), "b": (t0, t1, u0)}


def test_what_is_no_assignment_is_an_error(folder):
    with (
        opened(folder, "Nulls") as target,
        pytest.raises(AssignorError, match="null for the partitions of member"),
    ):
        target.assign(TWO)


def checked(spec, folder, capsys):
    """Run the one command, and return its status and the verdicts by property."""
    status = main(["check", spec, "--examples", "60", "--json", "-o", str(folder)])
    records = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    return status, {one["property"]: one["outcome"] for one in records if one["record"] == "verdict"}


def test_one_command_gates_it(folder, tmp_path, capsys):
    status, told = checked(f"jar:{folder}#own.Servers$InTurn", tmp_path, capsys)
    assert status == 0
    assert {told[name] for name in ("complete", "exclusive", "reconciles")} == {"kept"}


def test_one_command_gates_one_of_share_groups(folder, tmp_path, capsys):
    """It does not ask isPartitionAssignable, so that it gives what may not be given yet."""
    status, told = checked(f"jar:{folder}#own.Servers$ToAll", tmp_path, capsys)
    assert status == 1
    assert {told[name] for name in ("complete", "distinct", "subscribed", "deterministic")} == {"kept"}
    assert {name for name, outcome in told.items() if outcome == "broken"} == {"existing"}


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("own.Servers", "no assignor"),
        ("own.Servers$Dealing", "ShareGroupPartitionAssignor"),
        ("own.Missing", "the jars hold no class own.Missing"),
    ],
)
def test_what_is_no_assignor_has_its_sentence(name, says, folder, capsys):
    assert main(["check", f"jar:{folder}#{name}"]) == 2
    said = capsys.readouterr().err.strip()
    assert says in said
    assert "\n" not in said
