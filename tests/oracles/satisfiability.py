"""Formulas as placements in roles: the reduction of docs/explanation/tasks.md, which shows that joint optima are NP-hard."""

from itertools import product

import numpy as np

from kassay.oracles.assignment.active_standby.problem import RoleLevel, RoleProblem


def formula(r, variables, clauses):
    """Draw clauses of one to three literals: a variable's number, and whether it is to be true."""
    return [
        [(int(v), bool(r.integers(2))) for v in r.permutation(variables)[: int(r.integers(1, 4))]]
        for _ in range(clauses)
    ]


def satisfiable(clauses, variables):
    """Whether some values make every clause true, by trying all."""
    return any(
        all(any(values[v] == wanted for v, wanted in clause) for clause in clauses)
        for values in product((False, True), repeat=variables)
    )


def placement_of(clauses):
    """Return the problem in which a placement costs nothing exactly where the formula can be true.

    Each member has one active and one standby. `near` has the pairs of an item and a member that cost nothing, in each role.
    """
    near, tasks, clients = ([], []), [], []

    def node(names, name):
        names.append(name)
        return len(names) - 1

    places = {}
    for number, clause in enumerate(clauses):
        for v, wanted in clause:
            places.setdefault(v, []).append((number, wanted))
    literals = {}
    for v, occurrences in places.items():
        length = 2 * len(occurrences)
        u = [node(tasks, f"u{v},{i}") for i in range(length)]
        c = [node(clients, f"c{v},{i}") for i in range(length)]
        near[0].extend((u[i], c[j % length]) for i in range(length) for j in (i, i + 1))
        ends = {(u[2 * n], c[2 * n + (not wanted)]): number for n, (number, wanted) in enumerate(occurrences)}
        for pair, number in ends.items():
            literals.setdefault(number, []).append(pair)
        free_u = sorted(set(u) - {pair[0] for pair in ends})
        free_c = sorted(set(c) - {pair[1] for pair in ends})
        for left_u, left_c in zip(free_u, free_c, strict=True):
            p, q = node(tasks, "p"), node(clients, "q")
            near[0].append((p, q))
            near[1].extend([(left_u, q), (p, left_c)])
    for pairs in literals.values():
        near[1].extend(pairs)
        for _ in pairs[1:]:
            t, w = node(tasks, "t"), node(clients, "w")
            near[0].append((t, w))
            near[1].extend(edge for u, c in pairs for edge in ((t, c), (u, w)))
    tables = np.ones((2, len(tasks), len(clients)), np.int64)
    for table, pairs in zip(tables, near, strict=True):
        table[tuple(np.array(pairs).T)] = 0
    every, one = np.arange(len(tasks)), np.ones(len(tasks), np.int64)
    return RoleProblem(
        kind_of=every, slots=one, zones=every[None], profile_of=every, standbys=one,
        levels=(RoleLevel("joint", *tables),), active_loads=one, loads=2 * one,
    )  # fmt: skip
