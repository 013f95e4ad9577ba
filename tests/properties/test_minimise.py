"""Minimising ends in one size, whatever the start; within its budget; and whatever the family."""

from functools import cache

import pytest
from mutants.table import MUTANTS

from kassay.engine.generate import drawn
from kassay.model import AssignorError
from kassay.properties.consumer import INVARIANTS, LAWS, SITUATIONS
from kassay.properties.minimise import in_pairs, minimise
from kassay.properties.partitions.generating.strategies import groups
from kassay.properties.partitions.shrinking.order import size
from kassay.properties.partitions.shrinking.steps import smaller
from kassay.reference import ASSIGNORS

SEEDS = 20
"""All seeds, which `nox -s whole` tries; the usual tests try some."""
SOME_SEEDS = 5
FEW_SEEDS = 4
"""For predicates whose like, or whose every kind of step, other ones try from more seeds."""


@cache
def generated(seed):
    return drawn(groups(), 300, seed)


def breaks(assign, name):
    """Make the predicate that an assignor breaks a property."""

    def holds(group):
        try:
            found = (
                INVARIANTS[name](group, assign(group)) if name in INVARIANTS else LAWS[name](assign, group)
            )
            return next(found, None) is not None
        except AssignorError:
            return False

    return holds


ONE_OF_EACH = {
    "gives_up_on_odd_names crash_free", "believes_everybody exclusive", "keeps_what_is_unsubscribed subscribed",
    "keeps_what_has_vanished existing", "omits_the_idle every_member", "drops_contested complete",
    "never_evens balanced", "shares_from_the_first balanced", "hands_over_at_once cooperative",
    "forgets_older_owners cooperative", "copies_once redundant", "shuffles_its_lists deterministic",
    "serves_in_order_of_arrival member_order_independent", "deals_topics_as_listed topic_order_independent",
    "deals_by_hash renaming_independent", "hashes_topics renaming_independent", "swaps_two settling",
}  # fmt: skip
KAFKAS = {
    f"{name} {broken}": breaks(ASSIGNORS[f"consumer/{name}"].assign, broken)
    for name, broken in [
        ("range", "balanced"),
        ("roundrobin", "locally_balanced"),
        ("fair", "balanced"),
        ("fair", "locally_balanced"),
        ("fair", "topic_balanced"),
        ("redundant", "exclusive"),
        ("sticky", "subscribed"),
        ("sticky", "crash_free"),
        ("sticky", "stable"),
        ("sticky", "exclusive"),
        ("cooperative-sticky", "complete"),
        ("cooperative-sticky", "cooperative"),
    ]
}
BROKEN = {
    f"{name} {min(mutant.breaks)}": breaks(mutant.assign, min(mutant.breaks))
    for name, mutant in MUTANTS.items()
}
PREDICATES = {**SITUATIONS, **BROKEN, **KAFKAS}
ALL_SEEDS = {*SITUATIONS, *ONE_OF_EACH} - {"large_group"}


def test_one_of_each_is_among_the_predicates():
    assert PREDICATES.keys() >= ALL_SEEDS


@pytest.mark.parametrize("name", PREDICATES)
def test_one_size_for_each_predicate_from_every_seed(name):
    one_size(name, SOME_SEEDS if name in ALL_SEEDS else FEW_SEEDS)


def one_size(name, seeds):
    sizes = []
    for seed in range(seeds):
        start = next(filter(PREDICATES[name], generated(seed)), None)
        if start is not None:
            found = minimise(start, PREDICATES[name], smaller)
            assert PREDICATES[name](found.group)
            assert found.finished
            sizes.append(size(found.group))
    assert len(sizes) >= FEW_SEEDS - 1
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
    assert minimise((4, 6), even, lambda numbers: in_pairs(numbers, fewer)).group == (0, 0)


def test_no_group_is_asked_twice():
    asked = []
    minimise((3, 3), lambda numbers: asked.append(numbers) or sum(numbers) >= 5, lambda n: in_pairs(n, fewer))
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
