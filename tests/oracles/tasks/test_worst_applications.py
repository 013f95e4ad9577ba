"""The worst of task assignors: nothing is left out, bad assignors are found to be as bad as they are, what is provisional is not judged."""

from collections import Counter
from dataclasses import replace
from itertools import islice, pairwise, product
from random import Random

import pytest
from counted_prices import PRICES
from placements import ACTIVES_GIVEN, INPUTS, PLAIN
from whole import WHOLE, some

from kassay.families.shapes.worst_case import make_hunt, small_applications
from kassay.model import AssignorError
from kassay.model.tasks import RUNNING, Given, TaskAssignment
from kassay.oracles.tasks.worst_case import (
    KIND,
    SPREAD,
    WAYS,
    build_application,
    build_ground,
    build_seedling,
    find_shape,
    generate_seeds,
    judge,
    mutate,
)
from kassay.oracles.worst_case import (
    Search,
    Shape,
    Space,
    enumerate_groups,
    enumerate_problems,
    exhaust_space,
    find_worst,
    search_locally,
)
from kassay.properties.tasks.measures import rack_aware
from kassay.reference import ASSIGNORS

TEXTS = ("balance", "balance,active", "balance,joint", "balance,moves", "subtopologies,balance,active")


def to_the_first(of):
    """Gives all active tasks to the first client, and all standbys to the next ones."""
    tasks = tuple(sorted(task.id for task in of.tasks))
    standbys = min(of.settings.num_standby_replicas, len(of.clients) - 1)
    held = {
        client.id: Given(tasks * (n == 0), tasks * (0 < n <= standbys)) for n, client in enumerate(of.clients)
    }
    return TaskAssignment(held, probing=False)


def counted(assign):
    """Judges by what is counted out, which is far quicker than a proof."""
    joint = PRICES["active first, best tie"].pair
    return replace(judge(assign, "balance,joint"), optimum=lambda of: joint(of)[1])


def plain(space, clients, tasks):
    """Every shape of a space, counted out without any thought of symmetry."""
    racks = range(space.racks)
    near = [tuple(r for r in racks if bits >> r & 1) for bits in range(1, 2**space.racks)] or [()]
    owners = [
        each
        for each in product(range(-1, clients if space.claims else 0), repeat=space.kind.roles)
        if -1 in each or len(set(each)) == len(each)
    ]
    kinds = list(product(product(near, repeat=space.kind.read), owners))
    for parts in range(1, min(space.parts, tasks) + 1):
        for of in product(range(parts), repeat=tasks):
            if list(of) != sorted(of) or set(of) != set(range(parts)):
                continue
            for homes in product(racks if space.racks else (-1,), repeat=clients):
                for contents in product(kinds, repeat=tasks):
                    yield Shape(
                        tuple((tuple(range(parts)), home) for home in homes),
                        tuple(
                            tuple(c for c, p in zip(contents, of, strict=True) if p == part)
                            for part in range(parts)
                        ),
                    )


@pytest.mark.parametrize(
    ("space", "clients", "tasks"),
    [
        (Space(PLAIN, 3, 2, racks=2), 3, 2),
        (Space(PLAIN, 2, 3, parts=2, racks=2), 2, 3),
        (Space(KIND, 3, 2, claims=True), 3, 2),
        (Space(KIND, 2, 1, racks=2, claims=True), 2, 1),
        (Space(ACTIVES_GIVEN, 2, 2, racks=2, claims=True), 2, 2),
        (Space(INPUTS, 3, 3, racks=2), 3, 3),
    ],
)
def test_problems_under_all_names_are_all_applications_there_are_once_each(space, clients, tasks):
    found = [
        shape for problem in enumerate_problems(space, clients, tasks) for shape in _shapes(space, problem)
    ]
    expected = list(plain(space, clients, tasks))
    assert len(found) == len(set(found)) == len(expected)
    assert set(found) == set(expected)


def _shapes(space, problem):
    return enumerate_groups(replace(space, kind=replace(space.kind, group=lambda shape: shape)), problem)


