"""The headline: every number stands in the table, correctness comes first, and only the best are called best."""

import re
from itertools import permutations

import pytest

pytest.importorskip("jinja2", reason="pip install 'kassay[reports]'")

import pandas as pd
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from reports.plain_sums import CONSUMER
from whole import share

from kassay.comparison.headline import label_targets_uniquely
from kassay.families import FAMILIES, family
from kassay.families.family import SAFE, Question
from kassay.reports.tables.headline import MOST_WORDS, render_headline
from kassay.reports.tables.table import format_share as as_share

QUESTIONS = CONSUMER.questions
SHARE = r"[<>] \d+\.\d %|\d+(?:\.\d)? %"
HOSTILE = ["none", "all of it", "Both", "it", "even", "a, b and c", "x; y", "ends.", "<b>", "$y$ & z", "é\u202e", "consumer/range"]  # fmt: skip
EXAMPLES = share(30, 2_000)


@st.composite
def counts(draw, most_targets=30):
    """Draw what each target gets right: question -> (groups, right by target); the safe ones are of the most groups."""
    targets = draw(st.sampled_from([1, 2, 2, 3, 4, 5, 7, most_targets]))
    groups = draw(st.integers(0, 3) | st.integers(0, 4_000))
    of = [groups, *(draw(st.integers(0, min(groups, 2)) | st.integers(0, groups)) for _ in QUESTIONS[1:])]
    return {
        question.name: (number, draw(st.lists(rights(number), min_size=targets, max_size=targets)))
        for question, number in zip(QUESTIONS, of, strict=True)
    }


def competing(found, question):
    """Return what each target gets right, 0 for those that never balance, unless nobody else is ever right."""
    (groups, balanced), all_ = found[QUESTIONS[1].name], found[question][1]
    able = [right if even or not groups else 0 for right, even in zip(all_, balanced, strict=True)]
    return able if any(able) else all_


