"""The picture of a Connect cluster: the connectors and tasks of each worker, lost ones, and ones that wait for the next rebalance."""

from kassay.model.workers import NOTHING, Cluster, WorkAssignment
from kassay.properties.workers.timelines import apply_answer
from kassay.reports.shapes.items import (
    ACTIVE,
    Marks,
    Words,
    compare_roles,
    count_active,
    draw_panel,
    label_columns,
)
from kassay.reports.shapes.layout import Picture, read_style

WORDS = Words("worker", "connector", "of each connector: itself and its tasks", head="connector ")
ITSELF = "c"
"""The label of the column of a connector, which stands before the columns of its tasks."""


def mark_work(cluster: Cluster, answer: WorkAssignment) -> Marks:
    """Compare the work of workers with their assignment after the rebalance.

    Work that is revoked in this rebalance, or that a delay holds back, waits; all other work without a worker is lost.
    """
    held = {worker.id: {ACTIVE: worker.work.items} for worker in cluster.workers}
    given = {name: {ACTIVE: work.items} for name, work in answer.workers.items()}
    times = count_active(given)
    idle = {item for item in cluster.configured.items if not times[item]}
    waits = {item for work in answer.revoked.values() for item in work.items}
    if answer.delay_ms > 0:
        waits |= idle - set(count_active(held))
    at = compare_roles(held, given, dict.fromkeys(cluster.configured.items, False))
    by_connector = [item for each in cluster.connectors for item in (each.name, *each)]
    names = [*held, *sorted(set(given) - set(held))]
    works = {name: answer.workers.get(name, NOTHING) for name in names}
    return Marks(
        WORDS,
        names,
        label_columns(
            by_connector,
            at,
            lambda item: (item, ITSELF) if isinstance(item, str) else (item.connector, str(item.task)),
        ),
        at,
        frozenset(idle - waits),
        {item: number for item, number in times.items() if number > 1},
        {name: f"{len(work.connectors)}+{len(work.tasks)}" for name, work in works.items()},
        {},
        frozenset(idle & waits),
        f"the next rebalance follows after {answer.delay_ms:,} ms" if answer.delay_ms > 0 else "",
    )


WORKERS = Picture(
    html=lambda title, cluster, answer: draw_panel(title, mark_work(cluster, answer)),
    most={"workers": 40, "connectors": 60, "tasks": 120},
    lead="Workers are rows; columns are connectors (c) and their tasks, or whole connectors where these are many, and very large "
    "clusters are bars of loads. A load is connectors+tasks.",
    legend=(
        ("kept", "", "stays"),
        ("moved", "", "starts, ran on another worker"),
        ("new", "", "starts, ran nowhere"),
        ("gone", "", "stops"),
        ("wrong", "✗", "is not configured"),
        ("waits", "…", "waits for the next rebalance"),
        ("lost", "✗", "runs nowhere; 2x: runs twice"),
    ),
    style=read_style("items"),
    joined=apply_answer,
)
