"""Sorting many numbers that are small: in a tenth of the time where they fit into 16 bits."""

import numpy as np

from kassay.oracles.assignment.level import Ints


def ordered(keys: Ints) -> Ints:
    """Return the places of the keys (0 or more) in ascending order, equal ones as they come."""
    if int(keys.max(initial=0)) < 2**16:
        keys = keys.astype(np.uint16)  # sorted by radix
    return np.argsort(keys, kind="stable")


def rank_in_run(sorted_keys: Ints) -> Ints:
    """Return for each of some sorted keys how many equal ones come before it."""
    changes = np.flatnonzero(sorted_keys[1:] != sorted_keys[:-1]) + 1
    lengths = np.diff(changes, prepend=0, append=len(sorted_keys))
    begins = np.zeros(len(lengths), np.int64)
    begins[1:] = changes
    return np.arange(len(sorted_keys)) - np.repeat(begins, lengths)
