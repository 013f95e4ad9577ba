"""Gaps to the exact optimum, performance profiles, times of answers by size, and prices of reads across racks.

Performance profiles: Dolan and Moré, Math. Program. 91, 2002. All statistics are exact, from histograms.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.optimize import curve_fit

from kassay.families import family
from kassay.reports.statistics import FEWEST, compute_mean_interval, compute_moments
from kassay.reports.sweep.manifest import Run
from kassay.reports.tables.table import MONEY, SHARE, TENTHS, Summaries, Table, cost_sizes

Whole = npt.NDArray[np.int64]


def sum_rows(frame: pd.DataFrame, keys: Sequence[str]) -> pd.DataFrame:
    """Return the sum of rows of each key, sorted by the keys; a key may be null."""
    return frame.groupby(list(keys), sort=True, dropna=False)["rows"].sum().reset_index()


def sort_in_order(frame: pd.DataFrame, by: Sequence[str], run: Run) -> pd.DataFrame:
    """Sort by columns; targets and levels have the order of the run."""
    orders = {"target": run.names, "level": list(run.levels)}

    def rank(column: "pd.Series[Any]") -> "pd.Series[Any]":
        known = orders.get(str(column.name))
        return column.map({name: n for n, name in enumerate(known)}) if known else column

    return frame.sort_values(list(by), key=rank, kind="stable", ignore_index=True)


def merge_values(frame: pd.DataFrame, value: str) -> tuple[Whole, Whole]:
    """Return the distinct values in ascending order, and the number of rows of each; rows without a value are left out."""
    rows = frame.groupby(value, sort=True)["rows"].sum()
    return rows.index.to_numpy(np.int64), rows.to_numpy(np.int64)


def quantile(values: Whole, rows: Whole, permille: int) -> int:
    """Return the quantile: the least occurring value that at least `permille` of a thousand rows do not exceed."""
    reached = np.cumsum(rows) * 1000 >= permille * rows.sum()
    return int(values[int(np.argmax(reached))])


def mean(values: Whole, rows: Whole) -> float:
    """Return the mean, with whole sums and one division at the end."""
    return int(np.dot(values, rows)) / int(rows.sum())


def describe_histograms(frame: pd.DataFrame, by: Sequence[str], value: str) -> pd.DataFrame:
    """Return statistics of the histogram of each group of rows: rows with a value, all rows, mean with its interval, quantiles and greatest value.

    The statistics are null if no row has a value.
    """
    described = []
    for key, part in frame.groupby(list(by), sort=False):
        values, rows = merge_values(part, value)
        counts = {"rows": int(rows.sum()), "of": int(part["rows"].sum())}
        numbers = {
            "mean": mean(values, rows),
            **dict(zip(("low", "high"), _compute_interval(values, rows), strict=True)),
            **{f"p{p // 10}": quantile(values, rows, p) for p in (50, 250, 500, 750, 900, 950, 990)},
            "greatest": int(values[-1]),
        } if len(values) else {}  # fmt: skip
        described.append({**dict(zip(by, key, strict=True)), **counts, **numbers})
    quantiles = ["p5", "p25", "p50", "p75", "p90", "p95", "p99", "greatest"]
    made = pd.DataFrame(described, columns=[*by, "rows", "of", "mean", "low", "high", *quantiles])
    return made.astype(dict.fromkeys(("mean", "low", "high"), float) | dict.fromkeys(quantiles, "Int64"))


def _compute_interval(values: Whole, rows: Whole) -> tuple[float | None, float | None]:
    """Return the 95 % interval of the mean; None for fewer than FEWEST rows."""
    if rows.sum() < FEWEST:
        return None, None
    return compute_mean_interval(compute_moments(dict(zip(values.tolist(), rows.tolist(), strict=True))))


def add_missing_rows(frame: pd.DataFrame, by: Sequence[str], run: Run) -> pd.DataFrame:
    """Add a row for every target if another target has one, and set `of` to the greatest of all targets there.

    So `of` also counts the rows that a target did not reach because its timeline ended with a failure.
    """
    others = [name for name in by if name != "target"]
    every = frame[others].drop_duplicates().merge(pd.DataFrame({"target": run.names}), how="cross")
    filled = every.merge(frame, how="left", on=list(by)).fillna({"rows": 0})
    filled["of"] = filled.groupby(others)["of"].transform("max")
    return sort_in_order(filled[frame.columns].astype({"rows": int, "of": int}), by, run)


FIRST = "first"
LATER = "later"
WITHIN = (
    "Share of the groups in which a target's value is within a factor of the best of all targets on the same group. Both values are "
    "increased by 1, because the best is often 0. All groups count. A target without a right answer is not within any factor."
)


OF_WEIGHTS = (
    "by weight, an answer counts if it is above the best known assignment with balanced loads, or if that is proven optimal. "
    "Groups without weights or capacities have no gap"
)


def describe_comparison(run: Run) -> str:
    """Return what is compared in each level of a run."""
    oracles = family(run.family).oracles
    if oracles is None:
        return ""
    weighs = any(level in oracles.weights for level in run.levels)
    return "; ".join(filter(None, (oracles.compared, OF_WEIGHTS if weighs else "")))


def describe_gaps(run: Run) -> str:
    """Return the caption of tables of gaps."""
    family_, said = family(run.family), describe_comparison(run)
    return (
        f"Gap: {family_.shape.items} above the exact optimum{said and f'; {said}'}. Rows: compared rows, with a right answer and a proven "
        "optimum. Of: all rows, also those after a failure of the target. At optimum: share of all; mean with its 95 % interval (low, high) and quantiles: of the compared rows."
    )


def compute_gaps(summaries: Summaries) -> pd.DataFrame:
    """Return the histogram of gaps: target, cell, situation, rebalance (first, later), level, gap, rows.

    The gap is null without a right answer, or without a proven optimum.
    """
    frame = summaries.gaps.copy()
    frame["gap"] = (frame["value"] - frame["optimum"]).clip(lower=0).astype("Int64")
    frame["rebalance"] = frame["first"].map({True: FIRST, False: LATER})
    keys = ["target", "cell", "situation", "rebalance", "level", "gap"]
    return sum_rows(frame, keys)


def select_first_gaps(frame: pd.DataFrame, level: str, situation: str = "") -> pd.DataFrame:
    """Return target, gap and rows of one level on the first groups, which are the same for all targets."""
    of_level = frame[
        (frame["level"] == level) & (frame["situation"] == situation) & (frame["rebalance"] == FIRST)
    ]
    return sum_rows(of_level, ["target", "gap"])


def build_gap_table(frame: pd.DataFrame, run: Run) -> Table:
    """Return statistics of the gaps of every target in every level."""
    everywhere = frame[frame["situation"] == ""]
    by = ["level", "rebalance", "target"]
    return Table(
        "gaps",
        "Gaps to the optimum",
        f"{describe_gaps(run)} First: the group as drawn, the same for every target; later: after changes, with the target's own history.",
        _with_optimal(everywhere, by, run),
        _FORMS,
    )


def build_cell_table(frame: pd.DataFrame, run: Run) -> Table:
    """Return statistics of the gaps in every cell of the grid."""
    part = frame[(frame["situation"] == "") & (frame["rebalance"] == FIRST)].copy()
    part["cell"] = part["cell"].map({n: cell.name for n, cell in enumerate(run.cells)})
    return Table(
        "gaps-by-cell",
        "Gaps in each cell of the grid",
        describe_gaps(run),
        _with_optimal(part, ["level", "cell", "target"], run),
        _FORMS,
    )


def build_situation_table(frame: pd.DataFrame, run: Run) -> Table:
    """Return statistics of the gaps in every situation."""
    part = frame[frame["situation"] != ""]
    by = ["level", "situation", "target"]
    return Table(
        "gaps-by-situation",
        "Gaps in each situation",
        f"{describe_gaps(run)} A group may be in several situations; `kassay list` explains them.",
        _with_optimal(part, by, run),
        _FORMS,
    )


_FORMS = {"at optimum": SHARE, **dict.fromkeys(("mean", "low", "high"), TENTHS)}


def _with_optimal(frame: pd.DataFrame, by: list[str], run: Run) -> pd.DataFrame:
    numbers = add_missing_rows(describe_histograms(frame, by, "gap"), by, run)
    optimal = frame[frame["gap"] == 0].groupby(by)["rows"].sum()
    keys = pd.MultiIndex.from_frame(numbers[by])
    numbers.insert(len(by) + 2, "at optimum", optimal.reindex(keys, fill_value=0).to_numpy() / numbers["of"])
    return numbers


def select_telling_situations(frame: pd.DataFrame, most: int) -> Iterator[str]:
    """Yield the situations with the greatest differences between the targets' mean gaps, except rare ones."""
    named = frame[frame["situation"] != ""]
    total = frame[(frame["situation"] == "") & (frame["rebalance"] == FIRST)]["rows"].sum()
    numbers = describe_histograms(named, ["situation", "level", "target"], "gap")
    rows = named.groupby("situation")["rows"].sum()
    spread = numbers.groupby(["situation", "level"])["mean"].agg(lambda means: means.max() - means.min())
    worst = spread.groupby("situation").max().dropna()
    common = worst[rows.reindex(worst.index) * 100 >= total]
    yield from common.sort_index().sort_values(ascending=False, kind="stable").index[:most]


