"""The worst cases: what is found is as bad as said, what grows is what doubles, seeds hold the known families."""

from collections import Counter
from dataclasses import replace
from random import Random

import drawing
import pytest
from drawing import to_the_first
from whole import WHOLE, some

from kassay.families.shapes.worst_case import make_hunt, small_groups
from kassay.model import Group, Member, Topic, TopicPartition
from kassay.oracles.errors import ImpossibleError
from kassay.oracles.partitions.levels import LEVELS
from kassay.oracles.partitions.optimum import compute_optimum
from kassay.oracles.partitions.worst_case import (
    KIND,
    WAYS,
    build_ground,
    build_seedling,
    generate_seeds,
    judge,
    mutate,
    mutate_weighed,
)
from kassay.oracles.worst_case import (
    Growth,
    Search,
    Space,
    exhaust_space,
    find_worst,
    grow_group,
    search_locally,
)
from kassay.properties.consumer import INVARIANTS
from kassay.properties.partitions.shrinking import smaller
from kassay.reference import ASSIGNORS

hunt = make_hunt(small_groups())


def worst_of(assign, text, **limits):
    return find_worst(judge(assign, text), build_ground(text), **limits)


def test_the_worst_in_weights_is_above_what_somebody_can_have():
    sticky, text = ASSIGNORS["consumer/sticky"].assign, "balance,weighted-balance"
    worst = Search(judge(sticky, text), (3, 6))
    search_locally(worst, mutate_weighed, build_seedling, seed=1, tries=some(80, 800))
    case = worst.shrink(smaller)
    assert case is not None
    assert case.value == LEVELS["weighted-balance"].measure(case.group, sticky(case.group)) > case.optimum
    best = compute_optimum(text, case.group)
    assert best.values.get("weighted-balance", best.levels[-1].value) == case.optimum
    assert LEVELS["weighted-balance"].measure(case.group, best.assignment) == case.optimum
    assert "the n-th partition of a topic weighs n" in str(build_ground(text).space)
    r = Random(2)
    group = build_seedling()
    for _ in range(200):
        group = mutate_weighed(r, group)
        assert all(len(topic.weights) == topic.partitions for topic in group.topics)
    assert {len(each.topics[0].weights) for each in generate_seeds("weights")} > {1}
    unweighed = replace(group, topics=tuple(replace(topic, weights=None) for topic in group.topics))
    assert judge(sticky, text).score(unweighed) is None


@pytest.mark.parametrize("text", ["balance", "balance,moves", "balance,cross-rack"])
def test_search_and_hunt_find_what_is_as_bad_as_they_say_and_the_same_again(text):
    def searched():
        worst = Search(judge(to_the_first, text), (4, 8))
        search_locally(worst, mutate, build_seedling, seed=1, tries=some(40, 240))
        return worst.case, worst.shrink(smaller)

    def hunted():
        worst = Search(judge(to_the_first, text), (6, 12))
        hunt(lambda of: (case := worst.score_group(of)) and case.gap, 1, some(160, 240))
        return worst.case

    (case, smallest), other = searched(), hunted()
    assert case.gap > 0
    assert smallest.gap >= case.gap
    assert sum(smallest.size) <= sum(case.size)
    for one in (case, smallest, other):
        assert judge(to_the_first, text).score(one.group) == one
    if text == "balance" or WHOLE:
        assert (case, smallest) == searched()
        assert other == hunted()


def test_hypothesis_is_steered_towards_greater_scores():
    """The score is one that chance alone hardly reaches: most partitions of one topic with one owner."""

    def score(of):
        owned = Counter((member.id, p.topic) for member in of.members for p in member.owned)
        return max(owned.values(), default=0)

    def best(scored):
        seen = []
        hunt(lambda of: (seen.append(score(of)), seen[-1] if scored else None)[1], 3, 300)
        assert len(seen) <= 300
        return max(seen)

    assert best(scored=True) > best(scored=False)


def test_what_hypothesis_generates_are_groups_with_everything_in_them():
    seen = []
    hunt(seen.append, 0, 200)
    assert any(member.owned for of in seen for member in of.members)
    assert any(member.rack is None for of in seen for member in of.members)
    assert any(len(racks) > 1 for of in seen for topic in of.topics for racks in topic.racks)
    assert any(len({member.topics for member in of.members}) > 1 for of in seen)


def test_several_copies_are_not_judged():
    with pytest.raises(ImpossibleError, match=r"asks for copies\. Leave them out"):
        judge(to_the_first, "copies=2,balance")


