"""What happens to a group over time: the group as JSON at each rebalance of a rolling restart, a bounce or a scale-out.

Who leaves comes back with nothing; what members had before counts at the first rebalance alone.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias
from uuid import UUID

from kassay.oracles.proof.reading import OPEN, Json, claim, need, shaped

Events: TypeAlias = tuple[str, int]
"""What happens, and to how many."""
KINDS = {
    "restart": "the first N leave and join again, one after the other",
    "bounce": "the first N leave before the first of them is back",
    "scale-out": "N join, one by one",
}
"""What can happen -> in words."""
MOST = 10_000
"""So many join at most."""


def _names(known: set[str], number: int, name: Callable[[int], str]) -> list[str]:
    return [each for n in range(number + len(known)) if (each := name(n)) not in known][:number]


def _joined(n: int) -> str:
    return f"joined-{n:05}"


def _member(like: Json, name: str) -> Json:
    return {key: of for key, of in like.items() if key not in ("owned", "generation")} | {"id": name}


def _new_member(like: Json, name: str) -> Json:
    return {"id": name, "topics": like["topics"], "rack": like.get("rack")}


def _client(like: Json, name: str) -> Json:
    return {key: of for key, of in like.items() if key not in ("active", "standby")} | {"id": name}


def _worker(_: Json, name: str) -> Json:
    return {"id": name}


SHAPES: Mapping[
    str, tuple[str, Callable[[Json, str], Json], Callable[[Json, str], Json], Callable[[int], str]]
] = {
    "partitions": ("members", _member, _new_member, _joined),
    "tasks": ("clients", _client, _client, lambda n: str(UUID(int=2**124 + n))),
    "workers": ("workers", _worker, _worker, _joined),
}
"""Kind of group -> where its members stand, who comes back of one that left, who joins and is like one, and the names of those."""


def stages(kind: str, group: Json, events: Events, order: list[str] | None = None) -> list[Json]:
    """Return the group at each rebalance, its members in an order; raises WrongInputError where it is no group or has not so many members."""
    field, *_ = SHAPES[kind]
    shaped(group, {field: [{"id": str, OPEN: None}], OPEN: None}, "group")
    (what, number), members = events, {each["id"]: each for each in group[field]}
    ordered = [*members] if order is None else order
    need(len(members) == len(group[field]), f"group.{field}: two have one id; rename one")
    claim(sorted(ordered) == sorted(members), f"order: is not one of the group's {field}")
    there = [members[name] for name in ordered]
    enough = (
        1 <= number <= MOST
        if what == "scale-out"
        else 1 <= number < len(there) + (what == "restart" and len(there) > 1)
    )
    need(
        enough and (there or kind == "workers"),
        f"{what}: {number} of {len(there)} {field}; give as many as there can be",
    )
    found = [there]
    for leaves, who in _happened(kind, there, events):
        if leaves:
            found.append([each for each in found[-1] if each["id"] != who["id"]])
        else:
            static = who.get("instance_id")
            known = any(
                each["id"] == who["id"] or (static is not None and each.get("instance_id") == static)
                for each in found[-1]
            )
            found.append(found[-1] if known else [*found[-1], who])
    if kind == "workers" and what == "bounce":  # who are away together, and one rebalance takes both
        found = [found[0], found[-1]]
    return [{**group, field: members} for members in found]


def _happened(kind: str, there: list[Json], events: Events) -> Iterator[tuple[bool, Json]]:
    """Yield for each event whether somebody leaves, and who leaves or joins."""
    (what, number), (_, back, new, name) = events, SHAPES[kind]
    names = _names({each["id"] for each in there}, number, name)
    if what == "scale-out":
        yield from ((False, new(there[n % len(there)] if there else {}, own)) for n, own in enumerate(names))
        return
    gone = there[:number]
    again = [back(each, names[n] if kind == "workers" else each["id"]) for n, each in enumerate(gone)]
    if what == "restart":
        for leaving, joining in zip(gone, again, strict=True):
            yield True, leaving
            yield False, joining
    else:
        yield from ((True, leaving) for leaving in gone)
        yield from ((False, joining) for joining in again)
