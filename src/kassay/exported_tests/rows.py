"""Answers as rows, the same for all families: each owner with the names of its items.

An owner of partitions is a member, such as ``m0``. An owner of tasks is a client or member and a role, such as ``m0 active``. A worker of
Connect also has ``w0 revoked``. Items are ``t0-1``, ``0_1``, a connector ``c0`` or its task ``c0-1``.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

Rows: TypeAlias = Mapping[str, Sequence[str]]
ROLES = ("active", "standby", "warmup")
PROBING = "probing"
"""The owner of the row ``yes`` if a probing rebalance follows."""


@dataclass(frozen=True, slots=True)
class Count:
    """The number of rows of an answer that belong to some owners and name some items; () stands for all."""

    sign: int
    owners: tuple[str, ...] = ()
    items: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Check:
    """An assertion about the answers.

    Kinds: ``count`` compares signed counts with a number; ``same`` and ``kept`` compare with the answer to an earlier call;
    ``unlike`` refuses one answer; ``answers`` demands an answer at all.
    """

    kind: str
    at: int
    """The call that is judged."""
    counts: tuple[Count, ...] = ()
    relation: str = "<="
    bound: int = 0
    than: int = 0
    """The earlier call."""
    rows: Rows | None = None
    message: str = ""
    proof: str = ""
    """The reason for the number, if it is an optimum."""

    def shift(self, start: int) -> "Check":
        """Return the check for calls without the first ones."""
        return replace(self, at=self.at - start, than=self.than - start)

    def is_failed_by(self, answers: Sequence[Rows]) -> bool:
        """Return True if the check fails on these answers."""
        answer = answers[self.at]
        if self.kind == "count":
            value = sum(each.sign * count_rows(answer, each) for each in self.counts)
            return value > self.bound if self.relation == "<=" else value < self.bound
        if self.kind == "unlike":
            return sort_rows(answer) == sort_rows(self.rows or {})
        if self.kind == "same":
            return sort_rows(answer) != sort_rows(answers[self.than])
        return self.kind == "kept" and any(
            item not in answer.get(owner, ()) for owner, items in answers[self.than].items() for item in items
        )


def count_rows(answer: Rows, count: Count) -> int:
    """Count the rows of an answer."""
    return sum(
        (not count.owners or owner in count.owners) and (not count.items or item in count.items)
        for owner, items in answer.items()
        for item in items
    )


def sort_rows(answer: Rows) -> dict[str, list[str]]:
    """Return the rows in an order of their own, without owners of nothing."""
    return {owner: sorted(items) for owner, items in sorted(answer.items()) if items}


def format_item(item: Any) -> str:
    """Return the name of an item that JSON writes as text or as a pair."""
    return item if isinstance(item, str) else f"{item[0]}-{item[1]}"


def list_answer_rows(answer: Mapping[str, Any]) -> Rows:
    """Return the rows of an answer's JSON."""
    rows: dict[str, list[str]] = {}
    for owner, given in answer["assignment"].items():
        _add(rows, owner, given)
    for owner, given in answer.get("revoked", {}).items():
        _add(rows, f"{owner} revoked", given)
    if answer.get("probing"):
        rows[PROBING] = ["yes"]
    return rows


def _add(rows: dict[str, list[str]], owner: str, given: Any) -> None:
    if isinstance(given, Mapping) and "active" in given:
        rows.update({f"{owner} {role}": [*given[role]] for role in ROLES if role in given})
    elif isinstance(given, Mapping):
        rows[owner] = [format_item(each) for each in (*given.get("connectors", ()), *given.get("tasks", ()))]
    else:
        rows[owner] = [format_item(each) for each in given]


def list_members(group: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """Return the members, clients or workers of a group's JSON."""
    found: Sequence[Mapping[str, Any]] = (
        group.get("members") or group.get("clients") or group.get("workers") or ()
    )
    return found


def list_owned(group: Mapping[str, Any]) -> Rows:
    """Return the rows that the members of a group own."""
    rows: dict[str, list[str]] = {}
    for member in list_members(group):
        if "threads" in member or "process_id" in member:
            rows |= {f"{member['id']} {role}": [*member.get(role, ())] for role in ROLES[:2]}
        elif "owned" in member or "topics" in member:
            rows[member["id"]] = [format_item(each) for each in member.get("owned", ())]
    return rows


def list_items(group: Mapping[str, Any]) -> Iterator[Any]:
    """Yield the JSON of each item that a group's assignor can give."""
    if "tasks" in group:
        yield from (each["id"] for each in group["tasks"])
    elif "subtopologies" in group:
        yield from (f"{one['id']}_{n}" for one in group["subtopologies"] for n in range(one["partitions"]))
    elif "connectors" in group:
        for one in group["connectors"]:
            yield one["name"]
            yield from ([one["name"], n] for n in range(one.get("tasks", 0)))
    else:
        yield from ([one["name"], n] for one in group.get("topics", ()) for n in range(one["partitions"]))


def is_named(name: str, sentence: str) -> bool:
    """Return True if a sentence names a member or an item as a whole word."""
    return re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w-]|\.\w)", sentence) is not None


class ObstacleError(Exception):
    """The reason why a language cannot test a target."""
