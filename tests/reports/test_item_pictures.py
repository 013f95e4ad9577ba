"""Pictures of streams groups and of Connect's clusters: every role, mark, load and name, also of what is wrong."""

from collections import Counter

import pytest

pytest.importorskip("jinja2", reason="pip install 'kassay[reports]'")

from reports.test_page import Reader

from kassay.families import family
from kassay.model.streams_group import MemberTasks, StreamsGroup, StreamsMember, Subtopology
from kassay.model.tasks import TaskId
from kassay.model.workers import Cluster, Connector, ConnectorTask, Work, WorkAssignment, Worker
from kassay.reports.shapes import find_picture
from kassay.reports.shapes.layout import short_names
from kassay.reports.shapes.tasks import mark_members as of_members
from kassay.reports.shapes.workers import mark_work as of_workers

A, B, C, D, E = (TaskId(0, n) for n in range(5))
MEMBERS = (
    StreamsMember("m0", "p0", active=(A, B), standby=(C,)),
    StreamsMember("m1", "p0", active=(C,)),
    StreamsMember("m2", "p1", warmup=(D,)),
)
GROUP = StreamsGroup((Subtopology(0, 5, True), Subtopology(1, 1)), MEMBERS)
ANSWER = {
    "m0": MemberTasks((A,)),
    "m1": MemberTasks((C,), (A,), ()),
    "m2": MemberTasks((B, D), (C, TaskId(1, 0)), (E,)),
    "stranger": MemberTasks((D,)),
}
X, Y = (ConnectorTask("x", n) for n in range(2))
CLUSTER = Cluster(
    (Connector("x", 2), Connector("y"), Connector("z")),
    (Worker("w0", Work(("x", "y"), (X, Y))), Worker("w1"), Worker("w2", Work(("gone",)))),
)


def kinds(found):
    return {(row, str(item)): f"{mark.role} {mark.kind}" for (row, item), mark in found.at.items()}


def test_every_task_of_every_member_is_marked_by_what_becomes_of_it():
    found = of_members(GROUP, ANSWER)
    assert kinds(found) == {
        ("m0", "0_0"): "active wrong",  # its process has it twice
        ("m0", "0_1"): "active gone",
        ("m0", "0_2"): "standby gone",
        ("m1", "0_2"): "active kept",
        ("m1", "0_0"): "standby wrong",
        ("m2", "0_1"): "active moved",
        ("m2", "0_2"): "standby moved",
        ("m2", "0_3"): "active new",
        ("m2", "0_4"): "warm-up new",
        ("m2", "1_0"): "standby wrong",  # it keeps no state
        ("stranger", "0_3"): "active wrong",
    }
    assert found.at["m2", B].giver == "m0"
    assert (found.lost, found.doubled) == ({E, TaskId(1, 0)}, {D: 2})
    assert found.loads == {"m0": "1", "m1": "1+1", "m2": "2+3", "stranger": "1"}
    assert found.notes == {"m0": "process p0", "m1": "process p0", "m2": "process p1"}


def test_everything_of_every_worker_is_marked_and_what_waits_is_not_lost():
    answer = WorkAssignment(
        {"w0": Work(("y",), (X,)), "w1": Work((), (X, Y)), "w2": Work(("nowhere",))}, {"w0": Work(("x",))}
    )
    found = of_workers(CLUSTER, answer)
    assert kinds(found) == {
        ("w0", "x"): "active gone",
        ("w0", "y"): "active kept",
        ("w0", "x-0"): "active kept",
        ("w0", "x-1"): "active gone",
        ("w1", "x-0"): "active moved",
        ("w1", "x-1"): "active moved",
        ("w2", "gone"): "active gone",
        ("w2", "nowhere"): "active wrong",
    }
    assert (found.at["w1", Y].giver, found.at["w1", X].giver) == ("w0", "")
    assert (found.lost, found.waits, found.doubled) == ({"z"}, {"x"}, {X: 2})
    assert found.loads == {"w0": "1+1", "w1": "0+2", "w2": "1+0"}
    assert [*found.columns] == ["x", "y", "z", "gone", "nowhere"]
    assert [*found.columns["x"].values()] == ["c", "0", "1"]
    waits = of_workers(CLUSTER, answer._replace(delay_ms=5_000))
    assert (waits.lost, waits.waits, waits.below) == (
        set(),
        {"x", "z"},
        "the next rebalance follows after 5,000 ms",
    )


SCENES = [
    ("streams-group", GROUP, ANSWER, of_members),
    (
        "connect",
        CLUSTER,
        WorkAssignment({"w0": Work(("y",), (X, Y)), "w1": Work(("x",))}, {}, 7),
        of_workers,
    ),
]


@pytest.mark.parametrize(("name", "group", "answer", "marks"), SCENES)
def test_a_picture_has_what_is_marked_and_nothing_else(name, group, answer, marks):
    picture, found = find_picture(family(name).shape), marks(group, answer)
    text = str(picture.html("<title> & more", group, answer))
    read = Reader(text)
    assert {tag for tag, _ in read.tags} <= {"svg", "rect", "text", "title", "path"}
    assert read.tags[0][1]["aria-label"].startswith("<title> & more: ")
    looks = Counter(dict(each)["class"].split()[-1] for tag, each in read.tags if tag == "rect")
    assert looks == Counter(mark.kind for mark in found.at.values())
    assert text.count('class="arrow"') == sum(bool(mark.giver) for mark in found.at.values())
    assert text.count('class="trouble') == len(found.lost) + len(found.doubled)
    assert text.count("…</text>") == len(found.waits)
    assert found.below in text


def test_what_a_run_gave_is_what_the_next_picture_begins_with():
    for name, group, answer, marks in SCENES:
        joined = find_picture(family(name).shape).joined(group, answer)
        again = marks(joined, family(name).shape.present(joined))
        assert {mark.kind for mark in again.at.values()} <= {"kept", "wrong"}


@pytest.mark.parametrize(("tasks", "says"), [(30, "of each connector: itself and its tasks"), (1, "0+0")])
def test_many_tasks_are_counted_by_connector(tasks, says):
    cluster = Cluster((Connector("a-name-too-long-for-its-columns", tasks),), (Worker("w0"), Worker("w1")))
    text = str(
        find_picture(family("connect").shape).html(
            "it", cluster, WorkAssignment({"w0": cluster.configured}, {})
        )
    )
    assert says in text
    assert (f">{tasks + 1}</text>" in text) == (tasks == 30)


def test_names_that_begin_alike_keep_their_ends():
    ids = [f"00000000-0000-0000-0000-00000000000{n}-1" for n in range(3)]
    assert [*short_names(ids, 8).values()] == ["…00000-1", "…00001-1", "…00002-1"]
