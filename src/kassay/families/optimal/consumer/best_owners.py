"""The optimal assignment of a group, at once or in two cooperative rounds (KIP-429), the same one however the group is listed.

Where several assignments are best, the order of members and partitions decides: static members by instance id, then
the others by member id, and partitions by number, then topic. Java's order of strings is meant, so that ports agree.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from kassay.model import Assignment, AssignorError, Group
from kassay.oracles.assignment.certificates import judged
from kassay.oracles.assignment.flow.exact import solve
from kassay.oracles.assignment.flow.item_classes import ordered
from kassay.oracles.assignment.problem import Ints, Problem
from kassay.oracles.errors import OracleError
from kassay.oracles.partitions.encoding import Case, assignment_of, cases
from kassay.oracles.partitions.question import question
from kassay.reference.consumer.members import in_order
from kassay.reference.java.strings import string_order


@dataclass(frozen=True, slots=True)
class Best:
    """A group in its canonical order, its problem, and the owner of each partition in the optimum, as a number."""

    group: Group
    case: Case
    owners: Ints


def assign(group: Group, order: str, *, cooperative: bool) -> Assignment:
    """Return the optimum of an order of levels; where cooperative, without what others have not handed over yet.

    Raises AssignorError where no optimum is proved.
    """
    best = best_owners(group, order)
    owners = best.owners
    if cooperative:  # the number beyond the last member is nobody
        owners = np.where(moving(best.case.problem, owners), len(group.members), owners)
    given = assignment_of(best.group, [best.case], [owners.reshape(-1, 1)])
    return {member.id: given[member.id] for member in group.members}  # in the order in which it was given


def moving(problem: Problem, owners: Ints) -> NDArray[np.bool_]:
    """Return which items have owners by the claims that stand, but are to go to somebody else.

    It is stricter than CooperativeStickyAssignor, which lets a new owner have what it claims, even if a later generation
    overrules that claim.
    """
    first = problem.claim_start[problem.claim_of]
    number = problem.claim_start[problem.claim_of + 1] - first
    moves = number > 0
    for k in range(int(number.max(initial=0))):
        items = np.flatnonzero(number > k)
        stays = problem.claim_member[first[items] + k] == owners[items]
        moves[items[stays]] = False
    return moves


def best_owners(group: Group, order: str) -> Best:
    """Find and prove the optimum of an order of levels, such as ``balance,cross-rack,moves``.

    Raises AssignorError where no optimum is proved: nothing else is ever given instead.
    """
    asked = question(order)
    topics = sorted(group.topics, key=lambda topic: string_order(topic.name))
    listed = replace(group, topics=tuple(topics), members=tuple(in_order(group.members)))
    (case,) = cases(listed, asked)
    # Items by number, then topic: neighbours are of different topics, so each topic is dealt to many members.
    sizes = np.diff((*case.start, case.problem.items))
    turn = ordered(np.arange(case.problem.items) - np.repeat(np.array(case.start, np.int64), sizes))
    problem = _told_apart(case.problem)
    problem = replace(
        problem,
        audience_of=problem.audience_of[turn],
        profile_of=problem.profile_of[turn],
        claim_of=problem.claim_of[turn],
        topic_of=problem.topic_numbers[turn],
    )
    try:
        found = solve(problem, asked.levels)
        owners = np.empty_like(found.owners)
        owners[turn] = found.owners
        best = judged(case.problem, asked.levels, owners, found.prices)
    except OracleError as failure:
        raise AssignorError(f"no optimum is proved: {failure}") from failure
    if not best.proved:
        raise AssignorError(f"no optimum is proved: prices prove {best.least}, found is {best.value}")
    return Best(listed, case, owners[:, 0])


def _told_apart(problem: Problem) -> Problem:
    """Return the problem without differences between profiles that no member can tell: what a profile costs at all of them."""
    here = np.zeros(problem.racks, np.bool_)
    here[problem.rack_of] = True
    tables = {}
    for level in problem.levels:
        if level.table is not None:
            table = np.where(here, level.table, level.table.max(initial=0))
            tables[level.name] = np.where(here, table - table.min(axis=1, keepdims=True), 0)
    rows, row_of = np.unique(np.hstack([*tables.values()]), axis=0, return_inverse=True)
    told = dict(zip(tables, np.hsplit(rows, len(tables)), strict=True))
    levels = tuple(replace(each, table=told.get(each.name)) for each in problem.levels)
    return replace(problem, levels=levels, profile_of=row_of.reshape(-1)[problem.profile_of])
