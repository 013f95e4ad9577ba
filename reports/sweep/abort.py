"""What stops a whole sweep from inside a worker, and how the driver reads it out of Spark's long error texts."""

import re
from typing import Any

import msgspec

_MARK = "kassay-stop "
_FOUND = re.compile(re.escape(_MARK) + r"(\{.*\})")


class Stop(msgspec.Struct, frozen=True):
    """Why a sweep stops: ``disagreement`` of two oracles on a group, or wrong ``input``; and what is to be said."""

    kind: str
    said: str
    group: Any = None


class StopError(Exception):
    """Raised in a worker; carries its reason through Spark as one line of JSON."""

    def __init__(self, stop: Stop) -> None:
        """Write the reason down."""
        super().__init__(_MARK + msgspec.json.encode(stop).decode())


def stop_in(text: str) -> Stop | None:
    """Find the reason in the text of an error; None where it is another one's."""
    for found in _FOUND.finditer(text):
        try:
            return msgspec.json.decode(found[1], type=Stop)
        except msgspec.MsgspecError:
            continue
    return None
