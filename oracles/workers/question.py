"""Questions about clusters: what is to be as small as possible, in which order."""

from kassay.oracles.failures import ImpossibleError
from kassay.oracles.workers.levels import LEVELS, ORACLES

QUESTIONS = tuple(ORACLES)
STAND_FOR = {
    ",".join(name for name, level in LEVELS.items() if level.of.name == of): of
    for of in dict.fromkeys(level.of.name for level in LEVELS.values())
}
"""What stands for a level of partitions: all levels that are of it, as an answer names them."""


def question(text: str, known: tuple[str, ...] = QUESTIONS) -> str:
    """Read a question, in which both balances together may stand for balance; raises ImpossibleError naming those that there are."""
    asked = ",".join(word.strip() for word in text.split(","))
    for together, of in STAND_FOR.items():
        asked = asked.replace(together, of)
    if asked not in known:
        raise ImpossibleError(f"question: {text!r} is not asked of workers; ask {' or '.join(known)}")
    return asked
