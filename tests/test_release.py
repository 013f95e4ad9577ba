"""What is published: one version everywhere, links that lead somewhere, and tools and actions pinned by hash."""

import re
from pathlib import Path

import address
import pytest

from kassay import __version__

ROOT = Path(__file__).parents[1]


def test_one_version_everywhere():
    (cited,) = re.findall(r"^version: (.+)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE)
    (in_readme,) = re.findall(
        r"\*kassay: the assay office for Kafka assignors\*, ([\d.]+), ", (ROOT / "README.md").read_text()
    )
    newest = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)[1]
    assert {cited, in_readme, newest} == {__version__}
    for file in ("docs/ci.md", "docs/settings.md", "examples/ci/gitlab.yml"):
        assert {*re.findall(r"\bv(\d+\.\d+\.\d+)", (ROOT / file).read_text())} == {__version__}, file


def test_every_link_of_the_readme_leads_to_the_tag():
    text = (ROOT / "README.md").read_text()
    there = "https://git.example.org/me/kassay"
    made = address.addressed(text, there, "v9")
    relative = re.findall(r"\]\((?!https?:|mailto:|#)([^)\s]+)\)", text)
    assert len(relative) > 30
    for path in relative:
        assert f"]({there}/blob/v9/{path})" in made, path
        assert (ROOT / path.partition("#")[0]).exists(), path
    assert not re.findall(r"\]\((?!https?:|mailto:|#)", made)
    pictures = re.findall(r'(?:src|srcset)="([^"]+)"', made)
    assert pictures
    assert all(one.startswith(f"{there}/raw/v9/docs/") for one in pictures)
    assert address.addressed(made, there, "v9") == made
    shorn = made.replace(f"{there}/blob/v9/", "").replace(f"{there}/raw/v9/", "")
    assert shorn == text  # nothing else is changed


@pytest.mark.parametrize(
    "wrong", ["", "kassay", "http://git.example.org/me/kassay", "https://git.example.org"]
)
def test_what_is_no_address_is_refused_and_changes_nothing(tmp_path, monkeypatch, capsys, wrong):
    monkeypatch.setattr(address, "ROOT", tmp_path)  # where there is nothing to change
    monkeypatch.setenv("KASSAY_REPOSITORY", wrong)
    assert address.main() == 2
    assert "https://HOST/OWNER/kassay" in capsys.readouterr().err


def test_the_project_gets_its_links_once(tmp_path, monkeypatch):
    for name in ("README.md", "pyproject.toml", "src/kassay/__init__.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text((ROOT / name).read_text())
    monkeypatch.setattr(address, "ROOT", tmp_path)
    monkeypatch.setenv("KASSAY_REPOSITORY", "https://git.example.org/me/kassay/")
    assert address.main() == address.main() == 0
    text = (tmp_path / "pyproject.toml").read_text()
    assert text.count("[project.urls]") == 1
    assert f'Changelog = "https://git.example.org/me/kassay/blob/v{__version__}/CHANGELOG.md"' in text


@pytest.mark.parametrize("file", ["action.yml", ".github/workflows/release.yml"])
def test_actions_are_pinned_by_hash(file):
    used = re.findall(r"uses: (\S+)(.*)", (ROOT / file).read_text())
    assert used
    for action, remark in used:
        assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", action), action
        assert re.fullmatch(r" # v\d+\.\d+\.\d+", remark), action


def test_all_that_builds_is_pinned_by_hash():
    lines = (ROOT / "publishing" / "build.txt").read_text()
    wanted = {
        line
        for line in (ROOT / "publishing" / "build.in").read_text().splitlines()
        if not line.startswith("#")
    }
    pinned = re.findall(
        r"^([\w.-]+)==\S+.*?((?:\\\n    --hash=sha256:[0-9a-f]{64} ?)+)$", lines, re.MULTILINE
    )
    assert wanted <= {name for name, _ in pinned}
    assert len(pinned) == len(re.findall(r"^[\w.-]+==", lines, re.MULTILINE)) > len(wanted)
    assert "http" not in lines


def test_the_image_is_made_of_what_the_package_needs():
    kept = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    links = {
        path.resolve().relative_to(ROOT.resolve()).parts[0]
        for path in (ROOT / "src" / "kassay").iterdir()
        if path.is_symlink()
    }
    assert kept == links | {"src", "pyproject.toml", "setup.py", "README.md", "LICENSE"}
    assert all((ROOT / name).exists() for name in kept)


def test_the_template_knows_every_variable_of_the_script():
    script = (ROOT / "examples" / "ci" / "judge.sh").read_text()
    template = (ROOT / "examples" / "ci" / "gitlab.yml").read_text()
    (results,) = re.findall(r"default: (kassay-\w+)", script)
    assert f"RESULTS: {results}" in template
    assert f"junit: {results}/*/*.xml" in template
    assert template.count("KASSAY_REPOSITORY") >= 3
