"""How evenly the active tasks of each subtopology lie on clients: half of what their squares by threads are above the least that whole tasks allow.

It is asked of active tasks alone, so balance beside it is that of active tasks, and no level that looks at standbys can be asked with it where there are some.
"""

import math
from collections import Counter

from kassay.model.tasks import Application, TaskAssignment
from kassay.oracles.assignment.own_levels import SUBTOPOLOGY_SPREAD as NAME
from kassay.oracles.levels import LevelWords
from kassay.oracles.tasks.levels.level import Level
from kassay.properties.tasks.measures import subtopology_excess


def tried(application: Application, answer: TaskAssignment) -> int:
    """Add up the squares of each subtopology's tasks at each client, times what makes all of them whole."""
    whole = math.lcm(*(client.threads for client in application.clients))
    return sum(
        count * count * whole // client.threads
        for client in application.clients
        for count in Counter(task.subtopology for task in answer.clients[client.id].active).values()
    )


SUBTOPOLOGY_SPREAD = Level(
    words=LevelWords(
        name=NAME, short="spread", one="spread excess", many="spread excess", behind=True, asked="spread subtopologies",
        missed="subtopologies less spread than possible", column="spread", heading="subtopologies less\nspread than possible",
        worse="spreads subtopologies less", each=("subtopology", "subtopologies"), measure="subtopology_excess",
    ),
    least="The most even spread of each subtopology's active tasks over the clients",
    what="the excess of active tasks of subtopologies at clients",
    best="the most even spread of each subtopology",
    measure=subtopology_excess,
    tried=tried,
    compared=True,
)  # fmt: skip
