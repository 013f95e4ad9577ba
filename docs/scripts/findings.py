"""Write docs/findings.md and a page for each library from examples/findings: each defect with its smallest group and the command that replays it."""

import json
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from kassay.cli.render.findings import shorten_messages
from kassay.engine.finding import Finding, load_finding
from kassay.families import family

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "examples" / "findings"
PAGE = ROOT / "docs" / "findings.md"
OF_LIBRARIES = PAGE.with_suffix("")
"""The folder of the pages of libraries."""
INTRODUCTION = """# Findings

What kassay found in the newest releases of kafka-clients, kafka-streams, kafka-group-coordinator, connect-runtime, kafka-python, aiokafka, franz-go and librdkafka on 2026-11-22. The
group is the smallest one the minimiser comes to, where nothing else is said. Each finding is a file that one command replays, with Java on the
machine or `pip install 'kassay[java]'` for the first four, Go and `nox -s parity -- go`, which builds [its adapter](franz-go.md), for
franz-go, and that release of a Python library installed for the others; `--trust` lets a file name what is run; add `--target` instead to see
what another release does. `tests/clients/test_findings.py`, `nox -s parity -- classes` and `nox -s parity -- go` hold every line against the libraries.
"""
OF_LIBRARY = """# Findings in {library}

Each with its smallest group. [All findings](../findings.md) says how they were found and are held.

<!-- measured: python docs/scripts/findings.py --write -->
{sections}<!-- end -->
"""
LIBRDKAFKA = "librdkafka 2.16.0"
BY_REAL_CONSUMERS = """
Its assignors cannot be called but by a consumer that leads a group, so these come from real consumers on real brokers
(`nox -s parity -- broker`), and no file replays them.

## Of equals it gives up the first, so that a second member gets all partitions of one topic and none of the other, as in Kafka before 3.7.1

librdkafka 2.16.0, `cooperative-sticky`, breaks `joined_evenly`: once m1 has joined, it owns t0-0 and t0-1, and m0 keeps t1-0 and t1-1; led by Kafka's class,
each owns one partition of each topic. With t0 alone m0 is left with t0-1, where Kafka's class leaves it t0-0. Upstream:
<https://github.com/confluentinc/librdkafka/issues/4044>, closed, and <https://issues.apache.org/jira/browse/KAFKA-16277>.

```sh
nox -s parity -- broker -k of_equals
```

Group: `{"family": "consumer", "topics": [{"name": "t0", "partitions": 2}, {"name": "t1", "partitions": 2}], "members": [{"id": "m0", "topics": ["t0", "t1"], "owned": [["t0", 0], ["t0", 1], ["t1", 0], ["t1", 1]], "generation": 1}, {"id": "m1", "topics": ["t0", "t1"]}]}`
"""
STREAMS_LIBRARY = "kafka-streams 4.3.1"
STREAMS = """
## Where there are standbys, the public sticky assignor answers equal applications differently

kafka-streams 4.3.1, `kafka:4.3.1#streams/sticky`, breaks `deterministic`: it walks through a HashSet whose elements have no hash code of
their own, so that the order is that of their addresses. No single application shows this each time, so a check must:

```sh
kassay check kafka:4.3.1#streams/sticky --property deterministic
```
"""
WIRE = """
## On the wire and over time

Not seen in one assignment of one library's members alone:

- kafka-clients 4.4.0: an object of `StickyAssignor` or `CooperativeStickyAssignor` remembers the highest generation that it has seen. Where a
  group's generations start again, as after its coordinator has lost it, all claims then count as late, and a leader that has seen the
  old ones answers as a new one would not: it even gives partitions to members that have unsubscribed from their topic
  (`instance_isolated`; `parity/classes/live/live_instances.py`).
- kafka-python 3.0.12: the user data of its sticky assignor begin with two bytes of version that Kafka's schema does not have, so that
  other clients do not understand its claims.
- kafka-python 3.0.12: its cooperative-sticky assignor sends subscriptions of version 1, which have no generation.
- aiokafka 0.14.0 never tells its sticky assignor the generation (<https://github.com/aio-libs/aiokafka/issues/1176>), and all consumers of
  a process share its state (<https://github.com/aio-libs/aiokafka/issues/1175>).

## What the fixtures found in other clients

Each was reproduced by hand; [upstream](upstream/README.md) has a report of each with the program that shows it, ready to be filed by a person. How often each client
fails is on [the scoreboard](scoreboard.md).

- sarama 1.61.1: `sticky` and `cooperative-sticky` give a partition back to a previous owner that reads its topic no longer; `cooperative-sticky` passes over the newer claim of a
  member that subscribes to nothing; `roundrobin` fails in a group in which nobody subscribes; a leader
  gives nobody anything while any member reads a topic that is not there ([report](upstream/sarama.md)).
- kafka-go 0.4.51: `roundrobin` counts a member twice that lists a topic twice; a leader fails beside a member that subscribes with version 1 or later, and its own subscription of
  version 1 has the fields of version 0 ([report](upstream/kafka-go.md)).
- kafkajs 2.2.4 and @platformatic/kafka 1.35.0: round robin gives away the topics of the leader alone ([kafkajs](upstream/kafkajs.md), [platformatic](upstream/platformatic.md)); the second
  writes version 1 with the fields of version 0, which Kafka's classes refuse.
- kafka-python 3.0.12: `roundrobin` fails where a member has to be passed over, which 2.2.15 does not ([report](upstream/kafka-python.md)).
- librdkafka 2.16.0 and 2.11.1: a leader with `cooperative-sticky` dies of SIGSEGV where nobody subscribes to anything ([report](upstream/librdkafka.md)).
- aiokafka 0.14.0: `sticky` may never return, as Kafka's own may ([report](upstream/aiokafka.md)).
- krafka 0.28.1: who gets what depends on the order in which JoinGroup lists the members, and `range` and `roundrobin` pass over the ids of static members ([report](upstream/krafka.md)).

## What groups under faults found, over the wire

Each on the [schedule](upstream/schedules/cut-off.json) of one fault: a client of a group of two is cut off from its coordinator for longer than its session. The commands are those of the reports.

- kafka-python 3.0.12 and krafka 0.28.1, `cooperative-sticky`: told that nobody knows it any more, a member joins and claims the partitions that it has lost, which another owns by then
  (`claims_what_it_was_given`; [kafka-python](upstream/kafka-python.md), [krafka](upstream/krafka.md)).
- @platformatic/kafka 1.35.0: such a member goes on fetching what it had until it is given something else (`reads_what_it_owns`; [report](upstream/platformatic.md)). aiokafka 0.14.0 fetches, too, and gives its
  application nothing of that (consumer/fetcher.py, line 1181), which is no defect.
- kfake of 2026-09-18, as a coordinator: once the leader has not joined again, each member is told that it leads (`one_leader`; [report](upstream/kfake.md)).
- librdkafka 2.16.0's mock cluster, as a coordinator: who synchronises after the leader is answered by a state of length -1 (`requests_answered`; [report](upstream/librdkafka.md)).
"""
ENDS = (" [", "; its standard error")
"""What comes after what is said of a failure: the Java stack, or what the process wrote."""


