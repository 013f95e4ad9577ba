"""Pictures of applications against the applications: every role, mark, load and name, for any answer."""

import random
import re
from collections import Counter

import pytest

pytest.importorskip("jinja2", reason="pip install 'kassay[reports]'")

from classes.groups.random_applications import application
from hypothesis import given, settings
from hypothesis import strategies as st
from reports.test_page import Reader
from whole import share

from kassay.model.tasks import STRATEGIES, Application, Client, Given, Settings, Task, TaskAssignment, TaskId
from kassay.reference.streams import high_availability, legacy_sticky
from kassay.reports.shapes.items import ITEMS, ROWS, SETS
from kassay.reports.shapes.tasks import TASKS as PICTURE
from kassay.reports.shapes.tasks import mark_tasks

STRANGER = "ffffffff-0000-0000-0000-000000000000"
DAMAGES = ("drop", "double", "beside", "ghost", "stranger")


@st.composite
def answered(draw):
    """Draw an application with a reference assignor's answer, which may be damaged then."""
    drawn = application(random.Random(draw(st.integers(0, 10**9))), draw(st.sampled_from(STRATEGIES)))
    answer = draw(st.sampled_from((high_availability, legacy_sticky))).assign(drawn)
    given = {name: [list(tasks) for tasks in roles] for name, roles in answer.clients.items()}
    for damage in draw(st.lists(st.sampled_from(DAMAGES), max_size=3)):
        name = draw(st.sampled_from(sorted(given)))
        if damage == "drop" and given[name][0]:
            given[name][0].pop()
        elif damage == "double" and given[name][0]:
            given[draw(st.sampled_from(sorted(given)))][0].append(given[name][0][0])
        elif damage == "beside" and given[name][0]:
            given[name][1].append(given[name][0][0])
        elif damage == "ghost":
            given[name][0].append(TaskId(99, 7))
        elif damage == "stranger":
            given.setdefault(STRANGER, [[], []])[0].append(drawn.tasks[0].id)
    clients = {
        name: Given(*(tuple(dict.fromkeys(tasks)) for tasks in roles)) for name, roles in given.items()
    }
    return drawn, TaskAssignment(clients, answer.probing)


@settings(max_examples=share(60, 2_000), deadline=None)
@given(answered())
def test_every_task_of_every_client_is_marked_by_what_becomes_of_it(drawn):
    given_to, answer = drawn
    found = mark_tasks(given_to, answer)
    owners = {task: client.id for client in given_to.clients for task in client.active}
    known = {task.id: task for task in given_to.tasks}
    clients = {client.id: client for client in given_to.clients}
    for name, (active, standby) in answer.clients.items():
        for task in {*active, *standby}:
            mark = found.at[name, task]
            wrong = name not in clients or task not in known or (task in active and task in standby)
            wrong |= task in standby and task in known and not known[task].stateful
            assert (mark.kind == "wrong") == wrong
            assert (mark.role == "active") == (task in active)
            if mark.role == "active" and not wrong:
                kinds = {True: "kept", False: "moved" if task in owners else "new"}
                assert mark.kind == kinds[task in clients[name].active]
    for client in given_to.clients:
        held = {task for roles in answer.clients.get(client.id, ((), ())) for task in roles}
        gone = {task for (name, task), mark in found.at.items() if name == client.id and mark.kind == "gone"}
        assert gone == {*client.active, *client.standby} - held
    times = Counter(task for roles in answer.clients.values() for task in roles.active)
    assert found.lost == {task for task in known if not times[task]}
    assert found.doubled == {task: number for task, number in times.items() if number > 1}


@settings(max_examples=share(60, 2_000), deadline=None)
@given(answered())
def test_a_picture_has_what_is_marked_and_nothing_else(drawn):
    found = mark_tasks(*drawn)
    text = str(PICTURE.html("<title> & more", *drawn))
    read = Reader(text)
    assert {tag for tag, _ in read.tags} <= {"svg", "rect", "text", "title", "path"}
    assert read.tags[0][1]["aria-label"].startswith("<title> & more: ")
    if sum(map(len, found.columns.values())) > ITEMS:
        return
    roles = Counter(
        mark.kind if mark.role == "active" or mark.kind in ("gone", "wrong") else f"{mark.role} {mark.kind}"
        for mark in found.at.values()
    )
    assert Counter(re.findall(r'<rect class="([a-z -]+)"', text.replace('class="far"', ""))) == roles
    assert text.count('class="far"') == sum(mark.crossing for mark in found.at.values())
    assert text.count('class="arrow"') == sum(bool(mark.giver) for mark in found.at.values())
    assert text.count('class="trouble') == len(found.lost) + len(found.doubled)


def many(clients, subtopologies, tasks):
    every = tuple(Task(TaskId(s, p), True) for s in range(subtopologies) for p in range(tasks))
    lags = {task.id: 0 for task in every}
    return Application(
        every,
        tuple(Client(f"00000000-0000-0000-0000-{n:012}", 1, lags=lags) for n in range(1, clients + 1)),
        Settings(num_standby_replicas=1),
    )


@pytest.mark.parametrize(
    ("clients", "subtopologies", "tasks", "says"),
    [
        (3, 2, ITEMS // 2 + 1, "active tasks+standbys of each subtopology"),
        (ROWS + 1, 1, 30, f"loads of {ROWS + 1} clients"),
        (3, SETS + 1, 1, "loads of 3 clients"),
    ],
)
def test_large_applications_are_counted(clients, subtopologies, tasks, says):
    drawn = many(clients, subtopologies, tasks)
    answer = high_availability.assign(drawn)
    text = str(PICTURE.html("it", drawn, answer))
    assert says in text
    counts = [int(n) for n in re.findall(r'class="count mid"[^>]*>(\d+)', text)]
    assert not counts or sum(counts) == len(drawn.tasks)


def test_copies_beyond_those_configured_are_warm_ups():
    task = Task(TaskId(0, 0), True)
    clients = tuple(
        Client(f"00000000-0000-0000-0000-00000000000{n}", 1, lags={task.id: lag})
        for n, lag in ((1, 0), (2, 9_999_999), (3, 5))
    )
    names = [client.id for client in clients]
    answer = TaskAssignment(
        {
            names[0]: Given((task.id,), ()),
            names[1]: Given((), (task.id,)),
            names[2]: Given((), (task.id,)),
        },
        True,
    )
    found = mark_tasks(Application((task,), clients, Settings(num_standby_replicas=1)), answer)
    assert [found.at[name, task.id].role for name in names] == ["active", "warm-up", "standby"]
    assert found.loads == dict(zip(names, ["1", "0+1", "0+1"], strict=True))
