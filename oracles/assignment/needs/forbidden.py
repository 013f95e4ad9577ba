"""Pairs that may not be: classes of items that some members must not hold, told by audiences and subscriptions alone."""

import numpy as np

from kassay.oracles.assignment.level import Ints
from kassay.oracles.assignment.problem import Problem, reading, restricted
from kassay.oracles.failures import ImpossibleError, TooLargeError

ENTRIES = 10**8
"""Up to this many pairs of an audience split by classes and a member are looked at."""


def forbid(problem: Problem, class_of: Ints, pairs: Ints) -> Problem:
    """Return the problem in which no member of a row (class, member) of `pairs` may hold an item of that class.

    The classes of items, ``class_of[item]``, are 0 or more. What comes back is a problem like any other: audiences are
    split by class, and subscriptions by what is forbidden. Raises ImpossibleError where the columns do not fit the
    problem, TooLargeError where split audiences times members pass 10^8.
    """
    if len(class_of) != problem.items or int(class_of.min(initial=0)) < 0:
        raise ImpossibleError("class_of: give a class, 0 or more, for each item")
    pairs = pairs.reshape(-1, 2)
    if len(pairs) and not (pairs.min() >= 0 and pairs[:, 1].max() < problem.members):
        raise ImpossibleError(
            "pairs: a forbidden pair names a class or member below 0, or a member that there is not"
        )
    split = np.column_stack([problem.audience_of, class_of])
    audiences, audience_of = np.unique(split, axis=0, return_inverse=True)
    if len(audiences) * problem.members > ENTRIES:
        raise TooLargeError(
            f"{len(audiences)} audiences times {problem.members} members are too many for forbidden pairs"
        )
    allowed = reading(problem)[audiences[:, 0]][:, problem.subscription_of]
    for number, member in pairs.tolist():
        allowed[audiences[:, 1] == number, member] = False
    return restricted(problem, allowed, audience_of.reshape(-1))
