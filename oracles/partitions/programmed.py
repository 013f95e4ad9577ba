"""The optima of a group's levels once more, by linear programs, to hold the fast ones against."""

from kassay.model import Group
from kassay.oracles.assignment.linear_program.aggregated import solve_collapsed_program
from kassay.oracles.assignment.linear_program.by_item import solve_program
from kassay.oracles.assignment.own_levels import BALANCE
from kassay.oracles.partitions.encoding import COSTS, assignment_of, cases
from kassay.oracles.partitions.question import question
from kassay.oracles.partitions.remeasure import remeasure

SMALL = 3000
"""Up to so many pairs of item and member the program is written partition by partition, else on the collapsed network."""


def programmed(group: Group, contract: str = "") -> dict[str, int]:
    """Return the optimum of each level, in the units of the measures; raises what the programs raise."""
    every = [question(f"{contract}{BALANCE},{level}") for level in COSTS]
    (case,) = cases(group, every[0])
    small = not case.problem.single or case.problem.items * case.problem.members <= SMALL
    least: dict[str, int] = {}
    for asked in every:
        solve = solve_program if small else solve_collapsed_program
        owners = solve(case.problem.asked(asked.levels), asked.levels)[0]
        least |= remeasure(group, assignment_of(group, [case], [owners]), asked)
    return least
