"""An answer is dominated only where all assignments of a tiny group say so, and with an answer that is better."""

import json
from dataclasses import replace
from itertools import product
from pathlib import Path
from random import Random

import pytest
from drawing import assignment, group
from hypothesis import given, settings
from hypothesis import strategies as st
from printed import json_lines
from sequences import legal
from test_topic_spread import owning
from whole import share

from kassay.cli import main
from kassay.comparison.advice import advise
from kassay.comparison.group_facts import gather_facts
from kassay.comparison.measured import measure_all, measure_current_assignment
from kassay.comparison.ranking import (
    DominatedCount,
    count_dominated_answers,
    describe_alternative,
    list_changes,
)
from kassay.families import family as family_named
from kassay.model import AssignorError, TopicPartition
from kassay.model.partitions_json import write_group
from kassay.oracles.answers import Dominated
from kassay.oracles.assignment.flow import topic_spread as flow
from kassay.oracles.partitions.levels import TOPIC_SPREAD
from kassay.oracles.partitions.optima import compute_dominance
from kassay.properties.consumer import INVARIANTS, MEASURES
from kassay.properties.partitions.strategies import scaled_out_groups
from kassay.reference import ASSIGNORS
from kassay.targets.reference import open_reference

ROOT = Path(__file__).parents[2]
NO_WORSE = ("square_imbalance", "moves", "cross_rack")


def worth(of, given_):
    return tuple(MEASURES[name](of, given_) for name in (*NO_WORSE, "topic_excess"))


def sticky_or_any(r, of):
    try:
        return ASSIGNORS["consumer/sticky"].assign(of)
    except AssignorError:
        return assignment(r, of)


def judged_as_all_assignments_do(of, given_):
    """Return True if a verdict is not at odds with all assignments, and a better answer is better."""
    found, own = compute_dominance(of)(given_), worth(of, given_)
    if found.verdict:
        better = worth(of, found.better)
        return better[-1] == found.least < own[-1] and all(map(int.__le__, better[:-1], own[:-1]))
    others = (worth(of, other) for other in legal(of))
    better = any(o[-1] < own[-1] and all(map(int.__le__, o[:-1], own[:-1])) for o in others)
    return found.verdict is None or not better


@settings(max_examples=share(40, 1000), deadline=None)
@given(st.integers(0, 10**9))
def test_the_verdict_is_that_of_all_assignments(seed):
    r = Random(seed)
    of = group(r, members=3, total=5)
    given_ = assignment(r, of) if seed % 2 or not of.members else sticky_or_any(r, of)
    found = compute_dominance(of)(given_)
    whole = ("complete", "exclusive", "subscribed", "existing")
    assert (found is None) is any(list(INVARIANTS[name](of, given_)) for name in whole)
    if found is not None:
        assert found.value == worth(of, given_)[-1]
        assert judged_as_all_assignments_do(of, given_)


def test_the_smallest_group_whose_sticky_answer_is_dominated():
    """One member owns all of some topics and another comes: 1 + 1 + 2 partitions, and nothing with fewer, nor 2 + 2 or 4."""
    sizes = [s for n in (1, 2, 3) for s in product(range(1, 5), repeat=n) if sum(s) <= 4]
    worse = {
        s
        for s in sizes
        if compute_dominance(owning(*s))(ASSIGNORS["consumer/sticky"].assign(owning(*s))).verdict
    }
    assert {tuple(sorted(s)) for s in worse} == {(1, 1, 2)}


def test_an_answer_that_gives_up_moves_for_nothing_is_not_told_to_be_the_best():
    """All that is known of it is that no optimum that was asked is no worse in everything; so nothing is said."""
    of = owning(24, 24, 96)
    found = compute_dominance(of)(ASSIGNORS["consumer/range"].assign(of))
    assert (found.value, found.verdict) == (0, False)
    assert compute_dominance(of)({"a": [], "b": []}) is None


