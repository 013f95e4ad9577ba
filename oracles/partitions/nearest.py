"""The fewest moves that make an optimum of an assignment."""

from typing import NamedTuple

import numpy as np

from kassay.model import Assignment, Group, TopicPartition
from kassay.oracles.assignment.certificates.duals import judged
from kassay.oracles.assignment.flow.exact import solve
from kassay.oracles.assignment.level import Ints, Level
from kassay.oracles.assignment.problem import Problem, starts
from kassay.oracles.failures import UnsolvedError
from kassay.oracles.partitions.encoding import cases, owners_in
from kassay.oracles.partitions.question import MOVES, question


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

    An item that stays with a given owner saves one "move" more; where moves is a level already, a real move
    weighs more than all of these together.
    """
    weight = owners.size + 1 if MOVES in levels else 0
    gain, loss = problem.gains({MOVES: weight}), problem.losses({MOVES: weight})
    pairs, claim_of = np.unique(np.column_stack([problem.claim_of, owners]), axis=0, return_inverse=True)
    saved: list[dict[int, int]] = [{}]
    for claim, *held in pairs.tolist():
        entries = range(problem.claim_start[claim], problem.claim_start[claim + 1]) if weight else ()
        row = {int(problem.claim_member[entry]): int(gain[entry]) for entry in entries}
        for owner in held[: held.index(-1) if -1 in held else None]:
            row[owner] = row.get(owner, 0) + 1
        saved.append(row)
    claimed = problem.claimed(
        claim_of.reshape(-1) + 1,
        starts(np.array([len(row) for row in saved])),
        np.array([member for row in saved for member in row], np.int64),
        Level(
            MOVES,
            gain=np.array([each for row in saved for each in row.values()], np.int64),
            loss=np.concatenate([[0], loss[pairs[:, 0]] + (pairs[:, 1:] >= 0).sum(axis=1)]),
        ),
    )
    return claimed, levels if MOVES in levels else (*levels, MOVES)
