"""Parts of the streams references answer as those of Kafka's releases, and what differs is found."""

import pytest
from classes.differ import parts

pytestmark = pytest.mark.usefixtures("java")


@pytest.fixture(autouse=True, scope="module")
def _closed():
    yield
    parts.close()


@pytest.mark.parametrize("part", parts.PARTS)
def test_equal_on_some_cases(part):
    assert parts.differ(part, 0, 0, 500) == []


def test_what_differs_is_printed_and_fails(monkeypatch, capsys):
    monkeypatch.setattr(parts, "_flows", lambda asked, _: [0] * len(asked["edges"]))
    parts.close()  # or the process that main starts would share it
    assert parts.main(["--cases", "1", "--processes", "1", "graph@4.3.1"]) == 1
    assert '{"case": {"graph":' in capsys.readouterr().out
