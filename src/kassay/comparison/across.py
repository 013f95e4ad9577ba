"""Compare assignors of several families on the same groups, where each answers the groups of the others."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from kassay.errors import InputError
from kassay.families import family
from kassay.family import Family
from kassay.shape import Json
from kassay.targets.target import Target

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy


def families_of(targets: Iterable[Target]) -> list[Family]:
    """Return the families of some targets; raises InputError where one does not answer the groups of another, or there are none."""
    families = [family(name) for name in dict.fromkeys(target.family for target in targets)]
    if not families:
        raise InputError("targets: there are none; name some")
    for one in families:
        for other in families:
            if one is not other and other.name not in one.migrations:
                names = ", ".join(sorted(each.name for each in families))
                raise InputError(
                    f"targets of several families ({names}) answer different groups; compare those of one"
                )
    return families


def across(families: Sequence[Family]) -> Family:
    """Return the first family with what it has in common with the others: its groups are those that all of them answer."""
    first, *others = families
    if not others:
        return first
    shape = first.shape

    def groups() -> "SearchStrategy[Any]":
        return shape.groups().filter(lambda group: refused(families, group) is None)

    def read_group(data: Json) -> Any:
        group = shape.read_group(data)
        if (said := refused(families, group)) is not None:
            raise InputError(said)
        return group

    def decode_group(text: str) -> tuple[str | None, str | None, Any] | None:
        found = shape.decode_group(text)
        return found if found is not None and refused(families, found[2]) is None else None

    def advice(target: str) -> str:
        return next((said for each in families if (said := each.advice(target))), "")

    return replace(
        first,
        shape=replace(shape, groups=groups, read_group=read_group, decode_group=decode_group),
        measures=_common([each.measures for each in families]),
        run_measures=_common([each.run_measures for each in families]),
        oracles=first.oracles
        if len({each.oracles and each.oracles.optima for each in families}) == 1
        else None,
        leader_order=next((each.leader_order for each in families if each.leader_order), None),
        advice=advice,
    )


def refused(families: Sequence[Family], group: Any) -> str | None:
    """Say what keeps the assignors of some family from answering a group; None where nothing does."""
    for one in families:
        for other in families:
            if one is not other:
                for said in one.migrations[other.name].refuses(group):
                    return f"{said}, or compare without {one.name} assignors"
    return None


def _common(tables: Sequence[Mapping[str, Callable[..., int]]]) -> dict[str, Callable[..., int]]:
    """Return what is measured alike in all tables."""
    first, *others = tables
    return {
        name: measure for name, measure in first.items() if all(each.get(name) is measure for each in others)
    }
