"""How far an answer is from the optimum, what would be better, and why no more than that, in sentences."""

from collections.abc import Sequence

from kassay.model.tasks import Application, TaskAssignment
from kassay.oracles.answers import Answer
from kassay.oracles.assignment.own_levels import BALANCE
from kassay.oracles.tasks.encoding import encoded, owners_of
from kassay.oracles.tasks.levels import COMPARED, LEVELS, is_of_past
from kassay.oracles.tasks.nearest import Move, moves_to_optimum
from kassay.oracles.tasks.optima import is_large
from kassay.oracles.tasks.optimum import optimum
from kassay.oracles.tasks.question import COUNTS, Question, question
from kassay.oracles.tasks.remeasure import remeasure

MOVES = 6
"""How many moves a sentence lists at most."""
AT_ITS_COUNTS = tuple(f"{COUNTS},{level}" for level in COMPARED if any(LEVELS[level].reads))
"""What could have been reached without a change of any client's counts, as KIP-925 keeps them."""


def explain(
    application: Application,
    answer: TaskAssignment,
    compared: Sequence[str] = COMPARED,
    at_its_counts: Sequence[str] = AT_ITS_COUNTS,
) -> list[str]:
    """Return a sentence on each level: value, optimum, what to move, and why no less is possible; then at the answer's own counts.

    Levels after balance are compared with the best that the most even loads allow. Raises what :func:`optimum` raises.
    """
    if answer.probing:
        return ["it asks for a probing rebalance: it is provisional, and not compared with the optimum"]
    case = encoded(application, Question(()))
    if owners_of(case, answer) is None:
        return [
            "it does not place each task once with as many standbys as wanted, and no others: it is not compared with the optimum"
        ]
    texts = [BALANCE, *(f"{BALANCE},{level}" for level in compared[1:]), *at_its_counts]
    if not is_large(case):
        return [_sentence(text, application, answer, moved=True) for text in texts]
    said = [
        _sentence(text, application, answer, moved=False)
        for text in texts
        if not is_of_past(text.rpartition(",")[2])
    ]
    left = " and ".join(level for level in compared if is_of_past(level))
    return [
        *said,
        f"{left}: the application is too large to prove the fewest in seconds, and to say what to move",
    ]


def _sentence(text: str, application: Application, answer: TaskAssignment, *, moved: bool) -> str:
    counts = text in AT_ITS_COUNTS
    best = optimum(text, application, given=answer if counts else None)
    better = moves_to_optimum(text, application, answer) if moved else None
    asked = question(text, given=True)
    value = remeasure(application, answer, asked)
    level = best.levels[0] if text == BALANCE else best.levels[-1]
    own = value[level.name]
    said = f"{level.name}{' at its own counts' if counts else ''}: {own}"
    if own < level.value:
        said += f", which only uneven loads allow; the most even ones need {level.value}"
    elif own > level.value:
        said += f", optimum {level.value}"
    else:
        uneven = ", but other copies could be spread more evenly" if better and not counts else ""
        said += f", the optimum{uneven}"
    if better:
        said += f"; move {_listed(better)}"
    if own >= level.value > 0:
        said += f"; no placement can do better, because: {_why(best, level.name)}"
    return said


def _listed(moves: Sequence[Move]) -> str:
    more = [f"{len(moves) - MOVES} more"] if len(moves) > MOVES else []
    return " and ".join([*map(str, moves[:MOVES]), *more])


def _why(best: Answer, level: str) -> str:
    return "; ".join(word.partition(": ")[2] for word in best.words if word.startswith(f"{level}: "))
