"""Users' own server-side assignors from a folder of classes: gated with one command, whatever they answer."""

import json
from pathlib import Path

import pytest

from kassay.cli import main
from kassay.maven.compiling import compiled
from kassay.model import AssignorError, Group, Member, Topic, TopicPartition
from kassay.targets import Options, open_target
from kassay.targets.java.releases import newest

pytestmark = pytest.mark.usefixtures("java")

TWO = Group(
    (Topic("t", 2, id="AAAAAAAAAAAAAAAAAAAAAQ"), Topic("u", 1)),
    (Member("a", ("t",)), Member("b", ("t", "u"))),
)


@pytest.fixture(scope="module")
def folder():
    """Return the folder with their classes and nothing else."""
    parts = [newest(name) for name in ("kafka-clients", "kafka-group-coordinator-api")]
    return compiled([Path(__file__).parents[1] / "Servers.java"], parts)


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


def test_one_command_gates_it(folder, tmp_path, capsys):
    spec = f"jar:{folder}#own.Servers$InTurn"
    assert main(["check", spec, "--examples", "60", "--json", "-o", str(tmp_path)]) == 0
    records = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    kept = {
        record["property"]
        for record in records
        if record["record"] == "verdict" and record["outcome"] == "kept"
    }
    assert {"complete", "exclusive", "reconciles"} <= kept
