"""The check of certificates, in Python's whole numbers: it knows the problem, the owners and the certificate, nothing else.

For each leaf it adds up what every item pays at least, cost and prices together; each member's least weighed square of a
load less its price times the load; and for caps and cases what was paid at most. Divided by the unit and rounded up, no placement
is below that. See docs/oracles/joint.md.
"""

from collections import Counter
from itertools import pairwise

from kassay.oracles.assignment.level import Ints
from kassay.oracles.assignment.roles.certificate import Case, Certificate, Prices, Proof, Split
from kassay.oracles.assignment.roles.item_bound import paid
from kassay.oracles.assignment.roles.problem import RoleProblem, refuse_unfit
from kassay.oracles.assignment.roles.worth import legal, values

Way = tuple[tuple[Case, bool], ...]
"""The cases from the root to a leaf, and whether it is on the side of more."""


def proves(problem: RoleProblem, levels: tuple[str, ...], owners: Ints, certificate: Certificate) -> bool:
    """Return whether a certificate proves owners, whoever placed them, to be legal and optimal in all levels.

    Raises ValueError where the certificate has not the shape that the question asks for.
    """
    if not legal(problem, owners):
        return False
    worth = values(problem, levels, owners)
    return least(problem, levels, worth, certificate) == worth


def least(
    problem: RoleProblem, levels: tuple[str, ...], worth: tuple[int, ...], certificate: Certificate
) -> tuple[int | None, ...]:
    """Return for each level with a proof what no placement goes below, the levels before it being at most `worth`.

    None is where the proof shows that there is no placement. Raises ValueError where the certificate has not the shape
    that the question asks for.
    """
    refuse_unfit(problem, levels)
    if len(certificate.proofs) > len(levels):
        raise ValueError(f"there are {len(certificate.proofs)} proofs for {len(levels)} levels")
    return tuple(
        _least(problem, levels[: place + 1], worth[:place], proof, ())
        for place, proof in enumerate(certificate.proofs)
    )


def _least(
    problem: RoleProblem, levels: tuple[str, ...], worth: tuple[int, ...], proof: Proof, way: Way
) -> int | None:
    if isinstance(proof, Split):
        _refuse_wrong_case(problem, proof.case)
        sides = [
            _least(problem, levels, worth, side, (*way, (proof.case, more)))
            for more, side in ((False, proof.fewer), (True, proof.more))
        ]
        return min((side for side in sides if side is not None), default=None)
    total = bound(problem, levels, worth, proof, way)
    if proof.unit:
        return -(-total // proof.unit)
    if total <= 0:
        raise ValueError("prices of the unit 0 show nothing: what they add up to is not above 0")
    return None


def bound(
    problem: RoleProblem, levels: tuple[str, ...], worth: tuple[int, ...], prices: Prices, way: Way = ()
) -> int:
    """Return what the last level, times the unit, is never below in the cases of a leaf."""
    _refuse_wrong_prices(problem, worth, prices, way)
    weight = dict(zip(levels, (*prices.before, prices.unit), strict=True))
    total = sum(factor * problem.constant(level) for level, factor in weight.items())
    total -= sum(factor * value for factor, value in zip(prices.before, worth, strict=True))
    counted = [(factor, problem.squares(level)) for level, factor in weight.items()]
    for role, (asked, fixed) in enumerate(
        ((prices.active, problem.active_loads), (prices.every, problem.loads))
    ):
        unit = sum(factor * each[role] for factor, each in counted)
        loads = [-1] * problem.members if fixed is None else fixed.tolist()
        alike = Counter(zip(asked, problem.weights.tolist(), loads, strict=True))
        total += sum(n * _left(unit, *each, problem.items) for each, n in alike.items())
    for (*_, low, high), price in zip(problem.rows.tolist(), prices.caps, strict=True):
        total -= price * (high if price > 0 else low)
    for (case, more), price in zip(way, prices.cases, strict=True):
        total -= price * (case.most + more)
    return total + paid(
        problem, weight, prices, [(case, price) for (case, _), price in zip(way, prices.cases, strict=True)]
    )


def _left(unit: int, price: int, weight: int, load: int, most: int) -> int:
    """Return the least of unit times the weighed square of a load less price times load, for one load, or where it is -1 for 0 to `most`."""
    square = unit * weight
    if load < 0:
        # the copy that makes j of them j + 1 costs 2 j + 1 squares; those that cost no more than the price are taken
        load = min(most, max(0, (price + square) // (2 * square))) if square else most * (price > 0)
    return square * load * load - price * load


def _refuse_wrong_prices(problem: RoleProblem, worth: tuple[int, ...], prices: Prices, way: Way) -> None:
    """Raise ValueError where prices are not so many whole numbers as there must be, or below 0 where they may not be."""
    members = problem.members
    lengths = {
        "before": len(worth),
        "active": members,
        "every": members,
        "caps": len(problem.rows),
        "cases": len(way),
    }
    for name, length in lengths.items():
        column = getattr(prices, name)
        if len(column) != length or any(type(each) is not int for each in column):
            raise ValueError(f"{name}: give {length} whole numbers")
    if type(prices.unit) is not int or min((prices.unit, *prices.before)) < 0:
        raise ValueError("unit, before: give whole numbers of 0 or more")
    if any((price > 0) if more else (price < 0) for (_, more), price in zip(way, prices.cases, strict=True)):
        raise ValueError(
            "cases: a price is 0 or more on the side of fewer, and 0 or less on the side of more"
        )


def _refuse_wrong_case(problem: RoleProblem, case: Case) -> None:
    for name, numbers, most in (
        ("items", case.items, problem.items),
        ("members", case.members, problem.members),
    ):
        if numbers is not None and not (
            all(type(each) is int and 0 <= each < most for each in numbers)
            and all(a < b for a, b in pairwise(numbers))
        ):
            raise ValueError(f"{name}: give numbers of 0 to {most - 1}, ascending")
    if type(case.most) is not int or case.role not in ("active", "every"):
        raise ValueError("most, role: give a whole number, and active or every")
