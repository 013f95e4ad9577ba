"""The values of a question's levels, as the measures of the consumer family give them."""

from collections.abc import Callable
from dataclasses import replace

from kassay.model import Assignment, Group
from kassay.model.joins import joins
from kassay.oracles.partitions.question import Question
from kassay.properties.partitions.measures import copies_lost, cross_rack, imbalance, moves


def remeasure(group: Group, assignment: Assignment, question: Question) -> dict[str, int]:
    """Return what an assignment is worth in each level: its imbalance, moves and cross-rack partitions.

    Under the range contract the loads are given, and balance is left out; where joins are kept, it is that of the topics that are
    not joined. With several copies every owner that loses its copy counts as a move.
    """
    levels = [level for level in question.levels if not (question.together and level == "balance")]
    return {level: measure(question, level)(group, assignment) for level in levels}


def measure(question: Question, level: str) -> Callable[[Group, Assignment], int]:
    """Return the function that measures a level of a question."""
    if level == "balance":
        return imbalance_of_others if question.joined else imbalance
    if level == "cross-rack":
        return cross_rack
    return copies_lost if question.several else moves


def imbalance_of_others(group: Group, assignment: Assignment) -> int:
    """Measure how uneven the loads are of the topics that are not joined."""
    joined = {name for join in joins(group) for name in join.names}
    topics = tuple(topic for topic in group.topics if topic.name not in joined)
    return imbalance(replace(group, topics=topics), assignment)
