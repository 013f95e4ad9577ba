"""Random problems of copies in roles, for tests and benchmarks."""

from dataclasses import replace
from itertools import combinations

import numpy as np

from kassay.oracles.assignment.active_standby.problem import RoleLevel, RoleProblem
from kassay.oracles.assignment.own_levels import BALANCE, SPREAD, TOTAL_BALANCE
from kassay.oracles.assignment.problem import Ints, list_starts

LEVELS = (BALANCE, TOTAL_BALANCE, SPREAD, "joint", "moves", "mixed")
"""The objective orders of the problems drawn here; `mixed` counts what `joint` does, and squared loads."""


def tiny(r: np.random.Generator, items: int = 6, members: int = 4) -> RoleProblem:
    """Draw a small problem of any sort: costs, claims, zones, given actives, fixed counts and caps, not always to be met."""
    number, count = int(r.integers(0, items + 1)), int(r.integers(1, members + 1))
    standbys = np.minimum(r.integers(0, 3, number), count - 1) * (r.random(number) < 0.8)
    if r.random() < 0.5:
        standbys = np.full(number, min(int(r.integers(0, 3)), count - 1))
    profiles, kinds, claims = (int(r.integers(1, 4)) for _ in range(3))
    holders = [r.permutation(count)[: int(r.integers(1, 3))] for _ in range(claims - 1)]
    entries = sum(map(len, holders))
    some = r.random(4) < (0.6, 0.6, 0.25, 0.25)
    joint = RoleLevel(
        "joint", *(r.integers(0, 3, (profiles, kinds)) if has else None for has in r.random(2) < 0.9)
    )
    moves = RoleLevel(
        "moves",
        loss=r.integers(0, 3, claims),
        active_gain=r.integers(0, 3, entries) if some[0] else None,
        standby_gain=r.integers(-1, 3, entries) if some[1] else None,
    )
    mixed = replace(joint, name="mixed", squares=(profiles - 1, kinds - 1))
    owners = placed(r, number, standbys, count)
    classes = r.integers(0, 2, number)
    return RoleProblem(
        kind_of=r.integers(0, kinds, count),
        slots=r.integers(1, 4, count) if r.random() < 0.5 else np.ones(count, np.int64),
        zones=r.integers(-1, 3, (int(r.integers(0, 3)), count)),
        profile_of=r.integers(0, profiles, number),
        standbys=standbys,
        levels=(joint, moves, mixed),
        claim_of=r.integers(0, claims, number),
        claim_start=list_starts(np.array([0, *map(len, holders)])),
        claim_member=np.concatenate([np.empty(0, np.int64), *holders]),
        class_of=classes,
        caps=_caps(r, classes, owners[:, 0], count) if some[2] else None,
        active_loads=np.bincount(owners[:, 0], minlength=count) if r.random() < 0.25 else None,
        loads=np.bincount(owners[owners >= 0], minlength=count) if some[3] else None,
        active_at=np.where(r.random(number) < 0.6, owners[:, 0], -1) if r.random() < 0.2 else None,
    )


def synthetic(
    items: int, members: int, racks: int, standbys: int = 1, inputs: int = 2, replicas: int = 2, seed: int = 0
) -> RoleProblem:
    """Return an application in racks of unequal size: tasks read `inputs` partitions and standbys one, `replicas` racks have each.

    "joint" counts what is read across racks, and "spread" the copies of a task in one rack.
    """
    r = np.random.default_rng(seed)
    near = np.array(list(combinations(range(racks), replicas)))
    far = np.ones((len(near), racks), np.int64)
    np.put_along_axis(far, near, 0, axis=1)
    read = r.integers(0, len(near), (items, inputs + 1))
    read[:, :inputs].sort(axis=1)
    key = read @ len(near) ** np.arange(inputs + 1)
    _, one, profile_of = np.unique(key, return_index=True, return_inverse=True)
    weight = np.arange(1, racks + 1)
    rack_of = np.sort(r.choice(racks, members, p=weight / weight.sum()))
    level = RoleLevel("joint", far[read[one, :inputs]].sum(axis=1), far[read[one, inputs]])
    every = np.full(items, standbys)
    return RoleProblem(
        rack_of, np.ones(members, np.int64), rack_of[None], profile_of.reshape(-1), every, (level,)
    )


def placed(r: np.random.Generator, items: int, standbys: Ints, members: int) -> Ints:
    """Draw owners: each item's copies on different members."""
    rows = r.permuted(np.tile(np.arange(members), (items, 1)), axis=1)[:, : 1 + int(standbys.max(initial=0))]
    return np.where(np.arange(rows.shape[1]) <= standbys[:, None], rows, -1)


def _caps(r: np.random.Generator, classes: Ints, actives: Ints, members: int) -> Ints:
    """Draw caps around what a placement has, so that they can mostly be kept."""
    held = np.zeros((2, members), np.int64)
    np.add.at(held, (classes, actives), 1)
    pairs = np.argwhere(r.random((2, members)) < 0.6)
    there = held[pairs[:, 0], pairs[:, 1]]
    least = np.maximum(there - r.integers(0, 3, len(pairs)), 0)
    return np.column_stack([pairs, least, np.maximum(there + r.integers(-1, 2, len(pairs)), least)])
