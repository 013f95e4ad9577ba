"""Pictures of groups against the groups: every move, mark, load and name, in any group and for any answer."""

import re
from collections import Counter

import pytest

pytest.importorskip("jinja2", reason="pip install 'kassay[reports]'")

from consumers import CONSUMERS
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from reports.plain_sums import CONSUMER
from reports.test_page import Reader
from whole import share

from kassay.families.convergence import illegal
from kassay.families.shapes.partitions import PARTITIONS as SHAPE
from kassay.model import AssignorError, Group, Member, Topic, TopicPartition
from kassay.properties.partitions.owners import owners
from kassay.reports.shapes import items, partitions
from kassay.reports.shapes.items import ITEMS, ROWS, SETS, SPOKEN, draw_by_load
from kassay.reports.shapes.layout import BARS, BOTTOM, HEIGHT, ROW, TOP
from kassay.reports.shapes.partitions import PARTITIONS, mark_partitions

EXAMPLES = share(40, 1_500)
DAMAGES = ("drop", "double", "misgive", "ghost", "vanished", "foreign")


@st.composite
def answered(draw):
    """Draw a group with a reference assignor's answer, which may be damaged then."""
    group = draw(SHAPE.groups())
    try:
        given = {
            name: list(parts)
            for name, parts in CONSUMERS[draw(st.sampled_from(sorted(CONSUMERS)))].assign(group).items()
        }
    except AssignorError:
        given = {member.id: [] for member in group.members}
    holders = [name for name, parts in given.items() if parts]
    for damage in draw(st.lists(st.sampled_from(DAMAGES), max_size=3)):
        name = draw(st.sampled_from(holders)) if holders else None
        if name is not None and damage == "drop" and given[name]:
            given[name].pop()
        elif name is not None and damage == "double" and given[name]:
            given[name].append(given[name][0])
        elif name is not None and damage == "misgive" and given[name]:
            given[draw(st.sampled_from(sorted(given)))].append(given[name][-1])
        elif damage == "ghost":
            given.setdefault("<ghost>", []).append(TopicPartition("t & u", 7))
        elif damage == "vanished" and group.topics and given:
            given[min(given)].append(TopicPartition(group.topics[0].name, 10_000))
    return group, given


def expected_arrows(group, given):
    """Return (column, giver, taker) of every arrow, found of owners and answer alone."""
    listed = {topic.name: [(topic.name, n) for n in range(topic.partitions)] for topic in group.topics}
    standing = owners(group)
    named = {tuple(p) for parts in given.values() for p in parts} | {tuple(p) for p in standing}
    for topic, number in sorted(named - {p for all_ in listed.values() for p in all_}):
        listed.setdefault(topic, []).append((topic, number))
    columns = [p for all_ in listed.values() for p in all_]
    readable = {
        (m.id, t.name, n)
        for m in group.members
        for t in group.topics
        if t.name in m.topics
        for n in range(t.partitions)
    }
    order = [m.id for m in group.members]
    arrows = []
    for n, place in enumerate(columns):
        before = standing.get(TopicPartition(*place), [])
        gone = [owner for owner in before if TopicPartition(*place) not in given.get(owner, ())]
        for row, name in enumerate(order):
            takes = TopicPartition(*place) in given.get(name, ()) and (name, *place) in readable
            if takes and gone and name not in before:
                arrows.append((n, order.index(gone[0]), row))
    return arrows, len(columns)


def ranked(arrows):
    """Number the columns in which there are arrows, from the left."""
    columns = sorted({column for column, *_ in arrows})
    return sorted((columns.index(column), *rows) for column, *rows in arrows)


