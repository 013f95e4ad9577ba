"""Alter true answers of every kind, and hold what the checker says of each against the truth.

An answer that is accepted must be true, one that is not altered must be accepted, and nothing may end in a traceback.
"""

import io
import json
import traceback
from collections import Counter
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, TypeAlias

from forging.alterations import (
    ADDED,
    Alteration,
    Field,
    Pool,
    Text,
    alter,
    alter_deceptively,
    alter_often,
    build_pool,
    find_field,
    find_names,
    list_alterations,
    move_numbers,
    write_key_twice,
)
from forging.cases import KINDS, Case, draw_cases
from forging.repairs import repair
from forging.truth import HOLDS, PROVED, REFUSED

from kassay.cli import main as kassay
from kassay.oracles.proof import command
from kassay.oracles.proof.reading import WrongInputError

Json: TypeAlias = Any
PER_CASE = 100
"""How many alterations an answer has."""
KASSAY = 20
"""One alteration in this number also goes to kassay's own command."""
DONORS = 4
"""The number of other cases of a kind whose values replace values of this one."""
ASKED = {"frontier": "frontier", "over-time": "over-time"}
"""Record -> the command that verifies it; `optimum` without one."""


@dataclass
class Tally:
    """The results of the alterations of one kind of answers."""

    cases: int = 0
    altered: int = 0
    said: Counter[str] = field(default_factory=Counter)
    fields: Counter[tuple[Field, str]] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    """False answers that were accepted, true ones that were refused, and tracebacks: each with all that makes it come again."""

    def note(self, what: str, case: Case, answer: Any, why: str) -> None:
        """Note a fault."""
        events = "" if case.events is None else f" --{case.events[0]} {case.events[1]}"
        told = answer if isinstance(answer, Text) else json.dumps(answer)
        self.faults.append(
            f"{what}, {case.kind}{events}: {why}\n  group: {json.dumps(case.group)}\n  answer: {told}"
        )


@dataclass(frozen=True)
class Asker:
    """Puts answers to the checker by itself, as people run it, and to kassay's own command."""

    folder: Path

    def verify(self, case: Case, answer: Json | Text) -> tuple[int, str, str]:
        """Return the exit status of the checker, its sentence, and the traceback, if any."""
        files = self._write_files(case, answer)
        what = [] if case.events is None else [f"--{case.events[0]}", str(case.events[1])]
        with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as wrong:
            try:
                status = command.main([*files, *what])
            except BaseException:  # noqa: BLE001  # whatever it is, it is a fault
                return -1, "", traceback.format_exc()
        return status, (out.getvalue() or wrong.getvalue()).strip(), ""

    def verify_by_kassay(self, case: Case, answer: Json | Text) -> tuple[int, str]:
        """Return the exit status of kassay's own command, and what it writes."""
        answers, group = self._write_files(case, answer)
        asked = ASKED.get(case.answer.get("record", ""), "optimum")
        words = [asked, "--verify", answers]
        words += (
            [group] if case.events is None else ["--group", group, f"--{case.events[0]}", str(case.events[1])]
        )
        with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as wrong:
            try:
                status = kassay(words)
            except BaseException:  # noqa: BLE001  # whatever it is, it is a fault
                return -1, traceback.format_exc()
        return status, f"{out.getvalue()}{wrong.getvalue()}"

    def _write_files(self, case: Case, answer: Json | Text) -> list[str]:
        files = [self.folder / "answer.json", self.folder / "group.json"]
        text = answer if isinstance(answer, Text) else json.dumps(answer)
        for file, content in zip(files, (text, json.dumps(case.group)), strict=True):
            file.write_text(content)
        return [*map(str, files)]


def find_sentence(case: Case, answer: Json) -> str:
    """Return the checker's sentence, which tells a forger what to put right."""
    try:
        return command.verify_answer(case.proof_kind, case.group, answer, case.events)[1]
    except WrongInputError as wrong:
        return str(wrong)
    except Exception:  # noqa: BLE001  # a fault that is noted when the answer is asked about
        return ""


def classify(status: int, said: str) -> str:
    """Return what the checker says of an answer: with status 1 it may say that what is stated holds, and is no optimum."""
    if status == 0:
        return PROVED
    return (
        HOLDS
        if status == 3 or (status == 1 and said.startswith("NOT proved: what it states holds"))
        else REFUSED
    )


