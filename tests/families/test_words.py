"""Words: every promise of a family has a record, as has every situation of an exception; severe promises are told apart."""

import pytest

from kassay.engine.differential import EQUAL
from kassay.engine.plan import TIME
from kassay.families import FAMILIES, family
from kassay.families.assignors import ASSIGNORS
from kassay.families.words import (
    CRASHING,
    LOSSY,
    PROMISES,
    SEVERITIES,
    SITUATIONS,
    does,
    gravest,
    plainest_first,
    severity,
    when,
    worst_first,
)

KNOWN = {name: family(name) for name in FAMILIES}


@pytest.mark.parametrize("name", [name for name, each in ASSIGNORS.items() if each.except_in])
def test_every_exception_has_words(name):
    assignor = ASSIGNORS[name]
    of = KNOWN[assignor.family]
    for promise, terms in assignor.except_in.items():
        assert "{" not in does(of, promise)
        for term in terms:
            assert {*term.split("+")} <= SITUATIONS.keys(), term
            assert "_" not in when(of, term)


def test_records_are_of_what_there_is():
    properties = {name for each in KNOWN.values() for name in each.properties} | {EQUAL, TIME}
    unsaid, unknown = sorted(properties - PROMISES.keys()), sorted(PROMISES.keys() - properties)
    assert not unsaid, f"{unsaid}: add a record to PROMISES of src/kassay/families/words.py"
    assert not unknown, (
        f"{unknown}: no family knows it. Take it out of PROMISES of src/kassay/families/words.py"
    )
    assert SITUATIONS.keys() <= {name for each in KNOWN.values() for name in each.situations}
    assert {one.severity for one in PROMISES.values()} == {*SEVERITIES, ""}


@pytest.mark.parametrize("known", KNOWN.values(), ids=KNOWN)
def test_every_family_has_severe_promises_of_each_kind_and_what_loses_or_doubles_is_severe(known):
    assert {*map(severity, known.properties)} - {""} == SEVERITIES.keys()
    assert {name for name in known.legal if not severity(name)} <= {"existing", "stateful_standbys"}


def test_the_worst_the_gravest_and_the_plainest_come_first():
    assert worst_first(["balanced", "crash_free", "exclusive", "other"])[:2] == ["exclusive", "crash_free"]
    assert gravest({"complete", "balanced", "crash_free", "settling"}) == [
        "settling",
        "crash_free",
        "complete",
    ]
    assert [severity(name) for name in ("complete", "crash_free", "balanced")] == [LOSSY, CRASHING, ""]
    terms = ["mixed_subscriptions+racks_decide", "racks_decide", "mixed_subscriptions"]
    assert plainest_first(terms) == [
        "mixed_subscriptions",
        "racks_decide",
        "mixed_subscriptions+racks_decide",
    ]
    assert when(KNOWN["consumer"], terms[0]) == "members that read different topics and racks"
    assert does(KNOWN["consumer"], "exclusive") == "gives a partition twice"
    assert does(KNOWN["connect"], "exclusive") == "gives a connector or task twice"
