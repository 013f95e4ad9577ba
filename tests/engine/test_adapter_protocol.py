"""The JSON Schema of the adapter protocol says what kassay sends, takes and refuses; the documented program speaks it."""

import json
import re
import sys
from copy import deepcopy
from functools import cache
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kassay.engine.generate import draw_examples
from kassay.errors import DiedError, InputError, SkippedError, TargetGoneError
from kassay.families import FAMILIES
from kassay.model import AssignorError, Group, Member, Topic
from kassay.properties.partitions.strategies import groups
from kassay.targets import Options, open_target, program
from kassay.targets.conversation import Conversation

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "reference" / "adapter.md").read_text()
SCHEMA = json.loads((ROOT / "docs" / "reference" / "adapter-protocol.schema.json").read_text())
SPEAKER = f"exec:{sys.executable} {ROOT / 'tests' / 'programs' / 'speaker.py'}"
TWO = Group((Topic("t", 2),), (Member("a", ("t",)), Member("b", ("t",))))


@cache
def validator(kind):
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    return jsonschema.Draft202012Validator({**SCHEMA, "anyOf": [{"$ref": f"#/$defs/{kind}"}]})


@pytest.fixture
def said(monkeypatch):
    """Keep every line that goes over the wire: requests and answers."""
    lines = {"requests": [], "answers": []}
    send, receive = Conversation.send, Conversation.receive

    def sent(self, question):
        lines["requests"].append(json.loads(json.dumps(question)))
        send(self, question)

    def received(self, timeout_s):
        lines["answers"].append(receive(self, timeout_s))
        return lines["answers"][-1]

    monkeypatch.setattr(Conversation, "send", sent)
    monkeypatch.setattr(Conversation, "receive", received)
    return lines


def wrong(lines):
    return [
        (kind, line) for kind, those in lines.items() for line in those if not validator(kind).is_valid(line)
    ]


def test_every_family_is_in_the_schema():
    assert SCHEMA["$defs"]["family"]["enum"] == [*FAMILIES], (
        "docs/reference/adapter-protocol.schema.json: say what groups and assignments of each family look like"
    )


def test_all_that_kassay_sends_is_in_the_schema(said):
    generated = draw_examples(groups(), 60, 0)
    with open_target(f"{SPEAKER} well", Options()) as target:
        target.answers(generated)
        target.instance()(TWO)
    assert len(said["requests"]) == len(said["answers"]) == 62
    assert wrong(said) == []


@pytest.mark.parametrize("way", ["refuses", "declines", "invents", "renames", "misshapes", "no_answer"])
def test_what_programs_answer_is_in_the_schema_unless_kassay_refuses_it(said, way):
    with open_target(f"{SPEAKER} {way}", Options()) as target:
        try:
            target.assign(TWO)
            refused = False
        except (AssignorError, SkippedError) as failure:
            refused = "no assignment" in str(failure)
    assert refused == (way in {"misshapes", "no_answer"})
    assert wrong(said) == ([("answers", said["answers"][-1])] if refused else [])


def fails(group):
    raise ValueError(group.members[0].id)


def test_kassays_own_adapter_speaks_it(said, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent), prepend=":")
    with open_target("python:kassay.reference.consumer.sticky.assignor:STICKY", Options()) as target:
        target.assign(TWO)
    with (
        open_target("python:test_adapter_protocol:fails", Options()) as target,
        pytest.raises(AssignorError, match="ValueError: a"),
    ):
        target.assign(TWO)
    with pytest.raises(InputError):
        open_target("python:nowhere:assign", Options())
    assert [{*line} & {"assignors", "assignment", "stack", "refused"} for line in said["answers"]] == [
        {"assignors"}, {"assignment"}, {"assignors"}, {"stack"}, {"refused"},
    ]  # fmt: skip
    assert said["answers"][0]["assignors"][0]["except_in"]
    assert wrong(said) == []


