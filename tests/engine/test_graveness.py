"""How grave a broken promise is: every name is a promise that some family has, and each family has grave ones of each kind."""

from kassay.engine.verdict import CRASHING, GRAVE, LOSSY, SAYS, graveness, gravest
from kassay.families import FAMILIES, family

KNOWN = {name: family(name) for name in FAMILIES}


def test_every_grave_promise_is_one_that_a_family_has():
    assert set(GRAVE) <= {name for known in KNOWN.values() for name in known.properties}
    assert set(GRAVE.values()) == set(SAYS)


def test_every_family_has_a_promise_of_each_kind():
    for known in KNOWN.values():
        assert {graveness(name) for name in known.properties} - {None} == set(SAYS), known.name


def test_what_loses_or_doubles_is_grave_but_what_is_only_uneven_is_not():
    for known in KNOWN.values():
        assert {name for name in known.legal if graveness(name) is None} <= {"existing", "stateful_standbys"}
    assert graveness("complete") == LOSSY
    assert graveness("balanced") is None


def test_the_gravest_come_first():
    assert gravest({"complete", "balanced", "crash_free", "settling"}) == [
        "settling",
        "crash_free",
        "complete",
    ]
    assert graveness("crash_free") == CRASHING
