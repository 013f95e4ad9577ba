"""The ranking of strategies for a group by the rules of :mod:`kassay.comparison.advice`, and dominated answers.

An answer is dominated if another one is no worse in every compared objective and spreads each kind of items better.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kassay.comparison.facts import (
    Defect,
    Facts,
    find_default,
    find_family_order,
    find_standing,
    label_targets,
    resolve_assignor_name,
)
from kassay.comparison.headline import compute_distance, compute_state_distance
from kassay.comparison.measured import NOW, Measured, iterate_roles
from kassay.comparison.strategies import Quantity, Strategy
from kassay.families.family import SETTABLE, Family, Setting
from kassay.families.names import cut
from kassay.families.shape import Shape
from kassay.oracles.answers import Dominated
from kassay.oracles.levels import LevelWords
from kassay.sentences import join_names


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
            compute_distance(one),
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
        if ":" in name or (facts.family.classify_target(name) == SETTABLE and has_strategy(facts, name))
    ]  # fmt: skip


def has_strategy(facts: Facts, name: str) -> bool:
    """Return True if the clients of the group have a strategy, if the strategy is in use, or if the clients are unknown."""
    return facts.has is None or name in facts.has or name == facts.in_use


def rank(facts: Facts, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates that can be compared with the optimum, the recommended one first (rules 2 to 6)."""

    def key(one: Candidate) -> tuple[object, ...]:
        restart = one.row.restart
        return (
            compute_distance(one.answer),
            (restart is None, restart or 0) if facts.rolling is not None else (False, 0),
            one.name != facts.in_use,
            one.name != find_default(facts),
            one.stops or one.setting is None,
            *find_family_order(facts, one.answer),
        )

    ranking = sorted((one for one in candidates if one.answer.gaps), key=key)
    if not ranking:
        return []
    in_use = facts.family.settable.get(facts.in_use)
    best = ranking[0]
    if best.stops and (in_use is None or in_use.cooperative):
        equal = (
            one
            for one in ranking
            if compute_state_distance(one.answer) == compute_state_distance(best.answer)
        )
        cooperative = next(
            (one for one in equal if one.setting is not None and one.setting.cooperative), best
        )
        if best.name != find_default(facts) or compute_distance(cooperative.answer) > compute_distance(
            best.answer
        ):
            best = cooperative
    if best.defects:
        without = (one for one in ranking if not one.defects and _is_as_good(facts.quantities, one, best))
        best = next(without, best)
    return [best, *(one for one in ranking if one is not best)]


def _is_as_good(quantities: Sequence[Quantity], one: Candidate, other: Candidate) -> bool:
    """Return True if one strategy is at least as good as another one in every number shown and in every objective."""
    if any(a > b for a, b in zip(compute_distance(one.answer), compute_distance(other.answer), strict=False)):
        return False
    costs = [(each.cost(one.row), each.cost(other.row)) for each in quantities]
    return all(
        own is not None and (than is None or own <= than)
        for own, than in costs
        if (own, than) != (None, None)
    )


def is_equal(facts: Facts, one: Candidate, other: Candidate) -> bool:
    """Return True if two strategies have equal values in every number shown and in every objective."""
    return _is_as_good(facts.quantities, one, other) and _is_as_good(facts.quantities, other, one)


