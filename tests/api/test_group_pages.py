"""Every row of the pages about the group protocol names code and a test that exist."""

import re

import pytest
from pages import ROOT, is_there, names, rows

from kassay.protocol.simulation.schedule import SCENARIOS

PLACES = (
    ROOT / "reference" / "group",
    ROOT / "tests" / "reference" / "group",
    ROOT / "tests" / "simulation",
    ROOT,
)
TEXTS = {
    name: (ROOT / "docs" / name).read_text(encoding="utf-8")
    for name in ("client-side-assignment.md", "reconciliation.md")
}
TABLES = [
    ("client-side-assignment.md", "What the text says", 50),
    ("client-side-assignment.md", "What came later", 6),
    ("reconciliation.md", "What the text says", 10),
    ("reconciliation.md", "Invariants of the published specification", 9),
]


@pytest.mark.parametrize(
    "named", [f"{page} {named}" for page, text in TEXTS.items() for named in names(text)]
)
def test_what_a_page_names_is_there(named: str) -> None:
    assert is_there(named.partition(" ")[2], PLACES)


@pytest.mark.parametrize(("page", "heading", "least"), TABLES)
def test_every_row_names_code_and_a_test(page: str, heading: str, least: int) -> None:
    table = rows(TEXTS[page], heading)
    assert len(table) >= least
    for paragraph, says, code, test, *_ in table:
        assert says.endswith("."), paragraph
        assert re.search(r"`[\w/]+\.py#[\w.]+`", code), paragraph
        assert re.search(r"`[\w/]*test_\w+\.py#test_\w+`", test), paragraph


def test_links_to_scenarios_lead_to_their_titles() -> None:
    linked = {
        anchor for text in TEXTS.values() for anchor in re.findall(r"group-scenarios\.md#([\w-]+)", text)
    }
    assert linked
    assert linked <= SCENARIOS.keys()
