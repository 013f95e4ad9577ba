"""The optimal assignment of a group, at once or in two cooperative rounds (KIP-429), the same one in any order of the group's lists.

Of several optimal assignments, the order of members and partitions decides. Static members come first, by instance id, then the others
by member id; partitions by number, then topic. Strings have Java's order, so that ports agree.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from kassay.model import Assignment, AssignorError, Group
from kassay.oracles.assignment.certificates import verify_solution
from kassay.oracles.assignment.flow.exact import solve
from kassay.oracles.assignment.flow.item_classes import sort_stably
from kassay.oracles.assignment.problem import Ints, Problem
from kassay.oracles.errors import OracleError
from kassay.oracles.partitions.encoding import Case, decode_assignment, encode_group
from kassay.oracles.partitions.question import parse_question
from kassay.reference.consumer.members import sort_members
from kassay.reference.java.strings import string_order


@dataclass(frozen=True, slots=True)
class Best:
    """A group in its canonical order, its problem, and the owner of each partition in the optimum, as a number."""

    group: Group
    case: Case
    owners: Ints


def assign(group: Group, order: str, *, cooperative: bool) -> Assignment:
    """Return the optimum of an order of objectives; if cooperative, without partitions that previous owners still hold.

    Raises AssignorError if no optimum is proved.
    """
    best = find_best_owners(group, order)
    owners = best.owners
    if cooperative:  # The number after the last member stands for no owner.
        owners = np.where(find_moving(best.case.problem, owners), len(group.members), owners)
    given = decode_assignment(best.group, [best.case], [owners.reshape(-1, 1)])
    return {member.id: given[member.id] for member in group.members}  # in the order in which it was given


def find_moving(problem: Problem, owners: Ints) -> NDArray[np.bool_]:
    """Return a mask of the items that have an owner by a valid claim, and get another one.

    It is stricter than CooperativeStickyAssignor, which gives a new owner the partitions that it claims, even if a claim of a
    later generation takes precedence.
    """
    first = problem.claim_start[problem.claim_of]
    number = problem.claim_start[problem.claim_of + 1] - first
    moves = number > 0
    for k in range(int(number.max(initial=0))):
        items = np.flatnonzero(number > k)
        stays = problem.claim_member[first[items] + k] == owners[items]
        moves[items[stays]] = False
    return moves


def find_best_owners(group: Group, order: str) -> Best:
    """Return the proved optimum of an order of objectives, such as ``balance,cross-rack,moves``.

    Raises AssignorError if no optimum is proved.
    """
    asked = parse_question(order)
    topics = sorted(group.topics, key=lambda topic: string_order(topic.name))
    listed = replace(group, topics=tuple(topics), members=tuple(sort_members(group.members)))
    (case,) = encode_group(listed, asked)
    # Items by number, then topic: adjacent items have different topics, so that each topic goes to many members.
    sizes = np.diff((*case.start, case.problem.items))
    turn = sort_stably(np.arange(case.problem.items) - np.repeat(np.array(case.start, np.int64), sizes))
    problem = _merge_profiles(case.problem)
    problem = replace(
        problem,
        audience_of=problem.audience_of[turn],
        profile_of=problem.profile_of[turn],
        claim_of=problem.claim_of[turn],
        topic_of=problem.topic_numbers[turn],
    )
    try:
        found = solve(problem, asked.levels, brief=False)
        owners = np.empty_like(found.owners)
        owners[turn] = found.owners
        best = verify_solution(case.problem, asked.levels, owners, found.prices)
    except OracleError as failure:
        raise AssignorError(f"no optimum is proved: {failure}") from failure
    if not best.proved:
        raise AssignorError(f"no optimum is proved: prices prove {best.least}, found is {best.value}")
    return Best(listed, case, owners[:, 0])


def _merge_profiles(problem: Problem) -> Problem:
    """Return the problem without the costs of a profile that are equal for all members."""
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
