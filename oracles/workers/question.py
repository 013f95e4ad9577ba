"""Questions about clusters: what is to be as small as possible, in which order."""

from kassay.oracles.assignment.own_levels import BALANCE
from kassay.oracles.failures import ImpossibleError
from kassay.oracles.workers.levels import LEVELS, ORACLES

QUESTIONS = tuple(ORACLES)
BOTH = ",".join(name for name, level in LEVELS.items() if level.of.name == BALANCE)
"""The balances of both kinds, as an answer names them."""


def question(text: str, known: tuple[str, ...] = QUESTIONS) -> str:
    """Read a question, in which both balances together may stand for balance; raises ImpossibleError naming those that there are."""
    asked = ",".join(word.strip() for word in text.split(",")).replace(BOTH, BALANCE)
    if asked not in known:
        raise ImpossibleError(f"question: {text!r} is not asked of workers; ask {' or '.join(known)}")
    return asked
