"""Settings of a project: which file holds, what wins, and what is said of what is wrong in one."""

import json
import os
import subprocess
import sys
from contextlib import chdir

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.cli import main, parse_arguments
from kassay.cli.commands.check import SPELLED, USUAL, apply_settings
from kassay.errors import InputError
from kassay.files.settings import PROFILES, WRITTEN, Settings, read_settings

TABLES = st.fixed_dictionaries(
    {},
    optional={
        "targets": st.just(["consumer/range"]) | st.just(["consumer/fair", "consumer/range"]),
        "promises-of": st.sampled_from(["consumer/range", "consumer/sticky"]),
        "like-kafka": st.booleans(),
        "except": st.just([]) | st.just(["stable=racks_decide"]),
        "examples": st.integers(0, 9),
        "seeds": st.lists(st.integers(0, 9), min_size=1, max_size=3, unique=True),
        "timed": st.booleans(),
        "strict": st.booleans(),
        "timeout": st.sampled_from([1, 2.5]),
    },
)
LINES = st.fixed_dictionaries(
    {},
    optional={
        "targets": st.just(["consumer/roundrobin"]),
        "examples": st.integers(0, 9),
        "seeds": st.lists(st.integers(0, 9), min_size=1, max_size=1),
        "strict": st.booleans(),
        "timed": st.booleans(),
        "promise": st.just(["complete"]),
        "promises-of": st.just("consumer/fair"),
    },
).filter(lambda line: not {"promise", "promises-of"} <= line.keys())


@given(TABLES, TABLES, LINES, st.booleans(), st.booleans())
def test_the_command_line_wins_over_the_profile_and_that_over_the_rest(
    tmp_path_factory, table, profile, line, chosen, shared
):
    folder = tmp_path_factory.mktemp("project")
    name, prefix = ("pyproject.toml", "tool.kassay") if shared else ("kassay.toml", "")
    text = toml(table, f"[{prefix}]\n" if prefix else "")
    (folder / name).write_text(text + toml(profile, f"[{'tool.kassay.' * shared}profiles.mine]\n"))
    with chdir(folder):
        args = parse_arguments(["check", *words(line), *["--profile", "mine"] * chosen])
        apply_settings(args)
    over = [table, profile] if chosen else [table]
    for key in USUAL:
        option = key.replace("_", "-")
        if key in {"promise", "promises_of", "like_kafka"} and line.keys() & {"promise", "promises-of"}:
            expected = line.get(option, USUAL[key])  # the file's promises are replaced as a whole
        else:
            written = SPELLED.get(key, option).rstrip("_")
            expected = next(
                (
                    each[at]
                    for each, at in [(line, option), *((each, written) for each in over[::-1])]
                    if at in each
                ),
                USUAL[key],
            )
        assert getattr(args, key) == expected, key


def toml(table, head):
    return head + "".join(f"{key} = {json.dumps(value)}\n" for key, value in table.items())


def words(line):
    for key, value in line.items():
        if key == "targets":
            yield from value
        elif isinstance(value, bool):
            yield f"--{'' if value else 'no-'}{key}"
        else:
            yield from (
                f"--{key.removesuffix('s') if key == 'seeds' else key}",
                str(value[0] if isinstance(value, list) else value),
            )


def test_what_a_profile_says_of_promises_replaces_what_is_said_of_them_otherwise(tmp_path):
    (tmp_path / "kassay.toml").write_text(
        'promises = ["complete"]\n[profiles.ci]\npromises-of = "consumer/range"\n'
    )
    found = read_settings(tmp_path, "ci")
    assert (found.promises, found.promises_of, found.examples) == (None, "consumer/range", 500)
    assert read_settings(tmp_path).promises == ["complete"]


@pytest.mark.parametrize("profile", PROFILES)
def test_profiles_need_no_file(tmp_path, profile):
    (tmp_path / ".git").mkdir()
    assert read_settings(tmp_path, profile) == Settings(**PROFILES[profile])
    assert read_settings(tmp_path) == Settings()


