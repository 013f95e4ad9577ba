"""Answers of partition assignors compared with what is best: gaps to the optima, domination, and explanations in sentences.

The optima of a group are found and proved once, for any number of answers; linear programs find them a second time.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from kassay.model import Assignment, Group, TopicPartition
from kassay.oracles.answers import Answer, Dominated, Far, Gap, Optima, describe_gaps
from kassay.oracles.assignment.certificates import verify_solution
from kassay.oracles.assignment.flow.dominance import compare_dominance
from kassay.oracles.assignment.flow.exact import Solution, solve, solve_each
from kassay.oracles.assignment.own_levels import BALANCE, TOPIC_SPREAD
from kassay.oracles.assignment.problem import Ints, Level, Problem, list_starts
from kassay.oracles.assignment.values import compute_imbalance, compute_values
from kassay.oracles.errors import ImpossibleError, UnsolvedError
from kassay.oracles.partitions.encoding import (
    Case,
    convert_to_measure,
    decode_assignment,
    encode_group,
    encode_owners,
    open_group,
)
from kassay.oracles.partitions.levels import LEVELS, compared
from kassay.oracles.partitions.optimum import compute_optimum
from kassay.oracles.partitions.question import Question, parse_question, remeasure


def compute_optima(group: Group, contract: str = "") -> Optima:
    """Find and prove the optimum of balance, and of each other level at the most even loads.

    They are in the order of LEVELS and in the units of the measures. `contract` is "" or ``shared,``. Raises UnsolvedError
    if that fails, TooLargeError beyond 64 bits.
    """
    every = [parse_question(f"{contract}{BALANCE},{level}") for level in compared(contract)[1:]]
    case, solver = (encode_group(group, every[0])[0], None) if contract else open_group(group)
    solutions = solve_each(case.problem, [asked.levels for asked in every], solver)
    least: dict[str, int] = {}
    for asked, solution in zip(every, solutions, strict=True):
        worth = _measure_proved(case, asked, solution)
        if least.setdefault(BALANCE, worth[BALANCE]) != worth[BALANCE]:
            raise UnsolvedError(
                f"{asked}: two optima of balance differ, {least[BALANCE]} and {worth[BALANCE]}"
            )
        least |= {level: worth[level] for level in asked.levels}
    return _compare_with(case, least)


def compute_ordered_optima(group: Group, asked: Question) -> Optima:
    """Find and prove the optimum of each level of a question, at the optima of those before it.

    They are in the question's order and in the units of the measures. Raises as :func:`compute_optima` does, and ImpossibleError
    for a question with a contract.
    """
    if asked.together or asked.joined or asked.several:
        raise ImpossibleError(f"question: {asked} has a contract. Name levels only")
    if asked.weighs:
        raise ImpossibleError(
            f"question: {asked} asks for weights, of which answers are intervals. Leave them out"
        )
    (case,) = encode_group(group, asked)
    least = _measure_proved(case, asked, solve(case.problem, asked.levels))
    return _compare_with(case, {level: least[level] for level in asked.levels})


def _measure_proved(case: Case, asked: Question, solution: Solution) -> dict[str, int]:
    """Return the value of a solution in each level; raises UnsolvedError if its prices do not prove it best."""
    best = verify_solution(case.problem, asked.levels, solution.owners, solution.prices)
    if not best.proved:
        raise UnsolvedError(f"{asked}: the prices do not prove the optimum found")
    return _measure(case, best.owners, asked.levels)


def _compare_with(case: Case, least: Mapping[str, int]) -> Optima:
    """Return optima, by level, with the function that compares answers with them."""

    def gaps(assignment: Assignment) -> tuple[Gap, ...]:
        owners = encode_owners(case, assignment)
        if owners is None:
            return ()
        reached = _measure(case, owners, tuple(least))
        return tuple(Gap(level, reached[level], best, LEVELS[level].words) for level, best in least.items())

    return Optima(least, gaps)


def _measure(case: Case, owners: Ints, levels: tuple[str, ...]) -> dict[str, int]:
    """Return the value of owners in some levels, and in balance."""
    costs = [level for level in levels if level != BALANCE]
    worth = zip(costs, compute_values(case.problem, tuple(costs), owners), strict=True)
    return {BALANCE: compute_imbalance(case.problem, owners)} | {
        level: convert_to_measure([case], level, own) for level, own in worth
    }


SMALL = 3000
"""The most pairs of item and member for a program partition by partition; larger ones are of the collapsed network."""


def solve_by_program(group: Group, contract: str = "") -> dict[str, int]:
    """Return the optima by linear programs, in the units of the measures; raises what the programs raise."""
    from kassay.oracles.assignment.linear_program import solve_collapsed_program, solve_program

    every = [parse_question(f"{contract}{BALANCE},{level}") for level in compared(contract)[1:]]
    (case,) = encode_group(group, every[0])
    small = not case.problem.single or case.problem.items * case.problem.members <= SMALL
    least: dict[str, int] = {}
    for asked in every:
        solve = solve_program if small else solve_collapsed_program
        owners = solve(case.problem.asked(asked.levels), asked.levels)[0]
        least |= remeasure(group, decode_assignment(group, [case], [owners]), asked)
    return least


def compute_dominance(group: Group) -> Callable[[Assignment], Dominated | None]:
    """Return a function that looks for an assignment that dominates an answer: as good in all levels, with topics spread better.

    It returns None if the answer is not complete and legal. Raises as :func:`compare_dominance`.
    """
    case, solver = open_group(group)
    judge = compare_dominance(solver)

    def dominated(assignment: Assignment) -> Dominated | None:
        owners = encode_owners(case, assignment)
        if owners is None:
            return None
        if not case.problem.items:
            return Dominated(TOPIC_SPREAD, 0, 0, False)
        found = judge(owners)
        value, least = (
            convert_to_measure([case], TOPIC_SPREAD, squares) for squares in (found.squares, found.least)
        )
        better = None if found.owners is None else decode_assignment(group, [case], [found.owners])
        return Dominated(TOPIC_SPREAD, value, least, found.verdict, better, ",".join(found.levels))

    return dominated


NEAREST = "nearest"
"""The level, without a name for users, that counts copies that are placed otherwise than in a given answer."""


class Move(NamedTuple):
    """A partition handed from one member to another."""

    partition: TopicPartition
    giver: str
    taker: str


def find_moves_to_optimum(text: str, group: Group, assignment: Assignment) -> list[Move] | None:
    """Return the fewest moves that turn an assignment into an optimum of a question.

    Returns None if the assignment does not give every partition to as many of its subscribers as are asked. Raises what
    :func:`.exact.solve` raises, and UnsolvedError if its prices prove no optimum.
    """
    asked = parse_question(text)
    moves: list[Move] = []
    for case in encode_group(group, asked):
        owners = encode_owners(case, assignment)
        if owners is None:
            return None
        problem, levels = add_nearest_level(case.problem, asked.levels, owners)
        solution = solve(problem, levels)
        better = verify_solution(problem, levels, solution.owners, solution.prices)
        if not better.proved:
            raise UnsolvedError(f"{asked}: the prices do not prove that no fewer moves lead to an optimum")
        ordered = (np.sort(each, axis=1) for each in (owners, better.owners))
        for item in np.flatnonzero(np.not_equal(*ordered).any(axis=1)).tolist():
            before, after = (set(each[item].tolist()) for each in (owners, better.owners))
            for giver, taker in zip(sorted(before - after), sorted(after - before), strict=True):
                names = case.members[giver], case.members[taker]
                moves += [Move(partition, *names) for partition in case.partitions(item)]
    return moves


def add_nearest_level(
    problem: Problem, levels: tuple[str, ...], owners: Ints
) -> tuple[Problem, tuple[str, ...]]:
    """Return the problem and levels whose optima are the optima of some levels that are nearest to given owners (items x copies).

    A last level counts the copies that are with other members.
    """
    pairs, claim_of = np.unique(np.column_stack([problem.claim_of, owners]), axis=0, return_inverse=True)
    rows: list[dict[int, int]] = [
        {}
    ]  # each owner, and its entry in the claim before; -1 is a gain of 0 after all gains
    for claim, *held in pairs.tolist():
        entries = range(problem.claim_start[claim], problem.claim_start[claim + 1])
        row = {int(problem.claim_member[entry]): entry for entry in entries}
        rows.append(row | {owner: row.get(owner, -1) for owner in held if owner >= 0})
    entry = np.array([each for row in rows for each in row.values()], np.int64)
    given: list[set[int]] = [set(), *(set(held) for _, *held in pairs.tolist())]
    stays = [owner in held for row, held in zip(rows, given, strict=True) for owner in row]
    before = np.concatenate([[0], pairs[:, 0]])
    claimed = problem.claimed(
        claim_of.reshape(-1) + 1,
        list_starts(np.array([len(row) for row in rows])),
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


def compute_gaps(best: Answer, group: Group, assignment: Assignment) -> tuple[Gap, ...]:
    """Return the gaps of an assignment, which may be wrong, to the optimum of a question, level by level.

    The measures give its values and count only legal owners.
    """
    value = remeasure(group, assignment, parse_question(best.question))
    return tuple(Gap(level.name, value[level.name], level.value) for level in best.levels)


def explain(group: Group, assignment: Assignment, contract: str = "") -> list[str]:
    """Return sentences on each level in which an assignment is not optimal: the optimum, the moves to it, and why it is no less.

    All but balance are compared with the optimum at the most even loads. There are no sentences if the assignment does not give every
    partition to as many of its subscribers as are asked. `contract` comes before each question, such as ``shared,``. Raises what
    :func:`compute_optimum` raises.
    """
    found = []
    for text in (
        f"{contract}{','.join((BALANCE, *more))}" for more in ((), *((x,) for x in compared(contract)[1:]))
    ):
        moves = find_moves_to_optimum(text, group, assignment)
        if moves is None:
            return []
        best = compute_optimum(text, group)
        last = compute_gaps(best, group, assignment)[-1]
        why = possible = ""
        if last.level == BALANCE:
            possible = _describe_loads(best.assignment)
        elif last.optimum:
            why = "; ".join(
                word.partition(": ")[2] for word in best.words if word.startswith(f"{last.level}: ")
            )
        handed = tuple(f"{move.partition} from {move.giver} to {move.taker}" for move in moves)
        found.append(Far(LEVELS[last.level].words, last.value, last.optimum, handed, why, possible))
    return describe_gaps(found)


def _describe_loads(assignment: Assignment) -> str:
    """Return ``2 or 3 partitions each are possible`` if loads differ by at most one, else nothing."""
    loads = sorted({len(held) for held in assignment.values()})
    if len(loads) == 1:
        return f"{loads[0]:,} {'partition each is' if loads[0] == 1 else 'partitions each are'} possible"
    if loads and loads[-1] == loads[0] + 1:
        return f"{loads[0]:,} or {loads[-1]:,} partitions each are possible"
    return ""
