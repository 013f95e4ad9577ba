"""The fuzzing finds what it looks for, and every reader takes the documents that it mutates."""

import pytest

pytest.importorskip("pyarrow", reason="pip install 'kassay[reports]'")

from fuzzing.fuzz import fuzz, trouble
from fuzzing.readers import Reader, readers
from whole import seed_of_the_day, some

from kassay.errors import InputError


@pytest.fixture(scope="module")
def known(tmp_path_factory):
    return readers(tmp_path_factory.mktemp("fuzz"))


def test_readers_read_what_is_mutated(known):
    for name, reader in known.items():
        for document in (
            reader.documents if name not in {"broker racks", "member racks", "answer", "parts"} else ()
        ):
            reader.read(document)


def test_a_few_inputs_for_each(known, tmp_path, capsys):
    numbers = range(some(40, 400) * len(known))
    assert fuzz(known, seed_of_the_day(), numbers, tmp_path) == 0, capsys.readouterr().out


def failing(content):
    raise KeyError(content)


def silent(_):
    raise InputError(" ")


@pytest.mark.parametrize(("read", "said"), [(failing, "KeyError"), (silent, "without a sentence")])
def test_what_is_neither_read_nor_refused_is_found_and_kept(read, said, tmp_path, capsys):
    reader = Reader(read, (b"x",))
    assert said in trouble(reader, b"x")
    assert fuzz({"a b": reader}, 0, range(3), tmp_path) == 3
    assert {path.name for path in tmp_path.iterdir()} == {"a-b-0-0", "a-b-0-1", "a-b-0-2"}
    assert said in capsys.readouterr().out
