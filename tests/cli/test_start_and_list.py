"""The start page, and `kassay list`: one screen, a card of each assignor, what they must keep."""

import json
import re
import shlex
from pathlib import Path

import pytest

from kassay.cli import main, parse_arguments
from kassay.cli.commands.list_ import OTHER_NAMES, TOPICS
from kassay.families import family
from kassay.families.assignors import ASSIGNORS
from kassay.reference.releases import behaviours

WIDTH = 80


@pytest.fixture
def shown(capsys, monkeypatch):
    """Run a command that is right at 80 columns and return its lines, none of which is wider but one to copy."""
    monkeypatch.setenv("COLUMNS", str(WIDTH))

    def run(*words):
        assert main(list(words)) == 0
        lines = capsys.readouterr().out.splitlines()
        assert [line for line in lines if len(line) > WIDTH and "=" not in line and "{" not in line] == []
        return lines

    return run


def test_kassay_alone_is_a_page_of_commands_that_can_be_run(shown):
    lines = shown()
    assert len(lines) <= 24
    commands = re.findall(
        r"  (kassay (?:check|compare|sweep|list).*?)(?:  |$)", "\n".join(lines), re.MULTILINE
    )
    assert len(commands) >= 6
    for command in commands:
        assert parse_arguments(shlex.split(command)[1:]).command in command


def test_the_list_is_one_screen_with_what_can_be_set_first(shown):
    lines = shown("list")
    assert len(lines) <= 26
    text = "\n".join(lines)
    assert text.startswith(f"kassay has {len(ASSIGNORS)} assignors")
    assert all(name.partition("/")[2] in text for name in ASSIGNORS)
    assert text.index("that you can configure") < text.index("internal to") < text.index("research")
    assert "optimal" not in text.partition("research")[0]
    assert "fair" not in "\n".join(shown("list", "--family", "broker"))


@pytest.mark.parametrize("name", ASSIGNORS)
def test_each_assignor_has_a_card(name, shown):
    lines = shown("list", name)
    text = "\n".join(lines)
    assert len(lines) <= 28
    assert text.startswith(f"{name} is ")
    of = family(ASSIGNORS[name].family)
    assert f"{len(ASSIGNORS[name].promises)}" in text
    assert ("a research assignor, not in Kafka" in text) == (of.classify_target(name) == "study")
    if name in of.settable:
        assert all(line in lines for line in of.settable[name].lines)  # whole, at the beginning of a line
    known = len(ASSIGNORS[name].except_in.keys() - ASSIGNORS[name].limits)
    assert ("worst defects" in text) == bool(known)
    assert ("kassay list releases" in text) == (len(behaviours(name)) > 1)
    assert f"kassay check {name}" in text


def test_the_card_of_a_release_has_its_class_and_its_releases(shown):
    text = " ".join(shown("list", "streams/legacy-sticky@3.6.0"))
    assert "StickyTaskAssignor of Kafka 3.6.0 to 3.6.2" in text
    assert "earlier" not in text


def test_a_card_as_json_says_what_the_terminal_says(shown):
    (record,) = map(json.loads, shown("list", "consumer/sticky", "--json"))
    assert record["says"] in " ".join(shown("list", "consumer/sticky"))
    assert record["setting"] == [
        "partition.assignment.strategy=org.apache.kafka.clients.consumer.StickyAssignor"
    ]
    assert record["standing"] == "settable"
    assert "exclusive" in record["promises"]


@pytest.mark.parametrize("topic", TOPICS)
def test_each_topic_is_a_table(topic, shown):
    assert len(shown("list", topic, "--family", "consumer")) > 3
    kinds = {json.loads(line)["kind"] for line in shown("list", topic, "--json")}
    assert kinds == {kind.removesuffix("s") for kind in TOPICS[topic]}


def test_a_sentence_is_as_wide_as_the_terminal_and_a_line_to_copy_is_whole(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    junk = tmp_path / "junk.txt"
    junk.write_text("\nhello, this is no listing\n")
    monkeypatch.chdir(tmp_path)
    for command in (["import"], ["optimum", "balance"], ["compare", "consumer/range", "--group"]):
        assert main([*command, "junk.txt"]) == 2
        lines = capsys.readouterr().err.splitlines()
        assert "neither a listing of kafka-consumer-groups nor JSON. Line 2 is: hello," in " ".join(
            line.strip() for line in lines
        )
        assert all(len(line) <= 60 for line in lines[:-2])
        assert lines[-2:] == [
            "        kafka-consumer-groups.sh --bootstrap-server HOST:PORT \\",
            "            --describe --members --verbose --group GROUP > members.txt",
        ]
    assert main(["explain", "junk.txt"]) == 2
    assert "junk.txt: is not JSON. Line 2 is: hello" in capsys.readouterr().err


@pytest.mark.parametrize(("other", "name"), OTHER_NAMES.items())
def test_a_topic_can_be_listed_by_its_other_names(other, name, capsys):
    assert main(["list", name]) == 0
    shown = capsys.readouterr().out
    assert main(["list", other]) == 0
    assert capsys.readouterr().out == shown


def test_import_says_what_was_made_what_to_check_and_what_was_assumed(capsys, monkeypatch):
    listing = Path(__file__).parents[2] / "examples" / "groups" / "kminion-104.members.txt"
    monkeypatch.setenv("COLUMNS", str(WIDTH))
    assert main(["import", str(listing)]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "my-group: 5 members, 4 topics, 13 partitions -> standard output"
    assert [line.split()[0] for line in lines if line[:1].isalpha()][1:] == ["check"] * 2 + ["assumed"] * 2
    assert all(len(line) <= WIDTH for line in lines if str(listing) not in line)
    told = " ".join(line.strip() for line in lines)
    assert "Partition 0 of all 4 topics has no owner. Is the listing complete?" in told
    assert "--order" not in told
