"""The values of a question's levels, as the measures of the streams family give them."""

from kassay.model.tasks import Application, TaskAssignment
from kassay.oracles.tasks.levels import LEVELS
from kassay.oracles.tasks.question import Question


def remeasure(application: Application, answer: TaskAssignment, asked: Question) -> dict[str, int]:
    """Return what an answer is worth in each level of a question."""
    return {level: LEVELS[level].measure(application, answer) for level in asked.levels}
