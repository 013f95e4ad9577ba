"""A small sweep made by plain loops, with the reference assignors: rows, summaries and settings as a real one has them."""

import random
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from consumers import CONSUMERS
from reports.plain_sums import summarised

from kassay.engine.judge import find_violations
from kassay.engine.promises import find_terms
from kassay.families import family
from kassay.model import Assignor, AssignorError, Group, Member, Topic
from kassay.properties.partitions.rounds import apply_assignment, build_follow_up
from kassay.reference import ASSIGNORS
from kassay.reports.sweep.folder import note_wave
from kassay.reports.sweep.manifest import (
    FORMAT,
    Cell,
    Run,
    Sample,
    TargetSpec,
    is_sampled,
    locate_group,
    wave_folder,
    write_run,
)
from kassay.reports.sweep.rows import field
from kassay.reports.sweep.spark.worker import arrow_schema
from kassay.reports.tables.table import mark_whole, summary_columns
from kassay.targets import Options, Target, open_target

CONSUMER = family("consumer")


def loses(group: Group) -> dict[str, list]:
    """Deal each topic out, but its last partition where there are more than three."""
    given: dict[str, list] = {member.id: [] for member in group.members}
    for topic in group.topics:
        readers = [member.id for member in group.members if topic.name in member.topics]
        for partition in list(topic)[: max(3, topic.partitions - 1)] if readers else ():
            given[readers[partition.partition % len(readers)]].append(partition)
    return given


LOSER = Assignor("consumer/loser", loses, frozenset({"complete"}), "made for tests")
KNOWN = {**CONSUMERS, LOSER.name: LOSER}
NAMES = tuple(name for name in CONSUMERS if name in ASSIGNORS)
"""The references, which a sweep has by default."""
REFERENCES = {name: open_target(name, Options()) for name in NAMES}
REFERENCES[LOSER.name] = Target(LOSER.name, LOSER.family, loses, loses, LOSER.promises)
LEGAL = {"complete", "exclusive", "subscribed", "existing"}
MEASURES = ("imbalance", "moves", "cross_rack")
STEPS = 3
LAWS_EACH = 10
MICROS = {"consumer/range": 2, "consumer/sticky": 9}
Row = Mapping[str, Any]


LEVELS = tuple(CONSUMER.oracles.levels)


