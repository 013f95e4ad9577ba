"""Which assignors a jar holds, told from its files without Java."""

from collections.abc import Mapping
from pathlib import Path

from kassay.errors import InputError
from kassay.targets.java.class_file import supertypes, usable
from kassay.targets.java.class_path import class_files

_KAFKA = "org/apache/kafka/"
_ASSIGNORS = (
    "clients/consumer/ConsumerPartitionAssignor",
    "clients/consumer/internals/PartitionAssignor",
    "clients/consumer/internals/AbstractPartitionAssignor",
    "clients/consumer/internals/AbstractStickyAssignor",
    "clients/consumer/RangeAssignor",
    "clients/consumer/RoundRobinAssignor",
    "clients/consumer/StickyAssignor",
    "clients/consumer/CooperativeStickyAssignor",
    "streams/processor/assignment/TaskAssignor",
    "streams/processor/internals/assignment/LegacyTaskAssignor",
    "streams/processor/internals/assignment/TaskAssignor",
    "coordinator/group/api/assignor/ConsumerGroupPartitionAssignor",
    "coordinator/group/api/assignor/ShareGroupPartitionAssignor",
    "coordinator/group/assignor/PartitionAssignor",
    "coordinator/group/api/streams/assignor/TaskAssignor",
    "coordinator/group/streams/assignor/TaskAssignor",
    "connect/runtime/distributed/IncrementalCooperativeAssignor",
    "connect/runtime/distributed/EagerAssignor",
)
_BUILT_ON = {f"{_KAFKA}{name}" for name in _ASSIGNORS}
"""Kafka's interfaces of assignors, and its classes that implement them and can be extended."""
MOST = 3
"""How many assignors of a jar are named."""


def assignors_in(jar: Path) -> list[str]:
    """Return the names of the assignor classes in a jar or a folder of classes, in order; raises InputError where it is neither."""
    files = class_files(jar)
    found = [name for name, data in files.items() if usable(data) and _is_assignor(name, files, frozenset())]
    own = [
        name for name in found if not name.startswith(_KAFKA)
    ]  # beside those of a Kafka packed into the jar
    return sorted(name.replace("/", ".") for name in own or found)


def _is_assignor(name: str, files: Mapping[str, bytes], seen: frozenset[str]) -> bool:
    """Say whether a class is one of Kafka's assignors or built on one, be it by way of others of the jar."""
    if name in _BUILT_ON:
        return True
    if name in seen or name not in files:
        return False
    return any(_is_assignor(each, files, seen | {name}) for each in supertypes(files[name]))


def no_class(path: str) -> InputError:
    """Return what to say where a jar is named without a class of it: which assignors it has, and how they are checked."""
    names = assignors_in(Path(path))
    if not names:
        return InputError(
            f"{path} has no assignor that could be checked; write jar:PATH#CLASS with a jar that has one"
        )
    command = [f"kassay check jar:{path}#{names[0]}"]
    if len(names) == 1:
        return InputError(f"{path} has one assignor, {names[0]}. Check it:", command)
    more = f" and {len(names) - MOST} more" if len(names) > MOST else ""
    return InputError(
        f"{path} has {len(names)} assignors: {', '.join(names[:MOST])}{more}. Check one:", command
    )
