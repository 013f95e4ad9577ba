"""The configuration of a group of topics and members, in addition to metadata and subscriptions."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

MOST_PATTERN = 1_000
"""The most characters of a pattern."""
LONGEST_HOST = 253
"""The most characters of a host name (RFC 1035). A longer text is not a host name."""
MOST_MEMORY = 2**15
"""The most bytes of a compiled pattern. Nested repetitions such as ((a{99}){99}) are refused."""
PAIR = 2
"""The fewest topics of a join."""
OTHERS = ("consumer/roundrobin", "consumer/range", "consumer/fair", "consumer/sticky")
"""Assignors of the topics that are not joined; the first is the default."""


@dataclass(frozen=True, slots=True)
class Config:
    """The configuration of a group's assignors; a field that is left out has no effect.

    Raises ValueError naming the key in JSON. Source: the client-side assignment proposal, cases of metadata-based
    assignment and of the processor client.
    """

    rack_from_host: str | None = None
    """A regular expression that matches a whole host name; its only group is the rack.

    Files may come from untrusted sources. So it is an expression of RE2, which runs in linear time, without lookaround and back references.
    """
    joined_topics: tuple[tuple[str, ...], ...] = ()
    """Sets of topics that are joined with each other."""
    other_topics_assignor: str = OTHERS[0]
    """The assignor of all other topics, one of OTHERS."""

    def __post_init__(self) -> None:
        if self.rack_from_host is not None:
            _refuse_wrong_pattern(self.rack_from_host)
        seen: set[str] = set()
        for joined in self.joined_topics:
            if len(joined) < PAIR:
                raise ValueError(f"joined.topics: {list(joined)} is not a join. List two topics or more")
            for name in joined:
                if name in seen:
                    raise ValueError(
                        f"joined.topics: {name!r} is listed twice. List joined topics in one set"
                    )
                seen.add(name)
        if self.other_topics_assignor not in OTHERS:
            raise ValueError(
                f"other.topics.assignor: {self.other_topics_assignor!r}. Give {', '.join(OTHERS)}"
            )

    def rack_of(self, host: str) -> str | None:
        """Return the rack in a host name; None without a rule, without a match, or if the rack is empty."""
        if self.rack_from_host is None or len(host) > LONGEST_HOST:
            return None
        found = _compile(self.rack_from_host).fullmatch(host)
        return (found[1] or None) if found else None

    def renamed(self, topics: Mapping[str, str]) -> "Config":
        """Return the configuration with some topics renamed."""
        joined = tuple(tuple(topics.get(name, name) for name in names) for names in self.joined_topics)
        return Config(self.rack_from_host, joined, self.other_topics_assignor)

    def without(self, topics: Collection[str]) -> "Config":
        """Return the configuration without some topics."""
        left = (tuple(name for name in names if name not in topics) for names in self.joined_topics)
        joined = tuple(names for names in left if len(names) >= PAIR)
        return Config(self.rack_from_host, joined, self.other_topics_assignor)


UNCONFIGURED = Config()


@cache
def _compile(text: str) -> Any:
    """Return a compiled RE2 pattern. Its time is linear in the lengths of pattern and host name."""
    import re2  # noqa: PLC0415 - loaded only with a pattern: a browser has no RE2

    options = re2.Options()
    options.log_errors, options.max_mem = False, MOST_MEMORY
    return re2.compile(text, options)


def _refuse_wrong_pattern(text: str) -> None:
    if len(text) > MOST_PATTERN:
        raise ValueError(f"rack.from.host: has {len(text)} characters. Give at most {MOST_PATTERN}")
    try:
        import re2  # noqa: PLC0415 - as above
    except ModuleNotFoundError:
        raise ValueError(
            "rack.from.host: needs RE2, which is not installed here. Leave it out, and give members their rack"
        ) from None
    try:
        groups = _compile(text).groups
    except (re2.error, UnicodeEncodeError) as wrong:
        why = wrong.args[0].decode(errors="replace") if isinstance(wrong, re2.error) else str(wrong)
        raise ValueError(
            f"rack.from.host: {text!r} is not a regular expression of RE2 ({why}). Write one such as '[^.]+[.]([^.]+)[.].*'"
        ) from None
    if "{," in text:
        raise ValueError(
            f"rack.from.host: {text!r}: RE2 takes {{,n}} for these signs themselves. Write {{0,n}} for up to n times"
        )
    if groups != 1:
        raise ValueError(
            f"rack.from.host: {text!r} has {groups} groups. Put the rack alone in parentheses, and use (?:...) for others"
        )
