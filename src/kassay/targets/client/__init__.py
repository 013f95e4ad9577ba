"""Real consumers as targets: each is led from group to group by a coordinator of kassay's, on loopback.

A client is started with KASSAY_BOOTSTRAP, KASSAY_GROUP and KASSAY_TOPICS in its environment. It joins, is made the leader of one group after
another, and says assignments, as it would to a broker; so nobody writes an adapter, and what is judged is the client with all it does around
its assignor. The coordinator runs in a process of its own, which speaks the adapter protocol to kassay.
"""

import shlex
import shutil
import sys
from dataclasses import replace
from importlib.util import find_spec

from kassay.errors import InputError
from kassay.targets.program import open_command
from kassay.targets.target import Options, Target

_BRIDGE_S = 10.0
"""Seconds that the process between kassay and the client may take itself."""
_STEPS = 3
"""How often a client may be waited for until one group is answered: as it hears of topics, as it leads, as it joins again."""


def open_client(spec: str, command_line: str, options: Options) -> Target:
    """Open a client by its command line; raises InputError or TargetGoneError where it does not start or join."""
    if find_spec("kio") is None:
        raise InputError(f"target {spec!r}: needs the package kio; pip install 'kassay[wire]'")
    try:
        command = shlex.split(command_line)
    except ValueError as wrong:
        raise InputError(f"target {spec!r}: {wrong}; quote the command line as a shell needs it") from None
    if command and shutil.which(command[0]) is None:
        raise InputError(f"{command[0]}: cannot be started (there is no such program); check the command")
    limits = options.limits
    bounds = (limits.start_s, options.timeout_s, limits.memory_mb, limits.line_mb)
    words = [sys.executable, "-m", "kassay.targets.client.bridge", *map(str, bounds), *command]
    longest = limits.start_s + _STEPS * options.timeout_s + _BRIDGE_S
    own = replace(limits, start_s=limits.start_s + _BRIDGE_S, memory_mb=0)
    return open_command(spec, words, replace(options, timeout_s=longest, limits=own))


__all__ = ["open_client"]
