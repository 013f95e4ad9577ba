"""The rows of a sweep as DataFrames: every column once and plain, and the same numbers as the report's."""

import json
from pathlib import Path

import pytest

pytest.importorskip("pandas")

from kassay import read_sweep
from kassay.comparison.run_diff import compute_changes
from kassay.errors import InputError
from kassay.families import FAMILIES, family
from kassay.output.block import BROKEN, KNOWN_DEFECT
from kassay.reports.sweep.frames import sweep_standings
from kassay.reports.sweep.rows import COLUMNS, field
from kassay.reports.tables.gaps import compute_gaps, select_first_gaps
from kassay.reports.tables.properties import BROKEN as SHOUTED
from kassay.reports.tables.properties import compute_properties

NOTEBOOKS = Path(__file__).parents[2] / "examples" / "notebooks"


@pytest.fixture(scope="module")
def read(sweep):
    return read_sweep(sweep)


def test_rows_are_plain_unique_and_in_order(read, all_rows):
    rows = read.rows
    assert rows.columns.is_unique
    assert all(str(name).isidentifier() for name in rows.columns)
    assert not any(isinstance(value, dict) for value in rows.iloc[0])
    assert len(rows) == len(all_rows)
    known = {(row["id"], row["target"], row["step"]): row for row in all_rows}
    for each in rows.to_dict("records"):
        row = known[each["id"], each["target"], each["step"]]
        assert {name: each[name] for name in row["size"]} == row["size"]
        for name, value in (row["measures"] or {}).items():
            assert each[name] == value, name
    assert rows["id"].is_monotonic_increasing


@pytest.mark.parametrize("name", FAMILIES)
def test_no_family_has_two_columns_of_one_name(name):
    of = family(name)
    levels = of.oracles.levels if of.oracles else ()
    made = [f"{field(level)}_{end}" for level in levels for end in ("value", "optimum", "gap")]
    plain = [one.name for one in COLUMNS if one.type != "struct"]
    every = [*plain, *of.shape.sizes, *of.measures, *made]
    assert len({*every}) == len(every)


def test_gaps_and_promises_are_those_of_the_report(read, summaries):
    for level in read.run.levels:
        expected = select_first_gaps(compute_gaps(summaries), level)[["target", "gap", "rows"]]
        own = read.gaps(level)
        assert {tuple(map(str, row)) for row in own.itertuples(index=False)} == {
            tuple(map(str, row)) for row in expected.itertuples(index=False)
        }
    found = sweep_standings(read)
    for row in compute_properties(summaries).to_dict("records"):
        if row["promised"]:
            expected = {SHOUTED: BROKEN, KNOWN_DEFECT: KNOWN_DEFECT}.get(row["outcome"], "kept")
            assert found[row["target"], row["property"]].says.partition(" on ")[0] == expected, row
    assert {each.change for each in compute_changes(found, found)} == {"alike"}


def test_what_is_not_there_is_said(read, tmp_path):
    with pytest.raises(
        InputError, match=r"there is no 'move' in the sweep\. It has balance, moves, cross-rack"
    ):
        read.gaps("move")
    with pytest.raises(InputError, match=r"run\.json"):
        read_sweep(tmp_path)


def test_a_part_that_is_changed_is_refused(copy):
    part = next(path for path in sorted(copy.rglob("*.parquet")) if "wave=" in str(path))
    part.write_bytes(part.read_bytes()[:-1] + b"x")
    with pytest.raises(InputError, match="was changed after it was written"):
        read_sweep(copy)


def test_settings_of_other_targets_than_the_rows_are_refused(copy):
    settings = copy / "run.json"
    settings.write_text(settings.read_text().replace('"consumer/sticky"', '"consumer/stiicky"'))
    with pytest.raises(
        InputError, match=r"run\.json and the rows differ in the target consumer/sti+cky\. Take"
    ):
        read_sweep(copy)


def test_the_notebooks_have_their_sweep_and_show_what_they_print():
    sweep = read_sweep(NOTEBOOKS / "racks")
    assert len(sweep.rows) == 150 * len(sweep.run.targets)
    assert sweep.run.grid == (NOTEBOOKS / "racks.toml").read_text()
    for path in NOTEBOOKS.glob("*.ipynb"):
        cells = [cell for cell in json.loads(path.read_text())["cells"] if cell["cell_type"] == "code"]
        assert sum(bool(cell["outputs"]) for cell in cells) >= 3, path
        for cell in cells:
            compile("".join(cell["source"]), str(path), "exec")
