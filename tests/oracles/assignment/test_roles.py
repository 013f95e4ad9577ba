"""Copies in roles: what trying all out finds, by two solvers, in zones apart or counted, with needs of any role."""

from itertools import combinations, product

import numpy as np
import pytest

from kassay.oracles.assignment.needs import role_program, two_solvers
from kassay.oracles.assignment.needs.needs import Needs
from kassay.oracles.assignment.needs.role_program import solve_in_roles
from kassay.oracles.assignment.needs.roles import SAME_ZONE, Roles
from kassay.oracles.assignment.problem import eligible
from kassay.oracles.assignment.random_problems import mixed
from kassay.oracles.failures import ImpossibleError, TooLargeError, UnsolvedError

LEVELS = [
    ("balance",), ("first", SAME_ZONE), (SAME_ZONE, "first"), ("evened", "balance", "second"),
    ("first", "evened"), ("balance", SAME_ZONE, "first", "second"),
]  # fmt: skip


def drawn(r):
    standbys = int(r.integers(1, 3))
    of = mixed(r, copies=1 + standbys, items=4, members=5)
    needs = [(("active",), Needs(most=np.full(of.members, -(-of.items // 2) + int(r.integers(0, 2)))))]
    if r.random() < 0.3:
        caps = np.column_stack([np.zeros(of.members, int), np.arange(of.members), np.full(of.members, 2)])
        needs.append((("active", "standby"), Needs(class_of=np.zeros(of.items, int), caps=caps)))
    return of, Roles(
        {"active": 1, "standby": standbys},
        zone_of=r.integers(-1, 3, of.members),
        apart=r.random() < 0.3,
        counts={"first": ("active",)} if r.random() < 0.5 else {"first": ("standby",), "second": ("active",)},
        balances={"evened": ("active",)},
        needs=tuple(needs),
        weight=r.integers(1, 4, of.members) if r.random() < 0.5 else None,
    )


def every_placing(of, roles):
    rows = []
    for row in eligible(of):
        able = set(np.flatnonzero(row).tolist())
        rows.append(
            [
                (a, *rest)
                for a in sorted(able)
                for rest in combinations(sorted(able - {a}), roles.copies["standby"])
            ]
        )
    yield from product(*rows)


def meets(of, roles, placing):
    if roles.apart and repeats(roles, placing):
        return False
    for some, needs in roles.needs:
        held = [m for row in placing for m in (row if "standby" in some else row[:1])]
        if needs.most is not None and any(held.count(m) > needs.most[m] for m in range(of.members)):
            return False
        if needs.caps is not None and any(held.count(m) > cap for _, m, cap in needs.caps.tolist()):
            return False
    return True


def repeats(roles, placing):
    zones = [[int(roles.zone_of[m]) for m in row] for row in placing]
    return sum(max(row.count(zone) - 1, 0) for row in zones for zone in range(3))


def worth(of, roles, level, placing):
    roles_of = ("active",) if level == "evened" else roles.counts.get(level, ("active", "standby"))
    rows = [
        (row[:1] if "active" in roles_of else ()) + (row[1:] if "standby" in roles_of else ())
        for row in placing
    ]
    if level == SAME_ZONE:
        return repeats(roles, placing)
    if level in ("balance", "evened"):
        held = [m for row in rows for m in row]
        weight = [1] * of.members if roles.weight is None else roles.weight.tolist()
        multiple = int(np.lcm.reduce(weight))
        return sum(held.count(m) ** 2 * (multiple // weight[m]) for m in range(of.members))
    total, costs = 0, of.level(level)
    for item, row in enumerate(rows):
        claim = int(of.claim_of[item])
        if costs.loss is not None:
            total += costs.sign * int(costs.loss[claim])
        for m in row:
            if costs.table is not None:
                total += costs.sign * int(costs.table[of.profile_of[item], of.rack_of[m]])
            entries = range(of.claim_start[claim], of.claim_start[claim + 1])
            if costs.gain is not None:
                total -= sum(int(costs.gain[entry]) for entry in entries if of.claim_member[entry] == m)
    return total


def test_copies_in_roles_are_placed_as_well_as_can_be():
    r = np.random.default_rng(0)
    impossible = solved = 0
    while solved < 20:
        of, roles = drawn(r)
        if eligible(of).sum(axis=1).max(initial=0) ** of.items > 130:
            continue
        levels = LEVELS[(solved + impossible) % len(LEVELS)]
        every = [
            tuple(worth(of, roles, level, placing) for level in levels)
            for placing in every_placing(of, roles)
            if meets(of, roles, placing)
        ]
        if not every:
            impossible += 1
            with pytest.raises(ImpossibleError):
                solve_in_roles(of, roles, levels)
            continue
        found = solve_in_roles(of, roles, levels)
        placing = [tuple(row) for row in found.owners.tolist()]
        assert meets(of, roles, placing)
        assert found.values == min(every) == tuple(worth(of, roles, each, placing) for each in levels)
        assert all(len(set(row)) == len(row) for row in placing)
        solved += 1
    assert impossible > 1


def one(r=1):
    of = mixed(np.random.default_rng(r), copies=2, items=6)
    assert of.items
    return of, Roles({"active": 1, "standby": 1}, zone_of=np.arange(of.members))


def test_solvers_that_differ_are_not_believed(monkeypatch):
    of, roles = one()
    true = two_solvers.least_by_cp_sat
    monkeypatch.setattr(two_solvers, "least_by_cp_sat", lambda *given: tuple(n - 1 for n in true(*given)))
    with pytest.raises(UnsolvedError, match="HiGHS finds"):
        solve_in_roles(of, roles, ("balance",))


def test_what_roles_cannot_be_is_refused():
    of, roles = one()
    wrong = {
        "copies": Roles({"active": 1, "standby": 0}),
        "'warm' is none of active": Roles({"active": 1}, counts={"first": ("warm",)}),
        "zone_of: is missing": Roles({"active": 1}, apart=True),
        "zone_of: give": Roles({"active": 1}, zone_of=np.zeros(of.members + 1, int)),
        "weight": Roles({"active": 1}, weight=np.zeros(of.members, int)),
        "copies of every": Roles({"active": 1, "standby": of.members}),
    }
    for sentence, each in wrong.items():
        with pytest.raises(ImpossibleError, match=sentence):
            solve_in_roles(of, each, ("balance",))
    with pytest.raises(ImpossibleError, match="'traffic'"):
        solve_in_roles(of, roles, ("traffic",))


def test_too_many_triples_and_too_little_time_are_said(monkeypatch):
    of, roles = one()
    with pytest.raises(UnsolvedError, match="time"):
        solve_in_roles(of, roles, ("balance",), deadline=0.0)
    monkeypatch.setattr(role_program, "MANY", 1)
    with pytest.raises(TooLargeError, match="too many"):
        solve_in_roles(of, roles, ("balance",))
