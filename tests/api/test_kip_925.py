"""Every row on KIP-925 in docs/reference/kips.md names code and a test that exist, and settings have the defaults that it says."""

import re

import pytest
from pages import ROOT, is_there, names, rows, section

from kassay.model.tasks import Settings

PLACES = (
    ROOT / "reference",
    ROOT / "reference" / "streams",
    ROOT / "tests" / "reference" / "streams",
    ROOT / "src" / "kassay",
    ROOT,
)
TEXT = section((ROOT / "docs" / "reference" / "kips.md").read_text(encoding="utf-8"), "KIP-925")
SECTIONS = ["1", "2", "3", "4", "4.A", "4.A.I", "4.B.I", "4.B.II", "4.B.III", "4.C", "4.C.I", "4.D", "4.D.I", "4.D.II", "4.D.III",
            "4.D.IV", "4.E", "5", "6", "7", "8.A"]  # fmt: skip


@pytest.mark.parametrize("named", names(TEXT))
def test_what_it_names_is_there(named: str) -> None:
    assert is_there(named, PLACES)


def test_every_section_has_rows_and_every_row_names_code_and_a_test() -> None:
    table = rows(TEXT, "Paragraphs of KIP-925")
    assert list(dict.fromkeys(row[0].partition(" ")[0] for row in table)) == SECTIONS
    for paragraph, says, code, test, _ in table:
        assert says.endswith("."), paragraph
        assert re.fullmatch(r"`[\w/]+\.py#[\w.]+`", code), paragraph
        assert re.fullmatch(r"`test_\w+\.py#test_\w+`", test), paragraph


def test_settings_have_the_defaults_it_says() -> None:
    table = rows(TEXT, "Settings of KIP-925")
    fields = [name.strip("`").replace(".", "_") for name, *_ in table]
    assert sorted(fields) == sorted(Settings.__dataclass_fields__)
    for field, (_, default, *_) in zip(fields, table, strict=True):
        value = getattr(Settings(), field)
        assert default.partition(":")[0].strip("`") == ("none" if value in (None, ()) else str(value)), field