def test_growth_doubles_what_it_says():
    group = (
        exhaust_space(judge(to_the_first, "balance"), Space(KIND, 2, 2, racks=2, claims=True))
        .worst[2, 2]
        .group
    )
    factors = {"partitions": (1, 2), "topics": (1, 2), "members": (2, 1), "members and partitions": (2, 2)}
    for way, times in WAYS.items():
        larger = times(group, 4)
        members, partitions = factors[way]
        assert len(larger.members) == (8 if members == 2 else 2)
        assert sum(t.partitions for t in larger.topics) == (8 if partitions == 2 else 2)
        claims = Counter(p for member in larger.members for p in member.owned)
        assert all(count == 1 for count in claims.values())
    growth = {each.way: each for each in grow_group(judge(to_the_first, "balance"), WAYS, group, (16, 64))}
    assert [case.value for case in growth["partitions"].cases] == [2, 4, 8, 16, 32, 64]
    assert growth["partitions"].bounded is False
    assert growth["members"].bounded is True


def test_the_whole_of_it_says_what_it_found():
    said = list(worst_of(ASSIGNORS["consumer/sticky"].assign, "balance", tries=some(5, 60)).sentences)
    assert said[0].startswith("no worse up to ")
    found = worst_of(to_the_first, "balance", tries=some(10, 40), hunt=hunt)
    first, second, *growths = found.sentences
    assert first.startswith("no worse up to ")
    assert second.startswith(f"worst found, gap {found.worst.gap}: ")
    assert all(each.startswith("doubling ") for each in growths)
    cut = replace(found, growths=(Growth("topics", found.growths[0].cases[:2]),))
    assert [*cut.sentences][2:] == ["doubling topics, sizes that could be judged: 2, too few to tell"]

    def optimal(group):
        return compute_optimum("balance", group).assignment

    never = worst_of(optimal, "balance", tries=8)
    assert list(never.sentences)[1:] == ["no group with a gap was found"]
    assert "never above the optimum" in next(never.sentences)


def test_legal_answers_are_told_from_others_as_the_invariants_tell_them():
    r = Random(0)
    told = Counter()
    for _ in range(300):
        of = drawing.group(r)
        given = {member: list(partitions) for member, partitions in drawing.assignment(r, of).items()}
        every = [p for topic in of.topics for p in topic] + [
            TopicPartition("gone", 0),
            TopicPartition("t0", 9),
        ]
        for _ in range(r.randint(0, 2)):
            if given:
                held = given[r.choice(list(given))]
                held += [r.choice(every)] * (r.random() < 0.5)
                held[: r.randint(0, 1)] = []
        whole = not any(
            violation
            for name in ("complete", "exclusive", "subscribed", "existing")
            for violation in INVARIANTS[name](of, given)
        )
        assert (judge(lambda _, given=given: given, "balance").value(of) is not None) == whole
        told[whole] += 1
    assert min(told.values()) > 50
    assert judge(lambda _: given | {"stranger": every}, "balance").value(of) is None


def test_changes_bear_topics_without_partitions():
    r = Random(0)
    empty = Group((Topic("t0", 0, ()), Topic("t1", 1, (("r0",),))), (Member("m0", ("t0", "t1")),))
    for start in (empty, Group((Topic("t0", 0),), empty.members)):
        one = start
        for _ in range(500):
            one = mutate(r, one)
            assert one.topics
            assert one.members
            one = start if r.random() < 0.3 else one


@pytest.mark.parametrize(
    ("text", "members", "at_least"),
    [
        ("balance", 2, 16),
        ("balance,moves", 2, 16),
        ("balance,cross-rack", 2, 14),
        ("co-partition,cross-rack", 2, 16),
    ],
)
def test_structured_groups_hold_the_families_on_which_range_is_worst(text, members, at_least):
    worst = Search(judge(ASSIGNORS["consumer/range"].assign, text), (members, 16))
    every = list(generate_seeds(LEVELS[text.rpartition(",")[2]].about, members=members))
    assert all(len(of.members) <= members and sum(t.partitions for t in of.topics) <= 16 for of in every)
    for of in every:
        worst.score_group(of)
    assert worst.case.gap >= at_least
    assert worst.case.optimum == 0


def test_structured_groups_know_racks_and_owners_only_where_they_are_asked_about():
    for about in ("", "owners", "racks"):
        every = list(generate_seeds(about, members=3, partitions=6))
        assert any(m.rack or topic.racks for g in every for m in g.members for topic in g.topics) == (
            about == "racks"
        )
        assert any(m.owned for g in every for m in g.members) == (about == "owners")
        assert all(member.topics for g in every for member in g.members)
