"""The references of Kafka Streams answer as Kafka's own classes did when they were recorded (parity/classes/recorder/record_streams.py)."""

from functools import partial
from itertools import islice

import pytest
from classes.groups import costly_applications
from classes.groups.random_applications import drawn as applications
from classes.recorder.answers import Recorded
from classes.recorder.streams_answers import (
    COSTLY,
    COSTLY_MANY,
    FEW,
    HELD,
    MANY,
    SIGHTED,
    hash_of_applications,
    hash_of_assignment,
    hash_of_outcome,
    place,
)
from whole import some

from kassay.model import AssignorError
from kassay.model.tasks import Application, TaskAssignment
from kassay.reference.streams import fallback_prior, high_availability, legacy_sticky, sticky
from kassay.reference.streams.client_state import assignment
from kassay.reference.streams.sticky import assign_default_standbys, identity


def default_standbys(application: Application) -> TaskAssignment:
    """What clients had, and the standbys that Kafka places by default besides."""
    clients = identity(application)
    assign_default_standbys(application, clients)
    return assignment(clients, probing=False)


REFERENCES = {
    "high-availability": high_availability.assign,
    "legacy-sticky": legacy_sticky.assign,
    "fallback-prior": fallback_prior.assign,
    "default-standbys": default_standbys,
    "sticky": sticky.assign,
    "sticky-must-preserve": partial(sticky.assign, must_preserve_active=True),
}


@pytest.mark.parametrize(("name", "strategy"), HELD)
def test_assignments_are_those_recorded(name: str, strategy: str) -> None:
    recorded = Recorded.read(place(name, strategy))
    assert len(recorded.answers) == MANY >= 2_000
    held = some(FEW, MANY)
    drawn = list(islice(applications(recorded.seed, strategy), held))
    assert hash_of_applications(drawn[:FEW]) == recorded.groups, (
        f"the applications of seed {recorded.seed} are not those recorded; python parity/classes/recorder/record_streams.py --write records anew"
    )
    for number, (application, wanted) in enumerate(zip(drawn, recorded.answers[:held], strict=True)):
        assert hash_of_assignment(REFERENCES[name](application)) == wanted, (
            f"{name} and {recorded.classes[0]} differ on application {number} of seed {recorded.seed}: {application}"
        )


@pytest.mark.parametrize("name", SIGHTED)
def test_costs_beyond_32_bits_are_added_as_kafka_adds_them(name: str) -> None:
    recorded = Recorded.read(place(name, COSTLY))
    drawn = list(islice(costly_applications.applications(recorded.seed), COSTLY_MANY))
    assert hash_of_applications(drawn[:FEW]) == recorded.groups, (
        f"the applications of seed {recorded.seed} are not those recorded; python parity/classes/recorder/record_streams.py --write records anew"
    )
    endless = hash_of_outcome(AssignorError("no answer"))
    assert endless in recorded.answers
    for number, (application, wanted) in enumerate(zip(drawn, recorded.answers, strict=True)):
        outcome: TaskAssignment | AssignorError
        try:
            outcome = REFERENCES[name](application)
        except AssignorError as failure:
            outcome = failure
        assert hash_of_outcome(outcome) == wanted, (
            f"{name} and {recorded.classes[0]} differ on application {number} of seed {recorded.seed}: {application}"
        )
