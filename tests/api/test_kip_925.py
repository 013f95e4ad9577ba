"""Every row of docs/kip-925.md names code and a test that exist, and settings have the defaults that it says."""

import ast
import re
from pathlib import Path

import pytest

from kassay.model.tasks import Settings

ROOT = Path(__file__).parents[2]
PLACES = (ROOT / "reference" / "streams", ROOT / "tests" / "reference" / "streams", ROOT / "src" / "kassay")
TEXT = (ROOT / "docs" / "kip-925.md").read_text(encoding="utf-8")
SECTIONS = ["1", "2", "3", "4", "4.A", "4.A.I", "4.B.I", "4.B.II", "4.B.III", "4.C", "4.C.I", "4.D", "4.D.I", "4.D.II", "4.D.III",
            "4.D.IV", "4.E", "5", "6", "7", "8.A"]  # fmt: skip


def rows(heading: str) -> list[list[str]]:
    table = re.findall(r"^\| .*$", TEXT.partition(f"## {heading}")[2].partition("\n## ")[0], re.MULTILINE)
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in table[2:]]


def defines(path: Path, name: str) -> bool:
    """Say whether a file defines a function, a class, a method or a constant."""
    body: list[ast.stmt] = ast.parse(path.read_text(encoding="utf-8")).body
    *outer, last = name.split(".")
    for part in outer:
        body = next((node.body for node in body if isinstance(node, ast.ClassDef) and node.name == part), [])
    names = {node.name for node in body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    return last in names | {ast.unparse(node.target) for node in body if isinstance(node, ast.AnnAssign)}


@pytest.mark.parametrize("named", sorted(set(re.findall(r"`([\w/]+\.py#[\w.]+)`", TEXT))))
def test_what_it_names_is_there(named: str) -> None:
    path, _, name = named.partition("#")
    (found,) = (place / path for place in PLACES if (place / path).exists())
    assert defines(found, name)


def test_every_section_has_rows_and_every_row_names_code_and_a_test() -> None:
    table = rows("What the text says")
    assert list(dict.fromkeys(row[0].partition(" ")[0] for row in table)) == SECTIONS
    for paragraph, says, code, test, _ in table:
        assert says.endswith("."), paragraph
        assert re.fullmatch(r"`[\w/]+\.py#[\w.]+`", code), paragraph
        assert re.fullmatch(r"`test_\w+\.py#test_\w+`", test), paragraph


def test_settings_have_the_defaults_it_says() -> None:
    table = rows("Settings")
    fields = [name.strip("`").replace(".", "_") for name, *_ in table]
    assert sorted(fields) == sorted(Settings.__dataclass_fields__)
    for field, (_, default, *_) in zip(fields, table, strict=True):
        value = getattr(Settings(), field)
        assert default.partition(":")[0].strip("`") == ("none" if value in (None, ()) else str(value)), field
