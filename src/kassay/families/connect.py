"""The connect family: assignors of Kafka Connect's workers (KIP-415)."""

from kassay.families.settable import CONNECT as SETTABLE
from kassay.families.shapes.workers import WORKERS, oracles
from kassay.families.tunable import CONNECT as TUNABLE
from kassay.family import SAFE, Family, Question, Where
from kassay.oracles.workers.levels import ORACLES, WORST
from kassay.properties.connect import EXPECTED, INVARIANTS, LAWS, LEGAL, MEASURES, RUN_MEASURES, SITUATIONS
from kassay.properties.workers.clusters import GROWING
from kassay.properties.workers.rounds import rejoined

_SEVERAL = Where((), ("single_worker",), "clusters with two workers or more")


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
    rejoined=rejoined,
    growing=GROWING,
    timeline_measures=("moves", "idle"),
    questions=(
        SAFE,
        Question(
            "whole",
            "what is lost is given out when its time is over",
            of=_SEVERAL,
            keeps=("given_out_after_delay",),
        ),
        Question(
            "gentle",
            "nobody stops what it runs before its time",
            of=_SEVERAL,
            keeps=("revoked_first", "nothing_revoked_while_waiting"),
        ),
    ),
    telling=Where(
        ("newcomer",), ("contested", "missed_round", "single_worker"), "clusters that a worker joins"
    ),
    settable=SETTABLE,
    tunable=TUNABLE,
)
