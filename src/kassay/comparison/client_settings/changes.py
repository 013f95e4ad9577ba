"""The way of a group from one strategy to another with a given client, and the move to the protocol of KIP-848."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from kassay.comparison.client_settings.cells import (
    Client,
    find_client,
    has_reached,
    is_before,
    parse_release,
    read_clients,
    write_lines,
)
from kassay.sentences import join_names

BROKER = "4.0"
"""The first release of the broker with the protocol."""


@dataclass(frozen=True, slots=True)
class Kip848Move:
    """The settings of KIP-848 for one client."""

    lines: tuple[str, ...]
    """The lines to copy, () if the client or its release does not have the protocol."""
    remove: tuple[str, ...]
    """The settings to remove."""
    text: str


def describe_kip848(client: str, assignor: str = "", release: str = "") -> Kip848Move:
    """Return the lines, the settings to remove, and the least releases for a move to KIP-848."""
    known = read_clients()[find_client(client)]
    cell = known.kip848
    if cell is None or not cell.lines:
        return Kip848Move((), (), f"{known.title} does not have the protocol of KIP-848.")
    if is_before(release, cell.since):
        since = cell.early if cell.early and has_reached(release, cell.early) else ""
        early = f" Release {release} has an early version only." if since else ""
        text = f"KIP-848 needs {known.library} {cell.since} or newer.{early}"
        return Kip848Move((), (), f"{text}{_describe_silence(known, release) if since else ''}")
    lines = cell.lines
    if assignor:
        line = cell.assignor.replace("{assignor}", assignor)
        # The assignor's line stands behind the others, or in their place if it repeats them.
        lines = (line,) if any(one.rstrip(" }") in line for one in lines) else (*lines, line)
    needs = f"{known.library} {cell.since} or newer and brokers" if cell.since else "brokers"
    text = f"KIP-848 needs {needs} {BROKER} or newer. Remove {join_names(cell.remove)} first."
    silence = "" if release and not cell.ignores else _describe_silence(known, release)
    return Kip848Move(lines, cell.remove, f"{text}{silence}")


def _describe_silence(client: Client, release: str) -> str:
    """Return the sentence on clients, and releases of Java, that take the old settings and do nothing with them."""
    if client.kip848 is not None and client.kip848.ignores:
        return f" With KIP-848, {client.title} accepts these settings and ignores them."
    if client.id != "java" or has_reached(release, "4.0"):
        return ""
    return " With KIP-848, Java 3.7 to 3.9 accept these settings and ignore them."


NO_RESTART = "no restart"
ONE_RESTART = "one rolling restart"
TWO_RESTARTS = "two rolling restarts"
FULL_STOP = "full stop"
IMPOSSIBLE = "impossible"
METHODS = (NO_RESTART, ONE_RESTART, TWO_RESTARTS, FULL_STOP, IMPOSSIBLE)
"""The ways to change the strategy of a group, by cost."""
COOPERATIVE = frozenset({"cooperative-sticky"})
"""The cooperative strategies of consumers; all others are eager."""
KAFKA_STRATEGIES = ("range", "roundrobin", "sticky", "cooperative-sticky")
"""The strategies that Kafka's own consumer has, in the order of its documentation."""
UNKNOWN = ("java", "librdkafka")
"""The clients whose lines are printed if the client is unknown."""


@dataclass(frozen=True, slots=True)
class Change:
    """One change of strategy for one client."""

    client: str
    """The id of the client, "" if it is unknown."""
    strategy: str
    lines: tuple[str, ...]
    """The final lines to copy."""
    first_lines: tuple[str, ...]
    """The lines for the first of two restarts, () if one is enough."""
    method: str
    """One of METHODS."""
    text: str
    """The way to get there, in sentences."""
    lacks: bool = False
    """True if the client does not have the strategy."""
    alternative: tuple[str, ...] = ()
    """The lines of KIP-848, if this is the way without a stop."""
    cautions: tuple[str, ...] = ()