GREETING = {
    "assignors": [{"name": "one", "family": "consumer", "promises": ["complete"], "except_in": {"complete": ["racks"]}}],
    "language": "go", "version": "1",
}  # fmt: skip
ANSWER = {
    "seq": 1,
    "assignment": {"a": [["t", 0], ["t", 1]], "b": []},
    "skipped": None,
    "error": None,
    "stack": "",
}
SCRAPS = [None, True, 0.5, -1, 2**70, "", "text", "consumer", [], [[]], ["t", 0], {}, {"a": None}]


@st.composite
def altered(draw, value):
    """Change up to three places of a JSON value: leave them out or put something else there."""
    value = deepcopy(value)
    for _ in range(draw(st.integers(0, 3))):
        at, within = value, draw(st.integers(0, 4))
        while within and isinstance(at, (dict, list)) and at:
            key = draw(st.sampled_from([*at] if isinstance(at, dict) else range(len(at))))
            if within == 1 or not isinstance(at[key], (dict, list)) or not at[key]:
                if draw(st.booleans()):
                    at[key] = deepcopy(draw(st.sampled_from(SCRAPS)))
                else:
                    del at[key]
                break
            at, within = at[key], within - 1
    return value


class Scripted:
    """A conversation in which the other side says these lines."""

    def __init__(self, greeting, answer=None):
        self.greeting, self.answer = greeting, answer

    def ask(self, _question, _timeout_s):
        return self.greeting

    def send(self, question):
        """Say nothing to it yet."""

    def receive(self, _timeout_s):
        return self.answer

    def worked(self):
        """No process works."""

    def close(self):
        """End what never ran."""


def opened(*lines):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(program, "Conversation", lambda *_: Scripted(*lines))
        return program.open_command("scripted", ["none"], Options())


def takes_greeting(greeting):
    try:
        opened(greeting)
    except TargetGoneError:
        return False
    except InputError as failure:
        return bool(greeting.get("refused")) and str(failure).endswith(greeting["refused"])
    return True


def takes_answer(answer):
    try:
        opened(GREETING, answer).assign(TWO)
    except DiedError:
        return False
    except AssignorError as failure:
        return "no assignment" not in str(failure)
    except SkippedError:
        return True
    return True


@settings(max_examples=150)
@given(line=altered(GREETING) | st.sampled_from(SCRAPS))
def test_kassay_takes_just_the_greetings_of_the_schema(line):
    offered = line.get("assignors") if isinstance(line, dict) else None
    if isinstance(offered, list) and len(offered) > 1:
        return
    assert takes_greeting(line) == validator("answers").is_valid(line)


@settings(max_examples=300)
@given(line=altered(ANSWER) | st.sampled_from(SCRAPS))
def test_kassay_takes_just_the_answers_of_the_schema(line):
    if isinstance(line, dict) and type(line.get("seq")) is int:
        line["seq"] = 1
    # The schema has the assignments of all families. This target is of one of them.
    definitions = {**SCHEMA["$defs"], "assignment": SCHEMA["$defs"]["partitions_assignment"]}
    schema = {**SCHEMA, "$defs": definitions, "anyOf": [{"$ref": "#/$defs/answer"}]}
    assert takes_answer(line) == jsonschema.Draft202012Validator(schema).is_valid(line)


def test_the_documented_lines_and_the_documented_program_speak_it(said, tmp_path):
    lines = [
        json.loads(line) for line in re.findall(r"^\{.*\}$", PAGE.partition("## Errors")[0], re.MULTILINE)
    ]
    assert len(lines) == 4
    assert [
        validator(kind).is_valid(line) for kind, line in zip(["requests", "answers"] * 2, lines, strict=True)
    ]
    (code,) = re.findall(r"^```python\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    (tmp_path / "mine.py").write_text(code)
    with open_target(f"exec:{sys.executable} {tmp_path / 'mine.py'}", Options()) as target:
        assert {member: len(given) for member, given in target.assign(TWO).items()} == {"a": 1, "b": 1}
    assert wrong(said) == []
