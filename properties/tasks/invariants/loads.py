"""Invariants about loads: tasks for each thread, compared as exact fractions.

Invariants about where a task's copies are: on as many different tag values, or racks, as one task can have (KIP-708).

The invariant about subtopologies: with the strategy balance_subtopology each is spread over the clients (KIP-925, 4.B.II).
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from kassay.model.tasks import Application, TaskAssignment
from kassay.properties.runs import LOADS, SPREAD, Violation
from kassay.properties.tasks.holdings import active_on, evens, holdings, standby_on, stateful_tasks
from kassay.properties.tasks.racks import rack_aware
from kassay.properties.words import counted


def active_balanced(application: Application, answer: TaskAssignment) -> Iterator[str]:
    """No single move of an active task makes the active tasks for each thread of two clients differ by less.

    Without such a move the squares of the counts, each by its client's threads, have the least sum there is. Demanded only of
    answers that no probing rebalance follows: until then tasks run where they are caught up.
    Source: HighAvailabilityTaskAssignor, which evens the loads of clients two by two.
    """
    if answer.probing:
        return
    threads = {client.id: client.threads for client in application.clients}
    counts = {name: len(held.active) for name, held in holdings(application, answer).items()}
    for giver, many in counts.items():
        for taker, few in counts.items():
            if many and evens(many, threads[giver], few, threads[taker]):
                yield Violation(
                    f"{giver} has {_load(many, threads[giver], 'active task')}, {taker} {_load(few, threads[taker])}; "
                    "more even: move one",
                    LOADS,
                    Fraction(many, threads[giver]) - Fraction(few, threads[taker]),
                )
                break


def total_balanced(application: Application, answer: TaskAssignment) -> Iterator[str]:
    """No single move of a standby makes the tasks for each thread, active and standby, of two clients differ by less.

    Moves that cost one of a task's values of rack.aware.assignment.tags do not count. Demanded only of answers that no probing
    rebalance follows. Source: HighAvailabilityTaskAssignor, which evens the loads again when it has placed standbys.
    """
    if answer.probing:
        return
    values = configured_tags(application)
    threads = {client.id: client.threads for client in application.clients}
    held = holdings(application, answer)
    counts = {name: len(roles.active | roles.standby) for name, roles in held.items()}
    active, standby = active_on(held), standby_on(held)
    for giver, many in counts.items():
        lighter = [taker for taker, few in counts.items() if evens(many, threads[giver], few, threads[taker])]
        moves = (
            (task, taker)
            for task, names in standby.items()
            if giver in names
            for taker in lighter
            if taker not in names and taker not in active.get(task, ())
        )
        for task, taker in moves:
            if not effect([*active.get(task, ()), *standby[task]], giver, taker, values)[0]:
                yield Violation(
                    f"{giver} has {_load(many, threads[giver], 'task')}, {taker} {_load(counts[taker], threads[taker])}; "
                    f"more even: move standby {task}",
                    LOADS,
                    Fraction(many, threads[giver]) - Fraction(counts[taker], threads[taker]),
                )
                break


def _load(tasks: int, threads: int, noun: str = "") -> str:
    plural = f" {noun}{'s' if tasks != 1 else ''}" if noun else ""
    return f"{tasks}{plural} on {threads} thread{'s' if threads != 1 else ''}"


Values = Mapping[str, str]
"""Tag -> a client's value of it."""


def distinct_tags(application: Application, answer: TaskAssignment) -> Iterator[str]:
    """No standby could move alone so that its task's copies have more values of a tag in rack.aware.assignment.tags.

    The move may cost no value of another of these tags. Demanded of each task for itself, of its active copy and the standbys
    that it has, and only of answers that no probing rebalance follows. Of one tag this is the most that is attainable: as many
    values as copies, or as clients have. Source: KIP-708.
    """
    values = configured_tags(application)
    if application.settings.rack_aware_assignment_tags and not answer.probing:
        yield from _better(application, answer, values)


