"""Questions about clusters: what is to be as small as possible, in which order."""

from collections.abc import Mapping

from kassay.oracles.failures import ImpossibleError

BALANCE, MOVES = "balance", "moves"
ORACLES: Mapping[str, str] = {
    "balance": "The most even connectors, and the most even tasks.",
    "balance,moves": "The fewest connectors and tasks moved among the most even assignments.",
    "moves": "The fewest connectors and tasks moved, however uneven: none.",
}
"""Question -> what the oracle answers, of connectors and of tasks each by themselves."""
WORST: Mapping[str, str] = {}
"""What the worst can be asked of: nothing yet."""
QUESTIONS = tuple(ORACLES)
BALANCES = {"connectors": "connector-balance", "tasks": "task-balance"}
"""Kind -> the level that its balance is in an answer; moves are added up."""
LEVELS = (*BALANCES.values(), MOVES)
OVER_TIME = (f"{BALANCE},{MOVES}",)
"""What can be asked of a sequence of rebalances."""


def question(text: str, known: tuple[str, ...] = QUESTIONS) -> str:
    """Read a question, in which both balances together may stand for balance; raises ImpossibleError naming those that there are."""
    asked = ",".join(word.strip() for word in text.split(","))
    asked = asked.replace(",".join(BALANCES.values()), BALANCE)
    if asked not in known:
        raise ImpossibleError(f"question: {text!r} is not asked of workers; ask {' or '.join(known)}")
    return asked
