"""Clients by their load, of which the first is taken that may have a task: a heap, which loads change beneath.

A client whose load changes while it is in the heap is put in anew, but one after the other: the heap may be out of order then,
and not give the client with the least load.

Source: ConstrainedPrioritySet of kafka-streams 4.3.
"""

from collections.abc import Callable

from kassay.reference.java.priority_queue import PriorityQueue
from kassay.reference.streams.client_state import ClientState, States
from kassay.reference.streams.hash_orders import client_order


class ConstrainedPrioritySet:
    """The clients, each once, with the least load first, of equals the one with the lower id."""

    def __init__(self, clients: States) -> None:
        self._clients = clients
        self._queue: PriorityQueue[ClientState] = PriorityQueue(lambda state: (state.load, state.order))
        for state in clients.values():
            self.offer(state)

    def poll(self, allowed: Callable[[ClientState], bool]) -> ClientState | None:
        """Take out the first client that is allowed; None where none is."""
        refused: list[str] = []
        found = None
        while len(self._queue) and found is None:
            state = self._queue.poll()
            if allowed(state):
                found = state
            else:
                refused.append(state.client.id)
        self.offer(*(self._clients[name] for name in client_order(refused, self._clients)))
        return found

    def offer(self, *states: ClientState) -> None:
        """Put clients in, one after the other, each where its load is now."""
        for state in states:
            self._queue.remove(state)
            self._queue.offer(state)
