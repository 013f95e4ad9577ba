"""Faults that are planted to see that a door fails on them: each with its door, and what puts it in place of the right code."""

import math
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any
from unittest.mock import patch

from kassay.protocol.server import api_messages, client_process, message_codec
from kassay.protocol.server.leader_session import LeaderSession
from kassay.reference.group.messages import Error
from kassay.reference.wire import schema as kinds
from kassay.reference.wire import schema as messages


def _room(data: bytes, at: int, count: int, least: int, most: int) -> int:  # noqa: ARG001 - as the right one
    """Believe a count of numbers."""
    return at + count * least


def _set_aside(data: bytes, at: int, length: int) -> int:
    """Allocate memory for a length before checking that enough bytes remain."""
    bytearray(min(max(0, length), 2**29))
    return _CUT(data, at, length)


_CUT, _TELL = kinds.cut, LeaderSession._tell_topics


def _forgetful(leading: Any) -> None:
    """Answer those who ask about topics, but for the first."""
    del leading._asking[:1]
    _TELL(leading)


PLANTED: dict[str, tuple[str, Callable[[], AbstractContextManager[Any]]]] = {
    "a count is believed": ("codecs", lambda: patch.object(kinds, "room", _room)),
    "memory is set aside for a length": ("codecs", lambda: patch.object(kinds, "cut", _set_aside)),
    "tagged fields are not passed over": ("codecs", lambda: patch.object(messages, "skip_tags", lambda _, at: at)),
    "a request is forgotten": ("led", lambda: patch.object(LeaderSession, "_tell_topics", _forgetful)),
    "slow peers are waited for": ("led", lambda: patch.object(client_process, "SLOW_S", math.inf)),
    "a missing array is read as None": ("led", lambda: patch.object(api_messages, "_refuse_missing", lambda _: None)),
    "an error that groups do not have is looked up": ("dialled", lambda: patch.object(message_codec, "read_error", Error)),
}  # fmt: skip
"""The planted fault -> the door that fails on it, and the function that plants it."""
