"""Give every reader documents that are nearly right, by the hundred thousand: each is read, or refused with a sentence.

``python tests/fuzzing/fuzz.py --inputs 100000 --seed 0``. With ``--commands`` it gives them to command lines, from the file to the exit status. Input n is the same in every run of a seed; ``--first N`` goes on
from one. If a document is neither read nor refused, it is kept in build/fuzz, and the exit status is 1.
"""

import argparse
import json
import os
import random
import re
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from pathlib import Path
from typing import Any, TypeAlias

sys.path.insert(0, str(Path(__file__).parents[1]))

from fuzzing.readers import REFUSALS, Reader, readers

LONGEST_S = 20
"""The seconds that a reader may take for one input."""
SCRAPS = [
    b"", b"null", b"-1", b"1e999", b"99999999999999999999", b'""', b'"\xf0\x9f\x98\x80"', b"[", b"]", b"{", b"}", b",", b":",
    b"\n", b"\r\n", b"\t", b" ", b"\x00", b"\x1b[31m", b"\xff", b"\xef\xbb\xbf", b"\xe2\x80\xae", b'"\\ud800"', b"true", b"NaN",
    b"=", b"..", b"#", b"'", b'"', b"\\", b"@", b"*", b"+", b"a:b:c", b"9" * 5000, b"[" * 100_000, b"[[]]", b'{"a": 1}', b"0.5",
]  # fmt: skip
VALUES = [
    None, True, -1, 0, 1, 2**31, 2**63, 10**30, 0.5, -0.0, 1e308, "", "x", "\u202e", "\x1b", "a:b:c", "../..", "t0" * 3000, [], [[]],
    {}, {"": 0}, [0, 0], [1, 0], ["t0", 0], [["t0", -1]],
]  # fmt: skip


SET = [
    "", "0", "-1", "1e999", "true", "nan", "[]", "{}", "[[1]]", '"x"', '"1..0"', '"0..99999999999"', "9" * 30,
    '"consumer/*"', '["consumer/range"]', "1979-05-27", "\\", '"""',
]  # fmt: skip
"""Values to the right of an equals sign."""
CELLS = [
    "", "-", "0", "-1", "9" * 30, "t0(0,1)", "t0(1,0", "t0-0", "t0:0,1", "*:0", "(", ")", ",", "#", "a=b",
    "\u202e", "0(0)", "x" * 3000, "Error:", "TOPIC", "GROUP", "null", "1,2,3", "\ud800",
]  # fmt: skip
"""Values in a cell of a listing."""


Words: TypeAlias = Mapping[str, Sequence[Any]]


def mutate(document: bytes, rng: random.Random, words: Words | None = None) -> bytes:
    """Change a document by its structure, or one to four stretches of it: cut, doubled, moved or replaced by a scrap.

    With `words`, what stands in the place of a value is most often a value of the same kind, so that what reads it comes far.
    """
    if rng.random() < (0.85 if words else 0.6):
        structured = mutate_structure(document, rng, words if rng.random() < 0.8 else None)
        if structured is not None:
            return structured
    for _ in range(rng.randint(1, 4)):
        start = rng.randint(0, len(document))
        end = min(len(document), start + rng.choice([0, 1, 1, 2, 5, 12, 60, 400]))
        piece = rng.choice([rng.choice(SCRAPS), document[start:end] * 2, document[-rng.randint(0, 40) :]])
        document = document[:start] + piece + document[end:]
    return document[: rng.randint(0, len(document))] if rng.random() < 0.05 else document


@cache
def vocabulary(documents: tuple[bytes, ...]) -> Words:
    """Return the values of JSON documents by the key below which they stand; elements of a list stand below ``KEY[]``."""
    words: dict[str, list[Any]] = {}

    def take(key: str, value: Any) -> None:
        words.setdefault(key, []).append(value)
        if isinstance(value, dict):
            for name, each in value.items():
                take(name, each)
        elif isinstance(value, list):
            for each in value:
                take(f"{key}[]", each)

    for document in documents:
        for text in dict.fromkeys((document, *document.splitlines())):
            whole = parse_json(text.decode(errors="replace"))
            if whole is not None:
                take("", whole)
    return words or {"": [None]}


def mutate_structure(document: bytes, rng: random.Random, words: Words | None = None) -> bytes | None:
    """Change values of JSON or of lines of JSON, lines of settings, or cells of a table; None for what is no text."""
    try:
        text = document.decode()
    except UnicodeDecodeError:
        return None
    whole = parse_json(text)
    if whole is not None:
        return json.dumps(changed_often(whole, rng, words)).encode()
    lines = text.split("\n")
    values = [(at, parse_json(line)) for at, line in enumerate(lines) if line.startswith("{")]
    if values and all(value is not None for _, value in values):
        at, value = rng.choice(values)
        lines[at] = json.dumps(changed_often(value, rng, words))
        return "\n".join(lines).encode()
    settings = sum("=" in line for line in lines) * 3 > len(lines)
    for _ in range(rng.randint(1, 3)):
        if words and rng.random() < 0.8:
            lines = rearrange(lines, rng)
        else:
            lines = reset(lines, rng) if settings else change_table(lines, rng)
    return "\n".join(lines).encode(errors="surrogatepass")


