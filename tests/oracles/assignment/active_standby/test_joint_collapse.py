"""Classes and groups lose nothing: items and members apart, bundled or merged find the same, and dealing keeps loads even."""

import time
from dataclasses import replace

import numpy as np
import pytest
from second_opinions.random_placements import synthetic
from whole import cases

from kassay.oracles.assignment.active_standby import branch_and_bound, master, optimum, program
from kassay.oracles.assignment.active_standby import problem as collapse
from kassay.oracles.assignment.active_standby.check import Prices, is_proof
from kassay.oracles.assignment.active_standby.optimum import find_joint_optimum
from kassay.oracles.assignment.active_standby.problem import refuse_unfit
from kassay.oracles.errors import ImpossibleError, TooLargeError

LEVELS = ("balance", "total-balance", "spread", "joint")
ORDERS = [
    LEVELS,
    ("balance", "total-balance", "joint"),
    ("joint", "balance"),
    ("spread", "joint", "total-balance"),
]


def shares(problem, classes):
    """Return caps: each member runs its share of each class, rounded down or up."""
    rows = []
    for number in range(classes):
        whole = int((problem.classes == number).sum())
        rows += [
            (number, m, whole // problem.members, -(-whole // problem.members))
            for m in range(problem.members)
        ]
    return np.array(rows)


@pytest.mark.parametrize("seed", cases(6, 120))
def test_each_item_and_member_for_itself_finds_the_same(seed):
    r = np.random.default_rng(seed)
    problem = synthetic(
        int(r.integers(5, 14)), int(r.integers(3, 7)), int(r.integers(2, 4)), int(r.integers(1, 3)), seed=seed
    )
    problem = replace(problem, class_of=r.integers(0, 2, problem.items), slots=1 + problem.kind_of)
    if r.random() < 0.5:
        problem = replace(problem, caps=shares(problem, 2))
    levels = ORDERS[seed % len(ORDERS)]
    found = find_joint_optimum(problem, levels)
    apart = optimum._find_optimum(problem, levels, True, time.monotonic() + 600)
    assert found.value == apart.value
    assert is_proof(problem, levels, found.owners, found.certificate)
    assert is_proof(problem, levels, apart.owners, apart.certificate)


@pytest.mark.parametrize("levels", ORDERS)
def test_bundles_and_classes_find_the_same(monkeypatch, levels):
    problem = synthetic(400, 30, 3, 2, seed=len(levels))
    one = find_joint_optimum(problem, levels)
    monkeypatch.setattr(branch_and_bound, "MANY", 2)
    bundled = find_joint_optimum(problem, levels)
    assert one.value == bundled.value
    assert is_proof(problem, levels, bundled.owners, bundled.certificate)


@pytest.mark.parametrize("seed", cases(8, 100))
def test_copies_are_dealt_evenly_in_every_part_and_never_twice_to_a_member(seed):
    """One rack, so all members are one group; the actives of each part, all actives, and all copies differ by one at most."""
    r = np.random.default_rng(seed)
    members, items = int(r.integers(3, 8)), int(r.integers(1, 60))
    problem = synthetic(items, members, 1, int(r.integers(1, 3)), replicas=1, seed=seed)
    problem = replace(problem, class_of=r.integers(0, 4, items))
    problem = replace(problem, caps=shares(problem, 4))
    found = find_joint_optimum(problem, LEVELS)
    assert is_proof(problem, LEVELS, found.owners, found.certificate)
    for held in (found.owners[:, 0], found.owners):
        assert np.ptp(np.bincount(held.reshape(-1), minlength=members)) <= 1


def test_what_does_not_fit_is_refused():
    problem = synthetic(6, 4, 2)
    wrong = {
        "slots": {"slots": np.zeros(4, int)}, "zones": {"zones": np.zeros((1, 3), int)},
        "standbys: 5 copies": {"standbys": np.full(6, 4)}, "active_loads: sum": {"active_loads": np.ones(4, int)},
        "caps: names member": {"caps": np.array([[0, 4, 0, 1]])}, "caps: have no valid value. Give one": {"caps": np.array([[0, 1, 3, 2]])},
        "claim_of: names claim": {"claim_of": np.full(6, 1)}, "profile or kind": {"profile_of": np.full(6, 99)},
    }  # fmt: skip
    for sentence, columns in wrong.items():
        with pytest.raises(ImpossibleError, match=sentence):
            find_joint_optimum(replace(problem, **columns), ("joint",))
    for levels, sentence in ((("traffic",), "'traffic'"), ((), "levels"), (("joint", "joint"), "levels")):
        with pytest.raises(ImpossibleError, match=sentence):
            find_joint_optimum(problem, levels)
    dear = replace(problem.levels[0], active=problem.levels[0].active + 2**60)
    with pytest.raises(TooLargeError, match="sum up to"):
        refuse_unfit(replace(problem, levels=(dear,)), ("joint",))


def test_what_is_too_large_says_by_how_much(monkeypatch):
    problem = synthetic(9, 5, 3)
    for module, name, sentence in (
        (collapse, "ENTRIES", "pairs. At most 1"), (program, "MANY", "patterns. At most 1"), (master, "PIECES", "loads of groups. At most 1"),
    ):  # fmt: skip
        with monkeypatch.context() as patched:
            patched.setattr(module, name, 1)
            with pytest.raises(TooLargeError, match=sentence):
                find_joint_optimum(problem, ("joint", "balance"))


@pytest.mark.parametrize("seed", cases(5, 60))
def test_roles_decouple_where_groups_are_large_and_loads_are_fixed(seed):
    """Each rack has two members of equal loads or more, so an active copy hinders no standby of its item."""
    r = np.random.default_rng(seed)
    problem = synthetic(24, 6, 3, seed=seed)
    racks, level = np.repeat(np.arange(3), 2), problem.levels[0]
    actives, standbys = (
        r.permutation([[2, 4, 6], [4, 4, 4], [3, 3, 6]][int(r.integers(3))])[racks] for _ in range(2)
    )
    problem = replace(
        problem, kind_of=racks, zones=racks[None], active_loads=actives, loads=actives + standbys
    )
    found = find_joint_optimum(problem, ("joint",))
    assert isinstance(found.certificate.proofs[0], Prices)
    alone = [
        replace(
            problem, standbys=np.zeros_like(problem.standbys), active_loads=load, loads=load,
            levels=(replace(level, active=table, standby=None),),
        )
        for load, table in ((actives, level.active), (standbys, level.standby))
    ]  # fmt: skip
    assert found.value[0] == sum(find_joint_optimum(each, ("joint",)).value[0] for each in alone)


def test_classes_and_groups_do_not_grow_with_items_and_members():
    small, large = (
        collapse.build_classes(synthetic(*size, 3, 2), LEVELS) for size in ((2000, 50), (50_000, 900))
    )
    assert (small.classes, small.groups) == (large.classes, large.groups) == (18, 3)
