"""The levels of groups of topics and members, a file each, in the order in which answers are compared in them; and the questions that have names.

What asks, answers, measures, explains, tries out, sweeps and shows iterates over :data:`LEVELS`; a new level is a file and a line.
"""

from collections.abc import Mapping

from kassay.oracles.levels import over_time_questions
from kassay.oracles.partitions.levels.balance import BALANCE
from kassay.oracles.partitions.levels.capacity import CAPACITY
from kassay.oracles.partitions.levels.cross_rack import CROSS_RACK
from kassay.oracles.partitions.levels.level import Level
from kassay.oracles.partitions.levels.moves import MOVES
from kassay.oracles.partitions.levels.topic_spread import TOPIC_SPREAD
from kassay.oracles.partitions.levels.weighted_balance import WEIGHTED_BALANCE

LEVELS: Mapping[str, Level] = {
    level.name: level
    for level in (
        BALANCE,
        MOVES,
        CROSS_RACK,
        TOPIC_SPREAD,
        WEIGHTED_BALANCE,
        CAPACITY,
    )
}
"""Name -> level; balance is first, and answers are compared in others at the most even loads."""


def compared(contract: str = "") -> tuple[str, ...]:
    """Return the levels that every answer is compared in, balance first; under a contract, those that can be asked with it."""
    return tuple(
        name
        for name, level in LEVELS.items()
        if level.compared and (not contract or level.owned or level.in_rack or name == BALANCE.name)
    )


SHORT = {
    "redundancy": "copies=2,balance,moves,cross-rack",
    "co-partition": "co-partition,cross-rack,moves",
    "joined": "joined,balance,moves,cross-rack",
    "shared": "shared,balance,moves,cross-rack",
}
"""Questions that are short for others."""
OVER_TIME = tuple(
    asked
    for even in (BALANCE.name, f"{BALANCE.name},{TOPIC_SPREAD.name}")
    for asked in over_time_questions(
        even, MOVES.name, [name for name, level in LEVELS.items() if level.in_rack and not level.owned]
    )
)
"""What can be asked of a sequence of rebalances: moves, and what partitions cost where they are, of what is the most even at each."""


def questions() -> dict[str, str]:
    """Return the questions of one level, and of one at the most even loads, with what is asked in each in a sentence."""
    first, *others = LEVELS.values()
    alone = {level.name: level.alone for level in LEVELS.values()}
    return alone | {
        f"{first.name},{level.name}": f"T{level.brief[1:]} among the most even assignments."
        for level in others
    }


def worst_questions() -> dict[str, str]:
    """Return what the worst can be asked of: each level whose cause the search can vary -> the question whose last level it is."""
    first, *others = (name for name, level in LEVELS.items() if not level.weighs or level.about)
    return {first: first} | {level: f"{first},{level}" for level in others}
