"""Assignor classes of Python's Kafka clients as kassay assignors.

A class is recognised by what it derives from, so that neither library is imported before one of its classes is given.
It is called as in a real group: every member's assignor makes its metadata, which goes over the wire to the leader's.

The other way round, `OptimalAssignor` and `CooperativeOptimalAssignor` are consumer/optimal for these libraries.
"""

from collections.abc import Callable
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from kassay.clients import aiokafka, kafka_python_3
from kassay.clients.subscriptions import fresh, fresh_object
from kassay.model import Assignment, Group

if TYPE_CHECKING:
    from kassay.clients.optimal import CooperativeOptimalAssignor, OptimalAssignor

__all__ = ["CooperativeOptimalAssignor", "OptimalAssignor", "adapt", "cooperates", "instance"]
_LIBRARIES = ("kafka", "aiokafka")


def __getattr__(name: str) -> Any:
    if not name.endswith("OptimalAssignor"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module("kassay.clients.optimal"), name)


def adapt(attribute: object) -> Callable[[Group], Assignment] | None:
    """Return the assignor that a kafka-python or aiokafka assignor class stands for, None where it is no such class.

    An object of such a class is taken as it is configured. Calls share no state. What the library raises for a
    group passes through.
    """
    kind = attribute if isinstance(attribute, type) else type(attribute)
    library = _library(kind)
    if library is None:
        return None
    if _of_mapping(library):
        return partial(aiokafka.assign, library, partial(fresh, attribute))
    own = partial(fresh_object, attribute)
    return partial(kafka_python_3.assign, own, own)


def instance(attribute: object) -> Callable[[Group], Assignment]:
    """Return an assignor as `adapt` does, whose calls share the state that those of one process would.

    That is what the class itself keeps, for all members of all groups, and what the leader's object keeps.
    """
    library = _library(attribute if isinstance(attribute, type) else type(attribute))
    assert library is not None, "it is adapted before"
    own = fresh(attribute)
    if _of_mapping(library):
        return partial(aiokafka.assign, library, lambda: own)
    leader = own() if isinstance(own, type) else own
    return partial(
        kafka_python_3.assign, own if isinstance(own, type) else partial(fresh, own), lambda: leader
    )


def cooperates(attribute: object) -> bool:
    """Tell whether it is such a class, made for incremental rebalances (KIP-429).

    Its answers leave out, for one round, what must first be revoked; so they need not be complete.
    """
    if adapt(attribute) is None:
        return False
    protocols: Any = getattr(fresh_object(attribute), "supported_protocols", list)
    return any(protocol.name == "COOPERATIVE" for protocol in protocols())


def _of_mapping(library: str) -> bool:
    """Tell how the leader is given the members: kafka-python 3 replaced this module, and a mapping by a list."""
    return find_spec(f"{library}.coordinator.protocol") is not None


def _library(kind: type) -> str | None:
    for base in kind.__mro__[1:]:
        root = base.__module__.partition(".")[0]
        if base.__name__ == "AbstractPartitionAssignor" and root in _LIBRARIES:
            return root
    return None
