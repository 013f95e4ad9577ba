"""Measurements of the answers of targets: to the same groups, and over a sequence of rebalances."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from kassay.engine.verdict import Distance
from kassay.errors import SkippedError
from kassay.families import family as family_of
from kassay.families.convergence import Rest, converge, illegal
from kassay.families.family import Family, Rounds, Sequences
from kassay.families.shape import Assign, Shape
from kassay.model import AssignorError
from kassay.oracles.answers import Gap, Optima
from kassay.targets.target import Target

NOW = "now"
"""The name of the assignment that a group has."""


@dataclass(frozen=True, slots=True)
class Measured:
    """The answer of a target to one group.

    Moves are counted from the group to the converged answer, as for the optimum. Tasks to restore are counted in each rebalance.
    """

    target: str
    assignment: Any
    """The first answer."""
    measures: Mapping[str, int]
    gaps: tuple[Gap, ...] = ()
    """Gaps to the optimum if the answer is correct."""
    failure: str | None = None
    """The reason why there is no answer."""
    settled: Any = None
    """The converged answer, after all revocations and warm-ups."""
    broken: Mapping[str, str] = field(default_factory=dict)
    """The invariants that it breaks, each with the first violation."""
    family: str = ""
    """The family of the target."""
    rebalances: int = 1
    at_rest: bool = True
    """False if the group does not converge within the bound."""

    @property
    def legal(self) -> bool:
        """True if the group converges on a correct answer: nothing is unassigned, assigned twice or assigned to the wrong member."""
        return self.failure is None and self.at_rest and not self.broken


def measure_answer(target: Target, family: Family, group: Any, optima: Optima | None = None) -> Measured:
    """Ask a target about a group, play it until it converges, and measure the answer; pass `optima` of the group if known."""
    try:
        assign = _cache_answers(target.assign)
        assignment = assign(group)
        found = converge(family, assign, group)
        values = {name: measure(group, found.answer) for name, measure in family.measures.items()}
        # Tasks to restore are summed over the rebalances, except tasks that warmed up in between.
        words = family.oracles.words.values() if found.played and family.oracles else ()
        restoring = [of.measure for of in words if of.counts == "restoring" and of.measure in family.measures]
        values |= {name: sum(family.measures[name](*each) for each in found.played) for name in restoring}
        values |= {name: measure(assign, group) for name, measure in family.run_measures.items()}
    except (AssignorError, SkippedError) as failure:
        return Measured(target.name, None, {}, failure=str(failure), family=family.name)
    return Measured(
        target.name, assignment, values, _compute_gaps(family, group, found, values, optima), None, found.answer, found.illegal,
        family.name, found.rebalances, found.at_rest,
    )  # fmt: skip


def measure_current_assignment(family: Family, group: Any, optima: Optima | None = None) -> Measured | None:
    """Measure the current assignment of a group like an answer, without measures of several runs; None if members own nothing."""
    assignment = family.shape.present(group)
    return None if assignment is None else measure_assignment(family, group, assignment, optima)


def measure_assignment(family: Family, group: Any, assignment: Any, optima: Optima | None = None) -> Measured:
    """Measure an assignment that is not the answer of a target, without measures of several runs."""
    values = {name: measure(group, assignment) for name, measure in family.measures.items()}
    as_is = Rest(assignment, illegal=illegal(family, group, assignment))
    gaps = _compute_gaps(family, group, as_is, values, optima)
    return Measured(NOW, assignment, values, gaps, None, assignment, as_is.illegal)


def _compute_gaps(
    family: Family, group: Any, found: Rest, values: Mapping[str, int], optima: Optima | None
) -> tuple[Gap, ...]:
    """Return the gaps of a correct answer in every objective that is proven and measured."""
    if not family.oracles or not found.legal:
        return ()
    proved, measures = optima or family.oracles.optima(group), family.oracles.measures
    gaps = {gap.level: gap for gap in proved.gaps(found.answer)}
    more = {
        level: Gap(level, values[measures[level]], least, family.level(level))
        for level, least in proved.least.items()
        if gaps and level not in gaps and measures.get(level) in values
    }
    known = gaps | more
    return tuple(known[level] for level in dict.fromkeys([*proved.least, *gaps]) if level in known)


def _cache_answers(assign: Assign) -> Assign:
    """Return an assignor that is asked only once about each group; comparing groups is cheap, as most differ in the first member."""
    answers: list[tuple[Any, Any]] = []

    def answer(group: Any) -> Any:
        for known, given in answers:
            if group == known:
                return given
        answers.append((group, assign(group)))
        return answers[-1][1]

    return answer


def measure_all(targets: Sequence[Target], family: Family, groups: Iterable[Any]) -> list[list[Measured]]:
    """Measure every target on every group by its own family: a row for each group, in the order of the targets."""
    own = {
        target.family: family if target.family == family.name else family_of(target.family)
        for target in targets
    }
    rows = []
    for group in groups:
        optima = family.oracles.optima(group) if family.oracles else None
        rows.append([measure_answer(target, own[target.family], group, optima) for target in targets])
    return rows


def sum_distances(
    rows: Sequence[Sequence[Measured]], levels: Iterable[str], family: Family
) -> list[dict[str, Distance]]:
    """Return for each target its distance to the optimum of each objective, summed over the groups with a correct answer."""
    columns = []
    for column in zip(*rows, strict=True):
        found = {
            level: Distance(column[0].target, level, groups=len(rows), words=family.level(level))
            for level in levels
        }
        for gap in (gap for one in column for gap in one.gaps if gap.level in found):
            found[gap.level] = found[gap.level].with_gap(gap)
        columns.append(found)
    return columns


def select_comparable(rows: Sequence[Sequence[Measured]]) -> list[Sequence[Measured]]:
    """Return the rows of the groups for which all targets have a correct answer."""
    return [row for row in rows if all(one.legal for one in row)]


def explain_no_conclusion(rows: Sequence[Sequence[Measured]], *, summed: bool) -> str:
    """Return why a comparison has no conclusion, "" if it has one; `summed` is True if the groups are summed up."""
    for row in rows:
        for one in row:
            if one.failure:
                return f"{one.target} gave no assignment: {one.failure}"
    if summed and not select_comparable(rows):
        return f"no group of {len(rows):,} has a correct assignment of every assignor"
    return ""


def sum_measures(rows: Sequence[Sequence[Measured]], names: Iterable[str]) -> list[dict[str, int]]:
    """Sum each measure for each target over the groups for which all targets have a correct answer."""
    legal = select_comparable(rows)
    columns = len(rows[0]) if rows else 0
    return [{name: sum(row[n].measures[name] for row in legal) for name in names} for n in range(columns)]


Held: TypeAlias = Mapping[str, Mapping[str, tuple[str, ...]]]
"""Owner -> role -> names of its items; the role is "" if there is only one kind."""


def compute_holdings(shape: Shape, answer: Any) -> Held:
    """Return the names of the items of each owner in an assignment; empty for None, or if the shape does not write it by owner."""
    written = None if answer is None else shape.write_without_copies(answer)
    if not isinstance(written, dict):
        return {}
    return {
        owner: {
            role: tuple(
                [
                    item
                    if isinstance(item, str)
                    else f"{item[0]}-{item[1]}"
                    if len(item) == 2  # the usual ones, fast
                    else "-".join(map(str, item))
                    for item in items
                ]
            )
            for role, items in iterate_roles(given)
        }
        for owner, given in written.items()
    }


def count_holdings(shape: Shape, answer: Any) -> Mapping[str, Mapping[str, int]]:
    """Return the number of items of each owner in each role, without their names, of which there may be millions."""
    written = shape.write_without_copies(answer)
    return {
        owner: {role: len(items) for role, items in iterate_roles(given)} for owner, given in written.items()
    }


def iterate_roles(given: Any) -> Iterator[tuple[str, Sequence[Any]]]:
    """Yield the roles in the written assignment of an owner with their items."""
    roles = given if isinstance(given, dict) else {"": given}
    return ((role, items) for role, items in roles.items() if isinstance(items, list | tuple))


def list_roles(*all_held: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return the roles with items, in order; the first role if there are no items."""
    named = list(dict.fromkeys(role for each in all_held for of in each.values() for role in of))
    used = [role for role in named if any(of.get(role) for each in all_held for of in each.values())]
    return used or named[:1] or [""]


