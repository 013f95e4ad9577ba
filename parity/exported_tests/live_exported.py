"""Each finding of the docs as a test in its language fails by its assertion, and passes with an assignor that answers well."""

from collections import Counter

import pytest
from exporting import FINDINGS, export
from running import run_go, run_java, run_js, run_pytest, run_rust

RUNNERS = {"pytest": run_pytest, "go": run_go, "js": run_js, "rust": run_rust}


@pytest.fixture(scope="session")
def exported(tmp_path_factory):
    folder = tmp_path_factory.mktemp("programs")
    return [each for name in FINDINGS for each in export(name, folder)]


@pytest.fixture(scope="session")
def results(exported, tmp_path_factory):
    """What each test printed when it failed: (finding and language, whether it should fail) -> text."""
    folder, said = tmp_path_factory.mktemp("exported"), {}
    for fails in (True, False):
        batches = {}
        for number, each in enumerate(exported):
            text = each.failing if fails else each.passing
            if text:
                release = each.release if fails else each.other_release
                batches.setdefault((each.language, release), {})[f"{each.name[:-5]}_{number}"] = text
        for (language, release), tests in batches.items():
            place = folder / f"{language}-{release}-{fails}"
            if language == "java":
                ran = run_java(tests, place, release)
            else:
                place.mkdir() if language == "pytest" else None
                ran = RUNNERS[language](tests, place)
            said.update({(int(name.rpartition("_")[2]), fails): text for name, text in ran.items()})
    return said


def test_every_finding_is_a_test_in_the_language_of_its_library(exported):
    kinds = {each.name: set() for each in exported}
    for each in exported:
        kinds[each.name].add(each.language)
    own = {"kafka": "java", "python": "pytest", "exec": "go"}
    assert not [
        name for name, one in FINDINGS.items() if own[one.target.split(":")[0]] not in kinds.get(name, ())
    ]


def test_all_fail_for_their_reason(exported, results):
    wrong = []
    for number, each in enumerate(exported):
        said = results[number, True].replace("\\\\", "\\")
        if each.message[:60] not in said and repr(each.message)[1:40] not in said:
            wrong.append((each.name, each.language, each.message, said[-500:]))
    print(Counter(each.language for each in exported))
    assert not wrong


def test_all_pass_where_the_answer_is_good(exported, results):
    passing = {number: each for number, each in enumerate(exported) if each.passing}
    print(Counter(each.language for each in passing.values()), len(passing), "of", len(exported))
    assert not [
        (each.name, each.language, results[number, False][-500:])
        for number, each in passing.items()
        if results[number, False]
    ]
    # For the others, each class and release that the test was tried with breaks the same promise.
    assert {each.language for each in passing.values()} == {each.language for each in exported}
