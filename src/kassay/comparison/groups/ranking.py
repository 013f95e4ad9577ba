"""The order in which strategies are recommended for a group; :mod:`kassay.comparison.advice` has the rules."""

from collections.abc import Sequence
from dataclasses import dataclass

from kassay.comparison.groups.facts import (
    Defect,
    Facts,
    find_default,
    find_family_order,
    find_standing,
    label_targets,
    resolve_assignor_name,
)
from kassay.comparison.headline import distance, lasting
from kassay.comparison.measured import NOW, Measured
from kassay.comparison.strategies import Quantity, Strategy
from kassay.family import SETTABLE, Setting
from kassay.sentences import listed


@dataclass(frozen=True, slots=True)
class Candidate:
    """A settable strategy with its answer and the numbers that the table shows."""

    answer: Measured
    name: str
    label: str
    setting: Setting | None
    row: Strategy
    defects: Sequence[Defect]

    @property
    def stops(self) -> bool:
        """True if all members stop at each rebalance."""
        return self.setting is not None and not self.setting.cooperative


def rank_targets(facts: Facts) -> list[str]:
    """Return the names of all targets, the recommended one first, then by their distance to the optimum."""
    best = [one.answer.target for one in rank(facts, find_candidates(facts))[:1]]
    restart = {row.target: row.restart for row in facts.rows}

    def key(one: Measured) -> tuple[object, ...]:
        moves = restart.get(one.target)
        return (
            one.target not in best,
            not one.gaps,
            distance(one),
            moves is None,
            moves or 0,
            find_family_order(facts, one),
        )

    return [one.target for one in sorted((*facts.answers, *facts.others), key=key)]


def find_candidates(facts: Facts) -> list[Candidate]:
    """Return the strategies that an operator can configure in this group: Kafka's settable ones, and third-party code."""
    labels = label_targets(facts)
    rows = {row.target: row for row in facts.rows}
    return [
        Candidate(one, name, labels[one.target], facts.family.settable.get(name), rows[one.target], facts.defects.get(one.target, ()))
        for one in (*facts.answers, *facts.others)
        for name in [resolve_assignor_name(one.target)]
        if ":" in name or (facts.family.standing(name) == SETTABLE and has_strategy(facts, name))
    ]  # fmt: skip


def has_strategy(facts: Facts, name: str) -> bool:
    """Return True if the clients of the group have a strategy, or if the clients are unknown; what is in use they have."""
    return facts.has is None or name in facts.has or name == facts.in_use


def rank(facts: Facts, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates that can be compared with the optimum, the recommended one first (rules 2 to 6)."""
    ranking = sorted((one for one in candidates if one.answer.gaps), key=lambda one: _sort_key(facts, one))
    if not ranking:
        return []
    in_use = facts.family.settable.get(facts.in_use)
    best = ranking[0]
    if best.stops and (in_use is None or in_use.cooperative):
        equal = (one for one in ranking if lasting(one.answer) == lasting(best.answer))
        cooperative = next(
            (one for one in equal if one.setting is not None and one.setting.cooperative), best
        )
        if best.name != find_default(facts) or distance(cooperative.answer) > distance(best.answer):
            best = cooperative
    if best.defects:
        without = (one for one in ranking if not one.defects and _covers(facts.quantities, one, best))
        best = next(without, best)
    return [best, *(one for one in ranking if one is not best)]


def _covers(quantities: Sequence[Quantity], one: Candidate, other: Candidate) -> bool:
    """Return True if one strategy is at least as good as another one in every number shown and in every objective."""
    if any(a > b for a, b in zip(distance(one.answer), distance(other.answer), strict=False)):
        return False
    costs = [(each.cost(one.row), each.cost(other.row)) for each in quantities]
    return all(
        own is not None and (than is None or own <= than)
        for own, than in costs
        if (own, than) != (None, None)
    )


def is_equal(facts: Facts, one: Candidate, other: Candidate) -> bool:
    """Return True if two strategies have equal values in every number shown and in every objective."""
    return _covers(facts.quantities, one, other) and _covers(facts.quantities, other, one)


def _sort_key(facts: Facts, one: Candidate) -> tuple[object, ...]:
    """Return the sort key of a candidate; the best candidate has the smallest key."""
    restart = one.row.restart
    return (
        distance(one.answer),
        (restart is None, restart or 0) if facts.rolling is not None else (False, 0),
        one.name != facts.in_use,
        one.name != find_default(facts),
        one.stops or one.setting is None,
        *find_family_order(facts, one.answer),
    )


def describe_trade_offs(facts: Facts, kept: Strategy, kept_stops: bool, others: Sequence[Candidate]) -> str:
    """Return in which numbers other strategies are better than what stays, "" if in none.

    What stays is the strategy in use or, if that is not known, the current assignment, which costs no moves.
    """
    found: dict[str, list[str]] = {}
    for one in others:
        better = [
            f"{each.noun} ({each.value(one.row):,} instead of {each.value(kept):,})"
            for each in facts.quantities
            if (own := each.cost(one.row)) is not None
            and (than := each.cost(kept)) is not None
            and own < than
        ]
        if kept.target != NOW and kept_stops and not one.stops and one.setting is not None:
            better.append("rebalances, which do not stop all members")
        if better:
            found.setdefault(listed(better), []).append(one.label)
    said = [
        f"{listed(labels)} {'is' if len(labels) == 1 else 'are'} better in {what}."
        for what, labels in found.items()
    ]
    return f"Trade-off: {' '.join(said)}" if said else ""


def describe_loss(facts: Facts, best: Candidate, ranking: Sequence[Candidate]) -> str:
    """Return in which numbers the strategy in use (or else Kafka's default) is better than the recommended one, if it balances as well; else ""."""
    equal = [
        one
        for one in ranking
        if one.name == find_standing(facts) and lasting(one.answer) <= lasting(best.answer)
    ]
    return describe_trade_offs(facts, best.row, best.stops, [one for one in equal if one is not best])
