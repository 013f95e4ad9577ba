"""Properties of assignors (invariants and metamorphic properties), measures, situations, and generators of groups, by family.

>>> from kassay.model import Group, Member, Topic
>>> from kassay.properties.consumer import INVARIANTS, LAWS, SITUATIONS
>>> group = Group((Topic("t", 1),), (Member("a", ("t",)),))
>>> list(INVARIANTS["complete"](group, {"a": []}))
['t-0 has no owner, though a subscribes to t']
>>> SITUATIONS["single_member"](group)
True
"""

from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


def map_names(*functions: F) -> dict[str, F]:
    """Return the functions by their names, in this order."""
    return {function.__name__: function for function in functions}


def list_functions(module: ModuleType) -> dict[str, Any]:
    """Return the public functions that a module defines by their names, in the order of their definitions."""
    return {
        name: one
        for name, one in vars(module).items()
        if isinstance(one, FunctionType) and one.__module__ == module.__name__ and not name.startswith("_")
    }
