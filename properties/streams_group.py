"""Properties, measures and situations of the streams-group family, in the order in which they are read.

Also what the command line lists: each function's first sentence.
"""

from collections.abc import Callable, Iterator, Mapping

from kassay.model.streams_group import StreamsAssignment, StreamsGroup
from kassay.properties.laws import crash_free, deterministic
from kassay.properties.tasks.members import invariants, laws, processes
from kassay.properties.tasks.members.processes import Assign
from kassay.properties.tasks.members.situations import OF_GROUPS

INVARIANTS: Mapping[str, Callable[[StreamsGroup, StreamsAssignment], Iterator[str]]] = {
    "complete": invariants.complete,
    "exclusive": invariants.exclusive,
    "existing": invariants.existing,
    "every_member": invariants.every_member,
    "stateful_standbys": invariants.stateful_standbys,
    "one_copy_per_process": invariants.one_copy_per_process,
    "enough_standbys": invariants.enough_standbys,
    "standbys_limited": invariants.standbys_limited,
    "no_warm_ups": invariants.no_warm_ups,
    "active_balanced": invariants.active_balanced,
    "total_balanced": invariants.total_balanced,
}
"""Name -> what can be true of one answer."""

LAWS: Mapping[str, Callable[[Assign, StreamsGroup], Iterator[str]]] = {
    "crash_free": crash_free,
    "deterministic": deterministic,
    "member_order_independent": laws.member_order_independent,
    "stable": laws.stable,
    "settles": laws.settles,
    "restart_keeps_state": laws.restart_keeps_state,
    "leaver_minimal": laws.leaver_minimal,
    "leaver_keeps_standbys": laws.leaver_keeps_standbys,
    "joiner_minimal": laws.joiner_minimal,
}
"""Name -> what can be true of several runs."""

MEASURES: Mapping[str, Callable[[StreamsGroup, StreamsAssignment], int]] = {
    "active_imbalance": processes.active_imbalance,
    "total_imbalance": processes.total_imbalance,
    "subtopology_excess": processes.subtopology_excess,
    "standbys_missing": processes.standbys_missing,
    "active_moves": processes.active_moves,
    "standby_moves": processes.standby_moves,
    "member_moves": processes.member_moves,
    "not_caught_up": processes.not_caught_up,
    "tag_collisions": processes.tag_collisions,
}
"""Name -> number of one answer."""

RUN_MEASURES: Mapping[str, Callable[[Assign, StreamsGroup], int]] = {"rounds": laws.rounds}
"""Name -> number of several runs."""

SITUATIONS: Mapping[str, Callable[[StreamsGroup], bool]] = OF_GROUPS
"""Name -> named feature of groups."""

LEGAL = frozenset({"complete", "exclusive", "existing", "stateful_standbys", "one_copy_per_process"})
"""The invariants that an answer breaks when it loses, doubles or misgives a task."""

EXPECTED = frozenset({"crash_free", "deterministic", "every_member"}) | LEGAL
"""What is demanded of an assignor that promises nothing itself."""