def describe_trade_offs(facts: Facts, kept: Strategy, kept_stops: bool, others: Sequence[Candidate]) -> str:
    """Return the numbers in which other strategies are better than `kept`, "" if there are none.

    `kept` is the strategy in use or, if it is unknown, the current assignment, which costs no moves.
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
            found.setdefault(join_names(better), []).append(one.label)
    said = [
        f"{join_names(labels)} {'is' if len(labels) == 1 else 'are'} better in {what}."
        for what, labels in found.items()
    ]
    return f"Trade-off: {' '.join(said)}" if said else ""


def describe_loss(facts: Facts, best: Candidate, ranking: Sequence[Candidate]) -> str:
    """Return the numbers in which the strategy in use (or else Kafka's default) is better than `best`, if it balances as well; else ""."""
    equal = [
        one
        for one in ranking
        if one is not best
        and one.name == find_standing(facts)
        and compute_state_distance(one.answer) <= compute_state_distance(best.answer)
    ]
    return describe_trade_offs(facts, best.row, best.stops, equal)


NAMED = 3
"""The most owners with changes that are named."""
KINDS = 3
"""The most kinds of items that are named for an owner, gained or lost."""


def compute_dominance(family: Family, group: Any, row: Sequence[Measured]) -> dict[str, Dominated]:
    """Return for each correct answer, by target, if another assignment is no worse, and better in an objective that is not compared."""
    if family.oracles is None or family.oracles.dominance is None:
        return {}
    dominated = family.oracles.dominance(group)
    judged = {one.target: dominated(one.settled) for one in row if one.legal and one.gaps}
    return {target: found for target, found in judged.items() if found is not None}


def describe_gain(family: Family, one: Measured, found: Dominated | None) -> str:
    """Describe an assignment that is better at equal cost, and its changes by owner; "" if none is known."""
    if found is None or not found.verdict:
        return ""
    words = family.level(found.level)
    told = f"{describe_topic_balance(one, words)}: the {words.many} is {found.value:,}, and {describe_equal_cost(one)} could make it {found.least:,}."
    return f"{told} {describe_alternative(family.shape, one.settled, found.better)}"


def describe_topic_balance(one: Measured, words: LevelWords) -> str:
    """Describe a dominated answer: not balanced by topic or other kind, and in total balanced or not."""
    even = not any(gap.over > 0 for gap in one.gaps if gap.said.counts == "loads")
    (each, _) = words.each
    return f"even in sum, not by {each}" if even else f"not even by {each} either"


def describe_equal_cost(one: Measured) -> str:
    """Return the moves of the better answer as text: ``the same 72 moves``."""
    moved = next((gap.value for gap in one.gaps if gap.said.counts == "moving"), 0)
    return f"the same {moved:,} move{'s' if moved > 1 else ''}" if moved else "as few moves"


def describe_alternative(shape: Shape, answer: Any, better: Any) -> str:
    """Describe the changes by owner, the largest first: ``Better: b gets 1 of t and 1 of u for 2 of v``."""
    changed = list_changes(shape, answer, better, KINDS)
    told = [
        f"{owner} {f'gets {more}' if more else 'gives up'}{' for' * bool(more and less)} {less}".rstrip()
        for owner, more, less in changed[:NAMED]
    ]
    left = len(changed) - NAMED
    rest = f"; {left:,} more get something else, too" * (left > 1)
    rest += "; one more gets something else, too" * (left == 1)
    return f"Better: {'; '.join(told)}{rest}."


def list_changes(
    shape: Shape, answer: Any, better: Any, most: int | None = None
) -> list[tuple[str, str, str]]:
    """Return each owner with other items in a better answer, its gains and its losses, with the sum of the kinds after the first `most`."""
    before, after = (
        {owner: dict(iterate_roles(given)) for owner, given in shape.write_assignment(each).items()}
        for each in (answer, better)
    )
    # The first role with changes: active tasks before standbys, but tasks if no connector moves.
    every = dict.fromkeys(role for given in after.values() for role in given)
    changed = {
        role
        for owner, given in after.items()
        for role, items in given.items()
        if items != before[owner].get(role)
    }
    role = next((role for role in every if role in changed), "")

    def kind(item: Any) -> str:
        return f"subtopology {item.rpartition('_')[0]}" if isinstance(item, str) else str(item[0])

    # Count items by kind: partitions by topic, active tasks by subtopology, tasks by connector.
    has, then = (
        {owner: Counter(map(kind, given.get(role, ()))) for owner, given in written.items()}
        for written in (before, after)
    )
    gets = {owner: (then[owner] - has[owner], has[owner] - then[owner]) for owner in then}
    owners, kinds = cut([*then]), cut([name for each in (*has.values(), *then.values()) for name in each])

    def told(part: Counter[str]) -> str:
        named = sorted(part.items(), key=lambda each: (-each[1], each[0]))[:most]
        others = part.total() - sum(number for _, number in named)
        named_first = [f"{number:,} of {kinds[name]}" for name, number in sorted(named)]
        return join_names([*named_first, *[f"{others:,} of others"] * bool(others)])

    differ = (owner for owner, each in gets.items() if any(each))
    order = sorted(differ, key=lambda owner: -sum(map(Counter.total, gets[owner])))
    return [(owners[owner], *map(told, gets[owner])) for owner in order]  # type: ignore[misc]


@dataclass(frozen=True, slots=True)
class DominatedCount:
    """The numbers of groups on which the answer of a target is not balanced by topic or other kind."""

    level: str
    groups: int
    """The number of groups that were searched for better answers."""
    above: int
    """The number of groups with a value above 0."""
    dominated: int
    unknown: int
    """The number of groups on which the search did not finish."""

    def says(self, words: LevelWords) -> str:
        """Describe the numbers in a sentence, "" if no answer is known to be dominated."""
        if not self.dominated:
            return ""
        each, many = words.each
        better = f"the same moves could spread {self.dominated:,} of these better by {each}"
        unknown = f"; for {self.unknown:,} this is unknown" if self.unknown else ""
        return f"{many} are not evenly spread on {self.above:,} of {self.groups:,} groups; {better}{unknown}."


def count_dominated_answers(
    judged: Sequence[Mapping[str, Dominated]], targets: Sequence[str]
) -> dict[str, DominatedCount]:
    """Return the numbers of each target over the groups on which all answers were searched, {} if there is no such group."""
    rows = [row for row in judged if all(target in row for target in targets)]
    return {
        target: DominatedCount(
            rows[0][target].level,
            len(rows),
            sum(row[target].value > 0 for row in rows),
            sum(row[target].verdict is True for row in rows),
            sum(row[target].verdict is None for row in rows),
        )
        for target in targets
        if rows
    }
