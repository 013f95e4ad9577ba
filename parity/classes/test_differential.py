"""Two targets held against each other: what differs is found, made small, counted, and kept over a restart."""

from dataclasses import replace
from itertools import count, islice

import msgspec
import pytest
from classes.differ.counterparts import COUNTERPARTS
from classes.differ.million import compared
from whole import some

from kassay.engine import differential
from kassay.engine.differential import MOST, Comparison, Course, Difference, load_course, make_equality, run
from kassay.engine.generate import draw_groups
from kassay.errors import DiedError, InputError, SkippedError, TargetGoneError
from kassay.families import family
from kassay.model import AssignorError, Group
from kassay.model.partitions_json import read_group, write_assignment
from kassay.reference import ASSIGNORS
from kassay.reference.releases import behaviours
from kassay.targets import Target
from kassay.targets.java.releases import KAFKA

CONSUMER = family("consumer")
RANGE = ASSIGNORS["consumer/range"].assign


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch):
    monkeypatch.setattr(differential, "CHUNK", some(200, differential.CHUNK))


def target(assign):
    return Target("mine", "consumer", assign, assign)


def pair(*mine, theirs=RANGE):
    return Comparison([target(one) for one in mine], target(theirs), CONSUMER, tries=100)


def course(**more):
    return Course(["mine"], "theirs", 1, **more)


def spoiled(group: Group):
    """Answer as range does, but leave the last partition out where three members share a topic of five or more."""
    given = dict(RANGE(group))
    if any(
        topic.partitions >= 5 and sum(topic.name in m.topics for m in group.members) >= 3
        for topic in group.topics
    ):
        last = max((name for name in given if given[name]), default=None)
        if last is not None:
            given[last] = given[last][:-1]
    return given


def test_equals_do_not_differ():
    done = course()
    assert list(run(pair(RANGE), done, 500)) == []
    assert done.groups >= 500
    assert (done.differing, done.declined, done.differences) == (0, 0, [])


def test_parts_add_up_to_the_whole():
    whole = course()
    list(run(pair(spoiled), whole, some(600, 3_000)))
    parts = course()
    for start in range(whole.chunks):
        part = course(chunks=start)
        list(run(pair(spoiled), part, 1))
        part.chunks -= start
        list(parts.add(part))
    least = {(str(one.group), one.smallest) for one in whole.differences}
    assert {(str(one.group), one.smallest) for one in parts.differences} >= least
    assert msgspec.structs.replace(parts, differences=[]) == msgspec.structs.replace(whole, differences=[])
    assert list(parts.add(parts)) == []


def test_a_difference_is_found_and_made_small():
    done = course()
    first = next(run(replace(pair(spoiled), tries=2_000), done, 5_000))
    group = read_group(first.group)
    assert (len(group.members), [topic.partitions for topic in group.topics]) == (3, [5])
    assert first.answer == write_assignment(spoiled(group)) != first.other == write_assignment(RANGE(group))


def test_the_same_small_group_is_told_once_and_only_so_many_are_kept():
    def nothing(group):
        return {member.id: () for member in group.members}

    done = course()
    told = list(run(pair(nothing), done, 1_000))
    assert told == done.differences
    assert len({msgspec.json.encode(one.group) for one in told}) == len(told) <= MOST
    assert done.differing > MOST


def test_lists_in_another_order_differ():
    def backwards(group):
        return {member: given[::-1] for member, given in RANGE(group).items()}

    first = next(run(pair(backwards), course(), 1_000))
    assert sorted(map(tuple, first.answer.popitem()[1])) == sorted(map(tuple, first.other.popitem()[1]))


def failing(text, kind=AssignorError):
    def assign(_):
        raise kind(text)

    return assign


@pytest.mark.parametrize(
    ("mine", "theirs", "differ"),
    [
        ("IllegalStateException: no", "IllegalStateException: no [at A.b(A.java:1) < C.d(C.java:2)]", False),
        ("IllegalStateException: no", "IllegalStateException: yes", True),
        ("NullPointerException", 'NullPointerException: Cannot invoke "x" [at A.b(A.java:1)]', False),
        ("NullPointerException", "IllegalStateException", True),
        ("no answer: round and round", "IllegalStateException", True),
    ],
)
def test_failures_are_compared_by_their_words(mine, theirs, differ):
    done = course()
    assert bool(list(run(pair(failing(mine), theirs=failing(theirs)), done, 10))) is differ


def test_hanging_is_what_an_endless_search_looks_like_and_is_counted():
    hung = failing("it gave no answer within 5 seconds", DiedError)
    done = course()
    assert list(run(pair(hung, theirs=failing("no answer: the same movements come back")), done, 100)) == []
    assert done.endless == done.groups >= 100