def owning_a_topic_each():
    """Two members that own a topic each: as even as can be, and better spread costs two moves."""
    of = owning(2, 2)
    parts = [tuple(topic) for topic in of.topics]
    return replace(
        of, members=tuple(replace(m, owned=p, generation=1) for m, p in zip(of.members, parts, strict=True))
    )


@pytest.mark.parametrize("of", [owning_a_topic_each(), owning(1, 1, 2)], ids=["moves", "topic-spread"])
def test_moves_and_spread_count_in_the_verdict(of):
    assert judged_as_all_assignments_do(of, ASSIGNORS["consumer/sticky"].assign(of))


@settings(max_examples=share(15, 400), deadline=None)
@given(scaled_out_groups())
def test_where_members_came_one_by_one_a_better_answer_is_better(of):
    sticky = ASSIGNORS["consumer/sticky"].assign(of)
    found = compute_dominance(of)(sticky)
    assert found is not None
    if found.verdict:
        assert all(map(int.__le__, worth(of, found.better)[:-1], worth(of, sticky)[:-1]))
        assert worth(of, found.better)[-1] == found.least < found.value == worth(of, sticky)[-1]


def test_what_is_too_large_to_be_asked_is_not_known(monkeypatch):
    of = owning(1, 1, 2)
    monkeypatch.setattr(flow, "MANY", 1)
    monkeypatch.setattr(flow, "MANY_PAIRS", 1)
    found = compute_dominance(of)(ASSIGNORS["consumer/sticky"].assign(of))
    assert (found.value, found.verdict, found.better) == (1, None, None)


@pytest.mark.parametrize("family", ["consumer", "broker"])
def test_compare_shows_it_with_the_better_answer(family, folder, capsys):
    of = owning(24, 24, 96)
    (folder / "group.json").write_text(json.dumps({"family": family, **write_group(of)}))
    name = {"consumer": "consumer/sticky", "broker": "broker/uniform"}[family]
    asked = ["compare", name, "--group", str(folder / "group.json")]
    page = folder / "page.html"
    assert main([*asked, "--html", str(page)]) == 0
    told = (
        f"{name.partition('/')[2]}: even in sum, not by topic: the spread excess is 864, and the same 72 moves could make it 0. "
        "Better: a gets 24 of t2 for 12 of t0 and 12 of t1; b gets 12 of t0 and 12 of t1 for 24 of t2."
    )
    assert told in " ".join(capsys.readouterr().out.split())
    shown = page.read_text().partition('id="topics"')[2].partition("</section>")[0]
    assert told in shown
    assert shown.count("<figure") == 2
    assert "<td>b</td><td>12 of t0 and 12 of t1</td><td>24 of t2</td>" in shown
    assert shown.count("<span>best 0</span>") == 1
    assert main([*asked, "--json"]) == 0
    records = json_lines(capsys)
    (found,) = [record["dominated"] for record in records if record["record"] == "compared"]
    assert {key: found[key] for key in ("level", "value", "least", "verdict")} == {
        "level": "topic-spread", "value": 864, "least": 0, "verdict": True,
    }  # fmt: skip
    assert worth(of, {m: [TopicPartition(*p) for p in held] for m, held in found["better"].items()})[1:] == (
        72,
        0,
        0,
    )


def advised(group_, *names, in_use=""):
    of = family_named("consumer")
    targets = [open_reference(name) for name in names or of.settable]
    (row,) = measure_all(targets, of, [group_])
    found = replace(
        gather_facts(of, group_, row, measure_current_assignment(of, group_), targets), in_use=in_use
    )
    alone = replace(of, settable={name: of.settable[name] for name in names})
    return advise(replace(found, others=(), family=alone) if names else found)


def test_advice_says_that_the_advised_one_is_even_in_sum_alone():
    told = advised(owning(1, 1, 2), "consumer/sticky", "consumer/cooperative-sticky", "consumer/range")
    assert told.assignor == "consumer/cooperative-sticky"
    assert told.price.endswith(
        "cooperative-sticky is even in sum, not by topic; the same 2 moves could balance it."
    )


