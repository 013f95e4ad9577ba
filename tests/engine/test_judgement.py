"""What is judged and measured of one group: complete and legal answers alone are compared."""

import json
import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mutants.tiny import any_choices, tiny_group
from printed import json_lines
from promise_matrix import describe_distance

from kassay.cli import main
from kassay.cli.render.check import render_check as blocks
from kassay.cli.render.findings import Results
from kassay.comparison.measured import (
    measure_all,
    measure_answer,
    select_comparable,
    sum_distances,
    sum_measures,
)
from kassay.engine.check import check
from kassay.engine.judge import find_violations, judge_group
from kassay.engine.promises import read_promises
from kassay.engine.verdict import Distance, Tally, Verdict
from kassay.errors import DiedError, SkippedError, TargetGoneError
from kassay.families import family
from kassay.families.convergence import rest
from kassay.model import AssignorError, Group, Member, Topic, TopicPartition
from kassay.oracles.answers import Gap
from kassay.oracles.errors import TooLargeError
from kassay.reports.sweep.judge_rows import survive_crashes
from kassay.targets import Options, Target, open_target

CONSUMER = family("consumer")
TARGETS = [
    open_target(f"consumer/{name}", Options()) for name in ("range", "cooperative-sticky", "redundant")
]
NAMES = (*CONSUMER.invariants, "crash_free", "stable", "settling")
ONE = Group((Topic("t", 2),), (Member("a", ("t",)),))


def judged(target, group, names=tuple(CONSUMER.properties)):
    promises = read_promises(target, CONSUMER)
    optima = CONSUMER.oracles.optima
    return judge_group(CONSUMER, target, promises, group, lambda _: names, optima=lambda: optima(group))


@settings(max_examples=25, deadline=None)
@given(any_choices())
def test_a_group_is_judged_as_each_property_alone(choices):
    group = tiny_group(choices)
    for target in TARGETS:
        found = judged(target, group, NAMES)
        told = {name: breach.messages if breach else () for name, breach in found.breaches.items()}
        alone = {name: find_violations(CONSUMER, name, group, target.assign, target) for name in told}
        assert told == alone
        if found.failure is not None:
            assert (found.settled, "crash_free" in told) == (None, True)
            continue
        if found.settled.failure is not None:
            with pytest.raises(AssignorError, match=re.escape(str(found.settled.failure))):
                rest(CONSUMER, target.assign, group)
            assert found.settled.rest.illegal
            assert found.settled.gaps is None
            continue
        at_rest = rest(CONSUMER, target.assign, group)
        assert found.settled.rest == at_rest
        assert (found.settled.gaps is None) == (not at_rest.legal)
        assert tuple(CONSUMER.oracles.gaps(group, at_rest.answer)) == (found.settled.gaps or ())


def raising(error, after=0):
    """Make a target that fails from some question on, and answers those before."""
    asked = iter(range(1000))

    def assign(group):
        if next(asked) >= after:
            raise error
        return {group.members[0].id: tuple(p for topic in group.topics for p in topic)}

    return Target("raising", "consumer", assign, assign)


def test_of_a_group_that_is_declined_nothing_is_judged():
    found = judged(raising(SkippedError("not mine")), ONE)
    assert (str(found.failure), found.breaches, found.settled) == ("not mine", {}, None)


def test_of_a_failure_only_what_needs_no_answer_is_judged():
    found = judged(raising(AssignorError("no")), ONE)
    assert found.breaches["crash_free"].messages == ("it fails: no",)
    assert not CONSUMER.invariants.keys() & found.breaches.keys()
    assert found.settled is None


def test_what_was_judged_before_a_target_was_gone_stands():
    found = judged(raising(TargetGoneError("used up"), after=1), ONE)
    assert found.breaches.keys() >= {*CONSUMER.invariants, "crash_free"}
    assert "deterministic" not in found.breaches
    assert str(found.gone) == "used up"
    with pytest.raises(TargetGoneError):
        judged(raising(TargetGoneError("used up")), ONE)


def test_for_a_sweep_what_is_gone_has_died():
    target = survive_crashes(raising(TargetGoneError("used up"), after=1))
    found = judged(target, ONE)
    assert (found.gone, found.settled.rest.illegal) == (None, {})
    assert isinstance(judged(target, ONE).failure, DiedError)


LEVELS = CONSUMER.oracles.levels
STICKY, COOPERATIVE = (
    open_target(f"consumer/{name}", Options()) for name in ("sticky", "cooperative-sticky")
)
SMALL = Group((Topic("t", 1),), (Member("a", ("t",)),))
LARGE = Group((Topic("t", 4, (("r",),) * 4),), (Member("a", ("t",), rack="s"), Member("b", ("t",), rack="s")))


def loses(group):
    """Lose the last partition, unless it is the only one."""
    (topic,) = group.topics
    return {group.members[0].id: list(topic)[: max(1, topic.partitions - 1)]}


LOSER = Target("loser", "consumer", loses, loses)


def test_who_loses_partitions_does_not_look_better():
    rows = measure_all([LOSER, STICKY], CONSUMER, [SMALL, LARGE])
    assert [[*one.broken] for row in rows for one in row] == [[], [], ["complete"], []]
    assert rows[1][0].measures["cross_rack"] < rows[1][1].measures["cross_rack"]
    assert select_comparable(rows) == rows[:1]
    assert sum_measures(rows, ["cross_rack", "greatest_load"]) == [{"cross_rack": 0, "greatest_load": 1}] * 2
    assert rows[1][0].gaps == ()
    loser, sticky = sum_distances(rows, LEVELS, CONSUMER)
    assert (loser["balance"].compared, loser["balance"].groups) == (1, 2)
    assert (describe_distance(loser["balance"]), describe_distance(sticky["balance"])) == (
        "0 % of the 50.0 % right",
        "0 %",
    )


