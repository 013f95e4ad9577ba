"""Whole groups under faults: members, coordinators, a network and a log, simulated from a schedule, so that every run can be repeated.

from kassay.protocol.simulation.steps import machines
from kassay.protocol.simulation.campaign import Runner
from kassay.protocol.simulation.schedule import Fault, Schedule, Setting

runner = Runner(lambda setting: machines(setting, assign))
print(runner.run(Schedule(Setting(), (Fault(at=5000, kind="crash"),))).breaches)
"""
