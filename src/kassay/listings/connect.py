"""A Connect cluster from the output of its REST interface: /connectors?expand=status, with &expand=info or without, or one connector.

>>> text = '{"c": {"status": {"connector": {"state": "RUNNING", "worker_id": "w:1"}, "tasks": []}}}'
>>> cluster, _ = read_connectors([("c.json", text)])
>>> cluster["workers"]
[{'id': 'w:1', 'connectors': ['c'], 'tasks': []}]
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from kassay.listings.details import parse_whole_number, read_pairs
from kassay.listings.location import Assumed, ListingError, Place, list_some, quote
from kassay.listings.texts import STRAY, find_json, strip_marks
from kassay.listings.topics import PARTITIONS_MAX
from kassay.model import INT32_MAX
from kassay.sentences import format_count

_TELLS = re.compile(
    r'\A\ufeff?\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*\{\s*"(?:status|info)"\s*:|'
    r'"worker_id"\s*:|"info"\s*:\s*\{|"status"\s*:\s*\{|\A\ufeff?\s*\{\s*"error_code"\s*:|\{\s*"error_code"\s*:\s*\d+\s*,\s*"message"'
)
_FIX = "Give the complete output of GET /connectors?expand=status."
T = TypeVar("T")
DELAY = "scheduled.rebalance.max.delay.ms"


@dataclass(slots=True)
class _Connector:
    """A connector: the worker that runs it and the workers that run its tasks, None if no worker does."""

    worker: str | None = None
    tasks: dict[int, str | None] = field(default_factory=dict)
    known: int = 0
    """Its configured number of tasks."""
    states: bool = False
    """True if its status is known."""


def read_config(texts: Sequence[str]) -> dict[str, int]:
    """Read settings ``NAME=VALUE``; raise InputError with the setting."""
    pairs = read_pairs(texts, (DELAY,), "assignors of Connect")
    return {name: parse_whole_number(name, value, INT32_MAX) for name, value in pairs.items()}


def is_connect(text: str) -> bool:
    """Return True if a text is output of Connect's REST interface: connectors or an error."""
    return '"' in text and _TELLS.search(strip_marks(text)) is not None


def read_connectors(
    files: Sequence[tuple[str, str]], workers: Sequence[str] = (), config: Sequence[str] = ()
) -> tuple[dict[str, Any], list[str]]:
    """Return the JSON of the cluster (see contract.md) without its family, and a sentence for each assumption.

    `files` are (name, text) pairs of one cluster. `workers` are ids of workers, also those that run nothing, and `config` has settings
    ``NAME=VALUE``; neither is printed. Raises ListingError with file, field and fix if something cannot be read.
    """
    found: dict[str, _Connector] = {}
    warnings: list[str] = []
    for name, text in files:
        _read_text(name, text, found, warnings)
    if not found:
        raise ListingError(f"{files[0][0]}: there is no connector. {_FIX}")
    counts = {name: max([one.known, *(number + 1 for number in one.tasks)]) for name, one in found.items()}
    if sum(counts.values()) > PARTITIONS_MAX:
        most = max(counts, key=lambda name: (counts[name], name))
        raise ListingError(
            f"{files[0][0]}: there are {sum(counts.values())} tasks, {counts[most]} of them of {quote(most)}. "
            f"Give connectors of at most {PARTITIONS_MAX} tasks together."
        )
    ids = {worker for one in found.values() for worker in (one.worker, *one.tasks.values()) if worker}
    cluster: dict[str, Any] = {
        "connectors": [{"name": name, "tasks": count} for name, count in counts.items()],
        "workers": [
            {
                "id": worker,
                "connectors": [name for name, one in found.items() if one.worker == worker],
                "tasks": [
                    [name, number]
                    for name, one in found.items()
                    for number, runs in sorted(one.tasks.items())
                    if runs == worker
                ],
            }
            for worker in sorted(ids.union(workers))
        ],
    }
    if not cluster["workers"]:
        raise ListingError(
            f"{files[0][0]}: there is no worker. Name workers by --worker, or give the output of GET /connectors?expand=status."
        )
    unknown = [name for name, one in found.items() if not one.states]
    if unknown:
        warnings.append(
            Assumed(
                f"the workers of {format_count(len(unknown), 'connector')} are not printed "
                f"({list_some(unknown, len(unknown))}): no worker is taken to run it or its tasks. Add expand=status"
            )
        )
    warnings += _describe_unassigned(found, counts)
    warnings += [
        Assumed("workers that run nothing are not printed: only the workers of --worker are taken to exist"),
        Assumed("the leader's memory of earlier rebalances is not printed: it is taken to be empty"),
    ]
    if config:
        cluster["config"] = read_config(config)
    else:
        warnings.append(
            Assumed(
                f"{DELAY} is not printed: it is taken to be Kafka's default; --config {DELAY}=N states it"
            )
        )
    return cluster, warnings


