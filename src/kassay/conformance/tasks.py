"""The fixtures of applications of Kafka Streams: their JSON, what every answer must keep, and the best values."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kassay.conformance.form import Best, Declared, Form, Value
from kassay.conformance.making import proved
from kassay.errors import InputError
from kassay.model.tasks import Application, Given, TaskAssignment
from kassay.model.tasks_json import SETTINGS, read_beside, write_assignment
from kassay.model.tasks_json import read_assignment as read_tasks
from kassay.model.tasks_json import read_group as read_application
from kassay.properties.streams import INVARIANTS, LAWS, SITUATIONS
from kassay.properties.tasks import measures
from kassay.properties.tasks.rounds import after

MUSTS = ("existing", "exclusive", "complete", "stateful_standbys", "one_copy_per_client")
_ZEROES = tuple(name for name in INVARIANTS if name not in {*MUSTS, "every_client"})
_TWINS = (
    "deterministic",
    "client_order_independent",
    "task_order_independent",
    "renaming_independent",
    "crash_free",
)
_LAWS = {name: law for name, law in LAWS.items() if name not in _TWINS}


def read_group(data: Any) -> Application:
    """Make an application of the JSON of a fixture, which is that of kassay with every key; raises InputError naming the field."""
    return read_application(data)


def write_group(application: Application) -> dict[str, Any]:
    """Make the JSON of an application with nothing left to a default."""
    return {
        "topics": [
            {"name": t.name, "partitions": t.partitions, "racks": None if t.racks is None else list(map(list, t.racks))}
            for t in application.topics
        ],
        "tasks": [
            {
                "id": str(t.id), "stateful": t.stateful, "inputs": list(map(list, t.inputs)),
                "changelogs": list(map(list, t.changelogs)),
            }
            for t in application.tasks
        ],
        "clients": [
            {
                "id": c.id, "threads": c.threads, "rack": c.rack, "tags": dict(c.tags), "active": list(map(str, c.active)),
                "standby": list(map(str, c.standby)), "lags": {str(task): lag for task, lag in c.lags.items()},
                "consumers": {name: {str(t): n for t, n in sums.items()} for name, sums in c.consumers.items()},
            }
            for c in application.clients
        ],
        "config": all_settings(application.settings, SETTINGS),
    }  # fmt: skip


def all_settings(settings: Any, names: Mapping[str, str]) -> dict[str, Any]:
    """Return every setting by Kafka's name for it, also those that have their default."""
    values = ((name, getattr(settings, field)) for name, field in names.items())
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values}


def read_answer(data: Any) -> TaskAssignment:
    """Make an answer of the JSON of a fixture; raises InputError where it is none."""
    if not isinstance(data, dict) or not isinstance(data.get("assignment"), dict):
        raise InputError("assignment: is missing; give what each client has")
    return read_beside(read_tasks(data["assignment"]), data)


def write_answer(answer: TaskAssignment) -> dict[str, Any]:
    """Make the JSON of an answer: clients and tasks ascending, as sets are compared; who is left out has nothing."""
    some = {name: Given(*map(_sorted, given)) for name, given in sorted(answer.clients.items()) if any(given)}
    return {"assignment": write_assignment(some), "probing": answer.probing}


def _sorted(tasks: Iterable[Any]) -> tuple[Any, ...]:
    return tuple(sorted(tasks))


def broken(application: Application, answer: TaskAssignment, _declared: Declared) -> dict[str, str]:
    """Say by check what an answer breaks, the first thing of each; "" where it keeps it."""
    known = {client.id for client in application.clients}
    strangers = [name for name, given in answer.clients.items() if any(given) and name not in known]
    found = {check: next(INVARIANTS[check](application, answer), "") for check in MUSTS}
    return found | ({"existing": f"{strangers[0]} is given something, but is no client"} if strangers else {})


