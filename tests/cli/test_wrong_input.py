"""What is wrong in a file or on a command line is named in one sentence, with its place; `fuzzing` gives readers whatever a file may hold."""

import json
from pathlib import Path

import pytest

from kassay.cli import main
from kassay.model import Group, Member, Topic, TopicPartition
from kassay.model.partitions_json import read_group, write_group

GROUP = Group(
    (Topic("t0", 3, (("a", "b"), ("b", None), ())), Topic("empty", 0)),
    (
        Member("m0", ("t0", "gone"), (TopicPartition("t0", 1),), 4, "i0", "a"),
        Member("m1", ("t0",), (TopicPartition("gone", 7),)),
    ),
)


def test_a_group_survives_being_written_and_read():
    assert read_group(json.loads(json.dumps(write_group(GROUP)))) == GROUP


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            {"members": [{"id": "m0", "topics": ["t0"], "generation": "4"}]},
            "members[0].generation: Expected `int | null`, got `str`",
        ),
        (
            {"members": [{"id": "m0", "topics": ["t0"], "generation": -1}]},
            "members[0].generation: member 'm0' has -1. Give 0 to",
        ),
        ({"members": [{"id": "m0"}]}, "members[0]: a field is missing. Add `topics`"),
        (
            {"members": [{"id": "m0", "topics": [], "rak": "a"}]},
            "members[0]: there is no field `rak`",
        ),
        (
            {"members": [{"id": "m0", "topics": []}] * 2},
            "members: two of them have the id 'm0'. Rename or remove one",
        ),
        (
            {"members": [{"id": "m0", "topics": [], "owned": [["t0", 0]] * 2}]},
            "members[0].owned: member 'm0' lists t0-0 twice",
        ),
        (
            {"members": [{"id": "m0", "topics": [], "owned": [["t0", -1]]}]},
            "members[0].owned: member 'm0' lists t0--1. Give partitions from 0",
        ),
        (
            {"topics": [{"name": "t0", "partitions": -1}]},
            "topics[0].partitions: topic 't0' has -1. Give 0 to",
        ),
        (
            {"topics": [{"name": "t0", "partitions": 2, "racks": [["a"]]}]},
            "topics[0].racks: topic 't0' has 2 partitions but 1 entries",
        ),
        (
            {"topics": [{"name": "t0", "partitions": 2**31 - 1}]},
            "topics: 2147483647 partitions in all are too many",
        ),
        ({"family": "streams"}, "family: is 'streams', but the target's family is 'consumer'"),
    ],
)
def test_each_mistake_is_named_with_its_place_and_the_fix(change, said, tmp_path, capsys):
    file = tmp_path / "group.json"
    file.write_text(json.dumps({"topics": [], "members": []} | change))
    for command in (
        ["assign", "consumer/range", str(file)],
        ["compare", "consumer/range", "--group", str(file)],
    ):
        assert main(command) == 2
        printed = capsys.readouterr()
        assert said in printed.err
        assert str(file) in printed.err
        assert len(printed.err.splitlines()) == 1
        assert not printed.out


def test_the_line_of_a_mistake_is_named(tmp_path, capsys):
    file = tmp_path / "groups.jsonl"
    good = json.dumps(write_group(GROUP))
    file.write_text(f"{good}\n\n{good[:-1]}\n")
    assert main(["assign", "consumer/range", str(file)]) == 2
    assert f"{file}, line 3: is not JSON" in capsys.readouterr().err
    file.write_text('{"topics": [],\n "members": [}\n')
    assert main(["assign", "consumer/range", str(file)]) == 2
    assert f"{file}, line 2: is not JSON" in capsys.readouterr().err
    file.write_text("[" * 100_000)
    assert main(["assign", "consumer/range", str(file)]) == 2
    assert f"{file}, line 1: is nested too deeply" in capsys.readouterr().err


def test_a_folder_that_cannot_be_written_to_is_named(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["check", "consumer/range", "--examples", "5", "-o", "/proc/nowhere"]) == 2
    (told,) = capsys.readouterr().err.splitlines()
    assert "-o /proc/nowhere: cannot be written to" in told


def test_nothing_is_half_written(tmp_path):
    target = tmp_path / "full"
    target.mkdir()
    file = tmp_path / "groups.jsonl"
    file.write_text(f"{json.dumps(write_group(GROUP))}\nnonsense\n")
    assert main(["assign", "consumer/range", str(file), "-o", str(target)]) == 2
    assert list(Path(target).iterdir()) == []


@pytest.mark.parametrize("family", [{}, [], ["consumer"], None, 3, True])
@pytest.mark.parametrize(
    "command", [["check", "consumer/range"], ["compare"], ["over-time", "--restart", "1"], ["what-if", "--leave", "m0"]]
)  # fmt: skip
def test_a_family_that_is_no_text_is_named(family, command, tmp_path, capsys):
    file = tmp_path / "group.json"
    file.write_text(json.dumps({"family": family, **write_group(GROUP)}))
    assert main([*command, "--group", str(file)]) == 2
    assert f"{file}: family: " in " ".join(capsys.readouterr().err.split())