def _read_text(name: str, text: str, found: dict[str, _Connector], warnings: list[str]) -> None:
    """Add the connectors of a text: objects of connectors, the status of one connector, and lists of these."""
    failed: list[str] = []
    for one in find_json(name, strip_marks(text)):
        for connector, said in _find_connectors(Place(name, one.line), one.value, failed):
            if not connector or STRAY.search(connector):
                raise ListingError(f"{name}: {quote(connector)} is not the name of a connector. {_FIX}")
            known = found.setdefault(connector, _Connector())
            if known.states and "status" in said:
                warnings.append(
                    f"{name}:{one.line}: Connector {quote(connector)} is listed again. kassay uses the first status."
                )
                continue
            _take_connector(f"{name}: {connector}", known, said)
    if failed and not found:
        raise ListingError(failed[0])
    warnings += failed


def _find_connectors(place: Place, value: Any, failed: list[str]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield each connector of a value with its status or configuration; add errors of Connect to `failed`."""
    if isinstance(value, list):
        for one in value:
            yield from _find_connectors(place, one, failed)
        return
    if not isinstance(value, dict):
        return
    if "error_code" in value:
        said = quote(str(value.get("message", "")))
        failed.append(
            f"{place}: Connect answered error {quote(str(value['error_code']))}: {said}. Ask again once it has settled."
        )
        return
    is_status = isinstance(value.get("connector"), dict) and "worker_id" in value["connector"]
    if is_status or (isinstance(value.get("config"), dict) and "tasks" in value):
        name = value.get("name")
        if not isinstance(name, str) or not name:
            raise place.error(
                f"name is {quote(json.dumps(name))}", "give the name of the connector, as Connect prints it"
            )
        yield name, {"status" if is_status else "info": value}
    else:
        for connector, said in value.items():
            if isinstance(said, dict) and ("status" in said or "info" in said):
                yield connector, said


def _take_connector(where: str, one: _Connector, said: Mapping[str, Any]) -> None:
    """Add the status and the configuration of a connector, or one of them."""
    if "status" in said:
        status = _check(dict, f"{where}.status", said["status"])
        one.states = True
        one.worker = _read_worker(f"{where}.status.connector", status.get("connector"))
        for number, task in enumerate(_check(list, f"{where}.status.tasks", status.get("tasks"))):
            place = f"{where}.status.tasks[{number}]"
            task_id = _read_number(f"{place}.id", _check(dict, place, task).get("id"))
            if task_id in one.tasks:
                raise ListingError(f"{place}.id: task {task_id} is listed twice. {_FIX}")
            one.tasks[task_id] = _read_worker(place, task)
    if "info" in said:
        tasks = _check(list, f"{where}.info.tasks", _check(dict, f"{where}.info", said["info"]).get("tasks"))
        numbers = [
            _read_number(
                f"{where}.info.tasks[{n}].task", _check(dict, f"{where}.info.tasks[{n}]", task).get("task")
            )
            for n, task in enumerate(tasks)
        ]
        one.known = max((number + 1 for number in numbers), default=0)


def _check(kind: type[T], where: str, value: Any) -> T:
    """Return a value that is an object or a list; raise ListingError otherwise."""
    if isinstance(value, kind):
        return value
    noun = "an object" if kind is dict else "a list"
    raise ListingError(f"{where}: is {quote(json.dumps(value))}, not {noun}. {_FIX}")


def _read_number(where: str, value: Any) -> int:
    if type(value) is int and 0 <= value < INT32_MAX:
        return value
    raise ListingError(f"{where}: is {quote(json.dumps(value))}. Give the number of a task, as printed.")


def _read_worker(where: str, value: Any) -> str | None:
    """Return the worker that runs a connector or task, None if it is unassigned."""
    said = _check(dict, where, value)
    if said.get("state") == "UNASSIGNED":
        return None
    for key in ("state", "worker_id"):
        if not isinstance(said.get(key), str) or not said[key] or STRAY.search(said[key]):
            raise ListingError(f"{where}.{key}: is {quote(json.dumps(said.get(key)))}. {_FIX}")
    worker: str = said["worker_id"]
    return worker


def _describe_unassigned(found: Mapping[str, _Connector], counts: Mapping[str, int]) -> Iterator[str]:
    stated = {name: one for name, one in found.items() if one.states}
    idle = [name for name, one in stated.items() if one.worker is None]
    if idle:
        yield f"No worker runs {format_count(len(idle), 'connector')} ({list_some(idle, len(idle))})."
    free = sum(counts[name] - sum(map(bool, one.tasks.values())) for name, one in stated.items())
    if free:
        tasks = (
            f"{name}-{n}" for name, one in stated.items() for n in range(counts[name]) if not one.tasks.get(n)
        )
        yield f"No worker runs {format_count(free, 'task')} of connectors ({list_some(tasks, free)})."
