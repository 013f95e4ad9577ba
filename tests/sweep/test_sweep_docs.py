from pathlib import Path

from kassay.families import family
from kassay.reports.sweep.rows import COLUMNS

DOCS = (Path(__file__).parents[2] / "docs" / "guides" / "sweep.md").read_text()


def test_the_columns_are_described_as_they_are():
    described = [line for line in DOCS.splitlines() if line.startswith("| `")][-len(COLUMNS) :]
    assert described == [f"| `{column.name}` | {column.says} |" for column in COLUMNS]


def test_every_key_and_kind_of_a_cell_is_described():
    drawing = family("consumer").shape.sampler
    names = [*drawing.usual, *drawing.kinds, *(kind for kinds in drawing.kinds.values() for kind in kinds)]
    assert [name for name in names if f"`{name}`" not in DOCS] == []