def test_the_nearest_file_holds_and_nothing_above_the_project(tmp_path):
    inner = tmp_path / "project" / "module"
    inner.mkdir(parents=True)
    (tmp_path / "kassay.toml").write_text("examples = 1\n")
    (inner / "pyproject.toml").write_text("[project]\nname = 'no settings here'\n")
    assert read_settings(inner).examples == 1
    (tmp_path / "project" / ".git").mkdir()
    assert read_settings(inner).examples is None
    (tmp_path / "project" / "kassay.toml").write_text("examples = 2\n")
    assert read_settings(inner).examples == 2
    (inner / "pyproject.toml").write_text("[tool.kassay]\n")
    assert read_settings(inner) == Settings(folder=str(inner))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("exmaples = 3", "exmaples: there is no such setting. Did you mean 'examples'?"),
        ("zzz = 3", "zzz: there is no such setting. Known are targets, family,"),
        ('examples = "3"', "examples: Expected `int`, got `str`. Write examples = 2000"),
        ("examples = -1", "examples: is -1. Write examples = 2000"),
        ("examples = true", "examples: Expected `int`, got `bool`"),
        ("targets = 'consumer/range'", "targets: Expected `array`, got `str`. Write targets = ["),
        ("targets = [3]", "targets[0]: Expected `str`, got `int`. Write targets = ["),
        ("targets = []", "targets: is []. Write"),
        ("seeds = [1, 1]", "seeds: is [1, 1]. Write seeds = [0, 1]"),
        ("timeout = 0", "timeout: is 0. Write timeout = 5"),
        ("strict = 1", "strict: Expected `bool`, got `int`. Write strict = true"),
        ('promises = ["complete"]\npromises-of = "consumer/range"', "promises: contradicts promises-of"),
        ("profiles = 3", "profiles: holds a table for each profile. Write [tool.kassay.profiles.ci]"),
        ("[tool.kassay.profiles.night]\nseed = 3", "profiles.night.seed: there is no such setting. Did you mean 'seeds'?"),
    ],
)  # fmt: skip
def test_what_is_wrong_names_file_key_and_fix(tmp_path, monkeypatch, capsys, text, said):
    (tmp_path / "pyproject.toml").write_text(f"[tool.kassay]\n{text}\n")
    monkeypatch.chdir(tmp_path)
    assert main(["check", "consumer/range", "--examples", "1"]) == 2
    assert f"{tmp_path / 'pyproject.toml'}: tool.kassay.{said}" in capsys.readouterr().err


def test_two_files_no_toml_and_an_unknown_profile(tmp_path):
    own, shared = tmp_path / "kassay.toml", tmp_path / "pyproject.toml"
    own.write_text("[profiles.night]\nexamples = 3\n")
    with pytest.raises(
        InputError, match=r"kassay.toml has no such profile. Known are ci, deep, night. Did you mean 'night'"
    ):
        read_settings(tmp_path, "nigth")
    shared.write_text("[tool.kassay]\n")
    with pytest.raises(
        InputError, match=r"kassay.toml and \[tool.kassay\] of pyproject.toml both have settings. Keep one"
    ):
        read_settings(tmp_path)
    own.write_text("examples = \n")
    with pytest.raises(InputError, match=r"kassay.toml: is no TOML: Invalid value"):
        read_settings(tmp_path)


@pytest.mark.skipif(os.getuid() != 0, reason="only root gives files away")
def test_another_user_s_settings_are_refused(tmp_path):
    inner = tmp_path / "inner"
    inner.mkdir()
    (tmp_path / "kassay.toml").write_text("examples = 1\n")
    os.chown(tmp_path / "kassay.toml", 4711, 4711)
    with pytest.raises(InputError, match=r"kassay.toml: belongs to another user.* of your own here"):
        read_settings(inner)
    os.chown(inner, 4711, 4711)  # as a container's root sees a project that it is given
    assert read_settings(inner).examples == 1


def test_every_way_of_writing_is_one_that_is_read(tmp_path):
    for key, value in WRITTEN.items():
        (tmp_path / "kassay.toml").write_text(f"{key} = {value}\n")
        assert read_settings(tmp_path) != Settings(folder=str(tmp_path)), key


