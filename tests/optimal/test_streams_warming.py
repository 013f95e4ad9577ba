"""streams/optimal on the way to its target: where a task runs until it has warmed up there."""

from uuid import UUID

from kassay.families.optimal.streams import assign
from kassay.model.tasks import RUNNING, Application, Client, Given, Settings, Task, TaskAssignment, TaskId
from kassay.properties.tasks.rounds import apply_answer, settle

A, B, C = (str(UUID(int=n)) for n in (1, 2, 3))


def pair(lags, standbys=0, warmups=2):
    """Two tasks with state, which A runs; who lags how far behind them is told client by client."""
    ids = [TaskId(0, 0), TaskId(0, 1)]
    clients = [Client(A, 1, tuple(ids), (), dict.fromkeys(ids, RUNNING))]
    clients += [Client(name, 1, lags=dict.fromkeys(ids, lag)) for name, lag in lags.items()]
    config = Settings(num_standby_replicas=standbys, max_warmup_replicas=warmups)
    return Application(tuple(Task(each, True) for each in ids), tuple(clients), config)


def test_a_task_runs_where_it_is_until_it_has_warmed_up():
    first = assign(pair({B: 50_000}))
    assert first.clients[A] == Given((TaskId(0, 0), TaskId(0, 1)), ())
    assert first.clients[B].active == ()
    assert first.probing
    (warming,) = first.clients[B].standby
    following = assign(apply_answer(pair({B: 50_000}), first))
    (stays,) = {TaskId(0, 0), TaskId(0, 1)} - {warming}
    assert following == TaskAssignment({A: Given((stays,), ()), B: Given((warming,), ())}, probing=False)


def test_what_is_caught_up_moves_at_once():
    answer = assign(pair({B: 9_000}))
    assert sorted(len(held.active) for held in answer.clients.values()) == [1, 1]
    assert not answer.probing


def test_a_standby_that_is_caught_up_stands_in_until_another_one_is():
    """C is to have standbys; until it is caught up B keeps its own, and only one warm-up at a time is allowed."""
    application = pair({B: 0, C: 70_000}, standbys=1, warmups=1)
    answer = assign(application)
    standbys = {name: held.standby for name, held in answer.clients.items()}
    assert answer.probing
    assert sum(map(len, standbys.values())) == 3
    assert len(standbys[C]) == 1
    assert settle(assign, application).rounds <= 3
