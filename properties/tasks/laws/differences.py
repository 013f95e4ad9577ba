"""What differs between two answers, in words."""

from collections.abc import Iterator

from kassay.model.tasks import Given
from kassay.properties.runs import DIFFERENCES, Run, TwoRuns
from kassay.properties.words import listed


def differences(before: Run, now: Run) -> Iterator[str]:
    """Yield a sentence for each client that two runs give different tasks, and one where only one of them is to be probed.

    In which order a client's tasks are listed makes no difference.
    """
    one, other = before.assignment, now.assignment
    for name in dict.fromkeys((*one.clients, *other.clients)):
        first, second = (said(answer.clients.get(name)) for answer in (one, other))
        if first != second:
            yield TwoRuns(f"{name} is given {first}; {now.title}, {second}", before, now, DIFFERENCES)
    if one.probing is not other.probing:
        words = {True: "a probing rebalance follows", False: "no probing rebalance follows"}
        yield TwoRuns(f"{words[one.probing]}; {now.title}, {words[other.probing]}", before, now, DIFFERENCES)


def said(given: Given | None) -> str:
    """Write what a client is given, in ascending order."""
    if given is None:
        return listed(None)
    parts = (f"{role} {listed(sorted(tasks), ' ')}" for role, tasks in given._asdict().items() if tasks)
    return listed(parts)
