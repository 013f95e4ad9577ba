"""The findings of the guided fuzzer are replayed: on correct code every door takes them, and with a planted fault the door fails."""

import pytest

pytest.importorskip("pyarrow", reason="pip install 'kassay[reports]'")

import json

from fuzzing.door import trace_memory
from fuzzing.doors import DOORS, enter_door
from fuzzing.guided import CORPUS, SHARES, fails, shrink_input
from fuzzing.planted import PLANTED
from fuzzing.still import NothingIsDueError, run

KEPT = json.loads(CORPUS.read_text())


@pytest.fixture(scope="module")
def doors():
    return {name: enter_door(name, trace_memory)[1] for name in ("codecs", "dialled", "led", "told")}


@pytest.mark.parametrize(
    ("door", "found"), [(door, one) for door, some in KEPT["found"].items() for one in some]
)
def test_what_was_found_is_mended(door, found, doors):
    doors[door](bytes.fromhex(found))


@pytest.mark.parametrize("fault", PLANTED)
def test_a_planted_fault_is_found_by_what_found_it(fault, doors):
    door, plant = PLANTED[fault]
    found = bytes.fromhex(KEPT["planted"][fault])
    assert not fails(doors[door], found)
    with plant():
        assert fails(doors[door], found)


def test_each_door_has_its_part():
    assert SHARES.keys() == DOORS.keys()
    assert sum(SHARES.values()) == pytest.approx(1)


def test_an_input_is_made_small():
    def enter(data):
        assert b"ab" not in data

    assert shrink_input(enter, b"xxxaxxabxxxx") == b"ab"


def test_who_waits_for_nobody_is_found():
    async def waits():
        import asyncio

        await asyncio.Event().wait()

    with pytest.raises(NothingIsDueError):
        run(waits())
