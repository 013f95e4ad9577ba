"""Subtopologies of streams groups may have any text for an id: only its order as text decides anything."""

import json
from dataclasses import replace
from itertools import islice

from classes.groups import named_subtopologies, random_streams_groups
from classes.groups.named_subtopologies import NAMES
from hypothesis import given
from hypothesis import strategies as st
from whole import seed_of_the_day, share

from kassay.cli import main
from kassay.families import family
from kassay.model import AssignorError
from kassay.model.tasks import SubtopologyName, TaskId
from kassay.model.tasks_json import parse_subtopology, read_named_task_id
from kassay.properties.minimise import minimise
from kassay.reference.java.strings import string_order
from kassay.reference.streams_group.sticky import assign

GROUPS = family("streams-group")
ORDERED = sorted(NAMES, key=string_order)


def renamed(group):
    """Give the subtopologies other names in the same order of text."""
    numbers = sorted((each.id for each in group.subtopologies), key=str)
    new = dict(zip(numbers, map(parse_subtopology, ORDERED[2 : 2 + len(numbers)]), strict=True))

    def named(task):
        return TaskId(new.get(task.subtopology, task.subtopology), task.partition)

    def member(old):
        roles = {role: tuple(map(named, getattr(old, role))) for role in ("active", "standby", "warmup")}
        sums = {
            name: {named(task): n for task, n in getattr(old, name).items()}
            for name in ("offsets", "end_offsets")
        }
        return replace(old, **roles, **sums)

    parts = tuple(replace(each, id=new[each.id]) for each in group.subtopologies)
    return named, replace(group, subtopologies=parts, members=tuple(map(member, group.members)))


def test_other_names_in_the_same_order_give_the_same_answer():
    answered = 0
    for group in islice(random_streams_groups.stream(seed_of_the_day()), share(150, 2_000)):
        named, other = renamed(group)
        try:
            wanted = assign(group)
        except AssignorError:
            continue
        found = assign(other)
        for name, roles in wanted.items():
            assert [sorted(map(named, tasks)) for tasks in roles] == [sorted(tasks) for tasks in found[name]]
        answered += 1
    assert answered > 100


def test_they_are_read_and_written_and_judged():
    for group in islice(named_subtopologies.stream(seed_of_the_day()), share(60, 600)):
        assert GROUPS.shape.read_group(json.loads(json.dumps(GROUPS.write_group(group)))) == group
        try:
            answer = assign(group)
        except AssignorError:
            continue
        assert GROUPS.shape.read_assignment(GROUPS.shape.write_assignment(answer)) == answer
        assert not [found for name in GROUPS.legal for found in GROUPS.invariants[name](group, answer)]
        assert all(measure(group, answer) >= 0 for measure in GROUPS.measures.values())
        assert len(group.members) > 9 or GROUPS.oracles.gaps(group, answer)
        assert len(GROUPS.shape.show(group, {"sticky": answer}).rows) == len(group.members)


def test_they_are_made_smaller():
    group = next(g for g in named_subtopologies.stream(5) if len(list(g.tasks())) > 5 and len(g.members) > 2)
    least = minimise(group, lambda each: len(list(each.tasks())) > 1, GROUPS.shape.smaller)
    assert least.finished
    assert len(list(least.group.tasks())) == 2


def test_an_optimum_of_named_subtopologies_is_verified(tmp_path, capsys):
    group = next(
        g for g in named_subtopologies.stream(6)
        if len(g.members) in (2, 3) and any(isinstance(task.subtopology, SubtopologyName) for task in g.tasks())
    )  # fmt: skip
    file, saved = tmp_path / "group.json", tmp_path / "optimum.json"
    file.write_text(json.dumps(GROUPS.write_group(group)))
    assert main(["optimum", "balance,moves", str(file), "--json"]) == 0
    saved.write_text(capsys.readouterr().out)
    assert main(["optimum", "--verify", str(saved), str(file)]) == 0
    assert "proved" in capsys.readouterr().out
    assert (
        main(["compare", "streams-group/sticky", "--group", str(file), "--html", str(tmp_path / "page.html")])
        == 0
    )


ids = st.one_of(st.integers(0, 12), st.sampled_from(NAMES).map(parse_subtopology))


@given(st.lists(st.tuples(ids, st.integers(0, 3)), max_size=6))
def test_numbers_stand_before_names_and_both_are_read_as_they_are_written(pairs):
    tasks = [TaskId(*pair) for pair in pairs]
    key = lambda task: (isinstance(task.subtopology, str), *map(str, task[:1]), task.partition)  # noqa: E731
    names = [task for task in tasks if isinstance(task.subtopology, str)]
    assert sorted(names) == sorted(names, key=key)
    numbers = [task for task in tasks if not isinstance(task.subtopology, str)]
    assert sorted(tasks) == sorted(numbers) + sorted(names)
    assert [read_named_task_id(str(task)) for task in tasks] == tasks
    for one in tasks:
        for other in tasks:
            assert (one < other) + (one == other) + (one > other) == 1
            assert (one <= other) == (one < other or one == other)
