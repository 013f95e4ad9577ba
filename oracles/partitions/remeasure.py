"""The values of a question's levels, as the measures of the consumer family give them."""

from kassay.model import Assignment, Group
from kassay.oracles.partitions.levels import LEVELS
from kassay.oracles.partitions.levels.level import Measure
from kassay.oracles.partitions.question import Question


def remeasure(group: Group, assignment: Assignment, question: Question) -> dict[str, int]:
    """Return what an assignment is worth in each level, in the unit of its measure; under the range contract, which gives the loads, without balance."""
    return {level: measure(question, level)(group, assignment) for level in question.shown}


def measure(question: Question, level: str) -> Measure:
    """Return the function that measures a level of a question."""
    known = LEVELS[level]
    if question.joined and known.beside_joins:
        return known.beside_joins
    return known.of_copies if question.several and known.of_copies else known.measure
