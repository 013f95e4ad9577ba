"""What the coordinators of a group have answered so far: what invariants judge the next answer by."""

from collections.abc import Hashable


class History:
    """Generations and what was given in them; `newest` is the highest generation that a member was told of.

    `leaders` and `members` are by generation, the latter as the leader was told; `given` is by generation and member, the items
    of its state; `writers` the first whose commit was accepted, by generation; `static`: whether members are known by instance ids. `rounds` counts the generations that were begun.
    """

    __slots__ = ("given", "leaders", "members", "newest", "rounds", "static", "writers")

    def __init__(self, *, static: bool) -> None:
        self.static = static
        self.leaders: dict[int, str] = {}
        self.members: dict[int, frozenset[str]] = {}
        self.given: dict[tuple[int, str], frozenset[Hashable]] = {}
        self.writers: dict[int, str] = {}
        self.newest = 0
        self.rounds = 0

    def copy(self) -> "History":
        """Copy all of it."""
        twin = History.__new__(History)
        twin.leaders, twin.members, twin.given = self.leaders.copy(), self.members.copy(), self.given.copy()
        twin.writers, twin.static = self.writers.copy(), self.static
        twin.newest, twin.rounds = self.newest, self.rounds
        return twin
