"""Strategies: what they generate is legal, takes every size, and depends on the seed alone."""

import json
import re
from dataclasses import astuple, fields

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from printed import by_hash_seeds
from whole import share

from kassay.engine.generate import draw_examples
from kassay.model import Group, Member
from kassay.model.partitions_json import read_group, write_group
from kassay.properties.choices import from_bytes, from_seed
from kassay.properties.partitions.groups import draw
from kassay.properties.partitions.owners import owners
from kassay.properties.partitions.strategies import groups, running_groups, scaled_out_groups, timelines
from kassay.properties.partitions.timelines import Alter, Event, Join, Resubscribe

LEGAL = re.compile(r"(?!\.{1,2}$)[a-zA-Z0-9._-]{1,249}")


def is_legal(group):
    assert read_group(json.loads(json.dumps(write_group(group)))) == group
    assert group.members
    names = {topic.name for topic in group.topics}
    for member in group.members:
        names.update(member.topics)
        names.update(partition.topic for partition in member.owned)
        assert member.id
        assert member.instance_id is None or LEGAL.fullmatch(member.instance_id)
        member.id.encode()
        (member.rack or "").encode()
    assert all(LEGAL.fullmatch(name) for name in names)


@settings(max_examples=share(60, 300), deadline=None)
@given(groups() | running_groups())
def test_groups_are_legal(group):
    is_legal(group)


@settings(max_examples=share(40, 200), deadline=None)
@given(timelines())
def test_timelines_are_legal(timeline):
    is_legal(timeline.start)
    for event in timeline.events:
        assert isinstance(event, Event)
        match event:
            case Join(member):
                is_legal(Group((), (member,)))
            case Alter(topic):
                is_legal(Group((topic,), timeline.start.members))
            case Resubscribe(_, topics):
                assert all(LEGAL.fullmatch(name) for name in topics)


@settings(max_examples=share(60, 300), deadline=None)
@given(running_groups())
def test_members_of_a_running_group_own_what_one_generation_gave(group):
    """Two members claim the same in one generation only in contested groups, for one partition."""
    assert sum(len(owned_by) > 1 for owned_by in owners(group).values()) <= 2


def test_sizes_are_mostly_small_sometimes_medium_rarely_large():
    members = [len(group.members) for group in draw_examples(groups(), 1_000, 0)]
    small, large = sum(size <= 6 for size in members), sum(size >= 50 for size in members)
    assert 750 <= small <= 950
    assert 5 <= large <= 40
    assert small + large < 1_000


def test_hardly_any_group_comes_twice():
    generated = draw_examples(groups(), 1_000, 0)
    assert len(set(generated)) > 0.95 * len(generated)


def test_the_seed_decides_whatever_the_hash_seed():
    program = (
        "from kassay.engine.generate import draw_examples\n"
        "from kassay.properties.partitions.strategies import groups, timelines\n"
        "from zlib import crc32\n"
        "print([crc32(repr(draw_examples(s(), 100, 7)).encode()) for s in (groups, timelines)])\n"
    )
    assert len(by_hash_seeds(program)) == 1


@pytest.mark.parametrize("strategy", [groups, running_groups])
def test_the_simplest_group_is_plain(strategy):
    group = draw_examples(strategy(), 1, 0)[0]
    assert len(group.members) == 1
    assert astuple(group.topics[0]) == ("t0", 0, None, None, None, (), None)
    assert {field.name: getattr(group.members[0], field.name) for field in fields(Member)}["id"] == "m0"


@given(scaled_out_groups())
def test_who_came_last_has_nothing_yet_and_the_others_their_share_of_the_end(group):
    *there, last = group.members
    assert not last.owned
    assert all(len(holders) == 1 for holders in owners(group).values())
    alike = len({member.topics for member in group.members}) == 1
    if there and alike:
        assert {p for m in there for p in m.owned} == {
            p for t in group.topics for p in t if t.name in last.topics
        }
        loads = [len(member.owned) for member in there]
        assert max(loads) - min(loads) < len(group.members)
        order = {p: at for at, p in enumerate(p for t in group.topics for p in t)}
        first, *others = [[order[p] for p in member.owned] for member in there]
        assert first == sorted(first)
        assert (
            not first
            or not others
            or max(first) < max(map(max, filter(None, others)), default=max(first) + 1)
        )


@pytest.mark.parametrize("kind", ["hot", "heavy"])
def test_sizes_of_topics_are_as_they_are_called(kind):
    for seed in range(60):
        sizes = sorted((t.partitions for t in draw({"topics": (3, 5), "partitions": (1, 40)}, {"sizes": {kind: 1}}, seed).start.topics), reverse=True)  # fmt: skip
        if kind == "hot":
            assert sizes[0] == 40
            assert max(sizes[1:]) <= 5
        else:
            assert all(30 // (n + 1) <= size <= 40 // (n + 1) for n, size in enumerate(sizes))


@settings(max_examples=share(40, 100), deadline=None)
@given(st.binary(max_size=20), st.lists(st.integers(), max_size=20))
def test_choices_go_on_behind_the_bytes_and_are_the_same_each_time(choices, items):
    def read(choices):
        return (
            [choices.below(7) for _ in range(5)], choices.some(items), sorted(choices.pick_order(items)), choices.pick_order(items),
            [choices.chance(50) for _ in range(30)],
        )  # fmt: skip

    first = read(from_bytes(choices))
    assert first == read(from_bytes(choices))
    assert first[2] == sorted(items)
    assert set(first[1]) <= set(items)
    assert max(first[0]) < 7


@given(st.binary(max_size=9) | st.integers(0, 2**63 - 1), st.integers(1, 10**7), st.lists(st.integers(0, 9)))
def test_both_sources_give_numbers_below_any_limit(source, limit, items):
    choices = from_seed(source) if isinstance(source, int) else from_bytes(source)
    assert all(0 <= choices.below(limit) < limit for _ in range(20))
    assert limit <= choices.pick_between((limit, limit + 3)) <= limit + 3
    assert choices.pick_weighted({"never": 0, "always": limit, "nor": 0}) == "always"
    assert len(choices.pick_order(items, 3)) == min(3, len(items))
    if items:
        assert 0 < len(choices.part(items)) <= max(1, len(items) - 1)


def test_a_seed_gives_all_of_many_numbers():
    choices = from_seed(1)
    assert len({choices.below(5_000) for _ in range(100_000)}) == 5_000


def test_zeros_are_the_simplest_choices():
    choices = from_bytes(bytes(64))
    assert choices.below(9) == 0
    assert not choices.chance(99)
    assert choices.pick("abc") == "a"
    assert choices.pick_order([3, 1, 2]) == [3, 1, 2]


def test_chances_are_as_said():
    choices = from_bytes(bytes(range(256)) * 4)
    assert 240 <= sum(choices.chance(25) for _ in range(1024)) <= 260
