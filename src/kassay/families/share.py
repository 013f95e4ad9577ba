"""The share family: assignors of share groups, which the group coordinator runs (KIP-932)."""

from collections.abc import Mapping

from kassay.families.family import SAFE, Family, Question, Setting, Where, make_question
from kassay.families.shapes.partitions import add_extras, oracles, refuse_unknown_fields
from kassay.model import Group
from kassay.oracles.partitions.levels import BALANCE
from kassay.oracles.share import ORACLES, WORST
from kassay.properties.partitions.events import OF_SHARES
from kassay.properties.partitions.groups import GROWING
from kassay.properties.share import EXPECTED, INVARIANTS, LAWS, LEGAL, MEASURES, RUN_MEASURES, SITUATIONS

_SEVERAL = Where((), ("single_member",), "groups with two members or more")

MOST_SHARED = 1_000_000
"""The most partitions of a share group: its assignor looks at each several times, and needs 400 bytes for it."""


def refuse(group: Group) -> str | None:
    """Return why a group cannot be answered, in a sentence that names the field; None if it can."""
    if (total := sum(topic.partitions for topic in group.topics)) > MOST_SHARED:
        return f"topics: a share group of {total} partitions is too large. Give at most {MOST_SHARED}"
    return refuse_unknown_fields(group)


SETTABLE: Mapping[str, Setting] = {
    "share/simple": Setting(
        (), "the brokers", True, "leave group.share.assignors out: there is no other one", cooperative=True
    )
}
"""Source: KIP-932."""


SHARE = Family(
    name="share",
    shape=add_extras(OF_SHARES),
    invariants=INVARIANTS,
    laws=LAWS,
    measures=MEASURES,
    situations=SITUATIONS,
    expected=EXPECTED,
    run_measures=RUN_MEASURES,
    legal=LEGAL,
    oracles=oracles(ORACLES, WORST, contract="shared,"),
    growing=GROWING,
    timeline_measures=("moves",),
    questions=(
        SAFE,
        make_question(BALANCE.words),
        Question(
            "busy", "every member has a partition", of=_SEVERAL, keeps=("busy",), noun="use of all members"
        ),
        Question(
            "shared",
            "every partition at as many members as there are for each",
            of=_SEVERAL,
            keeps=("evenly_shared",),
            noun="balance of shared partitions",
        ),
    ),
    settable=SETTABLE,
    refused=refuse,
)
