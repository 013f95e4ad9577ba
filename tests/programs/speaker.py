"""A program that speaks the adapter protocol and is broken in the one way its argument names; `well` is not broken.

It needs no kassay: it shows how little an adapter in any language has to do.
"""

import json
import os
import signal
import sys
import time


def deal(group):
    """Give each partition to the subscribers of its topic in turn, in the order of the members."""
    given = {member["id"]: [] for member in group["members"]}
    for topic in group["topics"]:
        takers = [member["id"] for member in group["members"] if topic["name"] in member["topics"]]
        for number in range(topic["partitions"] if takers else 0):
            given[takers[number % len(takers)]].append([topic["name"], number])
    return given


def say(value):
    print(json.dumps(value), flush=True)


def answer(way, request):  # noqa: C901 - one way of being broken a case
    seq, group = request["seq"], request["group"]
    given, big = deal(group), len(group["members"]) >= 2
    match way:
        case "exits" if big:
            sys.stderr.write("out of luck\n")
            sys.exit(7)
        case "exits_backwards" if big and group["members"][0]["id"] > group["members"][1]["id"]:
            sys.exit(7)
        case "dies" if big:
            os.kill(os.getpid(), signal.SIGSEGV)
        case "hangs" if big:
            time.sleep(60)
        case "ignores_end" if big:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            time.sleep(60)
        case "babbles" if big:
            print("oops, a debug line", flush=True)
        case "repeats" if big:
            twice = json.dumps(given)
            print(f'{{"seq": {seq}, "assignment": {twice}, "assignment": {twice}}}', flush=True)
            return
        case "lags" if big:
            say({"seq": seq - 1, "assignment": given})
            return
        case "floods" if big:
            while True:
                sys.stdout.write("x" * 2**20)
        case "refuses" if big:
            say({"seq": seq, "error": "IllegalStateException: two are too many"})
            return
        case "refuses_all":
            say({"seq": seq, "error": "RuntimeException: never"})
            return
        case "closes" if big:
            os.close(1)
            time.sleep(60)
        case "rants" if big:
            say({"seq": seq, "error": "x" * 3_000_000})
            return
        case "declines_at_length" if big:
            say({"seq": seq, "skipped": "x" * 3_000_000})
            return
        case "declines" if big:
            say({"seq": seq, "skipped": "only one member is supported"})
            return
        case "declines_all":
            say({"seq": seq, "skipped": "not today"})
            return
        case "misshapes" if big:
            say({"seq": seq, "assignment": [1, 2]})
            return
        case "no_answer" if big:
            say({"seq": seq})
            return
        case "invents" if big:
            given = {**given, "nobody": [["nowhere", 3]]}
        case "renames" if big:
            given = {name.upper() + "!": parts for name, parts in given.items()}
        case "hash_order":
            ids = list({member["id"] for member in group["members"]})
            everything = [part for parts in given.values() for part in parts]
            given = {name: [] for name in given}
            if ids:
                given[ids[0]] = everything
        case _:
            pass
    say({"seq": seq, "assignment": given, "an unknown key": 1})


def main():
    way = sys.argv[1]
    if way == "silent":
        sys.exit(3)
    if way == "mute":
        time.sleep(60)
    for line in sys.stdin:
        request = json.loads(line)
        if "kassay" in request:
            if way == "greets_wrongly":
                say({"assignors": "all of them"})
                continue
            names = {"two": ["one", "two"], "offers_nothing": []}.get(way, ["deal"])
            say(
                {
                    "assignors": [{"name": name, "family": "consumer"} for name in names],
                    "language": "python",
                    "version": "1",
                }
            )
        else:
            answer(way, request)


if __name__ == "__main__":
    main()
