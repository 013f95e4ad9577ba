"""What the docs say of the assignors is what the command says of them."""

import json
from pathlib import Path

from kassay.cli import main
from kassay.cli.render.findings import build_verdict_record

SCRIPTS = Path(__file__).parents[2] / "docs" / "scripts"
ASSIGNOR = "consumer/range"


def test_an_assignor_is_judged_as_the_command_judges_it(monkeypatch, tmp_path, capsys):
    """But for the words about what nobody promises, of which the docs say only whether there are any."""
    monkeypatch.syspath_prepend(SCRIPTS)
    from judged import Verdict, check_assignor

    assert main(["check", ASSIGNOR, "--all", "--examples", "2", "--json", "-o", str(tmp_path)]) == 0
    records = map(json.loads, capsys.readouterr().out.splitlines())
    told = [one for one in records if one["record"] in {"verdict", "distance"}]
    said = [
        build_verdict_record(one) if isinstance(one, Verdict) else {"record": "distance", **one.as_json()}
        for one in check_assignor(ASSIGNOR, 2)
    ]
    for one in (*said, *told):
        if one.get("outcome") == "not promised":
            one["message"] = bool(one["message"])
    assert json.loads(json.dumps(said)) == told
    assert any(one["message"] is True for one in told if one["record"] == "verdict")
