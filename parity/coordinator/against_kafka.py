"""Hold our coordinator against Kafka's on one sequence: after each step, answers, log, timers and group must be the same."""

from collections.abc import Generator
from typing import Any

from asking import Asking

from kassay.reference.group.behaviour import Behaviour
from kassay.reference.group.messages import Error
from kassay.simulation.alone.coordinator import Held, by_token, chances

SESSION = "heartbeat-g-"
"""What the names of sessions' timers begin with."""


class DifferenceError(Exception):
    """The two coordinators differ; the arguments are what was asked, our side and Kafka's."""


def hold(
    behaviour: Behaviour, sequence: dict[str, Any], kept: list[tuple[Any, Any]] | None = None
) -> Generator[dict[str, Any], Any, None]:
    """Yield what Kafka's coordinator is to be asked, and be sent its answers; raises DifferenceError at the first that is not ours.

    The sequence has actions, or all that is `asked` already. What was asked and what was seen is added to `kept`, under our names of members.
    """
    held = Held(behaviour, sequence["settings"])
    asking = Asking(held)
    theirs: dict[str, str] = {}  # our ids of members -> Kafka's, which have random bits
    ours: dict[str, str] = {}
    asks = sequence["asked"] if "asked" in sequence else asking.all(sequence["actions"])
    for asked in asks:
        answer = yield _translated(asked, theirs)
        if asked["do"] == "join" and not asked["member"]:
            for new in _ids(answer) - ours.keys():
                name = f"{asked['instance'] or 'client'}-{held.coordinator.next_member}"
                ours[new], theirs[name] = name, new
                asking.ids.append(name)
        kafka = _plain(_translated(answer, ours))
        found = held.take(asked, **chances(kafka["group"]))
        if found != kafka:
            parts = [part for part in found if found[part] != kafka[part]]
            raise DifferenceError(
                asked, {part: found[part] for part in parts}, {part: kafka[part] for part in parts}
            )
        if kept is not None:
            kept.append((asked, kafka))


def _ids(answer: dict[str, Any]) -> set[str]:
    """Return the ids of members that an answer names."""
    told = {
        reply["member"] for _, reply in answer["replies"] if reply["error"] == Error.MEMBER_ID_REQUIRED.value
    }
    return told | {key.removeprefix(SESSION) for key in answer["timers"] if key.startswith(SESSION)}


def _plain(answer: dict[str, Any]) -> dict[str, Any]:
    """Put in order what is in a random one."""
    answer["replies"].sort(key=by_token)
    if answer["group"]:
        answer["group"]["pending"].sort()
        answer["group"]["unsynced"].sort()
    return answer


def _translated(value: Any, names: dict[str, str]) -> Any:
    """Return JSON with other names of members."""
    if isinstance(value, str):
        if value.startswith(SESSION):
            return SESSION + names.get(value[len(SESSION) :], value)
        return names.get(value, value)
    if isinstance(value, dict):
        return {_translated(key, names): _translated(one, names) for key, one in value.items()}
    if isinstance(value, list):
        return [_translated(one, names) for one in value]
    return value
