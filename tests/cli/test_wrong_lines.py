"""Wrong command lines: what is wrong in a sentence, the nearest right thing, a line to copy; no options and no lists."""

import json
import re

import pytest
from said import WIDTH, words_that_are_out

from kassay.cli import main

GROUP = {"topics": [{"name": "t", "partitions": 2}], "members": [{"id": "m", "topics": ["t"]}]}
MOST_NAMED = 6
"""A sentence lists no more names than these."""
CASES = {
    "chek consumer/sticky": "Did you mean check?",
    "nothing": "kassay --help shows all",
    "--hlp": "kassay --help",
    "check consumer/stiky": "Did you mean consumer/sticky?",
    "check stickie": "Did you mean consumer/sticky?",
    "check nothing/x": "kassay list shows all",
    "check consumer/zzz*": "kassay list shows all",
    "check consumer/sticky@9.9": "leave out @9.9",
    "check consumer/sticky --seeds 3": "Did you mean --seed?",
    "check consumer/sticky --examples x": "is no whole number",
    "check consumer/sticky --examples -1": "is no whole number",
    "check consumer/sticky --format xml": "it is one of pretty, json",
    "check consumer/sticky --property balancd": "Did you mean balanced?",
    "check consumer/sticky --promises-of consumer/stikky": "Did you mean consumer/sticky?",
    "check consumer/sticky --promises-of streams/sticky": "name one of consumer's",
    "check consumer/sticky --like-kafka": "--promises-of",
    "check consumer/sticky --except a": "PROPERTY=SITUATION",
    "check consumer/range --family conect": "did you mean 'connect'?",
    "check python:json:dump_": "Did you mean python:json:dump?",
    "check python:nope": "python:MODULE:ATTRIBUTE",
    "check python:no_such_module:x": "cannot be imported",
    "check jar:no.jar": "there is no such file",
    "check kafka:1.0#consumer/sticky": "2.2.0",
    "check kafka:4.4.0#consumer/stiky": "consumer/sticky",
    "compare --group group.json --family consumr": "consumer",
    "compare --group junk.txt": "--describe --members --verbose",
    "compare --group none.txt": "name a readable file",
    "compare --group cut.json": "give all of it",
    "compare --group group.json --vary a=1,2": "kassay compare consumer/range --group group.json --vary a=1,2",
    "compare consumer/range --max-gap balance=0": "--sweep DIR",
    "explain no_promise.json": "Did you mean topic_balanced?",
    "explain code.json": "kassay explain code.json --trust",
    "fixtures": "fixtures needs an action: write, verify, run, diff.",
    "fixtures rnu consumer/range": "ACTION: there is no rnu; it is one of write, verify, run, diff.",
    "fixtures verify --check": "fixtures verify has no option --check.",
    "fixtures run consumer/range consumer/sticky": "fixtures run takes no consumer/sticky here, it is one too many.",
    "fixtures run": "kassay fixtures run python:my_package.assignors:assign",
    "fixtures diff group.json": "kassay fixtures diff OLD.json NEW.json",
    "import group.json": "kassay compare --group FILE",
    "simulate --members 0": "give 1 or more",
    "compare --group other.json": "there is no field `a`",
    "compare streams/sticky --group group.json": "a group of the consumer family",
    "compare --group group.json --confg x=1": "compare --help shows all",
    "compare --sweep none": "is no sweep",
    "explain junk.txt": "is not JSON",
    "explain group.json": "kassay compare --group group.json",
    "optimum group.json": "kassay optimum balance,moves group.json",
    "optimum balanc group.json": "the levels are balance",
    "frontier junk.txt": "--describe --members --verbose",
    "worst consumer/range": "kassay worst consumer/range --measure balance",
    "worst consumer/range --measure balnce": "did you mean 'balance'?",
    "over-time --group group.json": "--restart",
    "over-time --group group.json --restart x": "is no whole number",
    "import": "kassay import members.txt",
    "import junk.txt": "--describe --members --verbose",
    "list promisses": "kassay list promises",
    "list consumer/stiky": "Did you mean consumer/sticky?",
    "list consumer/sticky more": "one too many",
    "simulate consumr": "did you mean 'consumer'?",
    "simulate --faults crsh": "Did you mean crash?",
    "simulate --coordinator kafka@5": "did you mean 'kafka@4.4.0'?",
    "simulate --replay junk.txt": "is not JSON",
    "assign consumer/stiky group.json": "Did you mean consumer/sticky?",
    "assign streams/sticky group.json": "ask consumer assignors",
    "sweep none.toml": "kassay sweep grids/quick.toml -o build/quick",
    "sweep none.toml -o here": "name a grid file",
    "report none": "is no sweep",
}  # fmt: skip
"""Command line -> what helps."""


FOUND = {
    "kassay": "0.1.0", "target": "consumer/range", "family": "consumer", "property": "topic_balanced", "group": GROUP,
}  # fmt: skip
"""A finding."""


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder with files that are not what is wanted."""
    for name, text in {
        "junk.txt": "hello\n",
        "cut.json": "{",
        "other.json": '{"a": 1}',
        "group.json": json.dumps(GROUP),
        "no_promise.json": json.dumps(FOUND | {"property": "topic_blanced"}),
        "code.json": json.dumps(FOUND | {"target": "python:mine:assign"}),
    }.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", str(WIDTH))


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("line", CASES)
def test_a_wrong_command_line_is_told_in_a_sentence_with_what_helps(line, capsys):
    try:
        status = main(line.split())
    except SystemExit as ended:
        status = ended.code
    printed = capsys.readouterr()
    assert status == 2, printed.err
    assert printed.out == ""
    lines = printed.err.splitlines()
    copied = [each for each in lines if re.match(r" {8}(kassay|kafka-|    --)", each)]
    assert lines[0].startswith("kassay: ")
    assert [each for each in lines if len(each) > WIDTH and each not in copied] == []
    said = " ".join(each.strip() for each in lines)
    assert CASES[line] in said
    assert "usage:" not in said
    assert max(len(part.split(", ")) for part in re.split(r"[.;:]", said)) <= MOST_NAMED
    assert len([each for each in lines if each not in copied]) <= 5
    assert set(words_that_are_out(lines)) <= {"cross-rack"}, "levels have their names"
