"""User data, hosts and the configuration of a group in JSON: both ways, and one sentence where they are wrong."""

import json

import pytest
from hypothesis import given

from kassay.cli import main
from kassay.model import Config
from kassay.model.partitions_json import decode_group, read_group, write_group
from kassay.properties.partitions.generating.strategies import groups

GROUP = {
    "topics": [
        {"name": "t", "partitions": 2, "hosts": [["k0.a", None], None]},
        {"name": "u", "partitions": 2},
    ],
    "members": [{"id": "m", "topics": ["t", "u"], "user_data": "dy5h"}],
    "config": {
        "rack.from.host": "[^.]+[.](.*)",
        "joined.topics": [["t", "u"]],
        "other.topics.assignor": "consumer/sticky",
    },
}


@given(groups())
def test_groups_come_back_from_json(group):
    written = write_group(group)
    assert read_group(json.loads(json.dumps(written))) == group
    large = decode_group(json.dumps(written))
    assert large is not None
    assert large[2] == group


def test_what_is_written_is_what_was_read():
    group = read_group(GROUP)
    assert write_group(group) == GROUP
    assert group.members[0].user_data == b"w.a"
    assert group.topics[0].hosts == (("k0.a", None), ())
    assert group.config == Config("[^.]+[.](.*)", (("t", "u"),), "consumer/sticky")


def config(**changed):
    return GROUP | {"config": {key.replace("_", "."): value for key, value in changed.items()}}


def member(**changed):
    return GROUP | {"members": [GROUP["members"][0] | changed]}


@pytest.mark.parametrize(
    ("group", "sentence"),
    [
        (member(user_data="a"), "members[0].user_data: that of member 'm' is no base64"),
        (member(user_data="aé=="), "members[0].user_data: that of member 'm' is no base64"),
        (member(user_data=7), "members[0].user_data: Expected `str | null`, got `int`"),
        (
            GROUP | {"topics": [{"name": "t", "partitions": 1, "hosts": []}]},
            "topics[0].hosts: topic 't' has 1 part",
        ),
        (config(rack_from_host="(a"), "config.rack.from.host: '(a' is no regular expression"),
        (
            config(rack_from_host="a"),
            "config.rack.from.host: 'a' has 0 groups; put the rack alone in parentheses",
        ),
        (config(rack_from_host="(a)(b)"), "config.rack.from.host: '(a)(b)' has 2 groups"),
        (
            config(rack_from_host="(a+)+"),
            "config.rack.from.host: '(a+)+' could take too long; repeat no group",
        ),
        (config(rack_from_host="(" + "a" * 999 + ")"), "config.rack.from.host: has 1001 characters"),
        (config(joined_topics=[["t"]]), "config.joined.topics: ['t'] is no join; list two topics or more"),
        (config(joined_topics=[["t", "u"], ["t", "v"]]), "config.joined.topics: 't' is listed twice"),
        (
            config(other_topics_assignor="sticky"),
            "config.other.topics.assignor: 'sticky'; give consumer/roundrobin",
        ),
        (config(joined="t"), "config: Object contains unknown field `joined`"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(group, sentence, tmp_path, capsys):
    file = tmp_path / "group.json"
    file.write_text(json.dumps(group))
    assert main(["assign", "consumer/metadata", str(file)]) == 2
    said = capsys.readouterr().err.strip()
    assert sentence in said
    assert "\n" not in said


@pytest.mark.parametrize(
    "pattern",
    [
        r"[^.]+\.(?:dc-)?([^.]*)\..*", r"(?i)host-\d{1,3}\.([a-z]+?)\.x", r"([*+?)(]+)", r"\((.*)\)*", r"(a)?b{,3}", r"([]a]+)",
    ],
)  # fmt: skip
def test_patterns_that_end_soon_are_taken(pattern):
    assert Config(pattern).rack_from_host == pattern


@pytest.mark.parametrize(
    "pattern",
    [
        "(?:a|b)*(c)", "(a*)(?#no)*", "(?x)(a) # no\n+", ".*.*.*(.*)", "(a?)" + "a?" * 30, "(c)" + "(?:a|a)" * 30, "((?:a){2,})",
        "(a{1,99})b{2,}c{2,}d{2,}",
    ],
)  # fmt: skip
def test_patterns_that_might_take_for_ever_are_not(pattern):
    with pytest.raises(ValueError, match="could take too long"):
        Config(pattern)
