"""What owners and prices must be before they can prove anything: whole numbers, as many as there are, and legal owners."""

import numpy as np

from kassay.oracles.assignment.level import Ints
from kassay.oracles.assignment.problem import Problem, reading

INT64 = np.iinfo(np.int64)


def whole(name: str, given: object, shape: tuple[int, ...]) -> Ints:
    """Return an array, whoever made it, as 64-bit integers.

    Raises ValueError naming it where it is no plain array of integers, of another shape, or beyond 64 bits.
    """
    if type(given) is not np.ndarray or given.dtype.kind not in "iu":
        kind = given.dtype if type(given) is np.ndarray else type(given).__name__
        raise ValueError(f"the {name} are of the type {kind}; give a numpy array of integers")
    if given.shape != shape:
        raise ValueError(f"the {name} have the shape {given.shape}; give {shape}")
    if given.dtype.kind == "u" and int(given.max(initial=0)) > INT64.max:
        raise ValueError(f"the {name} go up to {given.max()}; give 64-bit integers")
    return given.astype(np.int64, copy=False)


def legal(problem: Problem, owners: Ints) -> bool:
    """Return whether every item (row) goes to as many different members as it has copies, all of whom exist and may hold it."""
    if not owners.size:
        return True
    there = np.arange(problem.copies) < problem.copies_of_audience[problem.audience_of][:, None]
    if ((owners < 0) == there).any() or owners.min() < -1 or owners.max() >= problem.members:
        return False
    ordered = np.sort(owners, axis=1) if problem.copies > 1 else owners
    if ((ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] >= 0)).any():
        return False
    place = problem.audience_of[:, None] * problem.subscriptions + problem.subscription_of[owners]
    return bool(reading(problem).reshape(-1)[place].all(where=there))
