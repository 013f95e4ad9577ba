"""The optima of a group's levels, found and proved once, to hold any number of answers against.

The optima of a group's levels once more, by linear programs, to hold the fast ones against.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from kassay.model import Assignment, Group, TopicPartition
from kassay.oracles.answers import Answer, Dominated, Far, Gap, Optima, sentences
from kassay.oracles.assignment import dominated as core
from kassay.oracles.assignment.certificates import judged, legal
from kassay.oracles.assignment.flow.exact import Solution, solve, solve_each
from kassay.oracles.assignment.linear_program import solve_collapsed_program, solve_program
from kassay.oracles.assignment.own_levels import BALANCE, TOPIC_SPREAD
from kassay.oracles.assignment.problem import Ints, Level, Problem, starts
from kassay.oracles.assignment.values import imbalance, values
from kassay.oracles.errors import ImpossibleError, UnsolvedError
from kassay.oracles.partitions.encoding import COSTS, Case, assignment_of, cases, counted, owners_in
from kassay.oracles.partitions.levels import LEVELS, compared
from kassay.oracles.partitions.optimum import optimum
from kassay.oracles.partitions.question import Question, question, remeasure


@dataclass(frozen=True, slots=True)
class _Places:
    """A group's case with the numbers of its partitions and members, to find what an assignment is worth."""

    case: Case
    items: dict[TopicPartition, int]
    places: dict[str, int]
    levels: tuple[str, ...]

    def reached(self, assignment: Assignment) -> dict[str, int] | None:
        """Return an assignment's value in each level, None where it is not complete and legal."""
        if not self.case.problem.single:
            held = owners_in(self.case, assignment)
            return None if held is None else _measured(self.case, held, self.levels)
        owners = np.full(len(self.items), -1)
        given = 0
        for member, partitions in assignment.items():
            if partitions:
                try:
                    owners[[self.items[partition] for partition in partitions]] = self.places[member]
                except KeyError:
                    return None
                given += len(partitions)
        # As many as there are, and none is left: so none was given twice.
        if given != len(owners) or owners.min(initial=0) < 0:
            return None
        column = owners.reshape(-1, 1)
        return _measured(self.case, column, self.levels) if legal(self.case.problem, column) else None


def optima(group: Group, contract: str = "") -> Optima:
    """Find and prove the optimum of balance, and at the most even loads that of each other level.

    They are in the order of LEVELS and in the units of the measures. `contract` is nothing or ``shared,``. Raises UnsolvedError
    where that fails, TooLargeError beyond 64 bits.
    """
    every = [question(f"{contract}{BALANCE},{level}") for level in compared(contract)[1:]]
    (case,) = cases(group, every[0])
    solutions = solve_each(case.problem, [asked.levels for asked in every])
    least: dict[str, int] = {}
    for asked, solution in zip(every, solutions, strict=True):
        worth = _proved(case, asked, solution)
        if least.setdefault(BALANCE, worth[BALANCE]) != worth[BALANCE]:
            raise UnsolvedError(
                f"{asked}: two optima of balance differ, {least[BALANCE]} and {worth[BALANCE]}"
            )
        least |= {level: worth[level] for level in asked.levels}
    return _known(case, least)


def in_order(group: Group, asked: Question) -> Optima:
    """Find and prove the optimum of each level of a question, at the optima of those before it.

    They are in the question's order and in the units of the measures. Raises as :func:`optima` does, and ImpossibleError
    for a question with a contract.
    """
    if asked.together or asked.joined or asked.several:
        raise ImpossibleError(f"question: {asked} has a contract; name levels only")
    if asked.weighs:
        raise ImpossibleError(
            f"question: {asked} asks for weights, of which answers are intervals; leave them out"
        )
    (case,) = cases(group, asked)
    least = _proved(case, asked, solve(case.problem, asked.levels))
    return _known(case, {level: least[level] for level in asked.levels})


def _proved(case: Case, asked: Question, solution: Solution) -> dict[str, int]:
    """Return what a solution is worth in each level; raises UnsolvedError where its prices do not prove it best."""
    best = judged(case.problem, asked.levels, solution.owners, solution.prices)
    if not best.proved:
        raise UnsolvedError(f"{asked}: the prices do not prove the optimum found")
    return _measured(case, best.owners, asked.levels)


