"""The answer to a question about a group, found and proved by PuLP and HiGHS."""

import math
import time

from kassay.model import Group
from kassay.oracles.answers import Answer, Level
from kassay.oracles.assignment.linear_program import solve_collapsed_program, solve_program
from kassay.oracles.assignment.own_levels import BALANCE
from kassay.oracles.errors import UnsolvedError
from kassay.oracles.partitions.encoding import convert_to_measure, decode_assignment, encode_group
from kassay.oracles.partitions.question import parse_question, remeasure


def optimum_by_program(
    text: str, group: Group, time_limit_s: float | None = None, *, collapse: bool = True
) -> Answer:
    """Return the exact optimum of a question as linear programs give it; collapsed where one copy of each is asked.

    Raises UnsolvedError where HiGHS is missing or does not prove every level in time, else what
    :func:`kassay.oracles.partitions.optimum.compute_optimum` raises.
    """
    asked = parse_question(text)
    deadline = math.inf if time_limit_s is None else time.monotonic() + time_limit_s
    solver = solve_collapsed_program if collapse and not asked.several else solve_program
    read = encode_group(group, asked)
    owners, sums = [], dict.fromkeys(asked.levels, 0)
    for case in read:
        owned, values = solver(case.problem, asked.levels, deadline)
        owners.append(owned)
        for level, own in zip(asked.levels, values, strict=True):
            sums[level] += own
    found = decode_assignment(group, read, owners)
    value = remeasure(group, found, asked)
    for level, own in sums.items():
        if level != BALANCE and convert_to_measure(read, level, own) != value[level]:
            raise UnsolvedError(
                f"{level}: HiGHS finds {convert_to_measure(read, level, own)}, but measured it is {value[level]}"
            )
    words = tuple(f"{level}: HiGHS proves that no assignment has less" for level in value)
    levels = tuple(Level(each, n, n) for each, n in value.items())
    loads = {member: len(partitions) for member, partitions in found.items()}
    return Answer(str(asked), levels, found, words, {"proved": True, "loads": loads, "parts": []})
