"""What changed between two versions of the fixtures, and which version number that asks for (fixtures/STABILITY.md)."""

from dataclasses import dataclass

from kassay.conformance.case import Case, Fixtures
from kassay.conformance.form import Form

EXPECTED = ("group", "twin", "owners", "should", "better", "exact", "needs", "flags")
WORDS = ("comment", "source", "since")


@dataclass(frozen=True, slots=True)
class Change:
    """A case that is new, gone or changed; `what` are the fields."""

    case: str
    kind: str
    what: tuple[str, ...] = ()


def changes(old: Fixtures, new: Fixtures) -> list[Change]:
    """Return what changed, in the order of ids."""
    before, now = ({case.id: case for case in each.cases} for each in (old, new))
    found = [Change(id_, "gone") for id_ in before.keys() - now.keys()]
    found += [Change(id_, "new") for id_ in now.keys() - before.keys()]
    for id_ in before.keys() & now.keys():
        fields = _fields(before[id_], now[id_], new.form)
        if fields:
            found.append(Change(id_, "corrected" if {*fields} & {*EXPECTED} else "reworded", fields))
    return sorted(found, key=lambda change: change.case)


def asks_for(found: list[Change]) -> str:
    """Return the part of the version number that has to count up: major, minor, patch, or "" where nothing changed."""
    kinds = {change.kind for change in found}
    if "gone" in kinds:
        return "major"
    return "minor" if "new" in kinds else "patch" if kinds else ""


def _fields(one: Case, other: Case, of: Form) -> tuple[str, ...]:
    return tuple(name for name in (*EXPECTED, *WORDS) if _plain(one, name, of) != _plain(other, name, of))


def _plain(case: Case, name: str, of: Form) -> object:
    value = getattr(case, name)
    if name == "group":
        return of.write_group(value)
    if name == "better":
        return of.write_answer(value)
    return {key: of.write_answer(each) for key, each in value.items()} if name == "exact" else value