_Make: TypeAlias = Callable[..., Change]
"""Makes a change from a method and sentences."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """One question: a client of one release, and what its group uses."""

    client: Client
    strategy: str
    in_use: str
    members: int
    all_static: bool
    release: str
    unset_possible: bool

    @property
    def default(self) -> tuple[str, ...]:
        """The list that the client offers by default in this release, of the newest one if it is not known."""
        reached = [one.strategies for one in self.client.defaults if not is_before(self.release, one.since)]
        return reached[-1] if reached else ()


def describe_change(
    client: str,
    strategy: str,
    in_use: str = "",
    *,
    members: int,
    all_static: bool = False,
    release: str = "",
    default_unset_possible: bool = True,
) -> Change:
    """Return the lines to copy and the way from the strategy in use to another one, both named as in JoinGroup.

    `in_use` is "" if it is not known. `release` is the release of the library that the client is built on, such as kafka-clients for Spring. `default_unset_possible` is False if the list of strategies is known to be set.
    """
    if not client:
        return _describe_unknown(strategy, in_use, members, all_static, default_unset_possible)
    if release:
        parse_release(release)
    known = read_clients()[find_client(client)]
    asked = _Asked(known, strategy, in_use, members, all_static, release, default_unset_possible)
    if not has_strategy(known, strategy, release):
        return _describe_lack(asked)
    change = _describe_having(asked)
    return replace(change, cautions=tuple(dict.fromkeys(_find_cautions(asked, change.method))))


def combine_methods(methods: Iterable[str]) -> str:
    """Return the most costly of several methods: the members of one group change together."""
    return max(methods, key=METHODS.index, default=NO_RESTART)


def _describe_unknown(
    strategy: str, in_use: str, members: int, all_static: bool, default_unset_possible: bool
) -> Change:
    """Return the lines of Java and of librdkafka, each below the name of its client."""
    changes = [
        describe_change(
            name,
            strategy,
            in_use,
            members=members,
            all_static=all_static,
            default_unset_possible=default_unset_possible,
        )
        for name in UNKNOWN
    ]
    lines: list[str] = []
    first: list[str] = []
    text = [f"The strategy is named {strategy}. Each client writes it in its own way."]
    for one in changes:
        title = read_clients()[one.client].title
        lines += [f"# {title}", *one.lines] if one.lines else [f"# {title}: no {strategy}"]
        first += [f"# {title}", *one.first_lines] if one.first_lines else []
        text.append(f"{title}: {f'it has no {strategy}' if one.lacks else one.method}.")
    text.append(
        "The client is not known, as it is if the application sets CLIENT-ID: name it with --client NAME."
    )
    having = [one for one in changes if not one.lacks]
    return Change(
        client="",
        strategy=strategy,
        lines=tuple(lines) if having else (),
        first_lines=tuple(first),
        method=combine_methods(one.method for one in having) if having else IMPOSSIBLE,
        text=" ".join(text),
        lacks=not having,
        cautions=tuple(dict.fromkeys(caution for one in having for caution in one.cautions)),
    )


def has_strategy(client: Client, strategy: str, release: str = "") -> bool:
    """Return True if a client has a strategy in a release, in any release if that is not known."""
    return strategy in client.settable and not is_before(release, _find_since(client, strategy))


def _find_since(client: Client, strategy: str) -> str:
    """Return the first release with a strategy, "" if all have it."""
    return next((one.since for one in client.strategies if one.name == strategy), "")


def _describe_lack(asked: _Asked) -> Change:
    """Return the reason why the strategy cannot be set, and what the client has instead."""
    client, strategy = asked.client, asked.strategy
    if strategy in client.settable:
        since = _find_since(client, strategy)
        text = f"{client.library} {asked.release} does not have {strategy}. Update to {since} or newer first."
        return Change(client.id, strategy, (), (), IMPOSSIBLE, text, lacks=True)
    text = f"{client.title} has {join_names(client.settable)}, and no {strategy}."
    if client.instead is not None:
        text = client.instead.text
    move = describe_kip848(client.id, _find_server_assignor(strategy), asked.release)
    if move.lines:
        text = f"{text} With KIP-848 the broker assigns the partitions instead. {move.text}"
    return Change(client.id, strategy, (), (), IMPOSSIBLE, text, lacks=True, alternative=move.lines)


def _find_server_assignor(strategy: str) -> str:
    """Return the broker's assignor that is nearest to a strategy, "" for its default, uniform."""
    return "range" if strategy == "range" else ""


def _describe_having(asked: _Asked) -> Change:
    """Return the change without its cautions."""
    client, strategy = asked.client, asked.strategy
    lines = write_lines(client, [strategy])

    def change(method: str, *sentences: str, **more: tuple[str, ...]) -> Change:
        return Change(
            client.id,
            strategy,
            more.get("lines", lines),
            more.get("first_lines", ()),
            method,
            " ".join(filter(None, sentences)),
            alternative=more.get("alternative", ()),
        )

    if why := _find_no_restart(asked, lines):
        return change(NO_RESTART, why)
    if client.restart is not None and client.restart.together:
        return change(
            FULL_STOP,
            "A change of the connector's configuration restarts all its tasks together.",
            "That is a short stop, and no second step is needed.",
        )
    if asked.members == 1:
        wait = _wait_for_session(asked) if asked.all_static else ""
        return change(FULL_STOP, "The group has one member: stop it and start it with this.", wait)
    old = asked.in_use or next(iter(asked.default), "")
    assumed = "" if asked.in_use else f"This is the way from {old}, the default."
    mixes = client.mixing is not None and client.mixing.allowed
    if old not in client.settable:
        # Another strategy, such as a class of the user: the lists may have no name in common.
        if not mixes:
            stop = (
                f"{old} is not a strategy of {client.title}, so the lists have no name in common for certain."
            )
            return change(FULL_STOP, stop, "Stop all members. Then start them with this line.")
        return change(
            TWO_RESTARTS,
            f"{old} is not a strategy of {client.title} itself.",
            f"First restart: put {strategy} in front of what is set for {old}, and keep that.",
            "Second restart: this line.",
        )
    if (old in COOPERATIVE) != (strategy in COOPERATIVE):
        describe = _describe_two_restarts if mixes else _describe_stop
        return describe(asked, change, old, assumed)
    return _describe_same_kind(asked, change, old, assumed)


