"""Skip what needs Java and jars where there are none."""

import pytest

from kassay.errors import InputError, TargetGoneError


@pytest.fixture(scope="session")
def java() -> None:
    from kassay.targets.java import find_newest_kafka
    from kassay.targets.maven.java_programs import find_java
    from kassay.targets.maven.repository import fetch

    try:
        find_java()
        fetch(find_newest_kafka())
    except (InputError, TargetGoneError) as lacking:
        pytest.skip(str(lacking))


@pytest.fixture
def one_hash(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let Java give all objects one identity hash."""
    from classes.differ.counterparts import one_identity_hash

    monkeypatch.setenv("JAVA_TOOL_OPTIONS", "")  # so that what comes now is taken back
    one_identity_hash()
