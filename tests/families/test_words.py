"""Known defects in words: every exception that an assignor declares has some."""

import pytest

from kassay.engine.differential import EQUAL
from kassay.engine.plan import TIME
from kassay.families import FAMILIES, family
from kassay.families import words as said
from kassay.families.assignors import ASSIGNORS
from kassay.families.words import does, plainest_first, when, worst_first


@pytest.mark.parametrize("name", [name for name, each in ASSIGNORS.items() if each.except_in])
def test_every_exception_has_words(name):
    assignor = ASSIGNORS[name]
    of = family(assignor.family)
    for promise, terms in assignor.except_in.items():
        assert promise in said._DOES, promise
        assert "{" not in does(of, promise)
        for term in terms:
            assert {*term.split("+")} <= {*said._WHEN}, term
            assert "_" not in when(of, term)


def test_words_are_of_what_there_is():
    known = [family(name) for name in FAMILIES]
    properties = {name for each in known for name in each.properties} | {EQUAL, TIME}
    unsaid, unknown = sorted(properties - {*said._DOES}), sorted({*said._DOES} - properties)
    assert not unsaid, (
        f"{unsaid}: say what an assignor does that breaks it in _DOES of src/kassay/families/words.py"
    )
    assert not unknown, f"{unknown}: no family knows it; take it out of _DOES of src/kassay/families/words.py"
    assert {*said._LABELS} <= {*said._WHEN}
    assert {*said._WHEN} <= {name for each in known for name in each.situations}


def test_the_worst_and_the_plainest_come_first():
    assert worst_first(["balanced", "crash_free", "exclusive", "other"])[:2] == ["exclusive", "crash_free"]
    terms = ["mixed_subscriptions+racks_decide", "racks_decide", "mixed_subscriptions"]
    assert plainest_first(terms) == [
        "mixed_subscriptions",
        "racks_decide",
        "mixed_subscriptions+racks_decide",
    ]
    consumer = family("consumer")
    assert when(consumer, terms[0]) == "members that read different topics and racks"
    assert does(consumer, "exclusive") == "gives a partition twice"
    assert does(family("connect"), "exclusive") == "gives a connector or task twice"
