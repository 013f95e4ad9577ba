"""`kassay compare` on given groups: each group by itself, with the strategies of its own family.

The setting of the recommended strategy in the clients of the group, or in all clients if the group's client is not known.

The output for a group whose advice depends on subscriptions, which its listing does not print.
"""

import argparse
import re
import shlex
import textwrap
from collections.abc import Generator, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from kassay.cli.options import write_source_options
from kassay.cli.progress import show_progress
from kassay.cli.render.compare import (
    build_advice_record,
    build_records,
    explain_moves,
    find_group_state,
    render_advice,
    render_caveats,
    render_comparison,
    render_state,
    render_unlisted,
)
from kassay.cli.render.load_bars import render_loads
from kassay.cli.render.many_groups import render_sums
from kassay.comparison.advice import Advice, advise
from kassay.comparison.client_advice import (
    ClientLines,
    GroupClients,
    advise_clients,
    build_full_names,
    describe_clients,
    find_clients,
    split_by_lack,
)
from kassay.comparison.client_settings import read_clients
from kassay.comparison.facts import Facts
from kassay.comparison.group_facts import gather_facts, has_other_reading, read_only_owned
from kassay.comparison.measured import (
    NOW,
    Measured,
    explain_no_conclusion,
    measure_all,
    measure_current_assignment,
)
from kassay.comparison.ranking import compute_dominance
from kassay.comparison.strategies import find_common_family
from kassay.families import family
from kassay.families.family import Family
from kassay.files.reading import Read, find_group_name
from kassay.listings.location import Assumed
from kassay.output import Block
from kassay.output.telling import tell
from kassay.sentences import capitalize, end_sentence, format_size, join_names
from kassay.targets import Options, list_default_targets, open_target
from kassay.targets.target import Target

ROOM = 79


def render_client_lines(clients: GroupClients, rows: Sequence[ClientLines]) -> Iterator[Block]:
    """Show for each client of the group how to get there, the lines to copy, and what to know."""
    if not clients.clients or not rows:
        return
    yield Block(prose=True, text=describe_clients(clients))
    for one in rows:
        change = one.change
        head = f"{one.title}: " if len(rows) > 1 else ""
        way = (
            f"{head}{capitalize(change.method)}. {change.text}"
            if not change.lacks
            else f"{head}{change.text}"
        )
        if change.first_lines:
            yield Block(prose=True, text=f"{way}\nFirst of two restarts:", code=change.first_lines)
            yield Block(prose=True, text="Second restart, or the only one:", code=change.lines)
        else:
            yield Block(prose=True, text=way, code=change.lines)
        if change.alternative:
            yield Block(prose=True, text="KIP-848:", code=change.alternative)
        if change.cautions:
            yield Block(prose=True, text="\n".join(change.cautions))


def render_client_table(clients: GroupClients, rows: Sequence[ClientLines]) -> Iterator[Block]:
    """Show the line of every kind of client that has the strategy, and which clients lack it."""
    have, lack = split_by_lack(rows)
    if not rows:
        return
    yield Block(prose=True, text=describe_clients(clients))
    kinds: dict[tuple[str, str], list[ClientLines]] = {}
    for one in have:  # programs built on one library change in the same way
        kinds.setdefault((read_clients()[one.client].base, one.change.method), []).append(one)
    code = []
    for (_, method), same in kinds.items():
        first, *others = same
        code.append(f"{first.title}: {method}")
        code += [f"  {line}" for line in first.change.lines] or ["  nothing to set"]
        code += textwrap.wrap(
            f"same for {', '.join(one.client for one in others)} (--client NAME shows the form)",
            ROOM, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False,
        ) * bool(others)  # fmt: skip
    yield Block(code=code)
    if lack:
        yield Block(
            prose=True, text=f"Without this strategy: {join_names(sorted(one.client for one in lack))}."
        )


def render_question(
    facts: Facts, of_all: Advice, of_owned: Advice, read: Read, again: str
) -> Iterator[Block]:
    """Show the current loads, then the question, the advice for each answer, and the command for each answer."""
    owners, count = next(iter(facts.family.shape.sizes.items()))
    members, topics = format_size(count(facts.group), owners), format_size(len(facts.group.topics), "topics")
    asked = f"Which topics do the {members} subscribe to? The listing does not print it, and the advice depends on it."
    to_all = f"If every member subscribes to all {topics}: {_summarize(of_all)}"
    to_owned = f"If each member subscribes only to the topics that it owns now: {_summarize(of_owned)}"
    commands = [f"{again} --subscriptions all", f"{again} --subscriptions held"]
    question = Advice(of_all.headline, asked)
    yield Block(says=question.headline)
    yield from render_loads(facts, replace(question, shown=None))
    assumed = [one for one in facts.warnings if not (isinstance(one, Assumed) and "subscri" in one)]
    yield from render_caveats(replace(facts, warnings=assumed, rolling=None))
    answers = [
        {
            "subscriptions": name,
            "assignor": one.assignor or None,
            "set": list(one.lines),
            "advice": one.says,
            "command": command,
        }
        for name, one, command in zip(("all", "held"), (of_all, of_owned), commands, strict=True)
    ]
    record = {**build_advice_record(read, question), "questions": answers}
    yield Block(prose=True, text=f"{asked}\n  {to_all}\n  {to_owned}", records=[record])
    yield Block(commands=[(each, "") for each in commands])


