"""The model: what assignors see and what they answer, by shape of input."""

from kassay.errors import MOST_SAID, AssignorError, shorten
from kassay.model.assignor import Assignor
from kassay.model.config import Config
from kassay.model.partitions import INT32_MAX, Assignment, Group, Member, Topic, TopicPartition

__all__ = [
    "INT32_MAX",
    "MOST_SAID",
    "Assignment",
    "Assignor",
    "AssignorError",
    "Config",
    "Group",
    "Member",
    "Topic",
    "TopicPartition",
    "shorten",
]