def compute_profiles(summaries: Summaries) -> pd.DataFrame:
    """Return level, target, groups, ratio and share: the share of all groups in which the target is within that ratio.

    Ratio 1 is there for every target.
    """
    frame = summaries.profile.copy()
    frame["ratio"] = ((frame["value"] + 1) / (frame["best"] + 1)).astype(float).fillna(np.inf)
    best = frame[["level", "target"]].drop_duplicates().assign(ratio=1.0, rows=0)
    frame = pd.concat([frame[["level", "target", "ratio", "rows"]], best])
    found = sum_rows(frame, ["level", "target", "ratio"])
    by_target = found.groupby(["level", "target"])["rows"]
    found["groups"] = by_target.transform("sum")
    found["share"] = by_target.cumsum() / found["groups"]
    columns = ["level", "target", "groups", "ratio", "share"]
    found = sort_in_order(found, ["level", "target"], summaries.run)
    return pd.DataFrame(found[np.isfinite(found["ratio"])], columns=columns)


def build_profile_table(frame: pd.DataFrame) -> Table:
    """Return the shares at a few ratios."""
    rows = []
    for (level, target), part in frame.groupby(["level", "target"], sort=False):
        ratios, shares = part["ratio"].to_numpy(), part["share"].to_numpy()
        within = {
            f"within {factor}x" if factor > 1 else "the best": float(shares[ratios <= factor].max(initial=0))
            for factor in (1, 1.5, 2, 4)
        }
        rows.append({"level": level, "target": target, "groups": int(part["groups"].iloc[0]), **within})
    made = pd.DataFrame(rows)
    forms = {str(name): SHARE for name in made.columns[3:]}
    return Table("profiles", "Performance profiles", WITHIN, made, forms)


