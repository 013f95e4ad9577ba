"""A copy of an assignor for every member and every call.

Assignors keep state: kafka-python before 3 and aiokafka on the class itself, as a process has only one consumer of
it. Here all members of a group share the process, so each gets a class of its own.
"""

import copy
from types import new_class
from typing import Any


def fresh(assignor: Any) -> Any:
    """Return an assignor class, or a configured object, that shares no state with the given one."""
    if isinstance(assignor, type):
        return _own_class(assignor)
    own = copy.deepcopy(assignor)
    own.__class__ = _own_class(type(assignor))
    return own


def fresh_object(assignor: Any) -> Any:
    """Return an object of a fresh assignor class, or a fresh configured object."""
    own = fresh(assignor)
    return own() if isinstance(own, type) else own


def _own_class(kind: type) -> type:
    state: dict[str, Any] = {
        name: copy.deepcopy(value)
        for base in reversed(kind.__mro__)
        for name, value in vars(base).items()
        if isinstance(value, (dict, list, set)) and not name.startswith("__")
    }
    # no slots of its own: an object can change from the given class to this one
    state |= {"__module__": kind.__module__, "__qualname__": kind.__qualname__, "__slots__": ()}
    return new_class(kind.__name__, (kind,), exec_body=lambda namespace: namespace.update(state))
