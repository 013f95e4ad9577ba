"""A listing with any mutation is read, or refused with a sentence."""

import json
import re
from collections.abc import Callable
from dataclasses import asdict
from itertools import combinations
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from listings.listing_layouts import MEMBERS, TOPICS, Cluster, clusters, offsets
from whole import share

from kassay.errors import InputError
from kassay.listings import Listing, ListingError, decode, read_broker_racks, read_listings, read_member_racks
from kassay.listings.applications import Details, read_applications
from kassay.listings.import_groups import read_listed
from kassay.listings.topologies import read_end_offsets
from kassay.model.tasks_json import write_group

FOLDER = Path(__file__).parent / "kafka-4.3"
CHARACTERS = "aZ09-_.,;:()#/{}[]\"'`\\%$ \t\n\r\x00\x0b\x1b\x85\xa0\u2028\u0661\ufeff\ud800é中😀"
"""Few, for drawing from all of Unicode starts with seconds of table building."""
ODD = st.one_of(
    st.sampled_from(
        ["", " ", "\n", "\t", "-", ",", "(", ")", ":", ";", "9" * 12, "GROUP", "Topic:", "Error: x", "\x00"]
    ),
    st.text(CHARACTERS, max_size=3),
)


@st.composite
def mutated(draw: st.DrawFn, text: str) -> str:
    """The text after a few slips: pieces lost, doubled, replaced, swapped or cut off; by character, word or line."""
    for _ in range(draw(st.integers(1, 3))):
        separator = draw(st.sampled_from(["", " ", "\n", ","]))
        pieces = text.split(separator) if separator else list(text)
        where = draw(st.integers(0, max(0, len(pieces) - 1)))
        other = draw(st.integers(0, max(0, len(pieces) - 1)))
        match draw(st.sampled_from(["drop", "double", "replace", "swap", "cut"])) if pieces else "none":
            case "drop":
                del pieces[where]
            case "double":
                pieces.insert(other, pieces[where])
            case "replace":
                pieces[where] = draw(ODD)
            case "swap":
                pieces[where], pieces[other] = pieces[other], pieces[where]
            case "cut":
                del pieces[where:]
        text = separator.join(pieces)
    return text


def read_or_refused(read: Callable[[], Any]) -> None:
    try:
        result = read()
    except (ListingError, InputError) as error:
        sentence = str(error)
        assert sentence
        assert re.search("[;.] .*[^ ]$", sentence), "it says the fix"
        assert "\n" not in sentence
        assert sentence.isprintable() or not sentence.isascii()
    else:
        written(result).encode()


def written(result: Any) -> str:
    """The result as JSON, which also fails on half a character."""
    shown = (
        [
            asdict(each) | {"facts": msgspec.to_builtins(each.facts)} if isinstance(each, Listing) else each
            for each in result
        ]
        if isinstance(result, list)
        else result
    )
    return json.dumps(shown, ensure_ascii=False)


@given(st.data(), clusters())
def test_mutated_listings(data: st.DataObject, cluster: Cluster) -> None:
    layouts = data.draw(st.lists(st.sampled_from([*MEMBERS, offsets]), min_size=1, max_size=2))
    text = "".join(layout(*group) for layout in layouts for group in cluster.groups.items())
    text += data.draw(st.sampled_from(TOPICS))(cluster.topics)
    broken = data.draw(mutated(text))
    subscriptions = data.draw(st.sampled_from(["all", "held", "listed"]))
    racks = data.draw(st.sampled_from([None, {1: "a"}]))

    def read() -> object:
        listings = read_listings([("g.txt", broken)], broker_racks=racks, subscriptions=subscriptions)
        for listing in listings:
            assert all(listing.warnings)
            assert "\n" not in "".join(listing.warnings)
        return listings

    read_or_refused(read)


STREAMS = "".join((FOLDER / f"streams-{name}.txt").read_text() for name in ("members", "topics"))


@settings(max_examples=share(20, 500))
@given(st.data())
def test_mutated_listings_of_kafka_streams(data: st.DataObject) -> None:
    broken = data.draw(mutated(STREAMS))
    stated = data.draw(st.sampled_from([(), ("shop.orders",), ("shop.payments,shop.users", "counts:counts")]))

    def read() -> list[Any]:
        found = read_applications([("g.txt", broken)], Details(subtopologies=stated), "shop")
        return [write_group(one.application) for one in found]

    read_or_refused(read)


@given(st.text(CHARACTERS))
def test_any_text(text: str) -> None:
    read_or_refused(lambda: read_listings([("g.txt", text)]))
    read_or_refused(lambda: read_broker_racks("r.txt", text))
    read_or_refused(lambda: read_member_racks("r.txt", text))
    read_or_refused(lambda: [str(one) for one in read_end_offsets("e.txt", text)])


@given(st.binary())
def test_any_bytes(content: bytes) -> None:
    read_or_refused(lambda: decode("g.txt", content))


@given(
    st.data(),
    st.sampled_from(["1 a\n2 b\n", "1,a\n2,-\n", '{"1": "a", "2": null}', "h:9092 (id: 1 rack: a) -> (\n"]),
)
def test_mutated_rack_tables(data: st.DataObject, text: str) -> None:
    broken = data.draw(mutated(text))
    read_or_refused(lambda: read_broker_racks("r.txt", broken))
    read_or_refused(lambda: read_member_racks("r.txt", broken))


@given(
    st.text(CHARACTERS.replace("\ud800", ""), max_size=20), st.sampled_from(["utf-8", "utf-8-sig", "utf-16"])
)
def test_decode_follows_the_byte_order_mark(text: str, encoding: str) -> None:
    if encoding != "utf-8" or not text.startswith("\ufeff"):
        assert decode("g.txt", text.encode(encoding)) == text


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
def test_a_table_without_columns_is_read_or_refused(name: str) -> None:
    text = (FOLDER / f"{name}.txt").read_text().replace("COORDINATOR (ID)", "COORDINATOR")
    rows = [line.split() for line in text.splitlines() if line.strip()]
    for number in (1, 2, 3):
        for cut in combinations(range(len(rows[0])), number):
            left = ["  ".join(cell for n, cell in enumerate(row) if n not in cut) for row in rows]
            left[0] = left[0].replace("COORDINATOR", "COORDINATOR (ID)")
            assert _read("\n".join(left)), cut


def _read(text: str) -> bool:
    """Return True if a text is read, or refused with problem and fix; other exceptions fail the test."""
    try:
        return bool(read_listed([("f", text)], leader=True))
    except (ListingError, InputError) as refused:
        return ". " in str(refused)
