"""Rows that people and tools marked are read, and the same as without the mark; a row that cannot be read is never passed over."""

from pathlib import Path

import pytest

from kassay.cli import main
from kassay.errors import InputError
from kassay.listings.import_groups import read_listed

HEADER = "GROUP  TOPIC   PARTITION  CURRENT-OFFSET  LOG-END-OFFSET  LAG  CONSUMER-ID  HOST       CLIENT-ID"
ROWS = [
    f"app    orders  {n}          100             110             10   m{n // 3}-uuid      /10.0.0.{n // 3}  m{n // 3}"
    for n in range(4)
]
PLAIN = "\n".join([HEADER, *ROWS])


def _read(text: str):
    return [(one.name, one.group) for one in read_listed([("f", text)], leader=True)]


@pytest.mark.parametrize(
    ("before", "behind"),
    [
        ("--> ", ""), ("=> ", ""), ("* ", ""), ("- ", ""), ("+ ", ""), ("** ", " **"), ("\u27a1 ", ""), ("1. ", ""), ("2: ", ""),
        ("", "  <-- stuck since Monday"), ("", " <-- stuck"), ("", " (lagging)"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("narrow", [False, True])
def test_a_row_with_a_mark_or_a_remark(before: str, behind: str, narrow: bool) -> None:
    lines = [" ".join(line.split()) if narrow else line for line in (HEADER, *ROWS)]
    lines[2] = f"{before}{lines[2]}{behind}"
    (name, group), (_, plain) = *_read("\n".join(lines)), *_read(PLAIN)
    held = [set(member.owned) for member in group.members]
    assert (name, held) == ("app", [set(member.owned) for member in plain.members])


@pytest.mark.parametrize("mark", ["--> ", "* ", "1. ", "12: "])
@pytest.mark.parametrize("marked", [[0], [1], [0, 1, 2, 3]])
@pytest.mark.parametrize("dropped", ["", "GROUP"])
def test_a_mark_within_a_wide_first_column(mark: str, marked: list[int], dropped: str) -> None:
    cells = [line.split() for line in (HEADER, *ROWS)]
    first = 1 if dropped else 0
    plain = ["".join(cell.ljust(24) for cell in row[first:]).rstrip() for row in cells]
    text = list(plain)
    for number in marked:
        row = cells[number + 1][first:]
        text[number + 1] = "".join(cell.ljust(24) for cell in [mark + row[0], *row[1:]]).rstrip()
    assert _read("\n".join(text)) == _read("\n".join(plain))


@pytest.mark.parametrize(
    "around",
    [
        lambda n, line: f"{n}:{line}",
        lambda n, line: f"out.txt:{n}:{line}",
        lambda _, line: f"{line}<br>",
        lambda n, line: f"<pre><code>{line}" if n == 1 else f"{line}</code></pre>" if n == 5 else line,
    ],
    ids=["grep -n", "grep -Hn", "lines of HTML", "a block of HTML"],
)
def test_a_table_with_something_around_each_line(around) -> None:
    assert _read("\n".join(around(n, line) for n, line in enumerate(PLAIN.splitlines(), 1))) == _read(PLAIN)


def test_a_row_with_a_field_too_many_is_refused_with_its_line() -> None:
    wrong = PLAIN.splitlines()
    wrong[2] = wrong[2].replace(" 10   ", " 10 (9%) ")
    with pytest.raises(InputError, match=r"f:3: HOST is 'm0-uuid'\. Give the row as the tool printed it"):
        read_listed([("f", "\n".join(wrong))], leader=True)


@pytest.mark.parametrize("wrong", [b"\xe4", b"\0"])
@pytest.mark.parametrize("column", ["orders", "m0-uuid", "10.0.0.0"])
def test_a_row_with_broken_characters_hides_no_other_group(
    wrong: bytes, column: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "listing.txt"
    broken = PLAIN.replace("app ", "old ").encode().replace(column.encode(), column[:-1].encode() + wrong)
    file.write_bytes(broken + b"\n\n" + PLAIN.encode())
    assert main(["compare", "--group", str(file), "--consumer-group", "app"]) == 0
    assert "app: 1 of 2 members owns 3 partitions, 1 owns 1." in capsys.readouterr().out
    assert main(["compare", "--group", str(file), "--consumer-group", "old"]) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert (
        "listing.txt:2: the row holds bytes that are not UTF-8" in said
        or "listing.txt:2: the line holds the" in said
    )


def test_a_character_outside_of_tables_is_passed_over() -> None:
    assert _read("$ \0 kafka-consumer-groups\n" + PLAIN) == _read(PLAIN)


def test_only_rows_have_to_be_utf_8(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "listing.txt"
    file.write_bytes(
        "C:\\Users\\J\u00fcrgen> kafka-consumer-groups.bat --describe --group app\r\n".encode("cp850")
        + PLAIN.encode()
    )
    assert main(["compare", "--group", str(file)]) == 0
    assert "app: 1 of 2 members owns 3 partitions, 1 owns 1." in capsys.readouterr().out
    file.write_bytes(PLAIN.replace("m0-uuid", "m\u00e4-uuid").encode("latin-1"))
    assert main(["compare", "--group", str(file)]) == 2
    assert "listing.txt:2: the row holds bytes that are not UTF-8. Save the file as" in " ".join(
        capsys.readouterr().err.split()
    )