def _find_no_restart(asked: _Asked, lines: tuple[str, ...]) -> str:
    """Return the reason why no member has to be restarted, "" if members have to."""
    client, strategy = asked.client, asked.strategy
    if not lines:
        return client.instead.text if client.instead else f"{client.title} always uses {strategy}."
    if strategy == asked.in_use:
        return f"The group uses {strategy} already."
    if not asked.members:
        return "No member is running: set this before you start them."
    if not asked.in_use and strategy in asked.default[:1]:
        return f"{strategy} is the default of {client.title}: change nothing if nothing else is set."
    return ""


def _describe_same_kind(asked: _Asked, change: _Make, old: str, assumed: str) -> Change:
    """Return the change between two eager strategies: one list with both names."""
    if asked.client.line is None or not asked.client.line.lists:
        return _describe_stop(asked, change, old, assumed)
    return change(
        ONE_RESTART,
        assumed,
        "Until the last member has the new list, the group keeps the old strategy.",
        f"You may take {old} out of the list at a later restart.",
        _describe_static(asked),
        lines=write_lines(asked.client, [asked.strategy, old]),
    )


def _describe_two_restarts(asked: _Asked, change: _Make, old: str, assumed: str) -> Change:
    """Return the change between eager and cooperative with a client that takes both in one list."""
    first = write_lines(asked.client, [asked.strategy, old])
    both = "The first one lists both names."
    never = "Never skip the first one: the group refuses restarted members then."
    default = asked.default
    in_default = asked.strategy in default and old == default[0] and asked.unset_possible
    if not in_default:
        return change(TWO_RESTARTS, assumed, both, never, _describe_static(asked), first_lines=first)
    since = next(one.since for one in asked.client.defaults if asked.strategy in one.strategies)
    library = "Java" if asked.client.id == "java" else "kafka-clients"
    newer = "" if asked.release else f" ({library} {since} or newer)"
    once = f"If no strategy was set before{newer}: one rolling restart."
    method = ONE_RESTART if asked.release and has_reached(asked.release, since) else TWO_RESTARTS
    otherwise = "Otherwise: two, and the first one lists both names."
    # With the default list, the strategy changes as soon as the first member is back.
    static = "Static members change nothing when they restart, until the strategy changes." * asked.all_static
    return change(method, assumed, once, otherwise, static, first_lines=first)


def _describe_stop(asked: _Asked, change: _Make, _old: str, assumed: str) -> Change:
    """Return the change with a stop of all members, and KIP-848 as the way without one."""
    client = asked.client
    why = f"{client.title} refuses eager and cooperative strategies in one list."
    if client.line is not None and not client.line.lists:
        why = f"{client.title} takes one strategy, so no list can hold both names."
    # A new static member cannot wait: it has the instance id of the old one.
    waits = client.stop is not None and not asked.all_static
    stop = (
        client.stop.text if client.stop and waits else "Stop all members. Then start them with the new line."
    )
    move = describe_kip848(client.id, _find_server_assignor(asked.strategy), asked.release)
    without = f"Without a stop: move the members one by one to KIP-848. {move.text}" if move.lines else ""
    wait = _wait_for_session(asked) if asked.all_static else ""
    return change(FULL_STOP, assumed, why, stop, wait, without, alternative=move.lines)


def _describe_static(asked: _Asked) -> str:
    if not asked.all_static:
        return ""
    return "All members are static: the group rebalances once, when the last one has the new list."


def _wait_for_session(asked: _Asked) -> str:
    session = _find_session(asked)
    time = f" ({session // 1000} s by default)" if session else ""
    return (
        f"Static members stay in the group after a stop: wait for the session timeout{time} before the start."
    )


def _find_session(asked: _Asked) -> int:
    """Return the default session timeout in milliseconds, 0 if it is not known."""
    reached = [one.ms for one in asked.client.sessions if not is_before(asked.release, one.since)]
    return reached[-1] if reached else 0


def _find_cautions(asked: _Asked, method: str) -> Sequence[str]:
    """Return the least release with the strategy, if not all have it, and the traps and known defects in this release."""
    found = []
    since = {one.name: one.since for one in asked.client.strategies}
    wanted = since.get(asked.strategy, "")
    if not asked.release and wanted and any(is_before(other or "0", wanted) for other in since.values()):
        found.append(f"{asked.strategy} needs {asked.client.library} {wanted} or newer.")
    session = _find_session(asked)
    if asked.all_static and method in (ONE_RESTART, TWO_RESTARTS) and 0 < session < SHORT_SESSION_MS:
        found.append(
            f"The session timeout must be longer than a restart. Its default is {session // 1000} s."
        )
    return [
        *found,
        *(
            one.text
            for one in asked.client.cautions
            if not one.mixed
            and (not one.strategies or asked.strategy in one.strategies)
            and not (one.since and is_before(asked.release, one.since))
            and not (one.until and asked.release and has_reached(asked.release, one.until))
        ),
    ]


SHORT_SESSION_MS = 30_000
"""A restart may take longer than a session timeout below this."""
