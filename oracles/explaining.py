"""How far an answer is from the best possible, in sentences: what would do, what to hand to whom, and why nothing less does."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kassay.oracles.levels import LevelWords

NAMED = 6
"""How many things a sentence hands over at most."""
NO_COUNT = "which is proved"
"""A reason that says so is a proof, and no count that a reader could do again."""


@dataclass(frozen=True, slots=True)
class Far:
    """An answer in one level: its value, the optimum, the fewest things to hand over for it, and why nothing less is possible.

    `handed` are written as ``t0-0 from m1 to m0``; `loads` say what an even answer gives everybody, "" where that is no single number, and `given` under which condition the optimum holds.
    """

    words: LevelWords
    value: int
    optimum: int
    handed: tuple[str, ...] = ()
    why: str = ""
    loads: str = ""
    given: str = ""

    @property
    def says(self) -> str:
        """What would do in this level, without its condition; "" where nothing would do better."""
        if self.value > self.optimum:
            return self.loads or self._beside()
        uneven = self.words.counts == "loads" and self.value == self.optimum and self.handed
        return f"{self._whose} can be more even" if uneven else ""

    @property
    def _whose(self) -> str:
        whose = self.words.whose
        return whose if whose and not whose.startswith("with ") else f"loads {whose}".rstrip()

    def _beside(self) -> str:
        if self.words.counts != "loads":
            return self.words.beside(self.value, self.optimum)
        return f"{self._whose} are {self.value:,} apart, where {self.optimum:,} is possible"


def sentences(levels: Iterable[Far]) -> list[str]:
    """Say of each level that is not at its best what would do; levels that the same handing over puts right are one sentence."""
    one_cause: dict[tuple[str, ...], list[Far]] = {}
    for each in levels:
        if each.says:
            one_cause.setdefault(each.handed, []).append(each)
    return [sentence for handed, fars in one_cause.items() for sentence in _said(handed, fars)]


def _said(handed: Sequence[str], fars: Sequence[Far]) -> list[str]:
    given = {each.says: each.given for each in reversed(fars)}  # of what is told twice the first counts
    what = "; ".join(f"{says}{given[says]}" for says in dict.fromkeys(each.says for each in fars))
    more = [f"{len(handed) - NAMED} more"] if len(handed) > NAMED else []
    hand = f": hand {' and '.join([*handed[:NAMED], *more])}" if handed else ""
    whys = dict.fromkeys(each.why for each in fars if each.why and NO_COUNT not in each.why)
    return [f"{what[:1].upper()}{what[1:]}{hand}.", *(f"Nothing less is possible: {why}." for why in whys)]
