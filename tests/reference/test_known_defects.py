"""Every exception to a promise is needed: a group shows that the assignor breaks it there, and not because of another one."""

import pytest
from known_defects import FORMS, defects

from kassay.engine.except_in import terms_met
from kassay.model import AssignorError
from kassay.reference import ASSIGNORS

DEFECTS = defects()


def test_every_exception_has_one_group():
    excepted = [
        (name, promise, term)
        for name, assignor in ASSIGNORS.items()
        for promise, terms in assignor.except_in.items()
        for term in terms
    ]
    assert sorted(defect[:3] for defect in DEFECTS) == sorted(excepted)


@pytest.mark.parametrize("defect", DEFECTS, ids=str)
def test_it_is_broken_there_and_in_no_other_excepted_situation(defect):
    assignor = ASSIGNORS[defect.assignor]
    asked = []

    def assign(group):
        asked.append(group)
        return assignor.assign(group)

    try:
        law = FORMS.laws.get(defect.property)
        said = (
            law(assign, defect.group)
            if law
            else FORMS.invariants[defect.property](defect.group, assign(defect.group))
        )
        assert list(said)
    except AssignorError:
        pytest.fail("the assignor fails")
    met = [{name for name, holds in FORMS.situations.items() if holds(group)} for group in asked]
    terms = assignor.except_in[defect.property]
    assert frozenset().union(*(terms_met(one, terms) for one in met)) == {defect.term}
