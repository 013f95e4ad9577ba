"""Metamorphic properties of a streams group's assignor.

Each takes an assign function and a group, and yields one sentence per violation; AssignorError passes through.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

from kassay.model.streams_group import StreamsAssignment, StreamsGroup, StreamsMember
from kassay.model.tasks import TaskId
from kassay.properties.runs import DIFFERENCES, MOVES, REST, Run, TwoRuns, format_count, format_items
from kassay.properties.tasks.laws import said
from kassay.properties.tasks.members.processes import NOTHING, Assign, apply_answer, copies, restart_members

ROUNDS = 10
"""The number of rebalances without changes within which an assignor must converge."""
MOST = 6
"""The number of members that are tried as leavers."""
NEWCOMER = "newcomer"


def same(one: StreamsAssignment, other: StreamsAssignment) -> bool:
    """Return True if two answers are equal but for the order of tasks."""
    return one == other or _sorted(one) == _sorted(other)


def _sorted(answer: StreamsAssignment) -> dict[str, list[list[TaskId]]]:
    return {name: [sorted(tasks) for tasks in roles] for name, roles in answer.items()}


def member_order_independent(assign: Assign, group: StreamsGroup) -> Iterator[str]:
    """The assignment does not depend on the order of the members.

    Source: the coordinator hands the members over in hash maps, whose order may change from one rebalance to the next.
    """
    turned = replace(group, members=group.members[::-1])
    yield from _differences(
        Run("as listed", group, assign(group)),
        Run("with the members in reverse order", turned, assign(turned)),
    )


def stable(assign: Assign, group: StreamsGroup) -> Iterator[str]:
    """An answer repeats if it has taken effect and nothing else has changed.

    Source: KIP-1071; each needless move costs a restored state store.
    """
    first = assign(group)
    again = apply_answer(group, first)
    yield from _differences(Run("is given", group, first), Run("fed back", again, assign(again)))


def settles(assign: Assign, group: StreamsGroup) -> Iterator[str]:
    """Its answers, fed back, converge from any start.

    Source: KIP-1071; a group that does not converge restores state endlessly.
    """
    played, period = _played(assign, group)
    if period is None:
        said = f"it does not converge within {format_count(ROUNDS, 'rebalance')} in which nothing changed"
        yield TwoRuns(said, played[-2], played[-1], REST)
    elif period > 1:
        said = f"it never converges: every {format_count(period, 'rebalance')} the same answers come again"
        yield TwoRuns(said, played[-2], played[-1], REST)


def rounds(assign: Assign, group: StreamsGroup) -> int:
    """Rebalances until the same answer repeats, without changes in between; ROUNDS + 1 if it never does."""
    played, period = _played(assign, group)
    return len(played) - 1 if period == 1 else ROUNDS + 1


def _played(assign: Assign, group: StreamsGroup) -> tuple[list[Run], int | None]:
    """Return runs without changes, and the number of runs after which the last answer repeats.

    The number is 1 if the group has converged, None if the last answer is new.
    """
    played = [Run("is given", group, assign(group))]
    for _ in range(ROUNDS):
        again = apply_answer(played[-1].group, played[-1].assignment)
        played.append(Run("then", again, assign(again)))
        if same(played[-2].assignment, played[-1].assignment):
            return played, 1
        for back, run in enumerate(reversed(played[:-1]), 1):
            if run.group == again and same(run.assignment, played[-1].assignment):
                return played, back
    return played, None


def restart_keeps_state(assign: Assign, group: StreamsGroup) -> Iterator[str]:
    """If all members restart with the state of their tasks, no task becomes active on a process that has to restore it.

    They come back under new ids without an assignment, and report offsets. Source: KAFKA-20719.
    """
    first = assign(group)
    running = apply_answer(group, first)
    cleaned = (replace(member, offsets={}, end_offsets={}) for member in running.members)
    again = restart_members(replace(running, members=tuple(cleaned)))
    second = assign(again)
    process = {member.id: member.process_id for member in again.members}
    has = {(each.process_id, task): None for each in again.members for task in each.offsets}
    stateful = group.stateful
    said = []
    for name, roles in second.items():
        for task in roles.active:
            home = [owner for owner, on_disk in has if on_disk == task]
            if task.subtopology in stateful and home and process.get(name) not in home:
                said.append(
                    f"after a restart {task} runs on process {process.get(name)}, and its state is on {format_items(home)}"
                )
    runs = Run("before", group, first), Run("after the restart", again, second)
    for sentence in said[:1]:
        yield TwoRuns(sentence, *runs, MOVES, len(said))


def leaver_minimal(assign: Assign, group: StreamsGroup) -> Iterator[str]:
    """If a member leaves, the others keep all their active tasks.

    Source: KIP-1071, sticky: their shares only grow.
    """
    for before, now, name in _leavings(assign, group):
        losses = [
            (member.id, lost)
            for member in now.group.members
            if (lost := set(member.active) - set(now.assignment.get(member.id, NOTHING).active))
        ]
        for member_id, lost in losses[:1]:
            said = f"when {name} leaves, {member_id} loses {format_items(sorted(lost), ' ')}"
            yield TwoRuns(said, before, now, MOVES, sum(len(each) for _, each in losses))
            return


def leaver_keeps_standbys(assign: Assign, group: StreamsGroup) -> Iterator[str]:
    """If a member leaves, no member gets a copy of a task while a member with fewer tasks, on another process, loses its copy.

    Source: KAFKA-20899; the old copy is as good, and the new one has to be restored.
    """
    found = [
        (f"when {name} leaves, {said}", before, now)
        for before, now, name in _leavings(assign, group)
        for said in _given_anew(before, now)
    ]
    for sentence, before, now in found[:1]:
        yield TwoRuns(sentence, before, now, MOVES, len(found))


def _given_anew(before: Run, now: Run) -> Iterator[str]:
    """Yield a sentence for each copy that a member gets while a member with fewer tasks loses its copy."""
    loads = {member: sum(map(len, roles)) for member, roles in now.assignment.items()}
    had, has = (copies(now.group, answer) for answer in (before.assignment, now.assignment))
    for task in now.group.stateful_tasks():
        old, new = had.get(task, {}), has.get(task, {})
        given_up = [member for process in old if process not in new for _, member in old[process]]
        got = [member for process in new if process not in old for _, member in new[process]]
        for giver, taker in product(given_up, got):
            if loads.get(giver, 0) < loads[taker]:
                yield f"{taker} gets a copy of {task}, while {giver}, which has fewer tasks, gives up its own"


def joiner_minimal(assign: Assign, group: StreamsGroup) -> Iterator[str]:
    """If a member joins in a new process, active tasks move only to it.

    Source: KIP-1071, sticky.
    """
    first = assign(group)
    joined = apply_answer(group, first)
    joined = replace(joined, members=(*joined.members, StreamsMember(NEWCOMER, NEWCOMER)))
    if len({member.id for member in joined.members}) < len(joined.members) or NEWCOMER in group.processes:
        return
    second = assign(joined)
    gains = [
        (member.id, gained)
        for member in joined.members[:-1]
        if (gained := set(second.get(member.id, NOTHING).active) - set(member.active))
    ]
    for name, gained in gains[:1]:
        yield TwoRuns(
            f"when {NEWCOMER} joins, {name} gets {format_items(sorted(gained), ' ')}",
            Run("before", group, first),
            Run("after", joined, second),
            MOVES,
            sum(len(each) for _, each in gains),
        )


def _leavings(assign: Assign, group: StreamsGroup) -> Iterator[tuple[Run, Run, str]]:
    """Yield the runs before and after one of the members has left."""
    if len(group.members) < 2:
        return
    first = assign(group)
    running = apply_answer(group, first)
    for leaver in running.members[:MOST]:
        left = replace(running, members=tuple(each for each in running.members if each is not leaver))
        yield Run("before", group, first), Run("after", left, assign(left)), leaver.id


def _differences(before: Run, now: Run) -> Iterator[str]:
    """Yield a sentence for the first member with different tasks in two runs, in any order."""
    one, other = before.assignment, now.assignment
    found = []
    for name in dict.fromkeys((*one, *other)):
        first, second = (said(answer.get(name)) for answer in (one, other))
        if first != second:
            found.append(f"{name} is given {first}; {now.title}, {second}")
    for sentence in found[:1]:
        yield TwoRuns(sentence, before, now, DIFFERENCES, len(found))
