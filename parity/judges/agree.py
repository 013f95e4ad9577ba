"""Hold the judges in fixtures/ to kassay's own: the same wrong answers, the same verdicts, check by check.

    python parity/judges/agree.py [LANGUAGE...]

Each language has a folder here with a program of some lines, which plays tapes of wrong assignors (tapes.py) to the judge as an adapter does. A broken copy of
the fixtures has to be refused by each, with a sentence that names file, case and field.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1])]
from judges.tapes import FAMILIES, ROOT, Tape, recorded, wrongs  # noqa: E402

HERE = Path(__file__).parent
FIXTURES = ROOT / "fixtures"
LINES = re.compile(
    r"\s*(?:--- )?(PASS|FAIL|ok|not ok|test)\b[: ]*(?:\d+ - )?(\S+)/([a-z-]+-\d+)/(\w+)(?: *\.\.\. (ok|FAILED))?"
)
KEPT = {"PASS": True, "FAIL": False, "ok": True, "not ok": False, "FAILED": False}


@dataclass(frozen=True)
class Language:
    """How the program of a language is run in a copy of its folder beside a copy of fixtures/: what makes it, and what plays tapes."""

    make: tuple[str, ...]
    play: tuple[str, ...]
    time_limit: bool = True
    """Whether its judge can stop waiting for an answer."""
    families: tuple[str, ...] = ("consumer",)


LANGUAGES: Mapping[str, Language] = {
    "python": Language((), ("python", "played.py")),
    "go": Language(("go", "vet", "./..."), ("go", "test", "-count=1", "-v", ".")),
    "js": Language((), ("node", "--test-reporter=tap", "played.mjs")),
    "java": Language(("mvn", "-q", "test-compile"), ("mvn", "-q", "exec:java"), families=FAMILIES),
    "rust": Language(("cargo", "build", "-q"), ("cargo", "run", "-q", "--", "--test-threads=1")),
    "c": Language(
        (
            "gcc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O1", "-g", "-fsanitize=address,undefined",
            "-I", "../fixtures", "played.c", "-o", "played",
        ),
        ("./played", "../fixtures/consumer.json"),
        time_limit=False,
    ),
}  # fmt: skip


def run(language: Language, command: tuple[str, ...], folder: Path, tapes: Path | None = None) -> str:
    """Run a command of a language and return what it prints; raises SystemExit where a program cannot be made."""
    environment = {**os.environ, "KASSAY_TAPES": str(tapes or "")}
    words = [sys.executable if word == "python" else word for word in command]
    ran = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if ran.returncode and command == language.make:
        raise SystemExit(f"{' '.join(words)}: {ran.stderr or ran.stdout}")
    return ran.stdout + ran.stderr


def verdicts(said: str) -> dict[str, dict[str, bool]]:
    """Read what a test framework printed: assignor -> "CASE/CHECK" -> whether it is kept."""
    found: dict[str, dict[str, bool]] = {}
    for line in said.splitlines():
        match = LINES.match(line)
        if match:
            mark, name, case, check, ended = match.groups()
            of = f"{case.rpartition('-')[0]}/{name.rpartition('/')[2]}"
            found.setdefault(of, {})[f"{case}/{check}"] = KEPT[ended or mark]
    return found


def disagreements(language: str, folder: Path, tapes: Mapping[str, Tape]) -> list[str]:
    """Play all tapes to a judge and say where it finds otherwise."""
    of = LANGUAGES[language]
    path = folder / "tapes.jsonl"
    played = {
        name: tape
        for name, tape in tapes.items()
        if name.partition("/")[0] in of.families and (of.time_limit or not name.endswith("/never_answers"))
    }
    path.write_text("".join(f"{tape.json}\n" for tape in played.values()))
    said = run(of, of.play, folder / language, path)
    found = verdicts(said)
    if not found:
        return [f"{language}: no verdict: {said[-2000:]}"]
    wrong = []
    for name, tape in played.items():
        theirs = found.get(name, {})
        for check in sorted(tape.found.keys() | theirs.keys()):
            ours = tape.found.get(check)
            if theirs.get(check) != ours:
                words = {True: "kept", False: "broken", None: "not judged"}
                wrong.append(
                    f"{language}: {name} {check}: {words[theirs.get(check)]}, by kassay {words[ours]}"
                )
    checks = sum(len(tape.found) for tape in played.values())
    print(f"{language}: {len(played)} assignors, {checks} checks, {len(wrong)} judged otherwise", flush=True)
    return wrong


def _case(text: str, change: Callable[[dict], object]) -> str:
    data = json.loads(text)
    change(data["cases"][2])
    return json.dumps(data)


MALFORMED: Mapping[str, tuple[Callable[[str], str], tuple[str, ...]]] = {
    "another format": (lambda text: text.replace('"format": 1', '"format": 7', 1), ("consumer.json", "format", "7")),
    "a case less": (
        lambda text: json.dumps({**json.loads(text), "cases": json.loads(text)["cases"][1:]}),
        ("consumer.json", "count"),
    ),
    "no owners": (lambda text: _case(text, lambda case: case.pop("owners")), ("consumer.json", "consumer-0003", "owners")),
    "no best loads": (
        lambda text: _case(text, lambda case: case["should"].pop("loads")),
        ("consumer.json", "consumer-0003", "should", "loads"),
    ),
    "partitions in words": (
        lambda text: _case(text, lambda case: case["group"]["topics"][0].update(partitions="six")),
        ("consumer.json", "consumer-0003", "partitions"),
    ),
    "racks of fewer": (
        lambda text: _case(text, lambda case: case["group"]["topics"][0]["racks"].pop()),
        ("consumer.json", "consumer-0003", "racks"),
    ),
    "no generation": (
        lambda text: _case(text, lambda case: case["group"]["members"][0].pop("generation")),
        ("consumer.json", "consumer-0003", "generation"),
    ),
}  # fmt: skip


def unrefused(language: str, folder: Path, text: str) -> list[str]:
    """Break the fixtures in each way and say which of them a judge does not refuse, or not with file, case and field."""
    of, wrong = LANGUAGES[language], []
    path = folder / "tapes.jsonl"
    path.write_text("{}\n" if not path.exists() else path.read_text().partition("\n")[0] + "\n")
    file = folder / "fixtures" / "consumer.json"
    for name, (change, words) in MALFORMED.items():
        file.write_text(change(text))
        if language in ("java", "rust"):
            run(of, of.make, folder / language)
        said = run(of, of.play, folder / language, path)
        missing = [word for word in words if word.lower() not in said.lower()]
        if missing or any(verdicts(said).values()):
            wrong.append(f"{language}: {name}: says no {', '.join(missing)}: {said[-600:]}")
    file.write_text(text)
    print(
        f"{language}: {len(MALFORMED) - len(wrong)} of {len(MALFORMED)} malformed files refused", flush=True
    )
    return wrong


def main() -> int:
    """Compare all judges, or those of some languages."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("languages", nargs="*", help=f"{', '.join(LANGUAGES)} (default: all)")
    wanted = parser.parse_args().languages or list(LANGUAGES)
    unknown = [name for name in wanted if name not in LANGUAGES]
    if unknown:
        parser.error(f"there is no judge for {unknown[0]!r}: {', '.join(LANGUAGES)}")
    families = {family for name in wanted for family in LANGUAGES[name].families}
    tapes = {
        f"{family}/{wrong.title}": recorded(wrong)
        for family in FAMILIES
        if family in families
        for wrong in wrongs(family)
    }
    text = (FIXTURES / "consumer.json").read_text()
    wrong: list[str] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copytree(FIXTURES, folder / "fixtures", ignore=shutil.ignore_patterns("target", "proofs"))
        for language in wanted:
            shutil.copytree(
                HERE / language, folder / language, ignore=shutil.ignore_patterns("target", "node_modules")
            )
            if LANGUAGES[language].make:
                run(LANGUAGES[language], LANGUAGES[language].make, folder / language)
            wrong += disagreements(language, folder, tapes)
            wrong += unrefused(language, folder, text)
    print(*wrong[:200], sep="\n", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
