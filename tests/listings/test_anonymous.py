"""Anonymous groups: no name of the owner is left, nothing else changes, and assignors answer the same."""

import json
from functools import partial
from pathlib import Path

import pytest
from printed import json_lines
from whole import share

from kassay import read_group, write_group
from kassay.cli import main
from kassay.engine.generate import draw_groups
from kassay.errors import InputError
from kassay.families import family
from kassay.listings.anonymous import replace_names
from kassay.model import AssignorError
from kassay.reference import ASSIGNORS

FAMILIES = ["consumer", "broker", "share", "streams", "streams-group", "connect"]
LISTINGS = Path(__file__).parents[2] / "examples" / "groups"


def list_texts(value):
    if isinstance(value, str):
        return {value}
    if isinstance(value, dict):
        return {*value, *(text for of in value.values() for text in list_texts(of))}
    return {text for of in value for text in list_texts(of)} if isinstance(value, list) else set()


def name_apart(record):
    """Return the JSON of a group whose plain names look like somebody's; tasks and UUIDs stay as they are."""
    text = json.dumps(record)
    for letter, word in (
        ("t", "orders-"),
        ("m", "host-9-"),
        ("i", "pod-"),
        ("r", "rack-"),
        ("c", "sink-"),
        ("w", "node-"),
    ):
        for number in range(12):
            text = text.replace(f'"{letter}{number}"', f'"{word}{number}"')
    return json.loads(text)


@pytest.mark.parametrize("name", FAMILIES)
def test_nothing_of_the_names_is_left_and_groups_are_as_large(name):
    of, read = family(name), partial(read_group, family=name)
    for group in draw_groups(of, share(40, 2_000), 3):
        record = {"name": "payments"} | of.write_group(group)
        hidden = replace_names(name_apart(record))
        texts = list_texts(hidden)
        assert not [
            text
            for text in texts
            if any(w in text for w in ("payments", "orders", "host", "pod", "rack-", "sink", "node"))
        ]
        again = read(hidden)
        for size in of.shape.sizes.values():
            assert size(again) == size(read(record))
        assert replace_names(hidden) == hidden


@pytest.mark.parametrize("target", ["consumer/range", "consumer/roundrobin", "consumer/fair"])
def test_answers_are_the_same_under_the_other_names(target):
    """Of groups without encoded data and hosts, which are left out. Sticky assignors iterate over hash maps of names."""
    assign, compared = ASSIGNORS[target].assign, 0
    for group in draw_groups(family("consumer"), share(60, 1_000), 4):
        record = write_group(group)
        if any(word in json.dumps(record) for word in ("user_data", "rack.from.host")):
            continue
        other = read_group(replace_names(record))
        try:
            loads = count_by_topic(group, assign(group))
        except AssignorError:
            with pytest.raises(AssignorError):
                assign(other)
        else:
            assert count_by_topic(other, assign(other)) == loads
            compared += 1
    assert compared > 20


def count_by_topic(group, answer):
    """Return what each member is given of each topic, by their places in the group."""
    return [
        [[p for t, p in answer[member.id] if t == topic.name] for topic in group.topics]
        for member in group.members
    ]


def test_an_unknown_text_is_refused():
    with pytest.raises(InputError, match="secret: 'x' cannot be made anonymous"):
        replace_names({"members": [], "secret": "x"})


def test_the_command_hides_names_of_a_listing(capsys):
    listing = next(iter(sorted(LISTINGS.glob("*.members.txt"))))
    assert main(["import", str(listing)]) == 0
    (plain,) = json_lines(capsys)
    assert main(["import", str(listing), "--anonymize"]) == 0
    out, err = capsys.readouterr()
    (hidden,) = map(json.loads, out.splitlines())
    assert "name" not in hidden
    assert "listed" not in hidden
    names = {
        plain["name"],
        *(each["id"] for each in plain["members"]),
        *(each["name"] for each in plain["topics"]),
    }
    assert not [name for name in names if name in out]
    assert [len(each["owned"]) for each in hidden["members"]] == [
        len(each["owned"]) for each in plain["members"]
    ]
    assert "all names are replaced" in err
