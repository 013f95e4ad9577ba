"""A Java machine in this process, with the newest Kafka; needs the package JPype1 and, once, Maven Central."""

from functools import cache
from pathlib import Path

import jpype

from kassay.targets.java import find_newest_kafka
from kassay.targets.maven.java_programs import find_java
from kassay.targets.maven.repository import fetch


@cache
def start_java() -> None:
    """Start the Java machine that kassay would use."""
    home = Path(find_java().path).resolve().parents[1]
    (library,) = home.glob("lib/**/libjvm.*")
    jpype.startJVM(str(library), classpath=[str(fetch(find_newest_kafka()))], convertStrings=False)
