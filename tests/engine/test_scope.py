"""Promises with exceptions: groups in excepted situations are judged too, and a breach there is a known defect."""

from dataclasses import replace
from pathlib import Path

import pytest
from printed import json_lines
from promise_matrix import build_matrix

from kassay.cli import main
from kassay.cli.render.check import render_check as blocks
from kassay.cli.render.findings import Results
from kassay.engine.check import check
from kassay.engine.finding import Finding
from kassay.engine.judge import cache_answers, judge
from kassay.engine.promises import Promises, build_promises, find_terms, refuse_unknown
from kassay.engine.verdict import Tally, Verdict
from kassay.errors import InputError
from kassay.families import family
from kassay.model import AssignorError, Group, Member, Topic, TopicPartition
from kassay.output.block import BROKEN, KEPT, KNOWN_DEFECT
from kassay.reference import ASSIGNORS
from kassay.targets import Options, Target, open_target
from kassay.testing import parametrize_with_properties

STICKY = ASSIGNORS["consumer/sticky"]

CONSUMER = family("consumer")
ONE = Group((Topic("t", 1),), (Member("a", ("t",)),))
TWO = Group((Topic("t", 1),), (Member("a", ("t",)), Member("b", ())))
ALONE = {"complete": frozenset({"single_member"})}


def nothing(group):
    return {member.id: () for member in group.members}


def judged(except_in, given=(), examples=0, promised=frozenset({"complete"}), assign=nothing):
    target = Target("x", "consumer", assign, assign, promised, except_in=except_in)
    named = [(f"group {n}", group) for n, group in enumerate(given)]
    return list(check(target, CONSUMER, examples=examples, given=named, wanted=sorted(promised)))


def verdict(told):
    (one,) = [item for item in told if isinstance(item, Verdict)]
    return one


def findings(told):
    return [item for item in told if isinstance(item, Finding)]


def test_names_joined_mean_all_of_them():
    assert find_terms({"a", "b"}, {"c", "a+b"}) == {"a+b"}
    assert not find_terms({"a"}, {"c", "a+b"})
    assert not find_terms({"a"}, ())


def test_a_breach_in_an_excepted_situation_is_a_known_defect_and_shown():
    told = judged(ALONE, [ONE])
    assert verdict(told).outcome == KNOWN_DEFECT
    (finding,) = findings(told)
    assert (finding.known, finding.met, finding.given) == (True, ("single_member",), "group 0")
    assert verdict(judged({"complete": frozenset({"single_member+racks"})}, [ONE])).outcome == BROKEN


def test_a_breach_elsewhere_is_broken_and_not_excused_by_the_known_one():
    told = judged(ALONE, [ONE, TWO])
    assert verdict(told).outcome == BROKEN
    assert verdict(told).breaches == 1
    assert [finding.known for finding in findings(told)] == [False]


def test_nothing_broken_in_an_excepted_situation_is_kept():
    def whole(group):
        return {group.members[0].id: [TopicPartition("t", 0)]}

    told = judged(ALONE, [ONE], assign=whole)
    assert (verdict(told).outcome, verdict(told).judged) == (KEPT, 1)


def test_the_smallest_group_of_a_broken_promise_is_outside():
    """Without the exception one member suffices."""
    for except_in, members in ((ALONE, 2), ({}, 1)):
        broken = [one for one in findings(judged(except_in, examples=40)) if not one.known]
        assert [len(one.group.members) for one in broken] == [members]


def wild(group):
    """Its first answer, fed back, is a claim of what does not exist."""
    given = [] if group.members[0].owned else [TopicPartition("t", 0), TopicPartition("t", 9)]
    return {"a": given}


def test_a_law_whose_run_comes_to_an_excepted_situation_shows_a_known_defect():
    target = Target("x", "consumer", wild, wild, frozenset({"stable"}))
    for except_in, outcome in (({}, BROKEN), ({"stable": frozenset({"vanished_partition"})}, KNOWN_DEFECT)):
        promises = build_promises({"stable"}, except_in, CONSUMER)
        told = check(target, CONSUMER, examples=0, given=[("", ONE)], wanted=["stable"], promises=promises)
        assert verdict(told).outcome == outcome


def test_each_cause_is_a_finding_of_its_own():
    """A failure on a group without partitions does not hide another one."""

    def fails(group):
        if not sum(topic.partitions for topic in group.topics):
            raise AssignorError("NoSuchElementException: nothing there", "A.java:1 in first\n")
        if len(group.members) == 3:
            raise AssignorError("NullPointerException", "A.java:9 in last\n")
        return {}

    told = judged({}, examples=300, promised=frozenset({"crash_free"}), assign=fails)
    assert sorted((one.messages[0], one.stack) for one in findings(told)) == [
        ("it fails: NoSuchElementException: nothing there", "A.java:1 in first\n"),
        ("it fails: NullPointerException", "A.java:9 in last\n"),
    ]
    counts = [one.count for one in findings(told)]
    assert counts == sorted(counts, reverse=True)
    assert sum(counts) == verdict(told).breaches


