"""The features that generated applications must reach in addition to situations."""

from collections import Counter

from kassay.model.tasks import INT64_MAX, RUNNING, STRATEGIES
from kassay.reference.java.strings import uuid_hash


def lags(application):
    return [lag for client in application.clients for lag in client.lags.values()]


def running(application):
    return Counter(task for client in application.clients for task in client.active)


def past(application):
    return bool(running(application))


def new(application):
    """Everything is to be restored everywhere."""
    per_task = {task: {c.lags[task] for c in application.clients} for task in application.clients[0].lags}
    held = any(client.active or client.standby for client in application.clients)
    return bool(per_task) and not held and all(len(each) == 1 and min(each) > 0 for each in per_task.values())


def restarted(application):
    """State is on disk, but nothing runs."""
    acceptable = application.settings.acceptable_recovery_lag
    on_disk = [client.lags[task] for client in application.clients for task in client.standby]
    return not past(application) and min(on_disk, default=1) <= acceptable < max(on_disk, default=0)


def standby_lags(application):
    return [client.lags[task] for client in application.clients for task in client.standby]


def sources(application):
    """Of each source topic the subtopologies that read it."""
    read = {}
    for task in application.tasks:
        for partition in task.inputs:
            read.setdefault(partition.topic, set()).add(task.id.subtopology)
    return read


def known(application):
    return [client.rack is not None for client in application.clients]


def signed(application):
    return [client.order for client in application.clients]


def by_id(application):
    return sorted(application.clients, key=lambda client: client.id)


REACHED = {
    "a new application": new,
    "one that runs evenly": lambda a: (
        len(a.clients) > 1
        and len(running(a)) == len(a.tasks)
        and len({len(c.active) // c.threads for c in a.clients}) == 1
    ),
    "an uneven application": lambda a: max(len(c.active) for c in a.clients) - min(
        len(c.active) for c in a.clients
    ) > 3,
    "one that restarted": restarted,
    "standbys that keep up": lambda a: 0 in standby_lags(a) and past(a),
    "standbys behind": lambda a: past(a) and max(standby_lags(a), default=0) > a.settings.acceptable_recovery_lag,
    "the highest acceptable lag": lambda a: a.settings.acceptable_recovery_lag in set(lags(a)) - {0},
    "one more than acceptable": lambda a: a.settings.acceptable_recovery_lag + 1 in lags(a),
    "the greatest lag": lambda a: INT64_MAX in lags(a),
    "running tasks": lambda a: RUNNING in lags(a),
    "four subtopologies": lambda a: len({task.id.subtopology for task in a.tasks}) == 4,
    "a topic that only the lower tasks read": lambda a: any(
        one.id.subtopology == other.id.subtopology and len(one.inputs) != len(other.inputs)
        for one in a.tasks
        for other in a.tasks
    ),
    "a shared source topic": lambda a: any(len(read) > 1 for read in sources(a).values()),
    "ids that sort differently from their text": lambda a: signed(a) != [c.order for c in by_id(a)]
    and [c.id for c in sorted(a.clients, key=lambda c: c.order)] != [c.id for c in by_id(a)],
    "negative halves": lambda a: any(high < 0 for high, _ in signed(a)) and any(low < 0 for _, low in signed(a)),
    "ids of one hash code": lambda a: len({uuid_hash(client.id) for client in a.clients}) < len(a.clients),
    "random ids": lambda a: any(client.id[14] == "4" for client in a.clients),
    "racks that are known": lambda a: all(known(a)) and all(topic.racks is not None for topic in a.topics),
    "racks of no client": lambda a: not any(known(a)),
    "topics whose racks are unknown": lambda a: any(known(a)) and any(topic.racks is None for topic in a.topics),
    "a replica without a rack": lambda a: any(None in near for topic in a.topics for near in topic.racks or ()),
    "several replicas": lambda a: any(len(near) > 1 for topic in a.topics for near in topic.racks or ()),
    "three tags": lambda a: any(len(client.tags) == 3 for client in a.clients),
    "tags of some clients": lambda a: any(c.tags for c in a.clients) and not all(c.tags for c in a.clients),
    "tags that are not asked for": lambda a: (
        0 < len(a.settings.rack_aware_assignment_tags) < max(len(client.tags) for client in a.clients)
    ),
    "a tag that no client has": lambda a: bool(
        set(a.settings.rack_aware_assignment_tags) - {key for client in a.clients for key, _ in client.tags}
    ),
    "consumers with offset sums": lambda a: any(sums for c in a.clients for sums in c.consumers.values()),
    "consumers that report nothing": lambda a: all(c.consumers for c in a.clients)
    and not any(sums for c in a.clients for sums in c.consumers.values()),
    "no consumers": lambda a: not any(client.consumers for client in a.clients),
    "ten clients": lambda a: 10 <= len(a.clients) <= 20,
    "forty clients": lambda a: 40 <= len(a.clients) <= 50,
    **{f"strategy {name}": lambda a, name=name: a.settings.rack_aware_assignment_strategy == name for name in STRATEGIES},
    **{f"{n} standbys": lambda a, n=n: a.settings.num_standby_replicas == n for n in range(4)},
    **{f"{n} warm-ups": lambda a, n=n: a.settings.max_warmup_replicas == n for n in range(1, 5)},
    **{f"acceptable lag {n}": lambda a, n=n: a.settings.acceptable_recovery_lag == n for n in (0, 100, 10_000, INT64_MAX)},
    **{
        f"costs {n}": lambda a, n=n: n == a.settings.rack_aware_assignment_traffic_cost
        and n == a.settings.rack_aware_assignment_non_overlap_cost
        for n in (None, 0, 1, 10)
    },
}  # fmt: skip
"""Feature of one application in a thousand -> a function that is True if it has the feature."""
