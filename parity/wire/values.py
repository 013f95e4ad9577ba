"""Random values of messages, and bytes that are nearly right: a seed gives the same ones everywhere."""

import random
from collections.abc import Callable, Sequence
from functools import cache
from types import NoneType, UnionType
from typing import Any, TypeAlias, TypeVar, get_args, get_origin, get_type_hints
from uuid import UUID

import msgspec

from kassay.model import TopicPartition
from kassay.reference.wire import connect, group
from kassay.reference.wire.schema import Field

TEXTS = (
    "", "t", "t1", "orders", "Aa", "BB", "AaAa", "BBBB", "é", "\0", "日本", "\U0001f600", "\uffff", "x" * 200,
)  # fmt: skip
BITS: dict[Any, int] = {
    "unique_field": 8,
    "offset": 64,
    "offset_sum": 64,
    "next_rebalance_ms": 64,
    (group.JoinGroupResponse, "error_code"): 16,
    (group.SyncGroupResponse, "error_code"): 16,
    (connect.Assignment, "error"): 16,
}
"""Of numbers that have not 32."""
Make: TypeAlias = Callable[[random.Random], Any]
T = TypeVar("T")


def value(rng: random.Random, kind: type, version: int) -> Any:
    """Make a value; rarely with what the version cannot say."""
    return _maker(kind, version, 32)(rng)


@cache
def _maker(of: Any, version: int, bits: int) -> Make:
    """Return what makes random values of a type."""
    if get_origin(of) is UnionType:
        given = _maker(next(one for one in get_args(of) if one is not NoneType), version, bits)
        return lambda rng: None if rng.random() < 0.3 and version else given(rng)
    if get_origin(of) is tuple:
        one = _maker(get_args(of)[0], version, bits)
        return lambda rng: tuple([one(rng) for _ in range(_count(rng))])
    simple: dict[Any, Make] = {
        int: lambda rng: number(rng, bits),
        str: text,
        bytes: lambda rng: rng.randbytes(_pick(rng, (0, 1, 7, 300))),
        bool: lambda rng: rng.random() < 0.5,
        UUID: lambda rng: UUID(int=rng.getrandbits(128)),
        TopicPartition: partition,
    }
    return simple[of] if of in simple else _of_struct(of, version)


def _of_struct(kind: type, version: int) -> Make:
    known = {
        name: (get_args(hint) or [None])[-1]
        for name, hint in get_type_hints(kind, include_extras=True).items()
    }
    usual = msgspec.structs.astuple(kind())
    parts = []
    for (name, of), default in zip(get_type_hints(kind).items(), usual, strict=True):
        field = known[name]
        lacking = isinstance(field, Field) and not (field.since <= version <= field.until or field.ignorable)
        bits = BITS.get((kind, name)) or BITS.get(name, 32)
        parts.append((default, 0.995 if lacking else 0.05, _maker(of, version, bits)))

    def make(rng: random.Random) -> Any:
        return kind(*[default if rng.random() < usually else one(rng) for default, usually, one in parts])

    return make


def _count(rng: random.Random) -> int:
    return _pick(rng, (0, 1, 8, 60) if rng.random() < 0.03 else (0, 1, 2, 3))


def _pick(rng: random.Random, some: Sequence[T]) -> T:
    return some[int(rng.random() * len(some))]


def number(rng: random.Random, bits: int = 32) -> int:
    """Make a signed number, often small or at an end."""
    most = 2 ** (bits - 1)
    if rng.random() < 0.6:
        return _pick(rng, (-1, 0, 1, 5, 99, most - 1, -most))
    return rng.getrandbits(bits) - most


def text(rng: random.Random) -> str:
    """Make some text, very rarely one that is too long."""
    if rng.random() < 0.0002:
        return "ä" * rng.choice((16_383, 16_384, 32_768))
    return _pick(rng, TEXTS) + (str(int(rng.random() * 30)) if rng.random() < 0.3 else "")


def partition(rng: random.Random) -> TopicPartition:
    """Make a partition."""
    return TopicPartition(text(rng), _pick(rng, (0, 1, 2, rng.getrandbits(31))))


def spoiled(rng: random.Random, data: bytes) -> bytes:
    """Change a few bytes, cut some off, or add some."""
    changed = bytearray(data)
    kind = rng.random()
    if kind < 0.35:
        return bytes(changed[: rng.randint(0, len(changed))])
    if kind < 0.5:
        return data + rng.randbytes(rng.randint(1, 9))
    if kind < 0.58:
        return rng.randbytes(rng.randint(0, 40))
    for _ in range(rng.choice((1, 1, 2, 5))):
        if changed:
            changed[rng.randrange(len(changed))] = rng.choice(
                (0, 1, 0x7F, 0x80, 0xC3, 0xED, 0xFF, rng.randrange(256))
            )
    return bytes(changed)
