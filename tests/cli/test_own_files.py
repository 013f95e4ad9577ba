"""What stands in a folder given with -o and is not kassay's is never written over."""

import shutil

import pytest

from kassay.cli import main


@pytest.mark.parametrize("name", ["list.txt", "list.jsonl"])
def test_a_file_that_is_not_ours_stays_and_another_format_is_written(name, tmp_path, capsys):
    (tmp_path / name).write_text("mine")
    more = ["--json"] if name.endswith("jsonl") else []
    assert main(["list", "-o", str(tmp_path), *more]) == 2
    printed = capsys.readouterr()
    assert f"-o {tmp_path}: {name} is there and was not made by kassay" in printed.err
    assert not printed.out
    assert (tmp_path / name).read_text() == "mine"
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert main(["list", "-o", str(tmp_path), "--format", "markdown"]) == 0
    assert "cooperative-sticky" in (tmp_path / "list.md").read_text()


def test_a_link_is_not_followed(tmp_path, capsys):
    (tmp_path / "list.txt").symlink_to(tmp_path / "nowhere")
    assert main(["list", "-o", str(tmp_path)]) == 2
    assert "was not made by kassay" in capsys.readouterr().err


def test_our_own_are_written_again(tmp_path, capsys):
    for _ in range(2):
        assert main(["list", "-o", str(tmp_path)]) == 0
    assert capsys.readouterr().out == 2 * (tmp_path / "list.txt").read_text()


def test_a_report_is_written_over_no_other_page(tmp_path, capsys):
    pytest.importorskip("jinja2", reason="pip install 'kassay[reports]'")
    from reports.sweep_of_loops import write_sweep

    write_sweep(tmp_path / "sweep", 4, ("consumer/range",), ("balance",))
    site = tmp_path / "site"
    site.mkdir()
    (site / "index.html").write_text("mine")
    assert main(["report", str(tmp_path / "sweep"), "-o", str(site)]) == 2
    assert "index.html is there and was not made by kassay" in capsys.readouterr().err
    assert (site / "index.html").read_text() == "mine"
    shutil.rmtree(site)


def test_one_run_is_written_in_several_formats(tmp_path, capsys):
    words = ["check", "consumer/range", "--property", "complete", "--examples", "5"]
    alone = {}
    for format_, name in (("junit", "check.xml"), ("markdown", "check.md"), ("json", "check.jsonl")):
        assert main([*words, "--format", format_, "-o", str(tmp_path / format_)]) == 0
        alone[name] = (tmp_path / format_ / name).read_text()
    capsys.readouterr()
    folder = tmp_path / "all"
    assert main([*words, "-o", str(folder), "--also", "junit", "--also", "markdown", "--also", "json"]) == 0
    assert capsys.readouterr().out == (folder / "check.txt").read_text()
    assert {name: (folder / name).read_text() for name in alone} == alone
    assert main([*words, "--also", "junit"]) == 2
    assert "Name one with -o DIR" in capsys.readouterr().err
    assert main(["list", "-o", str(folder), "--also", "junit"]) == 2
