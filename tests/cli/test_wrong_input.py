"""Whatever a file holds, a reader gives a value or one sentence that names the place; nothing else ever comes out."""

import json
from pathlib import Path
from unittest.mock import patch

import msgspec
import pytest
from hypothesis import example, given, settings
from mutations import mutated
from whole import share

from kassay.cli import main
from kassay.engine.finding import Finding, load_finding
from kassay.errors import InputError, SkippedError, TargetGoneError
from kassay.families import family
from kassay.files.reading import read_groups, read_json
from kassay.model import AssignorError, Group, Member, Topic, TopicPartition
from kassay.model.partitions_json import read_assignment, read_group, write_group
from kassay.targets import Options
from kassay.targets.conversation import BrokenOffError
from kassay.targets.limits import Account, Limits
from kassay.targets.program import Program

GROUP = Group(
    (Topic("t0", 3, (("a", "b"), ("b", None), ())), Topic("empty", 0)),
    (
        Member("m0", ("t0", "gone"), (TopicPartition("t0", 1),), 4, "i0", "a"),
        Member("m1", ("t0",), (TopicPartition("gone", 7),)),
    ),
)
FINDING = Finding("consumer/range", "consumer", "balanced", False, GROUP, {"m0": ()}, ("it is so",), 3)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("wrong") / "input.json"


def refusal(read):
    """Return the sentence with which a reader refuses, None where it reads."""
    try:
        read()
    except InputError as error:
        said = str(error)
    else:
        return None
    assert said.strip()
    assert "\n" not in said
    return said


def test_a_group_survives_being_written_and_read():
    assert read_group(json.loads(json.dumps(write_group(GROUP)))) == GROUP


@given(mutated(write_group(GROUP)))
@example(b"")
@example(b"\xef\xbb\xbf{}")
@example(b"[" * 100_000)
def test_mutated_groups(path, text):
    path.write_bytes(text)
    said = refusal(lambda: read_groups([str(path)], family("consumer")))
    assert said is None or str(path) in said


@given(mutated(FINDING.json()))
def test_mutated_findings(path, text):
    path.write_bytes(text)
    said = refusal(lambda: load_finding(str(path)))
    assert said is None or str(path) in said


