"""Play a sequence of rebalances with targets: what each comes to in all, and step by step."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from kassay.comparison.measured import Held, held, loads, roles
from kassay.errors import SkippedError
from kassay.families.convergence import illegal
from kassay.family import Family, Rounds, Sequences
from kassay.model import AssignorError
from kassay.shape import Assign
from kassay.targets.target import Target


@dataclass(frozen=True, slots=True)
class Played:
    """What a target comes to in a sequence: the sum of each level, how many rounds it takes, and how many rebalances it leaves uneven.

    `trouble` says why there are no sums; "" where there are.
    """

    target: str
    totals: Mapping[str, int]
    rounds: int = 0
    uneven: int = 0
    trouble: str = ""


def played(target: Target, family: Family, sequences: Sequences, timeline: Any) -> Played:
    """Play a timeline with a target; a rebalance that it does not answer completely and legally ends it."""
    return played_by_step(target, family, sequences, timeline)[0]


def played_by_step(
    target: Target, family: Family, sequences: Sequences, timeline: Any
) -> tuple[Played, Sequence[Rounds]]:
    """Play a timeline with a target, and return also the rounds of each rebalance that it came through."""
    return _played(target.name, target.assign, family, sequences, timeline)


def replayed_by_step(
    answers: Iterable[Any], family: Family, sequences: Sequences, timeline: Any
) -> tuple[Played, Sequence[Rounds]]:
    """Play a timeline with one answer for each rebalance, and return also the rounds of each."""
    left = iter(answers)

    def assign(_: Any) -> Any:
        for answer in left:
            return answer
        raise AssignorError("there is no assignment for it")

    found, done = _played("assignments", assign, family, sequences, timeline)
    more = sum(1 for _ in left)
    if more and not found.trouble:
        return replace(found, trouble=f"there are {more} assignments too many"), done
    return found, done


def _played(
    name: str, assign: Assign, family: Family, sequences: Sequences, timeline: Any
) -> tuple[Played, Sequence[Rounds]]:
    done: list[Rounds] = []
    try:
        for rounds in sequences.rounds(assign, timeline):
            done.append(rounds)
            if broken := illegal(family, *rounds[-1]):
                says = f"rebalance {len(done)} gets a wrong answer, which breaks {', '.join(broken)}"
                return Played(name, {}, trouble=says), done[:-1]
            if family.provisional(rounds[-1][1]):
                says = f"rebalance {len(done)} asks for another one, after {len(rounds)} answers still"
                return Played(name, {}, trouble=says), done[:-1]
    except (AssignorError, SkippedError) as failure:
        return Played(name, {}, trouble=f"rebalance {len(done) + 1} gets no answer: {failure}"), done
    uneven = sum(sequences.uneven(*rounds[-1]) for rounds in done)
    return Played(name, sequences.totals(done), sum(map(len, done)), uneven), done


@dataclass(frozen=True, slots=True)
class Step:
    """One rebalance: who left and joined before it, its sums by level, and once it is at rest who holds how much.

    `holds` is, by owner, how much of the first role it had before and how much arrived; `most_least` by role what the fullest and the emptiest hold.
    `waiting` is how much was with nobody after the first round, as its owner had to hand it over or a delay had to pass.
    """

    left: tuple[str, ...]
    joined: tuple[str, ...]
    moves: int
    totals: Mapping[str, int]
    holds: Mapping[str, tuple[int, int]]
    most_least: tuple[tuple[str, int, int], ...]
    rounds: int
    waiting: int
    uneven: bool


def steps(family: Family, sequences: Sequences, done: Sequence[Rounds]) -> Iterator[Step]:
    """Yield the step of each rebalance that was come through."""
    shape, before = family.shape, None
    for rounds in done:
        group, answer = rounds[-1]
        has = held(shape, shape.present(rounds[0][0])) if before is None else before
        then = held(shape, answer)
        used = roles(then)
        stays = {
            owner: len({*own.get(used[0], ())} & {*has.get(owner, {}).get(used[0], ())})
            for owner, own in then.items()
        }
        numbers = [(role, loads(then, [*then], role)) for role in used]
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
            len(_things(then) - _things(held(shape, rounds[0][1]))),
            sequences.uneven(group, answer),
        )
        before = then


def _things(whose: Held) -> set[tuple[str, Any]]:
    return {(role, item) for own in whose.values() for role, items in own.items() for item in items}
