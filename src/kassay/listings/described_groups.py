"""Groups in the JSON of admin clients; clients for JavaScript, Go and Python use different keys."""

import base64
import binascii
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from kassay.listings.groups import MemberRow
from kassay.listings.location import ListingError, Place, State, quote
from kassay.listings.texts import find_json
from kassay.model import TopicPartition
from kassay.reference.wire.consumer import list_partitions, read_assignment, read_subscription
from kassay.reference.wire.schema import MalformedError

_KEYS = re.compile(
    r'"(?:group_?id|member_?id|consumer_?id|protocol_?type|member_?assignment|partition_?assignor)"\s*:',
    re.IGNORECASE,
)
_GROUP = ("groupid", "group", "id", "name")
_MEMBERS = ("members", "consumers")
_STATE = ("state", "groupstate", "consumergroupstate")
_STRATEGY = ("protocol", "partitionassignor", "assignor", "assignorname", "protocoldata")
_ERROR = ("errorcode", "error", "err")
_TELLING = {
    "groupid",
    "protocoltype",
    "protocol",
    "partitionassignor",
    "coordinator",
    "state",
    "groupstate",
    "issimpleconsumergroup",
}
_MEMBER_ID = ("memberid", "consumerid", "id")
_ASSIGNED = ("memberassignment", "assignment", "assignments", "assigned", "memberpartitions")
_SENT = ("membermetadata", "protocolmetadata", "metadata", "join", "subscription")
_STATES = ("", "PreparingRebalance", "CompletingRebalance", "Stable", "Dead", "Empty")
"""States by their numbers in librdkafka, which its clients for Go, JavaScript and Python print."""
_ADVICE = "give the result of the client's describe call as it was printed"
_OLDEST_HEX = re.compile(r"(?:[0-9a-fA-F]{2})+")


@dataclass(frozen=True, slots=True)
class DescribedGroup:
    """A described group with its members in their order, and its problem, None if there is none."""

    place: Place
    name: str
    state: State
    members: tuple[MemberRow, ...] = ()
    problem: ListingError | None = None


@dataclass(frozen=True, slots=True)
class Described:
    """The groups of one JSON value, on the lines from `line` to `end`."""

    line: int
    end: int
    groups: tuple[DescribedGroup, ...]


def has_described(text: str) -> bool:
    """Return True if a text may contain the JSON of an admin client."""
    return '"' in text and _KEYS.search(text) is not None


def find_described(name: str, text: str) -> list[Described]:
    """Return the groups in the JSON of a text; raise ListingError if it is incomplete."""
    found = []
    for one in find_json(name, text):
        place = Place(name, one.line)
        groups = tuple(_read_group(place, said, key) for said, key in _find_groups(one.value, ""))
        if groups:
            found.append(Described(one.line, one.end, groups))
    return found


