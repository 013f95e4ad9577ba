"""Faults planted inside excepted situations are found, by the rule that check, sweep, report and pytest share."""

from contextlib import suppress
from dataclasses import replace

import pytest
from families.tables import generated
from mutants.excepted import PLANTED

from kassay.api.check import open_candidate
from kassay.engine.judge import cache_answers, judge
from kassay.engine.promises import UNEXCUSED, read_promises
from kassay.errors import SkippedError
from kassay.families import family
from kassay.families.assignors import ASSIGNORS
from kassay.model import Assignor, AssignorError
from kassay.targets import Options

MANY = 2_000


@pytest.mark.parametrize("name", PLANTED)
def test_a_fault_planted_in_an_excepted_situation_is_found(name):
    """Each breaks the promise where the exception would excuse all, were the reference not asked; what is planted everywhere needs none."""
    planted = PLANTED[name]
    reference = ASSIGNORS[planted.reference]
    faulty = Assignor("planted", planted.assign, reference.promises, "", reference.except_in)
    target, record = open_candidate(faulty, Options(family=reference.family)), family(reference.family)
    exceptions = read_promises(target, record).select_exceptions(planted.breaks)
    assert not exceptions.terms or exceptions.beside.name == planted.reference
    for group in (each for number in (200, MANY) for each in generated(reference.family, number, 0)):
        with suppress(AssignorError, SkippedError):
            assign = cache_answers(target.assign)
            breach = judge(record, planted.breaks, group, assign, target, exceptions)
            if breach and not breach.met:
                if planted.situations:
                    whole = judge(
                        record, planted.breaks, group, assign, target, replace(exceptions, beside=None)
                    )
                    assert whole.met, "no exception is met"
                    assert breach.messages[-1].startswith(UNEXCUSED), breach
                return
    pytest.fail("it escapes")
