"""What Kafka's task assignors answered, as record_streams.py writes it and tests read it."""

from collections.abc import Iterable
from pathlib import Path

from classes.groups.random_applications import VANISHED
from classes.recorder.answers import ANSWERS, hash_of

from kassay.model import AssignorError
from kassay.model.tasks import STRATEGIES, Application, TaskAssignment
from kassay.model.tasks_json import write_group

SEED = 20
MANY, FEW = 2_000, 200
"""How many answers are recorded, and how many applications are hashed: then the rest of their stream is the same too."""
BLIND = ("fallback-prior", "sticky-must-preserve", "default-standbys")
"""References that never look at racks."""
SIGHTED = ("high-availability", "legacy-sticky", "sticky")
COSTLY, COSTLY_MANY = "costs", 300
"""What stands in the place of a strategy where costs are huge, and how many answers to such applications are recorded."""
HELD = [
    *((name, strategy) for name in SIGHTED for strategy in STRATEGIES),
    *((name, "none") for name in BLIND),
    *((name, VANISHED) for name in (*SIGHTED, "fallback-prior")),
]


def place(name: str, strategy: str) -> Path:
    """Name the file of a class and a strategy, or another kind of applications."""
    return ANSWERS / f"streams-{name}-{strategy}.json"


def hash_of_assignment(assignment: TaskAssignment) -> str:
    """Hash what an answer says."""
    given = {
        name: [list(map(str, given.active)), list(map(str, given.standby))]
        for name, given in assignment.clients.items()
    }
    return hash_of([given, assignment.probing])


def hash_of_outcome(outcome: TaskAssignment | AssignorError) -> str:
    """Hash an answer, or that there is none: a search without end is one failure, and all else goes by its first word."""
    if isinstance(outcome, AssignorError):
        return hash_of("no answer" if "no answer" in str(outcome) else str(outcome).partition(":")[0])
    return hash_of_assignment(outcome)


def hash_of_applications(applications: Iterable[Application]) -> str:
    """Hash applications, so that others are told apart from a wrong answer."""
    return hash_of([write_group(each) for each in applications])