def _summarize(advice: Advice) -> str:
    """Return the advice in a few words."""
    name = advice.assignor.rpartition("/")[2]
    if advice.lines:
        return f"set {name}."
    return "change nothing."


OPAQUE = re.compile(r"[A-Za-z0-9+/_-]{22}(==)?|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
"""Ids of members that say nothing about the client, as in KIP-848 groups."""


@dataclass(frozen=True, slots=True)
class Compared:
    """A group with the answers of the targets that answer it."""

    read: Read
    family: Family
    targets: Sequence[Target]
    row: Sequence[Measured]
    clients: GroupClients


def compare_groups(
    args: argparse.Namespace, given: Sequence[Read], names: Sequence[str], how: Options, stack: ExitStack
) -> Generator[Block, None, int]:
    """Yield the result of each group, then the sums of those that can be summed up; 2 if a group could not be read, 3 if a target fails.

    `names` are the targets that the user named; without them each group is compared with the strategies of its family.
    """
    opened: dict[str, list[Target]] = {}
    by_family: dict[str, list[Compared]] = {}
    many, why = len(given) > 1, ""
    problems = [read.problem for read in given if read.facts and read.problem and not read.facts.unlisted]
    with show_progress(["comparing"], len(given)) as report:
        rows: list[Compared | Read] = []
        for number, read in enumerate(given):
            rows.append(_compare(args, read, names, how, stack, opened) if read.value is not None else read)
            report("comparing", number)
    for one in rows:
        if isinstance(one, Compared):
            by_family.setdefault(one.family.name, []).append(one)
            why = why or explain_no_conclusion([one.row], summed=False)
            yield from _render_group(args, one, many=many)
        elif one.facts is not None and one.facts.unlisted:
            yield from render_unlisted(one, one.facts)
        elif one.value is not None and (state := find_group_state(one)):
            again = _build_command(args, one) if not one.file else ""
            yield from render_state(state, one, many=many, again=again)
    for problem in problems:
        tell(problem)
    for of_family, same in by_family.items():
        rows_ = [each.row for each in same]
        # Groups of a listing have nothing in common, also if `kassay import` has read it.
        if len(same) > 1 and not all(each.read.listed or each.read.facts is not None for each in same):
            judged = [compute_dominance(each.family, each.read.value, each.row) for each in same]
            yield from render_sums(rows_, judged, family(of_family), seed=None)
        why = why or explain_no_conclusion(rows_, summed=len(same) > 1)
    return 2 if problems else (yield from end_without_conclusion(why))


def end_without_conclusion(why: str) -> Generator[Block, None, int]:
    """Yield the reason for status 3, and return 3; without a reason return 0."""
    if not why:
        return 0
    yield Block(status=end_sentence(f"Exit status 3: {why}"))
    return 3


def _compare(
    args: argparse.Namespace,
    read: Read,
    names: Sequence[str],
    how: Options,
    stack: ExitStack,
    opened: dict[str, list[Target]],
) -> Compared | Read:
    """Ask the strategies about a group; return the group as it is if nothing can be compared in it."""
    of_family = family(read.family)
    if find_group_state(read) is not None:
        return read
    strategy = read.facts.strategy if read.facts is not None else ""
    client_ids = read.facts.client_ids if read.facts is not None else {}
    clients = find_clients(read.family, read.where, read.value, client_ids, strategy, args.client or "")
    has = build_full_names(clients.strategies)
    usual = list_default_targets(read.family, studies=args.include_research)
    chosen = [*names] or [name for name in usual if has is None or name in has or name == args.in_use]
    chosen = chosen or usual  # a client that has none of Kafka's strategies
    key = " ".join(chosen)
    if key not in opened:
        opened[key] = [stack.enter_context(open_target(name, how)) for name in chosen]
    targets = opened[key]
    if names:
        of_family = find_common_family(targets)
    return Compared(read, of_family, targets, measure_all(targets, of_family, [read.value])[0], clients)


def _render_group(args: argparse.Namespace, one: Compared, *, many: bool) -> Iterator[Block]:
    """Yield what each target does with one group, the recommendation, and a page if one is asked for."""
    read, of_family, group = one.read, one.family, one.read.value
    facts = _collect_facts(args, one, group, one.row)
    if args.weights is not None:
        answers = {NOW: facts.now.assignment} if facts.now is not None else {}
        answers |= {each.target: each.settled for each in facts.answers if each.legal}
        assert of_family.oracles is not None
        assert of_family.oracles.weighing is not None
        facts = replace(facts, weighing=of_family.oracles.weighing(group, answers))
    advice = advise(facts)
    again = _build_command(args, read, many=many)
    if args.subscriptions is None and has_other_reading(read):
        owned = read_only_owned(group)
        other = advise(_collect_facts(args, one, owned, measure_all(one.targets, of_family, [owned])[0]))
        if find_action(other) != find_action(advice):
            yield from render_question(facts, advice, other, read, again)
            return
    order = args.order if of_family.leader_order else "as-given"
    records = build_records(read, one.row, facts.now, of_family, order, facts.rolling, facts.dominated)
    yield from render_comparison(facts, advice, records)
    settings = advise_clients(facts, advice, one.clients)
    advice, rows = settings.advice, settings.rows
    yield from render_caveats(facts)
    record = build_advice_record(read, advice)
    if rows:
        record["clients"] = [each.record() for each in rows]
    render = render_client_lines if one.clients.clients else render_client_table
    yield from render_advice(
        replace(advice, price=settings.cautions), record, clients=render(one.clients, rows)
    )
    if args.html is not None:
        yield write_page(Path(args.html), read, facts, advice, order)
    yield Block(commands=[(each, "") for each in _find_next_commands(args, facts, again)])


def find_action(advice: Advice) -> str:
    """Return the strategy that the advice tells to set, "" if nothing is to be changed."""
    return advice.assignor if advice.lines else ""


def _collect_facts(args: argparse.Namespace, one: Compared, group: Any, row: Sequence[Measured]) -> Facts:
    """Return the facts on a group, or on the same group with other subscriptions."""
    read = one.read
    known = read.facts
    clients = one.clients.strategies
    return gather_facts(
        one.family, group, row, measure_current_assignment(one.family, group), one.targets,
        in_use=args.in_use or read.in_use, home=read.family, wanted=read.wanted, file=shlex.quote(read.file) if read.file else "",
        name=find_group_name(read), listed=bool(read.listed and read.file), warnings=read.warnings, has=build_full_names(clients),
        strategy=known.strategy if known is not None else "", labels=_build_labels(read),
    )  # fmt: skip


def _build_labels(read: Read) -> dict[str, str]:
    """Return CLIENT-ID, made unique, for members whose id says nothing about their client, as in KIP-848 groups."""
    if read.facts is None:
        return {}
    clients = {member: client for member, client in read.facts.client_ids.items() if client not in {"", "-"}}
    bare = {member: client for member, client in clients.items() if OPAQUE.fullmatch(member)}
    shared = [*bare.values()]
    return {
        member: client if shared.count(client) == 1 else f"{client} {member[:6]}"
        for member, client in bare.items()
    }


def _build_command(args: argparse.Namespace, read: Read, *, many: bool = False) -> str:
    """Return the command that compares this group again."""
    words = ["kassay", "compare", *(shlex.quote(name) for name in args.targets)]
    words += ["--group", shlex.quote(read.file)] if read.file else [write_source_options(args)]
    words += ["--consumer-group", shlex.quote(read.where)] if many and read.file and read.listed else []
    words += ["--client", args.client] if args.client else []
    words += ["--in-use", args.in_use] if args.in_use else []
    return " ".join(words)


def _find_next_commands(args: argparse.Namespace, facts: Facts, again: str) -> list[str]:
    """Return the commands to run next: a rolling restart if it was not played, and the page if there is none yet."""
    commands = []
    owners = next(iter(facts.family.shape.sizes.values()))(facts.group)
    if (
        facts.rolling is None
        and facts.family.oracles
        and facts.family.oracles.over_time
        and facts.file
        and owners > 1
    ):
        source = again.partition(" --group ")[2].partition(" --client ")[0].partition(" --in-use ")[0]
        commands.append(f"kassay over-time --group {source} --restart {owners}")
    if args.html is None:
        chosen = f" --subscriptions {args.subscriptions}" if args.subscriptions else ""
        commands.append(f"{again}{chosen} --html page.html")
    return commands


def write_page(path: Path, read: Read, facts: Facts, advice: Advice, order: str) -> Block:
    """Write the page of one group, and return where it is."""
    from kassay.reports.page.groups.group_page import write_group_page

    write_group_page(path, read, facts, advice, order, facts.rolling, explain_moves(facts))
    record = {"record": "page", "page": str(path), "sentences": advice.sentences}
    return Block(prose=True, text=f"Page: {path}", records=[record])
