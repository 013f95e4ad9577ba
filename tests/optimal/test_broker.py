"""broker/optimal: the target that a coordinator could give, which nothing dominates, and which the uniform assignor misses."""

import json
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st
from whole import share

from kassay.cli import main
from kassay.families import family
from kassay.families.optimal.broker import SPREAD, assign
from kassay.families.optimal.consumer import ORDERS
from kassay.families.optimal.consumer import assign as assign_at_once
from kassay.model import Group, Member, Topic, TopicPartition
from kassay.oracles.partitions.optima import compute_dominance
from kassay.oracles.partitions.optimum import compute_optimum
from kassay.oracles.partitions.question import parse_question, remeasure
from kassay.properties.partitions.strategies import groups
from kassay.reference import ASSIGNORS


@settings(deadline=None, max_examples=share(25, 800))
@given(groups())
def test_nothing_is_better_in_any_level_and_nothing_dominates_it(group):
    answer = assign(group)
    assert remeasure(group, answer, parse_question(SPREAD)) == compute_optimum(SPREAD, group).values
    assert compute_dominance(group)(answer).verdict is not True


@settings(deadline=None, max_examples=share(10, 200))
@given(groups(), st.sampled_from(ORDERS))
def test_it_takes_the_orders_of_the_consumers(group, order):
    assert assign(group, order) == assign_at_once(group, order)


def test_two_new_members_share_each_topic_where_uniform_gives_each_its_own(capsys, tmp_path):
    """Topics of 24, 24 and 96 partitions, two members: uniform lays whole topics in blocks, and as few moves could share them."""
    names = ("t1", "t2", "t3")
    topics = tuple(Topic(name, size) for name, size in zip(names, (24, 24, 96), strict=True))
    group = Group(topics, (Member("a", names), Member("b", names)))
    uniform, best = ASSIGNORS["broker/uniform"].assign(group), assign(group)
    assert compute_dominance(group)(uniform).verdict
    assert [sum(p.topic == name for p in best["a"]) for name in names] == [12, 12, 48]
    owned = replace(
        group,
        members=(
            replace(group.members[0], owned=tuple(map(TopicPartition, ["t3"] * 96, range(96)))),
            group.members[1],
        ),
    )
    kept = assign(owned)
    assert {len(kept["a"]), len(kept["b"])} == {72}
    assert remeasure(owned, kept, parse_question("moves"))["moves"] == 24  # loads of 72 take 24 of them
    file = tmp_path / "group.json"
    file.write_text(json.dumps({"family": "broker", **family("broker").shape.write_group(group)}))
    assert main(["compare", "broker/uniform", "broker/optimal", "--group", str(file)]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "even in sum, not by topic" in said
    assert (
        "Set this on" not in said or "optimal" not in said.partition("Set this on")[2]
    )  # a study, which nobody can set


def test_it_is_a_study():
    assert family("broker").classify_target("broker/optimal") == family("consumer").classify_target(
        "consumer/optimal"
    )
