"""Give every door a million inputs in all, each made of those that reached new code: ``python tests/fuzzing/guided.py [--inputs N] [--seed N] [--door NAME] [--planted]``.

Atheris (libFuzzer for Python) chooses them; each door has a process of its own. A failure of a door ends it: the input is shrunk and kept in build/fuzz, and the
exit status is 1. ``--planted`` plants one fault after another instead, and the status is 1 where one is not found; ``--write`` keeps what finds them for the tests.
"""

import argparse
import json
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
sys.path[:0] = [str(FOLDER.parent), str(FOLDER.parents[1] / "parity")]
KEPT = Path("build/fuzz")
CORPUS = FOLDER / "corpus.json"
"""The shrunk findings: by door on correct code, and by planted fault."""
LONGEST_S = 20
"""The seconds that a door may take for one input."""
MOST_MB = 2048
"""The memory that a process may have after all its inputs."""
LONGEST = 4096
"""The most bytes of an input."""
SHARES = {"codecs": 0.77, "imports": 0.1, "led": 0.1, "dialled": 0.017, "told": 0.01, "joined": 0.003}
"""Door -> its part of all inputs, by what one costs."""


def child(name: str, inputs: int, seed: int, planted: str | None) -> None:
    """Fuzz one door, with a fault planted or none; ends the process."""
    import atheris

    with atheris.instrument_imports(include=["kassay", "kio"]):
        from fuzzing.doors import enter_door
        from fuzzing.planted import PLANTED
    door, enter = enter_door(name)
    with PLANTED[planted][1]() if planted else nullcontext():
        _fuzz(name, door, enter, inputs, seed)


def _fuzz(name: str, door: Any, enter: Callable[[bytes], None], inputs: int, seed: int) -> None:
    import atheris

    def mutate(data: bytes, most: int, number: int) -> bytes:
        rng = random.Random(number)
        if door.mutate is not None and rng.random() < 0.5:
            return door.mutate(data, rng)[:most]
        return bytes(atheris.Mutate(data, most))

    with tempfile.TemporaryDirectory() as corpus:
        for number, one in enumerate(door.seeds):
            (Path(corpus) / f"{number:03}").write_bytes(one)
        KEPT.mkdir(parents=True, exist_ok=True)
        options = {
            "runs": inputs, "seed": seed + 1, "max_len": LONGEST, "timeout": LONGEST_S, "rss_limit_mb": MOST_MB,
            "artifact_prefix": f"{KEPT}/{name}-", "print_final_stats": 1, "report_slow_units": LONGEST_S,
        }  # fmt: skip
        words = [name, *(f"-{key}={value}" for key, value in options.items()), corpus]
        atheris.Setup(words, enter, custom_mutator=mutate)
        atheris.Fuzz()


def shrink_input(enter: Callable[[bytes], object], data: bytes) -> bytes:
    """Cut pieces out of an input as long as the door fails at the same place."""
    found = fails(enter, data)
    size = len(data)
    while size:
        at = 0
        while at < len(data):
            shorter = data[:at] + data[at + size :]
            if fails(enter, shorter) == found:
                data = shorter
            else:
                at += size
        size //= 2
    return data


def fails(enter: Callable[[bytes], object], data: bytes) -> tuple[type, int] | None:
    """Return the exception and the line of a failure, None if the door does not fail."""
    try:
        enter(data)
    except BaseException as failure:  # noqa: BLE001 - whatever it is
        trace = failure.__traceback__
        while trace is not None and trace.tb_next is not None:
            trace = trace.tb_next
        return type(failure), trace.tb_lineno if trace is not None else 0
    return None


@dataclass(frozen=True)
class Ran:
    """The result of fuzzing a door: the number of inputs, the shrunk input of a failure, and the output."""

    given: int
    failing: bytes | None
    says: str


