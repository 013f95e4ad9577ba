"""Why nothing is better, as a record that others can check: prices, and what assignment and prices are worth."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np

from kassay.model import Assignment
from kassay.oracles.assignment.certificates.duals import Judged
from kassay.oracles.partitions.encoding import Case


@dataclass(frozen=True, slots=True)
class Part:
    """The proof for some topics that no other topics depend on: all that are read, or a co-partitioned set of them.

    `prices` is what each member that reads any of them asks for a slot, one number per level of the question;
    `value` what the assignment costs and `least` what the prices prove that none can go below, level by level
    and to be compared like words in a dictionary. Balance counts the squared loads. See :mod:`kassay.oracles.assignment.certificates.duals`.
    """

    topics: tuple[str, ...]
    prices: Mapping[str, tuple[int, ...]]
    value: tuple[int, ...]
    least: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Certificate:
    """Why nothing is better: in words, and in prices for each independent part of the question."""

    words: tuple[str, ...]
    parts: tuple[Part, ...]


def part(case: Case, best: Judged) -> Part:
    """Return the proof of one case of a group."""
    some = np.flatnonzero(np.isin(case.problem.subscription_of, case.problem.audience_subscription))
    asked = map(tuple, best.prices.rows[:, some].T.tolist())
    prices = dict(zip(map(case.members.__getitem__, some.tolist()), asked, strict=True))
    return Part(case.names, prices, best.value, best.least)


def written(parts: tuple[Part, ...], assignment: Assignment, *, proved: bool) -> dict[str, Any]:
    """Return the JSON of a certificate, without the assignment itself and the levels."""
    return {
        "proved": proved,
        "loads": {member: len(partitions) for member, partitions in assignment.items()},
        "parts": [_part(each) for each in parts],
    }


def _part(each: Part) -> dict[str, Any]:
    """Write the price that most readers ask once, and the others by member."""
    ((usual, _),) = Counter(each.prices.values()).most_common(1)
    return {
        "topics": each.topics,
        "value": each.value,
        "least": each.least,
        "price": usual,
        "except": {member: price for member, price in each.prices.items() if price != usual},
    }


class LevelForm(msgspec.Struct):
    """A level of an answer; see :class:`.optimum.Level`."""

    level: str
    value: int
    least: int
    proved: bool


class PartForm(msgspec.Struct, rename={"others": "except"}):
    """A part of the proof; `price` is what all readers of its topics ask for a slot, but for those in `others`."""

    topics: list[str]
    value: list[int]
    least: list[int]
    price: list[int]
    others: dict[str, list[int]]


class CertificateForm(msgspec.Struct):
    """What proves an answer; see :func:`written`."""

    proved: bool
    loads: dict[str, int]
    parts: list[PartForm]


class AnswerForm(msgspec.Struct):
    """What `kassay optimum --json` prints for a group; its other keys are no part of the proof."""

    question: str
    levels: list[LevelForm]
    assignment: dict[str, list[tuple[str, int]]]
    certificate: CertificateForm
