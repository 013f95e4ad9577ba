"""The fixtures of every family: what they follow from, what they are worth, and what refuses wrong ones."""

import json
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest
from conformance.rows import kills, list_limited_mutants, list_mutants_of_scale, museum
from conformance.rows import mutants as of_mutants
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs
from whole import cases, share

from kassay.conformance.fixture_writer import find_problems
from kassay.conformance.fixtures import (
    FIRST,
    FORMS,
    OURS,
    VERSION,
    load_form,
    read_chosen_cases,
    read_family_fixtures,
    read_fixtures,
    read_proofs,
    write_fixtures,
)
from kassay.errors import InputError

TOP = Path(__file__).parents[2] / "fixtures"
MOST, LARGEST = 220, 700_000
FEWEST = {"share": 3, "connect": 2, "streams-group": 2, "broker": 1, "streams": 1, "consumer": 3}
"""Family -> the smallest number of cases that kill each mutant that only large groups show."""
UNKILLED = {
    "consumer": {"strides_through_topics", "shuffles_its_lists"},
    "broker": {"strides_through_topics"},
}
"""The mutants that no case kills: runs that are not consecutive, and lists in another order, are no fault to an adopter."""


@pytest.mark.parametrize("family", FORMS)
def test_is_small_and_reads_back_to_the_same_bytes(family):
    path = TOP / f"{family}.json"
    text = path.read_text()
    fixtures = read_fixtures(str(path))
    assert write_fixtures(fixtures) == text
    assert len(fixtures.cases) == len(read_chosen_cases(load_form(family))), (
        f"chosen/{family}.json has other cases: kassay fixtures write {family}"
    )
    assert len(fixtures.cases) <= MOST
    assert len(text) <= LARGEST
    assert [case.id for case in fixtures.cases] == [
        f"{family}-{n:04}" for n in range(1, len(fixtures.cases) + 1)
    ]


@pytest.mark.parametrize("family", FORMS)
def test_fits_the_schema(family):
    schema = json.loads((TOP / "schema.json").read_text())
    jsonschema.validate(json.loads((TOP / f"{family}.json").read_text()), schema)


@pytest.mark.parametrize(
    "family", ["consumer", "broker", "share", "connect"]
)  # of the others kill_matrix.py, for a minute
def test_museum_and_mutants_are_killed(family):
    of, every = load_form(family), list(read_family_fixtures(family).cases)
    tried = [*of_mutants(family), *museum(family)]
    killed = {row.title: len(kills(row, every, of, enough=2)) for row in tried}
    mutants = {row.title for row in tried if row.kind == "mutant"}
    by_time = {title for title in killed if title.startswith(("KAFKA-9987", "KAFKA-12675", "KAFKA-15022"))}
    assert {title for title, number in killed.items() if not number} - by_time == UNKILLED.get(family, set())
    assert sum(killed[title] > 0 for title in mutants) >= 0.95 * len(mutants)
    assert sum(killed[title] > 1 for title in mutants) > 0.8 * len(mutants)


@pytest.mark.parametrize("number", cases(2, len(FEWEST)))
def test_mutants_of_large_groups_are_killed_by_several_cases(number):
    family, few = list(FEWEST.items())[number]
    of, every = load_form(family), read_family_fixtures(family).cases
    later_first = sorted(every, key=lambda case: case.since == FIRST)  # the later ones are larger
    killed = {row.title: len(kills(row, later_first, of, few)) for row in list_mutants_of_scale(family)}
    assert killed
    assert {title: found for title, found in killed.items() if found < few} == {}


LIMITED = {"consumer": 44, "broker": 32, "share": 18}
"""Family -> the number of its mutants with limits."""


@pytest.mark.parametrize("family", LIMITED)
def test_mutants_with_limits_are_killed(family):
    of, every = load_form(family), read_family_fixtures(family).cases
    latest_first = sorted(every, key=lambda case: case.id, reverse=True)
    limited = list(list_limited_mutants(family))
    assert len(limited) == LIMITED[family]
    turn = [limited[number] for number in cases(4, len(limited))]
    assert [row.title for row in turn if not kills(row, latest_first, of, 1)] == []


@pytest.fixture(scope="module")
def ours():
    return read_family_fixtures("share"), read_proofs(load_form("share"))


def test_what_is_written_holds(ours):
    assert list(find_problems(*ours)) == []


