"""The public Python API: what the command line does, as functions."""

import subprocess
import sys

import pytest

import kassay
from kassay.cli import main

TWO = kassay.Group(
    (kassay.Topic("t", 3),),
    (kassay.Member("a", ("t",)), kassay.Member("b", ("t",), (kassay.TopicPartition("t", 0),))),
)


def nothing(group):
    return {member.id: [] for member in group.members}


def first(group):
    return {group.members[0].id: [p for topic in group.topics for p in topic]} | {
        m.id: () for m in group.members[1:]
    }


def test_dir_shows_just_the_public_names_and_all_of_them_exist():
    assert dir(kassay) == sorted(kassay.__all__)
    assert all(getattr(kassay, name) is not None for name in kassay.__all__)
    with pytest.raises(AttributeError, match="nonsense"):
        kassay.nonsense  # noqa: B018


def test_importing_loads_nothing_that_takes_long():
    said = "import kassay, sys; print({'numpy', 'hypothesis', 'pulp', 'pandas'} & set(sys.modules))"
    assert subprocess.check_output([sys.executable, "-c", said], text=True).strip() == "set()"


def test_a_check_says_what_the_command_says(tmp_path, capsys):
    report = kassay.check("consumer/range", examples=60)
    assert report.kept
    assert not report.broken
    assert main(["check", "consumer/range", "--examples", "60", "--json", "-o", str(tmp_path)]) == 0
    assert f'"groups":{report.tally.groups}' in capsys.readouterr().out
    assert str(report).startswith("consumer/range: ")


def test_a_function_is_held_to_what_everybody_is_and_the_smallest_group_is_there():
    report = kassay.check(nothing, examples=100)
    assert report.target == "nothing"
    assert not report.kept
    assert report.broken == ("complete",)
    (finding,) = (one for one in report.findings if one.property == "complete")
    assert len(finding.group.members) == 1
    assert "complete: broken: " in str(report)


def test_given_groups_replace_generated_ones():
    report = kassay.check("consumer/range", [TWO], properties=["complete", "balanced"])
    assert report.tally.groups == 1
    assert {one.property: one.judged for one in report.verdicts} == {"complete": 1, "balanced": 1}


def test_promises_exceptions_and_against_are_those_of_the_command():
    assert kassay.check(first, [TWO], promises=["balanced"]).broken == ("balanced",)
    assert (
        kassay.check(
            first, [TWO], promises_of="consumer/fair", except_in={"balanced": ["newcomer"]}
        ).tally.groups
        == 1
    )
    assert "equal" in kassay.check(first, [TWO], against="consumer/range").broken
    with pytest.raises(kassay.InputError, match="nonsense"):
        kassay.check(first, [TWO], properties=["nonsense"])
    with pytest.raises(kassay.InputError, match=r"assignor .*: is unknown"):
        kassay.check("consumer/nonsense", [TWO])


def test_a_comparison_is_a_table_with_a_row_for_each_group_and_target():
    frame = kassay.compare(["consumer/range", first, nothing], [TWO])
    assert list(frame["target"]) == ["consumer/range", "first", "nothing"]
    assert list(frame["balance optimum"])[:2] == [1, 1]
    assert list(frame["balance"])[:2] == [1, 3]
    assert list(frame["broken"])[2] == ("complete",)
    assert frame["balance"].isna()[2]
    assert len(kassay.compare(["consumer/range"], examples=7)) == 7
    for target in ("consumer/sticky", "connect/eager", "streams/sticky"):
        columns = kassay.compare([target], examples=1).columns
        assert columns.is_unique, columns
        assert "moves optimum" in columns
    with pytest.raises(kassay.InputError, match="targets: the list is empty"):
        kassay.compare([], [TWO])


def test_an_optimum_has_an_assignment_and_its_proof():
    best = kassay.optimum(TWO, "balance,moves")
    assert [(one.name, one.value) for one in best.levels] == [("balance", 1), ("moves", 0)]
    assert best.certificate["proved"]
    assert sorted(len(given) for given in best.assignment.values()) == [1, 2]


def test_groups_and_assignments_are_read_as_written(tmp_path):
    file = tmp_path / "groups.jsonl"
    kassay.write_groups(file, [TWO, TWO])
    assert kassay.read_groups(file) == [TWO, TWO]
    assert kassay.read_group(kassay.write_group(TWO)) == TWO
    given = kassay.assign("consumer/range", TWO)
    again = kassay.read_assignment(kassay.write_assignment(given))
    assert {name: list(partitions) for name, partitions in again.items()} == given
    with pytest.raises(kassay.InputError, match="topics"):
        kassay.read_group({"members": []})
    file.write_text("nonsense")
    with pytest.raises(kassay.InputError, match=r"groups\.jsonl"):
        kassay.read_groups(file)
