"""The certificate of a joint optimum: prices for each level, or a small tree of cases whose leaves carry prices.

Every member m asks a price for an active copy and one for any copy. Whatever the prices, and wherever the copies are, the
cost of a placement is what its items pay, cost and prices together, and what members have left, their squared loads less
what they are paid; neither part is below its own least, which needs no solver to find. A level before the one that is
proved adds its cost times a multiplier, 0 or more, less what it is worth at most; a cap, and a case of the tree, a price
that its copies pay. :mod:`.check` adds all of it up.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias

Role: TypeAlias = Literal["active", "every"]


@dataclass(frozen=True, slots=True)
class Prices:
    """Whole numbers that bound a level from below: everything times `unit`, or that nothing is possible where it is 0.

    `before` has a multiplier for each level before, `active` and `every` a price for each member, `caps` one for each cap,
    `cases` one for each case on the way from the root, in this order.
    """

    unit: int
    before: tuple[int, ...]
    active: tuple[int, ...]
    every: tuple[int, ...]
    caps: tuple[int, ...]
    cases: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Case:
    """Either `most` or fewer active copies (or copies in every role) of these items are on these members, or more are.

    `items` and `members` are numbers in ascending order; None is all of them.
    """

    items: tuple[int, ...] | None
    members: tuple[int, ...] | None
    role: Role
    most: int


@dataclass(frozen=True, slots=True)
class Split:
    """A case and the proofs of its two sides."""

    case: Case
    fewer: "Proof"
    more: "Proof"


Proof: TypeAlias = Prices | Split
"""What proves that no placement is below some value of one level, those before it being at most what they are worth."""


@dataclass(frozen=True, slots=True)
class Certificate:
    """A proof for each level of a question, in order."""

    proofs: tuple[Proof, ...]
