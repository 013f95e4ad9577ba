"""Properties, measures and situations of the connect family, in the order in which they are read.

Also what the command line lists: each function's first sentence.
"""

from collections.abc import Callable, Iterator, Mapping

from kassay.model.workers import Cluster, WorkAssignment
from kassay.properties.laws import crash_free, deterministic
from kassay.properties.workers import measures, run_measures
from kassay.properties.workers.invariants import contract, delays
from kassay.properties.workers.laws import membership, rest
from kassay.properties.workers.rounds import Assign
from kassay.properties.workers.situations import history, workers

INVARIANTS: Mapping[str, Callable[[Cluster, WorkAssignment], Iterator[str]]] = {
    "complete": contract.complete,
    "exclusive": contract.exclusive,
    "existing": contract.existing,
    "every_worker": contract.every_worker,
    "revoked_first": contract.revoked_first,
    "kept_or_revoked": contract.kept_or_revoked,
    "revokes_what_runs": contract.revokes_what_runs,
    "delay_limited": delays.delay_limited,
    "delay_honoured": delays.delay_honoured,
    "nothing_revoked_while_waiting": delays.nothing_revoked_while_waiting,
    "given_out_after_delay": delays.given_out_after_delay,
}
"""Name -> what can be true of one answer."""

LAWS: Mapping[str, Callable[[Assign, Cluster], Iterator[str]]] = {
    "crash_free": crash_free,
    "deterministic": deterministic,
    "connector_order_independent": membership.connector_order_independent,
    "settles": rest.settles,
    "all_run_at_rest": rest.all_run_at_rest,
    "even_at_rest": rest.even_at_rest,
    "together_even_at_rest": rest.together_even_at_rest,
    "connectors_spread_at_rest": rest.connectors_spread_at_rest,
    "stable": rest.stable,
    "revoked_once": rest.revoked_once,
    "returning_gets_back": membership.returning_gets_back,
    "leaver_minimal": membership.leaver_minimal,
    "joiner_minimal": membership.joiner_minimal,
}
"""Name -> what can be true of several rounds."""

MEASURES: Mapping[str, Callable[[Cluster, WorkAssignment], int]] = {
    "connector_imbalance": measures.connector_imbalance,
    "task_imbalance": measures.task_imbalance,
    "clustering": measures.clustering,
    "moves": measures.moves,
    "started": measures.started,
    "idle": measures.idle,
    "delay_ms": measures.delay_ms,
}
"""Name -> number of one answer."""

RUN_MEASURES: Mapping[str, Callable[[Assign, Cluster], int]] = {
    "rounds": run_measures.rounds,
    "total_moves": run_measures.total_moves,
    "delays_ms": run_measures.delays_ms,
    "idle_ms": run_measures.idle_ms,
}
"""Name -> number of several rounds."""

SITUATIONS: Mapping[str, Callable[[Cluster], bool]] = {
    "single_worker": workers.single_worker,
    "more_workers_than_tasks": workers.more_workers_than_tasks,
    "several_connectors": workers.several_connectors,
    "uneven_connectors": workers.uneven_connectors,
    "no_tasks": workers.no_tasks,
    "nothing_configured": workers.nothing_configured,
    "no_delay": workers.no_delay,
    "hash_order_differs": workers.hash_order_differs,
    "new_cluster": history.new_cluster,
    "newcomer": history.newcomer,
    "departed": history.departed,
    "lost_work": history.lost_work,
    "waiting": history.waiting,
    "delay_over": history.delay_over,
    "candidates_present": history.candidates_present,
    "crowded_candidates": history.crowded_candidates,
    "uneven_running": history.uneven_running,
    "created": history.created,
    "deleted": history.deleted,
    "forgotten_deletion": history.forgotten_deletion,
    "contested": history.contested,
    "new_leader": history.new_leader,
    "revoked_before": history.revoked_before,
    "revocation_failed": history.revocation_failed,
    "missed_round": history.missed_round,
}
"""Name -> named feature of clusters."""

LEGAL = frozenset({"complete", "exclusive", "existing"})
"""The invariants that an answer breaks when it loses, doubles or misgives something."""

EXPECTED = frozenset({"crash_free", "deterministic", "every_worker"}) | LEGAL
"""What is demanded of an assignor that promises nothing itself."""
