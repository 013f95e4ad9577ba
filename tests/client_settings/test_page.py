"""The page of the data has every cell."""

from pathlib import Path

import pytest
from client_settings.test_cells import CLIENTS, cells

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "client-settings.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("client", CLIENTS.values(), ids=list(CLIENTS))
def test_every_cell_is_on_the_page_with_its_evidence(client):
    for cell in cells(client):
        assert f"| {cell.release} | {cell.basis} | {cell.source} |" in PAGE
