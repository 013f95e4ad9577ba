"""A group is compared though the least of a rolling restart takes too long: then it is said how to ask for that."""

from pathlib import Path

from kassay.cli import main
from kassay.comparison import strategies

LISTING = Path(__file__).parents[2] / "examples" / "groups" / "kminion-104.members.txt"


def test_what_takes_too_long_is_left_to_the_command_for_it(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(strategies, "SECONDS", -1.0)
    assert main(["compare", "--group", str(LISTING)]) == 0
    said = capsys.readouterr().out
    assert said.startswith("my-group: 1 of 5 members has no partition.")
    assert "rolling" not in said.partition("Recommendation")[0]
    assert f"kassay over-time --group {LISTING} --restart 5" in said
