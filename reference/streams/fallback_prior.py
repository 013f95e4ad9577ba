"""Leave all active tasks where they were, and ask for a rebalance that does better: what Kafka falls back to in need.

It is used where lags could not be computed, and looks at no racks.

Source: FallbackPriorTaskAssignor of kafka-streams 4.3.
"""

from kassay.model import Assignor
from kassay.model.tasks import Application, TaskAssignment
from kassay.reference.promises import COMMON_TO_TASK_ASSIGNORS
from kassay.reference.streams import legacy_sticky


def assign(application: Application) -> TaskAssignment:
    """Assign the tasks of an application; raises AssignorError where there are no clients."""
    return legacy_sticky.assign(application, must_preserve_active=True, graph=None)._replace(probing=True)


FALLBACK_PRIOR = Assignor(
    "streams/fallback-prior",
    assign,
    COMMON_TO_TASK_ASSIGNORS
    | {
        "active_stays",
    },
    "FallbackPriorTaskAssignor of Kafka 4.3; KIP-441",
)
