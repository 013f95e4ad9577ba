"""Place active tasks and standbys together, at the certified optimum, and let tasks warm up where they are to go (KIP-441).

The objectives in their order are balanced loads, tags, traffic across racks (if a strategy is set), and state to restore.
It fails if no optimum is proved.

Source: docs/explanation/tasks.md; KIP-441, KIP-708, KIP-925.
"""

from kassay.errors import SkippedError
from kassay.model import Assignor, AssignorError
from kassay.model.tasks import Application, TaskAssignment

TIME_LIMIT_S = 300.0
"""The default time limit of a proof, in seconds: max.poll.interval.ms, after which members leave the group."""


def assign(application: Application, time_limit_s: float | None = TIME_LIMIT_S) -> TaskAssignment:
    """Place active tasks and standbys together, at the certified optimum, and let tasks warm up where they are to go.

    Raises AssignorError if no optimum is proved within `time_limit_s` seconds, or without a limit if that is None.
    """
    # NumPy and the oracles are loaded by the first application, not by a list of the assignors.
    from kassay.families.optimal.streams.target import assign_interim, find_target

    return assign_interim(find_target(application, time_limit_s))


def assign_or_decline(application: Application) -> TaskAssignment:
    """Place active tasks and standbys together, at the certified optimum, and let tasks warm up where they are to go.

    Raises SkippedError if no optimum is proved, for example because the application is too large. Declined applications are
    reported as not checked.
    """
    try:
        return assign(application)
    except AssignorError as failure:
        raise SkippedError(str(failure)) from failure


OPTIMAL = Assignor(
    "streams/optimal",
    assign_or_decline,
    frozenset(
        {
            "complete",
            "exclusive",
            "existing",
            "every_client",
            "stateful_standbys",
            "one_copy_per_client",
            "enough_standbys",
            "warm_ups_limited",
            "warm_ups_needed",
            "distinct_tags",
            "active_balanced",
            "total_balanced",
            "caught_up",
            "least_to_restore",
            "subtopologies_spread",
            "crash_free",
            "deterministic",
            "client_order_independent",
            "task_order_independent",
            "renaming_independent",
            "thread_scale_independent",
            "rack_aware_no_more_traffic",
            "idle_settings_ignored",
            "settles",
            "settles_in_time",
            "probing_ends",
            "stable",
            "keeps_running",
        }
    ),
    "docs/explanation/tasks.md",
    {
        "total_balanced": frozenset({"missing_tag"}),
        "distinct_tags": frozenset({"missing_tag"}),
        "subtopologies_spread": frozenset({"mixed_state"}),
        "rack_aware_no_more_traffic": frozenset({"standbys"}),
    },
    costs=30,
)
