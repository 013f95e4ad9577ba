"""fixtures/wire.json is what the recorded vectors make it, and a codec that reads too little or too much fails on it."""

import json

import pytest
from wire.fixtures import FILE, MESSAGES, read, text

FIXTURES = json.loads(FILE.read_text())


def test_is_fresh() -> None:
    assert FILE.read_text() == text()
    assert FIXTURES["count"] == len(FIXTURES["cases"]) <= 300
    assert {case["message"] for case in FIXTURES["cases"]} == {name.removesuffix("Data") for name in MESSAGES}


@pytest.mark.parametrize("message", MESSAGES)
def test_each_message_has_what_is_read_and_what_is_refused(message) -> None:
    own = [case for case in FIXTURES["cases"] if case["message"] == message.removesuffix("Data")]
    assert {case["value"] is None for case in own} == {True, False}
    for case in own:
        data = bytes.fromhex(case["bytes"])
        assert read(message, case["version"], data) == case["value"], case["id"]
        if case["value"] is not None and case["written"]:
            assert read(message, case["version"], data[:-1]) != case["value"], case["id"]
