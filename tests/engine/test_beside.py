"""What is excused in an excepted situation: what the reference that declares the exception breaks alike on the same group."""

import json
from dataclasses import replace
from typing import Any

import pytest
from families.tables import generated
from hypothesis import given
from hypothesis import strategies as st
from known_defects import read_defects
from whole import some

from kassay.api.check import open_candidate
from kassay.cli import main
from kassay.engine.check import check
from kassay.engine.finding import Finding
from kassay.engine.judge import cache_answers, judge
from kassay.engine.plan import Plan, select_promises
from kassay.engine.promises import UNEXCUSED, Failure, describe_excess, read_promises
from kassay.engine.verdict import Verdict
from kassay.errors import DiedError
from kassay.families import family
from kassay.families.assignors import ASSIGNORS
from kassay.model import Assignor, AssignorError
from kassay.output.block import BROKEN, KNOWN_DEFECT
from kassay.properties.runs import TwoRuns, Violation, extent
from kassay.targets import Options, open_target
from kassay.targets.reference import find_reference

CONSUMER = family("consumer")
STICKY = ASSIGNORS["consumer/sticky"]
VANISHED = next(
    d.group for d in read_defects() if (d.assignor, d.property, d.term) == ("consumer/sticky", "existing", "vanished_partition")
)  # fmt: skip


FAULTY = """
from kassay.model import AssignorError, TopicPartition
from kassay.reference import ASSIGNORS
from kassay.properties.partitions.situations import vanished_partition

def counts_one_more(group):
    "Give the first member a partition that nobody has heard of, where a claimed one has vanished."
    answer = {name: list(given) for name, given in ASSIGNORS["consumer/sticky"].assign(group).items()}
    if vanished_partition(group):
        answer[group.members[0].id].append(TopicPartition(group.topics[0].name, 99))
    return answer
"""
MODULE: dict[str, Any] = {}
exec(FAULTY, MODULE)
counts_one_more, vanished_partition = MODULE["counts_one_more"], MODULE["vanished_partition"]


def copied(assign, name="mine/copy", **changes):
    return Assignor(name, assign, STICKY.promises, "", **({"except_in": STICKY.except_in} | changes))


def told(candidate, name="existing", group=VANISHED, **plan):
    target = open_candidate(candidate, Options())
    of_plan = Plan(0, 0, (), None, Options(), **plan)
    promises = select_promises(of_plan, CONSUMER, read_promises(target, CONSUMER))
    items = list(check(target, CONSUMER, examples=0, given=[("", group)], wanted=[name], promises=promises))
    (verdict,) = [item for item in items if isinstance(item, Verdict)]
    return verdict, [item for item in items if isinstance(item, Finding)]


def test_a_copy_of_the_reference_is_excused_and_one_that_breaks_more_is_not():
    assert told(copied(STICKY.assign))[0].outcome == KNOWN_DEFECT
    verdict, (finding,) = told(copied(counts_one_more))
    assert (verdict.outcome, finding.known, finding.beside) == (BROKEN, False, "consumer/sticky")
    assert finding.messages[-1].startswith("not excused by vanished_partition: consumer/sticky ")


def test_whose_exceptions_they_are_is_told_by_the_name_or_word_for_word():
    assert find_reference("consumer/sticky", {}) == "consumer/sticky"
    assert find_reference("consumer/sticky@3.5.1", {}) == "consumer/sticky@3.5.1"
    assert find_reference("consumer/sticky@99.9", {}) == "consumer/sticky"
    assert find_reference("mine", STICKY.except_in) == "consumer/sticky"
    assert find_reference("mine", {k: list(v) for k, v in STICKY.except_in.items()}) == "consumer/sticky"
    assert find_reference("mine", {"existing": ["vanished_partition"]}) == ""
    assert find_reference("mine", {}) == ""
    for named in (
        copied(counts_one_more, "consumer/sticky", except_in={"existing": frozenset({"vanished_partition"})}),
    ):
        assert told(named)[0].outcome == BROKEN


def test_exceptions_of_ones_own_and_those_of_the_command_line_excuse_the_whole_group():
    own = copied(counts_one_more, except_in={"existing": frozenset({"vanished_partition"})})
    assert told(own)[0].outcome == KNOWN_DEFECT
    like_sticky = copied(counts_one_more)
    more = {"existing": frozenset({"vanished_partition"})}
    verdict, (finding,) = told(like_sticky, except_in=more)
    assert (verdict.outcome, finding.wholly) == (KNOWN_DEFECT, ("vanished_partition",))
    assert told(like_sticky, except_in={"existing": frozenset({"single_member+racks"})})[0].outcome == BROKEN


def test_promises_of_a_reference_excuse_what_it_breaks_itself():
    assert told(counts_one_more, promises_of="consumer/sticky")[0].outcome == BROKEN


