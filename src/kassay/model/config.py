"""The configuration of a group of topics and members, in addition to metadata and subscriptions."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

MOST_PATTERN = 1_000
"""How many characters a pattern may have."""
LONGEST_HOST = 253
"""How many characters the longest name of a host has (RFC 1035); a longer text names none."""
MOST_MEMORY = 2**15
"""How many bytes a pattern may take once it is compiled: one that repeats repeats, as in ((a{99}){99}), is refused."""
PAIR = 2
"""How many topics a join has at least."""
OTHERS = ("consumer/roundrobin", "consumer/range", "consumer/fair", "consumer/sticky")
"""Assignors of the topics that are not joined; the first is the default."""


@dataclass(frozen=True, slots=True)
class Config:
    """The configuration of a group's assignors; what is left out has no effect.

    `rack_from_host` is a regular expression for a whole host name, with one group, which is the rack; as files may come from
    anybody, it is one of RE2, which is done in linear time and knows neither lookaround nor references to groups.
    `joined_topics` are sets of topics that are joined with each other; `other_topics_assignor` is one of OTHERS and assigns the
    rest. Raises ValueError naming the key as JSON has it. Source: the client-side assignment proposal's cases of metadata-based
    assignment and of the processor client.
    """

    rack_from_host: str | None = None
    joined_topics: tuple[tuple[str, ...], ...] = ()
    other_topics_assignor: str = OTHERS[0]

    def __post_init__(self) -> None:
        if self.rack_from_host is not None:
            _refuse_wrong_pattern(self.rack_from_host)
        seen: set[str] = set()
        for joined in self.joined_topics:
            if len(joined) < PAIR:
                raise ValueError(f"joined.topics: {list(joined)} is no join; list two topics or more")
            for name in joined:
                if name in seen:
                    raise ValueError(
                        f"joined.topics: {name!r} is listed twice; list what is joined in one set"
                    )
                seen.add(name)
        if self.other_topics_assignor not in OTHERS:
            raise ValueError(
                f"other.topics.assignor: {self.other_topics_assignor!r}; give {', '.join(OTHERS)}"
            )

    def rack_of(self, host: str) -> str | None:
        """Return the rack that a host's name tells; None without a rule, where it does not match, or where it tells an empty one."""
        if self.rack_from_host is None or len(host) > LONGEST_HOST:
            return None
        found = _compile(self.rack_from_host).fullmatch(host)
        return (found[1] or None) if found else None

    def renamed(self, topics: Mapping[str, str]) -> "Config":
        """Return the same for a group in which some topics have other names."""
        joined = tuple(tuple(topics.get(name, name) for name in names) for names in self.joined_topics)
        return Config(self.rack_from_host, joined, self.other_topics_assignor)

    def without(self, topics: Collection[str]) -> "Config":
        """Return the same for a group without some topics."""
        left = (tuple(name for name in names if name not in topics) for names in self.joined_topics)
        joined = tuple(names for names in left if len(names) >= PAIR)
        return Config(self.rack_from_host, joined, self.other_topics_assignor)


UNCONFIGURED = Config()


@cache
def _compile(text: str) -> Any:
    """Make a pattern of RE2, whose time grows with the length of pattern and host name alone, however they are made."""
    import re2  # noqa: PLC0415 - loaded where there is a pattern: a browser has no RE2

    options = re2.Options()
    options.log_errors, options.max_mem = False, MOST_MEMORY
    return re2.compile(text, options)


def _refuse_wrong_pattern(text: str) -> None:
    if len(text) > MOST_PATTERN:
        raise ValueError(f"rack.from.host: has {len(text)} characters; give at most {MOST_PATTERN}")
    try:
        import re2  # noqa: PLC0415 - as above
    except ModuleNotFoundError:
        raise ValueError(
            "rack.from.host: there is no RE2 here to read it; leave it out, and give members their rack"
        ) from None
    try:
        groups = _compile(text).groups
    except (re2.error, UnicodeEncodeError) as wrong:
        why = wrong.args[0].decode(errors="replace") if isinstance(wrong, re2.error) else str(wrong)
        raise ValueError(
            f"rack.from.host: {text!r} is no regular expression of RE2 ({why}); write one such as '[^.]+[.]([^.]+)[.].*'"
        ) from None
    if "{," in text:
        raise ValueError(
            f"rack.from.host: {text!r}: RE2 takes {{,n}} for these signs themselves; write {{0,n}} for up to n times"
        )
    if groups != 1:
        raise ValueError(
            f"rack.from.host: {text!r} has {groups} groups; put the rack alone in parentheses, and use (?:...) for others"
        )