def by_thread(counts: Sequence[tuple[int, int]]) -> list[int]:
    """Return the loads of all threads, sorted downwards, where each of (tasks, threads) are dealt to their threads in turn."""
    return sorted((tasks // n + (at < tasks % n) for tasks, n in counts for at in range(n)), reverse=True)


def values(application: Application, answer: TaskAssignment) -> dict[str, Value]:
    """Measure an answer, by aim."""
    nothing = Given((), ())
    held = [(answer.clients.get(client.id, nothing), client.threads) for client in application.clients]
    return {
        "active_loads": by_thread([(len(given.active), threads) for given, threads in held]),
        "loads": by_thread([(len(given.active) + len(given.standby), threads) for given, threads in held]),
        "moves": measures.active_moves(application, answer) + measures.standby_moves(application, answer),
        "cross_rack": measures.cross_rack(application, answer),
        "left_out": sum(client.id not in answer.clients for client in application.clients)
        + len(answer.clients.keys() - {client.id for client in application.clients}),
    }


def may_keep(application: Application) -> list[dict[str, Any]]:
    """Return who had each task that exists, active or as a standby."""
    found = []
    for task in sorted(task.id for task in application.tasks):
        had = {
            role: [c.id for c in application.clients if task in getattr(c, role)]
            for role in ("active", "standby")
        }
        if any(had.values()):
            found.append({"task": str(task), **had})
    return found


def best(application: Application) -> Best:
    """Ask the oracles for the best values of an application, and for one answer that has them."""
    aims = ("active_loads", "loads", "cross_rack")
    found, proof = proved("streams", "balance,active", application, aims)
    got = values(application, found.assignment)
    near = any(topic.racks for topic in application.topics)
    should: dict[str, Value] = {aim: got[aim] for aim in aims if near or aim != "cross_rack"}
    return Best({**should, "left_out": 0}, found.assignment, (proof,))


def renamed(answer: TaskAssignment, _topics: Mapping[str, str], clients: Mapping[str, str]) -> TaskAssignment:
    """Return an answer with other ids of clients; one that has none keeps its own."""
    return answer._replace(clients={clients.get(name, name): given for name, given in answer.clients.items()})


_FLAGS = (
    "mixed_threads", "mixed_state", "standbys", "tags", "missing_tag", "racks", "partial_racks", "rack_strategy", "odd_costs",
    "overflowing_costs", "newcomer", "orphaned_task", "double_claim", "vanished_task", "behind", "unknown_lag",
)  # fmt: skip
_RELATIONS = ("order", "names", "repeat")

STREAMS = Form(
    family="streams",
    needs={
        "history": lambda application: any(c.active or c.standby for c in application.clients),
        "racks": lambda application: any(t.racks for t in application.topics),
        "tags": lambda application: bool(application.settings.rack_aware_assignment_tags),
        "standbys": lambda application: application.settings.num_standby_replicas > 0,
    },
    flags={name.replace("_", "-"): SITUATIONS[name] for name in _FLAGS},
    read_group=read_group,
    write_group=write_group,
    read_answer=read_answer,
    write_answer=write_answer,
    owners=may_keep,
    musts=MUSTS,
    broken=broken,
    values=values,
    best=best,
    after=after,
    renamed=renamed,
    exact={
        "streams/high-availability": ("3.6.2", "4.3.1"),
        "streams/legacy-sticky": ("4.3.1",),
        "streams/fallback-prior": ("4.3.1",),
    },
    declared={
        "streams/high-availability": Declared(
            (
                *tuple(name for name in (*_ZEROES, *_LAWS) if name not in {"distinct_racks", "active_stays"}),
                "left_out",
                *_RELATIONS,
            )
        ),
        "streams/sticky": Declared(
            (
                "enough_standbys",
                "warm_ups_limited",
                "warm_ups_needed",
                "probing_ends",
                "settles",
                "left_out",
                "repeat",
            )
        ),
        "streams/legacy-sticky": Declared(
            (
                "enough_standbys",
                "warm_ups_limited",
                "warm_ups_needed",
                "probing_ends",
                "settles",
                "subtopologies_spread",
                "left_out",
                "repeat",
            )
        ),
        "streams/fallback-prior": Declared(
            ("active_stays", "enough_standbys", "warm_ups_limited", "warm_ups_needed", "left_out", "repeat")
        ),
    },
    proved_of=lambda application: application,
    even=(),
    zeroes={name: INVARIANTS[name] for name in _ZEROES},
    laws=_LAWS,
    relations=_RELATIONS,
    proved_aims=("active_loads", "loads", "cross_rack"),
)
