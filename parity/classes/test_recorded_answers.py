"""The references of all releases answer as Kafka's own classes did when they were recorded (parity/classes/recorder/record.py)."""

from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from classes.recorder import answers
from whole import seed_of_the_day, some

from kassay.families import family
from kassay.model import AssignorError
from kassay.reference import ASSIGNORS
from kassay.reference.releases import behaviours
from kassay.targets import Options, open_target

FILES = sorted(answers.ANSWERS.glob("*@*.json"))
EACH = some(4, 1)
"""One recorded group of so many is asked about again; all of them where all is asked for."""


@cache
def groups(of_family: str, kind: str, number: int) -> tuple[list[Any], str]:
    """Return the first groups of a kind that references of a family were asked about, and their hash."""
    asked = list(islice(answers.stream(of_family, answers.SEED, kind), number))
    return asked, answers.hash_of_groups(asked, of_family)


def test_every_behaviour_is_recorded() -> None:
    names = [name for name in ASSIGNORS if not name.startswith("streams/")]
    known = {f"{name}@{behaviour.releases[-1]}" for name in names for behaviour in behaviours(name)}
    assert {answers.Recorded.read(path).reference for path in FILES} == known
    assert known >= answers.MUCH
    with_user_data = {
        answers.Recorded.read(path).reference for path in FILES if path.stem.endswith(answers.USER_DATA)
    }
    assert len(with_user_data) == 8


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_answers_are_those_recorded(path: Path) -> None:
    recorded = answers.Recorded.read(path)
    kind = path.stem.partition("@")[2].partition("-")[2]
    assert (recorded.seed, len(recorded.answers)) == (answers.SEED, answers.number(recorded.reference, kind))
    of_family = recorded.reference.partition("/")[0]
    asked, hash_ = groups(of_family, kind, len(recorded.answers))
    assert hash_ == recorded.groups, (
        f"the groups of seed {recorded.seed} are not those recorded; python parity/classes/recorder/record.py --write records anew"
    )
    target = open_target(recorded.reference, Options())
    held = range(seed_of_the_day() % EACH, len(asked), EACH)
    given = target.answers([asked[number] for number in held])
    for number, answer in zip(held, given, strict=True):
        group, wanted = asked[number], recorded.answers[number]
        assert answers.hash_of_answer(answer, of_family) == wanted, (
            f"{recorded.reference} and {recorded.classes[-1]} differ on group {number} of seed {recorded.seed}: "
            f"{family(of_family).shape.write_group(group)}"
        )


def test_another_answer_has_another_hash() -> None:
    one, other = {"m": [("t", 0), ("t", 1)]}, {"m": [("t", 1), ("t", 0)]}
    failures = AssignorError("IllegalStateException: a"), AssignorError("IllegalStateException: b")
    assert len(set(map(answers.hash_of_answer, (one, other, *failures)))) == 4
    assert answers.hash_of_answer(one) == answers.hash_of_answer({"m": (("t", 0), ("t", 1))})
