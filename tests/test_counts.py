"""What nobody reaches is named with a reason (tests/counts.py)."""

from counts import STAY, code, counted, module, needed, reached, stays, tracked


def test_modules_that_nobody_reaches_are_named_with_a_reason():
    unreachable = counted().unreachable
    assert [name for name in unreachable if not stays(name)] == []
    assert [of for of in STAY if not any(f"{name}.".startswith(f"{of}.") for name in unreachable)] == []


def test_a_module_is_reached_by_imports_and_by_its_name():
    assert reached({"kassay": {"kassay.a"}, "kassay.a": set(), "kassay.a.b": {"kassay.a"}}) == {
        "kassay",
        "kassay.a",
    }
    (program,) = (path for path in tracked("src/kassay/targets") if path.name == "program.py")
    assert module(program) == "kassay.targets.program"
    assert "kassay.targets.limits" in needed(program, {"kassay.targets.limits"})


def test_code_is_neither_blank_nor_an_import_nor_a_docstring(tmp_path):
    file = tmp_path / "module.py"
    file.write_text(
        '"""Two\nlines."""\n\nimport os\n\n\ndef here():\n    """Say where."""\n    return os.getcwd()\n'
    )
    assert code(file) == 2