def compute_loads(whose: Held, owners: Sequence[str], role: str) -> list[int]:
    """Return the number of items of each owner in a role."""
    return [len(whose.get(owner, {}).get(role, ())) for owner in owners]


def name_role(shape: Shape, role: str) -> str:
    """Return the name of the items of a role in the plural: active tasks, connectors, partitions."""
    if role in shape.sizes:
        return role
    return f"{role} {shape.items}" if role else shape.items


def format_load_range(numbers: Sequence[int]) -> str:
    """Write the range of loads: 32, 2 or 3, 0 to 7."""
    least, most = min(numbers, default=0), max(numbers, default=0)
    return f"{least:,}" if least == most else f"{least:,} {'or' if most == least + 1 else 'to'} {most:,}"


def describe_excess(before: Sequence[int], most: int, who: str) -> tuple[str, int]:
    """Return the owners above the balanced maximum as text, and the total excess.

    The total is the number of items that have to move, which a reader can check.
    """
    over = Counter(number - most for number in before if number > most)
    said = [
        f"{number:,} {who if number > 1 else who.removesuffix('s')} own{'s' if number == 1 else ''} {more:,} more than {most:,}"
        for more, number in sorted(over.items(), reverse=True)
    ]
    return " and ".join(said), sum(more * number for more, number in over.items())


def has_lag(shape: Shape) -> bool:
    """Return True if items can lag behind, unlike connectors and tasks of Connect."""
    return "workers" not in shape.sizes