LEAST_SIZES, LEAST_SPAN = 8, 4
MEANING = (
    "Time of one answer, legal or not, in microseconds, on the machine below; of: all rows. A size is a number of {size}; typical and "
    "slowest are by its median. The fit is base + factor x {alone}^exponent (together: {together}), by least squares on the logarithm of "
    "the median times, with standard errors. Sizes are merged in steps of a fourth root of two; a step has the median of its answers. There is no fit "
    "for fewer than {steps} steps, for sizes that span less than {span} times, or if the search does not converge."
)

Reals = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Fit:
    """The law of the time of an answer: base + factor x size^exponent, in microseconds, with standard errors and explained share."""

    base: float
    factor: float
    exponents: tuple[float, ...]
    errors: tuple[float, ...]
    explained: float

    def micros(self, *sizes: Reals) -> Reals:
        """Return the time of answers to groups of some sizes."""
        powers = (size**exponent for size, exponent in zip(sizes, self.exponents, strict=True))
        micros: Reals = self.base + self.factor * np.prod(list(powers), axis=0)
        return micros


def select_times(summaries: Summaries, *axes: str) -> pd.DataFrame:
    """Return target, the axes, rows, low, median and high: the median microseconds, with its interval, for each step of sizes.

    The axes are the first cost size, or all of them. A size is the mean of its step. Zeros are left out, since they have no logarithm.
    """
    times, others = summaries.times, [f"step {name}" for name in cost_sizes(summaries.run)[1:]]
    alone = times[others].isna().all(axis=1) if others else pd.Series(True, times.index)
    kept = times[(alone if len(axes) == 1 else ~alone) & (times["low"] > 0)]
    kept = kept.assign(**{axis: kept[axis] / kept["rows"] for axis in axes})
    columns = ["target", *axes, "rows", "low", "median", "high"]
    return kept[columns].sort_values(columns[: 1 + len(axes)], ignore_index=True)


