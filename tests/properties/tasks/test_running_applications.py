"""An application under any events converges when no more events happen."""

from itertools import islice

import pytest
from classes.groups.random_applications import applications
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from mutants.tasks_several_runs import MUTANTS
from whole import share

from kassay.model import Topic
from kassay.model.tasks import INT64_MAX, RUNNING, STRATEGIES, UNKNOWN, Client, Settings
from kassay.properties.tasks.laws import keeps_running, probing_ends, settles, settles_in_time, stable
from kassay.properties.tasks.rounds import PATIENCE, apply_answer, bound_rounds, bound_rounds_for, settle
from kassay.properties.tasks.timelines import (
    Alter,
    CleanUp,
    Configure,
    Join,
    Leave,
    Probe,
    Relocate,
    Restart,
    Restore,
    Scale,
    Stop,
    apply_event,
)
from kassay.reference.streams import fallback_prior, high_availability, legacy_sticky

IDS = [f"{half}0000000-0000-0000-0000-00000000000{n}" for n in range(1, 4) for half in "0f"]
RACKS = st.sampled_from(("r0", "r1", None))
RECORDS = st.sampled_from((0, 100, 10_001, 60_000))


class Running(RuleBasedStateMachine):
    """An application, to which things happen between rebalances by one assignor."""

    def assign(self, application):
        raise NotImplementedError

    @initialize(seed=st.integers(0, 10**6), strategy=st.sampled_from(STRATEGIES))
    def start(self, seed, strategy):
        (self.application,) = islice(applications(seed, strategy), 1)
        self.stopped = {}

    def clients(self):
        return [client.id for client in self.application.clients]

    def then(self, event):
        self.application = apply_event(self.application, event, self.stopped)

    @rule(restored=st.none() | RECORDS, written=RECORDS)
    def rebalance(self, restored, written):
        answer = self.assign(self.application)
        self.application = apply_answer(self.application, answer, restored=restored, written=written)

    @rule(name=st.sampled_from(IDS), threads=st.integers(1, 3), rack=RACKS)
    def join(self, name, threads, rack):
        self.then(Join(Client(name, threads, rack=rack)))

    @rule(data=st.data(), kind=st.sampled_from((Leave, Stop, CleanUp)))
    def leave_or_stop_or_clean_up(self, data, kind):
        self.then(kind(data.draw(st.sampled_from(self.clients()))))

    @precondition(lambda self: self.stopped)
    @rule(data=st.data(), behind=RECORDS)
    def restart(self, data, behind):
        self.then(Restart(data.draw(st.sampled_from(sorted(self.stopped))), behind))

    @rule(data=st.data(), records=st.none() | RECORDS)
    def restore(self, data, records):
        self.then(Restore(data.draw(st.sampled_from(self.clients())), records))

    @rule(data=st.data(), rack=RACKS, threads=st.integers(1, 4))
    def relocate_and_scale(self, data, rack, threads):
        name = data.draw(st.sampled_from(self.clients()))
        self.then(Relocate(name, rack))
        self.then(Scale(name, threads))

    @precondition(lambda self: self.application.topics and len(self.application.tasks) < 25)
    @rule(data=st.data(), more=st.integers(0, 2), rack=RACKS)
    def alter(self, data, more, rack):
        topic = data.draw(st.sampled_from(self.application.topics))
        racks = None if rack is None else ((rack,),) * (topic.partitions + more)
        self.then(Alter(Topic(topic.name, topic.partitions + more, racks)))

    @rule(
        acceptable=st.sampled_from((0, 10_000, INT64_MAX)),
        warmups=st.integers(1, 3),
        standbys=st.integers(0, 2),
        strategy=st.sampled_from(STRATEGIES),
    )
    def configure(self, acceptable, warmups, standbys, strategy):
        self.then(Configure(Settings(acceptable, warmups, standbys, (), strategy)))

    @rule()
    def probe(self):
        self.then(Probe())

    @invariant()
    def every_stateful_task_has_a_lag_and_runs_only_where_it_is_active(self):
        for client in self.application.clients:
            assert client.lags.keys() >= {task.id for task in self.application.tasks if task.stateful}
            assert set(client.active) >= {task for task, lag in client.lags.items() if lag == RUNNING}

    def teardown(self):
        if hasattr(self, "application"):
            self.comes_to_rest()

    def comes_to_rest(self):
        raise NotImplementedError


class HighAvailability(Running):
    """It keeps every law of convergence."""

    assign = staticmethod(high_availability.assign)

    def comes_to_rest(self):
        known = all(lag != UNKNOWN for client in self.application.clients for lag in client.lags.values())
        for law in (settles, settles_in_time, probing_ends, stable, *([keeps_running] if known else [])):
            assert not list(law(self.assign, self.application)), law
        slowly = settle(self.assign, self.application, 20_000)
        assert slowly.rounds <= bound_rounds_for(self.application, slowly.answer, 20_000)


class LegacySticky(Running):
    """It asks for no probing rebalance, and keeps every task active once, also where it never rests."""

    assign = staticmethod(legacy_sticky.assign)

    def comes_to_rest(self):
        for application, answer in settle(self.assign, self.application).rebalances:
            assert not answer.probing
            active = sorted(task for given in answer.clients.values() for task in given.active)
            assert active == sorted(task.id for task in application.tasks)


class FallbackPrior(Running):
    """It leaves active tasks where they are, and asks for a probing rebalance each time."""

    assign = staticmethod(fallback_prior.assign)

    def comes_to_rest(self):
        settled = settle(self.assign, self.application)
        assert settled.rounds is None
        assert len(settled.rebalances) <= bound_rounds(self.application) + PATIENCE + 1
        ran = [{c.id: set(c.active) for c in step.application.clients} for step in settled.rebalances]
        assert all(one == ran[1] for one in ran[1:])


EXAMPLES = settings(max_examples=share(30, 500), stateful_step_count=12, deadline=None)


@pytest.mark.parametrize("machine", [HighAvailability, LegacySticky, FallbackPrior])
def test_whatever_happens(machine):
    run_state_machine_as_test(machine, settings=EXAMPLES)


@pytest.mark.parametrize("name", ["probes_for_ever", "passes_tasks_on", "gives_no_warm_ups"])
def test_a_mutant_is_seen(name):
    class Mutant(HighAvailability):
        assign = staticmethod(MUTANTS[name][0])

    unshrunk = settings(EXAMPLES, max_examples=100, phases=(Phase.generate,), report_multiple_bugs=False)
    with pytest.raises(AssertionError):
        run_state_machine_as_test(Mutant, settings=unshrunk)
