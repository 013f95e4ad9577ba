"""Laws about racks: what a rack-aware answer may change beside the same assignor's answer without a strategy (KIP-925)."""

from collections.abc import Iterator
from dataclasses import replace

from kassay.model.tasks import Application
from kassay.properties.runs import READS, Run, TwoRuns
from kassay.properties.tasks.holdings import holdings
from kassay.properties.tasks.racks import crossings, inputs, rack_aware
from kassay.properties.tasks.rounds import Assign
from kassay.properties.words import counted


def rack_aware_no_more_traffic(assign: Assign, application: Application) -> Iterator[str]:
    """With the strategy min_traffic active tasks read no more partitions across racks than without a strategy.

    Demanded where racks are known and a probing rebalance follows neither answer: warm-ups go where state is. To spread
    subtopologies, as balance_subtopology asks, tasks may have to read more. Source: KIP-925, 4.B.I.
    """
    if application.settings.rack_aware_assignment_strategy != "min_traffic":
        return
    for without, rack_wise in _runs(assign, application):
        less, more = (crossings(run.group, run.assignment, "active", inputs) for run in (without, rack_wise))
        if more > less:
            yield TwoRuns(
                f"active tasks read {counted(more, 'partition')} across racks; without a strategy {less}",
                without,
                rack_wise,
                READS,
                more - less,
            )


def rack_aware_keeps_counts(assign: Assign, application: Application) -> Iterator[str]:
    """With a strategy every client has as many active tasks as without one.

    Demanded where racks are known and a probing rebalance follows neither answer. Source: KIP-925, 4.B.I and 4.B.II: tasks
    change places, and loads stay as balanced as they are.
    """
    for without, rack_wise in _runs(assign, application):
        before, now = (
            {name: len(held.active) for name, held in holdings(run.group, run.assignment).items()}
            for run in (without, rack_wise)
        )
        for name, number in now.items():
            if number != before[name]:
                yield TwoRuns(
                    f"{name} has {counted(number, 'active task')}; without a strategy {before[name]}",
                    without,
                    rack_wise,
                )


def _runs(assign: Assign, application: Application) -> Iterator[tuple[Run, Run]]:
    if not rack_aware(application):
        return
    plain = replace(
        application, settings=replace(application.settings, rack_aware_assignment_strategy="none")
    )
    runs = Run("without a strategy", plain, assign(plain)), Run("with it", application, assign(application))
    if not any(run.assignment.probing for run in runs):
        yield runs