def select_told(times: pd.DataFrame) -> pd.DataFrame:
    """Return the steps of each target with enough answers for an interval; a target with few answers keeps its largest steps."""
    most = times.groupby("target")["rows"].transform("max").clip(upper=FEWEST)
    return times[times["rows"] >= most]


def compute_fits(summaries: Summaries) -> dict[str, tuple[Fit, Fit] | None]:
    """Return the fits of each target's time by the first cost size alone, and by all, or None for too few sizes."""
    sizes = cost_sizes(summaries.run)
    found: dict[str, tuple[Fit, Fit] | None] = dict.fromkeys(summaries.run.names)

    def fit(frame: pd.DataFrame, *axes: str) -> Fit:
        times = frame["median"].to_numpy(float)
        return compute_power_law(times, [frame[axis].to_numpy(float) for axis in axes])

    of_step, of_steps = select_times(summaries, sizes[0]), select_times(summaries, *sizes)
    for target in found:
        alone, together = of_step[of_step["target"] == target], of_steps[of_steps["target"] == target]
        if len(alone) < LEAST_SIZES:
            continue
        if min(together[axis].max() / together[axis].min() for axis in sizes) < LEAST_SPAN:
            continue
        with suppress(RuntimeError):  # the search for the least squares did not converge
            found[target] = fit(alone, sizes[0]), fit(together, *sizes)
    return found


def compute_power_law(time: Reals, sizes: list[Reals]) -> Fit:
    """Fit a base and a power of the sizes to times, by least squares on the logarithm of the times."""
    logs, logged = np.log(sizes), np.log(time)

    def law(_: Reals, base: float, factor: float, *exponents: float) -> Reals:
        together: Reals = np.logaddexp(base, factor + np.asarray(exponents) @ logs)
        return together

    # A base below a millionth of the least time is not visible. A time that does not grow has exponent 0.
    least = logged.min() - 6 * np.log(10)
    limits = ([least, -np.inf, *[0.0] * len(sizes)], [logged.max(), np.inf, *[np.inf] * len(sizes)])
    start = [logged.min() - np.log(2), np.median(logged) - np.median(logs.sum(axis=0)), *[1.0] * len(sizes)]
    found, spread = curve_fit(law, np.zeros_like(time), logged, start, bounds=limits, max_nfev=10_000)
    left, centred = logged - law(time, *found), logged - logged.mean()
    explained = 1 - float(left @ left) / float(centred @ centred) if centred.any() else 1.0
    base, factor, *exponents = map(float, found)
    errors = np.sqrt(np.diag(spread))[2:]
    return Fit(
        float(np.exp(base)), float(np.exp(factor)), tuple(exponents), tuple(map(float, errors)), explained
    )