def test_each_excepted_situation_met_is_a_finding_of_its_own():
    scope = {"complete": frozenset({"static_members", "no_subscription", "repeated_topic"})}

    def forgets(group):
        members = {m.id: m for m in group.members if m.instance_id is None and m.topics}
        whole = ASSIGNORS["consumer/fair"].assign(group)
        return {name: given if len(members) == len(group.members) else () for name, given in whole.items()}

    found = findings(judged(scope, examples=300, assign=forgets))
    assert {one.met for one in found} == {("static_members",), ("no_subscription",)}
    assert all(one.known for one in found)


def test_a_run_that_fails_says_nothing_of_a_property():
    def fails(_):
        raise AssignorError("no")

    target = Target("x", "consumer", fails, fails, frozenset({"complete"}))
    with pytest.raises(AssignorError, match="no"):
        judge(CONSUMER, "complete", ONE, cache_answers(fails), target)
    told = judged({}, [ONE], assign=fails)
    assert (verdict(told).outcome, verdict(told).judged) == ("skipped", 0)


def test_promises_chosen_by_the_caller_replace_the_targets_own():
    told = check(
        Target("x", "consumer", nothing, nothing, frozenset(), except_in=ALONE), CONSUMER, examples=0,
        given=[("", ONE)], wanted=["complete"], promises=Promises(frozenset({"complete"})),
    )  # fmt: skip
    assert verdict(told).outcome == BROKEN


def test_a_target_that_promises_nothing_itself_is_held_to_what_is_expected_of_everybody():
    assert build_promises(None, {}, CONSUMER) == Promises(CONSUMER.expected)
    assert build_promises((), {}, CONSUMER).names == frozenset()
    assert build_promises({"complete"}, ALONE | {"stable": {"racks"}}, CONSUMER).except_in == ALONE


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
        Verdict("y", "complete", KNOWN_DEFECT, "t-0 has no owner", ("c",)),
        Verdict("y", "exclusive", KEPT),
    ]
    grid = build_matrix(verdicts)
    assert grid.rows == [["complete", "kept (1)", "known defect (2)"], ["exclusive", "", "kept"]]
    assert grid.note == "(1) when a + b, c; (2) when c"


EXISTING = ["check", "consumer/sticky", "--property", "existing", "--examples", "80"]


def test_known_defects_are_shown_in_every_format_and_fail_only_if_strict(tmp_path, capsys):
    here = ["-o", str(tmp_path)]
    assert main([*EXISTING, *here, "--json"]) == 0
    records = json_lines(capsys)
    (told,) = [record for record in records if record["record"] == "verdict"]
    assert (told["outcome"], told["except_in"]) == ("known defect", ["user_data", "vanished_partition"])
    assert 0 < told["breaches"] < told["judged"]
    (found,) = [record for record in records if record["record"] == "finding"]
    assert (found["outcome"], found["met"]) == ("known defect", ["vanished_partition"])
    marks = {
        "pretty": "it gives a partition that does not exist",
        "markdown": "known defect: 1",
        "github": "::notice title=consumer/sticky existing known defect::",
        "junit": 'type="known defect"',
    }
    for format_, mark in marks.items():
        assert main([*EXISTING, *here, "--format", format_]) == 0
        assert mark in capsys.readouterr().out, format_
        assert main([*EXISTING, *here, "--strict", "--format", format_]) == 1
        out = capsys.readouterr().out
        assert ("<failure" in out) == (format_ == "junit")
    assert main(["explain", found["file"]]) == 0
    out = capsys.readouterr().out
    assert out.startswith("PASS  consumer/sticky has a known defect: ")
    assert (
        "Known defect: happens when there is a topic deleted and created again with fewer partitions."
        in " ".join(out.split())
    )
    assert 'Promise "existing": ' in out
    assert out.rstrip().endswith("Exit status 0: a known defect. With --strict: 1.")
    assert main(["explain", found["file"], "--strict"]) == 1
    assert capsys.readouterr().out.startswith("FAIL  ")


