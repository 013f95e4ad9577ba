"""Properties of the advice for one group: no order changes a sentence, nothing better is passed over, no severe defect is accepted without need."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from kassay.comparison.advice import advise
from kassay.comparison.group_facts import gather_facts
from kassay.comparison.measured import measure_all, measure_current_assignment
from kassay.comparison.ranking import find_candidates
from kassay.families.consumer import CONSUMER
from kassay.model import Group, Member, Topic
from kassay.targets.reference import open_reference

STRATEGIES = [open_reference(name) for name in CONSUMER.settable]


@st.composite
def owned_groups(draw, mixed=False):
    """Draw a group as a listing shows it: members that own some of the partitions of the topics that they subscribe to."""
    topics = [Topic(name, draw(st.integers(1, 6))) for name in ("a", "bb", "c-1")[: draw(st.integers(1, 3))]]
    ids = [f"m-{n}" for n in range(draw(st.integers(2, 5)))]
    names = [topic.name for topic in topics]
    subscribed = {
        one: draw(st.lists(st.sampled_from(names), min_size=1, unique=True)) if mixed else names
        for one in ids
    }
    owned = {one: [] for one in ids}
    for topic in topics:
        for partition in topic:
            readers = [one for one in ids if topic.name in subscribed[one]]
            owner = draw(st.sampled_from([*readers, None]))
            if owner is not None:
                owned[owner].append(partition)
    members = tuple(
        Member(
            one,
            tuple(name for name in names if name in subscribed[one]),
            tuple(owned[one]),
            4 if owned[one] else None,
        )
        for one in ids
    )
    return Group(tuple(topics), members)


def gather(group, targets=STRATEGIES, **more):
    """Return the facts on a group in the order of a live leader."""
    ordered = CONSUMER.leader_order(group)
    (row,) = measure_all(targets, CONSUMER, [ordered])
    return gather_facts(
        CONSUMER,
        ordered,
        row,
        measure_current_assignment(CONSUMER, ordered),
        targets,
        name="g",
        solve=False,
        **more,
    )


def told(facts):
    """Return everything that is said about a group, and the table."""
    advice = advise(facts)
    table = {row.target: [column.cell(row) for column in facts.columns] for row in facts.rows}
    return advice.sentences, advice.assignor, advice.lines, table


@given(owned_groups(), st.randoms(use_true_random=False))
def test_permuting_members_and_arguments_changes_no_sentence(group, chance):
    members, targets = list(group.members), list(STRATEGIES)
    chance.shuffle(members)
    chance.shuffle(targets)
    members = tuple(
        replace(each, owned=tuple(sorted(each.owned, key=lambda _: chance.random()))) for each in members
    )
    assert told(gather(replace(group, members=members), targets)) == told(gather(group))


@given(owned_groups(), st.randoms(use_true_random=False))
def test_permuting_topics_changes_no_sentence(group, chance):
    topics = list(group.topics)
    chance.shuffle(topics)
    names = [topic.name for topic in topics]
    members = tuple(
        replace(each, topics=tuple(sorted(each.topics, key=names.index))) for each in group.members
    )
    assert told(gather(Group(tuple(topics), members))) == told(gather(group))


def costs(facts, one):
    """Return the numbers shown, so that less is better, and whether all members stop."""
    return [each.cost(one.row) for column in facts.columns for each in column.quantities]


def dominates(facts, one, other):
    """Return True if a strategy is better in a number shown and worse in none."""
    pairs = list(zip(costs(facts, one), costs(facts, other), strict=True))
    pairs = [pair for pair in pairs if None not in pair]
    return all(a <= b for a, b in pairs) and any(a < b for a, b in pairs)


@given(st.booleans().flatmap(owned_groups), st.sampled_from(["", *CONSUMER.settable]))
def test_the_recommended_strategy_is_not_dominated_and_has_no_needless_defect(group, in_use):
    facts = gather(group, in_use=in_use)
    advice = advise(facts)
    candidates = find_candidates(facts)
    chosen = next((one for one in candidates if one.name == advice.assignor), None)
    if chosen is None or not advice.lines:
        return
    for one in candidates:
        if not one.answer.gaps or one is chosen:
            continue
        if dominates(facts, one, chosen):
            # Only what stops all members, or has a severe defect, is passed over; the advice says so.
            assert one.stops > chosen.stops or (one.defects and not chosen.defects)
            assert one.label in " ".join(advice.sentences)
        if chosen.defects and not one.defects:
            assert any(
                a is not None and b is not None and a > b
                for a, b in zip(costs(facts, one), costs(facts, chosen), strict=True)
            )


@given(owned_groups(), st.sampled_from([*CONSUMER.settable]))
def test_what_stays_is_best_in_every_number_or_its_trade_off_is_stated(group, in_use):
    facts = gather(group, in_use=in_use)
    advice = advise(facts)
    if advice.lines or advice.assignor != in_use:
        return
    candidates = find_candidates(facts)
    kept = next(one for one in candidates if one.name == in_use)
    for one in candidates:
        if one is kept or not one.answer.gaps:
            continue
        better = [
            a < b for a, b in zip(costs(facts, one), costs(facts, kept), strict=True) if None not in (a, b)
        ]
        if any(better):
            assert "Trade-off: " in advice.says
            assert one.label in advice.says.partition("Trade-off: ")[2]


@given(owned_groups())
def test_equally_good_means_equal_in_every_number(group):
    facts = gather(group)
    advice = advise(facts)
    candidates = {one.label: one for one in find_candidates(facts)}
    chosen = next((one for one in candidates.values() if one.name == advice.assignor), None)
    for label, one in candidates.items():
        for said in advice.says.split(". "):
            if "equally good" in said and label in said.replace(",", "").split() and one is not chosen:
                assert costs(facts, one) == costs(facts, chosen)


def two_topics(*owned):
    """Return a group in which each member owns these numbers of both of two topics."""
    topics = (Topic("orders", 4), Topic("payments", 4))
    members = tuple(
        Member(f"m{n}", ("orders", "payments"), tuple(list(topic)[i] for topic in topics for i in numbers), 3)
        for n, numbers in enumerate(owned)
    )
    return Group(topics, members)


def test_colocation_is_named_before_it_is_lost():
    advice = advise(gather(two_topics((0, 1), (2,), (3,))))
    assert advice.says.startswith(
        "The current assignment keeps orders-N and payments-N on one member, as range does."
    )
    assert "If your application joins these topics, keep range." in advice.says
    assert advice.optional
    single = Group(
        tuple(Topic(name, 1) for name in "abcd"),
        (
            Member("m0", ("a", "b", "c", "d"), tuple(next(iter(Topic(name, 1))) for name in "abcd"), 3),
            Member("m1", ("a", "b", "c", "d")),
        ),
    )
    assert "keeps" not in advise(gather(single)).says  # one partition each is no sign of a join


def loads(*numbers):
    """Return a group of two topics, which range does not balance, in which members own so many partitions."""
    topics = (Topic("t", sum(numbers) // 2), Topic("u", sum(numbers) - sum(numbers) // 2))
    partitions = iter([partition for topic in topics for partition in topic])
    members = tuple(
        Member(f"m{n}", ("t", "u"), tuple(next(partitions) for _ in range(number)), 2)
        for n, number in enumerate(numbers)
    )
    return Group(topics, members)


def test_a_small_imbalance_is_called_small_and_the_change_optional():
    small = advise(gather(loads(18, 14, 13)))
    assert small.headline.startswith(
        "g: the imbalance is small (max load / mean load = 18 / 15 = 1.2), so a change is optional."
    )
    assert small.optional
    assert "Optional: set" in small.says
    for large in (loads(20, 13, 12), loads(4, 4, 0)):
        advice = advise(gather(large))
        assert "small" not in advice.headline
        assert not advice.optional


def test_among_equals_a_cooperative_group_keeps_its_strategy():
    advice = advise(gather(loads(4, 4, 0), in_use="consumer/cooperative-sticky"))
    assert advice.assignor == "consumer/cooperative-sticky"
    assert not advice.lines


def test_strategies_that_a_client_lacks_are_never_recommended():
    advice = advise(gather(loads(4, 4, 0), has={"consumer/range", "consumer/roundrobin"}))
    assert advice.assignor in {"consumer/range", "consumer/roundrobin"}
    none = advise(gather(loads(4, 4, 0), has=set()))
    assert not none.assignor
    assert not none.lines
