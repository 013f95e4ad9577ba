"""The levels of applications, in the order in which answers are compared in them.

All code iterates over :data:`LEVELS`. A new level is a record here, and a line.
"""

import math
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal, NamedTuple, TypeAlias

from kassay.model.tasks import Application, TaskAssignment
from kassay.oracles.assignment import own_levels
from kassay.oracles.levels import LevelWords, list_over_time_questions
from kassay.properties.tasks.measures import (
    active_imbalance,
    active_moves,
    cross_rack,
    cross_rack_standby,
    not_caught_up,
    standby_moves,
    subtopology_excess,
    tag_collisions,
    total_imbalance,
)

Measure: TypeAlias = Callable[[Application, TaskAssignment], int]
NO_CLIENT: frozenset[int] = frozenset()


class Holders(NamedTuple):
    """The clients that have, or had, a task."""

    ran: frozenset[int] = NO_CLIENT
    kept: frozenset[int] = NO_CLIENT
    """The clients that had a standby."""
    ready: frozenset[int] | None = None
    """The clients that are caught up; None if the task has no state."""
    active: frozenset[int] = NO_CLIENT
    standby: frozenset[int] = NO_CLIENT
    """The clients of the active task and of standbys in a given answer."""

    @property
    def every(self) -> tuple[int, ...]:
        """All of them, in ascending order."""
        return tuple(sorted(self.ran | self.kept | (self.ready or NO_CLIENT) | self.active | self.standby))


@dataclass(frozen=True, slots=True)
class HolderCosts:
    """The costs of a task by its holders: a loss, less 1 for each copy at a holder."""

    looks: Literal["had", "ready", "given"]
    """The holders that count: previous ones, the clients that are caught up, or the holders in a given answer."""
    loss: Callable[[Holders, int], int]
    """The loss, given the number of standbys."""
    active: Callable[[Holders, int], bool]
    """True if a client's active copy is at a holder."""
    standby: Callable[[Holders, int], bool] | None = None
    """The same for its standby; None: no standby is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """All that is known of one level of tasks.

    `reads` or `held` are its costs for the core. A level with neither is one of the core's own levels
    (see :mod:`kassay.oracles.assignment.own_levels`).
    """

    words: LevelWords
    least: str
    """The best there is, as a sentence begins: ``The fewest copies that move``."""
    what: str
    """The counted things, in the sentence that says why there are no fewer."""
    best: str
    """The phrase after *for the sake of*, if it comes before another level: ``the fewest moves``."""
    measure: Measure
    """The value of any answer, also of a wrong one."""
    reads: tuple[bool, bool] = (False, False)
    """True if it counts the reads across racks of active tasks, and of standbys (KIP-925)."""
    held: HolderCosts | None = None
    tried: Measure | None = None
    """Its value counted from a tiny application in the unit of the core; None: the measure."""
    about: Literal["owners", "racks"] = "owners"
    """The feature of applications, in addition to loads, that makes answers differ; the search for the worst varies it."""
    compared: bool = False
    """True if answers are compared in it, at the most even loads."""
    traded: bool = False
    """True if a frontier trades it for moves."""

    @property
    def name(self) -> str:
        """As questions name it."""
        return self.words.name


def _count_squares(application: Application, answer: TaskAssignment, *, total: bool) -> int:
    """Add up the clients' squared loads by threads, times the least factor that makes all of them whole."""
    found, whole = 0, math.lcm(*(client.threads for client in application.clients))
    for client in application.clients:
        held = answer.clients[client.id]
        count = len(held.active) + total * len(held.standby)
        found += count * count * whole // client.threads
    return found


BALANCE = Level(
    words=LevelWords(
        name=own_levels.BALANCE, short="even", one="apart", many="apart", counts="loads", evens=0, asked="even", missed="not as even as possible",
        column="uneven", heading="not as even\nas possible", worse="is less even", measure="active_imbalance",
    ),
    least="The most even loads of threads by active tasks, then by all copies",
    what="active tasks",
    best="the most even active tasks",
    measure=active_imbalance,
    tried=partial(_count_squares, total=False),
    compared=True,
)  # fmt: skip
"""The most even active tasks; a question that asks for balance asks for TOTAL_BALANCE, too."""
TOTAL_BALANCE = Level(
    words=LevelWords(
        name=own_levels.TOTAL_BALANCE, short="even in all", one="apart", many="apart", counts="loads", whose="with standbys",
        asked="even with standbys", missed="not as even with standbys as possible", column="uneven with standbys",
        heading="uneven with\nstandbys", worse="is less even with standbys", measure="total_imbalance",
    ),
    least="The most even loads of threads by all copies",
    what="copies",
    best="the most even copies",
    measure=total_imbalance,
    tried=partial(_count_squares, total=True),
)  # fmt: skip


