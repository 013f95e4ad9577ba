"""Alterations of an answer as JSON: each field in every way that its type allows.

A place is the keys and indexes that lead to a value. A way has a name and a function of the old value, which gets chance and a pool of
values of other answers. An altered answer may still be true.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from operator import getitem
from random import Random
from typing import Any, NamedTuple, TypeAlias

Json: TypeAlias = Any
Place: TypeAlias = tuple[str | int, ...]
Field: TypeAlias = tuple[str, ...]
"""A place without indexes and names of the group, so that fields of different answers are the same."""
Pool: TypeAlias = Mapping[Field, Sequence[Json]]
"""The values of other answers at each field."""


class Text(str):
    """The text of an answer that is no JSON, or that no value has."""

    __slots__ = ()


GONE = object()
"""The new value of what is left out."""
DEEP = 400
"""So deep do lists lie within each other where that is tried."""
LARGE = (2**63, 10**40, 10**299, 10**301)


class Alteration(NamedTuple):
    """A place, and the name of the way in which it is altered."""

    place: Place
    way: str


def copy_value(value: Json) -> Json:
    """Return a copy of a value, however deep it is."""
    return json.loads(json.dumps(value))


Way: TypeAlias = Callable[[Any, Random], Json]


def turn(old: Sequence[Json]) -> list[Json]:
    """Return a list whose first entry comes last."""
    return [*old[1:], *old[:1]]


def hand_on(old: dict[str, Json]) -> dict[str, Json]:
    """Return an object in which each key has the value of the next one."""
    return dict(zip(old, turn([*old.values()]), strict=True))


def leave_one(old: dict[str, Json], r: Random) -> dict[str, Json]:
    """Return an object of numbers in which all but one are 0, and that one is not."""
    chosen = r.choice([*old])
    return {key: (of or 1) if key == chosen else 0 for key, of in old.items()}


def build_nested(_: Json, __: Random) -> Json:
    """Return lists that lie within each other."""
    return reduce(lambda inner, _: [inner], range(DEEP), 0)


OF_ALL: dict[str, Way] = {"left out": lambda *_: GONE, "null": lambda *_: None, "nested": build_nested}
OF_NUMBERS: dict[str, Way] = {
    "zero": lambda *_: 0,
    "one more": lambda old, _: old + 1,
    "one less": lambda old, _: old - 1,
    "two more": lambda old, _: old + 2,
    "doubled": lambda old, _: 2 * old,
    "negated": lambda old, _: -old,
    "large": lambda _, r: r.choice(LARGE) * r.choice([1, -1]),
    "hundred": lambda *_: 100,
    "as a fraction": lambda old, _: float(min(max(old, -(10**15)), 10**15)),
    "as a text": lambda old, _: str(old),
    "as true": lambda *_: True,
}
OF_BOOLEANS: dict[str, Way] = {
    "flipped": lambda old, _: not old,
    "as a number": lambda old, _: int(old),
    "as a text": lambda old, _: str(old),
}
OF_TEXTS: dict[str, Way] = {
    "empty": lambda *_: "",
    "unknown": lambda *_: "gone",
    "longer": lambda old, _: f"{old}0",
    "as a number": lambda *_: 0,
    "as a list": lambda old, _: [old],
}
OF_LISTS: dict[str, Way] = {
    "empty": lambda *_: [],
    "reversed": lambda old, _: old[::-1],
    "turned": lambda old, _: turn(old),
    "last doubled": lambda old, _: [*old, *copy_value(old[-1:])],
    "last left out": lambda old, _: old[:-1],
    "first alone": lambda old, _: old[:1],
    "middle left out": lambda old, _: [*old[: len(old) // 2], *old[len(old) // 2 + 1 :]],
    "all doubled": lambda old, _: [*old, *copy_value(old)],
    "as an object": lambda old, _: {str(n): each for n, each in enumerate(old)},
    "as a number": lambda old, _: len(old),
}
OF_OBJECTS: dict[str, Way] = {
    "empty": lambda *_: {},
    "handed on": lambda old, _: hand_on(old),
    "unknown key": lambda old, _: {**old, "gone": next(iter(old.values()), 0)},
    "as a list": lambda old, _: [*old.values()],
    "as a text": lambda *_: "gone",
}
OF_NULL: dict[str, Way] = {
    "as a number": lambda *_: 0,
    "as a text": lambda *_: "gone",
    "as a list": lambda *_: [],
}
OF_COUNTS: dict[str, Way] = {"one alone": leave_one}
"""Ways of objects of numbers."""


def hand_over(old: dict[str, Json], r: Random) -> dict[str, Json]:
    """Return an assignment in which one to three things change hands, in any role."""
    new = copy_value(old)
    for _ in range(r.choice([1, 1, 2, 3])):
        giver, taker = r.choice([*new]), r.choice([*new])
        own, others = new[giver], new[taker]
        if isinstance(own, dict):
            role = r.choice([*own] or ["active"])
            own, others = own.get(role, []), others.setdefault(role, [])
        if own and giver != taker:
            others.append(own.pop(r.randrange(len(own))))
    return new


def give_to_one(old: dict[str, Json], r: Random) -> dict[str, Json]:
    """Return an assignment in which one has all that all have, in each role."""
    chosen = r.choice([*old])
    if any(isinstance(own, dict) for own in old.values()):
        roles = sorted({role for own in old.values() for role in own})
        all_of = {role: [each for own in old.values() for each in own.get(role, [])] for role in roles}
        return {name: all_of if name == chosen else {} for name in old}
    return {name: [each for own in old.values() for each in own] if name == chosen else [] for name in old}


def is_owned(value: Json) -> bool:
    """Return True if a value looks like an assignment: lists by owner, or lists by owner and role."""
    own = [*value.values()] if isinstance(value, dict) else []
    of_roles = all(
        isinstance(each, dict) and all(isinstance(of, list) for of in each.values()) for each in own
    )
    return len(own) > 1 and (of_roles or all(isinstance(each, list) for each in own))


OF_OWNERS: dict[str, Way] = {"handed over": hand_over, "all to one": give_to_one}
"""Ways of what looks like an assignment."""
TWICE, GRAFTED, ADDED = "twice", "grafted", "added: "
"""An entry of a list that stands twice; the value of another answer in its place; a key that other answers have, which follows."""
WAYS = {
    int: OF_NUMBERS, bool: OF_BOOLEANS, str: OF_TEXTS, list: OF_LISTS, dict: OF_OBJECTS, type(None): OF_NULL,
}  # fmt: skip


def find_places(value: Json, place: Place = ()) -> Iterator[tuple[Place, Json]]:
    """Yield each place in a value with what stands there, the whole last."""
    inner: Iterable[tuple[str | int, Json]] = ()
    if isinstance(value, dict):
        inner = value.items()
    elif isinstance(value, list):
        inner = enumerate(value)
    for key, of in inner:
        yield from find_places(of, (*place, key))
    yield place, value


def find_field(place: Place, names: frozenset[str]) -> Field:
    """Return the field of a place, given the names in the group."""
    return tuple("#" if isinstance(key, int) else "*" if key in names else key for key in place)


def find_names(group: Json) -> frozenset[str]:
    """Return all texts in a group: an answer to it has some of them as keys."""
    return frozenset(value for _, value in find_places(group) if isinstance(value, str))


def build_pool(answers: Iterable[tuple[Json, frozenset[str]]]) -> dict[Field, list[Json]]:
    """Return the values of answers by field; with each answer come the names in its group."""
    found: dict[Field, list[Json]] = {}
    for answer, names in answers:
        for place, value in find_places(answer):
            found.setdefault(find_field(place, names), []).append(value)
    return found


def list_alterations(value: Json, pool: Pool, names: frozenset[str]) -> Iterator[Alteration]:
    """Yield every alteration of a value in one place."""
    inner = find_keys(pool)
    for place, old in find_places(value):
        for way in list_ways(place, old):
            yield Alteration(place, way)
        if isinstance(old, dict):
            more = inner.get(find_field(place, names), frozenset()) - old.keys()
            yield from (Alteration(place, f"{ADDED}{key}") for key in sorted(more))


def find_keys(pool: Pool) -> dict[Field, frozenset[str]]:
    """Return the keys that objects of other answers have, by field."""
    found: dict[Field, set[str]] = {}
    for field in pool:
        if field and field[-1] not in ("#", "*"):
            found.setdefault(field[:-1], set()).add(field[-1])
    return {field: frozenset(keys) for field, keys in found.items()}


def list_ways(place: Place, old: Json) -> Iterator[str]:
    """Yield the names of the ways in which a value at a place can be altered."""
    yield from OF_ALL if place else ("null",)
    yield from WAYS.get(type(old), OF_NULL)
    if isinstance(old, dict) and old and all(type(of) is int for of in old.values()):
        yield from OF_COUNTS
    if is_owned(old):
        yield from OF_OWNERS
    if place:
        yield GRAFTED
        if isinstance(place[-1], int):
            yield TWICE


def alter(value: Json, one: Alteration, r: Random, pool: Pool, names: frozenset[str]) -> Json:
    """Return a copy of a value that is altered in one place."""
    whole = [copy_value(value)]
    place: Place = (0, *one.place)
    parent: Any = reduce(getitem, place[:-1], whole)
    key: Any = place[-1]
    old, field = parent[key], find_field(one.place, names)
    if one.way == TWICE:
        parent.insert(key, copy_value(old))
        return whole[0]
    if one.way == GRAFTED:
        others = [each for each in pool.get(field, ()) if each != old]
        new = copy_value(r.choice(others or [old]))
    elif one.way.startswith(ADDED):
        name = one.way.removeprefix(ADDED)
        new = {**old, name: copy_value(r.choice(pool[(*field, name)]))}
    else:
        ways = OF_ALL | WAYS.get(type(old), OF_NULL) | OF_COUNTS | OF_OWNERS
        new = ways[one.way](old, r)
    if new is GONE:
        del parent[key]
    else:
        parent[key] = new
    return whole[0]


BROAD = (
    "empty", "left out", "one alone", "first alone", "last left out", GRAFTED, TWICE, "flipped", "null", *OF_OWNERS,
)  # fmt: skip
"""Ways that leave an answer one that may be read, and say much else."""


def alter_often(value: Json, r: Random, pool: Pool, names: frozenset[str]) -> Json:
    """Return a value altered in two to five places, mostly broadly and near the top."""
    for _ in range(r.choice([2, 2, 3, 3, 4, 5])):
        found = [*list_alterations(value, pool, names)] if isinstance(value, dict | list) else []
        if r.random() < 0.7:
            near = [
                one
                for one in found
                if len(one.place) <= 3 and (one.way in BROAD or one.way.startswith(ADDED))
            ]
            found = near or found
        if not found:
            break
        value = alter(value, r.choice(found), r, pool, names)
    return value


def is_listed(place: Place, old: Json) -> bool:
    """Return True if a value is one of the lists that an answer is made of."""
    return isinstance(old, list) and place != () and len(place) <= 2 and place[-1] != "levels"


def is_entry(place: Place) -> bool:
    """Return True if an entry of a list of a certificate stands at a place."""
    return len(place) > 1 and isinstance(place[-1], int) and place[0] in ("certificate", "proofs", "bought")


def alter_deceptively(value: Json, r: Random, pool: Pool, names: frozenset[str]) -> Json:
    """Return an answer about other assignments, with fewer proofs, other words or other prices: what a forger would try first."""
    kinds: list[Callable[[Place, Json], Sequence[str]]] = [
        lambda place, old: [*OF_OWNERS] if place[-1:] == ("assignment",) and is_owned(old) else [],
        lambda place, old: ["empty"] if is_listed(place, old) else [],
        lambda place, old: ["middle left out", "all doubled", GRAFTED] if is_listed(place, old) else [],
        lambda place, old: (
            [GRAFTED] if isinstance(old, str) and old not in names and place[0] != "levels" else []
        ),
        lambda place, old: [GRAFTED] if isinstance(old, dict) and is_entry(place) else [],
        lambda place, old: [way for way in ("one alone",) if way in list_ways(place, old)],
        lambda _, old: ["hundred", "zero"] if type(old) is int else [],
    ]
    some = r.sample(kinds, r.choice([1, 2, 2, 3, 3]))
    chosen = r.choice([[kinds[3], kinds[-1]], [kinds[1], kinds[5]], [kinds[2]], some])
    for kind in chosen:
        for _ in range(r.choice([1, 1, 2])):
            found: dict[Field, list[Alteration]] = {}
            for place, old in find_places(value):
                for way in kind(place, old):
                    found.setdefault(find_field(place, names), []).append(Alteration(place, way))
            if found:
                value = alter(value, r.choice(found[r.choice(sorted(found))]), r, pool, names)
    return move_numbers(value, r) if r.random() < 0.2 else value


def move_numbers(value: Json, r: Random) -> Json:
    """Return a copy in which one to four numbers are a little more or less, and now and then much more."""
    value = copy_value(value)
    found = [place for place, old in find_places(value) if type(old) is int]
    for place in r.sample(found, min(len(found), r.choice([1, 1, 2, 3, 4]))):
        parent = reduce(getitem, place[:-1], value)
        parent[place[-1]] += r.choice([-2, -1, 1, 2, 7, 100, -100, 10**6])
    return value


def write_key_twice(value: Json, r: Random) -> Text:
    """Return the JSON of a value in which one key stands twice."""
    found = [(place, of) for place, of in find_places(value) if isinstance(of, dict) and of]
    if not found:
        return Text(json.dumps(value))
    place, of = r.choice(found)
    mark = "a key of no answer"
    marked = copy_value([value])
    reduce(getitem, (0, *place), marked)[mark] = 0  # type: ignore[index]
    again = f"{json.dumps(r.choice([*of]))}: {json.dumps(of[r.choice([*of])])}"
    return Text(json.dumps(marked[0]).replace(f"{json.dumps(mark)}: 0", again))
