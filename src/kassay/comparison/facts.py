"""The facts about a group for its recommendation, with its load ratio and its co-located topics.

The ratio of the maximum load to the mean load measures the benefit of a balanced assignment. Topics are co-located if partitions with equal
numbers are on one member, as with range. Applications that join topics record by record rely on it.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from kassay.comparison.headline import label_targets_uniquely
from kassay.comparison.measured import Measured, compute_holdings, compute_loads, iterate_roles, list_roles
from kassay.comparison.strategies import Column, Quantity, Restart, Strategy, build_strategies, choose_columns
from kassay.families.family import Family
from kassay.families.shape import Shape
from kassay.oracles.answers import Answer, Dominated
from kassay.sentences import join_names


@dataclass(frozen=True, slots=True)
class Defect:
    """A severe known defect that a group may trigger."""

    promise: str
    """The id of the promise that fails."""
    says: str
    """The effect, as a verb phrase: *assigns a partition twice*."""
    when: str
    """The situation, as a noun phrase: *a topic that was re-created with fewer partitions*."""


@dataclass(frozen=True, slots=True)
class Facts:
    """Everything that is known about a group when kassay makes a recommendation."""

    family: Family
    answers: Sequence[Measured]
    """The answers of the targets that the user named."""
    others: Sequence[Measured] = ()
    """The answers of settable strategies that the user did not name."""
    now: Measured | None = None
    """The current assignment, or None if it is unknown."""
    wanted: Measured | None = None
    """The target assignment of the group coordinator (KIP-848), or None if it is unknown."""
    in_use: str = ""
    """The full name of the strategy in use, or "" if it is unknown."""
    home: str = ""
    """The family that the group belongs to."""
    together: Mapping[str, int] | None = None
    """The objective values of one optimal assignment, if no assignment is optimal in every objective."""
    defects: Mapping[str, Sequence[Defect]] = field(default_factory=dict)
    """Severe known defects by target."""
    file: str = ""
    """The input file, as written in commands."""
    group: Any = None
    name: str = ""
    best: Answer | None = None
    """One optimal assignment, or None if it takes too long to compute."""
    listed: bool = False
    """True if the group comes from the output of Kafka's tools."""
    warnings: Sequence[str] = ()
    """Assumptions about the input, and inconsistencies in it."""
    dominated: Mapping[str, Dominated] = field(default_factory=dict)
    """By target: the search for an equally good assignment that spreads topics better."""
    weighing: Any = None
    """The weights of the answers (:class:`kassay.oracles.answers.Weighing`), if the user asked for them."""
    rolling: Restart | None = None
    """A rolling restart with every answer, or None if it was not played."""
    has: Collection[str] | None = None
    """The full names of the strategies that the clients of the group have; None if they are unknown."""
    strategy: str = ""
    """The strategy in use as printed, even if kassay does not know it."""
    labels: Mapping[str, str] = field(default_factory=dict)
    """Names of members to show instead of their ids, such as CLIENT-ID of a KIP-848 group."""
    rows: Sequence[Strategy] = ()
    """The numbers of each answer and of the optimum; empty until :func:`add_rows` has computed them."""
    current: Strategy | None = None
    """The numbers of the current assignment, computed together with `rows`."""
    columns: Sequence[Column] = ()
    """The columns of the table, computed together with `rows`."""

    @property
    def quantities(self) -> list[Quantity]:
        """Every number that the table shows."""
        return [each for column in self.columns for each in column.quantities]


def label_targets(facts: Facts) -> dict[str, str]:
    """Return the display name of each target, without the family if all targets belong to one family."""
    return label_targets_uniquely([one.target for one in (*facts.answers, *facts.others)])


def resolve_assignor_name(target: str) -> str:
    """Return the family's name of a target; a Kafka class of any release or jar has the name of the reference."""
    kind, colon, rest = target.partition(":")
    name = rest.partition("#")[2] if colon and kind == "kafka" else target
    return name.partition("@")[0]


def add_rows(facts: Facts) -> Facts:
    """Return the facts with the rows of all answers and of the optimum, if it is known, and the columns of the table."""
    rows = build_strategies(
        facts.family, [*facts.answers, *facts.others], facts.now, facts.best, facts.rolling
    )
    current = (
        build_strategies(facts.family, [facts.now], facts.now, None, None)[0]
        if facts.now is not None
        else None
    )
    if facts.group is None:
        return replace(facts, rows=rows, current=current)
    columns = choose_columns(facts.family, facts.group, facts.now, rows, facts.rolling)
    return replace(facts, rows=rows, columns=columns, current=current)


