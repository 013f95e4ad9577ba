"""Properties, measures and situations of the connect family, in the order in which they are read.

Also what the command line lists: each function's first sentence.
"""

from collections.abc import Callable, Iterator, Mapping

from kassay.model.workers import Cluster, WorkAssignment
from kassay.properties.laws import crash_free, deterministic
from kassay.properties.workers import invariants, laws, measures, situations
from kassay.properties.workers.rounds import Assign

INVARIANTS: Mapping[str, Callable[[Cluster, WorkAssignment], Iterator[str]]] = {
    "complete": invariants.complete,
    "exclusive": invariants.exclusive,
    "existing": invariants.existing,
    "every_worker": invariants.every_worker,
    "revoked_first": invariants.revoked_first,
    "kept_or_revoked": invariants.kept_or_revoked,
    "revokes_what_runs": invariants.revokes_what_runs,
    "delay_limited": invariants.delay_limited,
    "delay_honoured": invariants.delay_honoured,
    "nothing_revoked_while_waiting": invariants.nothing_revoked_while_waiting,
    "given_out_after_delay": invariants.given_out_after_delay,
}
"""Name -> what can be true of one answer."""

LAWS: Mapping[str, Callable[[Assign, Cluster], Iterator[str]]] = {
    "crash_free": crash_free,
    "deterministic": deterministic,
    "connector_order_independent": laws.connector_order_independent,
    "settles": laws.settles,
    "all_run_at_rest": laws.all_run_at_rest,
    "even_at_rest": laws.even_at_rest,
    "together_even_at_rest": laws.together_even_at_rest,
    "connectors_spread_at_rest": laws.connectors_spread_at_rest,
    "stable": laws.stable,
    "revoked_once": laws.revoked_once,
    "returning_gets_back": laws.returning_gets_back,
    "leaver_minimal": laws.leaver_minimal,
    "joiner_minimal": laws.joiner_minimal,
}
"""Name -> what can be true of several rounds."""

MEASURES: Mapping[str, Callable[[Cluster, WorkAssignment], int]] = {
    "connector_imbalance": measures.connector_imbalance,
    "task_imbalance": measures.task_imbalance,
    "clustering": measures.clustering,
    "connector_excess": measures.connector_excess,
    "moves": measures.moves,
    "started": measures.started,
    "idle": measures.idle,
    "delay_ms": measures.delay_ms,
}
"""Name -> number of one answer."""

RUN_MEASURES: Mapping[str, Callable[[Assign, Cluster], int]] = {
    "rounds": measures.rounds,
    "total_moves": measures.total_moves,
    "delays_ms": measures.delays_ms,
    "idle_ms": measures.idle_ms,
}
"""Name -> number of several rounds."""

SITUATIONS: Mapping[str, Callable[[Cluster], bool]] = {
    "single_worker": situations.single_worker,
    "more_workers_than_tasks": situations.more_workers_than_tasks,
    "several_connectors": situations.several_connectors,
    "uneven_connectors": situations.uneven_connectors,
    "no_tasks": situations.no_tasks,
    "nothing_configured": situations.nothing_configured,
    "no_delay": situations.no_delay,
    "hash_order_differs": situations.hash_order_differs,
    "new_cluster": situations.new_cluster,
    "newcomer": situations.newcomer,
    "departed": situations.departed,
    "lost_work": situations.lost_work,
    "waiting": situations.waiting,
    "delay_over": situations.delay_over,
    "candidates_present": situations.candidates_present,
    "crowded_candidates": situations.crowded_candidates,
    "uneven_running": situations.uneven_running,
    "created": situations.created,
    "deleted": situations.deleted,
    "forgotten_deletion": situations.forgotten_deletion,
    "contested": situations.contested,
    "new_leader": situations.new_leader,
    "revoked_before": situations.revoked_before,
    "revocation_failed": situations.revocation_failed,
    "missed_round": situations.missed_round,
}
"""Name -> named feature of clusters."""

LEGAL = frozenset({"complete", "exclusive", "existing"})
"""The invariants that an answer breaks when it loses, doubles or misgives something."""

EXPECTED = frozenset({"crash_free", "deterministic", "every_worker"}) | LEGAL
"""What is demanded of an assignor that promises nothing itself."""
