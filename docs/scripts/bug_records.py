"""The records of bugs: examples/findings/findings.toml for current releases, museum/museum.toml for old ones.

All records share the fields of `Bug`. findings.py and old_bugs.py write the pages from them.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import msgspec

from kassay.errors import InputError
from kassay.files.texts import read_toml
from kassay.model.json_text import convert_json
from kassay.sentences import MOST_WORDS

ROOT = Path(__file__).parents[2]
FINDINGS = ROOT / "examples" / "findings" / "findings.toml"
MUSEUM = ROOT / "museum" / "museum.toml"
TITLE_WORDS = 12


class Bug(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A bug in a release of a library."""

    title: str
    """At most twelve words."""
    effect: str
    """The consequence for the group."""
    when: str
    """The condition, after "happens when"."""
    workaround: str
    """The way to avoid the bug until the library is updated."""
    issue: str = ""
    """The address of the issue or pull request upstream, "" if none is known."""
    also: str = ""
    """A related bug: the same one elsewhere, its cause, or its next occurrence."""

    @property
    def key(self) -> str:
        """The name of the issue, such as KAFKA-7026 or kafka-python #2153."""
        jira = re.search(r"KAFKA-\d+$", self.issue)
        forge = re.search(r"([\w-]+)/(?:issues|pull)/(\d+)$", self.issue)
        return jira[0] if jira else f"{forge[1]} #{forge[2]}" if forge else "(no issue known)"


class FoundBug(Bug, frozen=True, kw_only=True):
    """A bug in a current release."""

    library: str
    """The library with its release."""
    since: str = ""
    """The releases in which the file shows the bug, as far as they were tested."""


class FindingRecord(FoundBug, frozen=True, kw_only=True):
    """A bug in a current release, with a file that `kassay explain` replays."""

    file: str
    readme: Literal["", "first", "table"] = ""
    """The list of the README that has the finding, if any."""


class Observation(FoundBug, frozen=True, kw_only=True):
    """A bug in a current release that was observed over the wire, by a program or a test."""

    evidence: str
    workaround: str = ""
    promise: str = ""


class Exhibit(Bug, frozen=True, kw_only=True):
    """A bug of an old release of an assignor."""

    affected: str
    """The target with the bug."""
    fixed: str
    """The target in the next tested release without the bug."""
    shows: tuple[str, ...]
    """The properties that distinguish the bug from other bugs of the same release; "time" is one of them. The search does not read them."""

    @property
    def assignor(self) -> str:
        """The name of Kafka's assignor, or of the project of a Python client."""
        release, _, assignor = self.affected.partition("#")
        return release.removeprefix("pypi:").partition("==")[0] if release.startswith("pypi:") else assignor

    @property
    def version(self) -> str:
        """The version of the affected release."""
        return _read_version(self.affected)

    @property
    def fixed_version(self) -> str:
        """The version of the fixed release."""
        return _read_version(self.fixed)

    @property
    def name(self) -> str:
        """The issue, the assignor and its release: unique among the exhibits."""
        return f"{self.key} {self.assignor}@{self.version}"


def _read_version(target: str) -> str:
    return re.split("==|:", target.partition("#")[0])[-1]


class StagedBug(Bug, frozen=True, kw_only=True):
    """A bug of an old release of the group protocol, which a module of museum/protocol adds to kassay's state machines."""

    affected: str
    """The library with the last release that has the bug."""
    fixed: str
    """The library with the next release."""
    side: Literal["coordinator", "member"]
    """The side of the protocol that has the bug."""


KINDS: Mapping[str, Mapping[str, type[Bug]]] = {
    FINDINGS.name: {"finding": FindingRecord, "observation": Observation},
    MUSEUM.name: {"exhibit": Exhibit, "staged": StagedBug},
}
"""File -> table -> the type of its entries."""


def read_bugs(file: Path) -> dict[str, list[Any]]:
    """Return the entries of a file by table; raises InputError naming file, entry, field and fix."""
    kinds = KINDS[file.name]
    bugs: dict[str, list[Any]] = {table: [] for table in kinds}
    for table, entries in read_toml(file).items():
        if table not in kinds:
            raise InputError(f"{file}: there is no table [[{table}]]. Write one of {', '.join(kinds)}")
        for number, entry in enumerate(entries, 1):
            place = f"{file}: {table} {number} ({entry.get('title', 'no title')})"
            for field, value in entry.items():
                _check_value(f"{place}: {field}", field, value)
            try:
                bugs[table].append(convert_json(entry, kinds[table]))
            except InputError as wrong:
                fix = (
                    ""
                    if ". " in str(wrong)
                    else f". Read the fields of {kinds[table].__name__} in {__file__}"
                )
                raise InputError(f"{place}: {wrong}{fix}") from None
    return bugs


def _check_value(place: str, field: str, value: Any) -> None:
    if not value:
        raise InputError(f"{place}: is empty. Fill it, or leave it out")
    if not isinstance(value, str):
        return
    sentences = [value] if field == "title" else re.split(r"(?<=[.!?]) ", value)
    limit = TITLE_WORDS if field == "title" else MOST_WORDS
    for sentence in sentences:
        if len(sentence.split()) > limit:
            raise InputError(f"{place}: {len(sentence.split())} words: {sentence!r}. Write at most {limit}")
