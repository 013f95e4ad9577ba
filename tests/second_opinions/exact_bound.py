"""The bound that dual prices prove, in Python's whole numbers."""

from kassay.oracles.assignment.certificates import Row, paid_by_items
from kassay.oracles.assignment.own_levels import BALANCE
from kassay.oracles.assignment.problem import Problem


def exact_bound(problem: Problem, levels: tuple[str, ...], prices: list[Row]) -> Row:
    """Return what the bound in 64 bits returns, for one row of prices per member; items need enough readers."""
    rows = [_slots_exact_bound(levels, row, problem.items) for row in prices]
    rows.append(paid_by_items(problem, levels, prices))
    return tuple(map(sum, zip(*rows, strict=True)))


def _slots_exact_bound(levels: tuple[str, ...], price: Row, most: int) -> Row:
    """Return a member's least (load^2 for balance, less price * load), over the loads 0 to `most`."""
    low, high = 0, most
    for level, own in zip(levels, price, strict=True):
        if level == BALANCE:
            low, high = (min(max(each, low), high) for each in (own // 2, (own + 1) // 2))
        elif own:
            low = high = high if own > 0 else low
    return tuple(
        (low * low if level == BALANCE else 0) - own * low for level, own in zip(levels, price, strict=True)
    )
