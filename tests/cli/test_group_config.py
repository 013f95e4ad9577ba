"""User data, hosts and the configuration of a group in JSON: both ways, and one sentence where they are wrong."""

import json
import re
import time

import pytest
from hypothesis import given

from kassay.cli import main
from kassay.model import Config
from kassay.model.partitions_json import decode_group, read_group, write_group
from kassay.properties.partitions.strategies import groups

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
        (member(user_data="a"), "members[0].user_data: member 'm' has bytes that are not base64"),
        (member(user_data="aé=="), "members[0].user_data: member 'm' has bytes that are not base64"),
        (member(user_data=7), "members[0].user_data: Expected `str | null`, got `int`"),
        (
            GROUP | {"topics": [{"name": "t", "partitions": 1, "hosts": []}]},
            "topics[0].hosts: topic 't' has 1 part",
        ),
        (config(rack_from_host="(a"), "config.rack.from.host: '(a' is not a regular expression"),
        (
            config(rack_from_host="a"),
            "config.rack.from.host: 'a' has 0 groups. Put the rack alone in parentheses",
        ),
        (config(rack_from_host="(a)(b)"), "config.rack.from.host: '(a)(b)' has 2 groups"),
        (
            config(rack_from_host="(?=a)(b)"),
            "config.rack.from.host: '(?=a)(b)' is not a regular expression of RE2 (invalid perl operator: (?=). Write one such as",
        ),
        (
            config(rack_from_host=r"(a)\1"),
            "is not a regular expression of RE2 (invalid escape sequence: \\1)",
        ),
        (config(rack_from_host="(a{,3})"), "RE2 takes {,n} for these signs themselves. Write {0,n}"),
        (config(rack_from_host="((?:a{99}){99})"), "is not a regular expression of RE2 ("),
        (config(rack_from_host="((?:[a-z]{999}[a-z]{999}){1,9})"), "is not a regular expression of RE2 ("),
        (config(rack_from_host="(" + "a" * 999 + ")"), "config.rack.from.host: has 1001 characters"),
        (config(joined_topics=[["t"]]), "config.joined.topics: ['t'] is not a join. List two topics or more"),
        (config(joined_topics=[["t", "u"], ["t", "v"]]), "config.joined.topics: 't' is listed twice"),
        (
            config(other_topics_assignor="sticky"),
            "config.other.topics.assignor: 'sticky'. Give consumer/roundrobin",
        ),
        (config(joined="t"), "config: there is no field `joined`"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(group, sentence, tmp_path, capsys):
    file = tmp_path / "group.json"
    file.write_text(json.dumps(group))
    assert main(["assign", "consumer/metadata", str(file)]) == 2
    said = capsys.readouterr().err.strip()
    assert sentence in said
    assert "\n" not in said


HOSTS = ("kafka-0.eu-1a.example", "a" * 253, "a" * 252 + "b", "a.b." * 63, "", "web.x", ("a " * 127)[:253])
PATTERNS = [
    r"[^.]+\.(?:dc-)?([^.]*)\..*", r"(?i)host-\d{1,3}\.([a-z]+?)\.x", r"([*+?)(]+)", r"\((.*)\)*", r"(a)?b{0,3}", r"([]a]+)",
    "(?:a|b)*(c)", "(a*)(?:no)*", ".*.*.*(.*)", "(a?)" + "a?" * 30, "(c)" + "(?:a|a)" * 30, "((?:a){2,})", "(a+)+", "(?:(a|a) *)*b",
    "(a{1,99})b{2,}c{2,}d{2,}", r"(?P<rack>\w+)[.](?:\w|[.])*", "(?s:.)(.*?)x",
]  # fmt: skip


@pytest.mark.parametrize("pattern", PATTERNS)
def test_whatever_a_pattern_repeats_it_ends_soon_and_finds_what_python_finds(pattern):
    config = Config(pattern)
    start = time.process_time()
    found = [config.rack_of(host) for host in HOSTS]
    assert time.process_time() - start < 0.5
    if re.search(r"\([^)]*[*+?|][^)]*\)[*+]|a\?a\?|\.\*\.\*|a\|a", pattern):
        return  # Python's own would not end
    for host, rack in zip(HOSTS, found, strict=True):
        match = re.fullmatch(pattern, host)
        assert rack == ((match[1] or None) if match else None), host


def test_a_pattern_of_some_memory_is_tried_on_many_hosts():
    """The worst that is taken: 253 signs, each of which may begin or end any of many repeats."""
    config = Config("(" + "(?:a{0,99}){0,2}" * 2 + ")")
    start = time.process_time()
    for n in range(20):
        assert config.rack_of("a" * (230 + n)) == "a" * (230 + n)
    assert time.process_time() - start < 1


def test_a_verbose_group_that_never_ended_is_refused(tmp_path, capsys):
    file = tmp_path / "group.json"
    rule = {"config": {"rack.from.host": "(?x:(a|a) *)b"}}
    hosts = {
        "topics": [{"name": "t", "partitions": 1, "hosts": [["a " * 120]]}],
        "members": [{"id": "m", "topics": ["t"]}],
    }
    file.write_text(json.dumps(hosts | rule))
    assert main(["assign", "consumer/metadata", str(file)]) == 2
    assert "is not a regular expression of RE2 (invalid perl operator: (?x)" in capsys.readouterr().err
