"""The parts of tests that start a program and speak the adapter protocol with it, the same in all languages."""

import json
import re
import shlex
from collections.abc import Callable, Sequence
from typing import Any

from kassay.engine.finding import Finding
from kassay.exported_tests.layout import Job
from kassay.exported_tests.rows import ROLES, ObstacleError, list_members

PROTOCOL = "The program speaks the adapter protocol of kassay: JSON lines. Run the test where the command line works."


def split_command(target: str) -> list[str]:
    """Return the command line of a program; raises ObstacleError with a reason for other targets."""
    kind, _, rest = target.partition(":")
    if kind == "client":
        raise ObstacleError(
            "a client leads its groups over a connection, which needs the coordinator of kassay"
        )
    if kind != "exec":
        raise ObstacleError("a test in this language starts a program (exec:), and cannot call this target")
    return shlex.split(rest)


def check(_: Finding, target: str) -> None:
    """Raise ObstacleError for a target that is no program."""
    split_command(target)


def write_groups(
    job: Job, names: Sequence[str], owned: Callable[[str, str], str]
) -> list[list[str | tuple[str]]]:
    """Return for each call the JSON of its group in parts: text, and in a tuple the code of what a member owns by an earlier answer."""
    found = []
    for call in job.evidence.calls:
        group: dict[str, Any] = json.loads(json.dumps(call.group))
        codes: list[str] = []
        members: Any = list_members(group) if call.fed is not None else ()
        for member in members:
            roles = ROLES[:2] if "process_id" in member or "threads" in member else ("owned",)
            for role in roles:
                owner = member["id"] if role == "owned" else f"{member['id']} {role}"
                member[role] = f"\0{len(codes)}"
                codes.append(owned(names[call.fed or 0], owner))
        parts = re.split(r'"\\u0000(\d+)"', json.dumps(group, ensure_ascii=False))
        found.append([(codes[int(part)],) if at % 2 else part for at, part in enumerate(parts)])
    return found
