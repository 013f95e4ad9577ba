"""Every exception to a promise is needed: a group shows that the assignor breaks it there, and not because of another one."""

import pytest
from known_defects import read_defects

from kassay.engine.promises import find_terms
from kassay.families import family
from kassay.families.assignors import ASSIGNORS
from kassay.model import AssignorError

DEFECTS = read_defects()


@pytest.mark.parametrize("defect", DEFECTS, ids=str)
def test_it_is_broken_there_and_in_no_other_excepted_situation(defect):
    assignor = ASSIGNORS[defect.assignor]
    record = family(assignor.family)
    asked = []

    def assign(group):
        asked.append(group)
        return assignor.assign(group)

    try:
        law = record.laws.get(defect.property)
        said = (
            law(assign, defect.group)
            if law
            else record.invariants[defect.property](defect.group, assign(defect.group))
        )
        assert list(said)
    except AssignorError:
        pytest.fail("the assignor fails")
    met = [{name for name, holds in record.situations.items() if holds(group)} for group in asked]
    terms = assignor.except_in[defect.property]
    assert frozenset().union(*(find_terms(one, terms) for one in met)) == {defect.term}
