"""The most even loads of threads: of active tasks, and then of all copies; who asks for balance asks for both."""

import math

from kassay.model.tasks import Application, TaskAssignment
from kassay.oracles.assignment.own_levels import BALANCE as NAME
from kassay.oracles.assignment.own_levels import TOTAL_BALANCE as TOTAL_NAME
from kassay.oracles.levels import LevelWords
from kassay.oracles.tasks.levels.level import Level, Measure
from kassay.properties.tasks.measures import active_imbalance, total_imbalance


def squares(*, total: bool) -> Measure:
    """Return what adds up the clients' squared loads by threads, times the least number that makes all of them whole."""

    def tried(application: Application, answer: TaskAssignment) -> int:
        found, whole = 0, math.lcm(*(client.threads for client in application.clients))
        for client in application.clients:
            held = answer.clients[client.id]
            count = len(held.active) + total * len(held.standby)
            found += count * count * whole // client.threads
        return found

    return tried


BALANCE = Level(
    words=LevelWords(
        name=NAME, short="even", one="apart", many="apart", counts="loads", evens=0, asked="even", missed="not as even as possible",
        column="uneven", heading="not as even\nas possible", worse="is less even", measure="active_imbalance",
    ),
    least="The most even loads of threads by active tasks, then by all copies",
    what="active tasks",
    best="the most even active tasks",
    measure=active_imbalance,
    tried=squares(total=False),
    compared=True,
)  # fmt: skip
TOTAL_BALANCE = Level(
    words=LevelWords(
        name=TOTAL_NAME, short="even in all", one="apart", many="apart", counts="loads", whose="with standbys",
        asked="even with standbys", missed="not as even with standbys as possible", column="uneven with standbys",
        heading="uneven with\nstandbys", worse="is less even with standbys", measure="total_imbalance",
    ),
    least="The most even loads of threads by all copies",
    what="copies",
    best="the most even copies",
    measure=total_imbalance,
    tried=squares(total=True),
)  # fmt: skip
