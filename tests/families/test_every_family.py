"""Every family brings what the tests need, or fails with a sentence that says what to add."""

import re
from importlib import import_module
from pathlib import Path

import pytest
from families.tables import Mutant, each, one_for_each, tables
from known_defects import read_defects

from kassay.families import FAMILIES, family, shapes
from kassay.reference import ASSIGNORS


@pytest.mark.parametrize("name", FAMILIES)
def test_a_family_has_assignors_and_what_is_expected_of_them(name):
    record = family(name)
    assert record.name == name, f"kassay.families: the record under {name!r} calls itself {record.name!r}"
    assert any(one.family == name for one in ASSIGNORS.values()), (
        f"add a reference assignor of family {name} to ASSIGNORS in reference/__init__.py"
    )
    unknown = {*record.expected, *record.legal} - record.properties.keys()
    assert not unknown, f"family {name} expects {sorted(unknown)}: add them to its invariants or laws"
    assert record.situations, f"family {name} has no situations: add some, for what check says it tried"
    assert {"crash_free", "deterministic"} <= record.laws.keys(), f"add both to the laws of family {name}"


@pytest.mark.parametrize("name", ASSIGNORS)
def test_an_assignor_is_of_a_known_family(name):
    assert ASSIGNORS[name].family in FAMILIES, f"add family {ASSIGNORS[name].family} to kassay.families"


@pytest.mark.parametrize(("name", "property_"), each(lambda family: family.properties))
def test_every_property_has_a_mutant(name, property_):
    assert any(property_ in mutant.breaks for mutant in tables(name).mutants.values()), (
        f"{property_}: add a mutant that breaks it to TABLES in tests/families/{name}.py"
    )


@pytest.mark.parametrize("name", FAMILIES)
def test_every_situation_has_an_example(name):
    missing = family(name).situations.keys() - tables(name).situations.keys()
    assert not missing, f"add groups in {sorted(missing)} to TABLES in tests/families/{name}.py"


@pytest.mark.parametrize("name", ASSIGNORS)
def test_every_exception_to_a_promise_has_one_group(name):
    excepted = {
        (name, promise, term) for promise, terms in ASSIGNORS[name].except_in.items() for term in terms
    }
    shown = [defect[:3] for defect in read_defects() if defect.assignor == name]
    assert sorted(shown) == sorted(excepted), (
        f"src/kassay/engine/known_defects.json: give one group for each of {sorted(excepted.symmetric_difference(shown))}"
    )


@pytest.mark.parametrize("name", FAMILIES)
def test_every_expected_property_is_kept_by_an_honest_assignor(name):
    kept = frozenset().union(*(honest.keeps for honest in tables(name).honest.values()))
    missing = family(name).expected - kept
    assert not missing, f"add an honest assignor that keeps {sorted(missing)} to tests/families/{name}.py"


def test_a_recipe_that_is_half_done_is_told_in_sentences_not_by_what_gets_stuck():
    """A new invariant of consumers without a mutant, or a situation without an example, is also one of broker and share groups."""
    old = Mutant(lambda _: {}, frozenset({"complete"}))
    assert one_for_each({"complete", "new"}, {"gives nothing": old}) == {"gives nothing": old}
    for name in FAMILIES:
        test_every_situation_has_an_example(name)
    with pytest.raises(
        AssertionError, match=r"new: add a mutant that breaks it to TABLES in tests/families/share\.py"
    ):
        test_every_property_has_a_mutant("share", "new")


def test_solvers_that_are_loaded_later_are_where_they_are_said_to_be():
    text = "".join(path.read_text() for path in Path(shapes.__file__).parent.glob("*.py"))
    places = re.findall(r'"(kassay[\w.]+):(\w+)"', text)
    assert len(places) > 20
    assert [place for place in places if not callable(getattr(import_module(place[0]), place[1], None))] == []