def rights(of):
    return st.sampled_from(sorted({0, of, of // 2})) | st.integers(0, of)


def headline(found, names, questions=QUESTIONS):
    rows = [
        {"question": question, "target": name, "right": right, "of": of}
        for question, (of, all_) in found.items()
        for name, right in zip(names, all_, strict=True)
    ]
    return render_headline(pd.DataFrame(rows), questions, names)


def plain(found):
    """Return the headline with names that nothing else in it looks like, and these names."""
    names = [f"«{chr(97 + n // 26)}{chr(97 + n % 26)}»" for n in range(len(found["safe"][1]))]
    return headline(found, names), names


def split(text):
    return re.split(r"(?<=[a-z)»\d]\.) (?=[A-Z«\d])", text)


@settings(max_examples=EXAMPLES, deadline=None)
@given(counts())
def test_its_numbers_are_those_of_the_table(found):
    text, names = plain(found)
    assert "  " not in text
    assert not re.search(r"\b1 (groups|assignors|of \d+ assignors are)\b", text), text
    shares = {as_share(right / of) for of, all_ in found.values() if of for right in all_}
    assert set(re.findall(SHARE, text)) <= shares
    of, safe = found["safe"]
    failing = sum(right < of for right in safe)
    known = {of, *safe, *(of - right for right in safe), len(names), failing, len(names) - failing}
    known |= {number for number, _ in found.values()}
    known |= {
        sum(right == max(all_) for right in all_) for all_ in (competing(found, each) for each in found)
    }
    numbers = re.findall(r"\d[\d,]*", re.sub(SHARE, "", text))
    assert {int(number.rstrip(",").replace(",", "")) for number in numbers} <= known, text


@settings(max_examples=EXAMPLES, deadline=None)
@given(counts())
def test_who_is_called_best_is_best(found):
    text, names = plain(found)
    sentences = split(text)
    for question in QUESTIONS[1:]:
        number, all_ = found[question.name]
        # "balance" is a part of two other criteria.
        criterion = rf"(?<!topic )(?<!weighted )\b{question.criterion}\b"
        about = [one for one in sentences[1:] if re.search(criterion, one)]
        if not number or not any(found["safe"][1]) or len(names) == 1:
            assert not [one for one in about if "best" in one or "equal" in one]
            continue
        (said,) = about
        able = competing(found, question.name)
        best = [name for name, right in zip(names, able, strict=True) if right and right == max(able)]
        if not max(all_):
            assert said.startswith("No assignor ever achieves ")
        elif len(best) == len(names):
            assert "have equal results for" in said
        elif len(best) > 3:
            assert said.startswith(f"{len(best)} of {len(names)} assignors are best for ")
        else:
            assert re.findall("«..»", said) == best
            assert f"{'is' if len(best) == 1 else 'are'} best for" in said


@settings(max_examples=EXAMPLES, deadline=None)
@given(counts())
def test_correctness_comes_first(found):
    text, names = plain(found)
    first, *rest = split(text)
    of, safe = found["safe"]
    failing = {name: of - right for name, right in zip(names, safe, strict=True) if right < of}
    sound = [name for name in names if name not in failing]
    if not of:
        assert text == "No result: no group was tested."
    elif len(names) == 1:
        assert re.match(r"«aa» is (in)?correct on ", first)
    elif not any(safe):
        assert text.startswith("No assignor is correct on ")
    elif not failing:
        assert re.match(r"(Both|All \d+) assignors are correct on (all|the one)", first)
    else:
        if sound:
            assert re.findall("«..»", first) == (sound if len(sound) <= 3 else [])
        about = " ".join([first, *rest[:1]] if sound else [first])
        if of > 1 and len(failing) <= 3:
            assert all(f"{number:,}" in about for number in failing.values()), text
        elif of > 1:
            assert f"{max(failing.values()):,} of {of:,}" in about
            assert set(re.findall(r"\((«..»)\)", about)) <= {max(failing, key=failing.__getitem__)}


@settings(max_examples=EXAMPLES, deadline=None)
@given(counts(most_targets=len(HOSTILE)), st.permutations(HOSTILE))
def test_names_stand_as_they_are(found, hostile):
    """No name changes the words around it, and none is changed by them."""
    text, names = plain(found)
    others = hostile[: len(names)]
    labels = list(label_targets_uniquely(others).values())
    assume(len(set(labels)) == len(labels))
    # A sentence is split by its number of words, and names may have several.
    assume(all(len(one.split()) < MOST_WORDS - 8 for one in split(text)))
    for name, label in zip(names, labels, strict=True):
        text = text.replace(name, label)
    assert headline(found, others) == text


@pytest.mark.parametrize("name", sorted(FAMILIES))
def test_every_order_of_objectives_gives_plain_sentences(name):
    own = family(name)
    questions = own.questions or [SAFE, *(Question(f"best in {x}", "", x) for x in own.oracles.levels)]
    first, *others = questions
    ids = {*(own.oracles.levels if own.oracles else ()), *own.properties, *(q.name for q in questions)}
    criteria = {each.criterion for each in others}
    for order in permutations(others):
        found = {each.name: (40, [40 - n, 30, 20]) for n, each in enumerate(order)}
        found[order[0].name] = (40, [1, 40, 40])
        text = headline({first.name: (100, [100, 99, 98])} | found, ["«aa»", "«ab»", "«ac»"], [first, *order])
        for sentence in split(text):
            assert len(sentence.split()) <= MOST_WORDS, sentence
            assert len(re.findall(r"\b(is|are|has|have|achieves)\b", sentence)) == (
                not sentence.startswith("Incorrect assignments: ")
            ), sentence
            rest = re.sub("|".join(sorted(map(re.escape, criteria), key=len, reverse=True)), "", sentence)
            assert not ids & set(re.findall(r"[\w-]+", rest)), sentence
        assert all(criterion in text for criterion in criteria), text


RIGHT, EVEN, STICKY, NEAR, *_ = (question.name for question in QUESTIONS)


@pytest.mark.parametrize(
    ("found", "said"),
    [
        ({RIGHT: (0, [0])}, "No result: no group was tested."),
        ({RIGHT: (1, [0])}, "«aa» is incorrect on the one group."),
        ({RIGHT: (1, [1])}, "«aa» is correct on the one group."),
        ({RIGHT: (5, [5]), EVEN: (4, [4]), NEAR: (1, [0])}, "«aa» is correct on all 5 groups. Balance: 100 % of 4; rack locality: 0 % of 1."),
        ({RIGHT: (5, [3]), EVEN: (4, [3])}, "«aa» is correct on 3 of 5 groups (60.0 %). Balance: 75.0 % of 4."),
        ({RIGHT: (1, [0, 0])}, "No assignor is correct on the one group."),
        ({RIGHT: (7, [0, 0, 0])}, "No assignor is correct on any of the 7 groups."),
        ({RIGHT: (1, [1, 1]), EVEN: (1, [0, 0])}, "Both assignors are correct on the one group. No assignor ever achieves balance."),
        ({RIGHT: (7, [7, 7, 7]), EVEN: (5, [4, 4, 4])}, "All 3 assignors are correct on all 7 groups. All 3 assignors have equal results for balance (80.0 %)."),
        ({RIGHT: (7, [7, 0])}, "Only «aa» is correct on all 7 groups. Incorrect assignments: «ab» 7."),
        ({RIGHT: (7, [6, 7]), EVEN: (4, [4, 2])}, "Only «ab» is correct on all 7 groups. Incorrect assignments: «aa» 1. «aa» is best for balance (100 %)."),
        ({RIGHT: (7, [6, 6]), EVEN: (2, [2, 1])}, "Each of the 2 assignors is incorrect on 1 of 7 groups. «aa» is best for balance (100 % of 2)."),
        ({RIGHT: (7, [6, 5]), EVEN: (4, [4, 2]), NEAR: (4, [2, 3])}, "Incorrect assignments: «ab» 2, «aa» 1 (of 7 groups). «aa» is best for balance (100 %). «ab» is best for rack locality (75.0 %)."),
        ({RIGHT: (7, [5, 6, 7]), EVEN: (4, [3, 3, 0])}, "Only «ac» is correct on all 7 groups. Incorrect assignments: «aa» 2, «ab» 1. «aa» and «ab» are best for balance (both 75.0 %)."),
        ({RIGHT: (7, [5, 5, 6, 6, 7])}, "Only «ae» is correct on all 7 groups. 4 of 5 assignors are incorrect on some groups, at most on 2 of 7."),
        ({RIGHT: (7, [4, 5, 6, 6])}, "All 4 assignors are incorrect on some groups, at most on 3 of 7 («aa»)."),
        ({RIGHT: (7, [7, 7]), EVEN: (7, [7, 0]), STICKY: (7, [3, 7])}, "Both assignors are correct on all 7 groups. «aa» is best for balance (100 %) and minimal moves (42.9 %)."),
        ({RIGHT: (7, [7] * 5), STICKY: (7, [2, 2, 2, 2, 1])}, "All 5 assignors are correct on all 7 groups. 4 of 5 assignors are best for minimal moves (28.6 %)."),
    ],
)  # fmt: skip
def test_the_words_of_small_sweeps(found, said):
    targets = len(found[RIGHT][1])
    missing = {question.name: (0, [0] * targets) for question in QUESTIONS}
    assert plain(missing | found)[0] == said
