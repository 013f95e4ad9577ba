"""What nobody reaches is named with a reason (tests/counts.py)."""

from counts import counted, module, needed, reached, stays, tracked


def test_modules_that_nobody_reaches_are_named_with_a_reason():
    assert [name for name in counted().unreachable if not stays(name)] == []


def test_a_module_is_reached_by_imports_and_by_its_name():
    assert reached({"kassay": {"kassay.a"}, "kassay.a": set(), "kassay.a.b": {"kassay.a"}}) == {
        "kassay",
        "kassay.a",
    }
    (program,) = (path for path in tracked("src/kassay/targets") if path.name == "program.py")
    assert module(program) == "kassay.targets.program"
    assert "kassay.targets.limits" in needed(program, {"kassay.targets.limits"})
