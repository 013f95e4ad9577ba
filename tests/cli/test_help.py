"""Help: one short phrase for each option of each command, the example before the options, old names that stay valid."""

import argparse
import re
import shlex

import pytest

from kassay.cli import COMMANDS, add_options, main, parse_arguments
from kassay.cli.options import GROUPS
from kassay.cli.parser import Parser

MOST_WORDS = 15
OUT = re.compile(
    r"\b(oracle|certificate|dual price|judge|held (to|against)|legal(ly)?|schedule(?!s K))", re.IGNORECASE
)
"""Words that a Kafka user does not know; --schedules K is the name of an option."""
OLD_NAMES = {
    "--deaths": ("--max-crashes", ["assign", "check", "compare", "explain", "fixtures run", "frontier", "over-time", "simulate", "what-if", "worst"], "7"),
    "--wait": ("--time-budget", ["assign", "check", "compare", "explain", "fixtures run", "frontier", "over-time", "simulate", "what-if", "worst"], "7"),
    "--named": ("--assignor-name", ["assign", "check", "compare", "explain", "fixtures run", "frontier", "over-time", "simulate", "what-if", "worst"], "x"),
    "--studies": ("--include-research", ["check", "compare", "over-time", "what-if"], None),
    "--beside": ("--compare-with", ["report"], "x"),
    "--tries": ("--groups-per-stage", ["worst"], "7"),
}  # fmt: skip
"""Old name of an option -> its name, the commands that have it, and a value."""
NEEDED = {
    "assign": ["consumer/range"], "explain": ["f.json"], "fixtures run": ["consumer/range"], "frontier": ["g.json"],
    "over-time": ["--group", "g.json", "--restart", "1"], "report": ["sweep"], "worst": ["consumer/range", "--measure", "moves"],
}  # fmt: skip
"""Command -> what its command line needs in any case."""


def _parser(name: str) -> Parser:
    return add_options(Parser(prog=f"kassay {name}", add_help=False), name)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_has_a_phrase_of_at_most_fifteen_words(name: str) -> None:
    """Listed options have help; a default is in parentheses."""
    for action in _parser(name)._actions:
        if action.help == argparse.SUPPRESS:
            assert set(action.option_strings) <= {*OLD_NAMES}
            continue
        assert action.help, action
        assert len(action.help.split()) <= MOST_WORDS, action.help
        assert "default:" not in action.help or "(" in action.help, action.help


@pytest.mark.parametrize("name", COMMANDS)
def test_help_fits_80_columns_and_shows_the_example_before_the_options(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Usage shows the positional arguments only; groups of options are in one order in all commands."""
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit) as ended:
        main([*name.split(), "--help"])
    assert ended.value.code == 0
    lines = capsys.readouterr().out.splitlines()
    example = lines.index("example:")
    assert lines[0].startswith(f"usage: kassay {name} [options]")
    assert "--" not in lines[0]
    heads = [line[:-1] for line in lines if line.endswith(":") and not line.startswith((" ", "example"))]
    assert heads == [head for head in GROUPS if head in heads]
    assert example < lines.index(f"{heads[0]}:")
    assert all(len(line) <= 80 for line in lines if COMMANDS[name].EXAMPLE not in line)
    assert not OUT.search("\n".join(lines))
    command = shlex.split(lines[example + 1].partition(" > ")[0])
    assert parse_arguments(command[1:]).command == name.partition(" ")[0]
    assert not any(f"  {old}" in line for old in OLD_NAMES for line in lines)
    assert lines[-2:] == [
        "exit status: 0 promises hold, 1 a promise is broken, 2 wrong usage or input,", "3 no conclusion",
    ]  # fmt: skip


@pytest.mark.parametrize("old", OLD_NAMES)
def test_an_old_name_stores_the_same_value_as_the_new_one(old: str) -> None:
    """Old names stay valid in all commands that had them."""
    new, commands, value = OLD_NAMES[old]
    for command in commands:
        line = [*command.split(), *NEEDED.get(command, [])]
        both = [vars(parse_arguments([*line, name, *[value] * (value is not None)])) for name in (old, new)]
        plain = vars(parse_arguments(line))
        assert both[0] == both[1]
        assert both[0] != plain, (command, old)
