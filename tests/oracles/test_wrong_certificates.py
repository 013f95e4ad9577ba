"""Every wrong use, and every field of a group, an answer and a certificate that is wrong, has its sentence."""

import json
from copy import deepcopy

import jsonschema
import pytest
from mutations import changed
from verifying import GROUP, SCHEMA, verified

from kassay.cli import main
from kassay.oracles import verify_certificate


def test_the_schema_refuses_what_is_missing(folder, two_levels, capsys):
    answer = json.loads(two_levels)
    for keys in ([], ["certificate"], ["levels", 0], ["certificate", "parts", 0]):
        place = answer
        for key in keys:
            place = place[key]
        for key in place:
            altered = deepcopy(answer)
            inside = altered
            for each in keys:
                inside = inside[each]
            del inside[key]
            with pytest.raises(jsonschema.ValidationError):
                jsonschema.validate(altered, SCHEMA, jsonschema.Draft202012Validator)
            if key not in ("where", "because", "says"):
                status, ours, theirs = verified(folder, GROUP, altered, capsys)
                assert status == 2
                assert f"`{key}`" in ours
                assert f"{key}: is missing" in theirs


PART = ("certificate", "parts", 0)
ALTERED = [
    # place, new value, status, what kassay says, what the verifier says
    (("question",), 3, 2, "question: Expected `str`", "answer.question: is 3; give str"),
    (("question",), "beauty", 2, "asks for 'beauty'; the levels are", "answer.question: is 'beauty'; give what"),
    (("question",), "copies=0,balance", 2, "'0' copies; give 1 to 1000", "answer.question: is 'copies=0"),
    (("question",), "balance", 2, "give a number of up to 300 digits for each of balance", "give one number of up to 300 digits per level"),
    (("question",), "balance,cross-rack", 1, "levels: states [('balance', 0, 0, True), ('moves'", "answer.levels: are not"),
    (("question",), "copies=2,balance,moves", 1, "assignment: gives", "to 1, not 2"),
    (("levels",), {}, 2, "levels: Expected `array`", "answer.levels: is {}; give list"),
    (("levels",), [], 1, "levels: states []", "answer.levels: are not"),
    (("levels", 0, "level"), "moves", 1, "levels: states [('moves', 0", "answer.levels: are not"),
    (("levels", 0, "level"), None, 2, "levels[0].level: Expected `str`", "answer.levels.0.level: is missing"),
    (("levels", 0, "value"), 1, 1, "levels: states", "answer.levels: are not"),
    (("levels", 0, "value"), 0.0, 2, "levels[0].value: Expected `int`, got `float`", "levels.0.value: is 0.0; give int"),
    (("levels", 1, "least"), 0, 1, "levels: states", "answer.levels: are not"),
    (("levels", 1, "least"), True, 2, "levels[1].least: Expected `int`, got `bool`", "levels.1.least: is True; give int"),
    (("levels", 0, "proved"), False, 1, "levels: states", "answer.levels: are not"),
    (("levels", 0, "proved"), 1, 2, "levels[0].proved: Expected `bool`", "levels.0.proved: is 1; give bool"),
    (("assignment",), [], 2, "assignment: Expected `object`", "answer.assignment: is []; give dict"),
    (("assignment", "m3"), [], 1, "assignment: member 'm3' is not in the group", "its members are not those of the group"),
    (("assignment",), {}, 1, "assignment: member 'm0' is not in it", "its members are not those of the group"),
    (("assignment", "m0"), [["u", 0], ["u", 1]], 1, "gives u-2 to 0 members; 1 is asked", "gives u-2 to 0, not 1"),
    (("assignment", "m2"), [["t", 0]], 1, "gives member 'm2' t-0, which it cannot read", "gives m2 t-0, which it cannot read"),
    (("assignment", "m1"), [["t", n] for n in (0, 1, 2, 3)], 1, "t-3, which it cannot read", "m1 t-3, which it cannot read"),
    (("assignment", "m1"), [["t", n] for n in (0, 1, 2, -1)], 1, "t--1, which it cannot read", "m1 t--1, which it"),
    (("assignment", "m1"), [["t", n] for n in (0, 1, 2, 2)], 1, "gives member 'm1' a partition twice", "gives m1 t-2 twice"),
    (("assignment", "m1"), [["gone", 0]], 1, "gone-0, which it cannot read", "gone-0, which it cannot read"),
    (("assignment", "m1"), [["t", "0"]], 2, "Expected `int`, got `str`", "assignment.m1.0.1: is 0; give int"),
    (("assignment", "m1"), [["t"]], 2, "assignment[...][0]: Expected `array` of length 2", "has 1 entries; give 2"),
    (("certificate",), None, 2, "certificate: Expected `object`", "answer.certificate: is missing; give dict"),
    (("certificate", "proved"), False, 1, "certificate.proved: states False", "certificate.proved: is not True"),
    (("certificate", "proved"), "yes", 2, "certificate.proved: Expected `bool`", "certificate.proved: is yes; give bool"),
    (("certificate", "loads", "m0"), 2, 1, "certificate.loads: states", "certificate.loads: are not"),
    (("certificate", "loads", "m0"), -3, 1, "certificate.loads: states", "certificate.loads: are not"),
    (("certificate", "loads", "m0"), 3.0, 2, "certificate.loads[...]: Expected `int`", "certificate.loads.m0: is 3.0; give int"),
    (("certificate", "loads"), {}, 1, "certificate.loads: states {}", "certificate.loads: are not"),
    (("certificate", "parts"), [], 1, "certificate.parts: their topics are []", "certificate.parts: the topics that belong"),
    (("certificate", "parts"), {}, 2, "certificate.parts: Expected `array`", "certificate.parts: is {}; give list"),
    ((*PART, "topics"), ["t"], 1, "certificate.parts: their topics are [['t']]", "certificate.parts: the topics that"),
    ((*PART, "topics"), [1], 2, "parts[0].topics[0]: Expected `str`", "parts.0.topics.0: is 1; give str"),
    ((*PART, "value"), [18, 0], 1, "parts[0].value: states (18, 0), but it is (18, 1)", "parts[0].value: is not (18, 1)"),
    ((*PART, "value"), [18], 2, "parts[0].value: give a number", "parts[0]: [18]: give one number"),
    ((*PART, "least"), [18, -1], 1, "parts[0].least: states (18, -1), but it is (18, 1)", "parts[0].least: is not (18, 1)"),
    ((*PART, "least"), [18, None], 2, "parts[0].least[1]: Expected `int`", "parts.0.least.1: is missing; give int"),
    ((*PART, "price"), [1, 0], 1, "parts[0].least: states", "parts[0].least: is not"),
    ((*PART, "price"), [6.0, 0], 2, "parts[0].price[0]: Expected `int`, got `float`", "price.0: is 6.0; give int"),
    ((*PART, "price"), [True, 0], 2, "parts[0].price[0]: Expected `int`, got `bool`", "price.0: is True; give int"),
    ((*PART, "price"), [10**300, 0], 2, "parts[0].price: give a number of up to 300", "give one number of up to 300"),
    ((*PART, "except"), {"m2": [0, 0]}, 1, "except: member 'm2' reads none", "parts[0].except: names a member that reads none"),
    ((*PART, "except"), {"x": [0, 0]}, 1, "except: member 'x' reads none", "parts[0].except: names a member that reads none"),
    ((*PART, "except"), {"m0": [0]}, 2, "parts[0].except.m0: give a number", "parts[0]: [0]: give one number"),
    ((*PART, "except"), {"m0": [9, 9]}, 1, "parts[0].least: states", "parts[0].least: is not"),
    ((*PART, "except"), [], 2, "parts[0].except: Expected `object`", "parts.0.except: is []; give dict"),
]  # fmt: skip