def drawn_arrows(text):
    """Return (column, giver's row, taker's row) of every arrow, read from where it starts and ends."""
    found = []
    shape = r'<path class="arrow" d="M([\d.]+) ([\d.]+)V([\d.]+)"/><path class="tip" d="M([\d.]+) ([\d.]+)l-4 (-?7)h8z"/>'
    for x, start, _, tip, end, way in re.findall(shape, text):
        assert x == tip
        giver, taker = (float(start) - TOP) / ROW - 0.5, (float(end) - TOP) / ROW
        assert giver == int(giver)
        assert (way == "-7") == (taker > giver)
        assert TOP + ROW * int(taker) + (5 if taker > giver else ROW - 5) == float(end)
        found.append((float(x), int(giver), int(taker)))
    assert text.count('class="arrow"') == len(found)
    return ranked(found)


def check(group, given):
    """Hold the picture against what it is of."""
    text = str(PARTITIONS.html("<title> & more", group, given))
    read = Reader(text)
    assert {tag for tag, _ in read.tags} <= {"svg", "rect", "text", "title", "path", "circle"}
    names = [member.id for member in group.members] + sorted(set(given) - {m.id for m in group.members})
    spoken = read.tags[0][1]["aria-label"]
    told = "; ".join(f"{name} gets {len(given.get(name, ())):,}" for name in names[:SPOKEN])
    assert re.sub(r", [\d,]+ of them newly", "", spoken).startswith(f"<title> & more: {told}")
    assert (f"{len(names) - SPOKEN:,} more members" in spoken) == (len(names) > SPOKEN)
    arrows, columns = expected_arrows(group, given)
    topics = {p.topic for p in owners(group)} | {p.topic for parts in given.values() for p in parts}
    topics |= {topic.name for topic in group.topics if topic.partitions}
    if len(names) > ROWS or len(topics) > SETS:
        assert 'class="member"' not in text
        assert f"loads of {len(names):,} member" in text
        return "loads"
    loads = re.findall(r'<text class="load end"[^>]*>(\d+)</text>', text)
    assert list(map(int, loads)) == [len(given.get(name, ())) for name in names]
    if columns > ITEMS:
        held = re.findall(r'<text class="count mid" [^>]*>(\d+)</text>', text)
        assert sum(map(int, held)) == sum(map(len, given.values()))
        assert 'class="arrow"' not in text
        return "topics"
    assert drawn_arrows(text) == ranked(arrows)
    numbers = re.findall(r'<text class="note mid" x="[\d.]+" y="31">(\d+)</text>', text)
    assert len(topics) <= len(numbers) <= columns
    signs = re.findall(r'<text class="sign mid"[^>]*>([^<]*)</text>', text)
    if not illegal(CONSUMER, group, given):
        assert sum("R" in sign for sign in signs) == CONSUMER.measures["cross_rack"](group, given)
        moves = CONSUMER.measures["moves"](group, given)
        read_by = {topic for member in group.members for topic in member.topics}
        existing = {topic.name: topic.partitions for topic in group.topics}
        unread = sum(p.topic not in read_by and p.partition < existing.get(p.topic, 0) for p in owners(group))
        assert len(arrows) + unread == moves
    doubled = Counter(p for parts in given.values() for p in parts)
    troubles = re.findall(r'<text class="trouble mid"[^>]*>([^<]*)</text>', text)
    assert sorted(sign for sign in troubles if sign != "✗") == sorted(
        f"{n}x" for n in doubled.values() if n > 1
    )
    return "partitions"


@settings(max_examples=EXAMPLES, deadline=None)
@given(answered())
def test_a_picture_is_of_its_group(both):
    check(*both)


