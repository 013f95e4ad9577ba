"""The first broken promise is told at once: before another group is tried, once, and only if it is promised and not known."""

from dataclasses import replace

import pytest

from kassay.cli import main
from kassay.conformance.fixtures import list_groups
from kassay.engine.check import check
from kassay.engine.promises import Promises
from kassay.families import family
from kassay.targets import Options, open_target
from kassay.targets.target import Target

CONSUMER = family("consumer")
FIRST = list_groups(CONSUMER)[:4]


def run_check(target, promises):
    """Check a target on a few groups; return what was told, with the number of answers before it."""
    told, asked = [], []

    def assign(group):
        asked.append(group)
        return target.assign(group)

    counted = replace(target, assign=assign)
    news = lambda sentence: told.append((sentence, len(asked)))  # noqa: E731
    results = list(
        check(
            counted, CONSUMER, examples=len(FIRST), first=FIRST, wanted=["complete", "balanced"],
            promises=promises, told=news,
        )
    )  # fmt: skip
    return told, len(asked), results


def assign_nothing(group):
    return {member.id: () for member in group.members}


@pytest.mark.parametrize("promised", [True, False])
def test_a_broken_promise_is_told_once_and_before_the_next_group(promised):
    target = Target("empty", "consumer", assign_nothing, assign_nothing)
    told, asked, _ = run_check(target, Promises(frozenset({"complete"} if promised else ())))
    if not promised:
        assert told == []
        return
    ((sentence, before),) = told
    assert sentence.startswith("empty breaks complete: ")
    assert sentence.endswith(". The check goes on.")
    first = next(n for n, group in enumerate(FIRST, 1) if any(t.partitions for t in group.topics))
    assert before == first < asked


def test_a_known_defect_is_not_told():
    with open_target("consumer/range", Options(family="consumer")) as target:
        uneven = list_groups(CONSUMER)[:60]
        told = []
        kept = list(
            check(target, CONSUMER, examples=len(uneven), first=uneven, wanted=["balanced"], told=told.append)
        )
    assert told == []
    assert any(getattr(one, "met", ()) for one in kept)


@pytest.mark.parametrize("examples", [40, 200])
def test_only_a_check_of_many_groups_speaks_before_its_result(examples, capsys):
    asked = ["check", "consumer/range", "--promise", "balanced", "--examples", str(examples), "--no-replay"]
    assert main(asked) == 1
    assert ("The check goes on." in capsys.readouterr().err) == (examples > 100)
