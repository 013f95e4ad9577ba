"""The guard of growth finds a step that is no longer linear, and no noise of a busy machine."""

import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parents[1] / "docs" / "scripts"))
sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

import guard
from figures import FIGURES, FOLDER, keep, record

ROOT = Path(__file__).parents[1]

SIZES = (1_000, 10_000, 100_000)
EXPONENTS = st.floats(0.3, 2.0)
NOISE = st.lists(st.floats(0.87, 1.15), min_size=3, max_size=3)


def build_curve(exponent, noise=(1, 1, 1)):
    """Return the CPU seconds at each size, of a power of the size."""
    return {size: 1e-4 * size**exponent * each for size, each in zip(SIZES, noise, strict=True)}


@given(EXPONENTS)
def test_the_exponent_of_a_power_is_the_power(exponent):
    assert guard.compute_exponent(build_curve(exponent)) == pytest.approx(exponent)


@given(EXPONENTS, NOISE, NOISE)
def test_noise_is_no_growth(exponent, before, after):
    curves = {"a": build_curve(exponent, before)}, {"a": build_curve(exponent, after)}
    assert [*guard.list_faster_growth(*curves)] == []


@given(st.floats(0.3, 1.2), NOISE, st.floats(2.5, 10))
def test_a_quadratic_step_is_found_despite_noise(exponent, noise, share):
    """The step takes `share` times the time of the rest at the largest size, and far less at smaller sizes."""
    curve = build_curve(exponent)
    step = share * curve[SIZES[-1]] / SIZES[-1] ** 2
    slow = {size: (curve[size] + step * size**2) * each for size, each in zip(SIZES, noise, strict=True)}
    (sentence,) = guard.list_faster_growth({"a": curve}, {"a": slow})
    assert sentence.startswith("a: grows as n^")


def test_a_faster_program_passes_and_a_missing_size_fails():
    curve = build_curve(1)
    assert [*guard.list_faster_growth({"a": curve}, {"a": build_curve(0.5), "new": curve})] == []
    for measured in ({}, {"a": {1_000: 1.0, 10_000: 10.0}}):
        (sentence,) = guard.list_faster_growth({"a": curve}, measured)
        assert "100,000" in sentence


def test_curves_are_rows_of_one_name_with_three_sizes():
    rows = {
        f"`optimum moves`, {size:,} x 10": {"CPU seconds": size / 1e3, "peak memory, MB": 9} for size in SIZES
    }
    rows |= {"`assign a`, 1,000 x 10": {"CPU seconds": 1}, "heavy, mixed": {"CPU seconds": 2}}
    rows |= {"`optimum moves`, 5 x 2": {"CPU seconds": "over 10"}}
    assert guard.read_curves({"commands": rows}) == {
        "commands: `optimum moves`, CPU seconds": {size: size / 1e3 for size in SIZES}
    }


def test_a_second_measurement_counts_where_it_is_faster():
    least = guard.take_least({"a": {1: 5.0, 2: 1.0}}, {"a": {1: 3.0, 2: 2.0}})
    assert least == {"a": {1: 3.0, 2: 1.0}}


def test_the_guard_measures_twice_and_then_fails(monkeypatch, capsys):
    known = guard.read_curves(record(guard.GUARDED["large"]).figures)
    assert known
    steep = {
        name: {size: seconds * size / min(curve) for size, seconds in curve.items()}
        for name, curve in known.items()
    }
    measured = []
    monkeypatch.setattr(sys, "argv", ["guard.py", "large"])
    for answers, status in (([known], 0), ([steep, known], 0), ([steep, steep], 1)):
        left = iter(answers)
        monkeypatch.setattr(guard, "measure", lambda name, left=left: measured.append(name) or next(left))
        assert guard.main() == status
        assert not [*left]
    assert capsys.readouterr().out.count("no longer linear") == len(known)
    assert measured == ["large"] * 5


def test_each_guarded_benchmark_is_there_and_figures_go_where_they_should(monkeypatch, tmp_path):
    for name in guard.GUARDED:
        assert (ROOT / "benchmarks" / f"{name}.py").exists()
    monkeypatch.setenv(FOLDER, str(tmp_path))
    keep("some", "command", "2026-01-01", {"a": 1})
    assert [path.name for path in tmp_path.iterdir()] == ["some.json"]
    assert not (FIGURES / "some.json").exists()


def test_the_guard_runs_every_week():
    weekly = (ROOT / ".github" / "workflows" / "weekly.yml").read_text()
    assert "- session: bench -- guard" in weekly
    assert "cron:" in weekly
    assert "run: nox -s $SESSION" in weekly
