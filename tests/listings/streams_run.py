"""The output of Kafka's tools for two running applications, compared with their own output (parity/broker/java/Shop.java)."""

from collections import Counter
from collections.abc import Mapping

from kassay.listings.applications import Details, ListedApplication, read_applications
from kassay.listings.topologies import read_end_offsets
from kassay.model.tasks import RUNNING, Application

APPLICATIONS = ("shop", "audit")
STATED = ("shop.orders:", "counts:counts", "shop.payments,shop.users:{users}", "shop.clicks:")
"""The subtopologies as the topology numbers them."""


def hold_against_itself(printed: Mapping[str, str], of_members: str, name: str) -> None:
    """Import an application, its subtopologies stated, and hold it against what its threads said that they run."""
    (users,) = {
        word for word in printed["topics"].split() if word.startswith(f"{name}-shop.users-STATE-STORE-")
    }
    stated = [one.format(users=users) for one in STATED]
    ends = read_end_offsets("end-offsets", printed["end-offsets"])
    files = [(part, printed[part]) for part in (of_members, "topics")]
    (found,) = read_applications(files, Details(subtopologies=stated, end_offsets=ends), name)
    hold(found, printed["tasks"], name)


def hold(found: ListedApplication, tasks: str, name: str) -> None:
    """Hold an application that was read against what its threads said that they run."""
    own = [line.split() for line in tasks.splitlines() if line.startswith(name)]
    assert own
    assert _reads(found.application) == {task: read for _, task, read in own}
    assert {str(task.id)[0] for task in found.application.tasks if task.stateful} == {"1", "2"}
    ran = {
        consumer.rpartition("-")[0]: tasks
        for client in found.application.clients
        for consumer, tasks in client.consumers.items()
    }
    for consumer, tasks in ran.items():
        thread = consumer[: consumer.index("-consumer") + len("-consumer")]
        assert sorted(map(str, tasks)) == sorted(task for of, task, _ in own if of == thread)
    processes = Counter({thread: thread.partition("-StreamThread-")[0] for thread, _, _ in own}.values())
    assert sorted(client.threads for client in found.application.clients) == sorted(processes.values())
    for client in found.application.clients:
        for task, lag in client.lags.items():
            assert lag == RUNNING if task in client.active else lag > 0


def _reads(application: Application) -> dict[str, str]:
    return {str(task.id): ",".join(map(str, task.inputs)) for task in application.tasks}