@given(mutated({"m0": [["t0", 0], ["t0", 1]], "m1": []}))
@settings(max_examples=share(40, 200))
def test_mutated_assignments(path, text):
    path.write_bytes(text)
    refusal(lambda: [read_assignment(read.value) for read in read_json(str(path))])


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            {"members": [{"id": "m0", "topics": ["t0"], "generation": "4"}]},
            "members[0].generation: Expected `int | null`, got `str`",
        ),
        (
            {"members": [{"id": "m0", "topics": ["t0"], "generation": -1}]},
            "members[0].generation: member 'm0' has -1; give 0 to",
        ),
        ({"members": [{"id": "m0"}]}, "members[0]: a field is missing: add `topics`"),
        (
            {"members": [{"id": "m0", "topics": [], "rak": "a"}]},
            "members[0]: there is no field `rak`",
        ),
        (
            {"members": [{"id": "m0", "topics": []}] * 2},
            "members: two of them have the id 'm0'; rename or remove one",
        ),
        (
            {"members": [{"id": "m0", "topics": [], "owned": [["t0", 0]] * 2}]},
            "members[0].owned: member 'm0' lists t0-0 twice",
        ),
        (
            {"members": [{"id": "m0", "topics": [], "owned": [["t0", -1]]}]},
            "members[0].owned: member 'm0' lists t0--1; partitions are 0",
        ),
        (
            {"topics": [{"name": "t0", "partitions": -1}]},
            "topics[0].partitions: topic 't0' has -1; give 0 to",
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
    assert f"{file}, line 3 is not JSON" in capsys.readouterr().err
    file.write_text('{"topics": [],\n "members": [}\n')
    assert main(["assign", "consumer/range", str(file)]) == 2
    assert f"{file}, line 2 is not JSON" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["check", "consumer/nothing"], "there is no assignor consumer/nothing. kassay list shows all"),
        (["check", "consumer/x*"], "no assignor matches consumer/x*. kassay list shows all"),
        (["check", "docker:x"], "there is no kind 'docker'"),
        (["check", "exec:"], "nothing stands after the colon"),
        (["check", "python:json"], "write python:MODULE:ATTRIBUTE"),
        (["check", "python:no_such_module:x"], "cannot be imported (ModuleNotFoundError"),
        (["check", "python:json:decoder"], "is module, which is no assignor"),
        (
            ["check", "consumer/range", "--property", "perfect"],
            "there is no consumer promise perfect. kassay list promises shows all 30.",
        ),
        (["check", "consumer/range", "--promise", "perfect"], "there is no consumer promise perfect."),
        (
            ["check", "consumer/range", "--group", "/no/such/file"],
            "/no/such/file: cannot be read (No such file or directory)",
        ),
        (["check", "consumer/range", "-o", "/proc/nowhere"], "-o /proc/nowhere: cannot be written to"),
        (["compare", "consumer/range", "--examples", "0"], "there is no group to compare on"),
        (["explain", "/no/such/file"], "cannot be read"),
        (["import", "/no/such/file"], "cannot be read"),
        (["list", "--family", "nothing"], "there is no family 'nothing'; known are consumer"),
    ],
)
def test_wrong_usage_is_one_sentence_and_2(command, said, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(command) == 2
    printed = capsys.readouterr()
    assert said in printed.err
    assert len(printed.err.splitlines()) == 1


@pytest.mark.parametrize(
    "option", [["--seed", "x"], ["--examples", "-1"], ["--timeout", "0"], ["--format", "xml"], ["-j", "1.5"]]
)
def test_wrong_options_are_2(option, capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["check", "consumer/range", *option])
    assert option[0] in capsys.readouterr().err


def test_nothing_is_half_written(tmp_path):
    target = tmp_path / "full"
    target.mkdir()
    file = tmp_path / "groups.jsonl"
    file.write_text(f"{json.dumps(write_group(GROUP))}\nnonsense\n")
    assert main(["assign", "consumer/range", str(file), "-o", str(target)]) == 2
    assert list(Path(target).iterdir()) == []


class Scripted:
    """A conversation that answers every question with one text."""

    def __init__(self, text):
        self.text = text

    def send(self, question):
        pass

    def ask(self, _question, timeout_s):
        return self.receive(timeout_s)

    def receive(self, _timeout_s):
        try:
            return msgspec.json.decode(self.text)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            raise BrokenOffError("answered what is not JSON") from None

    def worked(self):
        """No process works."""

    def close(self):
        pass


@given(mutated({"seq": 1, "assignment": {"m0": [["t0", 0]], "m1": []}}))
def test_mutated_answers_of_a_program_are_answers_or_failures(text):
    program = Program("exec:x", ["x"], Options(), 0, Account(Limits()))
    program._conversation = Scripted(text)
    try:
        answer = program.assign(GROUP, "x", family("consumer"))
    except (AssignorError, SkippedError) as failure:
        said = str(failure)
    else:
        said = None
        assert all(isinstance(p, TopicPartition) for given_ in answer.values() for p in given_)
    assert said is None or said.strip()


@given(mutated({"assignors": [{"name": "x", "family": "consumer"}], "language": "go", "version": "1"}))
def test_mutated_greetings_of_a_program_are_understood_or_refused(text):
    program = Program("exec:x", ["x"], Options(), 0, Account(Limits()))
    with patch("kassay.targets.program.Conversation", lambda *_: Scripted(text)):
        try:
            said = program.start().name
        except (InputError, TargetGoneError) as failure:
            said = str(failure)
    assert isinstance(said, str)
