"""Scopes: a promise may leave out situations, and is then judged only on the groups outside them.

A situation is named as in the family's table; names joined by ``+`` stand for the groups that are in all of them.
"""

from collections.abc import Collection, Mapping
from typing import Any

from kassay.errors import InputError, SkippedError
from kassay.family import Assign, Family

AND = "+"


def meets(met: Collection[str], excepted: Collection[str]) -> bool:
    """Say whether a group that is in the situations `met` is in an excepted one."""
    return any(all(name in met for name in term.split(AND)) for term in excepted)


def outside(excepted: Collection[str], family: Family, assign: Assign) -> Assign:
    """Let an assignor decline the groups in an excepted situation, so that no law judges a run that comes to one."""
    if not excepted:
        return assign
    situations = {name: family.situations[name] for term in excepted for name in term.split(AND)}

    def answer(group: Any) -> Any:
        met = [name for name, holds in situations.items() if holds(group)]
        if meets(met, excepted):
            raise SkippedError(f"not promised in {', '.join(met)}")
        return assign(group)

    return answer


def refuse_unknown(except_in: Mapping[str, Collection[str]], family: Family) -> None:
    """Raise InputError where a promise or a situation is left out that the family does not know."""
    for promise, excepted in except_in.items():
        if promise not in family.properties:
            raise InputError(f"except_in: there is no property {promise!r} in the {family.name} family")
        for term in excepted:
            for name in term.split(AND):
                if name not in family.situations:
                    raise InputError(
                        f"except_in: {promise}: there is no situation {name!r}; `kassay list` shows them"
                    )
