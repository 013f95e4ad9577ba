"""The contents of the paper that docs/scripts/paper.py makes: every figure and table of README and docs/results, and the command and seed of each."""

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from shutil import copy
from tempfile import TemporaryDirectory

import generate
import results
from command import run_kassay
from figures import record
from hero import GROUP, draw_hero
from scenarios import FOLDER, draw_diagrams
from spread_drawn import NAME, draw_spread
from tables import TABLES

ROOT = Path(__file__).parents[2]
ITEM = re.compile(r"<!-- (?:generated|measured): ([^>]*?) -->\n(.*?)<!-- end -->", re.DOTALL)
PICTURE = re.compile(r'!\[[^\]]*\]\(([^)\s]+)\)|(?:src|srcset)="([^"]+)"')
FIXED = "none: nothing is drawn"
TIMED = ("cost", "costs", "setup")
"""Figures and tables of a report with times, dates or the machine."""


def find_items(root: Path = ROOT) -> dict[str, tuple[Path | None, str]]:
    """Return all parts that commands wrote, by name or command, with their page and text; and all pictures by path, without a page and text."""
    docs, found = root / "docs", dict[str, tuple[Path | None, str]]()
    for page in (root / "README.md", *sorted((docs / "results").rglob("*.md"))):
        text = page.read_text(encoding="utf-8")
        found |= {name: (page.relative_to(root), said) for name, said in ITEM.findall(text)}
        for names in PICTURE.findall(text):
            found[os.path.relpath(page.parent / "".join(names), root)] = (None, "")
    for picture in (*docs.glob("*.svg"), *(docs / "results").rglob("*.svg")):
        found[picture.relative_to(root).as_posix()] = (None, "")
    return found


def hash_file(file: Path | bytes) -> str:
    """Return the SHA-256 of a file, or of bytes."""
    return sha256(file if isinstance(file, bytes) else file.read_bytes()).hexdigest()


@dataclass(frozen=True, slots=True)
class Part:
    """Figures and tables that one command makes."""

    name: str
    command: str
    make: Callable[[Path], Mapping[str, str]]
    """Writes files into a folder that is laid out as the checkout, and returns the texts of parts and pictures."""
    shows: Sequence[str] = ()
    """The parts of pages, and pictures, that it stands for."""
    inputs: Sequence[str] = ()
    """Files of the checkout, without the code."""
    seed: str = FIXED
    takes: str = "seconds"
    """`seconds`, `minutes` or `hours`."""
    stored: str = ""
    """The reason why it is taken from a record; "" if it is made from its seed."""


def generate_part(name: str, *inputs: str, takes: str = "seconds", seed: str = FIXED) -> Part:
    """Make a generated part."""
    command = f"python docs/scripts/generate.py {name}"
    return Part(name, command, lambda _: {name: generate.PARTS[name]()}, (name,), inputs, seed, takes)


def measure_part(name: str, seed: str, pictures: Sequence[str] = (), inputs: Sequence[str] = ()) -> Part:
    """Make a part of docs/scripts/results.py."""
    command = f"nox -s results -- {name}"
    return Part(
        name,
        command,
        lambda into: {command: results.write_part(name, os.cpu_count() or 1, into)},
        (command, *(f"{results.PICTURES}/{picture}" for picture in pictures)),
        inputs,
        seed,
        "minutes",
    )


def sweep_part(name: str, grid: str, seed: str, takes: str) -> Part:
    """Sweep a grid, or the grid in a page, and take the figures and tables of its report."""

    def make(into: Path) -> Mapping[str, str]:
        with TemporaryDirectory() as made:
            file, sweep = Path(made) / "grid.toml", Path(made) / "sweep"
            text = (ROOT / grid).read_text(encoding="utf-8")
            file.write_text(text.partition("```toml\n")[2].partition("```")[0] or text, encoding="utf-8")
            run_kassay("sweep", str(file), "-o", str(sweep))
            run_kassay("report", str(sweep))
            for folder in ("figures", "tables"):
                (into / "sweeps" / name / folder).mkdir(parents=True)
                for drawn in (sweep / "report" / folder).iterdir():
                    if drawn.stem not in TIMED:
                        copy(drawn, into / "sweeps" / name / folder)
        return {}

    return Part(name, f"kassay sweep {grid} && kassay report", make, (), (grid,), seed, takes)


def store_parts(why: str, command: str, *items: str, inputs: Sequence[str] = ()) -> Iterator[Part]:
    """Take parts as they are stored: from a record, in a page, or as a picture."""
    shown = find_items()
    for item in items:
        page, said = shown[item]
        if item in TABLES:
            kept = TABLES[item][0]
            by, given = record(kept).command, (f"docs/results/figures/{kept}.json",)
        else:
            by, given = command, tuple(inputs) or (str(page or item),)

        def make(_: Path, item: str = item, said: str = said) -> Mapping[str, str]:
            if item in generate.PARTS:
                return {item: generate.PARTS[item]()}
            return {item: said or (ROOT / item).read_text(encoding="utf-8")}

        yield Part(item, by, make, (item,), given, "none: no new run", stored=why)


