"""A program that speaks the adapter protocol and remembers something in the way that its argument names; `cache` and `nothing` are honest.

It deals partitions to the readers of their topic in turn.
"""

import json
import sys

KEPT = {}
CALLS = []


def deal(group):
    given = {member["id"]: [] for member in group["members"]}
    for topic in group["topics"]:
        takers = [member["id"] for member in group["members"] if topic["name"] in member["topics"]]
        for number in range(topic["partitions"] if takers else 0):
            given[takers[number % len(takers)]].append([topic["name"], number])
    return given


def cache(group):
    return KEPT.setdefault(json.dumps(group), deal(group))


def coarse_cache(group):
    return KEPT.setdefault(len(group["members"]), deal(group))


def growth(group):
    CALLS.append(group)
    if len(CALLS) > 40:
        raise OverflowError("the list is full")
    return deal(group)


def instance_ids(group):
    """Give to a static member under the member id under which it was seen first."""
    given = deal(group)
    for member in group["members"]:
        instance = member.get("instance_id")
        if instance is not None:
            first = KEPT.setdefault(instance, member["id"])
            if first != member["id"]:
                given[first] = given.pop(member["id"])
    return given


def owners(group):
    """Keep the owner of each partition, even if it does not read the topic any longer."""
    given = {member["id"]: [] for member in group["members"]}
    for taker, partitions in deal(group).items():
        for topic, number in partitions:
            owner = KEPT.setdefault((topic, number), taker)
            given[owner if owner in given else taker].append([topic, number])
    return given


def last_group(group):
    """Forget to clear the members of the last rebalance: they count when partitions are dealt."""
    known = KEPT.setdefault("members", {})
    known.update({member["id"]: member for member in group["members"]})
    return deal({**group, "members": list(known.values())})


WAYS = {each.__name__: each for each in (cache, coarse_cache, growth, instance_ids, owners, last_group)}


def main():
    assign = WAYS.get(sys.argv[1], deal)
    for line in sys.stdin:
        request = json.loads(line)
        if "kassay" in request:
            said = {
                "assignors": [{"name": "deal", "family": "consumer"}],
                "language": "python",
                "version": "1",
            }
        else:
            said = {"seq": request["seq"]}
            try:
                said["assignment"] = assign(request["group"])
            except OverflowError as full:
                said["error"] = str(full)
        print(json.dumps(said), flush=True)


if __name__ == "__main__":
    main()
