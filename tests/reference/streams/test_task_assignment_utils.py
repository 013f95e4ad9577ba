"""What Kafka finds wrong with assignments, and the standbys that it places by default."""

import pytest

from kassay.model.tasks import Application, Client, Given, Settings, Task, TaskAssignment, TaskId
from kassay.reference.streams.sticky import (
    AssignmentError,
    assign_default_standbys,
    identity,
    validate_task_assignment,
)

ONE, TWO, STRANGER = (f"00000000-0000-0000-0000-00000000000{n}" for n in (1, 2, 3))
A, B, GONE = TaskId(0, 0), TaskId(1, 0), TaskId(2, 0)
LAGS = {A: 0}
APPLICATION = Application(
    (Task(A, stateful=True), Task(B)), (Client(ONE, 1, (A,), lags=LAGS), Client(TWO, 1, (B,), lags=LAGS))
)
NOTHING = Given((), ())


@pytest.mark.parametrize(
    ("clients", "found"),
    [
        ({ONE: Given((A,), ()), TWO: Given((B,), (A,))}, AssignmentError.NONE),
        ({ONE: NOTHING, TWO: NOTHING}, AssignmentError.NONE),
        ({ONE: Given((A,), (A,)), TWO: NOTHING}, AssignmentError.NONE),
        ({ONE: Given((A, GONE), ()), TWO: NOTHING}, AssignmentError.UNKNOWN_TASK_ID),
        ({ONE: Given((A,), ()), TWO: Given((A,), ())}, AssignmentError.ACTIVE_TASK_ASSIGNED_MULTIPLE_TIMES),
        ({ONE: Given((A,), (B,)), TWO: Given((B,), ())}, AssignmentError.INVALID_STANDBY_TASK),
        ({ONE: Given((A, B), ())}, AssignmentError.MISSING_PROCESS_ID),
        ({ONE: Given((A, B), ()), TWO: NOTHING, STRANGER: NOTHING}, AssignmentError.UNKNOWN_PROCESS_ID),
        ({ONE: Given((A,), (B,)), STRANGER: Given((A,), ())}, AssignmentError.ACTIVE_TASK_ASSIGNED_MULTIPLE_TIMES),
        ({ONE: Given((A,), (B,)), STRANGER: NOTHING}, AssignmentError.INVALID_STANDBY_TASK),
        ({STRANGER: NOTHING}, AssignmentError.MISSING_PROCESS_ID),
    ],
)  # fmt: skip
def test_the_first_error_is_named(clients: dict[str, Given], found: AssignmentError) -> None:
    assert validate_task_assignment(APPLICATION, TaskAssignment(clients, False)) is found


def test_tasks_that_list_no_changelogs_get_no_standbys_by_default() -> None:
    one_each = Application(APPLICATION.tasks, APPLICATION.clients, Settings(num_standby_replicas=1))
    states = identity(one_each)
    assign_default_standbys(one_each, states)
    assert [(state.active, state.standby) for state in states.values()] == [({A}, set()), ({B}, set())]
