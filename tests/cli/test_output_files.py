"""Options that write a file: devices, pipes and links are written through, inputs are not overwritten, and the answer comes before a failure."""

import contextlib
import json
import os
import resource
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from kassay.cli import main

ROOT = Path(__file__).parents[2]
GROUP = {
    "topics": [{"name": "t", "partitions": 3}],
    "members": [{"id": "a", "topics": ["t"]}, {"id": "b", "topics": ["t"]}],
}
CHECK = ["check", "consumer/range", "--promise", "balanced", "--examples", "12"]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("g.json").write_text(json.dumps(GROUP))
    return tmp_path


def writers():
    """Return a command line for each option that writes a file, and the text with which the file begins."""
    pages = "<!doctype html>"
    return [
        (["compare", "--group", "g.json", "--html"], pages),
        (["what-if", "--group", "g.json", "--join", "1", "--html"], pages),
        (["over-time", "--group", "g.json", "--restart", "1", "--html"], pages),
        (["scoreboard", "--html"], pages),
        (["simulate", "--schedules", "3", "--html"], pages),
        (["frontier", "g.json", "--plot"], "<?xml"),
        ([*CHECK, "--write-baseline"], "{"),
        (["fixtures", "run", "consumer/range", "--case", "consumer-0001", "--badge"], "{"),
    ]


def needs(words):
    if "--html" in words:
        pytest.importorskip("jinja2", reason="pip install 'kassay[pages]'")
    if "--plot" in words:
        pytest.importorskip("matplotlib", reason="pip install 'kassay[reports]'")


def started(*words, **how):
    """Run kassay in a process of its own."""
    code = "import sys; from kassay.cli import main; sys.exit(main())"
    return subprocess.run(
        [sys.executable, "-c", code, *words], text=True, check=False, **({"capture_output": True} | how)
    )


def test_every_option_that_names_a_file_to_write_is_known_here():
    from kassay.cli.run import OUTPUTS

    assert {words[-1] for words, _ in writers()} == set(OUTPUTS.values())


@pytest.mark.parametrize(("words", "begins"), writers(), ids=lambda one: one[-1] if len(one[0]) > 1 else "")
def test_what_is_no_regular_file_is_written_through(words, begins, folder):
    needs(words)
    os.mkfifo("pipe")
    read = []
    reader = threading.Thread(target=lambda: read.append(Path("pipe").read_text()), daemon=True)
    reader.start()
    assert main([*words, "pipe"]) in {0, 1}
    reader.join(5)
    assert read[0].startswith(begins)
    assert Path("pipe").is_fifo()
    name = "real.svg" if "--plot" in words else "real"
    Path("link.svg").symlink_to(name)
    for _ in range(2):  # at first it leads to nothing
        assert main([*words, "link.svg"]) in {0, 1}
        assert Path("link.svg").is_symlink()
        assert Path(name).read_text().startswith(begins)
    assert not [path for path in folder.iterdir() if path.name.startswith(f".{name}")]


def test_standard_output_is_a_place_like_any_other():
    words = [*CHECK, "--write-baseline", "/dev/stdout", "--json"]
    piped = started(*words)
    assert (piped.returncode, piped.stderr) == (0, "")
    assert piped.stdout.startswith("{\n")
    assert '"format": 1' in piped.stdout
    assert '{"record":"check"' in piped.stdout
    with Path("out").open("w") as out:
        for name in ("/dev/stdout", "/dev/fd/1", "out"):
            out.seek(0)
            out.truncate()
            words[-2] = name
            started(*words, capture_output=False, stdout=out).check_returncode()
            assert Path("out").read_text() == piped.stdout
    assert not Path("/dev/stdout").is_file() or Path("/dev/stdout").is_symlink()


def test_a_descriptor_of_the_shell_is_written():
    read, write = os.pipe()
    started(*CHECK, "--write-baseline", f"/dev/fd/{write}", pass_fds=[write])
    os.close(write)
    with os.fdopen(read) as told:
        assert json.load(told)["format"] == 1


def test_a_file_keeps_its_permissions():
    main([*CHECK, "--write-baseline", "b.json"])
    Path("b.json").chmod(0o600)
    main(
        ["check", "consumer/range", "--promise", "complete", "--examples", "3", "--write-baseline", "b.json"]
    )
    main([*CHECK, "--seed", "1", "--write-baseline", "b.json"])
    assert Path("b.json").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("link", [False, True])
@pytest.mark.parametrize("words", [words for words, _ in writers() if "g.json" in words])
def test_an_input_is_not_overwritten(words, link, capsys):
    needs(words)
    text = Path("g.json").read_text()
    name = "g.json"
    if link:
        Path("other.svg").symlink_to("g.json")
        name = "other.svg"
    assert main([*words, name]) == 2
    assert (
        f"{words[-1]} {name}: {name} is an input of this command. Choose another file.\n"
        in capsys.readouterr().err
    )
    assert Path("g.json").read_text() == text


