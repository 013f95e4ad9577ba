"""kassay, the assay office for Kafka assignors: which promises hold, and how far is the best possible.

::

    import kassay

    print(kassay.check("consumer/range", examples=200))
    group = kassay.read_group({"topics": [{"name": "t", "partitions": 3}], "members": [{"id": "a", "topics": ["t"]}]})
    print(kassay.assign("consumer/range", group))
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.2.0"

_PLACES = {
    "check": "kassay.api.check",
    "Report": "kassay.api.check",
    "compare": "kassay.api.compare",
    "optimum": "kassay.api.compare",
    "assign": "kassay.api.compare",
    "read_groups": "kassay.api.compare",
    "write_groups": "kassay.api.compare",
    "read_group": "kassay.api.compare",
    "write_group": "kassay.api.compare",
    "read_assignment": "kassay.api.compare",
    "write_assignment": "kassay.api.compare",
    "read_sweep": "kassay.reports.sweep.frames",
    "Assignor": "kassay.model",
    "AssignorError": "kassay.model",
    "Config": "kassay.model",
    "Group": "kassay.model",
    "Member": "kassay.model",
    "Topic": "kassay.model",
    "TopicPartition": "kassay.model",
    "InputError": "kassay.errors",
    "SkippedError": "kassay.errors",
    "TargetGoneError": "kassay.errors",
    "Options": "kassay.targets",
    "Limits": "kassay.targets",
}
"""Public name -> the module it is loaded from when it is first used: the command line starts in a tenth of a second."""

if TYPE_CHECKING:
    from kassay.api.check import Report, check
    from kassay.api.compare import (
        assign,
        compare,
        optimum,
        read_assignment,
        read_group,
        read_groups,
        write_assignment,
        write_group,
        write_groups,
    )
    from kassay.errors import InputError, SkippedError, TargetGoneError
    from kassay.model import Assignor, AssignorError, Config, Group, Member, Topic, TopicPartition
    from kassay.reports.sweep.frames import read_sweep
    from kassay.targets import Limits, Options

__all__ = [
    "Assignor",
    "AssignorError",
    "Config",
    "Group",
    "InputError",
    "Limits",
    "Member",
    "Options",
    "Report",
    "SkippedError",
    "TargetGoneError",
    "Topic",
    "TopicPartition",
    "__version__",
    "assign",
    "check",
    "compare",
    "optimum",
    "read_assignment",
    "read_group",
    "read_groups",
    "read_sweep",
    "write_assignment",
    "write_group",
    "write_groups",
]


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used."""
    if name not in _PLACES:
        raise AttributeError(f"module 'kassay' has no attribute {name!r}")
    return getattr(import_module(_PLACES[name]), name)


def __dir__() -> list[str]:
    """List the public names."""
    return __all__
