"""Every session of noxfile.py is run by somebody: by the gate before anything lands, or every night, whole and with each of its words."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
NIGHTLY = (ROOT / ".github" / "workflows" / "nightly.yml").read_text()
GATE = (ROOT / ".ci" / "run").read_text()
NOXFILE = ast.parse((ROOT / "noxfile.py").read_text())
MOST = 14
"""So many sessions can still be taken in at a glance."""


def sessions():
    """Return the sessions of noxfile.py, each with the words that say what it is to run, if it asks for one."""
    words = {"parity": "JUDGES", "long": "LONG"}
    tables = {
        node.targets[0].id: [word for word in ast.literal_eval(node.value) if " " not in word]
        for node in NOXFILE.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets) in words.values()
    }
    return {
        node.name: tables[words[node.name]] if node.name in words else []
        for node in NOXFILE.body
        if isinstance(node, ast.FunctionDef) and any("session" in ast.unparse(d) for d in node.decorator_list)
    }


def of_the_gate():
    (line,) = re.findall(r"nox .*-s ([\w ]+)$", GATE, re.MULTILINE)  # with options a part of a session runs
    return {"tests", *line.split()}  # the README's own command runs the tests


def of_the_night():
    """Return the sessions of the nightly workflow, each with what it needs besides."""
    return dict(re.findall(r"- session: (.+)\n((?:            .+\n)*)", NIGHTLY))


def test_each_session_is_in_the_gate_or_in_the_nightly_workflow():
    every = {f"{name} -- {word}" for name, words in sessions().items() for word in words}
    every |= {name for name, words in sessions().items() if not words}
    assert {"types", "page", "parity -- member", "long -- fuzz"} < every
    assert of_the_gate() | set(of_the_night()) == every
    assert not of_the_gate() & set(of_the_night())
    assert len(of_the_night()) == NIGHTLY.count("- session: ")
    assert len(sessions()) <= MOST


def test_what_the_sessions_run_is_there():
    named = re.findall(r'(?:python|-n 0|pytest) ([a-z]+/[^\s"]+)', (ROOT / "noxfile.py").read_text())
    assert len(named) >= 14
    for pattern in named:
        assert list(ROOT.glob(pattern)), pattern
    modules = re.findall(r"python -m ([a-z_.]+)", (ROOT / "noxfile.py").read_text())
    assert {name for name in modules if not name.startswith("kassay")} == set()  # ours are run by their file


def test_sessions_find_there_what_they_need():
    needs = of_the_night()
    assert {name for name, besides in needs.items() if "apt: chromium" in besides} == {"page", "playground"}
    assert {name for name, besides in needs.items() if "go: " in besides} == {
        "parity -- go",
        "parity -- exported",
        "parity -- clients",
        "parity -- fixtures",
        "parity -- settings",
    }
    assert "run: nox -s $SESSION" in NIGHTLY
    assert "setup-java" in NIGHTLY


def test_the_page_of_parity_has_every_judge():
    page = (ROOT / "parity" / "README.md").read_text()
    for judge in sessions()["parity"]:
        assert f"`nox -s parity -- {judge}" in page


def test_the_gate_and_the_readme_name_the_tests():
    assert "<!-- the tests -->" in GATE
    assert "pytest" in (ROOT / "README.md").read_text().split("<!-- the tests -->")[1]
