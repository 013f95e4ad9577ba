"""The joint optimum of small problems by machine code, each with the certificate of the joint core, or left to that."""

from collections.abc import Sequence

from kassay.oracles.assignment.level import Ints
from kassay.oracles.assignment.roles.certificate import Certificate, Prices
from kassay.oracles.assignment.roles.optimum import JointOptimum, joint_optimum
from kassay.oracles.assignment.roles.problem import BALANCES, RoleProblem, refuse_unfit
from kassay.oracles.assignment.roles.small.batch import Asked, batch, is_small
from kassay.oracles.assignment.roles.small.bulk_check import check_batch
from kassay.oracles.assignment.roles.small.solving import solve_batch
from kassay.oracles.assignment.roles.worth import values


def small_optima(asked: Sequence[Asked]) -> list[Ints | None]:
    """Return the owners of an optimum for each question, None where machine code does not find one that its check proves.

    Raises what ``refuse_unfit`` raises.
    """
    for problem, levels in asked:
        refuse_unfit(problem, levels)
    fit = [n for n, (problem, levels) in enumerate(asked) if is_small(problem, levels)]
    owners: list[Ints | None] = [None] * len(asked)
    if fit:
        of = batch([asked[n] for n in fit])
        found = solve_batch(of)
        proved = check_batch(of, found)
        for place, n in enumerate(fit):
            if proved[place]:
                problem, first = asked[n][0], of.first[place, 3]
                width = 1 + int(problem.standbys.max())
                owners[n] = found.owners[first : first + problem.items, :width]
    return owners


def small_optimum(problem: RoleProblem, levels: tuple[str, ...]) -> JointOptimum:
    """Return an optimum of the levels with a certificate, by machine code where that finds one, else by the joint core.

    Raises what :func:`kassay.oracles.assignment.roles.optimum.joint_optimum` raises.
    """
    refuse_unfit(problem, levels)
    if is_small(problem, levels):
        of = batch([(problem, levels)])
        found = solve_batch(of)
        if check_batch(of, found)[0]:
            owners = found.owners[:, : 1 + int(problem.standbys.max())]
            value = values(problem, levels, owners)
            proofs = _certificate(
                problem, levels, int(found.unit[0]), found.weight[0].tolist(), found.active.tolist(), found.every.tolist()
            )  # fmt: skip
            return JointOptimum(owners, value, value, proofs)
    return joint_optimum(problem, levels)


def _certificate(
    problem: RoleProblem,
    levels: tuple[str, ...],
    unit: int,
    weight: list[int],
    active: list[int],
    every: list[int],
) -> Certificate:
    """Return the proof of each level: the same prices for all, as what later levels add is less than a unit of each before.

    Balance alone has prices of its own, by which loads are even: squared loads of all copies are more than costs.
    """
    even = levels[:2] == BALANCES
    factor = [unit * each for each in weight[0 if even else 2 :]]
    prices = [
        Prices(factor[place], tuple(factor[:place]), tuple(active), tuple(every), ())
        for place in range(len(levels))
    ]
    if even:
        layer = problem.items // int(problem.slots.sum())
        prices[0] = Prices(1, (), (2 * layer + 1,) * problem.members, (0,) * problem.members, ())
    return Certificate(tuple(prices))
