"""Scopes: a promise may name situations in which it is known to be broken.

A situation is named as in the family's table; names joined by ``+`` stand for the groups that are in all of them.
"""

from collections.abc import Collection, Mapping

from kassay.errors import InputError
from kassay.family import Family
from kassay.suggesting import meant

AND = "+"


def terms_met(met: Collection[str], excepted: Collection[str]) -> frozenset[str]:
    """Return the excepted terms that hold of a group which is in the situations `met`."""
    return frozenset(term for term in excepted if all(name in met for name in term.split(AND)))


def refuse_unknown(except_in: Mapping[str, Collection[str]], family: Family) -> None:
    """Raise InputError where an exception names a property or a situation that the family does not know."""
    for promise, excepted in except_in.items():
        if promise not in family.properties:
            raise InputError(
                f"except_in: there is no property {promise!r} in the {family.name} family"
                f"{meant(promise, family.properties)}"
            )
        for term in excepted:
            for name in term.split(AND):
                if name not in family.situations:
                    raise InputError(
                        f"except_in: {promise}: there is no situation {name!r}; `kassay list` shows them"
                        f"{meant(name, family.situations)}"
                    )