@settings(max_examples=EXAMPLES // 2, deadline=None)
@given(st.integers(1, 70), st.integers(1, 14), st.integers(1, 30), st.randoms(use_true_random=False))
def test_what_is_large_is_drawn_by_topic_or_load(members, topics, partitions, rng):
    racks = ["a", "b", None]
    read = tuple(f"topic-{n}" for n in range(topics))
    all_ = tuple(
        Topic(name, partitions, tuple((rng.choice(racks[:2]),) for _ in range(partitions))) for name in read
    )
    given_ = {f"m{n}": [] for n in range(members)}
    owned = {name: [] for name in given_}
    for topic in all_:
        for partition in topic:
            given_[rng.choice(sorted(given_))].append(partition)
            owned[rng.choice(sorted(given_))].append(partition)
    group = Group(all_, tuple(Member(n, read, tuple(owned[n]), rack=rng.choice(racks)) for n in given_))
    way = check(group, given_)
    assert way == (
        "loads"
        if members > ROWS or topics > SETS
        else "topics"
        if topics * partitions > ITEMS
        else "partitions"
    )


@settings(max_examples=EXAMPLES // 2, deadline=None)
@given(st.lists(st.integers(0, 40), min_size=1, max_size=150))
def test_bars_add_up(loads):
    names = [f"m{n}" for n in range(len(loads))]
    parts = iter(Topic("t", max(1, sum(loads))))
    given_ = {name: [next(parts) for _ in range(load)] for name, load in zip(names, loads, strict=True)}
    group = Group((Topic("t", max(1, sum(loads))),), tuple(Member(name, ("t",)) for name in names))
    text = "".join(draw_by_load(mark_partitions(group, given_)))
    bars = re.findall(
        r'<rect class="(\w+)" x="([\d.]+)" y="([\d.]+)" width="[\d.]+" height="([\d.]+)"/>', text
    )
    each = -(-len(loads) // BARS)
    ordered = sorted(loads, reverse=True)
    means = [sum(part) / len(part) for part in (ordered[n : n + each] for n in range(0, len(loads), each))]
    top = max(
        1, ordered[0], 2 * -(-max(1, sum(loads)) // len(loads))
    )  # twice the even part, in all pictures of a group
    expected = [HEIGHT * mean / top for mean in means if mean]
    assert [float(height) for _, _, _, height in bars] == pytest.approx(expected, abs=0.01)
    assert [float(y) + float(height) for _, _, y, height in bars] == pytest.approx(
        [BOTTOM] * len(bars), abs=0.02
    )
    assert len(means) <= BARS
    assert f"from {ordered[0]:,} to {ordered[-1]:,}" in text


def small():
    """Return a group of two racks in which a partition moves and is read from afar, and an answer."""
    near = (("a",), ("b",))
    first, second = Topic("t", 2, near)
    members = (Member("x", ("t",), (first, second), rack="a"), Member("y", ("t",), (), rack="a"))
    return Group((Topic("t", 2, near),), members), {"x": [first], "y": [second]}


@pytest.mark.parametrize("damage", ["no crossing", "wrong row", "no arrow"])
def test_a_picture_that_forgets_is_found_out(damage, monkeypatch):
    assert check(*small()) == "partitions"
    arrow, mark = items.draw_arrow, items.Mark
    if damage == "no crossing":
        monkeypatch.setattr(
            partitions,
            "Mark",
            lambda role, kind, _=False, giver="", times=1: mark(role, kind, giver=giver, times=times),
        )
    elif damage == "wrong row":
        monkeypatch.setattr(
            items, "draw_arrow", lambda x, giver, taker, start: arrow(x, giver + 1, taker + 1, start)
        )
    else:
        monkeypatch.setattr(items, "draw_arrow", lambda *_: "")
    with pytest.raises(AssertionError):
        check(*small())


@given(st.text("<&\"'>ab\u202e\\", min_size=1, max_size=6), st.text("<&\"'>t", min_size=1, max_size=6))
@settings(max_examples=EXAMPLES // 2, deadline=None)
def test_names_stand_as_text(member, topic):
    assume(member != topic)
    group = Group((Topic(topic, 2, (("<r>",), ("<r>",))),), (Member(member, (topic,), rack="<r>"),))
    read = Reader(str(PARTITIONS.html("given", group, {member: list(group.topics[0])})))
    assert {tag for tag, _ in read.tags} <= {"svg", "rect", "text", "title", "path"}
    words = [word for word in read.words if word]
    assert {member, topic, "rack <r>"} <= set(words)
