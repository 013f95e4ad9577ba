"""The joint optimum of small problems by machine code, with the certificate of the joint core; what it does not prove is left to that."""

from collections.abc import Sequence

import numpy as np

from kassay.oracles.assignment.active_standby.check import Certificate, Prices, values
from kassay.oracles.assignment.active_standby.optimum import JointOptimum
from kassay.oracles.assignment.active_standby.problem import BALANCES, RoleProblem, refuse_unfit
from kassay.oracles.assignment.active_standby.small.batch import batch, is_small
from kassay.oracles.assignment.active_standby.small.bulk_check import check_batch
from kassay.oracles.assignment.active_standby.small.solving import Solution, solve_batch
from kassay.oracles.assignment.problem import Ints
from kassay.oracles.assignment.values import even_price


def small_optima(problem: RoleProblem, questions: Sequence[tuple[str, ...]]) -> list[Ints | None]:
    """Return owners for each question that machine code finds and its check proves to be optimal, else None.

    Raises what ``refuse_unfit`` raises.
    """
    refuse_unfit(problem, tuple(dict.fromkeys(level for levels in questions for level in levels)))
    fit = [n for n, levels in enumerate(questions) if is_small(problem, levels)]
    owners: list[Ints | None] = [None] * len(questions)
    if fit:
        of = batch([(problem, questions[n]) for n in fit])
        found = solve_batch(of)
        proved = check_batch(of, found)
        for place, n in enumerate(fit):
            if proved[place]:
                owners[n] = _owners(found, of.first[place, 3], problem)
    return owners


def small_optimum(problem: RoleProblem, levels: tuple[str, ...]) -> JointOptimum | None:
    """Return an optimum with the certificate of the joint core, None where machine code does not find one that its check proves.

    Raises what ``refuse_unfit`` raises.
    """
    refuse_unfit(problem, levels)
    if not is_small(problem, levels):
        return None
    of = batch([(problem, levels)])
    found = solve_batch(of)
    if not check_batch(of, found)[0]:
        return None
    owners = _owners(found, 0, problem)
    value = values(problem, levels, owners)
    return JointOptimum(owners, value, value, _certificate(problem, levels, found))


def _owners(found: Solution, first: int, problem: RoleProblem) -> Ints:
    return found.owners[first : first + problem.items, : 1 + int(problem.standbys.max())]


def _certificate(problem: RoleProblem, levels: tuple[str, ...], found: Solution) -> Certificate:
    """Return the proof of each level: the same prices for all, as what later levels add is less than a unit of each before.

    Balance alone has prices of its own, by which loads are even: squares of the loads of all copies are more than costs.
    """
    even = levels[:2] == BALANCES
    active, every = tuple(found.active.tolist()), tuple(found.every.tolist())
    factor = (found.unit[0] * found.weight[0, 0 if even else 2 :]).tolist()
    prices = [Prices(each, tuple(factor[:place]), active, every, ()) for place, each in enumerate(factor)]
    if even:
        price = even_price(problem.items, problem.weights, np.ones_like(problem.slots))
        prices[0] = Prices(1, (), (price,) * problem.members, (0,) * problem.members, ())
    return Certificate(tuple(prices))