def _known(case: Case, least: Mapping[str, int]) -> Optima:
    """Make optima, by level, ready to hold answers against."""
    items = {
        TopicPartition(topic, number): first + number
        for (topic,), first, end in zip(
            case.topics, case.start, (*case.start[1:], case.problem.items), strict=False
        )
        for number in range(end - first)
    }
    known = _Places(case, items, {member: n for n, member in enumerate(case.members)}, tuple(least))

    def gaps(assignment: Assignment) -> tuple[Gap, ...]:
        reached = known.reached(assignment)
        if reached is None:
            return ()
        return tuple(Gap(level, reached[level], best, LEVELS[level].words) for level, best in least.items())

    return Optima(least, gaps)


def _measured(case: Case, owners: Ints, levels: tuple[str, ...]) -> dict[str, int]:
    """Return what owners are worth in some levels, and in balance."""
    costs = [level for level in levels if level != BALANCE]
    worth = zip(costs, values(case.problem, tuple(costs), owners), strict=True)
    return {BALANCE: imbalance(case.problem, owners)} | {
        level: counted([case], level, own) for level, own in worth
    }


SMALL = 3000
"""Up to so many pairs of item and member the program is written partition by partition, else on the collapsed network."""


def programmed(group: Group, contract: str = "") -> dict[str, int]:
    """Return the optimum of each level, in the units of the measures; raises what the programs raise."""
    every = [question(f"{contract}{BALANCE},{level}") for level in compared(contract)[1:]]
    (case,) = cases(group, every[0])
    small = not case.problem.single or case.problem.items * case.problem.members <= SMALL
    least: dict[str, int] = {}
    for asked in every:
        solve = solve_program if small else solve_collapsed_program
        owners = solve(case.problem.asked(asked.levels), asked.levels)[0]
        least |= remeasure(group, assignment_of(group, [case], [owners]), asked)
    return least


def dominance(group: Group) -> Callable[[Assignment], Dominated | None]:
    """Return what says of an answer to a group whether it is dominated, None where the answer is not complete and legal; raises as :func:`core.dominance`."""
    (case,) = cases(group, Question((BALANCE, *COSTS, TOPIC_SPREAD)))
    judge = core.dominance(case.problem)

    def dominated(assignment: Assignment) -> Dominated | None:
        owners = owners_in(case, assignment)
        if owners is None:
            return None
        if not case.problem.items:
            return Dominated(TOPIC_SPREAD, 0, 0, False)
        found = judge(owners)
        value, least = (counted([case], TOPIC_SPREAD, squares) for squares in (found.squares, found.least))
        better = None if found.owners is None else assignment_of(group, [case], [found.owners])
        return Dominated(TOPIC_SPREAD, value, least, found.verdict, better, ",".join(found.levels))

    return dominated


NEAREST = "nearest"
"""The level that counts what is otherwise than in a given answer; nobody asks for it by name."""
NO_ENTRY = -1
"""The place of a gain of 0 behind all gains."""


class Move(NamedTuple):
    """A partition handed from one member to another."""

    partition: TopicPartition
    giver: str
    taker: str


def moves_to_optimum(text: str, group: Group, assignment: Assignment) -> list[Move] | None:
    """Return the fewest moves that turn an assignment into an optimum of a question; none where it is one.

    Answers None where the assignment does not give every partition to as many of its subscribers as are asked. Raises what :func:`.exact.solve` raises, and UnsolvedError where its prices prove no optimum.
    """
    asked = question(text)
    moves: list[Move] = []
    for case in cases(group, asked):
        owners = owners_in(case, assignment)
        if owners is None:
            return None
        problem, levels = nearest(case.problem, asked.levels, owners)
        solution = solve(problem, levels)
        better = judged(problem, levels, solution.owners, solution.prices)
        if not better.proved:
            raise UnsolvedError(f"{asked}: the prices do not prove that no fewer moves lead to an optimum")
        ordered = (np.sort(each, axis=1) for each in (owners, better.owners))
        for item in np.flatnonzero(np.not_equal(*ordered).any(axis=1)).tolist():
            before, after = (set(each[item].tolist()) for each in (owners, better.owners))
            for giver, taker in zip(sorted(before - after), sorted(after - before), strict=True):
                names = case.members[giver], case.members[taker]
                moves += [Move(partition, *names) for partition in case.partitions(item)]
    return moves


