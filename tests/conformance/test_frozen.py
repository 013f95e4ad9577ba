"""The recorded answers of released classes of Kafka do not change."""

import pytest
from conformance import frozen


def test_the_answers_of_released_classes_are_as_they_were():
    assert frozen.find_changed() == [], (
        "list the ids in fixtures/STABILITY.md, then tests/conformance/frozen.py --write"
    )
    assert len(frozen.frozen()) > 1000


def test_every_answer_is_frozen():
    new = sorted(" ".join(key) for key in frozen.digests().keys() - frozen.frozen().keys())
    assert not new, f"not frozen yet: {new}; python tests/conformance/frozen.py --write"


@pytest.mark.parametrize(("digest", "says"), [("0" * 12, "another one"), (None, "gone")])
def test_an_answer_that_is_another_one_or_gone_is_named(monkeypatch, digest, says):
    now = frozen.digests()
    (first, *_) = now
    changed = {**now, first: digest} if digest else {key: each for key, each in now.items() if key != first}
    monkeypatch.setattr(frozen, "digests", lambda: changed)
    assert frozen.find_changed() == [f"{' '.join(first)}: is {says}"]
