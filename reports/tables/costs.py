"""Cost against size: the time of an answer, and the exponents with which it grows.

Prices: what reading across racks costs, for racks that are zones between which traffic is paid for.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.optimize import curve_fit

from kassay.families import family
from kassay.reports.tables.summaries import Summaries, cost_sizes
from kassay.reports.tables.table import MONEY, SHARE, TENTHS, Table

LEAST_SIZES, LEAST_SPAN = 8, 4
MEANING = (
    "Time of one answer, legal or not, in microseconds, on the machine below; of: all rows. A size is a number of {size}, typical and "
    "slowest are by its median. Fitted is base + factor x {alone}^exponent (together: {together}), by least squares on the logarithm of "
    "the median times, sizes taken together in steps of a fourth root of two, each step for as much as any other; with standard errors. "
    "None is given for fewer than {steps} steps, sizes that span less than {span} times, or where no "
    "least squares are found."
)

Reals = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Fit:
    """What an answer takes: base + factor x size^exponent, in microseconds; standard errors, and the share explained."""

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


def points(costs: pd.DataFrame, *axes: str) -> pd.DataFrame:
    """Return target, the axes, rows and median microseconds, for sizes in steps of a fourth root of two.

    Of the sizes of one step it is the geometric mean, weighted with their rows. What has no logarithm is left out.
    """
    sizes = costs[(costs[[*axes, "median"]] > 0).all(axis=1)]
    steps = [np.round(4 * np.log2(sizes[axis])).astype(int).rename(f"step {axis}") for axis in axes]
    means = [*axes, "median"]
    weighted = sizes[["rows"]].join(sizes[means].apply(np.log).mul(sizes["rows"], axis=0))
    summed = weighted.groupby([sizes["target"], *steps], sort=True).sum()
    summed[means] = np.exp(summed[means].div(summed["rows"], axis=0))
    return summed.reset_index()[["target", *axes, "rows", "median"]]


def fits(summaries: Summaries) -> dict[str, tuple[Fit, Fit] | None]:
    """Fit each target's time by the first of the run's cost sizes alone, and by all; None where the sizes are too few."""
    sizes = cost_sizes(summaries.run)
    return {
        target: _fitted(summaries.costs[summaries.costs["target"] == target], sizes)
        for target in summaries.run.names
    }


def _fitted(costs: pd.DataFrame, sizes: list[str]) -> tuple[Fit, Fit] | None:
    costs = costs[(costs[sizes] > 0).all(axis=1)]
    alone, together = points(costs, sizes[0]), points(costs, *sizes)
    if len(alone) < LEAST_SIZES:
        return None
    if min(together[axis].max() / together[axis].min() for axis in sizes) < LEAST_SPAN:
        return None
    try:
        return _law(alone, sizes[0]), _law(together, *sizes)
    except RuntimeError:  # the search for the least squares did not come to an end
        return None


def _law(frame: pd.DataFrame, *axes: str) -> Fit:
    return power_law(frame["median"].to_numpy(float), [frame[axis].to_numpy(float) for axis in axes])


def power_law(time: Reals, sizes: list[Reals]) -> Fit:
    """Fit a base and a power of the sizes to times, by least squares on the logarithm of the times."""
    logs, logged = np.log(sizes), np.log(time)

    def law(_: Reals, base: float, factor: float, *exponents: float) -> Reals:
        together: Reals = np.logaddexp(base, factor + np.asarray(exponents) @ logs)
        return together

    # not below a millionth of the least time, where a base no longer shows; a time that does not grow has exponent 0
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


def cost_table(summaries: Summaries) -> Table:
    """Show each target's median times and the exponents."""
    sizes, rows = cost_sizes(summaries.run), []
    for target, fitted in fits(summaries).items():
        costs = summaries.costs[summaries.costs["target"] == target]
        answers = int(costs["rows"].sum())
        of = int(summaries.statuses[summaries.statuses["target"] == target]["rows"].sum())
        row: dict[str, object] = {"target": target, "answers": answers, "of": of, "sizes": len(costs)}
        row["mean, µs"] = int(costs["micros"].sum()) / answers if answers else None
        row["typical size, µs"] = float(costs["median"].median()) if answers else None
        row["slowest size, µs"] = float(costs["median"].max()) if answers else None
        alone, together = fitted or (None, None)
        row["base, µs"] = alone.base if alone else None
        row[f"{sizes[0]}, alone"] = _exponent(alone, 0)
        row |= {f"{size}, together": _exponent(together, n) for n, size in enumerate(sizes)}
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


def _exponent(fit: Fit | None, axis: int) -> str:
    return f"{fit.exponents[axis]:.2f} ± {fit.errors[axis]:.2f}" if fit else "-"


GB_PER_TB = 1000


@dataclass(frozen=True, slots=True)
class Assumed:
    """What the prices rest on: money for each GB (10^9 bytes) that crosses zones, and TB read in a month."""

    price_per_gb: float = 0.02
    """0.01 for each direction, what large clouds list between zones of a region."""
    tb_per_month: float = 100.0


def price_table(summaries: Summaries, assumed: Assumed) -> Table:
    """Show for each target which share of the traffic crosses racks, which part of it need not, and what that costs."""
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
        f"situations {_all(crossing.of.within)} and not {_all(crossing.of.outside)} that have a right answer; of: with or without one; "
        "least possible: at the most even loads. A negative price: less even loads than the optimum's cross less. What has no rack does not count as crossing."
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


def _all(situations: Sequence[str]) -> str:
    return ", ".join(situations) or "-"
