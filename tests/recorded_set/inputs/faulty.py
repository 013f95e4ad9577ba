"""A program that speaks kassay's adapter protocol for any family and makes one mistake on purpose.

``exec:python3 inputs/faulty.py FAMILY MISTAKE``; the functions of this module are the mistakes. It needs no kassay.
"""

import json
import sys

TASKS = ("streams", "streams-group")


def deal_fairly(family, group):
    """Return each member's items in turn, in the order of the group."""
    if family in TASKS:
        ids = [each["id"] for each in group.get("clients", group.get("members", []))]
        return deal_items(ids, list_tasks(group))
    if family == "connect":
        names = [each["name"] for each in group["connectors"]]
        tasks = [[each["name"], number] for each in group["connectors"] for number in range(each["tasks"])]
        ids = [each["id"] for each in group["workers"]]
        connectors, given = deal_items(ids, names), deal_items(ids, tasks)
        return {each: [*map(str, connectors[each]), *given[each]] for each in ids}
    dealt = {member["id"]: [] for member in group["members"]}
    for topic in group["topics"]:
        readers = [member["id"] for member in group["members"] if topic["name"] in member["topics"]]
        for number in range(topic["partitions"] if readers else 0):
            dealt[readers[number % len(readers)]].append([topic["name"], number])
    return dealt


def deal_items(ids, items):
    """Return the items of each id, one by one in turn."""
    return {each: items[index :: len(ids)] for index, each in enumerate(ids)}


def list_tasks(group):
    """Return the ids of all tasks of an application or a streams group."""
    if "tasks" in group:
        return [task["id"] for task in group["tasks"]]
    return [
        f"{each['id']}_{number}" for each in group["subtopologies"] for number in range(each["partitions"])
    ]


def give_first(dealt):
    """Give everything to the first member."""
    everything = [item for items in dealt.values() for item in items]
    first = next(iter(dealt))
    return {each: everything if each == first else [] for each in dealt}


def forget_last(dealt):
    """Leave out the last item of the last member."""
    ids = list(dealt)
    return {each: items[:-1] if each == ids[-1] else items for each, items in dealt.items()}


def give_twice(dealt):
    """Give the first item of the first member to the last member, too."""
    ids = list(dealt)
    return {each: [*items, *dealt[ids[0]][:1]] if each == ids[-1] else items for each, items in dealt.items()}


def leave_out(dealt):
    """Leave out the last member."""
    return dict(list(dealt.items())[:-1])


def turn_round(dealt):
    """Give each member what the next one would have."""
    ids = list(dealt)
    return {each: dealt[ids[index - 1]] for index, each in enumerate(ids)}


def add_stranger(dealt):
    """Give the items of the first member to an unknown member."""
    return {**dealt, "stranger": dealt[next(iter(dealt))]} if dealt else dealt


def stay_fair(dealt):
    """Change nothing."""
    return dealt


MISTAKES = {
    each.__name__: each
    for each in (give_first, forget_last, give_twice, leave_out, turn_round, add_stranger, stay_fair)
}


def build_answer(family, dealt):
    """Return the assignment as the family writes it."""
    if family in TASKS:
        return {each: {"active": items, "standby": []} for each, items in dealt.items()}
    if family == "connect":
        return {
            each: {
                "connectors": [item for item in items if isinstance(item, str)],
                "tasks": [item for item in items if not isinstance(item, str)],
            }
            for each, items in dealt.items()
        }
    return dealt


def main():
    """Answer each line of standard input."""
    family, mistake = sys.argv[1:]
    for line in sys.stdin:
        request = json.loads(line)
        if "kassay" in request:
            answer = {
                "assignors": [{"name": mistake, "family": family}],
                "language": "python",
                "version": "1",
            }
        elif mistake == "fail" and len(request["group"].get("members", [1, 2])) > 1:
            answer = {"seq": request["seq"], "error": "IllegalStateException: two are too many"}
        elif mistake == "skip":
            answer = {"seq": request["seq"], "skipped": "not today"}
        else:
            dealt = deal_fairly(family, request["group"])
            made = MISTAKES.get(mistake, stay_fair)(dealt) if dealt else dealt
            answer = {"seq": request["seq"], "assignment": build_answer(family, made)}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
