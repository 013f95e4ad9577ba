"""The invariant about subtopologies: with the strategy balance_subtopology each is spread over the clients (KIP-925, 4.B.II)."""

from collections import Counter
from collections.abc import Iterator

from kassay.model.tasks import Application, TaskAssignment
from kassay.properties.runs import LOADS, Violation
from kassay.properties.tasks.holdings import holdings
from kassay.properties.tasks.racks import rack_aware
from kassay.properties.words import counted


def subtopologies_spread(application: Application, answer: TaskAssignment) -> Iterator[str]:
    """With balance_subtopology no client runs more of a subtopology than its share of all tasks, rounded up.

    A client with C of n active tasks runs at most ceil(C * S / n) of those of a subtopology with S tasks. Stateful and stateless
    tasks are counted apart, as Kafka assigns them, but for S. Demanded where racks are known, of answers that no probing rebalance follows.
    Source: KIP-925, 4.B.II.
    """
    strategy = application.settings.rack_aware_assignment_strategy
    if strategy != "balance_subtopology" or answer.probing or not rack_aware(application):
        return
    sizes = Counter(task.id.subtopology for task in application.tasks)
    for stateful, noun in ((True, "stateful"), (False, "stateless")):
        every = {task.id for task in application.tasks if task.stateful is stateful}
        for name, held in holdings(application, answer).items():
            own = sorted(held.active & every)
            for subtopology, number in Counter(task.subtopology for task in own).items():
                size = sizes[subtopology]
                most = -(-len(own) * size // len(every))
                if number > most:
                    yield Violation(
                        f"{name} runs {number} of the {counted(size, 'task')} of subtopology {subtopology}; "
                        f"with {len(own)} of all {len(every)} {noun} tasks its bound is {most}",
                        LOADS,
                        number - most,
                    )
