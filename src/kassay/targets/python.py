"""Python callables and client classes as targets; each runs in a process of its own, so it may hang or die."""

import sys

from kassay.errors import InputError
from kassay.targets.program import open_command
from kassay.targets.target import Options, Target


def open_python(spec: str, place: str, options: Options) -> Target:
    """Open ``MODULE:ATTRIBUTE``; raises InputError where it cannot be imported or is no assignor."""
    module, colon, attribute = place.partition(":")
    if not (module and colon and attribute):
        raise InputError(
            f"target {spec!r}: write python:MODULE:ATTRIBUTE, as in python:my_package.assignors:assign"
        )
    return open_command(
        spec,
        [sys.executable, "-m", "kassay.targets.conversation", module, attribute, options.family],
        options,
    )
