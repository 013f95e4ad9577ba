"""Small applications, generated for hunting great scores among them."""

from hypothesis import strategies as st

from kassay.model.tasks import Application
from kassay.oracles.worst_case.spaces import Content, Kind, Shape

CLIENTS, TASKS, SUBTOPOLOGIES, RACKS = 4, 8, 2, 3


@st.composite
def small_applications(draw: st.DrawFn, kind: Kind[Application]) -> Application:
    """Generate applications, each client and each task as one whole number, so that a step in one is a small change.

    A client's number is its rack; a task's is who ran it or none, who had its standby, the racks of its input's and of its
    changelog's replicas, as bits, and its subtopology.
    """
    homes = draw(st.lists(st.integers(0, RACKS - 1), min_size=1, max_size=CLIENTS))
    sets, owners = 2**RACKS - 1, len(homes) + 1
    numbers = draw(
        st.lists(st.integers(0, SUBTOPOLOGIES * (sets * owners) ** 2 - 1), min_size=1, max_size=TASKS)
    )
    contents: list[list[Content]] = [[] for _ in range(SUBTOPOLOGIES)]
    for number in numbers:
        rest, subtopology = divmod(number, SUBTOPOLOGIES)
        rest, inputs = divmod(rest, sets)
        rest, changelogs = divmod(rest, sets)
        active, standby = (owner - 1 for owner in divmod(rest, owners))
        near = tuple(tuple(r for r in range(RACKS) if bits + 1 >> r & 1) for bits in (inputs, changelogs))
        contents[subtopology].append((near, (active, standby if standby != active else -1)))
    parts = tuple(tuple(some) for some in contents if some)
    return kind.group(Shape(tuple((tuple(range(len(parts))), home) for home in homes), parts))
