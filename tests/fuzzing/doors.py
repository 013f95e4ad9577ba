"""The places at which bytes of others come in: each door takes any bytes, and raises only if kassay has a defect."""

import random
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from fuzzing.clusters import take_answers
from fuzzing.conversations import ask_broker, join_client, lead_client
from fuzzing.door import Door, limit_memory
from fuzzing.fuzz import mutate
from fuzzing.readers import REFUSALS, readers
from wire.cases import CASES

from kassay.errors import InputError
from kassay.reference.wire.schema import MalformedError


def codecs() -> Door:
    """All messages of the group protocol: what is read is written, and read again as the same."""
    names = sorted(name for name, case in CASES.items() if case.read)

    def enter(data: bytes) -> None:
        name, at = names[data[0] % len(names)] if data else names[0], data[1] if len(data) > 1 else 0
        case = CASES[name]
        told = name.startswith("Consumer")  # by the bytes themselves
        version = case.versions[-1 if told else at % len(case.versions)]
        try:
            value = case.read(data[2:], version) if case.read else None
        except MalformedError:
            return
        try:
            written = case.write(value, version)
        except InputError:
            return
        again = case.read(written, version) if case.read else None
        assert again == value, f"{name}, version {version}: {value} is read as {again}"

    seeds = []
    for number, name in enumerate(names):
        rng, case = random.Random(name), CASES[name]
        for at, version in enumerate(case.versions):
            with suppress(InputError):
                seeds.append(bytes((number, at)) + case.write(case.make(rng, version), version))
    return Door(enter, tuple(seeds))


def imports() -> Door:
    """All readers of files, in :mod:`fuzzing.readers`: each reads, or refuses with a sentence."""
    folder = tempfile.TemporaryDirectory()
    known = readers(Path(folder.name))
    names = sorted(set(known) - SLOW)

    def enter(data: bytes) -> None:
        name = names[data[0] % len(names)] if data else names[0]
        try:
            known[name].read(data[1:])
            said = "it reads"
        except REFUSALS as refused:
            said = str(refused)
        assert said.strip(), f"{name} refuses without a sentence"
        assert folder

    def changed(data: bytes, rng: random.Random) -> bytes:
        return data[:1] + mutate(data[1:], rng)

    seeds = tuple(bytes((at,)) + one for at, name in enumerate(names) for one in known[name].documents)
    return Door(enter, seeds, changed)


SLOW = {"certificate", "group of a certificate", "certificate alone", "group of one alone"}
SLOW |= {"question", "run", "parts"}
"""Readers that work long on what they have read; fuzz.py gives them their documents."""


DOORS: dict[str, Callable[[], Door]] = {
    "codecs": codecs,
    "imports": imports,
    "led": lead_client,
    "joined": join_client,
    "dialled": ask_broker,
    "told": take_answers,
}
"""Name -> what opens the door."""


def enter_door(name: str, bound: Callable[[Any], Any] = limit_memory) -> tuple[Door, Callable[[bytes], None]]:
    """Open a door; return it, and what takes an input, within bounds."""
    door = DOORS[name]()
    return door, bound(door.enter)
