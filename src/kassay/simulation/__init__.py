"""Whole groups under faults: members, coordinators, a network and a log, simulated from a schedule, so that every run can be repeated.

from kassay.simulation.steps import machines
from kassay.simulation.runs.cached_run import Runner
from kassay.simulation.schedule import Fault, Schedule, Setting

runner = Runner(lambda setting: machines(setting, assign))
print(runner.run(Schedule(Setting(), (Fault(at=5000, kind="crash"),))).breaches)
"""