@pytest.mark.parametrize(("place", "value", "status", "ours", "theirs"), ALTERED)
def test_every_field_that_is_wrong_has_its_sentence(
    place, value, status, ours, theirs, folder, two_levels, capsys
):
    answer = changed(json.loads(two_levels), place, value)
    found, own, other = verified(folder, GROUP, answer, capsys)
    assert found == status, (own, other)
    assert ours in own
    assert theirs in other


def test_wrong_use_has_its_sentence(folder, two_levels, capsys):
    of, answer, both = (folder / name for name in ("of.json", "answer.jsonl", "both.jsonl"))
    of.write_text(json.dumps(GROUP))
    answer.write_text(two_levels)
    both.write_text(two_levels.strip() + "\n" + two_levels)
    for arguments, says in (
        (["optimum"], "QUESTION: is missing; give levels such as balance,moves,cross-rack"),
        (
            ["optimum", "--verify", answer, of, "--time-limit", "3"],
            "--time-limit: has no meaning with --verify; leave it out",
        ),
        (
            ["optimum", "--verify", both, of],
            "has 2 answers, but 1 groups are given; give one answer for each group",
        ),
        (
            ["optimum", "balance,moves", of, "--verify", answer],
            "balance,moves: is no file; with --verify give groups alone",
        ),
        (["optimum", "--verify", folder / "none", of], "none: cannot be read"),
        (["optimum", "--verify", of, of], "of.json: Object missing required field `question`"),
        (
            ["optimum", "--verify", answer, of, "--family", "toy_shape:FLEETS"],
            "there are no oracles for the fleets family",
        ),
    ):
        assert main([*map(str, arguments)]) == 2
        assert says in capsys.readouterr().err
    assert main(["optimum", "--verify", str(both), str(of), str(of)]) == 0
    assert verify_certificate.main([str(folder / "none"), str(answer)]) == 2
    assert "cannot be read as JSON" in capsys.readouterr().err
    hostile = json.loads(two_levels)
    hostile["assignment"]["m0"] = [["\u00fc\n\x1b", 0]]
    _, _, theirs = verified(folder, GROUP, hostile, capsys)
    assert theirs == r"NOT proved: answer.assignment: gives m0 \xfc\n\x1b-0, which it cannot read"


WRONG_GROUPS = [
    ([], "group: is []; give dict"),
    ({}, "group.topics: is missing; give list"),
    (GROUP | {"family": "connect"}, "group.family: give one of consumer, broker, share"),
    (GROUP | {"topics": GROUP["topics"] * 2}, "group.topics: two have one name"),
    (GROUP | {"members": GROUP["members"] * 2}, "group.members: two have one id"),
    (GROUP | {"topics": [{"name": "t", "partitions": -1}]}, "topic t: partitions: is -1; give 0 or more"),
    (
        GROUP | {"topics": [{"name": "t", "partitions": 2, "racks": [[]]}]},
        "topic t: racks: give one for each",
    ),
    (GROUP | {"topics": [{"name": "t", "partitions": True}]}, "group.topics.0.partitions: is True; give int"),
    (GROUP | {"members": [{"id": "m", "topics": "t"}]}, "group.members.0.topics: is t; give list"),
]


@pytest.mark.parametrize(("of", "says"), WRONG_GROUPS)
def test_a_wrong_group_has_its_sentence(of, says, folder, two_levels, capsys):
    status, _, theirs = verified(folder, of, json.loads(two_levels), capsys)
    assert status == 2
    assert says in theirs
