"""The folder of fixtures: which files stand in it, where it is, and how they are read and written."""

import json
from collections.abc import Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

import msgspec

import kassay
from kassay.conformance.case import FORMAT, Fixtures, read_fixtures, written
from kassay.conformance.form import FORMS, Form, Proof, form
from kassay.conformance.making import Made, is_large
from kassay.errors import InputError
from kassay.family import Family
from kassay.files.texts import json_value, read_text
from kassay.model.json_text import convert_json

OURS = Path(kassay.__file__).parent / "fixtures"
"""The fixtures that came with kassay."""


class _ProofForm(msgspec.Struct, forbid_unknown_fields=True):
    of: list[str]
    answer: dict[str, Any]


class _ProofsForm(msgspec.Struct, forbid_unknown_fields=True):
    format: int
    family: str
    proofs: dict[str, list[_ProofForm]]


def fixtures_of(family: str, folder: Path = OURS) -> Fixtures:
    """Read the fixtures of a family; raises InputError where there are none, or they are wrong."""
    form(family)
    path = folder / f"{family}.json"
    read = read_fixtures(str(path))
    if read.form.family != family:
        raise InputError(f"{path}: family: is {read.form.family}; give the file the name of its family")
    return read


def proofs_of(of: Form, folder: Path = OURS) -> Mapping[str, Sequence[Proof]]:
    """Read the proofs that stand beside the fixtures of a family, by case; raises InputError where they are wrong."""
    path = str(folder / "proofs" / f"{of.family}.json")
    try:
        read = convert_json(json_value(path, read_text(path), 1), _ProofsForm)
    except InputError as wrong:
        said = str(wrong)
        raise InputError(said if said.startswith(path) else f"{path}: {said}") from None
    return {
        case: [Proof(tuple(each.of), each.answer) for each in proofs] for case, proofs in read.proofs.items()
    }


def groups_of(family: Family) -> Sequence[Any]:
    """Return the groups of a family's fixtures, for judging them before any generated ones; none where it has no fixtures.

    Those that are there for the time of an answer are left out, and those that the family refuses.
    """
    if family.name not in FORMS or not (OURS / f"{family.name}.json").exists():
        return ()
    return [group for group in _groups(family.name) if family.refused(group) is None]


@cache
def _groups(name: str) -> tuple[Any, ...]:
    fixtures = fixtures_of(name)
    return tuple(case.group for case in fixtures.cases if not is_large(case.group, fixtures.form))


def texts(made: Made) -> dict[str, str]:
    """Return the files of a family by their names in the folder."""
    of = made.fixtures.form
    line = partial(json.dumps, ensure_ascii=True)
    proofs = ",\n".join(
        f"{line(case)}: {line(msgspec.to_builtins([{'of': each.of, 'answer': each.answer} for each in proofs]))}"
        for case, proofs in made.proofs.items()
    )
    head = line({"format": FORMAT, "family": of.family})[:-1]
    return {
        f"{of.family}.json": written(made.fixtures),
        f"proofs/{of.family}.json": f'{head}, "proofs": {{\n{proofs}\n}}}}\n',
    }
