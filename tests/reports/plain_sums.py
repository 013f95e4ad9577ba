"""A sweep's rows summed up one by one, with nothing in common with the group-bys of Spark."""

import math
import re
import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from kassay.families import family
from kassay.families.assignors import ASSIGNORS
from kassay.families.family import Where
from kassay.reports.sweep.manifest import Run
from kassay.reports.sweep.rows import FAILED, field
from kassay.reports.tables.table import cost_sizes, size_order, summary_columns

CONSUMER = family("consumer")

Row = Mapping[str, Any]


def summarised(run: Run, rows: list[Row]) -> dict[str, list[Row]]:
    """Return the rows of every summary, sorted."""
    listed = {name: list(HISTOGRAMS[name](run, rows)) for name in HISTOGRAMS}
    counted = {name: [(*key, rows) for key, rows in Counter(keys).items()] for name, keys in listed.items()}
    counted |= {"properties": properties(run, rows), "costs": costs(run, rows), "racks": racks(rows)}
    counted |= {"failures": failures(run, rows), "telling": telling(run, rows), "times": times(run, rows)}
    return {
        name: [dict(zip(names, row, strict=True)) for row in in_order(counted[name])]
        for name, names in summary_columns(run).items()
    }


def in_order(rows: Iterable[tuple]) -> list[tuple]:
    return sorted(rows, key=lambda row: [(value is not None, value) for value in row])


def answered(row: Row) -> bool:
    return row["status"] in ("ok", "illegal", "settled", "unsettled")


def legal(row: Row) -> bool:
    return row["status"] in ("ok", "settled")


def statuses(_run: Run, rows: list[Row]) -> Iterator[tuple]:
    return ((row["target"], row["cell"], row["step"] == 0, row["status"]) for row in rows)


def gaps(run: Run, rows: list[Row]) -> Iterator[tuple]:
    for row in rows:
        first = row["step"] == 0
        for level in run.levels:
            value, optimum = row["values"][field(level)], row["optima"][field(level)]
            yield row["target"], row["cell"], "", first, level, value, optimum
            for situation in row["situations"] if first else ():
                yield row["target"], -1, situation, first, level, value, optimum


def profile(run: Run, rows: list[Row]) -> Iterator[tuple]:
    first = [row for row in rows if row["step"] == 0]
    for level in map(field, run.levels):
        best: dict[int, int] = {}
        for row in first:
            value = row["values"][level]
            if value is not None:
                best[row["id"]] = min(value, best.get(row["id"], value))
        for row in first:
            yield level.replace("_", "-"), row["target"], row["values"][level], best.get(row["id"])


def steps(run: Run, rows: list[Row]) -> Iterator[tuple]:
    for row in rows:
        for name in family(run.family).timeline_measures:
            value = row["measures"][name] if legal(row) else None
            yield row["target"], row["cell"], row["step"], name, value


def rounds(_run: Run, rows: list[Row]) -> Iterator[tuple]:
    return ((r["target"], r["cell"], r["rounds"]) for r in rows if legal(r) and r["rounds"] is not None)


def rebalances(_run: Run, rows: list[Row]) -> Iterator[tuple]:
    return ((row["target"], row["cell"], row["rebalances"]) for row in rows if row["step"] == 0)


def measures(_run: Run, rows: list[Row]) -> Iterator[tuple]:
    for row in rows:
        for name, value in row["measures"].items():
            yield row["target"], row["cell"], name, value if legal(row) else None


def proofs(_run: Run, rows: list[Row]) -> Iterator[tuple]:
    for row in rows:
        if row["proved"] is not None:
            yield row["target"], row["cell"], row["proved"], row["linear_program"]


def meant(row: Row, of: Where) -> bool:
    return set(of.within) <= {*row["situations"]} and not set(of.outside) & {*row["situations"]}


def gap(row: Row, level: str) -> int | None:
    value, optimum = row["values"][field(level)], row["optima"][field(level)]
    return None if value is None else max(0, value - optimum)


def questions(run: Run, rows: list[Row]) -> Iterator[tuple]:
    for row in rows:
        found = {}
        for question in family(run.family).questions if row["step"] == 0 else ():
            if question.level in ("", *run.levels) and meant(row, question.of):
                kept = int(bool({*question.keeps} & {*row["invariants_broken"]}))
                right = (kept if legal(row) else None) if not question.level else gap(row, question.level)
                found[question.name] = right
                yield row["target"], question.name, right
        if (
            sum(question.level in ("", *run.levels) for question in family(run.family).questions) > 2
            and found
        ):
            missed = None if None in found.values() else sum(number > 0 for number in found.values())
            yield row["target"], "together", missed


def excused(_run: Run, rows: list[Row]) -> Iterator[tuple]:
    for row in rows:
        for promise in row["known_defects"]:
            for situation in ASSIGNORS[row["target"]].except_in[promise]:
                if set(situation.split("+")) <= {*row["situations"]}:
                    yield row["target"], promise, situation


HISTOGRAMS: dict[str, Callable[[Run, list[Row]], Iterator[tuple]]] = {
    "statuses": statuses, "gaps": gaps, "profile": profile, "steps": steps, "rounds": rounds, "rebalances": rebalances, "measures": measures, "proofs": proofs,
    "questions": questions, "excused": excused,
}  # fmt: skip