SPEED = "a measurement of time: from the record of the benchmark"
HOURS = "a sweep of hours: from the record; --whole makes the tables and figures of its report from the seed"
COUNTED = "counted in hours, and with a program of another language: from the record"
RELEASED = "needs released classes, clients or brokers: from the record of their runs"
MILLION, STREAMS = "docs/results/million", "docs/results/million-streams"
DIAGRAMS = sorted(picture.relative_to(ROOT).as_posix() for picture in (ROOT / "docs" / FOLDER).glob("*.svg"))
PARTS: Sequence[Part] = (
    Part(
        "hero", "python docs/scripts/generate.py", lambda _: {f"docs/{name}": draw_hero(ROOT, narrow=narrow) for name, narrow in generate.PICTURES.items()},
        ("docs/hero.svg", "docs/hero-narrow.svg"), (GROUP,),
    ),
    generate_part("compared", GROUP),
    generate_part("first_findings", "examples/findings/findings.toml"),
    generate_part("table_of_findings", "examples/findings/findings.toml"),
    generate_part("assignors", "grids/quick.toml", takes="minutes", seed="0"),
    generate_part("findings", "examples/findings/findings.toml"),
    measure_part("consumer", "0"),
    measure_part("streams", "0"),
    measure_part("prices", "none: every case is counted", ("streams-growth.svg", "streams-shares.svg")),
    measure_part("families", "0", inputs=("grids/families.toml",)),
    measure_part("racks", "the words of each kind, and the numbers 0 to 4", ("racks.svg",)),
    generate_part("spread_happened"),
    Part("topic-spread", "python docs/scripts/generate.py", lambda _: {f"docs/{NAME}": draw_spread()}, (f"docs/{NAME}",)),
    generate_part("staged_bugs", "museum/museum.toml", "museum/schedules.json"),
    Part(
        "diagrams", "python docs/scripts/generate.py scenarios", lambda _: {f"docs/{FOLDER}/{name}": drawn for name, drawn in draw_diagrams().items()}, DIAGRAMS,
    ),
    sweep_part("research", "docs/tutorials/research.md", "1", "seconds"),
    sweep_part("million", "grids/million.toml", "0", "hours"),
    sweep_part("streams-million", "grids/streams-million.toml", "0", "hours"),
    *store_parts(HOURS, "kassay sweep grids/million.toml -o million && kassay report million", "million_groups", *(f"{MILLION}/{name}.svg" for name in ("gap-balance", "gap-moves", "gap-cross-rack", "moves"))),
    *store_parts(SPEED, "kassay sweep grids/million.toml -o million && kassay report million", f"{MILLION}/cost.svg"),
    *store_parts(
        HOURS, "kassay sweep grids/streams-million.toml -o streams-million && kassay report streams-million",
        "streams_questions", "streams_gaps", *(f"{STREAMS}/{name}.svg" for name in ("joint", "moves", "active-moves", "not-caught-up", "rounds")),
    ),
    *store_parts(COUNTED, "python docs/scripts/spread.py --groups 8400 --seed 0", "spread_of_topics", inputs=("docs/results/topic-spread.json",)),
    *store_parts(COUNTED, "python docs/scripts/spread_of_tasks.py --groups 300 --seed 0", "spread_of_subtopologies", inputs=("docs/results/subtopology-spread.json",)),
    *store_parts(RELEASED, "kassay scoreboard --format markdown", "scoreboard"),
    *store_parts(RELEASED, "nox -s parity -- go --groups 100000 --write", "franz_go"),
    *store_parts(RELEASED, "nox -s museum -- --record", "old_bugs", inputs=("museum/museum.toml", "museum/groups.json")),
    *store_parts(SPEED, "nox -s bench -- side_by_side --whole --write", "speeds", "docs/results/speed.svg", "speed_of_clients", "speed_of_clients_beyond"),
    *store_parts(SPEED, "nox -s bench -- side_by_side --servers --whole --write", "docs/results/speed-servers.svg", "speed_of_servers"),
    *store_parts(SPEED, "nox -s bench -- tasks_and_workers --whole --write", "docs/results/speed-tasks.svg", "speed_of_streams_groups", "speed_of_connect"),
    *store_parts(SPEED, "python benchmarks/scale.py", "python benchmarks/scale.py"),
    *store_parts(
        SPEED, "", "speed_of_streams", "speed_of_small_groups", "speed_of_large_groups", "end_to_end", "speed_of_checks", "speed_of_large_optima", "speed_of_optima",
        "speed_of_spread", "speed_of_weights", "speed_of_active", "active_beside_kafka", "joint_in_machine_code", "joint_of_sweeps", "joint_one_by_one", "joint_large",
        "joint_bundles", "optima_of_applications", "speed_of_group_frontiers", "speed_of_application_frontiers", "speed_over_time", "speed_of_simulation", "speed_of_codecs",
        "playground",
    ),
)  # fmt: skip
"""All parts, by page."""
