"""Task assignors of streams groups: Kafka's in every release, and users' own from a folder of classes, gated with one command."""

import json
from itertools import islice
from pathlib import Path

import pytest
from classes.groups import named_subtopologies, random_streams_groups

from kassay.cli import main
from kassay.families import family
from kassay.model import AssignorError
from kassay.model.streams_group import GroupSettings, MemberTasks, StreamsGroup, StreamsMember, Subtopology
from kassay.model.tasks import TaskId
from kassay.targets import Options, open_target
from kassay.targets.java.releases import find_newest
from kassay.targets.maven.java_programs import compile_sources

pytestmark = pytest.mark.usefixtures("java")

T0, T1, T2 = (TaskId(0, n) for n in range(3))
MEMBER = StreamsMember(
    "a", "p", (T0,), (T1,), (T2,), {T1: 5}, {T1: 9}, instance_id="i", rack="r", tags=(("zone", "z"),)
)
GROUP = StreamsGroup(
    (Subtopology(0, 3, stateful=True), Subtopology(1, 2)),
    (MEMBER, StreamsMember("b", "q")),
    GroupSettings(1, ("zone",)),
)


@pytest.fixture(scope="module")
def folder():
    """Return the folder with the users' classes and nothing else."""
    parts = [find_newest(name) for name in ("kafka-clients", "kafka-group-coordinator-api")]
    return compile_sources([Path(__file__).with_name("Tasks.java")], parts)


def opened(folder, name):
    return open_target(f"jar:{folder}#own.Tasks${name}", Options())


def test_a_users_own_answers_and_is_told_everything(folder):
    with opened(folder, "InTurn") as target:
        assert target.family == "streams-group"
        assert dict(target.assign(GROUP)) == {
            "a": MemberTasks((T0, T2, TaskId(1, 1))),
            "b": MemberTasks((T1, TaskId(1, 0))),
        }
    told = r"\[a, b\] 1 \[zone\] p Optional\[i\] Optional\[r\] \{zone=z\} \{0=\[0\]\} \{0=\[1\]\} \{0=\[2\]\} \{0=\{1=5\}\} \{0=\{1=9\}\} true"
    with opened(folder, "Tells") as target, pytest.raises(AssignorError, match=told):
        target.assign(GROUP)


@pytest.mark.parametrize("release", ["4.4.0", "4.3.1", "4.2.1"])
def test_named_subtopologies_and_any_offsets_are_answered_as_kafka_answers(release):
    same = family("streams-group").shape.same
    name = f"streams-group/sticky@{release}"
    with (
        open_target(name, Options()) as ours,
        open_target(f"kafka:{release}#streams-group/sticky", Options()) as java,
    ):
        for group in islice(named_subtopologies.stream(3), 300):
            answers = []
            for target in (ours, java):
                try:
                    answers.append(target.assign(group))
                except AssignorError as failure:
                    answers.append({"fails": str(failure).partition(" [at ")[0]})
            failed = any("fails" in answer for answer in answers)
            assert answers[0] == answers[1] if failed else same(*answers), group


def test_what_is_no_assignment_is_an_error(folder):
    with (
        opened(folder, "Nulls") as target,
        pytest.raises(AssignorError, match="null for the tasks of member"),
    ):
        target.assign(GROUP)


def test_one_command_gates_it(folder, tmp_path, capsys):
    spec = f"jar:{folder}#own.Tasks$InTurn"
    assert main(["check", spec, "--examples", "60", "--json", "-o", str(tmp_path)]) == 0
    records = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    kept = {each["property"] for each in records if each["record"] == "verdict" and each["outcome"] == "kept"}
    assert {"complete", "exclusive", "one_copy_per_process"} <= kept


def test_4_1_answers_legally_though_by_identity():
    record = family("streams-group")
    groups = [g for g in islice(random_streams_groups.stream(3), 200) if g.members]
    with open_target("kafka:4.1.2#streams-group/sticky", Options()) as target:
        for group, answer in zip(groups, target.answers(groups), strict=True):
            for name in sorted(record.legal):
                assert not list(record.invariants[name](group, answer)), (name, group)
