"""The connect family: assignors of Kafka Connect's workers (KIP-415)."""

from collections.abc import Mapping

from kassay.families.family import SAFE, Family, Question, Setting, Tunable, Where
from kassay.families.shapes.workers import WORKERS, oracles
from kassay.model.workers import FIVE_MINUTES_MS, Cluster, WorkAssignment
from kassay.oracles.workers.levels import ORACLES, WORST
from kassay.properties.connect import EXPECTED, INVARIANTS, LAWS, LEGAL, MEASURES, RUN_MEASURES, SITUATIONS
from kassay.properties.workers.clusters import GROWING
from kassay.properties.workers.timelines import build_follow_up

_SEVERAL = Where((), ("single_worker",), "clusters with two workers or more")


SETTABLE: Mapping[str, Setting] = {
    "connect/incremental-cooperative": Setting(
        ("connect.protocol=sessioned",),
        "all workers",
        True,
        "a worker stops only what it hands over",
        cooperative=True,
        how="one rolling restart, and takes effect when the last worker has it",
    ),
    "connect/eager": Setting(
        ("connect.protocol=eager",),
        "all workers",
        note="all workers stop all connectors and tasks at every rebalance",
        how="one rolling restart, and takes effect when the first worker has it",
    ),
}
"""A worker offers all protocols up to its own, and the group uses the best one that all workers offer.

Source: KIP-415 and KIP-507; IncrementalCooperativeConnectProtocol.
"""

TUNABLE: Mapping[str, Tunable] = {
    "scheduled.rebalance.max.delay.ms": Tunable(
        "all workers", FIVE_MINUTES_MS,
        "the work of a lost worker does not run during this delay; if the worker returns in time, nothing else moves",
    )
}  # fmt: skip
"""Source: KIP-415; DistributedConfig."""


def _is_same_leader(cluster: Cluster, answer: WorkAssignment, following: Cluster) -> bool:
    """Return True if the first worker stays, and its memory is not lost: another worker that leads remembers nothing."""
    same = cluster.workers[0].id == following.workers[0].id
    return same and following.memory == answer.memory


CONNECT = Family(
    name="connect",
    shape=WORKERS,
    invariants=INVARIANTS,
    laws=LAWS,
    measures=MEASURES,
    situations=SITUATIONS,
    expected=EXPECTED,
    run_measures=RUN_MEASURES,
    legal=LEGAL,
    oracles=oracles(ORACLES, WORST),
    rejoined=build_follow_up,
    leads_on=_is_same_leader,
    growing=GROWING,
    timeline_measures=("moves", "idle"),
    questions=(
        SAFE,
        Question(
            "whole",
            "what is lost is given out when its time is over",
            of=_SEVERAL,
            keeps=("given_out_after_delay",),
            noun="reassignment after the delay",
        ),
        Question(
            "gentle",
            "no worker stops its work before the delay is over",
            of=_SEVERAL,
            keeps=("revoked_first", "nothing_revoked_while_waiting"),
            noun="gradual revocation",
        ),
    ),
    telling=Where(
        ("newcomer",), ("contested", "missed_round", "single_worker"), "clusters that a worker joins"
    ),
    settable=SETTABLE,
    tunable=TUNABLE,
)
