"""The streams-group family: task assignors of streams groups, which the group coordinator runs (KIP-1071)."""

from collections.abc import Mapping

from kassay.families.family import SAFE, Family, Question, Setting, Tunable, Where, make_question
from kassay.families.shapes.tasks import STREAMS_GROUPS, share_of_groups
from kassay.families.shapes.tasks import oracles_of_groups as oracles
from kassay.families.streams import STANDBYS, TAGS
from kassay.oracles.tasks.members import LEVELS, ORACLES, WORST
from kassay.properties.streams_group import (
    EXPECTED,
    INVARIANTS,
    LAWS,
    LEGAL,
    MEASURES,
    RUN_MEASURES,
    SITUATIONS,
)
from kassay.properties.tasks.members.processes import GROWING

_SEVERAL = "groups with two members or more"

SETTABLE: Mapping[str, Setting] = {
    "streams-group/sticky": Setting(
        ("group.protocol=streams",),
        "all instances",
        True,
        "the brokers need streams groups (KIP-1071), and have no other task assignor",
        cooperative=True,
        how="a full stop: shut down all instances, wait for session.timeout.ms and start them with this line. "
        "Offsets and internal topics stay",
    )
}
"""Source: KIP-1071; Kafka's page "Streams Rebalance Protocol"."""

TUNABLE: Mapping[str, Tunable] = {
    "num.standby.replicas": Tunable("the group, as streams.num.standby.replicas", 0, STANDBYS),
    "rack.aware.assignment.tags": Tunable("all instances", [], TAGS),
}
"""Source: KIP-1071."""


STREAMS_GROUP = Family(
    name="streams-group",
    share=share_of_groups,
    shape=STREAMS_GROUPS,
    invariants=INVARIANTS,
    laws=LAWS,
    measures=MEASURES,
    situations=SITUATIONS,
    expected=EXPECTED,
    run_measures=RUN_MEASURES,
    legal=LEGAL,
    oracles=oracles(ORACLES, WORST),
    growing=GROWING,
    timeline_measures=("active_moves", "not_caught_up"),
    questions=(
        SAFE,
        *(make_question(level.words) for level in LEVELS.values() if level.words.judged),
        Question(
            "covered", "as many standbys as configured, as far as there are processes",
            of=Where(("standbys",), ("single_member",), f"{_SEVERAL} and standbys configured"), keeps=("enough_standbys",),
            noun="standby coverage",
        ),
    ),
    telling=Where(("newcomer",), ("double_claim", "vanished_task", "crowded_process", "single_member"), "groups that a member joins"),
    settable=SETTABLE,
    tunable=TUNABLE,
)  # fmt: skip
