"""Bugs that the checker once had, or might have, each planted in its source."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FunctionType, ModuleType

from kassay.oracles.proof import frontier, partitions, roles, tasks, weights
from kassay.oracles.proof.over_time import sums

GREEDY = """
def _is_possible(problem, active, every):
    copies = len(problem.items) + sum(item.standbys for item in problem.items)
    stateful = sum(item.standbys > 0 for item in problem.items)
    clients = range(len(problem.kinds))
    for order in (list(clients), list(reversed(clients))):
        run = _dealt(len(problem.items), *active, order)
        for again in (list(clients), list(reversed(clients))):
            wanting = sorted(again, key=lambda c: every[0][c] - run[c])
            total = _dealt(copies, *every, wanting)
            standby = [total[c] - run[c] for c in clients]
            room = [min(run[c], stateful - standby[c]) for c in clients]
            if all(each >= 0 for each in standby) and min(room, default=0) >= 0 and sum(room) >= stateful:
                return True
    return not problem.items


def _dealt(copies, low, high, order):
    loads, left = [*low], copies - sum(low)
    for c in order:
        more = min(left, high[c] - low[c])
        loads[c] += more
        left -= more
    return loads
"""
"""How the checker looked for even shares: in four orders, and in no other."""
Change = tuple[ModuleType, str, str]


@dataclass(frozen=True)
class Bug:
    """A bug: the kind of answers that show it, and the changes of modules; an empty text is not replaced, the change is added."""

    kind: str
    changes: Sequence[Change]
    first: int = 0
    """The number of the first case to try, if few cases show the bug."""


BUGS: Mapping[str, Bug] = {
    "a frontier without points is whole": Bug("frontier of consumer", [
        (frontier, "if weighed and all(", "if all("),
        (frontier, "known = bool(rows) and (bool(proofs) or not even)", "known = True"),
        (frontier, "(known and len(levels) == 2", "(bool(rows) and len(levels) == 2"),
        (frontier, 'prove(rows or not frontier["extreme"],', "prove(True,"),
    ], first=1),
    "loads without a proof are the most even": Bug("frontier of consumer", [
        (frontier, "known = bool(rows) and (bool(proofs) or not even)", "known = bool(rows)"),
        (frontier, 'point["supported"] or not is_supported(', "True or not is_supported("),
    ]),
    "a supported point may be called unsupported": Bug("frontier of share", [
        (frontier, 'point["supported"] or not is_supported(', "True or not is_supported("),
    ]),
    "a step holds for less than it says": Bug("frontier of consumer", [
        (frontier, "best = min(row[1] for row in rows if row[0] <= end)", "best = most"),
    ], first=28),
    "moves buy two levels": Bug("frontier of consumer", [
        (frontier, 'not steps or len(frontier["levels"]) == 2', "True"),
    ], first=3),
    "a member holds more partitions than there are": Bug("weights", [
        (weights, "(min(half // 2, len(cheapest)) for half", "(half // 2 for half"),
    ], first=3),
    "weights behind an open level are not counted": Bug("weights", [
        (partitions, "        elif open_:\n            continue\n", "        elif False:\n            continue\n"),
        (partitions, "            open_ = not proved\n", "            open_ = not proved\n            if open_:\n                break\n"),
    ]),
    "stray weights are ignored": Bug("consumer", [(partitions, 'weighs or "weights" not in certificate', "True")]),
    "a level may be stated twice": Bug("weights", [
        (weights, 'sorted(each["level"] for each in listed)', 'sorted({each["level"] for each in listed})'),
    ]),
    "an open answer may have members that share unevenly": Bug("streams-group", [
        (tasks, "if level in stated:", "if level in stated and whole:"),
    ], first=4),
    "members of a process are taken for even": Bug("streams-group", [(tasks, "max(spread, uneven)", "0")], first=4),
    "collisions of tags are not counted": Bug("streams spread", [(tasks, "len(column) - len({*column})", "0")], first=3),
    "squares of subtopologies have no least": Bug("subtopologies", [
        (roles, "minimize_square(squared * roles.weights[m], price, *roles.caps[part, m])", "0"),
    ], first=13),
    "even shares are looked for in four orders": Bug("bound over time, streams", [(sums, "", GREEDY)]),
}  # fmt: skip
"""The bugs by what the checker does wrong."""


@contextmanager
def plant(changes: Sequence[Change]) -> Iterator[None]:
    """Plant a bug, and take it out again.

    The code of functions is replaced, not the functions, as tables hold on to them.
    """
    done: list[tuple[FunctionType, CodeType]] = []
    added: list[tuple[ModuleType, str]] = []
    try:
        for module in {module: None for module, _, _ in changes}:
            source = Path(str(module.__file__)).read_text()
            for other, right, wrong in changes:
                if other is module:
                    assert not right or source.count(right) == 1, right
                    source = source.replace(right, wrong) if right else source + wrong
            names = dict(vars(module))
            exec(compile(source, str(module.__file__), "exec"), names)
            for name, new in find_functions(names, module.__name__):
                old = vars(module).get(name)
                if isinstance(old, FunctionType):
                    done.append((old, old.__code__))
                    old.__code__ = new.__code__
                else:
                    setattr(module, name, new)
                    added.append((module, name))
        yield
    finally:
        for function, code in done:
            function.__code__ = code
        for module, name in added:
            delattr(module, name)


def find_functions(names: Mapping[str, object], module: str) -> Iterator[tuple[str, FunctionType]]:
    """Yield the functions that a module defines."""
    for name, value in names.items():
        if isinstance(value, FunctionType) and value.__module__ == module:
            yield name, value
