"""What the streams family brings to the tests."""

from families.streams_mutants import HONEST, MUTANTS
from families.streams_situations import EXAMPLES, OF_PLAIN, PLAIN
from families.tables import Tables, breaking
from whole import WHOLE

from kassay.properties.streams import SITUATIONS
from kassay.properties.tasks.smallest import size

ONE_OF_EACH = {
    "loses_the_last_task complete", "believes_the_last_claim client_order_independent", "ignores_threads active_balanced",
    "ignores_tags distinct_tags", "warms_up_without_limit warm_ups_limited", "deals_by_hash renaming_independent",
    "crowds_a_subtopology subtopologies_spread", "reads_more_across_racks rack_aware_no_more_traffic",
    "counts_unknown_lag_as_caught_up caught_up", "runs_a_task_twice exclusive",
}  # fmt: skip
KAFKAS = breaking(
    "streams", "high-availability active_balanced", "high-availability total_balanced", "high-availability caught_up", "high-availability distinct_racks", "legacy-sticky active_balanced", "legacy-sticky caught_up", "legacy-sticky thread_scale_independent", "fallback-prior caught_up",
)  # fmt: skip
"""Properties that Kafka's assignors do not keep."""

TABLES = Tables(
    mutants=MUTANTS,
    honest=HONEST,
    situations=EXAMPLES,
    plain=PLAIN,
    situations_of_plain=OF_PLAIN,
    not_generated={"unlogged_state"},  # only assignors of applications (KIP-924) see such a task
    minimised=KAFKAS,
    thoroughly={*SITUATIONS, *ONE_OF_EACH} if WHOLE else ONE_OF_EACH,
    size=size,
)
