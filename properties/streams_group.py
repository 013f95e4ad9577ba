"""Properties, measures and situations of the streams-group family.

Tables are in reading order. The command line lists the first sentence of each function.
"""

from collections.abc import Callable, Iterator, Mapping

from kassay.model.streams_group import StreamsAssignment, StreamsGroup
from kassay.properties import list_functions, map_names
from kassay.properties.laws import crash_free, deterministic
from kassay.properties.tasks.members import invariants, laws, measures, situations
from kassay.properties.tasks.members.processes import Assign

INVARIANTS: Mapping[str, Callable[[StreamsGroup, StreamsAssignment], Iterator[str]]] = map_names(
    invariants.complete, invariants.exclusive, invariants.existing, invariants.every_member,
    invariants.stateful_standbys, invariants.one_copy_per_process, invariants.enough_standbys,
    invariants.standbys_limited, invariants.no_warm_ups, invariants.active_balanced,
    invariants.total_balanced,
)  # fmt: skip
"""Name -> invariant of one assignment."""

LAWS: Mapping[str, Callable[[Assign, StreamsGroup], Iterator[str]]] = map_names(
    crash_free, deterministic, laws.member_order_independent, laws.stable, laws.settles,
    laws.restart_keeps_state, laws.leaver_minimal, laws.leaver_keeps_standbys, laws.joiner_minimal,
)  # fmt: skip
"""Name -> metamorphic property of several runs."""

MEASURES: Mapping[str, Callable[[StreamsGroup, StreamsAssignment], int]] = map_names(
    measures.active_imbalance, measures.total_imbalance, measures.subtopology_excess,
    measures.standbys_missing, measures.active_moves, measures.standby_moves, measures.member_moves,
    measures.not_caught_up, measures.tag_collisions,
)  # fmt: skip
"""Name -> measure of one assignment."""

RUN_MEASURES: Mapping[str, Callable[[Assign, StreamsGroup], int]] = map_names(laws.rounds)
"""Name -> measure of several runs."""

SITUATIONS: Mapping[str, Callable[[StreamsGroup], bool]] = list_functions(situations)
"""Name -> situation of groups."""

LEGAL = frozenset({"complete", "exclusive", "existing", "stateful_standbys", "one_copy_per_process"})
"""The invariants of legal answers: nothing is lost, assigned twice or assigned to a wrong member."""

EXPECTED = frozenset({"crash_free", "deterministic", "every_member"}) | LEGAL
"""The properties demanded of an assignor that declares none itself."""
