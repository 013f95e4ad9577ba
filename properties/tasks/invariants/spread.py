"""Invariants about where a task's copies are: on as many different tag values, or racks, as one task can have (KIP-708)."""

from collections.abc import Iterator, Mapping, Sequence

from kassay.model.tasks import Application, TaskAssignment
from kassay.properties.runs import SPREAD, Violation
from kassay.properties.tasks.holdings import active_on, holdings, standby_on, stateful_tasks
from kassay.properties.words import counted

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