def test_a_given_group_that_shows_a_known_defect_says_so(tmp_path, capsys):
    file = tmp_path / "group.json"
    file.write_text(
        '{"name": "ours", "topics": [{"name": "t", "partitions": 2}], "members": [{"id": "a", "topics": ["t"], "owned": [["t", 2]]}]}'
    )
    assert main(["check", "consumer/sticky", "--group", str(file), "-o", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert "(1 group, such as the input group ours, also in Kafka" in " ".join(out.split())
    assert "Happens when there is a topic deleted and created again with fewer partitions." in " ".join(
        out.split()
    )


def test_exceptions_are_listed(capsys):
    assert main(["list", "--json"]) == 0
    (listed,) = [record for record in json_lines(capsys) if record["name"] == "consumer/sticky"]
    assert listed["except_in"]["existing"] == ["user_data", "vanished_partition"]


def test_exceptions_on_the_command_line(tmp_path, capsys):
    command = [*EXISTING, "--promise", "existing", "-o", str(tmp_path), "--json"]
    assert main(command) == 1
    assert main([*command, "--except", "existing=vanished_partition"]) == 0
    capsys.readouterr()
    for option, said in (
        ("existing", "is not PROPERTY=SITUATION"),
        ("existing=", "is not PROPERTY=SITUATION"),
        ("existing=nowhere", "no situation 'nowhere'"),
        ("nothing=racks", "no property 'nothing'"),
    ):
        assert main([*command, "--except", option]) == 2
        assert said in capsys.readouterr().err


def test_promises_of_a_reference_hold_any_target(tmp_path, capsys):
    command = ["check", "consumer/sticky", "--examples", "30", "-o", str(tmp_path), "--json"]
    assert main([*command, "--promises-of", "consumer/range"]) == 1
    told = {
        record["property"]: record["outcome"]
        for record in json_lines(capsys)
        if record["record"] == "verdict"
    }
    assert set(told) == ASSIGNORS["consumer/range"].promises
    assert told["topic_balanced"] == "broken"
    assert main([*command, "--promises-of", "consumer/nobody"]) == 2
    assert "is unknown. kassay list" in capsys.readouterr().err
    with pytest.raises(SystemExit, match="2"):
        main([*command, "--promises-of", "consumer/range", "--promise", "complete"])


@pytest.mark.parametrize(
    "spec",
    ["consumer/sticky", "consumer/sticky@4.4.0", "python:kassay.reference.consumer.sticky.assignor:STICKY"],
)
def test_exceptions_reach_the_gate(spec):
    with open_target(spec, Options()) as target:
        assert target.promises == STICKY.promises
        assert target.except_in == STICKY.except_in


def test_known_defects_are_expected_failures_in_tests_of_other_projects():
    one_promise = replace(STICKY, promises=frozenset({"existing"}))

    def existing(**options):
        (case,) = parametrize_with_properties([one_promise], examples=150, **options).args[1]
        return case.values

    assignor, keeps = existing()
    with pytest.raises(pytest.xfail.Exception, match="known defect: consumer/sticky breaks existing"):
        keeps(assignor)
    for options in ({"strict": True}, {"properties": ["existing"]}):
        assignor, keeps = existing(**options)
        with pytest.raises(pytest.fail.Exception, match="breaks existing"):
            keeps(assignor)


def test_what_only_breaks_outside_its_exceptions_once_made_smaller_says_where_it_was_seen():
    """Else a promise was BROKEN on 0 of so many groups."""
    told = judged({"complete": frozenset({"mixed_subscriptions"})}, [TWO, TWO])
    (finding,) = findings(told)
    assert (finding.outcome, finding.met, finding.seen_in) == (BROKEN, (), ("mixed_subscriptions",))
    one = verdict(told)
    assert (one.outcome, one.breaches, one.reduced, one.judged) == (BROKEN, 0, 2, 2)
    results = Results(["x"], [0], strict=False, verdicts=[one], findings=[(finding, Path("f.json"))])
    results.tallies = [item for item in told if isinstance(item, Tally)]
    said = "\n".join(f"{b.says} {b.text} {b.grid.rows if b.grid else ''}" for b in blocks(results))
    assert " on 0 of" not in said
    assert "in a smaller group, shrunk from one of 2 of 2 groups with a known defect" in said
    assert "All these groups have members that read different topics, a known defect." in said
    assert finding.json()["seen_in"] == ["mixed_subscriptions"]
    with_new = judged({"complete": frozenset({"mixed_subscriptions"})}, [TWO, ONE])
    assert (verdict(with_new).breaches, verdict(with_new).reduced) == (1, 0)


def test_a_promise_that_there_is_not_is_refused():
    """A misspelt promise would be a promise that nobody holds the target to."""
    with pytest.raises(
        InputError, match=r"promises: there is no property 'determinstic' in the consumer family"
    ):
        build_promises(["determinstic"], {}, family("consumer"))
