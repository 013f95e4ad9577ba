"""The adapter protocol around a Java class: which Java command answers requests about it.

Plain pipes to a ``java`` of its own, for they were the fastest and sturdiest. Small groups of parity/classes took 0.06 ms of
CPU in Java and 0.03 in Python when asked in bulk, 0.1 and 0.07 one by one; through JPype, which makes Kafka's objects one by
one from Python, 0.3 (range) to 0.9 (sticky). And there is no bridge that has to fit both Python and Java.
"""

from pathlib import Path

from kassay.maven.compiling import compiled
from kassay.maven.coordinate import Coordinate
from kassay.maven.machine import find_java

SOURCES = sorted(Path(__file__).with_name("adapter").glob("*.java"))
INTERFACES = (
    Coordinate("org.apache.kafka", "kafka-clients", "2.8.2"),
    Coordinate("org.apache.kafka", "kafka-streams", "4.3.1"),
    Coordinate("org.apache.kafka", "kafka-group-coordinator", "3.7.2"),
    Coordinate("org.apache.kafka", "kafka-group-coordinator-api", "3.9.2"),
    Coordinate("org.apache.kafka", "connect-runtime", "3.7.2"),
    Coordinate("org.apache.kafka", "connect-api", "3.7.2"),
)
"""Releases that have all interfaces between them; one compilation against them serves all releases."""

SWITCHES = (
    "-Xmx1g",
    "-XX:-OmitStackTraceInFastThrow",  # or exceptions that come often lose message and stack
    "-XX:-CreateCoredumpOnCrash",
    "-XX:+IgnoreUnrecognizedVMOptions",
    "-XX:+ErrorFileToStderr",
    "-XX:OnError=echo the Java machine itself crashed",
    "-Djava.awt.headless=true",
)
APART = ("/bin/sh", "-c", 'exec "$@" 3>&1 1>&2', "sh")
"""Answers go to descriptor 3, so that nothing that Java or native code prints comes between them."""

WARNING = 0.9
"""At this share of the time limit the process says what it is busy with, for the verdict."""


def adapter_command(class_path: list[Path], class_name: str, timeout_s: float) -> list[str]:
    """Return the command that answers requests about a class; raises InputError or TargetGoneError without Java or jars."""
    classes = compiled(SOURCES, INTERFACES)
    command = find_java().command([classes, *class_path], *SWITCHES, "kassay.Adapter")
    return [*APART, *command, class_name, f"{WARNING * timeout_s:g}"]
