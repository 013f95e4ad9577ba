"""The configuration of a group of topics and members: what an assignor is told beside metadata and subscriptions."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

MOST_PATTERN = 1_000
"""How many characters a pattern may have."""
LONGEST_HOST = 253
"""How many characters the longest name of a host has (RFC 1035); a longer text names none."""
MOST_CHOICES = 2 * LONGEST_HOST**3
"""In at most this many ways a pattern may be tried on a host name, so that one from anybody ends soon."""
PAIR = 2
"""How many topics a join has at least."""
OTHERS = ("consumer/roundrobin", "consumer/range", "consumer/fair", "consumer/sticky")
"""What may assign the topics that are not joined; the first one where none is named."""


@dataclass(frozen=True, slots=True)
class Config:
    """What a group's assignors are configured with; what is left out has no effect.

    `rack_from_host` is a regular expression of Python's for a whole host name, with one group, which is the rack; as files may come
    from anybody, it may repeat no group, and repeat without limit three times at most.
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
        found = re.fullmatch(self.rack_from_host, host)
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


def _refuse_wrong_pattern(text: str) -> None:
    if len(text) > MOST_PATTERN:
        raise ValueError(f"rack.from.host: has {len(text)} characters; give at most {MOST_PATTERN}")
    try:
        compiled = re.compile(text)
    except (re.error, RecursionError, OverflowError) as wrong:
        raise ValueError(
            f"rack.from.host: {text!r} is no regular expression ({wrong}); write one such as '[^.]+[.]([^.]+)[.].*'"
        ) from None
    if compiled.groups != 1:
        raise ValueError(
            f"rack.from.host: {text!r} has {compiled.groups} groups; put the rack alone in parentheses, and use (?:...) for others"
        )
    if compiled.flags & re.VERBOSE or _choices(text) > MOST_CHOICES:
        raise ValueError(
            f"rack.from.host: {text!r} could take too long; repeat no group, and use *, + and {{n,}} three times in all at most"
        )


def _choices(pattern: str) -> int:
    """Return a bound of the ways in which a pattern can be tried on a host name; too many where a group is repeated."""
    ways, before = 1, ""
    for sign in re.findall(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\{\d*,?\d*\}|.", pattern, re.DOTALL):
        repeats = sign in {"*", "+", "?"} or (sign.startswith("{") and sign != "{")
        if sign == "|":
            ways *= 2
        elif repeats and before != "repeats" and not (sign == "?" and before == "("):
            if before == ")" and sign != "?":
                return MOST_CHOICES + 1
            ways *= _times(sign)
        before = "repeats" if repeats else sign
    return ways


def _times(repeat: str) -> int:
    """Return between how many numbers of times a repeat can choose, in the longest host name."""
    least, comma, most = repeat.strip("{}").partition(",")
    if repeat == "?":
        return 2
    if repeat in {"*", "+"} or (comma and not most):
        return LONGEST_HOST
    return max(1, int(most) - int(least or 0) + 1) if comma else 1