def build_cost_table(summaries: Summaries) -> Table:
    """Return each target's median times and exponents."""
    sizes, rows = cost_sizes(summaries.run), []
    for target, fitted in compute_fits(summaries).items():
        costs = summaries.costs[summaries.costs["target"] == target]
        answers = int(costs["rows"].sum())
        of = int(summaries.statuses[summaries.statuses["target"] == target]["rows"].sum())
        row: dict[str, object] = {"target": target, "answers": answers, "of": of, "sizes": len(costs)}
        row["mean, µs"] = int(costs["micros"].sum()) / answers if answers else None
        row["typical size, µs"] = float(costs["median"].median()) if answers else None
        row["slowest size, µs"] = float(costs["median"].max()) if answers else None
        alone, together = fitted or (None, None)
        row["base, µs"] = alone.base if alone else None
        row[f"{sizes[0]}, alone"] = _format_exponent(alone, 0)
        row |= {f"{size}, together": _format_exponent(together, n) for n, size in enumerate(sizes)}
        row["explained"] = f"{100 * together.explained:.0f} %" if together else "-"
        rows.append(row)
    return Table(
        "costs",
        "Cost against size",
        MEANING.format(
            size=" and of ".join(sizes),
            alone=sizes[0],
            together=" x ".join(f"{size}^exponent" for size in sizes),
            steps=LEAST_SIZES,
            span=LEAST_SPAN,
        ),
        pd.DataFrame(rows),
        dict.fromkeys(("mean, µs", "typical size, µs", "slowest size, µs", "base, µs"), TENTHS),
    )


def _format_exponent(fit: Fit | None, axis: int) -> str:
    return f"{fit.exponents[axis]:.2f} ± {fit.errors[axis]:.2f}" if fit else "-"


GB_PER_TB = 1000


@dataclass(frozen=True, slots=True)
class Assumed:
    """The assumptions of prices: money for each GB (10^9 bytes) that crosses zones, and TB read per month."""

    price_per_gb: float = 0.02
    """0.01 for each direction, the list price of large clouds between zones of a region."""
    tb_per_month: float = 100.0


def build_price_table(summaries: Summaries, assumed: Assumed) -> Table:
    """Return for each target the share of traffic that crosses racks, the needless part of it, and its price."""
    crossing = family(summaries.run.family).crossing
    per_tb = assumed.price_per_gb * GB_PER_TB
    month = f"needless per month at {assumed.tb_per_month:g} TB"
    rows = []
    for target in summaries.run.names:
        sums = summaries.racks[summaries.racks["target"] == target].sum(numeric_only=True)
        row: dict[str, object] = {"target": target, "groups": int(sums["rows"]), "of": int(sums["groups"])}
        size = int(sums["size"])
        if size:
            across, least = int(sums["value"]) / size, int(sums["optimum"]) / size
            needless = across - least
            row |= {
                "across racks": across,
                "least possible": least,
                "price per TB": across * per_tb,
                "needless per TB": needless * per_tb,
                month: needless * per_tb * assumed.tb_per_month,
            }
        if row["of"]:
            rows.append(row)
    caption = crossing is not None and (
        f"Assumed: {assumed.price_per_gb:g} for each GB between racks, both directions together, so {per_tb / 100:g} per TB for each "
        f"per cent of the traffic; all {crossing.size} have the same traffic; racks are zones. Over the groups in the "
        f"situations {', '.join(crossing.of.within) or '-'} and not {', '.join(crossing.of.outside) or '-'} that have a right answer; of: with or "
        "without one; least possible: with balanced loads. A negative price: less balanced loads than the optimum's cross less. Items "
        "without a rack do not cross racks."
    )
    columns = [
        "target",
        "groups",
        "of",
        "across racks",
        "least possible",
        "price per TB",
        "needless per TB",
        month,
    ]
    forms = {"across racks": SHARE, "least possible": SHARE, **dict.fromkeys(columns[5:], MONEY)}
    return Table(
        "prices", "What reading across racks costs", caption or "", pd.DataFrame(rows, columns=columns), forms
    )