def _join_keys(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return an object with its keys in small letters, without separators between words."""
    return {re.sub("[_-]", "", key).lower(): of for key, of in value.items()}


def _get_first(said: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((said[name] for name in names if said.get(name) is not None), None)


def _find_groups(value: Any, key: str, depth: int = 0) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield the objects that describe a group, up to a depth of 4, with the keys that lead to them."""
    if depth > 4:
        return
    if isinstance(value, list):
        for one in value:
            yield from _find_groups(one, "", depth + 1)
    elif isinstance(value, dict):
        said = _join_keys(value)
        if any(name in said for name in _MEMBERS) and _TELLING & said.keys():
            yield said, key
            return
        for name, one in value.items():
            yield from _find_groups(one, name, depth + 1)


def _read_group(place: Place, said: dict[str, Any], key: str) -> DescribedGroup:
    names = [said.get(name) for name in _GROUP]
    name = next((one for one in names if isinstance(one, str) and one), key) or place.file
    state = _get_first(said, _STATE)
    if isinstance(state, int) and not isinstance(state, bool):
        state = _STATES[state] if 0 <= state < len(_STATES) else ""
    if isinstance(state, dict):
        state = state.get("name") or state.get("value")
    state = state.rpartition(".")[2] if isinstance(state, str) else ""
    strategy = _get_first(said, _STRATEGY)
    listed = _get_first(said, _MEMBERS) or []
    members: list[tuple[str | None, Any]] = []
    if isinstance(listed, list):
        members = [(None, one) for one in listed]
    elif isinstance(listed, dict):
        members = list(listed.items())
    told = State(place, state, len(members), strategy if isinstance(strategy, str) and strategy else None)
    try:
        _refuse_failed(place, name, said)
        return DescribedGroup(
            place, name, told, tuple(_read_member(place, name, id_, one) for id_, one in members)
        )
    except ListingError as wrong:
        return DescribedGroup(place, name, told, problem=wrong)


def _refuse_failed(place: Place, name: str, said: Mapping[str, Any]) -> None:
    error = _get_first(said, _ERROR)
    if isinstance(error, dict):
        error = _get_first(_join_keys(error), ("code", "message", "name"))
    is_none = error in (None, 0, "", "NONE", "null", False)
    if not is_none and str(error).upper() not in {"NO_ERROR", "SUCCESS", "ERRNOERROR"}:
        raise place.error(
            f"the error of group {quote(name)} is {quote(str(error))}", "describe the group again"
        )
    kind = said.get("protocoltype")
    if isinstance(kind, str) and kind not in ("", "consumer"):
        fix = (
            "give what Connect's REST interface prints at /connectors?expand=status"
            if kind == "connect"
            else "give a group of consumers"
        )
        raise place.error(f"protocolType of group {quote(name)} is {quote(kind)}", fix)


def _read_member(place: Place, group: str, key: str | None, value: Any) -> MemberRow:
    if not isinstance(value, dict):
        raise place.error(f"a member of group {quote(group)} is {quote(str(value))}, not an object", _ADVICE)
    said = _join_keys(value)
    name = _get_first(said, _MEMBER_ID) or key
    if not isinstance(name, str) or not name:
        raise place.error(f"a member of group {quote(group)} has no member id", _ADVICE)
    given = [one for one in _ASSIGNED if one in said]
    if not given:
        raise place.error(f"member {quote(name)} of group {quote(group)} has no assignment", _ADVICE)
    where = f"{given[0]} of member {quote(name)}"
    texts = (
        _get_first(said, names)
        for names in (("groupinstanceid", "instanceid"), ("clienthost", "host"), ("clientid",))
    )
    instance, host, client = (one if isinstance(one, str) and one else None for one in texts)
    target = said.get("targetassignment")
    return MemberRow(
        place,
        name,
        instance,
        host or "-",
        client or "-",
        held=_read_assigned(place, where, said[given[0]]),
        target=None if target is None else _read_assigned(place, where, target),
        topics=_read_subscribed(place, name, _get_first(said, _SENT)),
    )


def _read_assigned(place: Place, where: str, value: Any) -> tuple[TopicPartition, ...]:
    sent = _read_bytes(value)
    if sent is not None:
        if not sent:
            return ()
        try:
            return tuple(list_partitions(read_assignment(sent).assigned_partitions))
        except MalformedError as wrong:
            raise place.error(f"{where} is not the assignment of a consumer ({wrong})", _ADVICE) from None
    if value is None:
        return ()
    return tuple(_read_partitions(place, where, value))


def _read_partitions(place: Place, where: str, value: Any) -> Iterator[TopicPartition]:
    """Yield the partitions of a decoded assignment, which is a list of partitions or topics, or an object by topic."""
    if isinstance(value, dict):
        said = _join_keys(value)
        inner = _get_first(
            said, ("topicpartitions", "topics", "partitions", "assignment", "assignedpartitions")
        )
        if isinstance(said.get("topic"), str):
            numbers = said.get("partitions", said.get("partition"))
            yield from _read_numbers(place, where, said["topic"], numbers)
        elif isinstance(inner, (list, dict)):
            yield from _read_partitions(place, where, inner)
        else:
            for topic, numbers in value.items():
                if isinstance(numbers, dict) and isinstance(_join_keys(numbers).get("topic"), str):
                    yield from _read_partitions(place, where, numbers)
                elif isinstance(numbers, list):
                    yield from _read_numbers(place, where, topic, numbers)
    elif isinstance(value, list) and len(value) == 2 and isinstance(value[0], str):
        yield from _read_numbers(place, where, value[0], value[1])
    elif isinstance(value, list):
        for one in value:
            yield from _read_partitions(place, where, one)
    else:
        raise place.error(f"{where} holds {quote(str(value))}, no partition", _ADVICE)


def _read_numbers(place: Place, where: str, topic: str, numbers: Any) -> Iterator[TopicPartition]:
    for one in numbers if isinstance(numbers, list) else [numbers]:
        number = (
            _get_first(_join_keys(one), ("partition", "id", "partitionid")) if isinstance(one, dict) else one
        )
        if type(number) is not int:
            raise place.error(f"{where} names partition {quote(str(number))} of {topic}", _ADVICE)
        yield TopicPartition(place.topic("topic", topic), place.number("partition", str(number)))


def _read_subscribed(place: Place, name: str, value: Any) -> tuple[str, ...] | None:
    """Return the topics that a member subscribes to, None if they are unknown."""
    sent = _read_bytes(value)
    if sent:
        try:
            return read_subscription(sent).topics
        except MalformedError as wrong:
            raise place.error(
                f"the metadata of member {quote(name)} is no subscription ({wrong})", _ADVICE
            ) from None
    if isinstance(value, dict):
        topics = _get_first(_join_keys(value), ("topics", "subscription", "subscribedtopics"))
        if isinstance(topics, list) and all(isinstance(one, str) for one in topics):
            return tuple(topics)
    return None


def _read_bytes(value: Any) -> bytes | None:
    """Return the bytes that a value encodes (JSON of Node's buffers, base64 or hexadecimal), None if it encodes nothing."""
    if isinstance(value, dict):
        data = value.get("data") if value.get("type") == "Buffer" else None
        if isinstance(data, (list, str)):
            value = data
        elif value and all(key.isdecimal() for key in value):
            value = list(value.values())
    if isinstance(value, list) and value and all(type(one) is int and 0 <= one < 256 for one in value):
        return bytes(value)
    if not isinstance(value, str):
        return None
    try:
        sent = base64.b64decode(value, validate=True)
    except binascii.Error:
        sent = b"\xff"
    if sent[:1] not in (b"", b"\0") and _OLDEST_HEX.fullmatch(value):
        return bytes.fromhex(value)
    return sent
