"""Generators of large applications and streams groups, and of such with changelogs at the limits of the machine's integers."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from kassay.model.streams_group import StreamsGroup
from kassay.model.tasks import Application
from kassay.properties.choices import COUNTS, Choices, Settings
from kassay.properties.tasks.applications import ANY, ANY_HISTORY, EXTRAS, ODDITIES, SIZES, USUAL
from kassay.properties.tasks.applications import application as generate_application
from kassay.properties.tasks.members.processes import generate_group

FEW = {**USUAL, **EXTRAS, "clients": (2, 4), "threads": (1, 3), "standbys": (0, 1)}
HISTORY = {"none": 2, "even": 1, "joined": 2, "left": 1, "behind": 1}


def _choose_large_settings(_: Choices, numbers: Mapping[str, tuple[int, int]]) -> Settings:
    return Settings({**FEW, **numbers}, {**ANY, "history": HISTORY}, {})


def _choose_settings_of_tasks(choices: Choices, counts: Sequence[int]) -> Settings:
    """Choose one subtopology of many tasks, without a strategy for racks: Kafka's take seconds for it."""
    most = choices.pick(counts)
    numbers = {**FEW, "subtopologies": (1, 1), "partitions": (most, most)}
    return Settings(numbers, {**ANY, "history": HISTORY, "strategy": {"none": 1}}, {})


def choose_edge_settings(_: Choices) -> Settings:
    """Choose settings for small applications, all stateful, whose changelogs and acceptable lag are around limits."""
    kinds = {**ANY, "history": {**ANY_HISTORY, "none": 0}, "logs": {"edges": 1}, "recovery": {"edges": 1}}
    return Settings({**USUAL, **EXTRAS, **SIZES["small"]}, {**kinds, "stateful": {"all": 1}}, ODDITIES)


SETTINGS: Mapping[str, Callable[[Choices], Settings]] = {
    **{f"tasks {kind}": partial(_choose_settings_of_tasks, counts=counts) for kind, counts in COUNTS.items()},
    "clients": partial(
        _choose_large_settings, numbers={"clients": (17, 40), "threads": (1, 2), "partitions": (1, 40)}
    ),
    "subtopologies": partial(
        _choose_large_settings, numbers={"subtopologies": (10, 30), "partitions": (1, 3)}
    ),
}
"""Kind of large groups -> the function that chooses the settings of one."""


def _choose_application(choices: Choices, settings: Callable[[Choices], Settings]) -> Application:
    return generate_application(choices, settings(choices))


def _choose_streams_group(choices: Choices, settings: Callable[[Choices], Settings]) -> StreamsGroup:
    return generate_group(choices, settings(choices))


LARGE: Mapping[str, Callable[[Choices], Application]] = {
    kind: partial(_choose_application, settings=settings) for kind, settings in SETTINGS.items()
}
LARGE_GROUPS: Mapping[str, Callable[[Choices], StreamsGroup]] = {
    kind: partial(_choose_streams_group, settings=settings) for kind, settings in SETTINGS.items()
}
choose_edge_application = partial(_choose_application, settings=choose_edge_settings)
choose_edge_streams_group = partial(_choose_streams_group, settings=choose_edge_settings)


def _find_most_tasks(application: Application) -> int:
    return 1 + max((task.id.partition for task in application.tasks), default=-1)


DIMENSIONS: Mapping[str, tuple[int, Callable[[Application], int]]] = {
    "clients": (20, lambda application: len(application.clients)),
    "subtopologies": (10, lambda application: len({task.id.subtopology for task in application.tasks})),
    "tasks of a subtopology": (256, _find_most_tasks),
    "lag": (
        32_768, lambda application: max((lag for client in application.clients for lag in client.lags.values()), default=0)
    ),
    "acceptable.recovery.lag": (32_768, lambda application: application.settings.acceptable_recovery_lag),
}  # fmt: skip
"""Dimension of an application -> the number from which it is large, and the function that finds it."""
DIMENSIONS_OF_GROUPS: Mapping[str, tuple[int, Callable[[StreamsGroup], int]]] = {
    "members": (20, lambda group: len(group.members)),
    "subtopologies": (10, lambda group: len(group.subtopologies)),
    "tasks of a subtopology": (
        256, lambda group: max((each.partitions for each in group.subtopologies), default=0)
    ),
    "end of a changelog": (
        32_768, lambda group: max((end for member in group.members for end in member.end_offsets.values()), default=0)
    ),
}  # fmt: skip
"""Dimension of a streams group -> the number from which it is large, and the function that finds it."""