def findings() -> Iterator[tuple[dict[str, Any], Finding]]:
    """Yield the entries of the list, each with its finding."""
    for entry in tomllib.loads((FOLDER / "findings.toml").read_text())["finding"]:
        yield entry, load_finding(str(FOLDER / entry["file"]))


def plain(message: str) -> str:
    """Leave out of what is said what differs from run to run."""
    for end in ENDS:
        message = message.partition(end)[0]
    return message.rstrip(".")


def section(entry: dict[str, Any], finding: Finding) -> str:
    """Write one finding."""
    issue = f" Upstream: <{entry['issue']}>." if "issue" in entry else ""
    group = json.dumps(family(finding.family).write_group(finding.group))
    kind = "Smallest group" if finding.smallest else "Group (not the smallest)"
    place = (FOLDER / entry["file"]).relative_to(ROOT)
    return (
        f"\n## {finding.title.rstrip('.')}\n\n{entry['library']}, `{finding.target}`, breaks `{finding.property}`: "
        f"{plain(shorten_messages(finding)[0])}.{issue}\n\n"
        f"```sh\n{finding.replay(place)}\n```\n\n{kind}: `{group}`\n"
    )


def pages() -> Mapping[Path, str]:
    """Write all pages: a table of all findings, and a page for each library."""
    of: dict[str, list[str]] = {}
    for entry, finding in findings():
        before = [STREAMS] if entry["library"] == STREAMS_LIBRARY else []
        of.setdefault(entry["library"], before).append(section(entry, finding))
    of[LIBRDKAFKA] = [BY_REAL_CONSUMERS]
    written = {
        OF_LIBRARIES / f"{library.partition(' ')[0]}.md": OF_LIBRARY.format(
            library=library, sections="".join(parts)
        )
        for library, parts in of.items()
    }
    tables = []
    for library, (path, text) in zip(of, written.items(), strict=True):
        tables.append(f"\n## {library}\n\n| what it does | promise that it breaks |\n| --- | --- |\n")
        broken = BROKEN.findall(text)
        for (title, promise), anchor in zip(broken, anchors([title for title, _ in broken]), strict=True):
            tables.append(f"| [{title}]({OF_LIBRARIES.name}/{path.name}#{anchor}) | {promise} |\n")
    return {PAGE: "".join([INTRODUCTION, *tables, WIRE]), **written}


BROKEN = re.compile(r"^## (.+)\n\n.*?breaks `(\w+)`", re.MULTILINE)
"""The title of a finding, and the promise that it breaks."""


def anchors(titles: Sequence[str]) -> list[str]:
    """Name the places of a page's titles as a forge does: a number behind those that are there already."""
    plain = [re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles]
    before = [plain[:n].count(one) for n, one in enumerate(plain)]
    return [f"{one}-{n}" if n else one for one, n in zip(plain, before, strict=True)]


if __name__ == "__main__":
    OF_LIBRARIES.mkdir(exist_ok=True)
    known = {path: path.read_text() for path in (PAGE, *OF_LIBRARIES.glob("*.md"))}
    if "--write" in sys.argv:
        for path in known.keys() - pages().keys():
            path.unlink()
        for path, text in pages().items():
            path.write_text(text)
    elif known != pages():
        raise SystemExit("docs/findings is stale: run `python docs/scripts/findings.py --write`")
