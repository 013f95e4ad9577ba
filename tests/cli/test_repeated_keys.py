"""A key that stands twice in an object is refused by whatever reads JSON: one reader takes the first, another the last."""

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kassay.cli import main
from kassay.errors import InputError
from kassay.files.reading import read_json
from kassay.listings import ListingError, read_broker_racks
from kassay.listings.connect import read_connectors
from kassay.model.json_text import RepeatedKeyError, decode_json
from kassay.model.partitions_json import decode_group
from kassay.reports.sweep.manifest import read_run
from kassay.targets.clients import read_generation


class Pairs(tuple):
    """An object, with its keys in order, perhaps twice."""

    __slots__ = ()


TEXTS = st.text(st.sampled_from('":{}\\ ,a\u00e4\n'), max_size=4)
VALUES = st.recursive(
    st.none() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.lists(st.tuples(TEXTS, inner), max_size=3).map(Pairs),
    max_leaves=12,
)


def written(value, gap, ascii_):
    """The text of a value, with `gap` around its signs."""
    if isinstance(value, Pairs):
        pairs = (
            f"{json.dumps(key, ensure_ascii=ascii_)}{gap}:{gap}{written(of, gap, ascii_)}"
            for key, of in value
        )
        return f"{gap}{{{f'{gap},'.join(pairs)}}}{gap}"
    if isinstance(value, list):
        return f"[{f'{gap},'.join(written(each, gap, ascii_) for each in value)}{gap}]"
    return json.dumps(value, ensure_ascii=ascii_)


def repeats(value):
    """Whether an object in a value has a key twice."""
    if isinstance(value, Pairs):
        return len(dict(value)) < len(value) or any(repeats(of) for _, of in value)
    return isinstance(value, list) and any(map(repeats, value))


@given(VALUES, st.sampled_from(["", " ", "\n", "\t\r\n"]), st.booleans(), st.booleans())
@example(Pairs([('":', 1), ("a", ':"')]), "", True, True)
def test_what_has_no_key_twice_is_read_as_ever_and_all_else_refused(value, gap, ascii_, as_bytes):
    text = written(value, gap, ascii_)
    asked = text.encode() if as_bytes else text
    if repeats(value):
        with pytest.raises(RepeatedKeyError, match=r"stands twice in one object. Give it once"):
            decode_json(asked)
    else:
        assert decode_json(asked) == json.loads(text)


def test_a_key_written_otherwise_is_the_same_key():
    for text in ('{"a": 1, "\\u0061": 2}', "[" * 90 + '{"a":1,"a":2}' + "]" * 90, '{"b":{"a" :1,"a" :1}}'):
        with pytest.raises(RepeatedKeyError, match="'a'"):
            decode_json(text)
    with pytest.raises(RecursionError):
        decode_json('{"a":' * 10_000 + "1" + "}" * 10_000)


GROUP = '{"topics":[{"name":"t","partitions":2}],"members":[{"id":"m","topics":["t"]}]}'


@pytest.mark.parametrize(
    ("whole", "part", "twice"),
    [
        (GROUP, '"partitions":2', "partitions"),
        (GROUP, '"id":"m"', "id"),
        (GROUP, '"topics":["t"]', "topics"),
        ('{"id":"m",' + GROUP[1:], '"id":"m",', "id"),
    ],
)
def test_a_group_is_refused_however_long_it_is(whole, part, twice, tmp_path, monkeypatch, capsys):
    text = whole.replace(part, f"{part},{part}".replace(",,", ","))
    (tmp_path / "g.json").write_text(text)
    (tmp_path / "g.jsonl").write_text(f"{GROUP}\n{text}\n")
    for long in (10, 10**6):
        monkeypatch.setattr("kassay.files.reading.LONG", long)
        for file, line in (("g.json", ""), ("g.jsonl", ", line 2")):
            assert main(["assign", "consumer/range", str(tmp_path / file)]) == 2
            said = f"{file}{line}: the key '{twice}' stands twice in one object. Give it once.\n"
            assert capsys.readouterr().err.endswith(said)
    assert decode_group(text) is None


def test_every_other_reader_refuses_it(tmp_path):
    file = tmp_path / "run.json"
    file.write_text('{"format": 1, "format": 1}')
    for read in (lambda: read_json(str(file)), lambda: read_run(tmp_path)):
        with pytest.raises(InputError, match=r"run\.json: the key 'format' stands twice"):
            read()
    with pytest.raises(InputError, match="the key 'generation' stands twice"):
        read_generation(b'{"generation":1,"generation":2}')
    with pytest.raises(ListingError, match="twice"):
        list(read_broker_racks("racks", '{"1": "a", "1": "a"}'))
    with pytest.raises(ListingError, match="the key 'c' stands twice"):
        read_connectors([("c.json", '{"c": {}, "c": {}}')])