def _measure_collisions(application: Application, answer: TaskAssignment) -> int:
    """Count collisions of tags; if no tags are configured, of racks as if these were a tag."""
    if not application.settings.rack_aware_assignment_tags:
        tags = replace(application.settings, rack_aware_assignment_tags=("rack",))
        racks = list(dict.fromkeys(client.rack for client in application.clients if client.rack))
        clients = tuple(
            replace(client, tags=(("rack", str(racks.index(client.rack))),) if client.rack else ())
            for client in application.clients
        )
        application = replace(application, clients=clients, settings=tags)
    return tag_collisions(application, answer)


SPREAD = Level(
    words=LevelWords(
        name=own_levels.SPREAD, short="tags", one="copy in the zone of another one", many="copies in the zone of another one", asked="apart by tags",
        missed="needless copies with one tag", column="tags", heading="tags\nneedlessly alike", worse="has more copies with one tag",
    ),
    least="The fewest copies in a rack or tag value that another copy of their task has",
    what="copies in a rack or tag value that another copy of their task has",
    best="the widest spread",
    measure=_measure_collisions,
    about="racks",
)  # fmt: skip
"""Copies of a task on as many racks, or values of each configured tag, as possible (KIP-708)."""
ACTIVE = Level(
    words=LevelWords(
        name="active", short="racks", one="read across racks", many="reads across racks", by="by active tasks", counts="reading",
        asked="near", missed="needless reads across racks by active tasks", column="reads", heading="needless reads\nacross racks",
        worse="reads more across racks", measure="cross_rack",
    ),
    least="The fewest partitions that active tasks read across racks",
    what="partitions that active tasks read across racks",
    best="the least traffic of active tasks",
    measure=cross_rack,
    reads=(True, False),
    about="racks",
    compared=True,
)  # fmt: skip
"""The fewest partitions read across racks (KIP-925): inputs by active tasks; see STANDBY and JOINT."""
STANDBY = Level(
    words=replace(
        ACTIVE.words, name="standby", by="by standbys", asked="standbys near", missed="needless reads across racks by standbys",
        column="reads by standbys", heading="needless reads\nby standbys", worse="reads more across racks with standbys",
        measure="cross_rack_standby",
    ),
    least="The fewest partitions that standbys read across racks",
    what="partitions that standbys read across racks",
    best="the least traffic of standbys",
    measure=cross_rack_standby,
    reads=(False, True),
    about="racks",
)  # fmt: skip
"""The fewest reads of changelogs."""
JOINT = Level(
    words=replace(
        ACTIVE.words, name="joint", by="", missed="needless reads across racks", column="all reads", measure="",
    ),
    least="The fewest partitions that active tasks and standbys read across racks",
    what="partitions that active tasks and standbys read across racks",
    best="the least traffic",
    measure=lambda application, answer: cross_rack(application, answer) + cross_rack_standby(application, answer),
    reads=(True, True),
    about="racks",
    compared=True,
    traded=True,
)  # fmt: skip
"""The fewest reads of both kinds together."""
MOVES = Level(
    words=LevelWords(
        name="moves", short="moves", one="move", many="moves", counts="moving", passing=True, asked="few moves", missed="needless moves",
        column="moves", heading="needless\nmoves", worse="moves more",
    ),
    least="The fewest copies that move",
    what="copies that move",
    best="the fewest moves",
    measure=lambda application, answer: active_moves(application, answer) + standby_moves(application, answer),
    held=HolderCosts(
        "had",
        lambda of, standbys: bool(of.ran) + standbys * bool(of.kept),
        lambda of, client: client in of.ran,
        lambda of, client: bool(of.kept) and (client in of.ran or client in of.kept),
    ),
    compared=True,
)  # fmt: skip
"""The fewest active tasks that ran elsewhere, and standbys that find no state. Standbys of a task that had none do not move."""
RESTORE = Level(
    words=LevelWords(
        name="restore", short="restore", one="task to restore", many="tasks to restore", counts="restoring", passing=True,
        asked="little to restore", missed="needless tasks to restore", column="restore", heading="needless\nrestoring",
        worse="restores more", measure="not_caught_up",
    ),
    least="The fewest tasks active where they have to be restored first",
    what="tasks active where they have to be restored first",
    best="the least to restore",
    measure=not_caught_up,
    held=HolderCosts(
        "ready",
        lambda of, _standbys: of.ready is not None,
        lambda of, client: of.ready is not None and client in of.ready,
    ),
)  # fmt: skip


