"""The fewest moves that make an optimum of an answer."""

from typing import NamedTuple

from kassay.model.tasks import Application, TaskAssignment, TaskId
from kassay.oracles.tasks.encoding import NOBODY, encoded, owners_of
from kassay.oracles.tasks.levels import NEAREST
from kassay.oracles.tasks.optimum import best
from kassay.oracles.tasks.question import Question, question


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
