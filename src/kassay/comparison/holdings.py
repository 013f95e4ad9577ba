"""Who holds what, whatever the family: partitions of members, tasks of clients, connectors and tasks of workers."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from kassay.shape import Shape

Held: TypeAlias = Mapping[str, Mapping[str, tuple[str, ...]]]
"""Owner -> role -> names of what it holds; the role is "" where there is one kind alone."""


def held(shape: Shape, answer: Any) -> Held:
    """Return who holds what in an assignment; nobody holds anything in None, or where a shape writes none by owners."""
    if answer is None:
        return {}
    written = shape.write_assignment(answer)
    return {owner: _roles(given) for owner, given in written.items()} if isinstance(written, dict) else {}


def sizes(shape: Shape, answer: Any) -> Mapping[str, Mapping[str, int]]:
    """Return how much whoever has something in an assignment holds in each role, without the names, of which there may be millions."""
    written = shape.write_assignment(answer)
    return {owner: {role: len(items) for role, items in by_role(given)} for owner, given in written.items()}


def _roles(given: Any) -> dict[str, tuple[str, ...]]:
    return {role: tuple(map(_name, items)) for role, items in by_role(given)}


def by_role(given: Any) -> Iterator[tuple[str, Sequence[Any]]]:
    """Yield each role in which something is written of an owner, with what it holds in it."""
    roles = given if isinstance(given, dict) else {"": given}
    return ((role, items) for role, items in roles.items() if isinstance(items, list | tuple))


def _name(item: Any) -> str:
    return item if isinstance(item, str) else "-".join(map(str, item))


def roles(*all_held: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return the roles in which anybody holds anything, in order; the first one where nobody does."""
    named = list(dict.fromkeys(role for each in all_held for of in each.values() for role in of))
    used = [role for role in named if any(of.get(role) for each in all_held for of in each.values())]
    return used or named[:1] or [""]


def loads(whose: Held, owners: Sequence[str], role: str) -> list[int]:
    """Return how much each owner holds in a role."""
    return [len(whose.get(owner, {}).get(role, ())) for owner in owners]


def called(shape: Shape, role: str) -> str:
    """Name what is held in a role, in the plural: active tasks, connectors, partitions."""
    if role in shape.sizes:
        return role
    return f"{role} {shape.items}" if role else shape.items


def each(numbers: Sequence[int]) -> str:
    """Say how much owners hold each: 32, 2 or 3, 0 to 7."""
    least, most = min(numbers, default=0), max(numbers, default=0)
    return f"{least:,}" if least == most else f"{least:,} {'or' if most == least + 1 else 'to'} {most:,}"


def excess(before: Sequence[int], most: int, who: str) -> tuple[str, int]:
    """Say who holds how much more than the most that anybody is to hold, and return how much that is together.

    So many have to leave wherever nobody may hold more: this is the whole proof, and a reader can check it.
    """
    over = Counter(number - most for number in before if number > most)
    said = [
        f"{number:,} {who if number > 1 else who.removesuffix('s')} own{'s' if number == 1 else ''} {more:,} more than {most:,}"
        for more, number in sorted(over.items(), reverse=True)
    ]
    return " and ".join(said), sum(more * number for more, number in over.items())


def has_lag(shape: Shape) -> bool:
    """Say whether what owners hold can lag behind: not what workers of Connect run."""
    return "workers" not in shape.sizes


def plainly(reason: str) -> str:
    """Say why nothing is better, as an oracle says it, in the words of people: without the names of levels in front."""
    return LEVELS.sub("", reason).replace(BALANCED, EVEN)


LEVELS = re.compile(r"^([\w-]+: )+")
"""What a reason is of: ``moves: ``, ``connectors: balance: ``."""
BALANCED, EVEN = "at the best balance", "when loads are as even as can be"
"""Words of oracles, and what people say."""
