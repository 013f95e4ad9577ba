"""Every wrong use, and every field of a group, an answer and a certificate that is wrong, has its sentence."""

import json
from copy import deepcopy

import jsonschema
import pytest
from drawing_tasks import APPLICATION, A
from mutations import changed
from verifying import GROUP, SCHEMA, answers, verified

from kassay.cli import main
from kassay.oracles.proof import command


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
                status, said = verified(folder, GROUP, altered, capsys)
                assert status == 2
                assert f"{key}: is missing" in said


PART, COUNT = ("certificate", "parts", 0), ("certificate", "weights", 0)
WEIGHED = {
    "topics": [{"name": "t", "partitions": 5, "weights": [9, 1, 1, 1, 1]}],
    "members": [
        {"id": "a", "topics": ["t"], "owned": [["t", 0], ["t", 1], ["t", 2]]},
        {"id": "b", "topics": ["t"], "owned": [["t", 3], ["t", 4]]},
    ],
}
COMING = {
    "topics": [{"name": "t0", "partitions": 2}, {"name": "t1", "partitions": 3}],
    "members": [
        {"id": "a", "topics": ["t0", "t1"], "owned": [["t0", 0], ["t0", 1], ["t1", 0], ["t1", 1], ["t1", 2]], "generation": 1},
        {"id": "b", "topics": ["t0", "t1"]},
    ],
}  # fmt: skip
CASES = {
    "consumer": ("balance,moves", GROUP), "spread": ("balance,moves,topic-spread", COMING),
    "weights": ("balance,weighted-balance,moves", WEIGHED), "streams": ("balance,joint,moves", APPLICATION), "moves": ("moves", APPLICATION),
}  # fmt: skip
ALTERED = {
    # case -> place, new value, status, what is said
    "consumer": [
        (("question",), 3, 2, "question: is 3. Give text"),
        (("question",), "beauty", 2, "question: is 'beauty'. Give what"),
        (("question",), "copies=0,balance", 2, "question: is 'copies=0,balance'. Give what"),
        (("question",), "balance", 2, "parts[0].value: has no valid value. Give a number of up to 300 digits for each"),
        (("question",), "balance,cross-rack", 1, "levels: states [{'level': 'balance'"),
        (("question",), "copies=2,balance,moves", 1, "gives t-0 to 1 members; 2 is asked"),
        (("levels",), {}, 2, "levels: is {}. Give a list"),
        (("levels",), [], 1, "levels: states [], but it is"),
        (("levels", 0, "level"), "moves", 1, "levels: states [{'level': 'moves', 'value': 0"),
        (("levels", 0, "level"), None, 2, "levels[0].level: is null. Give text"),
        (("levels", 0, "value"), 1, 1, "levels: states [{'level': 'balance', 'value': 1"),
        (("levels", 0, "value"), 0.0, 2, "levels[0].value: is 0.0. Give a whole number"),
        (("levels", 1, "least"), 0, 1, "'moves', 'value': 2, 'least': 0"),
        (("levels", 1, "least"), True, 2, "levels[1].least: is True. Give a whole number"),
        (("levels", 0, "proved"), False, 1, "'proved': False}"),
        (("levels", 0, "proved"), 1, 2, "levels[0].proved: is 1. Give true or false"),
        (("assignment",), [], 2, "assignment: is []. Give an object"),
        (("assignment", "m3"), [], 1, "its members are not the group's"),
        (("assignment",), {}, 1, "its members are not the group's"),
        (("assignment", "m0"), [["u", 0], ["u", 1]], 1, "gives u-2 to 0 members; 1 is asked"),
        (("assignment", "m2"), [["t", 0]], 1, "gives m2 t-0, which it cannot read"),
        (("assignment", "m1"), [["t", n] for n in (0, 1, 2, 3)], 1, "gives m1 t-3, which it cannot read"),
        (("assignment", "m1"), [["t", n] for n in (0, 1, 2, -1)], 1, "gives m1 t--1, which it cannot read"),
        (("assignment", "m1"), [["t", n] for n in (0, 1, 2, 2)], 1, "gives m1 t-2 twice"),
        (("assignment", "m1"), [["gone", 0]], 1, "gives m1 gone-0, which it cannot read"),
        (("assignment", "m1"), [["t", "0"]], 2, "assignment.m1[0][1]: is 0. Give a whole number"),
        (("assignment", "m1"), [["t"]], 2, "assignment.m1[0]: has 1 entries. Give 2"),
        (("certificate",), None, 2, "certificate: is null. Give an object"),
        (("certificate", "proved"), False, 1, "certificate.proved: states False, but it is True"),
        (("certificate", "proved"), "yes", 2, "certificate.proved: is yes. Give true or false"),
        (("certificate", "loads", "m0"), 2, 1, "certificate.loads: states {'m0': 2"),
        (("certificate", "loads", "m0"), -3, 1, "certificate.loads: states {'m0': -3"),
        (("certificate", "loads", "m0"), 3.0, 2, "certificate.loads.m0: is 3.0. Give a whole number"),
        (("certificate", "loads"), {}, 1, "certificate.loads: states {}"),
        (("certificate", "parts"), [], 1, "certificate.parts.topics: states [], but it is [['t', 'u']]"),
        (("certificate", "parts"), {}, 2, "certificate.parts: is {}. Give a list"),
        ((*PART, "topics"), ["t"], 1, "parts.topics: states [['t']]"),
        ((*PART, "topics"), [1], 2, "parts[0].topics[0]: is 1. Give text"),
        ((*PART, "value"), [18, 0], 1, "parts[0].value: states [18, 0], but it is [18, 1]"),
        ((*PART, "value"), [18], 2, "parts[0].value: has no valid value. Give a number"),
        ((*PART, "least"), [18, -1], 1, "parts[0].least: states [18, -1], but it is [18, 1]"),
        ((*PART, "least"), [18, None], 2, "parts[0].least[1]: is null. Give"),
        ((*PART, "price"), [1, 0], 1, "parts[0].least: states [18, 1], but it is [0, 0]"),
        ((*PART, "price"), [6.0, 0], 2, "parts[0].price[0]: is 6.0. Give"),
        ((*PART, "price"), [True, 0], 2, "parts[0].price[0]: is True. Give"),
        ((*PART, "price"), [10**300, 0], 2, "parts[0].price: has no valid value. Give a number of up to 300"),
        ((*PART, "except"), {"m2": [0, 0]}, 1, "parts[0].except: member 'm2' reads none"),
        ((*PART, "except"), {"x": [0, 0]}, 1, "parts[0].except: member 'x' reads none"),
        ((*PART, "except"), {"m0": [0]}, 2, "parts[0].except.m0: has no valid value. Give a number"),
        ((*PART, "except"), {"m0": [9, 9]}, 1, "parts[0].least: states [18, 1], but it is [16, -17]"),
        ((*PART, "except"), [], 2, "parts[0].except: is []. Give an object"),
    ],
    "spread": [
        ((*PART, "spread"), None, 2, "parts[0].spread: is null. Give an object"),
        ((*PART, "spread", "price", "t0"), {}, 1, "parts[0].spread.price: has no price of 't0' for rack ''"),
        ((*PART, "spread", "price", "t0", ""), [0], 2, "parts[0].spread: has no valid value. Give a number of up to 300 digits"),
        ((*PART, "spread", "price", "t0", ""), [0, 0, 0], 1, "parts[0].least: states"),
        ((*PART, "spread", "except"), [["t9", "a", [0, 0, 0]]], 1, "topic 't9' at member 'a' is not known, or there twice"),
        ((*PART, "spread", "except"), [["t0", "x", [0, 0, 0]]], 1, "topic 't0' at member 'x' is not known, or there twice"),
        ((*PART, "spread", "except"), [["t0", "a", [0, 0, 0]]] * 2, 1, "topic 't0' at member 'a' is not known, or there twice"),
        ((*PART, "spread", "except"), [["t0", "b", [0, 0, 0]]], 1, "'t0' has no partition that 'b' owned and may keep"),
        (("levels", 2, "value"), 1, 1, "levels: states"),
        ((*PART, "value", 2), 8, 1, "parts[0].value: states"),
        (("question",), "balance,moves", 2, "spread: has no valid value. Give prices of topics if, and only if"),
        (("question",), "copies=2,balance,moves,topic-spread", 2, "question: is 'copies=2,balance,moves,topic-spread'"),
    ],
    "weights": [
        ((*COUNT, "least"), 9, 1, "certificate.weights.weighted-balance.least: states 9, but it is 10"),
        ((*COUNT, "value"), 10.0, 2, "certificate.weights[0].value: is 10.0. Give a whole number"),
        ((*COUNT, "value"), 11, 1, "certificate.weights.weighted-balance.value: states 11, but it is 10"),
        ((*COUNT, "kind"), "oracle", 1, "certificate.weights.weighted-balance.kind: is 'oracle'. Give hall or pigeon"),
        ((*COUNT, "kind"), "hall", 1, "least: states 10, but it is 7"),
        ((*COUNT, "count"), 1, 1, "least: states 10, but it is 2"),
        ((*COUNT, "count"), -1, 1, "weighted-balance.count: is -1, and there are 5 partitions"),
        ((*COUNT, "count"), 10**400, 1, "weighted-balance.count: is very large, and there are 5 partitions"),
        ((*COUNT, "members"), ["a"], 1, "least: states 10, but it is 0"),
        ((*COUNT, "members"), ["a", "b", "a"], 1, "weighted-balance.members: not all are members, each once"),
        ((*COUNT, "members"), ["z"], 1, "weighted-balance.members: not all are members, each once"),
        ((*COUNT, "level"), "capacity", 1, "certificate.weights.level: states ['capacity'], but it is ['weighted-balance']"),
        (("certificate", "weights"), [], 1, "certificate.weights.level: states [], but it is ['weighted-balance']"),
        (("certificate", "parts", 0, "price"), [1, 0], 1, "parts[0].least: states"),
        (("certificate", "proved"), False, 1, "certificate.proved: states False, but it is True"),
        (("levels", 1, "value"), 9, 1, "levels: states"),
        (("question",), "weighted-balance,balance,moves", 1, "least: states 10, but it is 9"),
        (("question",), "copies=2,weighted-balance", 2, "question: is 'copies=2,weighted-balance'. Give what"),
        (("assignment",), {"a": [["t", 1], ["t", 2]], "b": [["t", 0], ["t", 3], ["t", 4]]}, 1, "weights.weighted-balance.value: states 10, but it is 11"),
    ],
    "streams": [
        (("question",), "beauty", 2, "question: is 'beauty'. Give what"),
        (("question",), "counts,joint", 2, "question: is 'counts,joint'. Give what"),
        (("question",), "joint", 1, "certificate.proofs: has more than one for each level"),
        (("levels",), [], 1, "levels: states [], but it is"),
        (("levels", 0, "value"), 0, 1, "levels: states [{'level': 'balance', 'value': 0"),
        (("assignment",), {}, 1, "its clients are not the application's"),
        (("assignment", A), {}, 1, "does not give each task to one client"),
        (("assignment", A, "standby"), ["0_2"], 1, "0_2, which there is not or it has already"),
        (("certificate",), None, 2, "certificate: is null. Give an object"),
        (("certificate", "loads"), {}, 1, "certificate.loads: states {}"),
        (("certificate", "proved"), False, 1, "certificate.proved: states False"),
        (("certificate", "proofs"), [], 1, "levels: states [{'level'"),
        (("certificate", "proofs", 0, "value"), 7, 1, "certificate.proofs[0]: states {'level': 'balance', 'value': 7"),
        (("certificate", "proofs", 0, "proof"), None, 2, "proof: is null. Give an object"),
        (("certificate", "proofs", 0, "proof", "unit"), 0, 1, "is of the unit 0, and shows nothing"),
        (("certificate", "proofs", 0, "proof", "unit"), -1, 1, "factor of 0 or more"),
        (("certificate", "proofs", 0, "proof", "unit"), 10**300, 2, "Give prices of up to 300 digits"),
        (("certificate", "proofs", 0, "proof", "active"), {"x": 1}, 1, "names a client or a cap that there is not"),
        (("certificate", "proofs", 0, "proof", "caps"), [[0, A, 1]], 1, "names a client or a cap that there is not"),
        (("certificate", "proofs", 1, "proof", "before"), [], 1, "one factor of 0 or more for each level before"),
        (("certificate", "proofs", 1, "proof", "before"), [-1], 1, "one factor of 0 or more"),
        (("certificate", "proofs", 0, "proof", "cases"), [1], 1, "cases: has no valid value. Give a price for each"),
        (("certificate", "proofs", 0, "proof", "by"), None, 2, "proof.by: is null. Give text"),
        (("certificate", "proofs", 0, "proof", "by"), "x", 2, "by: is 'x'. Give prices or cases"),
        (("assignment", "00000000-0000-0000-0000-000000000001", "standby"), None, 2, "standby: is null. Give a list"),
    ],
    "moves": [
        (("certificate", "proofs"), [], 1, "certificate.proved: states True, but it is False"),
        (("certificate",), {"proved": False, "proofs": []}, 1, "what it states holds, but it does not prove"),
    ],
}  # fmt: skip


