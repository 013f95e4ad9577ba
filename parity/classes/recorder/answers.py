"""What Kafka's own classes answered, as record.py writes it and tests read it."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from textwrap import wrap
from typing import Any

from classes.groups import (
    connect_rounds,
    random_streams_groups,
    random_timelines,
    random_user_data,
    server_groups,
)

from kassay.engine.differential import normalize_answer
from kassay.families import family

ANSWERS = Path(__file__).parents[1] / "answers"
SEED = 20
MANY, FEW, OF_SERVERS = 5_000, 1_000, 2_000
MUCH = frozenset(
    {
        "consumer/range@4.4.0",
        "consumer/range@3.4.1",
        "consumer/roundrobin@4.4.0",
        "consumer/roundrobin@2.3.1",
        "consumer/sticky@4.4.0",
        "consumer/sticky@2.8.0",
        "consumer/cooperative-sticky@4.4.0",
        "consumer/cooperative-sticky@3.4.0",
    }
)
"""What is held against its answers to many groups; other assignors of clients to a few, all of servers to more."""

USER_DATA = "user-data"
"""The kind of groups whose members bring user data of their own."""

DIGITS = 8


def number(reference: str, kind: str = "") -> int:
    """Return how many groups of a kind a reference is asked about."""
    if not reference.startswith("consumer/") or (kind == USER_DATA and reference in MUCH):
        return OF_SERVERS
    return MANY if reference in MUCH else FEW


def stream(of_family: str, seed: int, kind: str = "") -> Iterator[Any]:
    """Yield the groups of a kind that references of a family are asked about, without end."""
    if kind == USER_DATA:
        return random_user_data.groups(seed)
    if of_family == "streams-group":
        return random_streams_groups.stream(seed)
    if of_family == "connect":
        return connect_rounds.stream(seed)
    return random_timelines.stream(seed) if of_family == "consumer" else server_groups.stream(seed, of_family)


@dataclass(frozen=True)
class Recorded:
    """The hashes of the answers of some classes to the first groups of a seed, and that of all these groups."""

    reference: str
    classes: tuple[str, ...]
    seed: int
    groups: str
    answers: list[str]

    def text(self) -> str:
        """Write it as JSON, sixteen answers a line."""
        return json.dumps(vars(self) | {"answers": wrap("".join(self.answers), 16 * DIGITS)}, indent=0) + "\n"

    @staticmethod
    def read(path: Path) -> "Recorded":
        """Read what `text` wrote."""
        held = json.loads(path.read_text(encoding="ascii"))
        answers = wrap("".join(held.pop("answers")), DIGITS)
        return Recorded(**held | {"classes": tuple(held["classes"])}, answers=answers)


def kept(path: Path, text: str, *, check: bool) -> bool:
    """Write a file of answers, or only check that it is as it would be written; say whether all is well."""
    if not check:
        path.write_text(text, encoding="ascii")
        print(f"{path.name}: {len(text)} bytes", flush=True)
    elif not path.exists() or path.read_text(encoding="ascii") != text:
        print(f"{path.name}: is not what Kafka's classes answer", flush=True)
        return False
    return True


def hash_of_answer(answer: Any, of_family: str = "consumer") -> str:
    """Hash what an answer says: lists in order, failures by their words."""
    return hash_of(normalize_answer(answer, family(of_family)))


def hash_of_groups(groups: Iterable[Any], of_family: str = "consumer") -> str:
    """Hash groups, so that others are told apart from a wrong answer; those of topics and members alike for all families."""
    shape = family(of_family).shape
    name = "consumer" if shape.name == family("consumer").shape.name else of_family
    return hash_of([{"family": name, **shape.write_group(group)} for group in groups])


def hash_of(value: Any) -> str:
    """Hash what can be written as JSON."""
    return blake2b(json.dumps(value, sort_keys=True).encode(), digest_size=DIGITS // 2).hexdigest()