def fuzz_door(name: str, inputs: int, seed: int, planted: str | None = None) -> Ran:
    """Fuzz a door."""
    began = time.monotonic()
    options = ["--child", "--door", name, "--inputs", str(inputs), "--seed", str(seed)]
    command = [sys.executable, __file__, *options, *(["--fault", planted] if planted else [])]
    ended = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    seconds, said = time.monotonic() - began, ended.stdout
    counts = re.findall(r"number_of_executed_units: (\d+)", said) or re.findall(
        r"^#(\d+)", said, re.MULTILINE
    )
    edges, corpus = (re.findall(r"cov: (\d+) ft: \d+ corp: (\d+)", said) or [("0", "0")])[-1]
    peak = (re.findall(r"peak_rss_mb: +(\d+)", said) or ["?"])[-1]
    given = int(counts[-1]) if counts else 0
    says = f"{given:,} inputs in {seconds:.0f} s, {edges} edges reached, {corpus} inputs kept, {peak} MB"
    if ended.returncode == 0:
        return Ran(given, None, says)
    found = re.findall(r"written to (\S+)", said)
    if not found:
        raise AssertionError(said[-4000:])
    return Ran(given, _shrink_finding(name, Path(found[-1]), planted), f"{says}\n{said[-4000:]}")


def _shrink_finding(name: str, artifact: Path, planted: str | None) -> bytes:
    """Make an input as small as it gets on which a door fails, where it does so in this process, too."""
    from fuzzing.door import trace_memory
    from fuzzing.doors import enter_door
    from fuzzing.planted import PLANTED

    _, enter = enter_door(name, trace_memory)
    data = artifact.read_bytes()
    with PLANTED[planted][1]() if planted else nullcontext():
        if fails(enter, data) is not None:
            data = shrink_input(enter, data)
            artifact.write_bytes(data)
    return data


def fuzz_all(doors: Mapping[str, float], inputs: int, seed: int) -> int:
    """Fuzz some doors, each by its part of the inputs; return how many fail."""
    given = fails = 0
    for name, share in doors.items():
        ran = fuzz_door(name, round(share * inputs), seed)
        given += ran.given
        fails += ran.failing is not None
        print(
            f"{name}: {'' if ran.failing is None else f'FAILS on {ran.failing.hex()}: '}{ran.says}",
            flush=True,
        )
    print(f"{given:,} inputs to {len(doors)} doors, seed {seed}: {fails} fail")
    return fails


def fuzz_planted(inputs: int, seed: int, *, write: bool) -> int:
    """Fuzz with one planted fault after another, with a limit of inputs; return the number of faults that are not found."""
    from fuzzing.planted import PLANTED

    found = {}
    for fault, (name, _) in PLANTED.items():
        ran = fuzz_door(name, inputs, seed, fault)
        if ran.failing is not None:
            found[fault] = ran.failing.hex()
        print(
            f"{fault} ({name}): {'NOT FOUND' if ran.failing is None else 'found'} after {ran.given:,} inputs: {found.get(fault)}",
            flush=True,
        )
    if write:
        kept = json.loads(CORPUS.read_text()) | {"planted": found}
        CORPUS.write_text(json.dumps(kept, indent=1) + "\n")
    return len(PLANTED) - len(found)


def main() -> int:
    """Fuzz as the command line says."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--inputs", type=int, default=1_000_000, help="how many in all; default: 1,000,000")
    parser.add_argument("--seed", type=int, default=0, help="default: 0")
    parser.add_argument("--door", choices=list(SHARES), help="this door alone")
    parser.add_argument(
        "--planted", action="store_true", help="plant faults, and say after how many inputs each is found"
    )
    parser.add_argument("--write", action="store_true", help="keep what finds planted faults")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--fault", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        child(options.door, options.inputs, options.seed, options.fault)
    if options.planted:
        return int(fuzz_planted(options.inputs, options.seed, write=options.write) > 0)
    return int(fuzz_all({options.door: 1.0} if options.door else SHARES, options.inputs, options.seed) > 0)


if __name__ == "__main__":
    sys.exit(main())
