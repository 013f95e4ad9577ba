"""Give every reader documents that are nearly right, by the hundred thousand: each is read, or refused with a sentence.

``python tests/fuzzing/fuzz.py --inputs 100000 --seed 0``. Input n is the same in every run of a seed; ``--first N`` goes on
from one. What is neither read nor refused is kept in build/fuzz, and the exit status is 1.
"""

import argparse
import json
import random
import signal
import sys
import tempfile
import traceback
from collections.abc import Iterable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from fuzzing.readers import REFUSALS, Reader, readers

LONGEST_S = 20
"""So many seconds a reader may take for one input."""
SCRAPS = [
    b"", b"null", b"-1", b"1e999", b"99999999999999999999", b'""', b'"\xf0\x9f\x98\x80"', b"[", b"]", b"{", b"}", b",", b":",
    b"\n", b"\r\n", b"\t", b" ", b"\x00", b"\x1b[31m", b"\xff", b"\xef\xbb\xbf", b"\xe2\x80\xae", b'"\\ud800"', b"true", b"NaN",
    b"=", b"..", b"#", b"'", b'"', b"\\", b"@", b"*", b"+", b"a:b:c", b"9" * 5000, b"[" * 100_000, b"[[]]", b'{"a": 1}', b"0.5",
]  # fmt: skip
VALUES = [
    None, True, -1, 0, 1, 2**31, 2**63, 10**30, 0.5, -0.0, 1e308, "", "x", "\u202e", "\x1b", "a:b:c", "../..", "t0" * 3000, [], [[]],
    {}, {"": 0}, [0, 0], [1, 0], ["t0", 0], [["t0", -1]],
]  # fmt: skip


def mutated(document: bytes, rng: random.Random) -> bytes:
    """Change values of a JSON document, or one to four stretches of any: cut, doubled, moved or replaced by a scrap."""
    if rng.random() < 0.5:
        try:
            value = json.loads(document)
        except (ValueError, RecursionError):
            pass
        else:
            for _ in range(rng.randint(1, 3)):
                value = changed(value, rng)
            return json.dumps(value).encode()
    for _ in range(rng.randint(1, 4)):
        start = rng.randint(0, len(document))
        end = min(len(document), start + rng.choice([0, 1, 1, 2, 5, 12, 60, 400]))
        piece = rng.choice([rng.choice(SCRAPS), document[start:end] * 2, document[-rng.randint(0, 40) :]])
        document = document[:start] + piece + document[end:]
    return document[: rng.randint(0, len(document))] if rng.random() < 0.05 else document


def changed(value: object, rng: random.Random) -> object:
    """Replace, remove, double or rename one value somewhere in a JSON value."""
    if not isinstance(value, dict | list) or not value or rng.random() < 0.15:
        return rng.choice(VALUES)
    key = rng.choice(list(value) if isinstance(value, dict) else range(len(value)))
    copy = value.copy()
    match rng.random():
        case way if way < 0.1:
            del copy[key]
        case way if way < 0.2 and isinstance(copy, list):
            copy.append(copy[key])
        case way if way < 0.2:
            copy[rng.choice(["", "x", "family", "rack", f"{key}s"])] = copy.pop(key)
        case _:
            copy[key] = changed(copy[key], rng)
    return copy


class TooLateError(BaseException):
    """A reader took too long; no reader catches this."""


def _late(*_: object) -> None:
    raise TooLateError


def trouble(reader: Reader, content: bytes) -> str | None:
    """Return what a reader did instead of reading or refusing with one sentence, None where it did."""
    signal.signal(signal.SIGALRM, _late)
    signal.alarm(LONGEST_S)
    try:
        reader.read(content)
    except REFUSALS as refused:
        said = str(refused)
        return None if said.strip() and "\n" not in said else f"{type(refused).__name__} without a sentence"
    except TooLateError:
        return f"took over {LONGEST_S} seconds"
    except BaseException:  # noqa: BLE001 - whatever else comes out is what is looked for
        return traceback.format_exc()
    finally:
        signal.alarm(0)
    return None


def fuzz(known: dict[str, Reader], seed: int, numbers: Iterable[int], into: Path) -> int:
    """Give each numbered input to its reader by turns; returns how many made trouble, which are kept in a folder."""
    names, found = sorted(known), 0
    for number in numbers:
        name = names[number % len(names)]
        rng = random.Random(f"{seed}/{name}/{number}")
        content = mutated(rng.choice(known[name].documents), rng)
        said = trouble(known[name], content)
        if said is not None:
            found += 1
            into.mkdir(parents=True, exist_ok=True)
            (into / f"{name.replace(' ', '-')}-{seed}-{number}").write_bytes(content)
            print(f"{name}, input {number}: {said}", flush=True)
        if number % 10_000 == 9_999:
            print(f"{number + 1} inputs, {found} in trouble", flush=True)
    return found


def main() -> int:
    """Fuzz as the command line says."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--inputs", type=int, default=100_000, help="how many; default: 100,000")
    parser.add_argument("--first", type=int, default=0, help="number of the first one, to go on; default: 0")
    parser.add_argument("--seed", type=int, default=0, help="default: 0")
    parser.add_argument("--reader", help="this reader alone")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        known = readers(Path(folder))
        if options.reader:
            known = {options.reader: known[options.reader]}
        numbers = range(options.first, options.first + options.inputs)
        found = fuzz(known, options.seed, numbers, Path("build/fuzz"))
    print(f"{options.inputs} inputs to {len(known)} readers, seed {options.seed}: {found} in trouble")
    return int(found > 0)


if __name__ == "__main__":
    sys.exit(main())