@settings(max_examples=share(8, 112), deadline=None)
@given(st.data())
def test_no_value_can_be_changed_without_a_doubt(ours, data):
    fixtures, proofs = ours
    at = data.draw(st.integers(0, len(fixtures.cases) - 1))
    case = fixtures.cases[at]
    aim = data.draw(st.sampled_from(sorted(set(case.should) & {"loads", "moves"})))
    value = case.should[aim]
    wrong = (
        [*value[:-1], value[-1] + 1]
        if isinstance(value, list)
        else value + data.draw(st.sampled_from([1, -1]))
    )
    changed = structs.replace(case, should={**case.should, aim: wrong})
    alone = replace(fixtures, cases=(changed,)), {case.id: proofs[case.id]}
    found = [doubt for doubt in find_problems(*alone) if doubt.case == case.id]
    assert any(f"should: {aim}" in doubt.says for doubt in found)
    assert any(doubt.says.startswith("better") for doubt in found)


def test_a_proof_of_something_else_is_no_proof(ours):
    fixtures, proofs = ours
    ids = [case.id for case in fixtures.cases if case.should["loads"] != fixtures.cases[0].should["loads"]]
    swapped = {**proofs, ids[0]: proofs[fixtures.cases[0].id]}
    assert any(doubt.case == ids[0] for doubt in find_problems(fixtures, swapped))


def release_number(version):
    return [*map(int, version.split("."))]


@pytest.mark.parametrize("file", ["Cargo.toml", "package.json", "pyproject.toml", "wire.json"])
def test_every_package_has_the_version_of_the_cases(file):
    found = re.findall(r'"?version"?\s*[:=]\s*"([\d.]+)"', (TOP / file).read_text())
    make = ". Run `python parity/wire/fixtures.py --write`" if file == "wire.json" else ""
    assert found[:1] == [VERSION], f"fixtures/{file}: give it version {VERSION}{make}"


def test_stability_tells_what_each_version_brought():
    _, *sections = (TOP / "STABILITY.md").read_text().split("\n### ")
    told = {section.partition("\n")[0]: section for section in sections}
    assert VERSION in told, f"fixtures/STABILITY.md: add '### {VERSION}', with what it brings"
    for file in sorted(TOP.glob("*.json")):
        written = json.loads(file.read_text()).get("cases", [])
        for since, number in Counter(case.get("since", FIRST) for case in written).items():
            assert release_number(since) <= release_number(VERSION), (
                f"fixtures/{file.name} has cases since {since}: count VERSION up in src/kassay/conformance/fixtures.py"
            )
            assert re.search(rf"\b{number}\b", told.get(since, "")), (
                f"fixtures/STABILITY.md: {file.stem} has {number} cases since {since}. Say so below '### {since}', or give new cases a `since` of their own"
            )


def whole(family="consumer"):
    return json.loads((OURS / f"{family}.json").read_text())


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda file: file | {"format": 2}, "format: is 2, but this kassay reads format 1"),
        (lambda file: file | {"count": 1000}, "count: is 1000, but there are"),
        (lambda file: file | {"family": "consumers"}, "family: fixtures 'consumers': are unknown"),
        (lambda file: file | {"more": 1}, "more"),
        (
            lambda file: _first(file, id="broker-0001"),
            "broker-0001: id: has a wrong start. Write one such as consumer-",
        ),
        (lambda file: _first(file, flags="racks"), "consumer-0001: flags"),
        (
            lambda file: _first(file, group={"topics": [], "members": [{"id": "a"}]}),
            "consumer-0001: group: members[0]",
        ),
        (lambda file: _first(file, better={"m0": {"t0": ["0"]}}), "consumer-0001: better"),
        (lambda file: _first(file, exact={"range@4.4.0": []}), "consumer-0001: exact: range@4.4.0"),
        (
            lambda file: _first(
                file, twin={"case": "consumer-0009", "aim": "order", "topics": {}, "members": {}}
            ),
            "twin: case",
        ),
        (lambda file: _first(file, id="consumer-0002"), "consumer-0002: id: stands twice"),
    ],
)
def test_a_malformed_file_is_named_with_case_and_field(tmp_path, change, said):
    path = tmp_path / "consumer.json"
    path.write_text(json.dumps(change(whole())))
    with pytest.raises(InputError) as refused:
        read_fixtures(str(path))
    assert str(refused.value).startswith(str(path))
    assert said in str(refused.value)


def _first(file, **changes):
    first, *others = file["cases"]
    return file | {"cases": [first | changes, *others]}
