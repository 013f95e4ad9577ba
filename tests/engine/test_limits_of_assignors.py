"""Limits: what an assignor was never made for is counted, and is neither a known defect nor a failure."""

import json
import xml.etree.ElementTree as ElementTree

import pytest

from kassay.cli import main
from kassay.engine.finding import load_finding
from kassay.engine.verdict import Verdict, exit_status
from kassay.families.assignors import ASSIGNORS
from kassay.output.block import BROKEN, KNOWN_DEFECT, LIMIT
from kassay.reports.tables.properties import classify_outcome
from kassay.testing import parametrize_with_properties

UNEVEN = {
    "topics": [{"name": f"t{n}", "partitions": 1} for n in range(2)],
    "members": [{"id": name, "topics": ["t0", "t1"]} for name in "ab"],
}
"""Range gives both to the first member: it does not even out over topics."""


@pytest.fixture
def group(tmp_path):
    file = tmp_path / "uneven.json"
    file.write_text(json.dumps(UNEVEN))
    return str(file)


def asked(group, tmp_path, *more):
    return main(
        ["check", "consumer/range", "--property", "balanced", "--group", group, "-o", str(tmp_path), *more]
    )


def test_limits_are_declared_of_promises_that_have_exceptions():
    for assignor in ASSIGNORS.values():
        assert assignor.limits <= assignor.except_in.keys(), assignor.name
    assert ASSIGNORS["consumer/range"].limits == {"balanced", "locally_balanced"}
    assert not {"exclusive", "crash_free", "settling"} & ASSIGNORS["consumer/sticky"].limits


@pytest.mark.parametrize("format_", ["pretty", "json", "markdown", "junit", "github"])
def test_a_limit_is_a_count_and_no_failure_even_if_strict(format_, group, tmp_path, capsys):
    assert asked(group, tmp_path, "--strict", "--format", format_) == 0
    out = capsys.readouterr().out
    match format_:
        case "json":
            records = [json.loads(line) for line in out.splitlines()]
            (verdict,) = (one for one in records if one["record"] == "verdict")
            assert (verdict["outcome"], verdict["breaches"], verdict["judged"]) == (LIMIT, 1, 1)
            (finding,) = (one for one in records if one["record"] == "finding")
            assert finding["limit"]
            assert load_finding(finding["file"]).outcome == LIMIT
        case "junit":
            suites = ElementTree.fromstring(out)
            assert (suites.get("failures"), suites.get("skipped")) == ("0", "0")
        case "github":
            assert "::error" not in out
            assert "::notice" not in out
        case _:
            assert "limit" in out
            assert "has a design limit in 1 of 1 group: " in out
            assert "known defect" not in out


def test_explain_says_that_it_is_a_limit(group, tmp_path, capsys):
    asked(group, tmp_path)
    (file,) = tmp_path.glob("finding-*.json")
    capsys.readouterr()
    assert main(["explain", str(file), "--strict"]) == 0
    assert "limit" in capsys.readouterr().out


def test_what_is_excepted_by_hand_is_a_known_defect(group, tmp_path):
    more = ["--except", "balanced=uneven_split", "--strict"]
    assert asked(group, tmp_path, *more) == 1


def test_what_counts_first():
    one = {name: Verdict("t", name, name) for name in (LIMIT, KNOWN_DEFECT, BROKEN)}
    assert exit_status([one[LIMIT]], strict=True) == 0
    assert exit_status([one[LIMIT], one[KNOWN_DEFECT]], strict=True) == 1
    assert exit_status([one[LIMIT], one[BROKEN]]) == 1


def test_a_sweep_knows_limits_too():
    assert classify_outcome(promised=True, broken=0, known=3, limit=True) == LIMIT
    assert classify_outcome(promised=True, broken=0, known=3) == KNOWN_DEFECT
    assert classify_outcome(promised=True, broken=1, known=3, limit=True) == "BROKEN"


@parametrize_with_properties(["consumer/range"], properties=None, examples=20, strict=True)
def test_pytest_passes_within_a_limit(assignor, keeps):
    keeps(assignor)