@pytest.fixture(scope="module")
def printed(folder):
    """What the command prints for the question and the group of each case."""
    return {case: json.dumps(answers(folder, asked, of)[0]) for case, (asked, of) in CASES.items()}


@pytest.mark.parametrize("case", CASES)
def test_what_is_not_altered_is_proved(case, folder, printed, capsys):
    assert verified(folder, CASES[case][1], printed[case], capsys)[0] == 0


@pytest.mark.parametrize(
    ("case", "place", "value", "status", "says"),
    [(case, *row) for case, rows in ALTERED.items() for row in rows],
)
def test_every_field_that_is_wrong_has_its_sentence(
    case, place, value, status, says, folder, printed, capsys
):
    answer = json.loads(printed[case])
    if place == ("certificate",) and value is not None:
        value = answer["certificate"] | value
    answer = changed(answer, place, value)
    found, said = verified(folder, CASES[case][1], answer, capsys)
    assert (found, says in said) == (status, True), said


def test_wrong_use_has_its_sentence(folder, two_levels, capsys):
    of, answer, both = (folder / name for name in ("of.json", "answer.jsonl", "both.jsonl"))
    of.write_text(json.dumps(GROUP))
    answer.write_text(two_levels)
    both.write_text(two_levels.strip() + "\n" + two_levels)
    for arguments, says in (
        (["optimum"], "QUESTION: is missing. Give objectives such as balance,moves,cross-rack"),
        (
            ["optimum", "--verify", answer, of, "--time-limit", "3"],
            "--verify: verifies existing output. Leave out --time-limit",
        ),
        (
            ["optimum", "--verify", both, of],
            "has 2 answers, but 1 groups are given. Give one answer for each group",
        ),
        (
            ["optimum", "balance,moves", of, "--verify", answer],
            "balance,moves: is not a file. Give groups only with --verify",
        ),
        (["optimum", "--verify", folder / "none", of], "none: cannot be read"),
        (["optimum", "--verify", of, of], "of.json: question: is missing. Give text"),
        (
            ["optimum", "--verify", answer, of, "--family", "toy_shape:FLEETS"],
            "no oracle is known for the fleets family",
        ),
    ):
        assert main([*map(str, arguments)]) == 2
        assert says in capsys.readouterr().err
    assert main(["optimum", "--verify", str(both), str(of), str(of)]) == 0
    for files, says in (
        ([folder / "none", of], "none: cannot be read: "),
        ([both, both], "group.topics: is missing"),
        ([answer, both], "has 1 answers to 2 groups. Give one for each group"),
    ):
        assert command.main([*map(str, files)]) == 2
        assert says in capsys.readouterr().err
    hostile = json.loads(two_levels)
    hostile["assignment"]["m0"] = [["\u00fc\n\x1b", 0]]
    _, said = verified(folder, GROUP, hostile, capsys)
    assert said == r"NOT proved: assignment: gives m0 \xfc\n\x1b-0, which it cannot read"


