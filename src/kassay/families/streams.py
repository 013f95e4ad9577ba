"""The streams family: task assignors of Kafka Streams on the classic group protocol (KIP-441, KIP-708, KIP-924, KIP-925)."""

from kassay.families.settable import STREAMS as SETTABLE
from kassay.families.settable import STREAMS_INSIDE
from kassay.families.streams_questions import QUESTIONS, TELLING
from kassay.families.tunable import STREAMS as TUNABLE
from kassay.family import Family
from kassay.oracles.streams import ORACLES, WORST
from kassay.properties.streams import EXPECTED, INVARIANTS, LAWS, LEGAL, MEASURES, RUN_MEASURES, SITUATIONS
from kassay.properties.tasks.doubling import GROWING
from kassay.reference.streams.rack_aware.warnings import warnings
from kassay.shapes.tasks.oracles import oracles, share
from kassay.shapes.tasks.shape import TASKS

STREAMS = Family(
    name="streams",
    shape=TASKS,
    invariants=INVARIANTS,
    laws=LAWS,
    measures=MEASURES,
    situations=SITUATIONS,
    expected=EXPECTED,
    run_measures=RUN_MEASURES,
    legal=LEGAL,
    oracles=oracles(ORACLES, WORST),
    growing=GROWING,
    warnings=warnings,
    provisional=lambda answer: bool(answer.probing),
    timeline_measures=("active_moves", "not_caught_up"),
    questions=QUESTIONS,
    share=share,
    telling=TELLING,
    settable=SETTABLE,
    tunable=TUNABLE,
    inside=STREAMS_INSIDE,
)