def test_settings_name_targets_from_their_own_folder(tmp_path, monkeypatch, capsys):
    inner = tmp_path / "inner"
    inner.mkdir()
    (tmp_path / "mine.py").write_text(
        "def assign(group):\n    return {member.id: [] for member in group.members}\n"
    )
    (tmp_path / "kassay.toml").write_text(
        'targets = ["python:mine:assign"]\npromises = ["complete"]\nexamples = 4\nseeds = [5, 6]\n'
    )
    monkeypatch.chdir(inner)
    assert main(["check", "--json", "-o", "out"]) == 1
    told = capsys.readouterr()
    records = [json.loads(line) for line in told.out.splitlines()]
    assert told.err == f"kassay: runs in {tmp_path}, whose settings name what is checked\n"
    assert {one["target"] for one in records if one["record"] == "verdict"} == {"python:mine:assign"}
    assert {(one["seed"], *one["seeds"]) for one in records if one["record"] == "tally"} == {(5, 5, 6)}
    assert (inner / "out" / "check.jsonl").exists()


def test_each_seed_generates_as_many_groups(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    tried = []
    for seeds in ([1], [2], [1, 2]):
        (tmp_path / "kassay.toml").write_text(f"seeds = {seeds}\n")
        assert main(["check", "consumer/range", "--examples", "4", "--json", "--property", "complete"]) == 0
        tried += [json.loads(line) for line in capsys.readouterr().out.splitlines() if '"tally"' in line]
    one, two, both = tried
    assert both["groups"] == one["groups"] + two["groups"]
    counts = {name: one["situations"][name] + two["situations"][name] for name in one["situations"]}
    assert both["situations"] == counts != {name: 2 * count for name, count in one["situations"].items()}


def test_given_groups_are_judged_alone_whatever_the_settings_generate(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "kassay.toml").write_text("examples = 4\n")
    (tmp_path / "g.json").write_text('{"topics": [{"name": "t", "partitions": 1}], "members": []}')
    assert main(["check", "consumer/range", "--group", "g.json", "--json", "--property", "complete"]) == 0
    (tally,) = [json.loads(line) for line in capsys.readouterr().out.splitlines() if '"tally"' in line]
    assert tally["groups"] == 1


@pytest.mark.parametrize(("text", "says"), [
    ('promises = ["complet"]', "promises: consumer promise complet: is unknown. Did you mean complete"),
    ('except = ["stable"]', "except: --except stable: is not PROPERTY=SITUATION"),
    ('family = "consumr"', "family: family 'consumr': is unknown"),
    ('promises-of = "consumer/stiky"', "promises-of: assignor consumer/stiky: is unknown"),
    ("like-kafka = true", "like-kafka: --like-kafka: says how --promises-of is meant"),
    ('baseline = "none.json"', "baseline: --baseline "),
])  # fmt: skip
@pytest.mark.parametrize("shared", [True, False])
def test_what_is_wrong_in_a_value_names_file_and_key(tmp_path, monkeypatch, capsys, text, says, shared):
    file = tmp_path / ("pyproject.toml" if shared else "kassay.toml")
    file.write_text(f"{'[tool.kassay]' * shared}\n{text}\n")
    monkeypatch.chdir(tmp_path)
    assert main(["check", "consumer/range", "--examples", "1"]) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert said.startswith(f"kassay: {file}: {'tool.kassay.' * shared}{says}")


def test_what_is_wrong_on_the_command_line_blames_no_settings(tmp_path, monkeypatch, capsys):
    (tmp_path / "kassay.toml").write_text('targets = ["consumer/rang"]\npromises = ["complete"]\n')
    monkeypatch.chdir(tmp_path)
    assert main(["check", "consumer/range", "--promise", "complet"]) == 2
    assert capsys.readouterr().err.startswith("kassay: consumer promise complet: is unknown")
    assert main(["check"]) == 2
    assert (
        f"{tmp_path / 'kassay.toml'}: targets: assignor consumer/rang: is unknown" in capsys.readouterr().err
    )


def test_a_check_leaves_no_folder_but_its_own(tmp_path):
    (tmp_path / "mine.py").write_text(
        "def assign(group):\n    return {member.id: [] for member in group.members}\n"
    )
    command = [
        sys.executable,
        "-m",
        "kassay",
        "check",
        "python:mine:assign",
        "--promise",
        "exclusive",
        "--examples",
        "5",
    ]
    subprocess.run(
        command,
        cwd=tmp_path,
        check=True,
        capture_output=True,
        env=os.environ | {"KASSAY_CACHE": str(tmp_path / "cache")},
    )
    assert {path.name for path in tmp_path.iterdir()} <= {
        "mine.py",
        "__pycache__",
        ".kassay",
        "kassay-findings",
        "cache",
    }