def test_applications_are_read_back_as_they_were_made():
    space = Space(KIND, 2, 2, parts=2, racks=2, claims=True)
    for problem in islice(enumerate_problems(space, 2, 2), 0, 1_500, 150):
        for shape in islice(_shapes(space, problem), 3):
            of = build_application(shape)
            assert find_shape(of) == shape
            assert rack_aware(of)
            assert all(client.lags[task] == RUNNING for client in of.clients for task in client.active)
    assert not rack_aware(build_application(Shape((((0,), -1),), (((((), ()), (-1, -1)),),))))


def test_all_to_the_first_is_as_bad_as_there_are_tasks():
    done = exhaust_space(judge(to_the_first, "balance"), Space(KIND, 3, 3))
    assert {size: case.gap for size, case in done.worst.items() if case} == {
        (2, 2): 2, (2, 3): 2, (3, 2): 1, (3, 3): 3,
    }  # fmt: skip
    assert done.sentence == (
        "no worse up to 3 clients x 3 tasks, 1 subtopology: the largest gap is 3 (3 for 0), and the smallest group with one has "
        "2 clients, 2 tasks and 1 subtopology (9 groups: 9 problems under every arrangement of names and numbers)"
    )


def test_exhaustion_finds_what_asking_every_application_finds():
    asked = counted(to_the_first)
    space = Space(PLAIN, 2, 2, racks=2)
    done = exhaust_space(asked, space)
    assert (
        done.tried
        == sum(len(list(plain(space, *size))) for size in space.sizes)
        == 2 * 9 + 2 * 81 + 4 * 9 + 4 * 81
    )
    for size in space.sizes:
        cases = [asked.score(build_application(shape)) for shape in plain(space, *size)]
        case = done.worst[size]
        assert (case.gap if case else 0) == max(0, *(each.gap for each in cases))
        assert case is None or asked.score(case.group) == case


