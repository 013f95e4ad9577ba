"""How far an answer is from the optimum, what would be better, and why no more than that, in sentences."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from kassay.model.tasks import Application, TaskAssignment, TaskId
from kassay.oracles.answers import Far, sentences
from kassay.oracles.assignment.own_levels import BALANCE
from kassay.oracles.tasks.encoding import NOBODY, encoded, owners_of
from kassay.oracles.tasks.levels import COMPARED, LEVELS, NEAREST, is_of_past
from kassay.oracles.tasks.optimum import best, is_compared, is_large, optimum, remeasure
from kassay.oracles.tasks.question import COUNTS, Question, question


class Move(NamedTuple):
    """A copy handed from one client to another; both are one where a task changes its role there."""

    task: TaskId
    role: str
    giver: str
    taker: str

    def __str__(self) -> str:
        what = f"{self.task}" if self.role == "active" else f"the standby of {self.task}"
        return f"{what} from {self.giver} to {self.taker}"


def moves_to_optimum(text: str, application: Application, answer: TaskAssignment) -> list[Move] | None:
    """Return the fewest moves that turn an answer into an optimum of a question; none where it is one.

    Answers None where the answer is provisional, or not complete and legal. Raises what
    :func:`kassay.oracles.tasks.optimum.optimum` raises.
    """
    asked = question(text, given=True)
    asked = Question((*asked.levels, NEAREST), asked.contracts)
    plain = encoded(application, Question(()))
    owners = owners_of(plain, answer)
    if owners is None:
        return None
    better = best(encoded(application, asked, answer), asked).owners
    moves = []
    for task, before, after in zip(plain.tasks, owners.tolist(), better.tolist(), strict=True):
        for role, some in (("active", slice(1)), ("standby", slice(1, None))):
            left = sorted(set(before[some]) - set(after[some]) - {NOBODY})
            come = sorted(set(after[some]) - set(before[some]) - {NOBODY})
            moves += [
                Move(task, role, plain.clients[giver], plain.clients[taker])
                for giver, taker in zip(left, come, strict=True)
            ]
    return moves


AT_ITS_COUNTS = tuple(f"{COUNTS},{level}" for level in COMPARED if any(LEVELS[level].reads))
"""What could have been reached without a change of any client's counts, as KIP-925 keeps them."""
UNCHANGED = "with as many tasks for each client as it has"
"""Under which condition an optimum at the answer's own counts holds."""
PROVISIONAL = "It asks for another rebalance, so it is not compared with the best possible."
"""What is said of an answer that is not the last word."""


def explain(
    application: Application,
    answer: TaskAssignment,
    compared: Sequence[str] = COMPARED,
    at_its_counts: Sequence[str] = AT_ITS_COUNTS,
    measured: Mapping[str, int] = MappingProxyType({}),
) -> list[str]:
    """Say of each level in which an answer is not at its best what would do, what to hand over for that, and why no less does.

    Levels after balance are compared with the best that the most even loads allow; then with the best at the answer's own counts, where
    that is reached in another way. `measured` are values of levels that are told otherwise than of the application. Of an answer that is
    not complete and legal nothing is said. Raises what :func:`optimum` raises.
    """
    if answer.probing:
        return [PROVISIONAL]
    case = encoded(application, Question(()))
    if owners_of(case, answer) is None:
        return []
    texts = [BALANCE, *(f"{BALANCE},{level}" for level in compared[1:]), *at_its_counts]
    large = is_large(case)
    asked = [text for text in texts if is_compared(case, text.rpartition(",")[2])]
    said = sentences(_far(text, application, answer, measured, moved=not large) for text in asked)
    left = " and ".join(LEVELS[level].words.many for level in compared if is_of_past(level))
    return [*said, *[f"{left}: there is too much in this group to prove the fewest in seconds."] * large]


def _far(
    text: str, application: Application, answer: TaskAssignment, measured: Mapping[str, int], *, moved: bool
) -> Far:
    best = optimum(text, application, given=answer if text in AT_ITS_COUNTS else None)
    handed = (moves_to_optimum(text, application, answer) if moved else None) or []
    level = best.levels[0] if text == BALANCE else best.levels[-1]
    own = measured.get(level.name, remeasure(application, answer, question(text, given=True))[level.name])
    words = LEVELS[level.name].words
    why = "; ".join(word.partition(": ")[2] for word in best.words if word.startswith(f"{level.name}: "))
    why = why if level.value and words.counts != "loads" else ""
    given = f" {UNCHANGED}" if text in AT_ITS_COUNTS else ""
    return Far(words, own, level.value, tuple(map(str, handed)), why, given=given)
