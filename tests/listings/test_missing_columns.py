"""A table from which someone cut columns is read, or refused with a sentence: never a traceback."""

from itertools import combinations
from pathlib import Path

import pytest

from kassay.errors import InputError
from kassay.listings import ListingError
from kassay.listings.import_groups import read_listed

HERE = Path(__file__).parent / "kafka-4.3"
TABLES = (
    "members",
    "offsets",
    "share-members",
    "share-offsets",
    "states",
    "streams-groups-members",
    "streams-groups-members-briefly",
)


@pytest.mark.parametrize("name", TABLES)
def test_columns_that_were_cut_out(name: str) -> None:
    text = (HERE / f"{name}.txt").read_text().replace("COORDINATOR (ID)", "COORDINATOR")
    rows = [line.split() for line in text.splitlines() if line.strip()]
    for number in (1, 2, 3):
        for cut in combinations(range(len(rows[0])), number):
            left = ["  ".join(cell for n, cell in enumerate(row) if n not in cut) for row in rows]
            left[0] = left[0].replace("COORDINATOR", "COORDINATOR (ID)")
            assert _read("\n".join(left)), cut


def _read(text: str) -> bool:
    """Return whether a text is read or refused with two sentences; any other exception is the test's failure."""
    try:
        return bool(read_listed([("f", text)], leader=True))
    except (ListingError, InputError) as refused:
        return ". " in str(refused)
