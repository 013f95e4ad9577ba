"""Which applications and streams groups a check that samples judges by laws: the time of runs grows with tasks times clients."""

from kassay.model.streams_group import StreamsGroup
from kassay.model.tasks import Application

WHOLE = 8
"""Up to so many pairs of a task and a client, all are judged by all laws."""
LEAST = 80
"""Of a thousand of the largest, so many are."""


def share(application: Application) -> int:
    """Return how many of a thousand applications of this size are judged by laws, so that those of every size take about as long."""
    return _of(len(application.tasks) * len(application.clients))


def share_of_groups(group: StreamsGroup) -> int:
    """Return how many of a thousand streams groups of this size are judged by laws."""
    return _of(sum(each.partitions for each in group.subtopologies) * len(group.members))


def _of(pairs: int) -> int:
    return max(LEAST, min(1000, 1000 * WHOLE // max(pairs, 1)))