def test_nothing_is_summed_where_no_group_is_answered_whole_by_all():
    rows = measure_all([LOSER, STICKY], CONSUMER, [LARGE])
    assert sum_measures(rows, ["moves"]) == [{"moves": 0}, {"moves": 0}]
    assert select_comparable(rows) == []
    assert describe_distance(sum_distances(rows, LEVELS, CONSUMER)[0]["moves"]) == "none right"


def test_what_is_withheld_is_measured_in_the_next_round():
    owned = tuple(TopicPartition("t", n) for n in range(4))
    group = Group(LARGE.topics, (Member("a", ("t",), owned, 1, rack="s"), Member("b", ("t",), rack="s")))
    one = measure_answer(COOPERATIVE, CONSUMER, group)
    assert sum(map(len, one.assignment.values())) < 4
    assert one.legal
    assert (one.measures["cross_rack"], one.measures["imbalance"]) == (4, 0)


def test_compare_says_over_how_many_groups_it_sums(tmp_path, monkeypatch, capsys):
    (tmp_path / "loser.py").write_text(
        "def assign(group):\n"
        "    whole = {m.id: [] for m in group.members}\n"
        "    for topic in group.topics:\n"
        "        for m in [m for m in group.members if topic.name in m.topics][:1]:\n"
        "            whole[m.id] += list(topic)[:-1]\n"
        "    return whole\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    asked = ["compare", "python:loser:assign", "consumer/range", "--examples", "40"]
    assert main([*asked, "--json"]) == 0
    by_target = {one["target"]: one for one in json_lines(capsys)}
    loser, range_ = by_target["python:loser:assign"], by_target["consumer/range"]
    assert loser["illegal"] > range_["illegal"] == 0
    assert loser["summed"] == range_["summed"] == 40 - loser["illegal"]
    assert loser["failed"] == 0
    main(asked)
    out = capsys.readouterr().out
    wrong = loser["illegal"]
    assert f"loser:assign is incorrect in {wrong} of 40." in out
    assert (
        f"The columns right of the first count {40 - wrong} groups, in which all assignors are correct. The other {wrong}"
        in out
    )
    rows = {
        line.split()[0]: line.split()[1]
        for line in out.splitlines()
        if line.startswith(("loser:assign  ", "range  "))
    }
    assert rows == {"loser:assign": str(wrong), "range": "0"}
    group = tmp_path / "g.json"
    group.write_text(json.dumps(CONSUMER.write_group(LARGE)))
    main([*asked[:3], "--examples", "0", "--group", str(group)])
    assert "loser:assign: a wrong answer, which breaks complete." in capsys.readouterr().out
    main([*asked[:3], "--examples", "0", *["--group", str(group)] * 2])
    assert "No comparison: in none of 2 groups are all assignors correct." in capsys.readouterr().out


@given(st.lists(st.integers(0, 3), max_size=30), st.integers(0, 2000))
def test_a_distance_is_never_shown_without_the_share_it_is_over(gaps, missing):
    distance = Distance("t", "moves", groups=len(gaps) + missing)
    for gap in gaps:
        distance = distance.with_gap(Gap("moves", gap, 0))
    said = describe_distance(distance)
    assert ("right" in said) == (missing > 0 and distance.groups > 0)
    assert "100.0 % right" not in said
    assert said.startswith("0 %") == (len(gaps) > 0 and not any(gaps))
    assert describe_distance(Distance("t", "moves")) == "-"


def test_a_group_without_a_proved_optimum_costs_its_own_gap_and_no_verdict():
    def optima(group):
        if len(group.members) > 2:
            raise TooLargeError("so many patterns")
        return CONSUMER.oracles.optima(group)

    at_times = replace(CONSUMER, oracles=replace(CONSUMER.oracles, optima=optima))
    told = list(check(STICKY, at_times, examples=40, wanted=["complete"], measured=True))
    assert [one.outcome for one in told if isinstance(one, Verdict)] == ["kept"]
    (tally,) = (one for one in told if isinstance(one, Tally))
    for one in (one for one in told if isinstance(one, Distance)):
        assert one.unproved > 0 < one.compared
        assert one.compared + one.unproved <= one.groups == tally.groups
        assert one.unproved_why == "so many patterns"
        assert "right and proved" in describe_distance(one)
    results = Results(["consumer/sticky"], [0], strict=False)
    results.distances += [one for one in told if isinstance(one, Distance)]
    assert [one for b in blocks(results) for one in b.caveats if "so many patterns" in one] == [
        f"consumer/sticky: {one.unproved} groups are left out of the distances. The optimum is not proven: so many patterns."
    ]


@pytest.mark.parametrize("number", [1, 2])
def test_no_comparable_sum_is_no_verdict(number, tmp_path):
    group = tmp_path / "g.json"
    group.write_text(json.dumps(CONSUMER.write_group(LARGE)))
    targets = ["consumer/redundant", "consumer/sticky"]
    files = ["--group", str(group)] * number
    assert main(["compare", *targets, "--examples", "0", *files]) == (3 if number > 1 else 0)
