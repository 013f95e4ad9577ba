"""A table of a page says what its record says, and each record that has one stands on a page."""

import pytest
from figures import find_pages, keep
from tables import TABLES, write_recorded_table


def test_a_table_has_rows_and_columns_of_its_record_with_the_command_and_the_day(tmp_path, monkeypatch):
    monkeypatch.setattr("figures.FIGURES", tmp_path)
    monkeypatch.setitem(TABLES, "speed", ("made", "groups", "members"))
    keep(
        "made",
        "python make.py",
        "2026-11-27",
        {"groups": {"2": {"a second": 12345}, "3": {"found": "all", "a second": 0.25}}},
    )
    assert write_recorded_table("speed").splitlines() == [
        "| members | a second | found |",
        "| --- | ---: | ---: |",
        "| 2 | 12,345 |  |",
        "| 3 | 0.25 | all |",
        "",
        "`python make.py`, 2026-11-27",
    ]


@pytest.mark.parametrize("part", TABLES)
def test_each_table_stands_on_a_page(part):
    assert write_recorded_table(part)
    assert any(f"<!-- generated: {part} -->" in page.read_text(encoding="utf-8") for page in find_pages())