def nearest(problem: Problem, levels: tuple[str, ...], owners: Ints) -> tuple[Problem, tuple[str, ...]]:
    """Return the problem and levels whose optima are those of some levels that are nearest to given owners (items x copies).

    A last level counts the copies that are with others.
    """
    pairs, claim_of = np.unique(np.column_stack([problem.claim_of, owners]), axis=0, return_inverse=True)
    rows: list[dict[int, int]] = [{}]  # each owner, and its entry in the claim before
    for claim, *held in pairs.tolist():
        entries = range(problem.claim_start[claim], problem.claim_start[claim + 1])
        row = {int(problem.claim_member[entry]): entry for entry in entries}
        rows.append(row | {owner: row.get(owner, NO_ENTRY) for owner in held if owner >= 0})
    entry = np.array([each for row in rows for each in row.values()], np.int64)
    given: list[set[int]] = [set(), *(set(held) for _, *held in pairs.tolist())]
    stays = [owner in held for row, held in zip(rows, given, strict=True) for owner in row]
    before = np.concatenate([[0], pairs[:, 0]])
    claimed = problem.claimed(
        claim_of.reshape(-1) + 1,
        starts(np.array([len(row) for row in rows])),
        np.array([owner for row in rows for owner in row], np.int64),
        *(
            replace(level, gain=np.append(level.gain, 0)[entry], loss=level.loss[before])
            for level in problem.levels
            if level.gain is not None and level.loss is not None
        ),
        Level(
            NEAREST,
            gain=np.array(stays, np.int64),
            loss=np.concatenate([[0], (pairs[:, 1:] >= 0).sum(axis=1)]),
        ),
    )
    return claimed, (*levels, NEAREST)


def gap(
    text: str, group: Group, assignment: Assignment, time_limit_s: float | None = None
) -> tuple[Gap, ...]:
    """Return how far an assignment, which may be wrong, is from a question's optimum, level by level.

    Its values are those of the measures, which count only what is held legally. Raises what :func:`optimum`
    raises.
    """
    return gaps(optimum(text, group, time_limit_s), group, assignment)


def gaps(best: Answer, group: Group, assignment: Assignment) -> tuple[Gap, ...]:
    """Return how far an assignment is from an optimum that is known already."""
    value = remeasure(group, assignment, question(best.question))
    return tuple(Gap(level.name, value[level.name], level.value) for level in best.levels)


def explain(group: Group, assignment: Assignment, contract: str = "") -> list[str]:
    """Say of each level in which an assignment is not at its best what would do, what to hand over for that, and why no less does.

    All but balance are compared with the best that the most even loads allow; of an assignment that does not give every partition to
    as many of its subscribers as are asked nothing is said. `contract` comes before each question, such as ``shared,``. Raises what :func:`optimum` raises.
    """
    found = []
    for text in (
        f"{contract}{BALANCE}",
        *(f"{contract}{BALANCE},{level}" for level in compared(contract)[1:]),
    ):
        handed = moves_to_optimum(text, group, assignment)
        if handed is None:
            return []
        best = optimum(text, group)
        found.append(_far(gaps(best, group, assignment)[-1], handed, best))
    return sentences(found)


def _far(each: Gap, handed: list[Move], best: Answer) -> Far:
    of_loads = each.level == BALANCE
    why = [word.partition(": ")[2] for word in best.words if word.startswith(f"{each.level}: ")]
    return Far(
        LEVELS[each.level].words,
        each.value,
        each.optimum,
        tuple(f"{move.partition} from {move.giver} to {move.taker}" for move in handed),
        "; ".join(why) if each.optimum and not of_loads else "",
        _loads(best.assignment) if of_loads else "",
    )


def _loads(assignment: Assignment) -> str:
    """Say how much everybody can have where loads differ by one at most: ``2 or 3 partitions each are possible``."""
    loads = sorted({len(held) for held in assignment.values()})
    if len(loads) == 1:
        return f"{loads[0]:,} {'partition each is' if loads[0] == 1 else 'partitions each are'} possible"
    if loads and loads[-1] == loads[0] + 1:
        return f"{loads[0]:,} or {loads[-1]:,} partitions each are possible"
    return ""
