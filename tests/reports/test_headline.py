"""The headline: one sentence, or two, in which every number stands in the table, and nobody is called best who is not."""

import re

import pytest

pytest.importorskip("jinja2", reason="pip install 'kassay[reports]'")

import pandas as pd
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from reports.plain_sums import CONSUMER
from whole import share

from kassay.comparison.headline import target_labels
from kassay.reports.tables.headline import render_headline
from kassay.reports.tables.table import share as as_share

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


def rights(of):
    return st.sampled_from(sorted({0, of, of // 2})) | st.integers(0, of)


def told(found, names):
    rows = [
        {"question": question, "target": name, "right": right, "of": of}
        for question, (of, all_) in found.items()
        for name, right in zip(names, all_, strict=True)
    ]
    return render_headline(pd.DataFrame(rows), QUESTIONS, names)


def plain(found):
    """Return the headline with names that nothing else in it looks like, and these names."""
    names = [f"«{chr(97 + n // 26)}{chr(97 + n % 26)}»" for n in range(len(found["safe"][1]))]
    return told(found, names), names


def opening(found):
    """Return the first sentence of the headline, and the names."""
    text, names = plain(found)
    return f"{text.partition('. ')[0].rstrip('.')}.", names


@settings(max_examples=EXAMPLES, deadline=None)
@given(counts())
def test_it_is_a_sentence_or_two_of_numbers_from_the_table(found):
    text, names = plain(found)
    for sentence in re.split(r"(?<=[^\d]\.) (?=[A-Z«\d])|(?<=\d\.) (?=[A-Z«])", text):
        assert re.fullmatch(r"[A-Z«\d][^.]*(?:\d\.\d[^.]*)*[a-z)\d]\.", sentence), text
    assert not re.search(r"(?<![\d,])0 (?!%)", text)
    assert "  " not in text
    assert " 1 groups" not in text
    assert not re.search(r"\b1 (group|assignor|more|of)\b", text) or re.search(r"[^\d]1 of \d", text), text
    shares = {as_share(right / of) for of, all_ in found.values() if of for right in all_}
    assert set(re.findall(SHARE, text)) <= shares
    of, safe = found["safe"]
    failing = sum(right < of for right in safe)
    known = {of, *(of - right for right in safe), len(names), failing, len(names) - failing}
    known |= {number for number, _ in found.values()} | {
        sum(r == max(all_) for r in all_) - 2 for _, all_ in found.values()
    }
    numbers = re.findall(r"\d[\d,]*", re.sub(SHARE, "", text))
    assert {int(number.replace(",", "")) for number in numbers} <= known, text


@settings(max_examples=EXAMPLES, deadline=None)
@given(counts())
def test_who_is_called_best_is_best(found):
    text, names = opening(found)
    assert "sticky" not in text
    text = text.replace("without needless moves", "sticky")
    _, safe = found["safe"]
    first, _, _ = text.partition(" fail, ")
    claims = re.findall(
        r"((?:«\w\w»|, | and |\d+ more)+) (?:is|are) most often (.+?)(?=; |, (?:but|«|both|all|none|neither)|$)",
        first,
    )
    seen = {}
    for who, what in claims:
        assert not re.search(SHARE, what), text
        for question in re.findall(r"\w+", what.replace(" and ", " ")):
            number, all_ = found[question]
            best = [name for name, right in zip(names, all_, strict=True) if right == max(all_) > 0]
            named = re.findall("«..»", who)
            more = re.search(r"(\d+) more", who)
            assert named == (best[:2] if more else best), text
            assert not more or int(more[1]) == len(best) - 2
            assert len(best) < len(names)
            seen[question] = True
    for question, (number, all_) in [*found.items()][1:]:
        if not any(safe) or not number or len(names) == 1:
            assert question not in seen
        elif not max(all_):
            assert re.search(rf"([Nn]either|[Nn]one) is ever [\w ]*\b{question}\b", text), text
            assert (len(names) == 2) == ("either is ever" in text)
        elif len(set(all_)) == 1:
            assert re.search(
                rf"([Bb]oth|[Aa]ll) are equally often [^;]*\b{question}\b",
                text,
            )
            assert (len(names) == 2) == ("oth are equally" in text)
        else:
            assert question in seen, text


@settings(max_examples=EXAMPLES, deadline=None)
@given(counts())
def test_who_fails_is_named_or_counted(found):
    text, names = opening(found)
    of, safe = found["safe"]
    failing = {name: of - right for name, right in zip(names, safe, strict=True) if right < of}
    if not of:
        assert text == "Nothing can be told: no group was tested."
        return
    best = [
        {name for name, right in zip(names, all_, strict=True) if right == max(all_)}
        for number, all_ in [*found.values()][1:]
        if number and len(set(all_)) > 1
    ]
    winners = set().union(*best)
    assert (", but " in text) == (any(safe) and bool(winners) and winners <= set(failing)), text
    says = re.split("; |, but ", text)
    clause = says[0] if len(names) == 1 or not any(safe) else says[-1]
    if not failing:
        assert (
            re.search(r"([Nn]either|[Nn]one of the \d+) fails on|fails on none of|does not fail", clause)
            or len(names) == 1
        )
        return
    assert "fail" in clause
    assert not re.search("does not fail|either|[Nn]one of the", clause.split(" where ")[0]), text
    if not any(safe):
        begin = {1: f"{names[0]} fails", 2: "Both assignors fail"}.get(
            len(names), f"All {len(names)} assignors fail"
        )
        assert text == f"{begin} on {'the one group' if of == 1 else f'all {of:,} groups'}."
    elif len(failing) > 3:
        assert re.match(rf"(?:{len(failing)} of the|[Aa]ll) {len(names)} fail\b", clause), text
        worst = re.findall("«..»", clause)
        assert worst == [name for name in worst if failing[name] == max(failing.values())]
        assert of == 1 or f"{max(failing.values()):,}" in clause
    elif "both" not in clause and not re.match(r"it\b", clause):
        assert re.findall("«..»", clause.split("; ")[0]) == list(failing), text
    else:
        assert set(re.findall("«..»", says[0])) == set(failing), text
    for number in failing.values() if len(names) > 1 and len(failing) <= 3 else ():
        assert f"{number:,}" in clause or of == 1, text


@settings(max_examples=EXAMPLES, deadline=None)
@given(counts())
def test_who_never_fails_is_told_where_the_best_fail(found):
    text, names = plain(found)
    of, safe = found["safe"]
    sound = [name for name, right in zip(names, safe, strict=True) if right == of]
    _, _, more = text.partition(". ")
    assert bool(more) == (", but " in text and bool(sound)), text
    if len(sound) > 2:
        assert more in ("", f"{len(sound)} others never fail.")
    elif more:
        assert re.findall("«..»", more) == sound
        question, (number, all_) = next(one for one in [*found.items()][1:] if one[1][0])
        shares = [as_share(all_[names.index(name)] / number) for name in sound]
        assert more.endswith(
            f" {question.replace('sticky', 'without needless moves')} on {' and '.join(shares)} of {number:,}."
        )


@settings(max_examples=EXAMPLES, deadline=None)
@given(counts(most_targets=len(HOSTILE)), st.permutations(HOSTILE))
def test_names_stand_as_they_are(found, hostile):
    """No name changes the words around it, and none is changed by them."""
    text, names = plain(found)
    others = hostile[: len(names)]
    labels = list(target_labels(others).values())
    assume(len(set(labels)) == len(labels))
    for name, label in zip(names, labels, strict=True):
        text = text.replace(name, label)
    assert told(found, others) == text


SAFE, EVEN, STICKY, NEAR, *_ = (question.name for question in QUESTIONS)


@pytest.mark.parametrize(
    ("found", "said"),
    [
        ({SAFE: (1, [0])}, "«aa» fails on the one group."),
        ({SAFE: (1, [1])}, "«aa» does not fail on the one group."),
        ({SAFE: (5, [5]), EVEN: (4, [4]), NEAR: (1, [0])}, "«aa» fails on none of 5 groups; it is even on all 4 and near on none where that can go wrong."),
        ({SAFE: (5, [3]), EVEN: (4, [3])}, "«aa» fails on 2 of 5 groups; it is even on 75.0 % of 4 where that can go wrong."),
        ({SAFE: (1, [0, 0])}, "Both assignors fail on the one group."),
        ({SAFE: (7, [0, 0, 0])}, "All 3 assignors fail on all 7 groups."),
        ({SAFE: (1, [1, 1]), EVEN: (1, [0, 0])}, "Neither is ever even; neither fails on the one group."),
        ({SAFE: (7, [7, 7, 7])}, "None of the 3 fails on any of 7 groups."),
        ({SAFE: (7, [7, 0])}, "«ab» fails on all 7 groups."),
        ({SAFE: (7, [6, 7]), EVEN: (4, [4, 2])}, "«aa» is most often even, but it fails on 1 of 7 groups. «ab» never fails, and is even on 50.0 % of 4."),
        ({SAFE: (7, [6, 6]), EVEN: (4, [4, 2])}, "«aa» is most often even, but «aa» and «ab» each fail on 1 of 7 groups."),
        ({SAFE: (7, [5, 6, 7]), EVEN: (4, [3, 3, 0])}, "«aa» and «ab» are most often even, but both fail on 2 and 1 of 7 groups. «ac» never fails, and is even on 0 % of 4."),
        ({SAFE: (7, [5, 5, 6, 6, 7])}, "4 of the 5 fail, on at most 2 of 7 groups each."),
        ({SAFE: (7, [4, 5, 6, 6])}, "All 4 fail, «aa» most often: on 3 of 7 groups."),
        ({SAFE: (7, [6] * 4)}, "All 4 fail on 1 of 7 groups each."),
    ],
)  # fmt: skip
def test_the_words_of_small_sweeps(found, said):
    targets = len(found[SAFE][1])
    missing = {question.name: (0, [0] * targets) for question in QUESTIONS}
    assert plain(missing | found)[0] == said
