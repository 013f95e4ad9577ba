"""What even means: tasks for each thread, compared as exact fractions.

Loads are even where the squares of clients' tasks, each by its client's threads, have the least sum. Where tasks may go anywhere
that is where no single task on another client makes the tasks for each thread of two clients differ by less. Threads then differ
by one task at most, and among all such loads the clients are even too: see docs/oracles/tasks.md.
"""

from collections.abc import Iterable
from fractions import Fraction


def evens(many: int, threads: int, few: int, others: int) -> bool:
    """Return whether a task less on one client and one more on another makes their tasks for each thread differ by less."""
    return 2 * (many * others - few * threads) > threads + others


def uneven(loads: Iterable[tuple[int, int]]) -> bool:
    """Return whether a task on another client would make two clients differ by less; `loads` are tasks and threads of each."""
    known = list(loads)
    # what the square by threads of the giver loses is more than what that of the taker gains
    last = max((Fraction(2 * tasks - 1, threads) for tasks, threads in known if tasks), default=Fraction(0))
    return any(last > Fraction(2 * tasks + 1, threads) for tasks, threads in known)


def imbalance(loads: Iterable[tuple[int, int]]) -> int:
    """Return the tasks of the busiest thread less those of the idlest one, and 2 at least where clients are uneven.

    A client's tasks are dealt evenly to its threads, so these have the quotient, rounded up or down. Threads that differ by one at
    most can belong to clients of which one idles while another one is full.
    """
    known = list(loads)
    busiest = max((-(-tasks // threads) for tasks, threads in known), default=0)
    apart = busiest - min((tasks // threads for tasks, threads in known), default=0)
    return 2 if apart < 2 and uneven(known) else apart
