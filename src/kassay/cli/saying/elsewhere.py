"""What `kassay simulate` says of a coordinator elsewhere: what it breaks, and what it answers otherwise than Kafka."""

import argparse
from collections.abc import Iterator, Sequence

from kassay.cli.saying.checking.results import verdict_record
from kassay.cli.saying.simulated import Story, harm, known_rows, mark, stories, story_blocks
from kassay.engine.verdict import BROKEN
from kassay.output import Block, JUnitCase
from kassay.protocol.server.external_cluster import Cluster
from kassay.protocol.server.external_groups import Ran
from kassay.protocol.simulation.group import Judged
from kassay.protocol.simulation.schedule import Setting
from kassay.sentences import capital, counted, sentence
from kassay.shape import TextTable


def blocks(
    args: argparse.Namespace, setting: Setting, cluster: Cluster, ran: Ran, result: Judged
) -> Iterator[Block]:
    """Tell what came of it: the answer, stories, what is answered otherwise than by Kafka, what held."""
    every, campaign = stories(result), result.campaign
    new = [story for story in every if not story.known]
    known = [story for story in every if story.known]
    release = setting.coordinator.partition("@")[2]
    yield Block(
        says=_headline(setting, cluster, ran, result, release),
        mark=mark(result.verdicts, strict=args.strict),
        records=[verdict_record(one) for one in result.verdicts],
        cases=[JUnitCase(one.target, one.property, one.outcome, one.message) for one in result.verdicts],
    )
    shown = every if args.all else [*new[:1], *known[: not new]]
    for story in shown:
        yield from story_blocks(args, story)
    yield from _others(args, new, campaign.ran)
    rest = [story for story in known if story not in shown]
    if rest:
        yield known_rows(rest, campaign.ran)
    yield _answers(ran, cluster, release)
    yield harm(result.verdicts, campaign.ran)


def _headline(setting: Setting, cluster: Cluster, ran: Ran, result: Judged, release: str) -> str:
    runs = f"{counted(result.campaign.ran, 'run')} of {counted(setting.members, 'member')}"
    broken = [one for one in result.verdicts if one.outcome == BROKEN]
    begins = "" if ran.whole else "Interrupted. "
    if broken:
        most = max(broken, key=lambda one: one.breaches)
        said = f"{cluster.place} breaks {len(broken)} of {counted(len(result.verdicts), 'promise')} in {runs}; on {most.breaches:,}: {sentence(most.message)}"
    elif result.campaign.ran:
        said = f"Nothing new broke at {cluster.place} in {runs}."
    else:
        said = f"Nothing was run at {cluster.place}."
    answers = ""
    if ran.differences:
        answers = (
            f" It answers {len(ran.differences)} of {ran.asked} questions otherwise than Kafka {release}."
        )
    return f"{begins}{said}{answers}"


def _answers(ran: Ran, cluster: Cluster, release: str) -> Block:
    """Say which questions are answered otherwise than by Kafka, and which answers have bytes too many."""
    rows = [[one.question, one.kafka, one.other] for one in ran.differences]
    records = [
        {
            "record": "answers otherwise",
            "question": one.question,
            "kafka": one.kafka,
            "coordinator": one.other,
        }
        for one in ran.differences
    ]
    odd = [f"{what} ({counted(times, 'time')})" for what, times in sorted(ran.odd.items())]
    grid = TextTable(["asked", f"Kafka {release}", str(cluster.place)], rows) if rows else None
    return Block(prose=True, text="\n".join(map(sentence, odd)), grid=grid, records=records)


def client_blocks(args: argparse.Namespace, setting: Setting, result: Judged) -> Iterator[Block]:
    """Tell what a client breaks in groups under faults: the answer, stories, what held."""
    every, campaign = stories(result), result.campaign
    runs = f"{counted(campaign.ran, 'run')} of {counted(setting.members, 'member')}"
    broken = [one for one in result.verdicts if one.outcome == BROKEN]
    begins = "" if result.whole else "Interrupted. "
    says = (
        f"{begins}The client breaks nothing in {runs}."
        if campaign.ran
        else f"{begins}No run came to its end."
    )
    if broken:
        most = max(broken, key=lambda one: one.breaches)
        says = f"{begins}The client breaks {len(broken)} of {counted(len(result.verdicts), 'promise')} in {runs}; on {most.breaches:,}: {sentence(most.message)}"
    yield Block(
        says=says,
        mark=mark(result.verdicts, strict=args.strict),
        records=[verdict_record(one) for one in result.verdicts],
        cases=[JUnitCase(one.target, one.property, one.outcome, one.message) for one in result.verdicts],
    )
    new = [story for story in every if not story.known]
    known = [story for story in every if story.known]
    shown = every if args.all else [*new[:1], *known[: not new]]
    for story in shown:
        yield from story_blocks(args, story)
    yield from _others(args, new, campaign.ran)
    rest = [story for story in known if story not in shown]
    if rest:
        yield known_rows(rest, campaign.ran)
    yield harm(result.verdicts, campaign.ran)


def _others(args: argparse.Namespace, new: Sequence[Story], ran: int) -> Iterator[Block]:
    """Say what else broke, a row each."""
    if new[1:] and not args.all:
        rows = [[sentence(capital(one.least.found.sentence)), f"{one.runs:,} of {ran:,}"] for one in new[1:]]
        yield Block(prose=True, grid=TextTable(["what else broke", "runs"], rows))
