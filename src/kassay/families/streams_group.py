"""The streams-group family: task assignors of streams groups, which the group coordinator runs (KIP-1071)."""

from kassay.families.settable import STREAMS_GROUP as SETTABLE
from kassay.families.shapes.tasks import STREAMS_GROUPS, share_of_groups
from kassay.families.shapes.tasks import oracles_of_groups as oracles
from kassay.families.tunable import STREAMS_GROUP as TUNABLE
from kassay.family import SAFE, Family, Question, Where, asked_in
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
from kassay.properties.tasks.members.generating import GROWING

_SEVERAL = "groups with two members or more"

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
        *(asked_in(level.words) for level in LEVELS.values() if level.words.judged),
        Question(
            "covered", "as many standbys as configured, as far as there are processes",
            of=Where(("standbys",), ("single_member",), f"{_SEVERAL} and standbys configured"), keeps=("enough_standbys",),
        ),
    ),
    telling=Where(("newcomer",), ("double_claim", "vanished_task", "crowded_process", "single_member"), "groups that a member joins"),
    settable=SETTABLE,
    tunable=TUNABLE,
)  # fmt: skip
