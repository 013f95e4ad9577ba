"""Every session of noxfile.py is run by somebody: by the gate before anything lands, or every night."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
NIGHTLY = (ROOT / ".github" / "workflows" / "nightly.yml").read_text()
GATE = (ROOT / ".ci" / "run").read_text()


def sessions():
    """Return the names of noxfile.py's sessions and the source of each."""
    text = (ROOT / "noxfile.py").read_text()
    return {
        node.name: ast.get_source_segment(text, node)
        for node in ast.parse(text).body
        if isinstance(node, ast.FunctionDef) and any("session" in ast.unparse(d) for d in node.decorator_list)
    }


def of_the_gate():
    (line,) = re.findall(r"nox .*-s (.+)", GATE)
    return {"tests", *line.split()}  # the README's own command runs the tests


def of_the_night():
    """Return the sessions of the nightly workflow, each with what it needs besides."""
    entries = re.split(r"- session: ", NIGHTLY)[1:]
    return {entry.split()[0]: entry for entry in entries}


def test_each_session_is_in_the_gate_or_in_the_nightly_workflow():
    assert {"types", "page"} < set(sessions())
    assert of_the_gate() | set(of_the_night()) == set(sessions())
    assert not of_the_gate() & set(of_the_night())
    assert len(of_the_night()) == NIGHTLY.count("- session: ")


def test_sessions_find_there_what_they_need():
    night = of_the_night()
    for name, source in sessions().items():
        if name in night:
            assert ("apt: chromium" in night[name].split("steps:")[0]) == ("playwright" in source), name
            assert ("go: " in night[name].split("steps:")[0]) == ('"go", *step' in source), name
    assert "run: nox -s" in NIGHTLY
    assert "setup-java" in NIGHTLY


def test_the_gate_and_the_readme_name_the_tests():
    assert "<!-- the tests -->" in GATE
    assert "pytest" in (ROOT / "README.md").read_text().split("<!-- the tests -->")[1]