def _count_squares_by_part(application: Application, answer: TaskAssignment) -> int:
    """Add up the squares of each subtopology's tasks at each client, times what makes all of them whole."""
    whole = math.lcm(*(client.threads for client in application.clients))
    return sum(
        count * count * whole // client.threads
        for client in application.clients
        for count in Counter(task.subtopology for task in answer.clients[client.id].active).values()
    )


SUBTOPOLOGY_SPREAD = Level(
    words=LevelWords(
        name=own_levels.SUBTOPOLOGY_SPREAD, short="spread", one="spread excess", many="spread excess", behind=True, asked="spread subtopologies",
        missed="subtopologies less spread than possible", column="spread", heading="subtopologies less\nspread than possible",
        worse="spreads subtopologies less", each=("subtopology", "subtopologies"), measure="subtopology_excess",
    ),
    least="The most even spread of each subtopology's active tasks over the clients",
    what="the excess of active tasks of subtopologies at clients",
    best="the most even spread of each subtopology",
    measure=subtopology_excess,
    tried=_count_squares_by_part,
    compared=True,
)  # fmt: skip
"""Half of what the squares of each subtopology's tasks, by threads, are above the least that whole tasks allow.

It is asked of active tasks alone. Balance with it is the balance of active tasks, and levels that look at standbys cannot be asked with it
if there are standbys.
"""

LEVELS: Mapping[str, Level] = {
    level.name: level
    for level in (
        BALANCE,
        TOTAL_BALANCE,
        SPREAD,
        ACTIVE,
        STANDBY,
        JOINT,
        MOVES,
        RESTORE,
        SUBTOPOLOGY_SPREAD,
    )
}
"""Name -> level; balance is first."""
ASKED = tuple(name for name in LEVELS if name != TOTAL_BALANCE.name)
"""The levels that can be asked for; balance stands for itself and then total balance."""
COMPARED = tuple(name for name in ASKED if LEVELS[name].compared)
"""The levels that answers are compared in, each after balance at the most even loads."""
NEAREST, COLD = "nearest", "cold"
"""Levels without a name for users: copies that are placed otherwise than in a given answer, and copies on clients that are not caught up."""
HELD: Mapping[str, HolderCosts] = {
    **{name: level.held for name, level in LEVELS.items() if level.held is not None},
    COLD: HolderCosts(
        "ready",
        lambda of, standbys: (1 + standbys) * (of.ready is not None),
        lambda of, client: of.ready is not None and client in of.ready,
        lambda of, client: of.ready is not None and client in of.ready,
    ),
    NEAREST: HolderCosts(
        "given",
        lambda of, _standbys: len(of.active) + len(of.standby),
        lambda of, client: client in of.active,
        lambda of, client: client in of.standby,
    ),
}
"""Level -> its costs by the clients that had a task."""


def is_of_past(level: str) -> bool:
    """Return True if a level looks at previous owners. Tasks then differ from each other, and large applications take minutes."""
    return level in HELD and HELD[level].looks == "had"


def has_standby_costs(level: str) -> bool:
    """Return True if a level counts standbys, too."""
    of, held = LEVELS.get(level), HELD.get(level)
    reads = of is not None and of.reads[1]
    return (
        level in (TOTAL_BALANCE.name, SPREAD.name) or reads or (held is not None and held.standby is not None)
    )


OVER_TIME = list_over_time_questions(
    BALANCE.name, MOVES.name, (name for name, level in LEVELS.items() if level.traded and any(level.reads))
)
"""The questions about a sequence of rebalances: moves, and reads across racks."""


def list_questions() -> dict[str, str]:
    """Return each question of one level, alone and at the most even loads, with a sentence that says what is asked."""
    first, *others = (LEVELS[name] for name in ASKED)
    return {level.name: level.words.describe_alone(level.least) for level in (first, *others)} | {
        f"{first.name},{each.name}": f"T{each.best[1:]} at the most even loads." for each in others
    }


def list_worst_questions() -> dict[str, str]:
    """Return the levels that `worst` can search: each compared level -> the question that ends with it."""
    first, *others = COMPARED
    return {first: first} | {level: f"{first},{level}" for level in others}