def forge(kind: str, number: int, folder: Path, tally: Tally, per_case: int = PER_CASE) -> None:
    """Alter the answers of the cases of a kind with a number, and note what comes of it."""
    asker, r = Asker(folder), Random(f"forged {kind} {number}")
    found = draw_cases(kind, number)
    others = [
        *found,
        *(each for n in range(DONORS) for each in draw_cases(kind, number + n + 1)),
        *draw_one_of_each(),
    ]
    pool = build_pool((each.answer, find_names(each.group)) for each in others)
    for case in found:
        tally.cases += 1
        _check_unaltered(asker, case, tally)
        for n, answer in enumerate(_forge_answers(case, r, pool, tally, per_case // len(found))):
            tally.altered += 1
            _check_altered(asker, case, answer, tally, also=n % KASSAY == 0)


@cache
def draw_one_of_each() -> list[Case]:
    """Return a few answers of every kind, whose values replace values of other answers."""
    return [case for kind in KINDS for case in draw_cases(kind, 0)]


def _forge_answers(case: Case, r: Random, pool: Pool, tally: Tally, number: int) -> Iterator[Json | Text]:
    """Yield altered answers: of one field, those first that were altered least so far; of several; and made consistent."""
    names = find_names(case.group)
    every = [*list_alterations(case.answer, pool, names)]
    r.shuffle(every)

    def seen(one: Alteration) -> tuple[int, bool]:
        first = len(one.place) <= 1 and one.way.startswith(ADDED)  # a stray key changes little further within
        return tally.fields[find_field(one.place, names), one.way], not first

    every.sort(key=seen)
    chosen = every[: number * 4 // 10]
    for one in chosen:
        tally.fields[find_field(one.place, names), one.way] += 1
        answer = alter(case.answer, one, r, pool, names)
        yield answer if r.random() < 0.5 else repair(answer, lambda each: find_sentence(case, each))
    for _ in range(number - len(chosen)):
        way = r.random()
        if way < 0.03:
            yield write_key_twice(case.answer, r)
            continue
        some = (
            (lambda value, r, *_: move_numbers(value, r))
            if way < 0.2
            else alter_often
            if way < 0.45
            else alter_deceptively
        )
        answer = some(case.answer, r, pool, names)
        yield repair(answer, lambda each: find_sentence(case, each)) if r.random() < 0.8 else answer


def _check_unaltered(asker: Asker, case: Case, tally: Tally) -> None:
    """Demand that an answer as kassay gives it is not refused, and is true."""
    status, said, trace = asker.verify(case, case.answer)
    verdict = REFUSED if trace else classify(status, said)
    if verdict == REFUSED:
        tally.note("a true answer is refused", case, case.answer, trace or said)
    elif why := case.find_false(case.answer, verdict, said):
        tally.note("kassay's own answer is false", case, case.answer, why)


def _check_altered(asker: Asker, case: Case, answer: Json | Text, tally: Tally, *, also: bool) -> None:
    """Hold what the checker says of an altered answer against the truth."""
    status, said, trace = asker.verify(case, answer)
    if trace or status not in (0, 1, 2, 3):
        tally.note("a traceback", case, answer, trace or f"status {status}")
        return
    verdict = classify(status, said)
    tally.said[verdict] += 1
    if isinstance(answer, Text):
        if "stands twice in one object" not in said:
            tally.note("a key that stands twice is accepted", case, answer, said)
    elif verdict != REFUSED and (why := case.find_false(answer, verdict, said)):
        tally.note("a false answer is accepted", case, answer, f"{why} (status {status}: {said})")
    if also:
        own, told = asker.verify_by_kassay(case, answer)
        record = isinstance(answer, dict) and answer.get("record") == case.answer.get("record")
        if own not in (0, 1, 2, 3) or "Traceback" in told or "bug of kassay" in told:
            tally.note("a traceback of kassay", case, answer, told)
        elif own != status and (record or "record" not in case.answer):
            tally.note("kassay says otherwise", case, answer, f"status {own}, not {status}: {told}")


def describe_tallies(tallies: dict[str, Tally]) -> Iterator[str]:
    """Yield a line for each kind, and one for all."""
    yield f"{'kind':28} {'answers':>8} {'altered':>8} {'proved':>8} {'holds':>8} {'refused':>8} {'faults':>7}  fields in ways"
    for kind, each in tallies.items():
        fields = f"{len({of for of, _ in each.fields})} in {len(each.fields)}"
        yield (
            f"{kind:28} {each.cases:8,} {each.altered:8,} {each.said[PROVED]:8,} {each.said[HOLDS]:8,} "
            f"{each.said[REFUSED]:8,} {len(each.faults):7,}  {fields}"
        )
    every, faults = (
        sum(each.altered for each in tallies.values()),
        sum(len(each.faults) for each in tallies.values()),
    )
    yield f"{every:,} alterations of {sum(each.cases for each in tallies.values()):,} answers: {faults:,} faults"