def distinct_racks(application: Application, answer: TaskAssignment) -> Iterator[str]:
    """No standby could move alone so that its task's copies are in more racks.

    Demanded as of tags, where no tags are set; it is the most that is attainable for one task. Source: KIP-925, 4.D;
    StandbyTaskAssignorFactory, which takes racks for a tag where clients have them.
    """
    values = {client.id: {"rack": client.rack} if client.rack else {} for client in application.clients}
    if not application.settings.rack_aware_assignment_tags and not answer.probing:
        yield from _better(application, answer, values)


def configured_tags(application: Application) -> dict[str, Values]:
    """Return each client's values of the tags in rack.aware.assignment.tags."""
    keys = application.settings.rack_aware_assignment_tags
    return {
        client.id: {key: value for key, value in client.tags if key in keys} for client in application.clients
    }


def tag_counts(holders: Sequence[str], values: Mapping[str, Values]) -> dict[str, int]:
    """Return how many different values of each tag the holders of a task's copies have."""
    found: dict[str, set[str]] = {}
    for name in holders:
        for key, value in values[name].items():
            found.setdefault(key, set()).add(value)
    return {key: len(different) for key, different in found.items()}


def effect(
    holders: Sequence[str], source: str, destination: str, values: Mapping[str, Values]
) -> tuple[bool, str]:
    """Say whether a copy that goes from one client to another costs a value of a tag, and the tag that gains one, or ""."""
    before = tag_counts(holders, values)
    after = tag_counts([destination if name == source else name for name in holders], values)
    gains = [key for key in after if after[key] > before.get(key, 0)]
    return any(after.get(key, 0) < number for key, number in before.items()), gains[0] if gains else ""


def _better(application: Application, answer: TaskAssignment, values: Mapping[str, Values]) -> Iterator[str]:
    held = holdings(application, answer)
    active, standby = active_on(held), standby_on(held)
    alike: dict[tuple[tuple[str, str], ...], list[str]] = {}
    for name, known in values.items():
        alike.setdefault(tuple(sorted(known.items())), []).append(name)
    for task in stateful_tasks(application):
        holders = [*active.get(task, ()), *standby.get(task, ())]
        free = [next((n for n in names if n not in holders), None) for names in alike.values()]
        moves = ((name, taker) for name in standby.get(task, ()) for taker in free if taker is not None)
        for name, taker in moves:
            loses, tag = effect(holders, name, taker, values)
            if tag and not loses:
                number = counted(tag_counts(holders, values).get(tag, 0), "value")
                yield Violation(
                    f"the copies of {task} have {number} of {tag}; one more: move the standby from {name} to {taker}",
                    SPREAD,
                )
                break


def subtopologies_spread(application: Application, answer: TaskAssignment) -> Iterator[str]:
    """With balance_subtopology no client runs more of a subtopology than its share of all tasks, rounded up.

    A client with C of n active tasks runs at most ceil(C * S / n) of those of a subtopology with S tasks. Stateful and stateless
    tasks are counted apart, as Kafka assigns them, but for S. Demanded where racks are known, of answers that no probing rebalance follows.
    Source: KIP-925, 4.B.II.
    """
    strategy = application.settings.rack_aware_assignment_strategy
    if strategy != "balance_subtopology" or answer.probing or not rack_aware(application):
        return
    sizes = Counter(task.id.subtopology for task in application.tasks)
    for stateful, noun in ((True, "stateful"), (False, "stateless")):
        every = {task.id for task in application.tasks if task.stateful is stateful}
        for name, held in holdings(application, answer).items():
            own = sorted(held.active & every)
            for subtopology, number in Counter(task.subtopology for task in own).items():
                size = sizes[subtopology]
                most = -(-len(own) * size // len(every))
                if number > most:
                    yield Violation(
                        f"{name} runs {number} of the {counted(size, 'task')} of subtopology {subtopology}; "
                        f"with {len(own)} of all {len(every)} {noun} tasks its bound is {most}",
                        LOADS,
                        number - most,
                    )
