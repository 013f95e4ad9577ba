"""Questions: what is to be as small as possible, in which order, and under which contract."""

from dataclasses import dataclass

from kassay.oracles.failures import ImpossibleError

MOVES, CROSS_RACK = "moves", "cross-rack"
LEVELS = ("balance", MOVES, CROSS_RACK)
"""What can be asked for: even loads, few moved partitions, few partitions read across racks."""
SHORT = {
    "redundancy": f"copies=2,{','.join(LEVELS)}",
    "co-partition": "co-partition,cross-rack,moves",
    "joined": f"joined,{','.join(LEVELS)}",
}
"""Questions that are short for others."""
OVER_TIME = ("balance,moves,cross-rack", "balance,cross-rack,moves", "balance,moves", "balance,cross-rack")
"""What can be asked of a sequence of rebalances."""


@dataclass(frozen=True, slots=True)
class Question:
    """What makes an assignment best: the levels in order, each weighing infinitely more than all after it.

    `copies` is the number of distinct owners that every partition must have; `together` asks for the range
    contract: topics with equally many partitions and the same subscribers are co-partitioned, and partitions
    of equal number go to one member, as evenly as whole partitions allow. `joined` asks the same of the topics that the
    group's configuration joins, among the members that subscribe to all of them; the loads to be even are then those of the
    other topics, and moves and reads across racks are counted over all.
    """

    levels: tuple[str, ...]
    copies: int = 1
    together: bool = False
    joined: bool = False

    def __str__(self) -> str:
        contract = "co-partition," if self.together else "joined," if self.joined else ""
        contract = f"copies={self.copies}," if self.copies > 1 else contract
        return contract + ",".join(self.levels)


def question(text: str) -> Question:
    """Read a question: levels with commas between, before them at most ``co-partition``, ``joined`` or ``copies=N``.

    ``redundancy`` is short for ``copies=2,balance,moves,cross-rack``, ``co-partition`` alone for
    ``co-partition,cross-rack,moves``, and ``joined`` alone for ``joined,balance,moves,cross-rack``. Raises ImpossibleError naming what is wrong.
    """
    first, *words = [word.strip() for word in SHORT.get(text.strip(), text).split(",")]
    copies, together, joined = 1, first == "co-partition", first == "joined"
    if first.startswith("copies="):
        number = first.partition("=")[2]
        if not (number.isascii() and number.isdecimal() and len(number) <= 4 and 0 < int(number) <= 1000):
            raise ImpossibleError(f"question: {text!r} asks for {number!r} copies; give 1 to 1000")
        copies = int(number)
    elif not (together or joined):
        words = [first, *words]
    for word in words:
        if word not in LEVELS:
            raise ImpossibleError(f"question: {text!r} asks for {word!r}; the levels are {', '.join(LEVELS)}")
    if not words or len(set(words)) != len(words):
        raise ImpossibleError(f"question: {text!r} names no level or one twice; name each level at most once")
    if together or joined:
        # The contract itself fixes loads, so balance comes first whether it is named or not.
        words = ["balance", *(word for word in words if word != "balance")]
    return Question(tuple(words), copies, together, joined)
