"""Questions about clusters: what is to be as small as possible, in which order."""

from kassay.oracles.failures import ImpossibleError

BALANCE, MOVES = "balance", "moves"
QUESTIONS = (BALANCE, f"{BALANCE},{MOVES}", MOVES)
"""What can be asked: each of connectors and of tasks."""
BALANCES = {"connectors": "connector-balance", "tasks": "task-balance"}
"""Kind -> the level that its balance is in an answer; moves are added up."""
LEVELS = (*BALANCES.values(), MOVES)
OVER_TIME = (f"{BALANCE},{MOVES}",)
"""What can be asked of a sequence of rebalances."""


def question(text: str, known: tuple[str, ...] = QUESTIONS) -> str:
    """Read a question; raises ImpossibleError naming those that there are."""
    asked = ",".join(word.strip() for word in text.split(","))
    if asked not in known:
        raise ImpossibleError(f"question: {text!r} is not asked of workers; ask {' or '.join(known)}")
    return asked
