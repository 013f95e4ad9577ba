"""What a report asks of consumer assignors, and which groups tell most."""

from kassay.family import SAFE, Question, Where

_SEVERAL = "groups with two members or more"

QUESTIONS = (
    SAFE,
    Question("even", "loads as even as can be", "balance", Where((), ("single_member",), _SEVERAL)),
    Question(
        "sticky", "no needless move", "moves",
        Where((), ("single_member", "first_generation"), f"{_SEVERAL}, one of which owns a partition"),
        label="few moves", adjective="without needless moves",
    ),
    Question(
        "near", "no needless read across racks", "cross-rack",
        Where(("racks_decide",), ("single_member",), f"{_SEVERAL} where racks can change the outcome"),
    ),
)  # fmt: skip
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
