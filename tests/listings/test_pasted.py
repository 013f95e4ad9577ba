"""Listings as people paste them, of every release and mode, with the text around them.

The folder `pasted` has the files. Its `expected.json` has the groups and facts of each file, which were checked line by line.
"""

import json
from pathlib import Path

import pytest

from kassay.errors import InputError
from kassay.files.reading import read_listed_groups
from kassay.listings.import_groups import read_listed

FOLDER = Path(__file__).parent / "pasted"
EXPECTED = json.loads((FOLDER / "expected.json").read_text())
FILES = sorted(path.name for path in FOLDER.iterdir() if path.name != "expected.json")
SETTLED = {
    "in_use": "", "state": "", "strategy": "", "lag": 0, "lag_unknown": 0, "lag_printed": False, "target_reached": None,
    "skipped_lines": 0, "problem": "",
}  # fmt: skip


def found(name, text=None):
    """Return the groups of a listing as read, in the form of `expected.json`."""
    content = (FOLDER / name).read_bytes().decode() if text is None else text
    return [said(one) for one in read_listed([(name, content)], leader=False)]


def said(one):
    rows = one.record.get("members", one.record.get("workers", []))
    owned = {row["id"]: len(row.get("owned", row.get("active", row.get("tasks", [])))) for row in rows}
    facts = one.facts
    told = {"name": one.name, "family": one.family, "owned": list(owned.values())}
    if facts is None:
        return told
    more = {name: getattr(facts, name) for name in ("members", "partitions", *SETTLED) if name != "in_use"}
    more["in_use"] = one.beside.get("in_use", "")
    return told | {name: value for name, value in more.items() if value != SETTLED.get(name, ...)}


def test_every_file_has_its_expectation():
    differ = sorted(EXPECTED.keys() ^ {*FILES})
    assert not differ, f"tests/listings/pasted: give each of {differ} a file and an entry in expected.json"
    assert len(FILES) > 80


@pytest.mark.parametrize("name", FILES)
def test_what_is_read_of_it(name):
    (first, *_) = expected = EXPECTED[name]
    if "refused" in first:
        with pytest.raises(InputError) as refused:
            found(name)
        assert str(refused.value) == first["refused"]
    else:
        assert found(name) == expected


@pytest.mark.parametrize("name", FILES)
def test_it_is_read_for_commands_group_by_group(name):
    expected = EXPECTED[name]
    unlisted = any("does not print which" in one.get("problem", "") for one in expected)
    if not unlisted and all({"problem", "refused"} & one.keys() for one in expected):
        with pytest.raises(InputError):
            read_listed_groups([str(FOLDER / name)])
        return
    reads = read_listed_groups([str(FOLDER / name)])
    assert [read.family for read in reads] == [one["family"] for one in expected]
    assert [read.value is None for read in reads] == ["problem" in one for one in expected]
    assert [read.in_use for read in reads] == [one.get("in_use", "") for one in expected]
