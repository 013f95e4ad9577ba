"""How far an assignment is from the optimum, what would be better, and why no more than that, in sentences."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from kassay.model import Assignment, Group, TopicPartition
from kassay.oracles.answers import Answer, Far, Gap, sentences
from kassay.oracles.assignment.certificates import judged
from kassay.oracles.assignment.flow.exact import solve
from kassay.oracles.assignment.own_levels import BALANCE
from kassay.oracles.assignment.problem import Ints, Level, Problem, starts
from kassay.oracles.errors import UnsolvedError
from kassay.oracles.partitions.encoding import cases, owners_in
from kassay.oracles.partitions.levels import LEVELS, compared
from kassay.oracles.partitions.optimum import optimum
from kassay.oracles.partitions.question import question, remeasure

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
