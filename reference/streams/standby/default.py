"""Place standby tasks by load alone.

Source: DefaultStandbyTaskAssignor of kafka-streams 4.3.
"""

from collections.abc import Iterable
from heapq import heapify, heappop, heappush

from kassay.model.tasks import TaskId
from kassay.reference.streams.client_state import States


def place(clients: States, tasks: Iterable[TaskId], copies: int) -> None:
    """Give each task as many standbys as wanted, each to the least loaded client without the task, as far as there are any."""
    by_load = [(state.load, state.order, state) for state in clients.values()]
    heapify(by_load)
    for task in tasks:
        left, asked = copies, []
        while left and by_load:
            *_, state = heappop(by_load)
            asked.append(state)
            if not state.holds(task):
                state.standby.add(task)
                left -= 1
        for state in asked:
            heappush(by_load, (state.load, state.order, state))
