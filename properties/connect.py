"""Properties, measures and situations of the connect family.

Tables are in reading order. The command line lists the first sentence of each function.
"""

from collections.abc import Callable, Iterator, Mapping

from kassay.model.workers import Cluster, WorkAssignment
from kassay.properties import list_functions, map_names
from kassay.properties.laws import crash_free, deterministic
from kassay.properties.workers import invariants, laws, measures, situations
from kassay.properties.workers.timelines import Assign

INVARIANTS: Mapping[str, Callable[[Cluster, WorkAssignment], Iterator[str]]] = map_names(
    invariants.complete, invariants.exclusive, invariants.existing, invariants.every_worker,
    invariants.revoked_first, invariants.kept_or_revoked, invariants.revokes_what_runs,
    invariants.delay_limited, invariants.delay_honoured, invariants.nothing_revoked_while_waiting,
    invariants.given_out_after_delay,
)  # fmt: skip
"""Name -> invariant of one assignment."""

LAWS: Mapping[str, Callable[[Assign, Cluster], Iterator[str]]] = map_names(
    crash_free, deterministic, laws.connector_order_independent, laws.settles, laws.all_run_at_rest,
    laws.even_at_rest, laws.together_even_at_rest, laws.connectors_spread_at_rest, laws.stable,
    laws.revoked_once, laws.returning_gets_back, laws.leaver_minimal, laws.joiner_minimal,
)  # fmt: skip
"""Name -> metamorphic property of several rebalances."""

MEASURES: Mapping[str, Callable[[Cluster, WorkAssignment], int]] = map_names(
    measures.connector_imbalance, measures.task_imbalance, measures.clustering, measures.connector_excess,
    measures.moves, measures.started, measures.idle, measures.delay_ms,
)  # fmt: skip
"""Name -> measure of one assignment."""

RUN_MEASURES: Mapping[str, Callable[[Assign, Cluster], int]] = map_names(
    measures.rounds, measures.total_moves, measures.delays_ms, measures.idle_ms,
)  # fmt: skip
"""Name -> measure of several rebalances."""

SITUATIONS: Mapping[str, Callable[[Cluster], bool]] = list_functions(situations)
"""Name -> situation of clusters."""

LEGAL = frozenset({"complete", "exclusive", "existing"})
"""The invariants of legal answers: nothing is lost, assigned twice or assigned to a wrong member."""

EXPECTED = frozenset({"crash_free", "deterministic", "every_worker"}) | LEGAL
"""The properties demanded of an assignor that declares none itself."""