def run_of(groups: int, targets: tuple[str, ...] = NAMES, levels: tuple[str, ...] = LEVELS) -> Run:
    cells = (
        Cell("small", groups // 2, {"members": (1, 5)}, {}),
        Cell("large", groups - groups // 2, {"members": (4, 24)}, {}),
    )
    asked = tuple(
        TargetSpec(
            name,
            tuple(sorted(KNOWN[name].promises)),
            {promise: tuple(sorted(terms)) for promise, terms in KNOWN[name].except_in.items()},
        )
        for name in targets
    )
    return Run(
        format=FORMAT, id="0123abcd", code="c0de", kassay="0.1.0", grid='[cells.small]\nmembers = "1-5"\n', family="consumer",
        targets=asked, sizes=tuple(CONSUMER.shape.sizes), measures=MEASURES, levels=levels, cells=cells, seeds=(0,),
        sample=Sample(laws=LAWS_EACH, rounds=5, programs=0), groups=groups, waves=min(2, groups), timeout_s=5.0, memory_mb=512,
        versions={"python": "3.11.7", "pyspark": "4.3.0"}, machine={"cpus": "2", "system": "Linux"},
        started="2026-11-21 00:00:00",
    )  # fmt: skip


@cache
def drawn(id_: int, large: bool) -> Group:
    """Draw a group that runs already: everybody owns what the sticky assignor gave before somebody joined."""
    rng = random.Random(id_)
    names = [f"t{n}" for n in range(rng.randint(1, 4))]
    racks = ["a", "b", "c"] if rng.random() < 0.6 else []
    counts = [rng.randint(1, 30 if large else 5) for _ in names]
    topics = tuple(
        Topic(name, count, tuple((rng.choice(racks),) for _ in range(count)) if racks else None)
        for name, count in zip(names, counts, strict=True)
    )
    mixed = rng.random() < 0.4
    members = tuple(
        Member(
            f"m{n}",
            tuple(sorted(rng.sample(names, rng.randint(1, len(names))))) if mixed else tuple(names),
            rack=rng.choice(racks) if racks else None,
        )
        for n in range(rng.randint(4, 24) if large else rng.randint(1, 5))
    )
    before = Group(topics, members[: max(1, len(members) - rng.randint(0, 2))])
    return replace(
        apply_assignment(before, ASSIGNORS["consumer/sticky"].assign(before)),
        members=_joined(before, members),
    )


def _joined(before: Group, members: tuple[Member, ...]) -> tuple[Member, ...]:
    ran = apply_assignment(before, ASSIGNORS["consumer/sticky"].assign(before)).members
    return (*ran, *members[len(ran) :])


def group_of(run: Run, id_: int, step: int, target: str) -> Group:
    """Make a group again: its first member leaves and another joins before each step."""
    group = drawn(id_, id_ >= run.cells[0].groups)
    for each in range(step):
        group = apply_assignment(group, KNOWN[target].assign(group))
        newcomer = Member(f"n{each}", group.members[0].topics, rack=group.members[0].rack)
        group = replace(group, members=(*group.members[1:], newcomer))
    return group


def rows_of(run: Run) -> Iterator[Row]:
    for id_ in range(run.groups):
        for target in run.names:
            for step in range(STEPS if id_ % 2 else 1):
                yield row_of(run, id_, step, target)


def row_of(run: Run, id_: int, step: int, target: str) -> Row:
    group = group_of(run, id_, step, target)
    assign = KNOWN[target].assign
    partitions = sum(topic.partitions for topic in group.topics)
    micros = MICROS.get(target, 4) * (10 + partitions * len(group.members))
    row = {
        "id": id_, "cell": int(id_ >= run.cells[0].groups), "seed": id_, "step": step, "target": target,
        "status": "ok", "message": None,
        "size": {"members": len(group.members), "topics": len(group.topics), "partitions": partitions},
        "situations": [name for name, holds in CONSUMER.situations.items() if holds(group)], "invariants_broken": [],
        "laws_broken": None, "laws_unjudged": [], "known_defects": [], "measures": dict.fromkeys(run.measures), "optima": dict.fromkeys(map(field, run.levels)),
        "values": dict.fromkeys(map(field, run.levels)), "proved": None, "linear_program": None, "rounds": None, "rebalances": None,
        "micros": micros,
    }  # fmt: skip
    if id_ % run.sample.laws == 0:
        tried = ("crash_free", "settling", "stable")
        row["laws_broken"] = [
            name for name in tried if find_violations(CONSUMER, name, group, assign, REFERENCES[target])
        ]
        row["laws_unjudged"] = [name for name in CONSUMER.laws if name not in tried]
    if (id_, target) == (3, "consumer/fair"):  # the refusals and hangs that sound assignors do not have
        return row | {"status": "refused", "message": "gives up on the third"}
    if (id_, target) == (5, "consumer/fair"):
        return row | {"status": "timeout"}
    try:
        answer = assign(group)
    except AssignorError as failure:
        return row | {
            "status": "refused",
            "message": str(failure),
            "known_defects": _known(target, ["crash_free"], row),
        }
    row["invariants_broken"] = _broken(group, answer)
    row["known_defects"] = _known(target, [*row["invariants_broken"], *(row["laws_broken"] or ())], row)
    row["rebalances"], played = 1, [(group, answer)]
    if LEGAL & {*row["invariants_broken"]}:
        while len(played) < 10 and (again := build_follow_up(*played[-1])) is not None:
            played.append((again, assign(again)))
        row["status"] = _standing(played)
        row["rebalances"] = len(played) if row["status"] == "settled" else None
        answer = played[-1][1] if row["status"] == "settled" else answer
    row["measures"] = {name: CONSUMER.measures[name](group, answer) for name in run.measures}
    gaps = [gap for gap in CONSUMER.oracles.gaps(group, answer) if gap.level in run.levels]
    row["optima"] |= {field(gap.level): gap.optimum for gap in gaps}
    row["values"] |= {field(gap.level): gap.value for gap in gaps}
    row["proved"] = True if gaps else None
    row["rounds"] = CONSUMER.run_measures["rounds"](assign, group) if _tried(run, id_, step) else None
    return row


def _standing(played: list[tuple[Group, Any]]) -> str:
    """Say what becomes of an answer that is not complete and legal, from all that follow it."""
    broken = [LEGAL & {*_broken(*each)} for each in played]
    if build_follow_up(*played[-1]) is not None:
        return "illegal" if any(each - {"complete"} for each in broken) else "unsettled"
    return "illegal" if broken[-1] or any(each - {"complete"} for each in broken[:-1]) else "settled"


def _known(target: str, broken: list[str], row: Row) -> list[str]:
    excepted = KNOWN[target].except_in
    return [name for name in broken if find_terms(row["situations"], excepted.get(name, ()))]


def _broken(group: Group, answer: Any) -> list[str]:
    return [name for name, broken in CONSUMER.invariants.items() if any(broken(group, answer))]


def _tried(run: Run, id_: int, step: int) -> bool:
    return step == 0 and is_sampled(run, locate_group(run, id_), run.sample.rounds)


def write_sweep(
    folder: Path,
    groups: int = 40,
    targets: tuple[str, ...] = NAMES,
    levels: tuple[str, ...] = LEVELS,
    summaries: bool = True,
    rows: list[Row] | None = None,
) -> Run:
    """Write a whole sweep into a folder: of two waves, or of one where there is but one group."""
    run = run_of(groups, targets, levels)
    write_run(folder, run)
    rows = list(rows_of(run)) if rows is None else rows
    write_waves(folder, run, rows)
    if summaries:
        write_summaries(folder, run, rows)
    return run


def write_waves(folder: Path, run: Run, rows: list[Row]) -> None:
    schema = arrow_schema(run)
    half = run.groups // run.waves
    for wave in range(run.waves):
        place = wave_folder(folder, run, wave)
        place.mkdir(parents=True, exist_ok=True)
        part = [row for row in rows if (row["id"] >= half) == bool(wave)]
        pq.write_table(pa.Table.from_pylist(part, schema), place / "part-00000.parquet")
        (place / "_SUCCESS").touch()
        note_wave(folder, run, wave)


def write_summaries(folder: Path, run: Run, rows: list[Row]) -> None:
    (folder / "summary").mkdir()
    for name, listed in summarised(run, rows).items():
        table = pa.Table.from_pylist(listed, pa.schema(list(summary_columns(run)[name].items())))
        pq.write_table(table, folder / "summary" / f"{name}.parquet")
    mark_whole(folder, run, list(range(run.waves)))
