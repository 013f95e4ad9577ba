"""A case of a fixtures file, and the file: read with errors that name file, case and field, written byte for byte alike."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from kassay.conformance.form import Form, Value, form, refuse_no_assignor
from kassay.errors import InputError
from kassay.files.texts import json_value, read_text
from kassay.model.json_text import convert_json
from kassay.shape import Json

FORMAT = 1
"""The only format that is known; a file of another one is refused."""
T = TypeVar("T")


class Twin(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """An earlier case whose answer has to be the same, once its names are exchanged for those of this case; and the aim that this is."""

    case: str
    aim: str
    topics: dict[str, str]
    members: dict[str, str]


@dataclass(frozen=True, slots=True)
class Case:
    """One case: a group, what any answer has to keep is known of it, the best values, and what Kafka's classes answer.

    `exact` maps ASSIGNOR@RELEASE to that class's answer; `owners` says who may keep what is claimed.
    """

    id: str
    comment: str
    flags: tuple[str, ...]
    needs: tuple[str, ...]
    source: str
    since: str
    group: Any
    twin: Twin | None
    owners: Json
    should: Mapping[str, Value]
    better: Any
    exact: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Fixtures:
    """All cases of a family, and the version of the fixtures."""

    form: Form
    version: str
    cases: tuple[Case, ...]


class _CaseForm(msgspec.Struct, forbid_unknown_fields=True):
    id: str
    comment: str
    flags: list[str]
    needs: list[str]
    source: str
    since: str
    group: Any
    twin: Twin | None
    owners: list[dict[str, Any]]
    should: dict[str, int | list[int]]
    better: Any
    exact: dict[str, Any]


class _FileForm(msgspec.Struct, forbid_unknown_fields=True):
    format: int
    version: str
    family: str
    count: int
    cases: list[dict[str, Any]]


def read_fixtures(path: str) -> Fixtures:
    """Read a fixtures file; raises InputError naming file, case and field, and where the format is another one."""
    data = json_value(path, read_text(path), 1)
    stated = data.get("format") if isinstance(data, dict) else None
    if stated != FORMAT:
        raise InputError(
            f"{path}: format: is {json.dumps(stated)}; this kassay reads format {FORMAT}. "
            "Take fixtures of that format, or the kassay that came with these"
        )
    if "family" not in data:
        _placed(path, partial(refuse_no_assignor, Path(path).stem))
    whole = _placed(path, partial(convert_json, data, _FileForm))
    of_family = _placed(f"{path}: family", partial(form, whole.family))
    if whole.count != len(whole.cases):
        raise InputError(
            f"{path}: count: is {whole.count}, but there are {len(whole.cases)} cases; take the whole file again"
        )
    cases: dict[str, Case] = {}
    for number, each in enumerate(whole.cases):
        name = each.get("id")
        place = f"{path}: {name}" if isinstance(name, str) else f"{path}: cases[{number}]"
        case = _case(place, each, of_family)
        if case.id in cases:
            raise InputError(f"{place}: id: stands twice; give each case its own")
        if case.twin and case.twin.case not in cases:
            raise InputError(
                f"{place}: twin: case: there is no {case.twin.case!r} before it; name an earlier case"
            )
        cases[case.id] = case
    return Fixtures(of_family, whole.version, tuple(cases.values()))


def _case(place: str, data: Json, of: Form) -> Case:
    read = _placed(place, partial(convert_json, data, _CaseForm))
    if not read.id.startswith(f"{of.family}-"):
        raise InputError(f"{place}: id: begins with {of.family}-, as in {of.family}-0001")
    group = _placed(f"{place}: group", partial(of.read_group, read.group))
    better = _placed(f"{place}: better", partial(of.read_answer, read.better))
    exact = {
        name: _placed(f"{place}: exact: {name}", partial(of.read_answer, answer))
        for name, answer in read.exact.items()
    }
    if read.twin and read.twin.aim not in of.relations:
        raise InputError(f"{place}: twin: aim: is {read.twin.aim!r}; give one of {', '.join(of.relations)}")
    return Case(
        read.id, read.comment, tuple(read.flags), tuple(read.needs), read.source, read.since, group, read.twin, read.owners,
        read.should, better, exact,
    )  # fmt: skip


def _placed(place: str, read: Any) -> Any:
    """Say of what wrong input is where it stands."""
    try:
        return read()
    except InputError as wrong:
        raise InputError(f"{place}: {wrong}") from None


def written(fixtures: Fixtures) -> str:
    """Write a fixtures file: a line for each part that people look at, the same bytes for the same cases."""
    of = fixtures.form
    head = {"format": FORMAT, "version": fixtures.version, "family": of.family, "count": len(fixtures.cases)}
    cases = ",\n".join(_case_text(case, of) for case in fixtures.cases)
    return f'{_line(head)[:-1]}, "cases": [\n{cases}\n]}}\n'


def _case_text(case: Case, of: Form) -> str:
    group = of.write_group(case.group)
    fields = {
        "id": _line(case.id), "comment": _line(case.comment), "flags": _line(case.flags), "needs": _line(case.needs),
        "source": _line(case.source), "since": _line(case.since),
        "group": "{" + ",\n    ".join(f"{_line(key)}: {_listed(value)}" for key, value in group.items()) + "}",
        "twin": _line(None if case.twin is None else msgspec.to_builtins(case.twin)),
        "owners": _line(case.owners), "should": _line(case.should), "better": _line(of.write_answer(case.better)),
        "exact": _entries({name: of.write_answer(answer) for name, answer in case.exact.items()}),
    }  # fmt: skip
    return "{" + ",\n  ".join(f"{_line(key)}: {text}" for key, text in fields.items()) + "}"


def _listed(value: Json) -> str:
    """Write a list of objects with a line for each, anything else in one line."""
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return "[\n    " + ",\n    ".join(map(_line, value)) + "]"
    return _line(value)


def _entries(answers: Mapping[str, Json]) -> str:
    if not answers:
        return "{}"
    return (
        "{\n    "
        + ",\n    ".join(f"{_line(name)}: {_line(answer)}" for name, answer in answers.items())
        + "}"
    )


def _line(value: Json | Sequence[str]) -> str:
    return json.dumps(value, ensure_ascii=True)