def test_an_input_in_the_folder_of_results_is_not_overwritten(capsys):
    assert main(["check", "consumer/range", "--group", "g.json", "--json", "-o", "out"]) == 0
    Path("out/compare.jsonl").write_text(json.dumps(GROUP))
    Path("out/.kassay-own").write_text("compare.jsonl\n")
    capsys.readouterr()
    assert main(["compare", "--group", "out/compare.jsonl", "--json", "-o", "out"]) == 2
    assert "-o out: out/compare.jsonl is an input of this command" in capsys.readouterr().err
    assert json.loads(Path("out/compare.jsonl").read_text()) == GROUP


def test_two_outputs_are_not_one_file(capsys):
    pytest.importorskip("jinja2", reason="pip install 'kassay[pages]'")
    words = ["compare", "--group", "g.json", "-o", "out", "--html", "out/compare.txt"]
    assert main(words) == 2
    assert "out/compare.txt is written by --html out/compare.txt, too" in capsys.readouterr().err


@contextlib.contextmanager
def full_disk():
    """Let no file of this process grow: what a full disk does."""
    usual = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, usual[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, usual)


FAILING = [
    ([*CHECK, "--write-baseline", "b.json"], "consumer/range"),
    (CHECK, "FAIL  consumer/range does not make loads as even as they can be"),
    ([*CHECK, "-o", "out"], "FAIL  consumer/range does not make loads as even as they can be"),
    (
        ["worst", "consumer/range", "--measure", "balance", "--tries", "5"],
        "Smallest group above the optimum",
    ),
    (["simulate", "--schedules", "5", "-o", "out"], "Injected faults: "),
    (["compare", "--group", "g.json", "--html", "page.html"], "g.json: "),
    (["compare", "--group", "g.json", "-o", "out"], "g.json: "),
    (["over-time", "--group", "g.json", "--restart", "1", "--html", "page.html"], "optimum"),
    (["frontier", "g.json", "--plot", "plot.svg"], "g.json"),
    (["scoreboard", "--html", "page.html"], "client"),
    (["fixtures", "run", "consumer/range", "--badge", "badge.json"], "consumer/range"),
]


@pytest.mark.parametrize(
    ("words", "says"), FAILING, ids=lambda one: " ".join(one) if isinstance(one, list) else ""
)
def test_on_a_full_disk_the_answer_comes_first(words, says, capsys):
    needs(words)
    with full_disk():
        assert main(words) == 2
    ended = capsys.readouterr()
    assert says in ended.out
    (told,) = ended.err.splitlines()
    assert told.endswith("cannot be written (File too large). Free some space, or choose another place.")
    assert "kassay explain" not in ended.out
    assert "Exit status 1" not in ended.out
    assert "Page:" not in ended.out


def test_a_report_that_cannot_be_written_gives_its_verdict(tmp_path, capsys):
    pytest.importorskip("pyspark", reason="pip install 'kassay[reports]'")
    from reports.sweep_of_loops import write_sweep

    write_sweep(tmp_path / "sweep", 4, ("consumer/range", "consumer/sticky"), ("balance",))
    assert main(["report", "sweep", "-o", "whole"]) == 0
    whole = capsys.readouterr()
    assert whole.err == ""
    assert "Page:" in whole.out
    for into in ([], ["-o", "elsewhere"]):
        with full_disk():
            assert main(["report", "sweep", *into]) == 2
        ended = capsys.readouterr()
        assert ended.out.splitlines()[0] == whole.out.splitlines()[0]
        assert "Page:" not in ended.out
        (told,) = ended.err.splitlines()
        assert told.endswith("cannot be written (File too large). Free some space, or choose another place.")


def test_where_nothing_can_be_written_a_check_still_answers(capsys):
    Path("kassay-findings").write_text("a file where the folder would be")
    assert main([*CHECK, "--json"]) == 2
    told = capsys.readouterr()
    records = [json.loads(line) for line in told.out.splitlines()]
    assert records[0]["status"] == 2
    (finding,) = [one for one in records if one["record"] == "finding"]
    assert finding["group"]["members"]
    assert "file" not in finding
    (said,) = told.err.splitlines()
    assert "cannot be written (" in said


def test_other_formats_are_whole_where_a_file_cannot_be_written(capsys):
    Path("kassay-findings").write_text("a file where the folder would be")
    assert main([*CHECK, "--format", "junit"]) == 2
    assert capsys.readouterr().out.rstrip().endswith("</testsuites>")


@pytest.mark.parametrize(
    "words",
    [
        ["playground", "--group", "g.json", "--no-browser"],
        ["sweep", str(ROOT / "grids" / "quick.toml"), "-o", "out"],
        ["fixtures", "write", "share", "--fixtures", "fixtures"],
        ["list", "-o", "out"],
    ],
    ids=lambda words: words[0],
)
def test_whatever_is_written_on_a_full_disk_ends_with_a_sentence(words, capsys):
    if words[0] == "sweep":
        pytest.importorskip("pyspark", reason="pip install 'kassay[reports]'")
    with full_disk():
        assert main(words) == 2
    told = capsys.readouterr().err
    assert "cannot be written (" in told.splitlines()[-1]
    assert "bug" not in told


def test_other_errors_of_the_system_are_bugs_still(monkeypatch, capsys):
    def fail():
        raise PermissionError(1, "no", "x")

    monkeypatch.setattr("kassay.cli.start_page", fail)
    assert main([]) == 3
    assert "this is a bug of kassay" in capsys.readouterr().err
