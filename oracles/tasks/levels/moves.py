"""The fewest copies that move: an active task that was active, but not here; a standby that finds nothing.

Standbys of a task that had none are no moves. Source: :mod:`kassay.properties.tasks.measures`.
"""

from kassay.model.tasks import Application, TaskAssignment
from kassay.oracles.levels import LevelWords
from kassay.oracles.tasks.levels.level import HolderCosts, Level
from kassay.properties.tasks.measures import active_moves, standby_moves


def moved(application: Application, answer: TaskAssignment) -> int:
    """Add up the moves of active tasks and of standbys."""
    return active_moves(application, answer) + standby_moves(application, answer)


MOVES = Level(
    words=LevelWords(
        name="moves", short="moves", one="move", many="moves", counts="moving", passing=True, asked="few moves", missed="needless moves",
        column="moves", heading="needless\nmoves", worse="moves more",
    ),
    least="The fewest copies that move",
    what="copies that move",
    best="the fewest moves",
    measure=moved,
    held=HolderCosts(
        "had",
        lambda of, standbys: bool(of.ran) + standbys * bool(of.kept),
        lambda of, client: client in of.ran,
        lambda of, client: bool(of.kept) and (client in of.ran or client in of.kept),
    ),
    compared=True,
)  # fmt: skip
