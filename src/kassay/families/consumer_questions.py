"""What a report asks of consumer assignors, and which groups tell most."""

from kassay.family import SAFE, Where, asked_in
from kassay.oracles.partitions.levels import LEVELS

QUESTIONS = (SAFE, *(asked_in(level.words) for level in LEVELS.values() if level.words.judged))
"""The columns of the matrix that a report begins with."""

TELLING = Where(
    ("newcomer", "racks_decide"),
    (
        "mixed_subscriptions", "idle_members", "orphaned_partition", "stale_claim", "double_claim", "vanished_partition",
        "vanished_topic", "unknown_topic", "partial_racks", "distant_member", "hostile_name", "hostile_rack",
    ),
    "groups that a member joins, where all read the same topics and racks can change the outcome",
)  # fmt: skip
"""A member joins a group that runs well: what operators see most often."""
