"""Properties, measures and situations of the streams family.

Tables are in reading order. The command line lists the first sentence of each function.
"""

from collections.abc import Callable, Iterator, Mapping

from kassay.model.tasks import Application, TaskAssignment
from kassay.properties import list_functions, map_names
from kassay.properties.laws import crash_free, deterministic
from kassay.properties.tasks import invariants, laws, measures, situations
from kassay.properties.tasks.rounds import Assign

INVARIANTS: Mapping[str, Callable[[Application, TaskAssignment], Iterator[str]]] = map_names(
    invariants.complete, invariants.exclusive, invariants.existing, invariants.every_client,
    invariants.stateful_standbys, invariants.one_copy_per_client, invariants.enough_standbys,
    invariants.warm_ups_limited, invariants.warm_ups_needed, invariants.distinct_tags, invariants.distinct_racks,
    invariants.active_balanced, invariants.total_balanced, invariants.caught_up, invariants.least_to_restore,
    invariants.active_stays, invariants.subtopologies_spread,
)  # fmt: skip
"""Name -> invariant of one assignment."""

LAWS: Mapping[str, Callable[[Assign, Application], Iterator[str]]] = map_names(
    crash_free, deterministic, laws.client_order_independent, laws.task_order_independent,
    laws.renaming_independent, laws.thread_scale_independent, laws.rack_aware_no_more_traffic,
    laws.rack_aware_keeps_counts, laws.idle_settings_ignored, laws.warm_ups_in_order, laws.settles,
    laws.settles_in_time, laws.probing_ends, laws.stable, laws.keeps_running,
)  # fmt: skip
"""Name -> metamorphic property of several runs."""

MEASURES: Mapping[str, Callable[[Application, TaskAssignment], int]] = map_names(
    measures.active_imbalance, measures.total_imbalance, measures.subtopology_excess,
    measures.standbys_missing, measures.warm_ups, measures.active_moves, measures.standby_moves,
    measures.cross_rack, measures.cross_rack_standby, measures.not_caught_up, measures.tag_collisions,
    measures.probing,
)  # fmt: skip
"""Name -> measure of one assignment."""

RUN_MEASURES: Mapping[str, Callable[[Assign, Application], int]] = {
    "rounds": measures.rebalances,
    "tasks_moved": measures.tasks_moved,
    "time_without_caught_up_active": measures.time_without_caught_up_active,
}
"""Name -> measure of several runs."""

SITUATIONS: Mapping[str, Callable[[Application], bool]] = list_functions(situations)
"""Name -> situation of applications."""

LEGAL = frozenset({"complete", "exclusive", "existing", "stateful_standbys", "one_copy_per_client"})
"""The invariants of legal answers: nothing is lost, assigned twice or assigned to a wrong member."""

EXPECTED = frozenset({"crash_free", "deterministic", "every_client"}) | LEGAL
"""The properties demanded of an assignor that declares none itself."""