def test_a_finding_is_replayed_by_the_same_rule(tmp_path, monkeypatch, capsys):
    """Of a copy that breaks more the replay is broken, of Kafka's answers it is a known defect."""
    _, (finding,) = told("consumer/sticky")
    path = replace(finding, beside="consumer/sticky").save(tmp_path)
    assert json.loads(path.read_text())["held_beside"] == "consumer/sticky"
    assert main(["explain", str(path), "--target", "consumer/sticky"]) == 0
    assert "known defect" in capsys.readouterr().out
    (tmp_path / "faulty_sticky.py").write_text(FAULTY)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    worse = "python:faulty_sticky:counts_one_more"
    assert main(["explain", str(path), "--target", worse]) == 1
    assert "not excused by vanished_partition" in capsys.readouterr().out
    path = replace(finding, beside="consumer/sticky", wholly=finding.except_in).save(tmp_path)
    assert main(["explain", str(path), "--target", worse]) == 0


def failing(text, stack=""):
    def fails(group):
        if vanished_partition(group):
            raise AssignorError(text, stack)
        return STICKY.assign(group)

    return fails


CRASH = next(
    d.group for d in read_defects() if (d.assignor, d.property, d.term) == ("consumer/sticky", "crash_free", "vanished_partition")
)  # fmt: skip


def test_a_failure_is_known_by_its_kind_and_where_both_are_python_by_its_function():
    other_place = failing("IllegalStateException: of mine", "mine.py:1 in assign")
    for assign, outcome in (
        (STICKY.assign, KNOWN_DEFECT),
        (failing("NullPointerException"), BROKEN),
        (other_place, BROKEN),
    ):
        verdict, (finding,) = told(copied(assign), "crash_free", CRASH)
        assert verdict.outcome == outcome
        broken = outcome == BROKEN
        assert finding.messages[-1].startswith(UNEXCUSED) == (UNEXCUSED in verdict.message) == broken


def test_failures_alike():
    java = Failure.from_error(
        AssignorError("IllegalStateException: No more [at A.b(A.java:1) < C.d(C.java:2)]")
    )
    python = Failure.from_error(
        AssignorError("IllegalStateException: No more", "some/where.py:7 in _deal: raise x")
    )
    assert (java.cause, java.where) == ("IllegalStateException at A.b(A.java:1)", "IllegalStateException")
    assert python.where == "IllegalStateException at where.py in _deal"
    assert java.matches(python)
    assert python.matches(replace(python, frame="else/where.py:99 in _deal"))
    assert not python.matches(replace(python, frame="some/where.py:7 in _other"))
    assert not python.matches(Failure.from_error(AssignorError("NullPointerException")))
    hangs = Failure.from_error(DiedError("it gave no answer within 5 seconds"))
    endless = Failure.from_error(AssignorError("no answer: the same movements come back again and again"))
    assert hangs.matches(endless)
    assert not hangs.matches(python)
    assert hangs.cause == "it gave no answer within 5 seconds"


def test_of_a_reference_itself_only_the_declared_failures_are_known():
    target = open_target("consumer/sticky", Options())
    promises = read_promises(target, CONSUMER)
    for fails, known in ((target.fails, True), (frozenset({"NullPointerException at x.py in y"}), False)):
        exceptions = replace(promises, fails=fails).select_exceptions("crash_free")
        breach = judge(CONSUMER, "crash_free", CRASH, cache_answers(target.assign), target, exceptions)
        assert bool(breach.met) == known
    assert "known to fail with NullPointerException at x.py in y only" in breach.messages[-1]


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(1, 3))), st.lists(st.sampled_from("abc")))
def test_what_is_broken_is_within_what_the_reference_breaks(mine, theirs):
    """Definition: nothing that it does not break, and of nothing more."""
    said = [Violation(f"{of} {amount}", of, amount) for of, amount in mine]
    known = [Violation("", of) for of in theirs]
    within = all(sum(amount for other, amount in mine if other == of) <= theirs.count(of) for of, _ in mine)
    assert (describe_excess(extent(said), extent(known), "x", ["y"]) == "") == within


def test_a_plain_sentence_concerns_itself_alone():
    assert extent(["a", "a", "b", TwoRuns("c", None, None)]) == {"a": 2, "b": 1, "c": 1}


WITH_EXCEPTIONS = [name for name, each in ASSIGNORS.items() if each.except_in and each.family != "streams"]


@pytest.mark.parametrize("name", WITH_EXCEPTIONS)
def test_what_answers_as_the_reference_does_is_excused_as_before(name):
    own = ASSIGNORS[name]
    target = open_candidate(
        Assignor("copy", own.assign, own.promises, "", own.except_in), Options(family=own.family)
    )
    record = family(own.family)
    promises = read_promises(target, record)
    for group in generated(own.family, 200, 0)[: some(25, 200)]:
        for promise in sorted(own.except_in):
            assign = cache_answers(target.assign)
            with_beside, whole = (
                _judged(record, promise, group, assign, target, exceptions)
                for exceptions in (
                    promises.select_exceptions(promise),
                    replace(promises, beside=None).select_exceptions(promise),
                )
            )
            assert with_beside == whole


def _judged(record, promise, group, assign, target, exceptions):
    try:
        return judge(record, promise, group, assign, target, exceptions)
    except AssignorError:
        return None
