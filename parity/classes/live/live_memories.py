"""Java assignors that live long: those whose promises fail by what they remember are found, and Kafka's own and honest ones are not accused."""

from functools import cache
from pathlib import Path

import pytest

from kassay.cli import main
from kassay.engine import lives, memories
from kassay.engine.check import check
from kassay.engine.finding import Finding
from kassay.engine.promises import read_promises
from kassay.engine.trial import Trial
from kassay.engine.verdict import Verdict
from kassay.families import family
from kassay.output.block import BROKEN
from kassay.targets import Options, open_target
from kassay.targets.java import find_newest_kafka
from kassay.targets.maven.java_programs import compile_sources

pytestmark = pytest.mark.usefixtures("java")

SOURCE = Path(__file__).parent / "broken" / "Remembering.java"
BREAKS = {
    "InstanceIds": {"every_member", "deterministic"},
    "CoarseCache": {"existing", "subscribed", "every_member", "deterministic"},
    "Grows": {"crash_free"},
    "SharedOwners": {"subscribed"},
    "NeverClears": {"complete", "deterministic"},
    "HonestCache": set(),
    "Counts": set(),
}
KAFKA = [
    *(f"kafka:4.4.0#consumer/{name}" for name in ("range", "roundrobin", "sticky", "cooperative-sticky")),
    *(
        f"kafka:4.4.0#{name}"
        for name in ("broker/range", "broker/uniform", "share/simple", "streams-group/sticky")
    ),
    *(f"kafka:4.3.1#{name}" for name in ("connect/eager", "connect/incremental-cooperative")),
    "kafka:4.3.1#streams/high-availability",
]


@cache
def folder():
    return compile_sources([SOURCE], [find_newest_kafka()])


@pytest.mark.parametrize("name", BREAKS)
def test_a_check_finds_java_leaders_that_remember_wrongly(name, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(lives, "SHRINK_S", 2.0)
    target = f"jar:{folder()}#broken.Remembering${name}"
    with open_target(target, Options()) as opened:
        wanted = [each for each in family("consumer").properties if each in family("consumer").expected]
        told = list(check(opened, family("consumer"), examples=800, wanted=wanted))
    broken = {one.property for one in told if isinstance(one, Verdict) and one.outcome == BROKEN}
    assert bool(broken) == bool(BREAKS[name])
    assert BREAKS[name] <= broken
    for finding in (one for one in told if isinstance(one, Finding)):
        assert finding.before
        path = str(finding.save(tmp_path))
        assert main(["explain", path, "--trust"]) == 1
    capsys.readouterr()


@pytest.mark.parametrize("spec", KAFKA)
def test_kafkas_own_keep_their_promises_as_long_as_they_live(spec):
    with open_target(spec, Options()) as target:
        of = family(target.family)
        trial = Trial(target, of, list(of.properties), read_promises(target, of), 0)
        memories.play_lives(trial, 800 if target.instances == "none" else 2_000, 0)
        assert trial.rebalances
        assert (trial.memories, trial.seen) == ({}, {})
