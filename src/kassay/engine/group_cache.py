"""The groups that checks of several targets share, with their situations and optima."""

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from kassay.engine.generate import draw_batches
from kassay.families.family import Family
from kassay.oracles.answers import Optima
from kassay.oracles.errors import OracleError

MOST = 5_000
"""The most groups whose facts are kept."""
Batch: TypeAlias = tuple[list[Any], list[Any]]


class GroupCache:
    """The facts of groups that do not depend on the target, each found when it is first needed."""

    def __init__(self) -> None:
        self._batches: dict[tuple[str, int, int], tuple[list[Batch], Iterator[Batch]]] = {}
        self._situations: dict[tuple[str, Any], tuple[str, ...]] = {}
        self._optima: dict[tuple[str, Any], Optima | OracleError] = {}

    def draw_batches(self, family: Family, number: int, seed: int) -> Iterator[Batch]:
        """Yield what :func:`kassay.engine.generate.draw_batches` yields; each batch is drawn once."""
        key = family.name, number, seed
        if key not in self._batches:
            self._batches[key] = [], draw_batches(family, number, seed)
        drawn, rest = self._batches[key]
        at = 0
        while True:
            if at == len(drawn):
                following = next(rest, None)
                if following is None:
                    return
                drawn.append(following)
            yield drawn[at]
            at += 1

    def find_situations(self, family: Family, group: Any) -> tuple[str, ...]:
        """Return the situations that a group is in."""
        key = family.name, group
        found = self._situations.get(key)
        if found is None:
            found = find_situations(family, group)
            if len(self._situations) < MOST:
                self._situations[key] = found
        return found

    def find_optima(self, family: Family, group: Any, find: Callable[[], Optima]) -> Optima:
        """Return what `find` returns for a group; raises OracleError again if it raised that for the group."""
        key = family.name, group
        found = self._optima.get(key)
        if found is None:
            try:
                found = find()
            except OracleError as error:
                found = error
            if len(self._optima) < MOST:
                self._optima[key] = found
        if isinstance(found, OracleError):
            raise found
        return found


def find_situations(family: Family, group: Any) -> tuple[str, ...]:
    """Return the situations that a group is in."""
    return tuple(name for name, holds in family.situations.items() if holds(group))