@pytest.mark.parametrize(("sizes", "best"), [((1, 1, 2), "roundrobin"), ((24, 24, 96), "range")])
def test_of_equally_even_answers_with_as_many_moves_the_better_spread_is_advised_but_where_all_would_stop(
    sizes, best
):
    of = owning(*sizes)
    told = advised(of)
    assert told.assignor == "consumer/cooperative-sticky"
    assert f"{best} has only a spread excess of 0, but it stops all members at each rebalance" in told.says
    told = advised(of, in_use="consumer/sticky")
    assert told.assignor == f"consumer/{best}"
    assert "by topic" not in told.price
    assert "sticky" not in told.says


@settings(max_examples=share(20, 200), deadline=None)
@given(st.integers(0, 10**9))
def test_whoever_gets_something_else_is_named_or_counted(seed):
    r = Random(seed)
    of = group(r, members=6, total=12)
    one, other = assignment(r, of), assignment(r, of)
    topics = [{m: sorted(p.topic for p in held) for m, held in each.items()} for each in (one, other)]
    differ = [m for m in topics[1] if topics[0][m] != topics[1][m]]
    said = describe_alternative(family_named("consumer").shape, one, other)
    more = len(differ) - 3
    assert said.count(" gets ") + said.count(" gives up ") == min(3, len(differ)) + (more == 1)
    assert ("; one more gets something else, too" in said) is (more == 1)
    assert (f"; {more} more get something else, too" in said) is (more > 1)


def test_over_several_groups_it_is_counted(folder, capsys):
    """Two groups whose sticky answer is dominated, one in which nothing can be better; range spreads all three."""
    asked = [
        {"family": "consumer", **write_group(owning(*sizes))} for sizes in ((24, 24, 96), (1, 1, 2), (2,))
    ]
    (folder / "groups.jsonl").write_text("\n".join(map(json.dumps, asked)))
    line = ["compare", "consumer/range", "consumer/sticky", "--group", str(folder / "groups.jsonl")]
    assert main(line) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert (
        "sticky: topics are not evenly spread on 2 of 3 groups; the same moves could spread 2 of these better by topic."
        in said
    )
    assert "range: topics are" not in said
    assert main([*line, "--json"]) == 0
    records = [json.loads(one) for one in capsys.readouterr().out.splitlines()]
    of_range, of_sticky = (record["dominated"] for record in records if record["record"] == "sums")
    assert of_sticky == {"level": "topic-spread", "groups": 3, "above": 2, "dominated": 2, "unknown": 0}
    assert of_range == {"level": "topic-spread", "groups": 3, "above": 0, "dominated": 0, "unknown": 0}


def test_groups_with_an_answer_that_is_not_judged_do_not_count():
    open_, true = (Dominated("topic-spread", 3, least, verdict) for least, verdict in ((3, None), (1, True)))
    judged = [{"a": true, "b": open_}, {"a": true}, {}, {"a": true, "b": true}]
    assert count_dominated_answers(judged, ["a", "b"]) == {
        "a": DominatedCount("topic-spread", 2, 2, 2, 0), "b": DominatedCount("topic-spread", 2, 2, 1, 1),
    }  # fmt: skip
    assert (
        count_dominated_answers(judged, ["a", "b"])["b"]
        .says(TOPIC_SPREAD.words)
        .endswith("better by topic; for 1 this is unknown.")
    )
    assert count_dominated_answers([{}], ["a"]) == {}


def test_of_many_kinds_the_most_are_named_and_the_others_summed_up():
    one, other = (
        {"a": [TopicPartition(t, n) for t, size in sizes for n in range(size)]}
        for sizes in ([("z", 9)], zip("tuvwx", range(1, 6), strict=True))
    )
    shape = family_named("consumer").shape
    assert (
        describe_alternative(shape, one, other)
        == "Better: a gets 3 of v, 4 of w, 5 of x and 3 of others for 9 of z."
    )
    assert list_changes(shape, one, other) == [("a", "1 of t, 2 of u, 3 of v, 4 of w and 5 of x", "9 of z")]