def properties(run: Run, rows: list[Row]) -> list[tuple]:
    tried: Counter[tuple] = Counter()
    found: dict[tuple, dict[str, list[Row]]] = {}
    for row in rows:
        kinds = (
            [("invariant", family(run.family).invariants, row["invariants_broken"])] if answered(row) else []
        )
        sampled = [
            name
            for name in family(run.family).laws
            if name != "crash_free" and name not in row["laws_unjudged"]
        ]
        kinds += [] if row["laws_broken"] is None else [("law", sampled, row["laws_broken"])]
        if row["status"] != "skipped":
            kinds.append(("law", ["crash_free"], ["crash_free"] * (row["status"] in FAILED)))
        for kind, names, breaks in kinds:
            for name in names:
                key = (row["target"], row["cell"], name, kind)
                tried[key] += 1
                if name in breaks:
                    which = "known" if name in row["known_defects"] else "broken"
                    found.setdefault(key, {}).setdefault(which, []).append(row)
    listed = []
    for key, number in tried.items():
        broken, known = (found.get(key, {}).get(which, []) for which in ("broken", "known"))
        listed.append((*key, number, len(broken), len(known), *_least(run, broken), *_least(run, known)))
    return listed


def _least(run: Run, rows: list[Row]) -> tuple:
    if not rows:
        return (None,) * (2 + len(run.sizes))
    least = min(rows, key=lambda r: (*size_order(list(r["size"].values())), r["id"], r["step"]))
    return least["id"], least["step"], *least["size"].values()


def failures(run: Run, rows: list[Row]) -> list[tuple]:
    found: dict[tuple, list[Row]] = {}
    for row in rows:
        if not legal(row):
            words = re.sub("[0-9]+", "#", ":".join((row["message"] or "").split(":")[:2]))
            broken = ", ".join(name for name in row["invariants_broken"] if name in family(run.family).legal)
            reason = broken if row["status"] == "illegal" else words
            found.setdefault((row["target"], row["step"] == 0, row["status"], reason[:160]), []).append(row)
    return [(*key, len(all_), *_least(run, all_)) for key, all_ in found.items()]


def telling(run: Run, rows: list[Row]) -> list[tuple]:
    found: dict[tuple, list[Row]] = {}
    for row in rows:
        if row["step"] == 0 and legal(row):
            missed = sum((gap(row, level) or 0) > 0 for level in run.levels)
            missed += sum(
                bool({*each.keeps} & {*row["invariants_broken"]}) for each in family(run.family).questions
            )
            if missed:
                within = meant(row, family(run.family).telling)
                found.setdefault((row["target"], within, missed, sum(row["size"].values())), []).append(row)
    least = {
        key: min(all_, key=lambda r: (*size_order(list(r["size"].values())), r["id"]))
        for key, all_ in found.items()
    }
    return [(*key, len(found[key]), *row["size"].values(), row["id"]) for key, row in least.items()]


def costs(run: Run, rows: list[Row]) -> list[tuple]:
    times: dict[tuple, list[int]] = {}
    for row in rows:
        if answered(row):
            times.setdefault((row["target"], *(row["size"][name] for name in cost_sizes(run))), []).append(
                row["micros"]
            )
    return [(*key, len(all_), sum(all_), math.floor(statistics.median(all_))) for key, all_ in times.items()]


def median_ranks(number: int) -> tuple[int, int]:
    """Return the ranks, from 1, of the values between which the median of so many values is with 95 % confidence."""
    half = 1.96 * math.sqrt(number)
    return max(1, math.floor((number - half) / 2)), min(number, math.ceil(1 + (number + half) / 2))


def times(run: Run, rows: list[Row]) -> list[tuple]:
    found: dict[tuple, list[Row]] = {}
    sizes = cost_sizes(run)
    for row in rows:
        if answered(row) and all(row["size"][name] for name in sizes):
            steps = [round(4 * math.log2(row["size"][name])) for name in sizes]
            keys = {(row["target"], steps[0], *[None] * (len(steps) - 1)), (row["target"], *steps)}
            for key in keys:
                found.setdefault(key, []).append(row)
    listed = []
    for key, all_ in found.items():
        micros = sorted(row["micros"] for row in all_)
        low, high = median_ranks(len(micros))
        sums = [sum(row["size"][name] for row in all_) for name in sizes]
        middle = micros[(len(micros) - 1) // 2]
        listed.append((*key, len(micros), *sums, micros[low - 1], middle, micros[high - 1]))
    return listed


def racks(rows: list[Row]) -> list[tuple]:
    sums: dict[tuple, Counter[str]] = {}
    for row in rows:
        known = "racks" in row["situations"] and "unread_topic" not in row["situations"]
        if row["step"] == 0 and known and "cross_rack" in row["values"]:
            of_cell = sums.setdefault((row["target"], row["cell"]), Counter())
            of_cell.update(groups=1)
            if row["values"]["cross_rack"] is not None:
                of_cell.update(rows=1, size=row["size"]["partitions"])
                of_cell.update(value=row["values"]["cross_rack"], optimum=row["optima"]["cross_rack"])
    return [(*key, s["groups"], s["rows"], s["size"], s["value"], s["optimum"]) for key, s in sums.items()]
