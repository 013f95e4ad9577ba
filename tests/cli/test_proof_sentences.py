"""The sentences of `kassay optimum` are composed: in every order of objectives they are short, have one verb, and name no id."""

import re
from dataclasses import replace
from itertools import islice, permutations

import pytest

from kassay.cli.render.optimum import render_optimum
from kassay.engine.generate import draw_groups
from kassay.families import FAMILIES, family
from kassay.oracles.errors import OracleError

MOST_WORDS = 25
VERB = re.compile(r"\b(is|are|has|have|must|would|can)\b")


def find_best(of):
    """Yield answers for all objectives of a family at once, on a few generated groups, with the group."""
    question = ",".join(of.oracles.levels)
    for group in draw_groups(of, 40, 5):
        try:
            yield group, of.oracles.optimum(question, group, None)
        except OracleError:
            continue


@pytest.mark.parametrize("name", [name for name in FAMILIES if family(name).oracles])
def test_every_order_of_objectives_gives_one_short_sentence_and_reasons(name):
    of = family(name)
    # Ids of one word, such as moves, are words of their own.
    ids = {each for each in (*of.oracles.levels, *of.properties, *of.measures) if re.search("[-_]", each)}
    told = 0
    for group, best in islice(find_best(of), 6):
        for order in permutations(best.levels):
            blocks = [
                *render_optimum("g", replace(best, levels=order), of, group, {}, whole=False, file=None)
            ]
            says = blocks[0].says
            assert len(says.split()) <= MOST_WORDS, says
            assert len(VERB.findall(says)) == 1, says
            for text in (says, *(row[2] for row in blocks[1].grid.rows)):
                for sentence in re.split(r"; |\. ", text):
                    assert len(sentence.split()) <= MOST_WORDS, sentence
                    assert not ids & set(re.findall(r"[\w-]+", sentence)), sentence
            told += 1
    assert told
