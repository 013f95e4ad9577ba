"""The levels of applications, in the order in which answers are compared in them; and the questions that have names.

What asks, answers, measures, explains, tries out, sweeps and shows iterates over :data:`LEVELS`; a new level is a file and a line.
"""

from collections.abc import Mapping

from kassay.oracles.levels import over_time_questions
from kassay.oracles.tasks.levels.balance import BALANCE, TOTAL_BALANCE
from kassay.oracles.tasks.levels.level import HolderCosts, Level
from kassay.oracles.tasks.levels.moves import MOVES
from kassay.oracles.tasks.levels.reads import ACTIVE, JOINT, STANDBY
from kassay.oracles.tasks.levels.restore import RESTORE
from kassay.oracles.tasks.levels.spread import SPREAD
from kassay.oracles.tasks.levels.subtopology_spread import SUBTOPOLOGY_SPREAD

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
"""What can be asked for; balance stands for itself and then total balance, of all copies."""
COMPARED = tuple(name for name in ASKED if LEVELS[name].compared)
"""The levels that answers are compared in, each after balance at the most even loads."""
NEAREST, COLD = "nearest", "cold"
"""The levels that count what is otherwise than in a given answer, and copies in either role where clients are not caught up.

Nobody asks for them by name.
"""
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
"""Level -> what it costs by who had what."""


def is_of_past(level: str) -> bool:
    """Return whether a level looks at who had what, which makes tasks unlike each other: large applications take minutes then."""
    return level in HELD and HELD[level].looks == "had"


def looks_at_standbys(level: str) -> bool:
    """Return whether a level counts standbys, too, where there are some."""
    of = LEVELS.get(level)
    held = HELD.get(level)
    return (
        level in (TOTAL_BALANCE.name, SPREAD.name)
        or (of is not None and of.reads[1])
        or (held is not None and held.standby is not None)
    )


OVER_TIME = over_time_questions(
    BALANCE.name, MOVES.name, (name for name, level in LEVELS.items() if level.traded and any(level.reads))
)
"""What can be asked of a sequence of rebalances: moves, and what copies read where they are."""


def questions() -> dict[str, str]:
    """Return the questions of one level, and of one at the most even loads, with what is asked in each in a sentence."""
    first, *others = (LEVELS[name] for name in ASKED)
    alone = {level.name: level.alone for level in (first, *others)}
    return alone | {
        f"{first.name},{each.name}": f"T{each.best[1:]} at the most even loads." for each in others
    }


def worst_questions() -> dict[str, str]:
    """Return what the worst can be asked of: each level that answers are compared in -> the question whose last level it is."""
    first, *others = COMPARED
    return {first: first} | {level: f"{first},{level}" for level in others}
