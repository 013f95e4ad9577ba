"""The records of bugs are read strictly: every wrong field is refused by name."""

import re

import pytest
from bug_records import FINDINGS, MUSEUM, Bug, read_bugs

from kassay.errors import InputError

STAGED = {
    "title": "Group stops",
    "effect": "No rebalance ends.",
    "when": "a member fails.",
    "workaround": "None known.",
    "issue": "https://issues.apache.org/jira/browse/KAFKA-1",
    "affected": "kafka 1.0.0",
    "fixed": "kafka 1.1.0",
    "side": "member",
}
LONG = "word " * 26


def read_one(folder, entry, table="staged"):
    """Write and read one entry."""
    file = folder / MUSEUM.name
    lines = (f"{key} = {value if isinstance(value, int) else repr(value)}\n" for key, value in entry.items())
    file.write_text(f"[[{table}]]\n{''.join(lines)}")
    return read_bugs(file)[table][0]


def test_a_whole_entry_is_read(tmp_path):
    bug = read_one(tmp_path, STAGED)
    assert (bug.title, bug.key, bug.also) == ("Group stops", "KAFKA-1", "")


@pytest.mark.parametrize("field", [field for field in STAGED if field != "issue"])
def test_a_missing_field_is_named(field, tmp_path):
    entry = {key: value for key, value in STAGED.items() if key != field}
    with pytest.raises(InputError, match=rf"museum.toml: staged 1 \(.*\): a field is missing. Add `{field}`"):
        read_one(tmp_path, entry)


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        ({"about": "x"}, "there is no field `about`. Leave it out"),
        ({"issue": ""}, "issue: is empty. Fill it, or leave it out"),
        ({"title": "a " * 13}, "title: 13 words: 'a a a a a a a a a a a a a '. Write at most 12"),
        ({"effect": f"Short. {LONG}"}, f"effect: 26 words: {LONG!r}. Write at most 25"),
        ({"side": "broker"}, "side: Invalid enum value 'broker'. Read the fields of StagedBug in "),
        ({"when": 7}, "when: Expected `str`, got `int`. Read the fields of StagedBug in "),
    ],
)
def test_a_wrong_field_is_named_with_a_fix(entry, problem, tmp_path):
    with pytest.raises(InputError, match=rf"museum.toml: staged 1 \(.*\): {re.escape(problem)}"):
        read_one(tmp_path, STAGED | entry)


def test_an_unknown_table_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"there is no table \[\[exhibits\]\]. Write one of exhibit, staged"):
        read_one(tmp_path, STAGED, "exhibits")


@pytest.mark.parametrize(
    ("issue", "key"),
    [
        ("https://issues.apache.org/jira/browse/KAFKA-7026", "KAFKA-7026"),
        ("https://github.com/dpkp/kafka-python/issues/2153", "kafka-python #2153"),
        ("https://github.com/apache/kafka/pull/23155", "kafka #23155"),
        ("", "(no issue known)"),
    ],
)
def test_the_key_of_a_bug_is_the_name_of_its_issue(issue, key):
    assert Bug(title="t", effect="e", when="w", workaround="n", issue=issue).key == key


@pytest.mark.parametrize("file", [FINDINGS, MUSEUM])
def test_every_issue_is_an_address_with_a_key(file):
    for bugs in read_bugs(file).values():
        for bug in bugs:
            assert not bug.issue or (bug.issue.startswith("https://") and "(" not in bug.key)
