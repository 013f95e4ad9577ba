"""Text around a listing, and the way it was copied, change only the number of skipped lines."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from listings.listing_layouts import Cluster, clusters, members_2_4, members_4_0, offsets
from listings.test_pasted import EXPECTED, FILES, FOLDER, found

PLAIN = ["A1-kubectl-run.txt", "A3-rebalancing.txt", "A5-rpk.txt", "B4-no-active-members.txt", "B7-lib-state.txt", "F1-copartitioned.txt",
         "H1-share-400.txt", "K1-static-restart.txt", "L2-grown-topic.txt", "N2.txt", "k-4.0-verbose.txt", "k-4.1-reconciling.txt",
         "k-2.4-all-groups.txt", "z-0.10.0.txt", "h-share-4.1.txt"]  # fmt: skip
NOISE = [
    "pod \"kafka-client\" deleted",
    "[2024-05-01 12:00:00,123] WARN [AdminClient clientId=adminclient-1] Connection to node -1 could not be established. (org.apache.kafka.clients.NetworkClient)",
    "SLF4J: Class path contains multiple SLF4J bindings.",
    "user@host:~$ date",
    "C:\\kafka\\bin\\windows> ",
    "Defaulted container \"kafka\" out of: kafka, exporter",
    "OpenJDK 64-Bit Server VM warning: Sharing is only supported for boot loader classes",
    "Hello everybody, we see the following since Tuesday, and restarting does not help:",
    "What is wrong with us?",
    "^C",
    "we have 2 groups with 3 members each and 12 partitions",
    "Total lag is 12 and 7 of 30 partitions",
    "--",
    "NAME       READY   STATUS    RESTARTS   AGE",
    "kafka-0    1/1     Running   0          3d",
]  # fmt: skip
words = st.text("abXY09._-", min_size=1, max_size=9).filter(lambda word: not set(word) <= set("-."))


def text_of(name: str) -> str:
    return (FOLDER / name).read_bytes().decode().replace("\r\n", "\n")


def unskipped(name: str, text: str) -> list[dict[str, object]]:
    """Return the groups as read, without the number of skipped lines."""
    return [{key: value for key, value in one.items() if key != "skipped_lines"} for one in found(name, text)]


def blocks(text: str) -> list[str]:
    """The tables and notices, which blank lines part."""
    return [block for block in text.split("\n\n") if block.strip()]


@given(st.sampled_from(PLAIN), st.data())
def test_noise_between_tables(name: str, data: st.DataObject) -> None:
    pieces = blocks(text_of(name))
    noise = st.lists(st.sampled_from(NOISE), max_size=3).map("\n".join)
    around = data.draw(noise) + "\n"
    for piece in pieces:
        around += f"{piece}\n{data.draw(noise)}\n"
        around += "\n" * data.draw(st.integers(0, 2))
    assert unskipped(name, around) == unskipped(name, text_of(name))


@pytest.mark.parametrize("name", PLAIN)
def test_every_line_of_noise_is_counted(name: str) -> None:
    before = found(name)[0].get("skipped_lines", 0)
    after = found(name, "\n".join(NOISE[:5]) + "\n\n" + text_of(name))
    assert {one.get("skipped_lines", 0) for one in after} == {before + 5}


@pytest.mark.parametrize("mark", ["> ", ">", "> > ", ">> ", "  > ", "    ", "\t", "\xa0\xa0"])
@pytest.mark.parametrize("name", [name for name in PLAIN if name != "A5-rpk.txt"])
def test_marks_before_each_line(name: str, mark: str) -> None:
    marked = "\n".join(f"{mark}{line}" for line in text_of(name).split("\n"))
    assert found(name, marked) == found(name)


@pytest.mark.parametrize(
    "prefix", ["2024-01-01T10:00:0{}Z ", "kafka-1  | ", "Jan  1 10:00:0{} web-1 sh[4711]: ", "{}\t"]
)
@pytest.mark.parametrize(
    "name", ["F1-copartitioned.txt", "L2-grown-topic.txt", "k-4.1-kip848.txt", "h-share-4.1.txt"]
)
def test_prefixes_of_logs(name: str, prefix: str) -> None:
    lines = text_of(name).rstrip("\n").split("\n")
    marked = "\n".join(prefix.format(n % 10) + line if line else "" for n, line in enumerate(lines))
    assert unskipped(name, marked) == unskipped(name, text_of(name))


@pytest.mark.parametrize("name", [name for name in FILES if "refused" not in EXPECTED[name][0]])
def test_ends_of_lines_and_colours(name: str) -> None:
    text = text_of(name)
    assert found(name, text.replace("\n", "\r\n")) == found(name)
    if "\x1b" not in text:
        assert found(name, "\n".join(f"\x1b[33m{line}\x1b[0m" for line in text.split("\n"))) == found(name)


simple = clusters(ids=words)
"""Clusters whose groups, members and clients have names without blanks."""


def printed(cluster: Cluster) -> list[str]:
    """Tables of all groups, as lists of cells."""
    return [
        "".join(layout(*group) for group in cluster.groups.items())
        for layout in (members_2_4, members_4_0, offsets)
    ]


def wrapped(text: str, width: int) -> str:
    """As a terminal of that width shows it."""
    return "\n".join(
        "\n".join(line[at : at + width] for at in range(0, max(1, len(line)), width))
        for line in text.split("\n")
    )


@given(simple, st.sampled_from([80, 100, 120]), st.integers(0, 2), st.booleans())
def test_lines_that_a_terminal_wrapped(cluster: Cluster, width: int, layout: int, stripped: bool) -> None:
    text = printed(cluster)[layout]
    copied = wrapped(text, width)
    if stripped:
        copied = "\n".join(line.rstrip() for line in copied.split("\n"))
    assert unskipped("g", copied) == unskipped("g", text)


def test_a_markdown_table_says_the_same() -> None:
    for name in ("L2-grown-topic.txt", "K1-static-restart.txt", "z-0.10.0.txt", "H1-share-400.txt"):
        header, *rows = [line.split() for line in text_of(name).strip().split("\n")]
        lines = ["| " + " | ".join(cells) + " |" for cells in (header, ["---"] * len(header), *rows)]
        assert found(name, "\n".join(lines)) == found(name)
        bare = [" | ".join(cells) for cells in (header, ["---"] * len(header), *rows)]
        assert found(name, "\n".join(bare)) == found(name)
