"""The codecs write and read what Kafka's own classes did when that was recorded (parity/wire/record.py)."""

import json
from itertools import islice

import pytest
from wire.cases import CASES
from wire.equal import names_no_topic, readings, writings
from wire.record import EACH, VECTORS, asked, vector

FILES = sorted(VECTORS.glob("*.json"))


def test_every_message_is_recorded() -> None:
    assert {path.stem for path in FILES} == {name.replace(" ", "_") for name in CASES}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
@pytest.mark.parametrize("way", [writings, readings])
def test_vectors(path, way) -> None:
    recorded = json.loads(path.read_text())
    name = recorded["message"]
    if way is readings and CASES[name].read is None:
        assert "read" not in recorded
        return
    ours = [vector(one.question, one.ours) for one in islice(asked(way, name), EACH)]
    said = json.loads(json.dumps(ours))
    for one, wanted in zip(said, recorded["written" if way is writings else "read"], strict=True):
        known = wanted | {"value": None} if names_no_topic(wanted["value"]) else wanted
        assert one == known, f"{name}; python parity/wire/record.py --write records anew"
