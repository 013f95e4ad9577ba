"""The streams family: task assignors of Kafka Streams on the classic group protocol (KIP-441, KIP-708, KIP-924, KIP-925).

What a report asks of task assignors, and which applications tell most.
"""

from kassay.families.settable import STREAMS as SETTABLE
from kassay.families.settable import STREAMS_INSIDE
from kassay.families.shapes.tasks import TASKS, oracles, share
from kassay.families.tunable import STREAMS as TUNABLE
from kassay.family import SAFE, Family, Probing, Question, Where
from kassay.oracles.streams import ORACLES, WORST
from kassay.properties.streams import EXPECTED, INVARIANTS, LAWS, LEGAL, MEASURES, RUN_MEASURES, SITUATIONS
from kassay.properties.tasks.applications import GROWING
from kassay.properties.tasks.rounds import rejoined
from kassay.properties.tasks.settling import bound_rebalances
from kassay.reference.streams.rack_aware.optimise import warnings

_SEVERAL = "applications with two clients or more"

QUESTIONS = (
    SAFE,
    Question(
        "even", "active tasks as even by threads as single moves make them, unless a probing rebalance is to follow",
        of=Where((), ("single_client",), _SEVERAL), keeps=("active_balanced",),
    ),
    Question(
        "caught up", "no task active at a client that has to restore it while another has not",
        of=Where((), ("single_client", "new_application"), f"{_SEVERAL} that have run before"), keeps=("caught_up",),
    ),
    Question(
        "covered", "as many standbys as configured, as far as there are clients",
        of=Where(("standbys",), ("single_client",), f"{_SEVERAL} and standbys configured"), keeps=("enough_standbys",),
    ),
    Question(
        "spread", "standbys on as many values of each tag as single moves reach, unless a probing rebalance is to follow",
        of=Where(("standbys", "tags"), ("single_client",), f"{_SEVERAL}, standbys and tags configured"), keeps=("distinct_tags",),
    ),
)  # fmt: skip
"""The columns of the matrix that a report begins with."""

TELLING = Where(
    ("newcomer",),
    ("double_claim", "missing_tag", "partial_racks", "unknown_lag", "single_client"),
    "applications that a client joins",
)
"""A client joins an application that runs well: what operators see most often."""


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
    probing=Probing(rejoined, bound_rebalances),
    timeline_measures=("active_moves", "not_caught_up"),
    questions=QUESTIONS,
    share=share,
    telling=TELLING,
    settable=SETTABLE,
    tunable=TUNABLE,
    inside=STREAMS_INSIDE,
)
