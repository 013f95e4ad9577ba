"""Promises that leave out situations: what is judged, what is said, and where the minimiser may go."""

import json

import pytest

from kassay.check import BROKEN, KEPT, UNPROMISED, Finding, Verdict, check
from kassay.cli import main
from kassay.errors import InputError, SkippedError
from kassay.families import family
from kassay.model import Group, Member, Topic, TopicPartition
from kassay.reference import ASSIGNORS
from kassay.reports.matrix import matrix
from kassay.scope import meets, outside, refuse_unknown
from kassay.targets import Options, Target, open_target
from kassay.testing import parametrize_with_properties

STICKY = ASSIGNORS["consumer/sticky"]

CONSUMER = family("consumer")
ONE = Group((Topic("t", 1),), (Member("a", ("t",)),))
TWO = Group((Topic("t", 1),), (Member("a", ("t",)), Member("b", ())))


def nothing(group):
    return {member.id: () for member in group.members}


def judged(except_in, given=(), examples=0, promised=frozenset({"complete"})):
    target = Target("x", "consumer", nothing, nothing, promised, except_in=except_in)
    return list(check(target, CONSUMER, examples=examples, given=given, wanted=sorted(promised)))


def verdict(told):
    (one,) = [item for item in told if isinstance(item, Verdict)]
    return one


def test_names_joined_mean_all_of_them():
    assert meets({"a", "b"}, {"c", "a+b"})
    assert not meets({"a"}, {"c", "a+b"})
    assert not meets({"a"}, ())


def test_a_group_in_an_excepted_situation_is_not_judged():
    scope = {"complete": frozenset({"single_member"})}
    assert verdict(judged(scope, [ONE])).outcome == UNPROMISED
    assert verdict(judged(scope, [ONE, TWO])).outcome == BROKEN
    assert verdict(judged({"complete": frozenset({"single_member+racks"})}, [ONE])).outcome == BROKEN


def test_the_smallest_group_is_outside_too():
    """Without the exception one member suffices."""
    scope = {"complete": frozenset({"single_member"})}
    for except_in, members in ((scope, 2), ({}, 1)):
        (finding,) = [item for item in judged(except_in, examples=40) if isinstance(item, Finding)]
        assert len(finding.group.members) == members


def test_a_law_does_not_judge_a_run_that_comes_to_an_excepted_situation():
    """Its answer fed back is a claim of what does not exist."""

    def wild(group):
        given = [] if group.members[0].owned else [TopicPartition("t", 0), TopicPartition("t", 9)]
        return {"a": given}

    target = Target("x", "consumer", wild, wild, frozenset({"stable"}))
    for except_in, outcome in (({}, BROKEN), ({"stable": frozenset({"vanished_partition"})}, KEPT)):
        told = check(target, CONSUMER, examples=0, given=[ONE], wanted=["stable"], except_in=except_in)
        assert verdict(told).outcome == outcome
    declining = outside({"first_generation"}, CONSUMER, nothing)
    with pytest.raises(SkippedError, match="first_generation"):
        declining(ONE)


def test_a_promise_named_by_the_user_has_no_exceptions():
    target = Target(
        "x", "consumer", nothing, nothing, frozenset(), except_in={"complete": frozenset({"single_member"})}
    )
    told = check(
        target, CONSUMER, examples=0, given=[ONE], wanted=["complete"], promised=frozenset({"complete"})
    )
    assert verdict(told).outcome == BROKEN


@pytest.mark.parametrize(
    ("except_in", "said"),
    [
        ({"complete": {"nowhere"}}, "no situation 'nowhere'"),
        ({"nothing": {"racks"}}, "no property 'nothing'"),
    ],
)
def test_unknown_names_are_refused(except_in, said):
    with pytest.raises(InputError, match=said):
        refuse_unknown(except_in, CONSUMER)


def test_the_table_numbers_the_exceptions():
    verdicts = [
        Verdict("x", "complete", KEPT, "", ("a+b", "c")),
        Verdict("y", "complete", UNPROMISED, "", ("c",)),
        Verdict("y", "exclusive", KEPT),
    ]
    grid = matrix(verdicts)
    assert grid.rows == [["complete", "kept (1)", "not promised here (2)"], ["exclusive", "", "kept"]]
    assert grid.note == "(1) not promised in a + b, c; (2) not promised in c"


def test_exceptions_are_told(tmp_path, capsys):
    arguments = [
        "check",
        "consumer/sticky",
        "--property",
        "existing",
        "--examples",
        "20",
        "-o",
        str(tmp_path),
    ]
    assert main([*arguments, "--json"]) == 0
    records = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    (told,) = [record for record in records if record["record"] == "verdict"]
    assert (told["outcome"], told["except_in"]) == ("kept", ["vanished_partition"])
    assert main(arguments) == 0
    assert "except in vanished_partition" in capsys.readouterr().out
    assert main(["list", "--json"]) == 0
    records = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    (listed,) = [record for record in records if record["name"] == "consumer/sticky"]
    assert listed["except_in"]["existing"] == ["vanished_partition"]


def test_the_command_line_has_no_exceptions_for_what_the_user_names(tmp_path):
    arguments = [
        "check",
        "consumer/sticky",
        "--property",
        "existing",
        "--examples",
        "200",
        "-o",
        str(tmp_path),
    ]
    assert main([*arguments, "--json"]) == 0
    assert main([*arguments, "--json", "--promise", "existing"]) == 1


@pytest.mark.parametrize(
    "spec",
    ["consumer/sticky", "consumer/sticky@4.4.0", "python:kassay.reference.consumer.sticky:STICKY"],
)
def test_exceptions_reach_the_gate(spec):
    with open_target(spec, Options()) as target:
        assert target.promises == STICKY.promises
        assert target.except_in == STICKY.except_in


def test_tests_of_other_projects_have_the_exceptions_of_a_promise():
    (existing,) = (
        case for case in parametrize_with_properties([STICKY], examples=150).args[1] if "existing" in case.id
    )
    assignor, keeps = existing.values
    keeps(assignor)
    (always,) = parametrize_with_properties([STICKY], properties=["existing"], examples=150).args[1]
    with pytest.raises(pytest.fail.Exception, match="breaks existing"):
        always.values[1](assignor)
