"""On each page of README and docs every measured number stands in what a command wrote; each record serves a page, and its command is there."""

import re
from pathlib import Path

import pytest
from figures import FIGURES, NAMED, ROOT, find_pages, from_nowhere, record
from tables import TABLES

RECORDS = sorted(path.stem for path in FIGURES.glob("*.json"))
SESSIONS = re.findall(r"^def (\w+)\(session", (ROOT / "noxfile.py").read_text(encoding="utf-8"), re.MULTILINE)


@pytest.mark.parametrize("page", find_pages(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_number_comes_from_nowhere(page):
    lost = [f"line {line}: {number}" for line, number in from_nowhere(page.read_text(encoding="utf-8"))]
    assert not lost, "name its record, or write it by a command (docs/scripts/figures.py)"


def test_each_record_serves_a_page():
    assert RECORDS
    named = {
        name
        for page in find_pages()
        for names in NAMED.findall(page.read_text(encoding="utf-8"))
        for name in names.split()
    }
    assert set(RECORDS) == {name for name in named if "." not in name} - {"given"} | {
        name for name, _, _ in TABLES.values()
    }


@pytest.mark.parametrize("name", RECORDS)
def test_the_command_of_a_record_is_there(name):
    kept = record(name)
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", kept.on)
    match kept.command.split():
        case ["nox", "-s", session, *_]:
            assert session in SESSIONS
        case ["python", path, *_]:
            assert (ROOT / path).exists()
        case ["kassay", *_]:
            assert all(Path(ROOT / word).exists() for word in kept.command.split() if "/" in word)
        case other:
            pytest.fail(f"{other} is no command of the repository")
