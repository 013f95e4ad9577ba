"""Where Kafka's assignor of streams groups gives a standby up that a busier member then gets: even shares, in which nothing has room."""

from dataclasses import replace

import pytest

from kassay.engine.judge import judge
from kassay.engine.promises import read_promises
from kassay.families import family
from kassay.model.streams_group import GroupSettings, StreamsGroup, StreamsMember, Subtopology
from kassay.model.tasks import TaskId
from kassay.targets import Options, open_target

RECORD = family("streams-group")


def new_group(members, tasks, standbys):
    """One thread each, and one subtopology with state."""
    return StreamsGroup(
        (Subtopology(0, tasks, stateful=True),),
        tuple(StreamsMember(f"m{n}", f"p{n}") for n in range(members)),
        GroupSettings(standbys),
    )


@pytest.mark.parametrize(
    ("members", "tasks", "standbys"), [(7, 6, 3), (8, 7, 2), (8, 14, 1), (7, 12, 2), (11, 10, 2), (11, 10, 4)]
)
def test_it_is_excused_where_those_who_stay_have_even_shares(members, tasks, standbys):
    """These are all new groups of this kind with up to 12 members and 14 tasks that break it."""
    target = open_target("streams-group/sticky", Options())
    exceptions = read_promises(target, RECORD).select_exceptions("leaver_keeps_standbys")
    group = new_group(members, tasks, standbys)
    assert tasks * (1 + standbys) % (members - 1) == 0
    breach = judge(RECORD, "leaver_keeps_standbys", group, target.assign, target, exceptions)
    assert breach.met == {"nearly_even_copies"}


def test_it_is_excused_where_fewer_copies_than_standbys_are_missing_to_even_shares():
    """35 copies of seven tasks on nine members: those alone have room for the last ones that have the task already."""
    ran = {0: 2, 2: 0, 5: 6, 8: 1}
    fresh = new_group(10, 7, 4)
    members = (
        replace(
            member,
            id=f"m{n:02}",
            process_id=f"p{n:02}",
            active=tuple(TaskId(0, ran[k]) for k in {n} & ran.keys()),
        )
        for n, member in enumerate(fresh.members)
    )
    target = open_target("streams-group/sticky", Options())
    exceptions = read_promises(target, RECORD).select_exceptions("leaver_keeps_standbys")
    breach = judge(
        RECORD,
        "leaver_keeps_standbys",
        replace(fresh, members=tuple(members)),
        target.assign,
        target,
        exceptions,
    )
    assert breach.met == {"nearly_even_copies"}
