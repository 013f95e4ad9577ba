"""The adapter protocol around a Python callable: ``python -m kassay.targets.adapter MODULE ATTRIBUTE [FAMILY]``.

The callable is a function from a group to an assignment, a kassay Assignor, or an assignor class of kafka-python or
aiokafka. What it prints goes to standard error, so that it cannot disturb the conversation.
"""

import os
import sys
from collections.abc import Mapping
from functools import reduce
from importlib import import_module
from typing import Any, BinaryIO

import msgspec

from kassay import __version__
from kassay.defaults import FAMILY
from kassay.errors import InputError, SkippedError
from kassay.families import FAMILIES, family
from kassay.family import Family
from kassay.model import Assignor, AssignorError
from kassay.shape import Assign
from kassay.targets.target import failing_softly, written


def load(module: str, attribute: str, family_name: str) -> Assignor:
    """Import a callable as an assignor; raises InputError where it is none."""
    try:
        found: Any = reduce(getattr, attribute.split("."), import_module(module))
    except Exception as error:
        raise InputError(
            f"cannot be imported ({type(error).__name__}: {error}); name an importable MODULE:ATTRIBUTE"
        ) from error
    if isinstance(found, Assignor):
        return found
    adapted = family(family_name).adapt(found)
    if adapted is not None:
        return adapted
    if isinstance(found, type) or not callable(found):
        raise InputError(
            f"{attribute} is {type(found).__name__}, which is no assignor; name a function from a group to an assignment"
        )
    return Assignor(attribute, found, frozenset(), module)


class Instances:
    """What is instances: an assignor, or the instance of it that a request names; only the last one named is kept."""

    def __init__(self, assignor: Assignor) -> None:
        """Note the assignor; no instance is made yet."""
        self._assignor = assignor
        self._kept: tuple[Any, Assign] = (None, assignor.assign)

    def of(self, name: Any) -> Assign:
        """Return what answers a request that names this instance, or none."""
        if name is None or self._assignor.instance is None:
            return self._assignor.assign
        if name != self._kept[0]:
            self._kept = (name, self._assignor.instance())
        return self._kept[1]


def answer(instances: Instances, of_family: Family, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer one request of the adapter protocol."""
    group = of_family.shape.read_group(request["group"])
    try:
        return written(failing_softly(instances.of(request.get("instance")))(group), of_family)
    except SkippedError as reason:
        return {"skipped": str(reason)}
    except AssignorError as error:
        return {"error": str(error)} | ({"stack": error.stack} if error.stack else {})


def serve(requests: BinaryIO, answers: BinaryIO, module: str, attribute: str, family_name: str) -> None:
    """Answer requests until their end."""
    instances = None
    for line in requests:
        request = msgspec.json.decode(line)
        if "kassay" in request:
            try:
                assignor = load(module, attribute, family_name)
                place = assignor.family if assignor.family in FAMILIES else family_name
                of_family = family(place)
                offered = {
                    "name": assignor.name,
                    "family": place,
                    "promises": sorted(assignor.promises) or None,
                    "except_in": {name: sorted(excepted) for name, excepted in assignor.except_in.items()},
                    "limits": sorted(assignor.limits),
                }
                instances = Instances(assignor)
                reply: dict[str, Any] = {"assignors": [offered], "language": "python", "version": __version__}
            except InputError as wrong:
                reply = {"refused": str(wrong)}
        else:
            assert instances is not None, "the first line asks for the assignors"
            reply = {"seq": request["seq"]} | answer(instances, of_family, request)
        answers.write(msgspec.json.encode(reply) + b"\n")
        answers.flush()


def main() -> None:
    """Serve on the process's own standard input and output."""
    module, attribute, *rest = sys.argv[1:]
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    serve(sys.stdin.buffer, answers, module, attribute, rest[0] if rest else FAMILY)


if __name__ == "__main__":
    main()
