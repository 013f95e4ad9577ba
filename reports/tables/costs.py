"""Cost against size: the time of an answer, and the exponents with which it grows."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from kassay.reports.tables.summaries import Summaries
from kassay.reports.tables.table import TENTHS, Table

LEAST_SIZES, LEAST_SPAN = 5, 4
MEANING = (
    "Time of one answer in microseconds, on the machine below; a size is a number of members and of partitions, typical and slowest are by "
    "its median. Exponents: weighted least squares on the logarithm of the median time of "
    "each size, weights its rows, with standard errors; alone: partitions only; together: partitions and "
    f"members at once. None is given for fewer than {LEAST_SIZES} sizes or partitions that span less than {LEAST_SPAN} times."
)


@dataclass(frozen=True, slots=True)
class Fit:
    """A power law: logarithm (base 10) of the constant, exponents and their standard errors, and the share explained."""

    constant: float
    exponents: tuple[float, ...]
    errors: tuple[float, ...]
    explained: float


def points(summaries: Summaries) -> pd.DataFrame:
    """Return target, partitions, rows and median microseconds, for sizes in steps of a fourth root of two.

    Of the sizes of one step it is the geometric mean, weighted with their rows, of partitions and of medians.
    """
    frame = _sizes(summaries.costs).copy()
    frame["step"] = np.round(4 * np.log2(frame["partitions"])).astype(int)
    for name in ("partitions", "median"):
        frame[name] = np.log(frame[name]) * frame["rows"]
    summed = frame.groupby(["target", "step"], sort=True)[["rows", "partitions", "median"]].sum()
    for name in ("partitions", "median"):
        summed[name] = np.exp(summed[name] / summed["rows"])
    return summed.reset_index()[["target", "partitions", "rows", "median"]]


def _sizes(costs: pd.DataFrame) -> pd.DataFrame:
    """Leave out what has no logarithm."""
    return costs[(costs["partitions"] > 0) & (costs["members"] > 0) & (costs["median"] > 0)]


def fits(summaries: Summaries) -> dict[str, tuple[Fit, Fit] | None]:
    """Fit each target's time by partitions alone, and by partitions and members; None where the sizes are too few."""
    return {
        target: _fitted(summaries.costs[summaries.costs["target"] == target])
        for target in summaries.run.names
    }


def _fitted(costs: pd.DataFrame) -> tuple[Fit, Fit] | None:
    sizes = _sizes(costs)
    spans = {
        axis: sizes[axis].max() / sizes[axis].min() if len(sizes) else 1 for axis in ("partitions", "members")
    }
    if len(sizes) < LEAST_SIZES or min(spans.values()) < LEAST_SPAN:
        return None
    time = np.log10(sizes["median"].to_numpy(float))
    partitions, members = (np.log10(sizes[axis].to_numpy(float)) for axis in ("partitions", "members"))
    weights = sizes["rows"].to_numpy(float)
    return power_law(time, [partitions], weights), power_law(time, [partitions, members], weights)


Reals = npt.NDArray[np.float64]


def power_law(time: Reals, sizes: list[Reals], weights: Reals) -> Fit:
    """Fit logarithms of times linearly to logarithms of sizes by weighted least squares."""
    design = np.column_stack([np.ones_like(time), *sizes])
    root = np.sqrt(weights / weights.mean())
    solution, *_ = np.linalg.lstsq(design * root[:, None], time * root, rcond=None)
    left = (time - design @ solution) * root
    freedom = max(1, len(time) - design.shape[1])
    spread = np.linalg.pinv((design * root[:, None]).T @ (design * root[:, None]))
    errors = np.sqrt(np.diag(spread) * (left @ left) / freedom)
    centred = (time - np.average(time, weights=weights)) * root
    explained = 1 - float(left @ left) / float(centred @ centred) if centred.any() else 1.0
    return Fit(float(solution[0]), tuple(map(float, solution[1:])), tuple(map(float, errors[1:])), explained)


def cost_table(summaries: Summaries) -> Table:
    """Show each target's median times and the exponents."""
    rows = []
    for target, fitted in fits(summaries).items():
        costs = summaries.costs[summaries.costs["target"] == target]
        answers = int(costs["rows"].sum())
        row: dict[str, object] = {"target": target, "answers": answers, "sizes": len(costs)}
        row["mean, µs"] = int(costs["micros"].sum()) / answers if answers else None
        row["typical size, µs"] = float(costs["median"].median()) if answers else None
        row["slowest size, µs"] = float(costs["median"].max()) if answers else None
        alone, together = fitted or (None, None)
        row["partitions, alone"] = _exponent(alone, 0)
        row["partitions, together"] = _exponent(together, 0)
        row["members, together"] = _exponent(together, 1)
        row["explained"] = f"{100 * together.explained:.0f} %" if together else "-"
        rows.append(row)
    return Table(
        "costs",
        "Cost against size",
        MEANING,
        pd.DataFrame(rows),
        dict.fromkeys(("mean, µs", "typical size, µs", "slowest size, µs"), TENTHS),
    )


def _exponent(fit: Fit | None, axis: int) -> str:
    return f"{fit.exponents[axis]:.2f} ± {fit.errors[axis]:.2f}" if fit else "-"
