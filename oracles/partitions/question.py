"""Questions about groups: the levels to minimize in order, and a contract."""

from dataclasses import dataclass

from kassay.model import Assignment, Group
from kassay.oracles.assignment.own_levels import BALANCE, TOPIC_SPREAD
from kassay.oracles.errors import ImpossibleError
from kassay.oracles.partitions.levels import LEVELS, SHORT, Measure
from kassay.sentences import suggest_name


@dataclass(frozen=True, slots=True)
class Question:
    """The objective of an assignment: levels in order, each weighing infinitely more than all after it, and a contract."""

    levels: tuple[str, ...]
    copies: int = 1
    """The number of distinct owners that every partition must have."""
    together: bool = False
    """The range contract: topics with equally many partitions and the same subscribers are co-partitioned.

    Their partitions of equal number go to one member, as evenly as whole partitions allow.
    """
    joined: bool = False
    """The same for the topics that the group's configuration joins, among the members that subscribe to all of them.

    Balance then counts the other topics; moves and reads across racks count all.
    """
    shared: bool = False
    """As many owners of each partition as share groups want, instead of `copies`; see :func:`kassay.properties.partitions.owners.wanted_copies`."""

    @property
    def several(self) -> bool:
        """True if a partition may have several owners, each of which counts as a move if it loses its copy."""
        return self.copies > 1 or self.shared

    @property
    def weighs(self) -> bool:
        """True if partitions are unequal; then no flow answers the question."""
        return any(LEVELS[level].weighs for level in self.levels)

    @property
    def shown(self) -> tuple[str, ...]:
        """The levels that have values: not balance under the range contract, which fixes the loads."""
        return tuple(level for level in self.levels if not (self.together and level == BALANCE))

    def __str__(self) -> str:
        contracts = {"co-partition,": self.together, "joined,": self.joined, "shared,": self.shared}
        contract = "".join(name for name, asked in contracts.items() if asked)
        contract = f"copies={self.copies}," if self.copies > 1 else contract
        return contract + ",".join(self.levels)


def parse_question(text: str) -> Question:
    """Read a question: one of SHORT, or levels with commas between, which ``co-partition``, ``joined``, ``shared`` or ``copies=N`` may precede.

    Raises ImpossibleError naming what is wrong.
    """
    first, *words = [word.strip() for word in SHORT.get(text.strip(), text).split(",")]
    copies, together, joined, shared = 1, *(first == name for name in ("co-partition", "joined", "shared"))
    if first.startswith("copies="):
        number = first.partition("=")[2]
        if not (number.isascii() and number.isdecimal() and len(number) <= 4 and 0 < int(number) <= 1000):
            raise ImpossibleError(f"question: {text!r} asks for {number!r} copies. Give 1 to 1000")
        copies = int(number)
    elif not (together or joined or shared):
        words = [first, *words]
    for word in words:
        if word not in LEVELS:
            raise ImpossibleError(
                f"question: there is no level {word!r} to ask for. The levels are {', '.join(LEVELS)}{suggest_name(word, LEVELS)}"
            )
    if not words or len(set(words)) != len(words):
        raise ImpossibleError(f"question: {text!r} names no level or one twice. Name each level at most once")
    alone = [word for word in words if word == TOPIC_SPREAD or LEVELS[word].weighs]
    if alone and (copies > 1 or together or joined or shared):
        raise ImpossibleError(
            f"question: {text!r} asks for {alone[0]} under a contract. Ask for it with one owner for each partition, and no contract"
        )
    if together or joined:
        # The contract itself fixes loads, so balance comes first even if it is not named.
        words = [BALANCE, *(word for word in words if word != BALANCE)]
    return Question(tuple(words), copies, together, joined, shared)


def remeasure(group: Group, assignment: Assignment, question: Question) -> dict[str, int]:
    """Return the value of an assignment in each level that is shown, in the unit of its measure."""
    return {level: measure(question, level)(group, assignment) for level in question.shown}


def measure(question: Question, level: str) -> Measure:
    """Return the function that measures a level of a question."""
    known = LEVELS[level]
    if question.joined and known.beside_joins:
        return known.beside_joins
    return known.of_copies if question.several and known.of_copies else known.measure