@pytest.mark.parametrize("text", TEXTS)
def test_applications_that_are_one_problem_have_one_optimum(text):
    moves, kind = "moves" in text, SPREAD if "sub" in text else KIND
    space = Space(kind, 2, 2, parts=2, racks=2 * (not moves), claims=moves)
    asked = judge(to_the_first, text)
    for problem in islice(enumerate_problems(space, 2, 2), 10, 100, 30):
        found = list(enumerate_groups(space, problem))
        assert len({asked.optimum(one) for one in found[:: 1 + len(found) // 3]}) == 1


def test_what_is_provisional_or_not_legal_is_not_compared_and_that_is_said():
    def probes(of):
        return to_the_first(of)._replace(probing=True)

    def forgets(of):
        return TaskAssignment({client.id: Given((), ()) for client in of.clients}, probing=False)

    def refuses(_):
        raise AssignorError("no")

    space = Space(PLAIN, 2, 2, racks=2)
    for assign in (probes, forgets, refuses, ASSIGNORS["streams/fallback-prior"].assign):
        done = exhaust_space(counted(assign), replace(space, items=1))
        assert done.skipped == done.tried == 54
        assert done.sentence.startswith(
            "nothing could be compared up to 2 clients x 1 task, 2 racks, 1 subtopology ("
        )

    def sometimes(of):
        return to_the_first(of)._replace(probing=len(of.tasks) == 2)

    said = exhaust_space(counted(sometimes), space).sentence
    assert "; 486 groups without a right answer at rest, or a proved optimum, are not compared)" in said


def test_the_default_assignor_reads_more_than_it_has_to_at_one_task_and_two_clients():
    """KIP-925 keeps the counts of dealing in turn, so a single task stays with the first client."""
    done = exhaust_space(counted(ASSIGNORS["streams/high-availability"].assign), Space(PLAIN, 2, 2, racks=2))
    assert {size: (case.value, case.optimum) for size, case in done.worst.items() if case} == {
        (2, 1): (2, 0), (2, 2): (3, 1),
    }  # fmt: skip
    assert (done.tried, done.problems, done.skipped) == (18 + 162 + 36 + 324, 9 + 45 + 14 + 70, 0)
    alone = exhaust_space(counted(to_the_first), Space(PLAIN, 1, 2, racks=2))
    assert alone.sentence.startswith(
        "no worse up to 1 client x 2 tasks, 2 racks, 1 subtopology: never above the optimum"
    )


@pytest.mark.parametrize("text", TEXTS)
def test_a_search_finds_what_is_as_bad_as_it_says_and_the_same_again(text):
    where = build_ground(text)

    def searched():
        worst = Search(judge(to_the_first, text), (3, 3))
        search_locally(worst, where.mutate, where.seedling, seed=1, tries=some(16, 240))
        return worst

    worst = searched()
    assert worst.case.gap > 0
    assert judge(to_the_first, text).score(worst.case.group) == worst.case
    if text == "balance" or WHOLE:
        assert searched().case == worst.case


def test_the_whole_of_it_keeps_to_what_is_as_rack_aware(monkeypatch):
    monkeypatch.setattr("kassay.oracles.worst_case.MINIMISING", some(20, 2_000))
    where = replace(build_ground("balance,joint"), space=Space(PLAIN, 2, 1, racks=2), structured=[])
    where = replace(where, searched=(2, 2), grown=(2, 4))
    found = find_worst(judge(ASSIGNORS["streams/high-availability"].assign, "balance,joint"), where, tries=8)
    assert found.worst.gap == 2
    assert rack_aware(found.worst.group)
    first, second, *growths = found.sentences
    assert first.startswith(
        "no worse up to 2 clients x 1 task, 2 racks, 1 subtopology: the largest gap is 2 ("
    )
    assert second.startswith("worst found, gap 2: ")
    assert [each.way for each in found.growths] == list(WAYS)
    assert all(each.startswith("doubling ") for each in growths)


def test_structured_applications_know_racks_or_owners():
    for claims in (False, True):
        every = list(generate_seeds(KIND, claims=claims, clients=3, tasks=4))
        assert all(len(of.clients) <= 3 and len(of.tasks) <= 4 for of in every)
        assert all(rack_aware(of) != claims for of in every)
        assert any(client.active for of in every for client in of.clients) == claims
    assert {of.settings.rack_aware_assignment_strategy for of in generate_seeds(SPREAD, claims=False)} == {
        "balance_subtopology"
    }


def test_changes_and_what_hypothesis_generates_have_everything_in_them():
    r, seen, changed = Random(0), [], [build_seedling(KIND)]
    make_hunt(small_applications(KIND))(seen.append, 0, 40)
    for _ in range(100):
        changed.append(mutate(r, changed[-1]))
    for every in (seen, changed):
        assert all(find_shape(of).members and find_shape(of).parts for of in every)
        assert any(client.active for of in every for client in of.clients)
        assert any(client.standby for of in every for client in of.clients)
        assert len({len(of.clients) for of in every}) > 2
        assert any(len(find_shape(of).parts) > 1 for of in every)


def test_growth_doubles_what_it_says():
    (of,) = [
        each
        for each in generate_seeds(KIND, claims=True, clients=2, tasks=2)
        if len(find_shape(each).parts) == 2
    ][:1]
    factors = {
        "tasks": (1, 2, 1),
        "subtopologies": (1, 2, 2),
        "clients": (2, 1, 1),
        "clients and tasks": (2, 2, 1),
    }
    size = judge(to_the_first, "balance").size
    for way, times in WAYS.items():
        one, two, four = (times(of, n) for n in (1, 2, 4))
        assert size(one) == (2, 2, 2)
        for smaller, larger in pairwise((one, two, four)):
            assert [b / a for a, b in zip(size(smaller), size(larger), strict=True)] == [*factors[way]]
        held = Counter(task for client in four.clients for task in client.active)
        assert all(count == 1 for count in held.values())
        assert len(held) == len(of.tasks) * (4 if factors[way][1] == 2 else 1)
        assert {task for client in four.clients for task in client.lags} == {task.id for task in four.tasks}
