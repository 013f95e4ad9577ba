"""Reading and writing groups and assignments from Python, in the JSON of the command line."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from kassay.defaults import FAMILY
from kassay.families import family as family_of
from kassay.files.reading import Read, group_of
from kassay.files.reading import read_groups as read
from kassay.files.writing import write_whole
from kassay.output.block import json_line


def read_groups(path: str | Path, *, family: str = FAMILY) -> list[Any]:
    """Read the groups of a file of JSON or JSON lines; raises InputError naming file, line and field."""
    return [one.value for one in read([str(path)], family_of(family))]


def write_groups(path: str | Path, groups: Iterable[Any], *, family: str = FAMILY) -> None:
    """Write groups as JSON lines, all or none; raises InputError where the file cannot be written."""
    of_family = family_of(family)
    lines = [json_line(of_family.write_group(group)) for group in groups]
    write_whole(Path(path), "".join(f"{line}\n" for line in lines))


def read_group(data: Any, *, family: str = FAMILY) -> Any:
    """Make a group of decoded JSON; raises InputError naming the field."""
    return group_of(Read("group", data), family_of(family))


def write_group(group: Any, *, family: str = FAMILY) -> dict[str, Any]:
    """Make the JSON of a group."""
    return family_of(family).write_group(group)


def read_assignment(data: Any, *, family: str = FAMILY) -> Any:
    """Make an assignment of decoded JSON; raises InputError where it is none."""
    return family_of(family).shape.read_assignment(data)


def write_assignment(assignment: Any, *, family: str = FAMILY) -> Any:
    """Make the JSON of an assignment."""
    return family_of(family).shape.write_assignment(assignment)
