"""Minimising ends in one size, from every start, within its budget, and for every family."""

from functools import cache

import pytest
from families.tables import FIRST_OF_SITUATIONS, WITH_TABLES, each_table, generated, tables, violation
from whole import WHOLE, some

from kassay.families import family
from kassay.properties.minimise import minimise, try_pairs

SOME_SEEDS = some(2, 20)
FEW_SEEDS = some(1, 4)
"""For predicates whose like, or whose every kind of step, other ones try from more seeds."""


@cache
def predicates(name):
    """Return what groups of a family are minimised by."""
    of_tests = tables(name)

    def breaks(mutant, broken):
        return lambda group: violation(name, mutant.assign, broken, group) is not None

    broken = {
        f"{title} {min(mutant.breaks)}": breaks(mutant, min(mutant.breaks))
        for title, mutant in of_tests.mutants.items()
    }
    tried = broken if WHOLE else {title: broken[title] for title in broken.keys() & of_tests.thoroughly}
    situations = family(name).situations if name in FIRST_OF_SITUATIONS else {}
    situations = {title: each for title, each in situations.items() if title not in of_tests.not_generated}
    return {**situations, **dict(sorted(tried.items())), **of_tests.minimised}


THOROUGHLY = each_table(lambda of_tests: sorted(of_tests.thoroughly))


@pytest.mark.parametrize("name", WITH_TABLES)
def test_what_is_minimised_thoroughly_is_among_the_predicates(name):
    assert predicates(name).keys() >= set(tables(name).thoroughly)


@pytest.mark.parametrize(("name", "predicate"), [(f, p) for f in WITH_TABLES for p in predicates(f)])
def test_one_size_for_each_predicate_from_every_seed(name, predicate):
    one_size(name, predicate, SOME_SEEDS if (name, predicate) in THOROUGHLY else FEW_SEEDS)


def one_size(name, predicate, seeds):
    holds, sizes = predicates(name)[predicate], []
    for seed in range(max(seeds, SOME_SEEDS)):
        start = next(filter(holds, generated(name, 300, seed)), None)
        if start is not None and len(sizes) < seeds:
            found = minimise(start, holds, family(name).shape.smaller)
            assert holds(found.group)
            assert found.finished
            sizes.append(tables(name).size(found.group))
    assert len(sizes) >= max(1, FEW_SEEDS - 1)
    assert len(set(sizes)) == 1


def fewer(numbers):
    """Be the family of a toy: leave out a number, or lower one by 1."""
    for at, number in enumerate(numbers):
        yield numbers[:at] + numbers[at + 1 :]
        if number:
            yield (*numbers[:at], number - 1, *numbers[at + 1 :])


def test_any_family_will_do():
    assert minimise((5, 9, 2), lambda numbers: max(numbers, default=0) >= 4, fewer).group == (4,)
    assert minimise((5, 9, 2), lambda numbers: len(numbers) >= 2, fewer).group == (0, 0)


def test_pairs_of_steps_lead_on_where_single_ones_do_not():
    even = lambda numbers: sum(numbers) % 2 == 0 and len(numbers) == 2  # noqa: E731
    assert minimise((4, 6), even, fewer).group == (4, 6)
    assert minimise((4, 6), even, lambda numbers: try_pairs(numbers, fewer)).group == (0, 0)


def test_no_group_is_asked_twice():
    asked = []
    minimise(
        (3, 3), lambda numbers: asked.append(numbers) or sum(numbers) >= 5, lambda n: try_pairs(n, fewer)
    )
    assert len(set(asked)) == len(asked)


def test_the_number_of_tries_is_bounded():
    found = minimise((50, 50), lambda numbers: sum(numbers) >= 3, fewer, tries=10)
    assert (found.tries, found.finished) == (10, False)
    assert sum(found.group) == 91 or sum(found.group) >= 3


def test_the_time_is_bounded():
    found = minimise((50, 50), lambda numbers: sum(numbers) >= 3, fewer, wall_s=0.0)
    assert (found.group, found.tries, found.finished) == ((50, 50), 0, False)


def test_a_failing_predicate_is_no_answer():
    with pytest.raises(ZeroDivisionError):
        minimise((1,), lambda numbers: 1 // len(numbers) > 0, fewer)
