"""The levels of a question as one integer program, asked of CP-SAT; HiGHS says once more that nothing is below what that found.

A number says of each kind of partitions and each of its readers how many it holds. What either solver proves nobody can check, so it is
said to be what they agree on, and no proof.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ortools.sat.python import cp_model

from kassay.oracles.assignment.own_levels import BALANCE, TOPIC_SPREAD
from kassay.oracles.errors import UnsolvedError
from kassay.oracles.partitions.weights.instance import CAPACITY, HEAVIEST, WEIGHTED_BALANCE, Instance, Kind
from kassay.oracles.solving import Model

EFFORT = 1.0
"""How long CP-SAT looks, in its own deterministic unit, so that the answer is the same everywhere: some seconds."""
NODES = 1_000
"""How many nodes of its tree HiGHS looks at."""
PLACES = 20_000
"""With more places, pairs of kind and reader, no solver is asked."""
EXACT = 10**8
"""HiGHS is asked where all weights together are at most so much: it counts in floating point."""

Terms = dict[int, int]


@dataclass(slots=True)
class Program:
    """Whole numbers between 0 and `most`, and rows of them with what they are at least and at most."""

    most: list[int] = field(default_factory=list)
    rows: list[tuple[Terms, int | None, int | None]] = field(default_factory=list)

    def number(self, most: int) -> int:
        """Add a number and return its place."""
        self.most.append(most)
        return len(self.most) - 1


@dataclass(frozen=True, slots=True)
class QuestionProgram:
    """A program with the place of each kind at each reader, and every level as a sum to make small."""

    program: Program
    kinds: Sequence[Kind]
    places: Mapping[tuple[int, int], int]
    levels: Mapping[str, Terms]

    def owners(self, values: Sequence[int], items: int) -> list[int]:
        """Return who holds each partition by the program's numbers."""
        owner = [-1] * items
        for k, kind in enumerate(self.kinds):
            left = list(kind.items)
            for m in kind.readers:
                for _ in range(values[self.places[k, m]]):
                    owner[left.pop(0)] = m
        return owner

    def values(self, owner: Sequence[int]) -> dict[int, int]:
        """Return the numbers of kinds at readers that owners make."""
        found = dict.fromkeys(self.places.values(), 0)
        for k, kind in enumerate(self.kinds):
            for item in kind.items:
                found[self.places[k, owner[item]]] += 1
        return found


def asked(instance: Instance, levels: Sequence[str]) -> QuestionProgram | None:
    """Write a question as a program; None where it is too large for one."""
    kinds = instance.kinds(levels)
    if sum(len(kind.readers) for kind in kinds) > PLACES or sum(instance.weights) >= HEAVIEST:
        return None
    program = Program()
    places = {(k, m): program.number(len(kind.items)) for k, kind in enumerate(kinds) for m in kind.readers}
    for k, kind in enumerate(kinds):
        program.rows.append(({places[k, m]: 1 for m in kind.readers}, len(kind.items), len(kind.items)))
    for m, (low, high) in enumerate(instance.windows):
        held = {place: 1 for (_, who), place in places.items() if who == m}
        if held and (low, high) != (0, len(instance.items)):
            program.rows.append((held, low, high))
    found = {}
    for level in levels:
        if level in (WEIGHTED_BALANCE, CAPACITY):
            found[level] = _weighed(program, instance, kinds, places, level)
        elif level in (BALANCE, TOPIC_SPREAD):
            found[level] = _squares(program, kinds, places, by_topic=level == TOPIC_SPREAD)
        else:
            found[level] = {place: kinds[k].costs[level][m] for (k, m), place in places.items()}
    return QuestionProgram(program, kinds, places, found)


def _weighed(
    program: Program, instance: Instance, kinds: Sequence[Kind], places: Mapping[tuple[int, int], int], level: str
) -> Terms:  # fmt: skip
    """Return the greatest weight that a member holds, or what they hold beyond their capacities, as numbers that rows hold up."""
    total = sum(instance.weights)
    greatest = program.number(total) if level == WEIGHTED_BALANCE else -1
    terms = {greatest: 1} if level == WEIGHTED_BALANCE else {}
    for m, limit in enumerate(instance.capacities):
        held = {place: kinds[k].weight for (k, who), place in places.items() if who == m}
        if level == WEIGHTED_BALANCE:
            program.rows.append((held | {greatest: -1}, None, 0))
        elif limit is not None:
            beyond = program.number(total)
            terms[beyond] = 1
            program.rows.append((held | {beyond: -1}, None, limit))
    return terms


def _squares(
    program: Program, kinds: Sequence[Kind], places: Mapping[tuple[int, int], int], *, by_topic: bool
) -> Terms:  # fmt: skip
    """Return numbers that are the squares of what members hold, of each topic or in all: above each line between two squares that follow."""
    together: dict[tuple[int, int], Terms] = {}
    for (k, m), place in places.items():
        together.setdefault((kinds[k].topic if by_topic else 0, m), {})[place] = 1
    squares = {}
    for held in together.values():
        most = sum(program.most[place] for place in held)
        square = program.number(most * most)
        squares[square] = 1
        for n in range(most):
            program.rows.append((dict.fromkeys(held, -(2 * n + 1)) | {square: 1}, -n * (n + 1), None))
    return squares


def least(
    of: QuestionProgram, level: str, start: Sequence[int], seconds: float | None
) -> tuple[list[int], int]:
    """Ask CP-SAT for owners with the least of a level, beginning with known ones; return them, and what it says nothing is below.

    Raises UnsolvedError where it refuses the program, or says that there is no answer at all.
    """
    model = cp_model.CpModel()
    numbers = [model.new_int_var(0, most, "") for most in of.program.most]
    for terms, low, high in of.program.rows:
        row = sum(number * numbers[place] for place, number in terms.items())
        if low == high:
            model.add(row == low)
            continue
        if low is not None:
            model.add(row >= low)
        if high is not None:
            model.add(row <= high)
    goal = of.levels[level]
    model.minimize(sum(number * numbers[place] for place, number in goal.items()))
    for place, value in of.values(start).items():
        model.add_hint(numbers[place], value)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers, solver.parameters.interleave_search, solver.parameters.random_seed = (
        1,
        True,
        1,
    )
    if seconds is None:
        solver.parameters.max_deterministic_time = EFFORT
    else:
        solver.parameters.max_time_in_seconds = seconds
    status = solver.solve(model)
    if status in (cp_model.INFEASIBLE, cp_model.MODEL_INVALID):
        raise UnsolvedError(
            f"{level}: CP-SAT says {solver.status_name(status)} of a program that has an answer"
        )
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return list(start), 0
    values = [int(solver.value(number)) for number in numbers]
    return of.owners(values, len(start)), math.ceil(solver.best_objective_bound - 1e-6)


def agreed(of: QuestionProgram, instance: Instance, level: str, value: int, seconds: float | None) -> bool:
    """Return whether HiGHS finds, too, that nothing is below a value; it is not asked about what it does not count exactly."""
    if sum(instance.weights) > EXACT:
        return False
    model = Model()
    for most in of.program.most:
        model.variable(most, whole=True)
    for terms, low, high in (*of.program.rows, (of.levels[level], None, value - 1)):
        row = model.total(terms.items())
        if low is not None:
            model.require(row >= low)
        if high is not None:
            model.require(row <= high)
    return model.impossible(NODES, seconds)
