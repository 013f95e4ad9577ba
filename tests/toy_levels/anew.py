"""The fewest tasks that ran, or had a standby, and are active where nothing of them was."""

from kassay.model.tasks import Application, TaskAssignment
from kassay.oracles.levels import LevelWords
from kassay.oracles.tasks.levels import HolderCosts, Level


def anew(application: Application, answer: TaskAssignment) -> int:
    found = 0
    for task in application.tasks:
        had = {
            client.id
            for client in application.clients
            if task.id in client.active or (task.stateful and task.id in client.standby)
        }
        found += sum(
            task.id in given.active for name, given in answer.clients.items() if name not in had and had
        )
    return found


ANEW = Level(
    words=LevelWords(
        name="anew", short="anew", one="task begun anew", many="tasks begun anew", passing=True, asked="few begun anew",
        missed="tasks begun anew needlessly", column="anew", heading="needlessly\nbegun anew", worse="begins more anew",
    ),
    least="The fewest tasks begun anew",
    what="tasks begun anew",
    best="the fewest begun anew",
    measure=anew,
    held=HolderCosts("had", lambda of, _: bool(of.ran | of.kept), lambda of, client: client in of.ran | of.kept),
    compared=True,
    traded=True,
)  # fmt: skip
