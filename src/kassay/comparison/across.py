"""Compare assignors of several families on the same groups, where each answers the groups of the others."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain, permutations
from typing import TYPE_CHECKING, Any

from kassay.errors import InputError
from kassay.families import FAMILIES, family
from kassay.family import Family, Setting

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

    from kassay.targets.target import Target


def family_of(targets: "Iterable[Target]") -> Family:
    """Return what the families of some targets have in common, as :func:`across` says; raises InputError as :func:`across` does."""
    return across(dict.fromkeys(target.family for target in targets))


def across(names: Iterable[str]) -> Family:
    """Return the first of some families with what it has in common with the others; its groups are those that all of them answer.

    Its invariants and laws are those of all: each target is judged by its own family. Raises InputError where there is none, or one
    does not answer the groups of another.
    """
    families = [family(name) for name in names]
    if not families:
        raise InputError("targets: there are none; name some")
    for one, other in permutations(families, 2):
        if other.name not in one.migrations:
            known = ", ".join(sorted(each.name for each in families))
            raise InputError(
                f"targets of several families ({known}) answer different groups; compare those of one"
            )
    return _merged(families) if len(families) > 1 else families[0]


def _merged(families: Sequence[Family]) -> Family:
    first = families[0]

    def refused(group: Any) -> str | None:
        for one, other in permutations(families, 2):
            for said in one.migrations[other.name].refuses(group):
                return f"{said}, or compare without {one.name} assignors"
        return None

    def groups() -> "SearchStrategy[Any]":
        return first.shape.groups().filter(lambda group: refused(group) is None)

    return replace(
        first,
        shape=replace(first.shape, groups=groups),
        invariants=_all([each.invariants for each in families]),
        laws=_all([each.laws for each in families]),
        measures=_common([each.measures for each in families]),
        situations=_all([each.situations for each in families]),
        run_measures=_common([each.run_measures for each in families]),
        oracles=first.oracles
        if len({each.oracles and each.oracles.optima for each in families}) == 1
        else None,
        leader_order=next((each.leader_order for each in families if each.leader_order), None),
        settable=_in_order([each.settable for each in families]),
        inside=[name for each in families for name in each.inside],
        refused=refused,
    )


def _all(tables: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return what is in any of some tables, that of the first one first."""
    return {**dict(chain.from_iterable(each.items() for each in tables)), **tables[0]}


def _in_order(tables: Sequence[Mapping[str, Setting]]) -> dict[str, Setting]:
    """Return what is in any of some tables in the order of the families, in whatever order these are asked for."""
    found = {name: setting for table in tables for name, setting in table.items()}
    order = {name: n for n, name in enumerate(FAMILIES)}
    return dict(sorted(found.items(), key=lambda one: order.get(one[0].partition("/")[0], len(order))))


def _common(tables: Sequence[Mapping[str, Callable[..., int]]]) -> dict[str, Callable[..., int]]:
    """Return what is measured alike in all tables."""
    first, *others = tables
    return {
        name: measure for name, measure in first.items() if all(each.get(name) is measure for each in others)
    }
