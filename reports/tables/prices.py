"""Prices: what reading across racks costs, for racks that are zones between which traffic is paid for."""

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from kassay.families import family
from kassay.reports.tables.summaries import Summaries
from kassay.reports.tables.table import MONEY, SHARE, Table

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
