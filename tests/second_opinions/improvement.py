"""The certificate that an assignment is not optimal: moves that make it better.

Checking needs no theory: make the moves and measure again.
"""

from kassay.oracles.assignment.certificates import is_legal
from kassay.oracles.assignment.problem import Ints, Problem
from kassay.oracles.assignment.values import compute_values


def moved(owners: Ints, moves: list[tuple[int, int, int]]) -> Ints:
    """Return the owners after moves; raises ValueError where a giver does not hold what it gives."""
    after = owners.copy()
    for item, giver, taker in moves:
        if giver not in after[item] or taker in after[item]:
            raise ValueError(
                f"item {item} cannot go from {giver} to {taker}: it is with {after[item].tolist()}"
            )
        after[item][after[item] == giver] = taker
    return after


def improves(
    problem: Problem, levels: tuple[str, ...], owners: Ints, moves: list[tuple[int, int, int]]
) -> bool:
    """Return True if moves improve an assignment, by a comparison of its values before and after them.

    Raises ValueError where a giver does not hold what it gives, or a taker may not hold it.
    """
    after = moved(owners, moves)
    if not is_legal(problem, after):
        raise ValueError("some item goes to a member that may not hold it")
    better = compute_values(problem, levels, after)
    return better < compute_values(problem, levels, owners)
