"""A Kafka class in a Java process of its own, timed there."""

from pathlib import Path
from types import TracebackType
from typing import Any, Self

from kassay.families import family
from kassay.reference import ASSIGNORS
from kassay.targets.conversation import BrokenOffError, Conversation
from kassay.targets.java import INTERFACES, SOURCES, complete_spec
from kassay.targets.java.releases import KAFKA
from kassay.targets.limits import Limits
from kassay.targets.maven.java_programs import compile_sources, find_java, resolve_class_path

OWN_SOURCES = sorted(Path(__file__).parent.glob("*.java"))
SWITCHES = ("-XX:TieredStopAtLevel=4", "-Xms1g", "-Xmx4g")
"""Both compilers: what is measured is a Java that has run for long."""

ANSWER_S = 3600.0
"""By the wall clock, which a busy machine may stretch at will."""

TOO_LONG = "ended with exit status 9 "


class JavaClass:
    """A Kafka assignor class of a release; a context manager that ends its process."""

    def __init__(self, version: str, assignor: str, limit_s: float) -> None:
        """Start it, with a limit on one run; raises InputError or TargetGoneError where there is no Java or no such release."""
        classes = compile_sources([*SOURCES, *OWN_SOURCES], INTERFACES)
        own = KAFKA[assignor]
        self.reference = ASSIGNORS[assignor]
        self._shape = family(assignor.partition("/")[0]).shape
        class_name = own.class_name(version)
        jars = complete_spec(resolve_class_path(own.needs(version)), class_name)
        self._command = find_java().command(
            [classes, *jars], *SWITCHES, "kassay.Timing", class_name, f"{limit_s}"
        )
        self._conversation = Conversation(self._command, hash_seed=0, line_mb=Limits().line_mb)

    def take(self, group: Any) -> None:
        """Hand over the group that is to be assigned."""
        self._conversation.ask({"group": self._shape.write_group(group)}, ANSWER_S)

    def answers(self, given: Any) -> bool:
        """Say whether its last answer is the one given, with all that it says beside it."""
        answer = self._shape.read_answer(self._conversation.ask({"answer": True}, ANSWER_S))
        return self._shape.write_answer(answer) == self._shape.write_answer(given)

    def seconds(self, times: int) -> list[float]:
        """Have the group assigned some times, and return the CPU seconds that each took.

        Raises TimeoutError where one takes longer than the limit, and BrokenOffError where the class fails.
        """
        try:
            taken = self._conversation.ask({"times": times}, ANSWER_S)
        except BrokenOffError as broken:
            self._conversation = Conversation(self._command, hash_seed=0, line_mb=Limits().line_mb)
            if TOO_LONG in str(broken):
                raise TimeoutError from None
            raise
        return [nanoseconds / 1e9 for nanoseconds in taken]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._conversation.end()
