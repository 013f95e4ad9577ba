"""Real consumers as targets: each is led from group to group by a coordinator of kassay's on loopback, in a process of its own."""

import sys
from dataclasses import replace
from importlib.util import find_spec

from kassay.errors import InputError
from kassay.targets.program import open_command, words_of
from kassay.targets.target import Options, Target

_BRIDGE_S = 10.0
"""Seconds that the process between kassay and the client may take itself."""
_STEPS = 3
"""How often a client may be waited for until one group is answered: as it hears of topics, as it leads, as it joins again."""


def open_client(spec: str, command_line: str, options: Options) -> Target:
    """Open a client by its command line; raises InputError or TargetGoneError where it does not start or join."""
    if find_spec("kio") is None:
        raise InputError(f"target {spec!r}: needs the package kio; pip install 'kassay[wire]'")
    limits = options.limits
    bounds = (limits.start_s, options.timeout_s, limits.memory_mb, limits.line_mb)
    words = [
        sys.executable,
        "-m",
        "kassay.over_the_wire.bridge",
        *map(str, bounds),
        *words_of(spec, command_line),
    ]
    longest = limits.start_s + _STEPS * options.timeout_s + _BRIDGE_S
    own = replace(limits, start_s=limits.start_s + _BRIDGE_S, memory_mb=0)
    return open_command(spec, words, replace(options, timeout_s=longest, limits=own))
