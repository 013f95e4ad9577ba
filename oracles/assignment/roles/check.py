"""The check of certificates by :mod:`kassay.oracles.proof.roles`, which knows lists of whole numbers and nothing of what is found how.

What stands here hands the columns of a problem and a certificate over to it; see docs/oracles/joint.md.
"""

from collections.abc import Sequence
from itertools import pairwise
from math import inf
from typing import cast

from kassay.oracles.assignment.level import Ints
from kassay.oracles.assignment.own_levels import SPREAD
from kassay.oracles.assignment.roles.certificate import Certificate, Prices, Proof, Split
from kassay.oracles.assignment.roles.problem import BALANCES, RoleLevel, RoleProblem, refuse_unfit
from kassay.oracles.assignment.roles.worth import legal, values
from kassay.oracles.proof import roles


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
    known = _plain(problem, levels)
    found = (
        roles.least(known, levels[: n + 1], worth[:n], _proof(problem, proof), f"proofs[{n}]")
        for n, proof in enumerate(certificate.proofs)
    )
    return tuple(None if each == inf else int(each) for each in found)


def _plain(problem: RoleProblem, levels: tuple[str, ...]) -> roles.Roles:
    columns = problem.profile_of, problem.standbys, problem.claims, problem.classes, problem.given
    return roles.Roles(
        problem.kind_of.tolist(),
        problem.weights.tolist(),
        list(zip(*problem.zones.tolist(), strict=True)) or [()] * problem.members,
        cast("list[roles.Item]", list(zip(*(column.tolist() for column in columns), strict=True))),
        {name: _costs(problem, problem.level(name)) for name in levels if name not in (*BALANCES, SPREAD)},
        {(part, m): (low, high) for part, m, low, high in problem.rows.tolist()},
        None if problem.active_loads is None else problem.active_loads.tolist(),
        None if problem.loads is None else problem.loads.tolist(),
    )


def _costs(problem: RoleProblem, level: RoleLevel) -> roles.Costs:
    start, holder = problem.claim_start.tolist(), problem.claim_member.tolist()
    none = [0] * len(holder)
    active, standby = (
        none if gain is None else gain.tolist() for gain in (level.active_gain, level.standby_gain)
    )
    gains: list[dict[int, tuple[int, int]]] = []
    for first, last in (
        pairwise(start) if level.active_gain is not None or level.standby_gain is not None else ()
    ):
        own: dict[int, tuple[int, int]] = {}
        for entry in range(first, last):
            before = own.get(holder[entry], (0, 0))
            own[holder[entry]] = before[0] + active[entry], before[1] + standby[entry]
        gains.append(own)
    run, kept = (None if table is None else table.tolist() for table in (level.active, level.standby))
    return roles.Costs(run, kept, [] if level.loss is None else level.loss.tolist(), gains, level.squares)


def _proof(problem: RoleProblem, proof: Proof) -> roles.Proof:
    """Return a certificate's proof in lists; raises ValueError where it names what there is not, or not as many numbers as there are."""
    if isinstance(proof, Split):
        case = proof.case
        _refuse_wrong("items", case.items, problem.items)
        _refuse_wrong("members", case.members, problem.members)
        if type(case.most) is not int or case.role not in ("active", "every"):
            raise ValueError("most, role: give a whole number, and active or every")
        items, members = (
            None if numbers is None else frozenset(numbers) for numbers in (case.items, case.members)
        )
        return roles.Split(
            items, members, case.role, case.most, _proof(problem, proof.fewer), _proof(problem, proof.more)
        )
    _refuse_wrong_prices(problem, proof)
    caps = ((part, m) for part, m, *_ in problem.rows.tolist())
    return roles.Prices(
        proof.unit, proof.before, dict(enumerate(proof.active)), dict(enumerate(proof.every)),
        dict(zip(caps, proof.caps, strict=True)), proof.cases,
    )  # fmt: skip


def _refuse_wrong_prices(problem: RoleProblem, prices: Prices) -> None:
    lengths = {"active": problem.members, "every": problem.members, "caps": len(problem.rows)}
    for name in ("before", "active", "every", "caps", "cases"):
        column = getattr(prices, name)
        length = lengths.get(name, len(column))
        if len(column) != length or any(type(each) is not int for each in column):
            raise ValueError(f"{name}: give {length} whole numbers")
    if type(prices.unit) is not int:
        raise ValueError("unit: give a whole number")


def _refuse_wrong(name: str, numbers: Sequence[int] | None, most: int) -> None:
    if numbers is not None and not (
        all(type(each) is int and 0 <= each < most for each in numbers)
        and all(a < b for a, b in pairwise(numbers))
    ):
        raise ValueError(f"{name}: give numbers of 0 to {most - 1}, ascending")