WRONG_GROUPS = [
    ([], "group: is []. Give an object"),
    ({}, "group.topics: is missing. Give a list"),
    (GROUP | {"family": "connect"}, "cluster.connectors: is missing. Give a list"),
    (
        GROUP | {"family": "toy"},
        "group.family: has no valid value. Give one of consumer, broker, share, streams",
    ),
    (GROUP | {"tpoics": []}, "group.tpoics: is not known. Leave it out"),
    (GROUP | {"topics": GROUP["topics"] * 2}, "group.topics: two have one name"),
    (GROUP | {"members": GROUP["members"] * 2}, "group.members: two have one id"),
    (
        GROUP | {"topics": [{"name": "t", "partitions": -1}]},
        "topic t: partitions: is -1. Give 0 to 2147483647",
    ),
    (
        GROUP | {"topics": [{"name": "t", "partitions": 2, "racks": [[]]}]},
        "topic t: racks: has no valid value. Give one for each",
    ),
    (
        GROUP | {"topics": [{"name": "t", "partitions": True}]},
        "group.topics[0].partitions: is True. Give a whole number",
    ),
    (GROUP | {"members": [{"id": "m", "topics": "t"}]}, "group.members[0].topics: is t. Give a list"),
    (
        GROUP | {"members": [{"id": "m", "topics": [], "owned": [["t", 0]] * 2}]},
        "group: member m: owned: lists one twice. List it once",
    ),
]


@pytest.mark.parametrize(("of", "says"), WRONG_GROUPS)
def test_a_wrong_group_has_its_sentence(of, says, folder, two_levels, capsys):
    status, said = verified(folder, of, json.loads(two_levels), capsys)
    assert status == 2
    assert says in said