def parse_json(text: str) -> Any:
    """Return a JSON object or array, None for any other text."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict | list) else None


def changed_often(value: Any, rng: random.Random, words: Words | None) -> Any:
    """Change a JSON value once to three times."""
    own = list(parts(value))
    for _ in range(rng.randint(1, 3)):
        value = change_text(value, rng, own) if words is None else vary_value(value, rng, words)
    return value


def vary_value(value: Any, rng: random.Random, words: Words, key: str = "") -> Any:
    """Change one value somewhere in a JSON value for one that may stand there: of the same key, near it, or in another order."""
    if not isinstance(value, dict | list) or not value or rng.random() < 0.08:
        return _find_similar(value, rng, words.get(key, [value]))
    copy = value.copy()
    if isinstance(copy, dict):
        name = rng.choice(list(copy))
        copy[name] = vary_value(copy[name], rng, words, name)
        return copy
    at = rng.randrange(len(copy))
    match rng.random():
        case way if way < 0.1:
            copy.append(rng.choice(words.get(f"{key}[]", copy)))
        case way if way < 0.2:
            copy[at] = rng.choice(words.get(f"{key}[]", copy))
        case way if way < 0.3:
            del copy[at]
        case way if way < 0.4:
            rng.shuffle(copy)
        case _:
            copy[at] = vary_value(copy[at], rng, words, f"{key}[]")
    return copy


def _find_similar(value: Any, rng: random.Random, known: Sequence[Any]) -> Any:
    ways = [rng.choice(known)]
    if isinstance(value, int) and not isinstance(value, bool):
        ways += [value + 1, max(0, value - 1), 0, value * 7]
    if isinstance(value, bool):
        ways.append(not value)
    return rng.choice(ways)


def rearrange(lines: list[str], rng: random.Random) -> list[str]:
    """Change a text of lines for one that may be right: a cell for another of its column, or a line gone, doubled or elsewhere."""
    at, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    copy, cells = list(lines), re.split(r"(\s+)", lines[at])
    match rng.randrange(6):
        case 0:
            copy[at], copy[other] = copy[other], copy[at]
        case 1:
            copy.insert(other, lines[at])
        case 2 if len(copy) > 1:
            del copy[at]
        case _:
            column = rng.randrange(0, len(cells), 2)
            of_column = [one[column] for line in lines if len(one := re.split(r"(\s+)", line)) == len(cells)]
            number = cells[column]
            cells[column] = (
                str(int(number) + 1) if number.isdecimal() and rng.random() < 0.5 else rng.choice(of_column)
            )
            copy[at] = "".join(cells)
    return copy


def parts(value: Any) -> Iterator[Any]:
    """Yield a JSON value and all in it."""
    yield value
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from parts(each)


def change_text(value: Any, rng: random.Random, own: Sequence[Any] = ()) -> Any:
    """Replace, remove, double, swap or rename one value somewhere in a JSON value; `own` are values that fit elsewhere."""
    if not isinstance(value, dict | list) or not value or rng.random() < 0.1:
        return replace_part(value, rng, own)
    key = rng.choice(list(value) if isinstance(value, dict) else range(len(value)))
    copy = value.copy()
    match rng.random():
        case way if way < 0.1:
            del copy[key]
        case way if way < 0.2 and isinstance(copy, list):
            copy.append(copy[key])
        case way if way < 0.25 and isinstance(copy, list):
            rng.shuffle(copy)
        case way if way < 0.25:
            other = rng.choice(list(copy))
            copy[key], copy[other] = copy[other], copy[key]
        case way if way < 0.3 and isinstance(copy, dict):
            copy[rng.choice(["", "x", "family", "rack", f"{key}s"])] = copy.pop(key)
        case _:
            copy[key] = change_text(copy[key], rng, own)
    return copy


def replace_part(value: Any, rng: random.Random, own: Sequence[Any]) -> Any:
    """Return a value near this one, one of the same document, or one that fits nowhere."""
    ways = [rng.choice(VALUES)]
    if own:
        alike = [each for each in own if type(each) is type(value)]
        ways += [rng.choice(own), rng.choice(alike or own), rng.choice(alike or own)]
    if isinstance(value, int) and not isinstance(value, bool):
        ways += [value + 1, value - 1, -value, value * 1000]
    if isinstance(value, str):
        ways += [value * 2, value[:-1], value.upper(), f"{value}:0"]
    return rng.choice(ways)


def reset(lines: list[str], rng: random.Random) -> list[str]:
    """Change one line of settings: its key, its value, its place, or that it is there."""
    at, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    key, equals, value = lines[at].partition("=")
    another = rng.choice([one.partition("=") for one in lines])
    line = rng.choice(
        [
            f"{key}={rng.choice(SET)}", f"{key}={another[2]}", f"{another[0]}{equals}{value}", lines[at].upper(), f"[{key.strip()}]",
            f"{lines[at]}\n{lines[at]}", "", lines[other], f"{key}.{key}={value}",
        ]
    )  # fmt: skip
    return [*lines[:at], line, *lines[at + 1 :]]


def change_table(lines: list[str], rng: random.Random) -> list[str]:
    """Change a table in a text: a cell, a column, a line, or the order of lines."""
    at, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    cells = re.split(r"(\s+)", lines[at])
    column = rng.randrange(len(cells))
    copy = list(lines)
    match rng.randrange(8):
        case 0:
            copy[at], copy[other] = copy[other], copy[at]
        case 1:
            copy.insert(at, lines[other])
        case 2:
            del copy[at]
        case 3:  # the column is gone from here on
            copy[at:] = ["".join(re.split(r"(\s+)", line)[: column or 1]) for line in lines[at:]]
        case 4:
            cells[column] = rng.choice(re.split(r"\s+", lines[other]))
            copy[at] = "".join(cells)
        case 5:
            copy[at] = lines[at].replace(",", rng.choice([" ", ",,", ";", "-"]), 1)
        case _:
            cells[column] = rng.choice(CELLS)
            copy[at] = "".join(cells)
    return copy or [""]


KEPT = Path("build/fuzz")
Finder = Callable[[Any, bytes], str | None]
"""Returns what becomes of a document that must not, None if nothing."""


class TooLateError(BaseException):
    """A reader took too long; no reader catches this."""


def _late(*_: object) -> None:
    raise TooLateError


def trouble(reader: Reader, content: bytes) -> str | None:
    """Return what a reader did wrong, None if it read the input or refused it with one sentence."""
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


def fuzz(
    known: Mapping[str, Any], seed: int, numbers: Iterable[int], into: Path, find: Finder = trouble
) -> int:
    """Give each numbered input to its reader by turns; returns how many made trouble, which are kept in a folder."""
    names, found = sorted(known), 0
    for number in numbers:
        name = names[number % len(names)]
        rng = random.Random(f"{seed}/{name}/{number}")
        documents = known[name].documents
        content = mutate(rng.choice(documents), rng, vocabulary(documents) if find is not trouble else None)
        said = find(known[name], content)
        if said is not None:
            found += 1
            into.mkdir(parents=True, exist_ok=True)
            kept = into / f"{re.sub(r'[^a-z0-9]+', '-', name)}-{seed}-{number}"
            kept.write_bytes(content)
            print(f"{name}, input {number} ({kept}): {said}", flush=True)
        if number % 10_000 == 9_999:
            print(f"{number + 1} inputs, {found} in trouble", flush=True)
    return found


def fuzz_command_lines(
    folder: Path, seed: int, numbers: range, jobs: int, only: str | None
) -> tuple[int, int]:
    """Fuzz command lines, each in a process of its own; returns how many made trouble, and how many command lines there are."""
    from fuzzing.command_lines import command_lines, find_trouble

    known = command_lines(folder)
    if only:
        known = {only: known[only]}
    part = partial(fuzz, known, seed, into=KEPT, find=find_trouble)
    with ProcessPoolExecutor(jobs) as beside:
        shares = [numbers[at::jobs] for at in range(jobs)]
        return sum(beside.map(part, shares)), len(known)


def main() -> int:
    """Fuzz as the command line says."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--inputs", type=int, help="how many; default: 100,000, or 20,000 to commands")
    parser.add_argument("--first", type=int, default=0, help="number of the first one, to go on; default: 0")
    parser.add_argument("--seed", type=int, default=0, help="default: 0")
    parser.add_argument("--reader", help="this reader, or this command line, alone")
    parser.add_argument("--commands", action="store_true", help="give them to whole command lines")
    parser.add_argument(
        "-j",
        dest="jobs",
        type=int,
        default=os.cpu_count() or 1,
        help="commands at a time; default: one a core",
    )
    options = parser.parse_args()
    inputs = options.inputs or (20_000 if options.commands else 100_000)
    numbers = range(options.first, options.first + inputs)
    with tempfile.TemporaryDirectory() as folder:
        if options.commands:
            found, many = fuzz_command_lines(
                Path(folder), options.seed, numbers, options.jobs, options.reader
            )
        else:
            known = readers(Path(folder))
            if options.reader:
                known = {options.reader: known[options.reader]}
            found, many = fuzz(known, options.seed, numbers, KEPT), len(known)
    what = "command lines" if options.commands else "readers"
    print(f"{inputs} inputs to {many} {what}, seed {options.seed}: {found} in trouble")
    return int(found > 0)


if __name__ == "__main__":
    sys.exit(main())
