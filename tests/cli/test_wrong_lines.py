"""Wrong command lines: what is wrong in a sentence, the nearest right thing, a line to copy; no options and no lists."""

import json
import re

import pytest
from said import WIDTH, find_form_errors, words_that_are_out

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
    "check consumer/zzz*": "`kassay list` shows all",
    "check consumer/sticky@9.9": "Leave out @9.9",
    "check consumer/sticky --seeds 3": "Did you mean --seed?",
    "check consumer/sticky --examples x": "is no whole number",
    "check consumer/sticky --examples -1": "is no whole number",
    "check consumer/sticky --format xml": "It is one of pretty, json",
    "check consumer/sticky --property balancd": "Did you mean balanced?",
    "check consumer/sticky --promises-of consumer/stikky": "Did you mean consumer/sticky?",
    "check consumer/sticky --promises-of streams/sticky": "Name one of consumer's",
    "check consumer/sticky --like-kafka": "--promises-of",
    "check consumer/sticky --except a": "PROPERTY=SITUATION",
    "check consumer/range --family conect": "Did you mean 'connect'?",
    "check python:json:dump_": "Did you mean python:json:dump?",
    "check python:nope": "python:MODULE:ATTRIBUTE",
    "check python:no_such_module:x": "cannot be imported",
    "check jar:no.jar": "there is no such file",
    "check kafka:1.0#consumer/sticky": "2.2.0",
    "check kafka:4.4.0#consumer/stiky": "consumer/sticky",
    "compare --group group.json --family consumr": "consumer",
    "compare --group junk.txt": "--describe --members --verbose",
    "compare --group none.txt": "Name a readable file",
    "compare --group cut.json": "Give all of it",
    "compare --group group.json --vary a=1,2": "kassay compare consumer/range --group group.json --vary a=1,2",
    "compare consumer/range --max-gap balance=0": "--sweep DIR",
    "explain no_promise.json": "Did you mean topic_balanced?",
    "explain code.json": "kassay explain code.json --trust",
    "fixtures": "fixtures: ACTION is missing. It is one of write, verify, run, diff.",
    "fixtures rnu consumer/range": "ACTION: there is no rnu. It is one of write, verify, run, diff.",
    "fixtures verify --check": "fixtures verify: there is no option --check.",
    "fixtures run consumer/range consumer/sticky": "fixtures run: consumer/sticky is one argument too many.",
    "fixtures run": "kassay fixtures run python:my_package.assignors:assign",
    "fixtures diff group.json": "kassay fixtures diff OLD.json NEW.json",
    "import group.json": "kassay compare --group FILE",
    "simulate --members 0": "Give 1 or more",
    "compare --group other.json": "there is no field `a`",
    "compare streams/sticky --group group.json": "a group of the consumer family",
    "compare --group group.json --confg x=1": "compare --help shows all",
    "compare --sweep none": "is not a sweep",
    "explain junk.txt": "is not JSON",
    "explain group.json": "kassay compare --group group.json",
    "optimum group.json": "kassay optimum balance,moves group.json",
    "optimum balanc group.json": "The levels are balance",
    "frontier junk.txt": "--describe --members --verbose",
    "worst consumer/range": "kassay worst consumer/range --measure balance",
    "worst consumer/range --measure balnce": "Did you mean 'balance'?",
    "over-time --group group.json": "--restart",
    "over-time --group group.json --restart x": "is no whole number",
    "import": "kassay import members.txt",
    "import junk.txt": "--describe --members --verbose",
    "list promisses": "kassay list promises",
    "list consumer/stiky": "Did you mean consumer/sticky?",
    "list consumer/sticky more": "one argument too many",
    "simulate consumr": "Did you mean 'consumer'?",
    "simulate --faults crsh": "Did you mean crash?",
    "simulate --coordinator kafka@5": "Did you mean 'kafka@4.4.0'?",
    "simulate --replay junk.txt": "is not JSON",
    "assign consumer/stiky group.json": "Did you mean consumer/sticky?",
    "assign streams/sticky group.json": "Ask consumer assignors",
    "sweep none.toml": "kassay sweep grids/quick.toml -o build/quick",
    "sweep none.toml -o here": "Name a grid file",
    "report none": "is not a sweep",
    "simulate konsumer": "USE: there is no 'konsumer'. Known are consumer",
    "simulate --faults crush": "--faults: there is no 'crush'",
    "simulate single-writer --faults grow": "does not fit the use single-writer",
    "simulate --faults twin": "Add --static, with --members 2 or more",
    "simulate --coordinator kafka@0.9": "--coordinator: there is no 'kafka@0.9'",
    "simulate --members 51": "--members: Expected `int` <= 50",
    "simulate --partitions 2,x": "--partitions 2,x: has no valid value. Give whole numbers",
    "simulate --partitions 0": "--partitions[0]: Expected `int` >= 1",
    "simulate connect --target consumer/range": "connect assigns by itself",
    "simulate --target streams/sticky": "is of the streams family. Name an assignor of the consumer family for the use consumer",
    "simulate single-writer --static": "instance_id",
    "simulate --exhaustive 3 --members 4": "Give at most 3 --members",
    "simulate --replay nothing.json": "cannot be read",
    "simulate --replay nothing.json --faults crash": "Leave out --faults",
    "simulate --replay nothing.json --schedules 9": "Leave out --schedules",
    "simulate consumer --replay nothing.json --exhaustive 3": "Leave out USE, --exhaustive",
    "simulate --scenario topic-grow": "Did you mean topic-grows? kassay simulate --scenario shows all",
    "simulate --scenario topic-grows --faults crash": "Leave out --faults",
    "simulate --scenario topic-grows --members 3 --static": "Leave out --members, --static",
    "simulate consumer --scenario topic-grows": "Leave out USE",
    "simulate --scenario topic-grows --coordinator kafka@1": "--coordinator: there is no 'kafka@1'",
    "simulate --faults crash,redeploy": "'redeploy' is never drawn. Write it into a schedule for --replay",
    "over-time consumer/sticky --group shop.json --restart 4": "restart: 4 of 3 members. Take a group of 2 or more and restart 1 to all of them",
    "over-time consumer/sticky --group shop.json --scale-out 0": "is 0. Give 1 or more",
    "frontier group.json --plot plot.pdf": "--plot plot.pdf: ends with '.pdf'. Give a name that ends with .svg or .png",
    "frontier group.json --plot no/such/folder/plot.png": "there is no folder no/such/folder. Create it first",
    "frontier group.json --target consumer/nobody": "consumer/nobody",
    "frontier group.json --target streams/sticky": "--target streams/sticky: belongs to the streams family, the group to consumer",
    "what-if --group shop.json --join 0": "is 0. Give 1 or more",
    "what-if --group shop.json --join two": "'two' is no whole number",
    "what-if --group shop.json": "what-if: no change is given. Add --join N, --leave MEMBER or --add-partitions TOPIC:N",
    "what-if --group shop.json --leave m9": "--leave m9: there is no 'm9'. Known are m1, m2, m3",
    "what-if --group shop.json --leave m": "--leave m: fits 3 members (m1, m2, m3). Give more of the id",
    "what-if --group shop.json --leave m1 --leave i2 --leave m3": "--leave: none of 3 members would be left",
    "what-if --group shop.json --add-partitions x:9": "--add-partitions x:9: there is no 'x'. Known are t, u",
    "what-if --group shop.json --add-partitions t:4": "--add-partitions t:4: t has 4 already, and Kafka cannot remove any",
    "what-if --group shop.json --add-partitions t:2": "Give the new number, 5 or more",
    "what-if --group shop.json --add-partitions t": "'t' is not TOPIC:N. Give a value such as orders:12",
    "what-if --group shop.json --add-partitions t:5 --add-partitions t:6": "--add-partitions t:6: t is named twice",
    "what-if --group shop.json --join 1 --in-use consumer/fair": "--in-use consumer/fair: cannot be set in Kafka",
    "check consumer/range --promise exclusve": "Did you mean exclusive?",
    "check consumer/range --except stable=racks_decides": "Did you mean 'racks_decide'?",
    "check pyton:a:b": "Did you mean 'python'?",
    "check docker:x": "there is no kind 'docker'",
    "check coordinator:127.0.0.1:9092": "tests assignors. Run these instead:",
    "check exec:": "nothing stands after the colon",
    "check python:json:decoder": "is module, which is no assignor",
    "check consumer/range --property perfect": "consumer promise perfect: is unknown. kassay list promises shows all 30.",
    "check consumer/range --promise perfect": "consumer promise perfect: is unknown.",
    "check consumer/range --group /no/such/file": "/no/such/file: cannot be read (No such file or directory)",
    "check consumer/range --timeout 0": "--timeout",
    "check consumer/range -j 1.5": "-j",
    "compare consumer/range --examples 0": "compare: there is no group",
    "explain /no/such/file": "cannot be read",
    "import /no/such/file": "cannot be read",
    "list --family nothing": "family 'nothing': is unknown. Known are consumer",
    "list --family consumers": "Did you mean 'consumer'?",
    "worst consumer/range --measure crossrack": "Did you mean 'cross-rack'?",
    "list --family a:b:c": "family 'a:b:c': cannot be imported (ModuleNotFoundError",
    "list --family :": "family ':': cannot be imported (ValueError",
    "list --family json:nothing": "family 'json:nothing': cannot be imported (AttributeError",
    "check python:json:loads --family a:b:c": "family 'a:b:c': cannot be imported",
    "check consumer/range python:json:loads --family a:b:c": "family 'a:b:c': cannot be",
    "list python:json:loads": "kassay list shows all",
    "check roundrobin": "Did you mean consumer/roundrobin?",
    "list --format junit": "--format junit: ",
    "assign consumer/range group.json --format junit": "--format junit: ",
    "import group.json --format junit": "--format junit: ",
    "worst consumer/range --measure balance --format junit": "--format junit: ",
    "compare consumer/range --group group.json --format junit": "--format junit: ",
}  # fmt: skip
"""Command line -> what helps."""


SHOP = {
    "topics": [{"name": "t", "partitions": 4}, {"name": "u", "partitions": 2}],
    "members": [
        {"id": f"m{n}", "topics": ["t", "u"], "instance_id": "i2" if n == 2 else None} for n in (1, 2, 3)
    ],
}
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
        "shop.json": json.dumps(SHOP),
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
    sentence = " ".join(each.strip() for each in lines if each not in copied)
    assert find_form_errors(sentence.removeprefix("kassay: ")) == set(), said
    assert "usage:" not in said
    assert max(len(part.split(", ")) for part in re.split(r"[.;:]", said)) <= MOST_NAMED
    assert len([each for each in lines if each not in copied]) <= 5
    assert set(words_that_are_out(lines)) <= {"cross-rack"}, "levels have their names"
