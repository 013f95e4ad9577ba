"""Replay what Kafka's own classes answered (tests/kafka/record.py): the same lists, or the same exceptions."""

import json
from pathlib import Path

import pytest

from kassay.group_json import read_group
from kassay.model import AssignorError
from kassay.reference import ASSIGNORS

ANSWERS = Path(__file__).parents[1] / "kafka" / "answers"


@pytest.mark.parametrize("name", ["range", "roundrobin", "sticky", "cooperative-sticky"])
def test_recorded_answers(name: str) -> None:
    assign = ASSIGNORS[f"consumer/{name}"].assign
    lines = (ANSWERS / f"{name}.jsonl").read_text(encoding="ascii").splitlines()
    assert len(lines) >= 300
    for line in lines:
        recorded = json.loads(line)
        group = read_group(recorded["group"])
        if "error" in recorded:
            with pytest.raises(AssignorError) as raised:
                assign(group)
            # Of a NullPointerException only the class is recorded: its message is the Java machine's.
            assert str(raised.value).startswith(recorded["error"]), line
        else:
            given = {member: [list(p) for p in partitions] for member, partitions in assign(group).items()}
            assert given == recorded["assignment"], line