def find_family_order(facts: Facts, one: Measured) -> tuple[int, str]:
    """Return the place of a target in the order of its family, which does not depend on the order of arguments."""
    order, name = [*facts.family.settable], resolve_assignor_name(one.target)
    return order.index(name) if name in order else len(order), one.target


def find_default(facts: Facts) -> str:
    """Return the name of Kafka's default strategy for the group's family."""
    of_home = (n for n, s in facts.family.settable.items() if s.default and n.startswith(f"{facts.home}/"))
    return next(of_home, facts.family.default)


def find_standing(facts: Facts) -> str:
    """Return the name of the strategy in use or, if it is unknown, of Kafka's default."""
    return facts.in_use or find_default(facts)


SMALL = Fraction(5, 4)
"""An imbalance below this ratio is small: the maximum load is less than a quarter above the mean."""


@dataclass(frozen=True, slots=True)
class LoadRatio:
    """The loads of one role in the current assignment: maximum, sum and number of owners; prints as ``18 / 15 = 1.2``."""

    most: int
    total: int
    owners: int
    idle: int
    balanced: bool
    """True if an optimal assignment has no smaller difference between the loads."""

    @property
    def value(self) -> Fraction:
        """The exact ratio."""
        return Fraction(self.most * self.owners, self.total)

    @property
    def is_small(self) -> bool:
        """True if the loads are not balanced, but the ratio is below 1.25 and every member has something."""
        return not self.balanced and not self.idle and self.value < SMALL

    def __str__(self) -> str:
        """Write the division: ``max load / mean load = 18 / 15 = 1.2``."""

        def decimal(number: Fraction, places: int) -> str:
            text = f"{float(number):,.{places}f}"
            return text.rstrip("0").rstrip(".") if "." in text else text

        mean = Fraction(self.total, self.owners)
        return f"max load / mean load = {self.most:,} / {decimal(mean, 1)} = {decimal(self.value, 2)}"


def find_load_ratio(shape: Shape, now: Measured, best: Answer) -> LoadRatio | None:
    """Return the ratio of the role that is furthest from balanced; None if nothing is owned."""
    has, then = compute_holdings(shape, now.assignment), compute_holdings(shape, best.assignment)
    owners = list(dict.fromkeys([*then, *has]))
    found = []
    for role in list_roles(has, then):
        numbers, possible = compute_loads(has, owners, role), compute_loads(then, owners, role)
        if any(numbers):
            worse = (max(numbers) - min(numbers)) - (max(possible) - min(possible))
            found.append(
                (worse, LoadRatio(max(numbers), sum(numbers), len(owners), numbers.count(0), worse <= 0))
            )
    return max(found, key=lambda each: each[0])[1] if found else None


SHOWN = 3
"""A sentence names at most this many topics."""


def describe_colocation(family: Family, now: Measured | None, answer: Measured, label: str) -> str:
    """Return a warning if topics are co-located now and would not be with an answer, else ""."""
    if now is None or now.failure is not None or family.shape.items != "partitions":
        return ""
    found = find_colocated(family.shape.write_assignment(now.assignment))
    kept = find_colocated(family.shape.write_assignment(answer.settled))
    lost = [topics for topics in found if not any(topics <= each for each in kept)]
    if not lost:
        return ""
    names = sorted(lost[0])
    shown = [f"{name}-N" for name in names[:SHOWN]] + [f"{len(names) - SHOWN} more topics"] * (
        len(names) > SHOWN
    )
    others = f" The same holds for {len(lost) - 1} more sets of topics." if len(lost) > 1 else ""
    return (
        f"The current assignment keeps {join_names(shown)} on one member, as range does. {label} does not keep them together.{others} "
        "If your application joins these topics, keep range."
    )


def find_colocated(assignment: Mapping[str, Any]) -> list[frozenset[str]]:
    """Return the largest sets of topics whose equal partition numbers are on one member, in a stable order.

    Only topics with equally many partitions on two or more members count, as others may be co-located by chance.
    """
    owners: dict[str, dict[int, str]] = defaultdict(dict)
    for owner, given in assignment.items():
        for _, items in iterate_roles(given):
            for topic, number in items:
                owners[topic][number] = owner
    alike: dict[frozenset[tuple[int, str]], set[str]] = defaultdict(set)
    for topic, of in owners.items():
        if len({*of.values()}) > 1:
            alike[frozenset(of.items())].add(topic)
    return sorted((frozenset(topics) for topics in alike.values() if len(topics) > 1), key=sorted)
