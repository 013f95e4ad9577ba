"""Quotas: how many tasks members may have while others still have room.

Source: StickyTaskAssignor of Kafka 4.2 to 4.4.
"""


class Quota:
    """So many tasks for so many members: the share of each, rounded up, of what members that are full leave over."""

    def __init__(self, tasks: int, members: int) -> None:
        self._tasks = tasks
        self._members = members
        self.each = self._share()

    def given(self, count: int) -> None:
        """Note that a member has so many tasks now: with just its share it is full."""
        if count == self.each:
            self._members -= 1
            self._tasks -= count
            self.each = self._share()

    def _share(self) -> int:
        return -(-self._tasks // self._members) if self._members else 0
