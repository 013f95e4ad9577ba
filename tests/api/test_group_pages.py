"""Every row of the pages about the group protocol names code and a test that exist."""

import re

import pytest
from pages import ROOT, is_there, names, rows, section

from kassay.protocol.simulation.schedule import SCENARIOS

PLACES = (
    ROOT / "reference" / "group",
    ROOT / "tests" / "reference" / "group",
    ROOT / "tests" / "simulation",
    ROOT,
)
TEXTS = {
    name: section((ROOT / "docs" / "reference" / "kips.md").read_text(encoding="utf-8"), name)
    for name in ("Client-side assignment", "KIP-848 reconciliation")
}
TABLES = [
    ("Client-side assignment", "Paragraphs of the proposal", 50),
    ("Client-side assignment", "Later KIPs", 6),
    ("KIP-848 reconciliation", "Steps of the reconciliation", 10),
    ("KIP-848 reconciliation", "Invariants of the specification", 9),
]


@pytest.mark.parametrize(
    "named", [f"{page} {named}" for page, text in TEXTS.items() for named in names(text)]
)
def test_what_a_page_names_is_there(named: str) -> None:
    assert is_there(named.rpartition(" ")[2], PLACES)


@pytest.mark.parametrize(("page", "heading", "least"), TABLES)
def test_every_row_names_code_and_a_test(page: str, heading: str, least: int) -> None:
    table = rows(TEXTS[page], heading)
    assert len(table) >= least
    for paragraph, says, code, test, *_ in table:
        assert says.endswith("."), paragraph
        assert re.search(r"`[\w/]+\.py#[\w.]+`", code), paragraph
        assert re.search(r"`[\w/]*test_\w+\.py#test_\w+`", test), paragraph


def test_scenarios_that_a_page_names_exist() -> None:
    linked = {anchor for text in TEXTS.values() for anchor in re.findall(r"--scenario ([\w-]+)", text)}
    assert linked
    assert linked <= SCENARIOS.keys()
