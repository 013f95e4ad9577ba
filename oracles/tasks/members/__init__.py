"""Oracles of streams groups, whose members are threads of processes.

>>> from kassay.model.streams_group import StreamsGroup, StreamsMember, Subtopology
>>> from kassay.oracles.tasks.members.optimum import compute_optimum
>>> members = StreamsMember("m0", "p0"), StreamsMember("m1", "p1")
>>> compute_optimum("balance", StreamsGroup((Subtopology(0, 3),), members)).values
{'balance': 1, 'total-balance': 1}
"""

from collections.abc import Callable, Mapping
from dataclasses import replace

from kassay.model.streams_group import StreamsAssignment, StreamsGroup
from kassay.oracles.levels import Judged
from kassay.oracles.tasks import levels as of_applications
from kassay.oracles.tasks.levels import BALANCE, MOVES, RESTORE, TOTAL_BALANCE, Level
from kassay.properties.tasks.members import measures

_SEVERAL = "groups with two members or more"
JUDGED = {
    BALANCE.name: Judged("even", "loads as balanced as possible", _SEVERAL, outside=("single_member",), noun="balance"),
    MOVES.name: Judged(
        "sticky", "no needless move between processes", f"{_SEVERAL} in several processes, one of which holds a task",
        outside=("single_member", "single_process", "new_group"), label="few moves", adjective="without needless moves",
        noun="minimal moves",
    ),
}  # fmt: skip
"""The criterion of a report for each level of streams groups."""
LEVELS: Mapping[str, Level] = {
    name: replace(
        level,
        words=replace(level.words, judged=JUDGED.get(name)),
        compared=level.compared or name == RESTORE.name,
    )
    for name, level in of_applications.LEVELS.items()
    if not any(level.reads)
}
"""Name -> level; the racks of partitions are unknown."""
ASKED = tuple(name for name in of_applications.ASKED if name in LEVELS)
"""The levels that can be asked for."""
COMPARED = tuple(name for name in ASKED if LEVELS[name].compared)
"""The levels that answers are compared in, each after balance at the most even loads."""
OF_MEMBERS: Mapping[str, Callable[[StreamsGroup, StreamsAssignment], int]] = {
    BALANCE.name: measures.active_imbalance,
    TOTAL_BALANCE.name: measures.total_imbalance,
}
"""Levels that are measured member by member: a process may divide its tasks unevenly."""
ORACLES: Mapping[str, str] = {
    "balance": "The most even loads of members by active tasks, then by all copies.",
    "moves": "The fewest copies that move from one process to another, for any loads.",
    "restore": "The fewest tasks active on processes that have to restore them first, for any loads.",
    "balance,moves": "The fewest copies that move at the most even loads, of active tasks and standbys together.",
    "balance,restore": "The fewest tasks active where they have to be restored first, at the most even loads.",
    "balance,spread,moves": "The most even loads, then copies on as many values of each tag as can be, then the fewest moves.",
}
"""Question -> what the oracle answers."""
WORST: Mapping[str, str] = {"balance": "balance", "moves": "balance,moves"}
"""Level that `kassay worst` can search -> the question that ends with it."""
