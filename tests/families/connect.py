"""What the connect family brings to the tests."""

from families.connect_situations import EXAMPLES, OF_PLAIN, PLAIN
from families.tables import Honest, Tables, mutants_of
from mutants import workers_broken as broken
from mutants import workers_honest as honest

from kassay.properties.workers.shrinking import size

HONEST = {
    "incremental": Honest(
        honest.incremental,
        honest.COMMON - {"existing", "revokes_what_runs", "given_out_after_delay"}
        | {
            "revoked_first", "kept_or_revoked", "delay_honoured", "nothing_revoked_while_waiting", "even_at_rest",
            "returning_gets_back", "leaver_minimal", "joiner_minimal",
        },
    ),
    "eager": Honest(honest.eager, honest.COMMON | {"together_even_at_rest", "connectors_spread_at_rest"}),
}  # fmt: skip


TABLES = Tables(
    mutants=mutants_of(
        (broken.loses_the_last_task, "complete all_run_at_rest kept_or_revoked"),
        (broken.runs_connectors_twice, "exclusive revoked_first"),
        (broken.counts_tasks_from_one, "existing complete"),
        (broken.omits_the_idle, "every_worker"),
        (broken.moves_at_once, "revoked_first leaver_minimal joiner_minimal"),
        (broken.stops_nobody, "kept_or_revoked"),
        (broken.stops_the_wrong_worker, "revokes_what_runs"),
        (broken.waits_twice_as_long, "delay_limited delay_honoured"),
        (broken.never_waits, "delay_honoured returning_gets_back"),
        (broken.balances_while_it_waits, "nothing_revoked_while_waiting"),
        (broken.forgets_what_it_waited_for, "given_out_after_delay complete"),
        (broken.fails_without_connectors, "crash_free"),
        (broken.turns_with_each_call, "deterministic"),
        (broken.gives_out_as_listed, "connector_order_independent"),
        (broken.revokes_for_ever, "settles revoked_once"),
        (broken.asks_for_another_round_for_ever, "settles"),
        (broken.as_in_3_3, "even_at_rest stable joiner_minimal"),
        (broken.gives_all_to_one, "even_at_rest together_even_at_rest connectors_spread_at_rest"),
        (broken.turns_at_rest, "stable"),
        (honest.incremental, "connectors_spread_at_rest together_even_at_rest"),
    ),
    honest=HONEST,
    situations=EXAMPLES,
    plain=PLAIN,
    situations_of_plain=OF_PLAIN,
    minimised={},
    thoroughly=(),
    size=size,
)
