"""What the connect family brings to the tests."""

from families.connect_situations import EXAMPLES, OF_PLAIN, PLAIN
from families.tables import Honest, Tables, mutants_of
from mutants import workers

from kassay.properties.workers.shrinking import size

HONEST = {
    "incremental": Honest(
        workers.incremental,
        workers.COMMON - {"existing", "revokes_what_runs", "given_out_after_delay"}
        | {
            "revoked_first", "kept_or_revoked", "delay_honoured", "nothing_revoked_while_waiting", "even_at_rest",
            "returning_gets_back", "leaver_minimal", "joiner_minimal",
        },
    ),
    "eager": Honest(workers.eager, workers.COMMON | {"together_even_at_rest", "connectors_spread_at_rest"}),
}  # fmt: skip


TABLES = Tables(
    mutants=mutants_of(
        (workers.loses_the_last_task, "complete all_run_at_rest kept_or_revoked"),
        (workers.runs_connectors_twice, "exclusive revoked_first"),
        (workers.counts_tasks_from_one, "existing complete"),
        (workers.omits_the_idle, "every_worker"),
        (workers.moves_at_once, "revoked_first leaver_minimal joiner_minimal"),
        (workers.stops_nobody, "kept_or_revoked"),
        (workers.stops_the_wrong_worker, "revokes_what_runs"),
        (workers.waits_twice_as_long, "delay_limited delay_honoured"),
        (workers.never_waits, "delay_honoured returning_gets_back"),
        (workers.balances_while_it_waits, "nothing_revoked_while_waiting"),
        (workers.forgets_what_it_waited_for, "given_out_after_delay complete"),
        (workers.fails_without_connectors, "crash_free"),
        (workers.turns_with_each_call, "deterministic"),
        (workers.gives_out_as_listed, "connector_order_independent"),
        (workers.revokes_for_ever, "settles revoked_once"),
        (workers.asks_for_another_round_for_ever, "settles"),
        (workers.as_in_3_3, "even_at_rest stable joiner_minimal"),
        (workers.gives_all_to_one, "even_at_rest together_even_at_rest connectors_spread_at_rest"),
        (workers.turns_at_rest, "stable"),
        (workers.incremental, "connectors_spread_at_rest together_even_at_rest"),
    ),
    honest=HONEST,
    situations=EXAMPLES,
    plain=PLAIN,
    situations_of_plain=OF_PLAIN,
    minimised={},
    thoroughly=(),
    size=size,
)