def test_what_a_target_declines_is_not_compared():
    done = course()
    assert list(run(pair(failing("not mine", SkippedError)), done, 10)) == []
    assert done.groups == 0
    assert done.declined >= 10


def test_a_target_that_keeps_dying_is_given_up():
    with pytest.raises(
        TargetGoneError, match=r"^mine: its process died or hung \d+ times, last because it hung"
    ):
        list(run(pair(failing("it hung", DiedError)), course(), 1_000))


def test_what_differs_only_once_is_kept_as_it_is():
    calls = count()

    def moody(group):
        return {} if next(calls) == 3 else RANGE(group)

    done = course()
    (once,) = list(run(pair(moody), done, 10))
    assert (once.answer, once.smallest) == ({}, False)


def few(of_family, _, number):
    return list(draw_groups(of_family, 100, number))


def test_several_targets_are_held_against_one():
    done = course()
    list(run(pair(RANGE, lambda _: {}), done, 300, source=few))
    assert done.groups == done.differing == 300


def test_a_broken_off_comparison_goes_on_as_if_it_were_not(tmp_path):
    two, whole, state = replace(pair(spoiled), tries=20), course(), tmp_path / "state.json"
    list(run(two, whole, 600, source=few))
    list(run(two, course(), 200, source=few, state=state))
    halfway = load_course(state, course())
    assert (halfway.chunks, whole.chunks) == (2, 6)
    list(run(two, halfway, 600, source=few, state=state))
    assert load_course(state, course()) == halfway == whole
    assert whole.differing > 0
    assert list(run(two, halfway, 600, source=few)) == []


def test_a_state_of_another_comparison_is_refused(tmp_path):
    state = tmp_path / "state.json"
    assert load_course(state, course()) == course()
    course(stamp="abc").save(state)
    with pytest.raises(
        InputError, match=r"state.json: is of another comparison \(stamp: 'abc' instead of 'abd'\). Remove it"
    ):
        load_course(state, course(stamp="abd"))
    state.write_text("{")
    with pytest.raises(InputError, match=r"holds no state of a comparison"):
        load_course(state, course())


def test_differences_are_written_as_json(tmp_path):
    held = course(
        differences=[Difference("mine", {"topics": [], "members": []}, {"a": [["t", 0]]}, "words", True)]
    )
    held.save(tmp_path / "state.json")
    assert load_course(tmp_path / "state.json", course()) == held


def test_the_law_of_equality_compares_the_words_of_failures_without_their_stack():
    stacked = failing("NoSuchElementException [at HashMap$HashIterator.nextNode(HashMap.java:1)]")
    group = next(iter(draw_groups(CONSUMER, 1, 0)))
    law = make_equality(target(failing("NoSuchElementException")), CONSUMER)
    assert list(law(stacked, group)) == []
    assert list(law(failing("IllegalStateException"), group)) != []


def test_every_behaviour_is_held_against_pinned_releases():
    assert {one.reference for one in COUNTERPARTS} == {
        f"{name}@{behaviour.releases[-1]}" for name in KAFKA for behaviour in behaviours(name)
    }
    for one in COUNTERPARTS:
        name, _, last = one.reference.partition("@")
        releases = [spec.removeprefix("kafka:").removesuffix(f"#{name}") for spec in one.classes]
        known = next(behaviour.releases for behaviour in behaviours(name) if behaviour.releases[-1] == last)
        assert releases[-1] == last
        assert releases[0].rpartition(".")[0] == known[0].rpartition(".")[0], "one of the first line"
        assert set(releases) <= {*known} & {*KAFKA[name].versions()}


@pytest.mark.parametrize("held", COUNTERPARTS, ids=lambda held: held.file_name)
def test_a_seed_gives_the_same_groups(held):
    first, again, other = (list(islice(held.stream(seed), 20)) for seed in (0, 0, 1))
    assert first == again != other


def test_what_a_million_compared_is_counted_by_family_and_assignor():
    some = [
        held
        for held in COUNTERPARTS
        if held.name in ("broker/range@3.7.2", "share/simple@4.1.2", "share/simple@4.0.2")
    ]
    assert len(some) == 3
    courses = {held: Course(list(held.classes), held.name, 0, "") for held in some}
    for many, each in enumerate(courses.values(), 10):
        each.groups = many
    counted = compared(courses)
    assert set(counted) == {"broker", "broker/range", "share", "share/simple", "group coordinators"}
    assert counted["group coordinators"]["behaviours"] == 3
    assert counted["group coordinators"]["groups"] == 10 + 11 + 12
    assert counted["share/simple"] == counted["share"]
    assert counted["share"]["answers of classes"] == sum(
        c.groups * len(h.classes) for h, c in courses.items() if h.family == "share"
    )
