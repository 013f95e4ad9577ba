"""Questions about applications: the levels to minimize in order, and contracts."""

from collections.abc import Sequence
from dataclasses import dataclass

from kassay.oracles.assignment.own_levels import BALANCE, SUBTOPOLOGY_SPREAD, TOTAL_BALANCE
from kassay.oracles.errors import ImpossibleError
from kassay.oracles.tasks.levels import ASKED
from kassay.sentences import suggest_name

COUNTS, ACTIVES, SUBTOPOLOGIES = "counts", "actives", "subtopologies"
CONTRACTS = (COUNTS, ACTIVES, SUBTOPOLOGIES)
GIVEN = frozenset({COUNTS, ACTIVES})
"""The contracts that refer to a given answer."""


@dataclass(frozen=True, slots=True)
class Question:
    """The objective of a placement: levels in order, each weighing infinitely more than all after it, and contracts.

    `counts`: every client keeps the numbers of active tasks and of copies of a given answer. `actives`: active tasks stay
    where the given answer has them. `subtopologies`: each client has its share of each subtopology, rounded down or up (KIP-925,
    4.B.II): the share of its active tasks if counts are given, else of its threads. With the spread of subtopologies, balance
    counts active tasks alone.
    """

    levels: tuple[str, ...]
    contracts: frozenset[str] = frozenset()

    def __str__(self) -> str:
        asked = [level for level in self.levels if level != TOTAL_BALANCE]
        return ",".join([*(each for each in CONTRACTS if each in self.contracts), *asked])


def parse_question(text: str, known: Sequence[str] = ASKED, *, given: bool = False) -> Question:
    """Read a question: known levels with commas between, contracts before them.

    Raises ImpossibleError naming what is wrong; contracts that need an answer are refused unless one is `given`.
    """
    words = [word.strip() for word in text.split(",")]
    contracts: list[str] = []
    while words and words[0] in CONTRACTS:
        contracts.append(words.pop(0))
    for word in words:
        if word in CONTRACTS:
            raise ImpossibleError(f"question: {text!r} names {word!r} after a level. Write contracts first")
        if word not in known:
            raise ImpossibleError(
                f"question: there is no level {word!r} to ask for. The levels are {', '.join(known)}{suggest_name(word, known)}"
            )
    if not words or len(set(words)) != len(words) or len(set(contracts)) != len(contracts):
        raise ImpossibleError(
            f"question: {text!r} names no level, or a word twice. Name each level at most once"
        )
    if not given and (asked := GIVEN.intersection(contracts)):
        raise ImpossibleError(
            f"question: {text!r} asks to keep the {min(asked)} of an answer, but no answer is given. Leave {min(asked)!r} out"
        )
    both = (BALANCE,) if SUBTOPOLOGY_SPREAD in words else (BALANCE, TOTAL_BALANCE)
    levels = (each for word in words for each in (both if word == BALANCE else (word,)))
    return Question(tuple(levels), frozenset(contracts))
