"""The tables of docs/reference/protocol.md: by asking our coordinator, and from what is recorded of Kafka's."""

import sys
from collections.abc import Iterable
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2] / "parity" / "coordinator"))

import recorded
from error_table import REQUESTS, STATES, answers
from named import TOLD, played, told

from kassay.reference.group.behaviour import PROPOSAL, UNPERSISTED, kafka

RELEASE = "4.4.0"


def write_differences() -> str:
    """Make the table of named sequences: in the proposal, with and without persistence, and in Kafka's class."""
    in_kafka = {one["name"]: told(recorded.ran(one)) for one in recorded.read(RELEASE) if "name" in one}
    rows = []
    for name, actions in TOLD.items():
        persisted, unpersisted = (
            told(played(behaviour, actions)[1]) for behaviour in (PROPOSAL, UNPERSISTED)
        )
        alike = persisted == unpersisted
        rows.append(
            [
                name,
                persisted if alike else f"{persisted}. *Without persistence:* {unpersisted}",
                in_kafka[name],
            ]
        )
    return write_table(["what happens", "proposal", f"Kafka {RELEASE}"], rows)


def write_errors() -> str:
    """Make the table of answers to each request in each state; Kafka's is given where it is another one."""
    rows = []
    for name in REQUESTS:
        proposed, real = answers(PROPOSAL, name), answers(kafka(RELEASE), name)
        rows.append([name, *(_run_both(proposed[state], real[state]) for state in STATES)])
    return write_table(["request", *STATES], rows)


def _run_both(proposed: str, real: str) -> str:
    return f"`{proposed}`" if proposed == real else f"`{proposed}`, *Kafka* `{real}`"


def write_table(head: list[str], rows: Iterable[list[str]]) -> str:
    """Write a table of Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)