def simplify_reason(reason: str) -> str:
    """Return the explanation of an oracle's bound in plain words, without objectives in front such as ``connectors: balance: ``."""
    return re.sub(r"^([\w-]+: )+", "", reason).replace("at the best balance", "when loads are balanced")


@dataclass(frozen=True, slots=True)
class PlayedSequence:
    """The sums of a target over a sequence of rebalances."""

    target: str
    totals: Mapping[str, int]
    """The sum of each objective."""
    rounds: int = 0
    uneven: int = 0
    """The number of rebalances after which loads are not balanced."""
    trouble: str = ""
    """The reason why there are no sums, or ""."""


def play_sequence(target: Target, family: Family, sequences: Sequences, timeline: Any) -> PlayedSequence:
    """Play a timeline with a target until a rebalance without a correct answer."""
    return play_steps(target, family, sequences, timeline)[0]


def play_steps(
    target: Target, family: Family, sequences: Sequences, timeline: Any
) -> tuple[PlayedSequence, Sequence[Rounds]]:
    """Play a timeline with a target, and return also the rounds of each completed rebalance."""
    return _play(target.name, target.assign, family, sequences, timeline)


def replay_steps(
    answers: Iterable[Any], family: Family, sequences: Sequences, timeline: Any
) -> tuple[PlayedSequence, Sequence[Rounds]]:
    """Play a timeline with one answer for each rebalance, and return also the rounds of each."""
    left = iter(answers)

    def assign(_: Any) -> Any:
        for answer in left:
            return answer
        raise AssignorError("there is no assignment for it")

    found, done = _play("assignments", assign, family, sequences, timeline)
    more = sum(1 for _ in left)
    if more and not found.trouble:
        return replace(found, trouble=f"there are {more} assignments too many"), done
    return found, done


def _play(
    name: str, assign: Assign, family: Family, sequences: Sequences, timeline: Any
) -> tuple[PlayedSequence, Sequence[Rounds]]:
    done: list[Rounds] = []
    try:
        for rounds in sequences.rounds(assign, timeline):
            done.append(rounds)
            if broken := illegal(family, *rounds[-1]):
                says = f"rebalance {len(done)} gets a wrong answer, which breaks {', '.join(broken)}"
                return PlayedSequence(name, {}, trouble=says), done[:-1]
            if family.provisional(rounds[-1][1]):
                says = f"rebalance {len(done)} asks for another one, after {len(rounds)} answers still"
                return PlayedSequence(name, {}, trouble=says), done[:-1]
    except (AssignorError, SkippedError) as failure:
        return PlayedSequence(name, {}, trouble=f"rebalance {len(done) + 1} gets no answer: {failure}"), done
    uneven = sum(sequences.uneven(*rounds[-1]) for rounds in done)
    return PlayedSequence(name, sequences.totals(done), sum(map(len, done)), uneven), done


@dataclass(frozen=True, slots=True)
class Step:
    """One rebalance, with the loads once it has converged."""

    left: tuple[str, ...]
    joined: tuple[str, ...]
    moves: int
    totals: Mapping[str, int]
    """The sum of each objective."""
    holds: Mapping[str, tuple[int, int]]
    """For each owner the number of items of the first role that it kept, and of those that arrived."""
    most_least: tuple[tuple[str, int, int], ...]
    """Each role with its maximum and minimum load."""
    rounds: int
    waiting: int
    """The number of items without owner after the first round, because of a revocation or a delay."""
    uneven: bool


def build_steps(family: Family, sequences: Sequences, done: Sequence[Rounds]) -> Iterator[Step]:
    """Yield the step of each completed rebalance."""

    def things(whose: Held) -> set[tuple[str, Any]]:
        return {(role, item) for own in whose.values() for role, items in own.items() for item in items}

    shape, before = family.shape, None
    for rounds in done:
        group, answer = rounds[-1]
        has = compute_holdings(shape, shape.present(rounds[0][0])) if before is None else before
        then = compute_holdings(shape, answer)
        used = list_roles(then)
        stays = {
            owner: len({*own.get(used[0], ())} & {*has.get(owner, {}).get(used[0], ())})
            for owner, own in then.items()
        }
        numbers = [(role, compute_loads(then, [*then], role)) for role in used]
        totals = sequences.totals([rounds])
        first = next(name for name in totals if family.level(name).counts == "moving")
        yield Step(
            () if before is None else tuple(owner for owner in has if owner not in then),
            () if before is None else tuple(owner for owner in then if owner not in has),
            totals[first],
            totals,
            {owner: (stays[owner], len(own.get(used[0], ())) - stays[owner]) for owner, own in then.items()},
            tuple((role, max(each, default=0), min(each, default=0)) for role, each in numbers),
            len(rounds),
            len(things(then) - things(compute_holdings(shape, rounds[0][1]))),
            sequences.uneven(group, answer),
        )
        before = then
