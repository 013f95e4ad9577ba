"""The fewest moves that make an optimum of an assignment."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from kassay.model import Assignment, Group, TopicPartition
from kassay.oracles.assignment.certificates import judged
from kassay.oracles.assignment.flow.exact import solve
from kassay.oracles.assignment.problem import Ints, Level, Problem, starts
from kassay.oracles.errors import UnsolvedError
from kassay.oracles.partitions.encoding import cases, owners_in
from kassay.oracles.partitions.question import question

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
