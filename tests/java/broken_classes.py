"""The classes of Broken.java, compiled, as jar: targets."""

from functools import cache
from pathlib import Path

from kassay.maven.compiling import compiled
from kassay.targets import Options, Target
from kassay.targets.java.class_path import newest_kafka
from kassay.targets.java.opening import open_jar


@cache
def folder() -> Path:
    return compiled([Path(__file__).with_name("Broken.java")], [newest_kafka()])


def spec(name: str) -> str:
    return f"{folder()}#broken.Broken${name}"


def opened(name: str, timeout_s: float = 5.0) -> Target:
    return open_jar(f"jar:{name}", spec(name), Options(timeout_s))
