#!/usr/bin/env python3
"""Lint docstrings, comments, messages and Markdown for rules of plain English.

    python tests/plain_english.py src docs README.md    # list every hit; exit status 1 if there are any
    python tests/plain_english.py src --by-rule         # count the hits of each rule
    python tests/plain_english.py src --by-file         # worst files first

A line comment `plain: skip` (in Python) or `<!-- plain: skip -->` (in Markdown) suppresses all hits of that line.
"""

import argparse
import ast
import io
import re
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, TypeAlias

LONGEST = 28  # words in a sentence
SKIPPED = re.compile(r"(^|/)(\.git|\.venv|build|node_modules|dist)/|(^|/)fixtures/.*\.md$|^(\./)?fixtures/")
PUBLIC_IDS = re.compile(
    r"/(situations|measures|laws|(\w+_)?invariants|faults|known_defects|scenarios|\w+_mutants)(/|\.py$)|/test_|/tests/|conftest"
)
"""Modules whose function names are public ids, which stay."""

VERBS = frozenset(["plan", "shorten", "escape", "suggest", "redact", "decide", "unify", "defuse", "converge", "accept", "adapt", "add", "advise", "align", "allow", "alter", "announce", "append", "apply", "ask", "assemble", "assign", "attach", "authenticate", "balance", "beat", "begin", "build", "cache", "call", "can", "cancel", "change", "check", "choose", "classify", "clean", "close", "collect", "come", "commit", "compare", "compile", "complete", "compute", "configure", "connect", "convert", "copy", "count", "crash", "create", "cut", "deal", "decode", "delay", "delete", "describe", "detect", "determine", "dial", "disaggregate", "disconnect", "do", "draft", "draw", "drop", "duplicate", "elect", "emit", "encode", "end", "enforce", "ensure", "enter", "enumerate", "estimate", "evaluate", "exchange", "exclude", "exhaust", "exit", "expand", "explain", "explore", "extract", "fail", "fetch", "fill", "filter", "find", "finish", "flush", "follow", "forget", "format", "free", "generate", "get", "give", "grow", "guess", "hand", "handle", "hang", "has", "hash", "heal", "identify", "import", "init", "inline", "insert", "inspect", "is", "iterate", "join", "judge", "keep", "label", "lead", "learn", "leave", "let", "list", "listen", "load", "locate", "log", "look", "lose", "lower", "make", "map", "mark", "match", "maximise", "measure", "meet", "merge", "minimise", "minimize", "mix", "move", "mutate", "normalize", "note", "notify", "offer", "open", "optimise", "order", "pack", "parametrize", "parse", "pass", "pause", "perform", "pick", "place", "play", "plot", "poll", "prepare", "print", "probe", "proceed", "process", "prove", "push", "put", "raise", "rank", "read", "reassign", "rebalance", "receive", "record", "redirect", "refresh", "refuse", "register", "rejoin", "relax", "release", "relieve", "relocate", "remeasure", "remove", "rename", "render", "renew", "renumber", "reorder", "repair", "replace", "replay", "replicate", "reply", "report", "request", "require", "resend", "reset", "resize", "resolve", "respond", "restart", "restore", "resubscribe", "resume", "retire", "return", "revoke", "rotate", "run", "sample", "save", "scale", "schedule", "score", "search", "seed", "select", "send", "serve", "set", "settle", "shed", "shift", "should", "show", "shrink", "shut", "sign", "signal", "simulate", "sink", "skip", "solve", "sort", "split", "stall", "start", "stay", "step", "stop", "store", "strike", "submit", "subscribe", "sum", "summarise", "summarize", "supports", "swap", "sweep", "sync", "take", "tally", "tell", "test", "tidy", "time", "to", "treeify", "trim", "try", "turn", "unload", "unpark", "update", "upgrade", "use", "validate", "verify", "visit", "wait", "wake", "walk", "warn", "watch", "weigh", "wrap", "write"])  # fmt: skip
PREFIXES = frozenset({"as", "from", "on", "to", "with", "without"})  # as in pathlib.Path.with_suffix
NAMES_ALLOWED = frozenset({"main", "wrapper", "isatty"})
PREPOSITIONS = frozenset(
    [
        "about",
        "after",
        "among",
        "around",
        "at",
        "before",
        "behind",
        "beside",
        "between",
        "beyond",
        "by",
        "down",
        "for",
        "in",
        "into",
        "near",
        "of",
        "off",
        "out",
        "over",
        "per",
        "through",
        "under",
        "up",
        "upon",
    ]
)
IRREGULAR = frozenset(
    [
        "bought",
        "brought",
        "built",
        "caught",
        "chosen",
        "cut",
        "dealt",
        "done",
        "drawn",
        "fed",
        "felt",
        "forgotten",
        "found",
        "given",
        "gone",
        "got",
        "grown",
        "heard",
        "held",
        "hidden",
        "kept",
        "known",
        "laid",
        "left",
        "lent",
        "lost",
        "made",
        "meant",
        "met",
        "paid",
        "put",
        "read",
        "said",
        "seen",
        "sent",
        "set",
        "shown",
        "shut",
        "sold",
        "spent",
        "stood",
        "struck",
        "taken",
        "taught",
        "thought",
        "told",
        "understood",
        "won",
        "worn",
        "written",
    ]
)
NO_NOUN = frozenset(
    [
        "alike",
        "alone",
        "apart",
        "best",
        "better",
        "bigger",
        "cheaper",
        "clean",
        "close",
        "dense",
        "empty",
        "enough",
        "equal",
        "even",
        "exact",
        "fair",
        "few",
        "fewer",
        "fine",
        "fit",
        "free",
        "fresh",
        "full",
        "good",
        "higher",
        "idle",
        "large",
        "larger",
        "later",
        "less",
        "like",
        "loose",
        "lower",
        "more",
        "new",
        "nearer",
        "odd",
        "old",
        "only",
        "open",
        "other",
        "others",
        "own",
        "plain",
        "possible",
        "rare",
        "ready",
        "right",
        "safe",
        "same",
        "short",
        "simple",
        "single",
        "small",
        "smaller",
        "sole",
        "sure",
        "true",
        "unequal",
        "unfit",
        "unlike",
        "whole",
        "wrong",
    ]
)  # adjectives and adverbs
MODIFIER = re.compile(
    r"(?!(?:seed|speed|need|feed|shed|string|ring|thing|king|test|request|rest|digest|manifest|reply|assembly|process|address|access)$)\w+(ed|ing|est|less|ly)$"
)
DECORATORS = frozenset(
    {"property", "cached_property", "overload", "fixture", "setter", "override", "given", "composite"}
)  # these may be nouns

RULES: dict[str, re.Pattern[str]] = {
    "headless": re.compile(r"^(What|Who|Whoever|Which|Whether|Whose)\b(?!.*\?$)"),
    "say": re.compile(r"^(Say|Says|Tell|Tells)\b(?! whether)"),
    "say-whether": re.compile(r"^(Say|Says|Tell|Tells|Return|Returns|Answer) whether\b"),
    "where-for-if": re.compile(r'^Where (?!to\b|it is |.*\?$)|\b(None|nothing|Error|empty|0|only|""|``None``) where\b'),
    "nobody": re.compile(r"\b(nobody|whoever|anybody|somebody|whatever)\b", re.IGNORECASE),
    "that-of": re.compile(r"\b(that|those) of (?!course)", re.IGNORECASE),
    "is-none": re.compile(r"(?<!if there )\b(is|are|was|be) none\b(?! of the\b)"),
    "so-many": re.compile(r"\bso (many|much|few)\b(?! (that|as)\b)", re.IGNORECASE),
    "beside": re.compile(r"\bbesides?\b", re.IGNORECASE),
    "banned": re.compile(
        r"\b(at rest|comes? to rest|as (even|good|near|few|little) as (can|could) be|made (anew|again)|for ever|to and fro|where [^.]{0,30}would do|may be chance|"
        r"misgiven?|misgives|given twice|doubled answer|overruled|is told of|are told of|convicted|grave|held against|hold against|at odds|goes? below|asked anew|"
        r"ever longer|on trial|nor any|yet to give|has yet|is said|what became of|taken to be so)\b|\d apart\b", re.IGNORECASE,
    ),
}  # fmt: skip


class Hit(NamedTuple):
    path: str
    line: int
    rule: str
    text: str


Text: TypeAlias = tuple[int, str, str]
"""A piece of prose: its first line number, its kind (doc, comment, message or markdown) and its content."""


def split_sentences(text: str) -> Iterator[tuple[int, str]]:
    """Yield each sentence with its line offset; blank lines, list items and table cells end a sentence."""
    masked = re.sub(
        r"^\s*>>>.*(\n\s*\S.*)*|``?[^`]*``?|:\w+:`[^`]*`",
        lambda code: "X" + "\n" * code[0].count("\n"),
        text,
        flags=re.MULTILINE,
    )
    masked = re.sub(r"\b(e\.g|i\.e|etc|vs|cf|ca)\.", r"\1", masked)
    for part in re.finditer(r"(?:(?!\n\s*\n|\n\s*(?:[-*>|]|\d+\.)\s|\|).)+", masked, re.DOTALL):
        for found in re.finditer(r"\S(?:.*?[.!?](?=[\s\"')\]]*(?:\s|$))|.*$)", part[0], re.DOTALL):
            sentence = " ".join(found[0].split()).lstrip("-*>#| ")
            if sentence:
                yield masked.count("\n", 0, part.start() + found.start()), sentence


def check_text(path: str, line: int, kind: str, content: str) -> Iterator[Hit]:
    """Yield the hits of one piece of prose."""
    for offset, sentence in split_sentences(content):
        short = kind in {"markdown", "message"} and len(sentence.split()) < 6  # a heading or a column title
        for rule, pattern in RULES.items():
            if (
                pattern.search(sentence)
                and not (rule == "headless" and short)
                and not (rule.startswith("say") and kind != "doc")
            ):
                yield Hit(path, line + offset, rule, sentence)
        if (words := len(re.findall(r"\S*[A-Za-z]{2}\S*|\b[aI]\b", sentence))) > LONGEST:
            yield Hit(path, line + offset, "long", f"({words} words) {sentence}")


def read_python(source: str, nodes: Sequence[ast.AST]) -> Iterator[Text]:
    """Yield the docstrings, comments and messages of a module with these nodes."""
    docs = [
        node.value for node in nodes if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    ]
    yield from ((doc.lineno, "doc", doc.value) for doc in docs if isinstance(doc.value, str))
    parts = {id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values} | set(
        map(id, docs)
    )
    for node in nodes:
        if id(node) not in parts and isinstance(node, ast.Constant | ast.JoinedStr):
            pieces = [getattr(each, "value", "") for each in getattr(node, "values", [node])]
            text = "".join(piece if isinstance(piece, str) else "X" for piece in pieces)
            if re.search(r"[a-z]{2,} [a-z]{2,} [a-z]{2,}", text) and not re.search(
                r"[{};]\s*\n|</|\\[dwsb]|\(\?|^\s*[.#<]", text
            ):
                yield node.lineno, "message", text
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT and not re.match(
            r"#\s*(!|noqa|type:|fmt:|ruff|pragma)", token.string
        ):
            yield token.start[0], "comment", token.string.lstrip("# ")


def read_markdown(source: str) -> Iterator[Text]:
    """Yield the prose of a page without code, generated blocks and link targets."""
    hidden = r"<!-- generated:.*?<!-- end -->|^```.*?^```|<!--.*?-->|<[^>]+>"
    source = re.sub(hidden, lambda block: "\n" * block[0].count("\n"), source, flags=re.DOTALL | re.MULTILINE)
    source = re.sub(r"!?\[([^\]]*)\]\([^)\s]*\)", r"\1", source)
    yield 1, "markdown", re.sub(r"^#+ (.*)$", r"\1\n", source, flags=re.MULTILINE).replace("**", "")


def check_names(path: str, nodes: Sequence[ast.AST]) -> Iterator[Hit]:
    """Yield functions whose name does not start with a verb: `name` if it is no noun either (told, groups_of, cheapest), else `noun-name`."""
    scopes = (node for node in nodes if isinstance(node, ast.Module | ast.ClassDef))
    for node in (
        each
        for scope in scopes
        for each in scope.body
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)
    ):
        calls = (mark.func if isinstance(mark, ast.Call) else mark for mark in node.decorator_list)
        exempt = any(
            getattr(call, "attr", getattr(call, "id", "")) in DECORATORS for call in calls
        ) or node.name.startswith("__")
        name = node.name.strip("_")
        if not exempt and name.split("_")[0] not in VERBS | PREFIXES and name not in NAMES_ALLOWED:
            first, last = name.split("_")[0], name.split("_")[-1]
            riddle = {first, last} & PREPOSITIONS or last in IRREGULAR | NO_NOUN or MODIFIER.match(last)
            yield Hit(path, node.lineno, "name" if riddle else "noun-name", node.name)


def check_file(path: Path) -> list[Hit]:
    """Return the hits of a file, in order; none if it is generated."""
    source, name = path.read_text(encoding="utf-8"), path.as_posix()
    python, nodes = path.suffix == ".py", list[ast.AST]()
    if python:
        try:
            nodes = [*ast.walk(ast.parse(source))]
        except SyntaxError as error:
            return [Hit(name, error.lineno or 0, "syntax", f"this Python cannot read the file: {error.msg}")]
    lines = source.splitlines()
    if re.search(r"\bgenerated by\b|do not edit", "\n".join(lines[:5]), re.IGNORECASE):
        return []
    hits = [
        hit
        for text in (read_python(source, nodes) if python else read_markdown(source))
        for hit in check_text(name, *text)
    ]
    if python and not PUBLIC_IDS.search(name):
        hits += check_names(name, nodes)
    return sorted(hit for hit in hits if "plain: skip" not in lines[min(hit.line, len(lines)) - 1])


def find_files(paths: list[Path]) -> list[Path]:
    """Return the Python and Markdown files of some files and folders."""
    found = (file for path in paths for file in (sorted(path.rglob("*")) if path.is_dir() else [path]))
    return [file for file in found if file.suffix in {".py", ".md"} and not SKIPPED.search(file.as_posix())]


def main() -> int:
    """Run the linter and return its exit status."""
    parser = argparse.ArgumentParser(description="Lint prose and names for plain English.")
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--by-rule", action="store_true", help="print a count per rule instead of hits")
    parser.add_argument(
        "--by-file", action="store_true", help="print a count per file, worst first, instead of hits"
    )
    args = parser.parse_args()
    files = find_files(args.paths)
    hits = [hit for file in files for hit in check_file(file)]
    for wanted, key in ((args.by_rule, "rule"), (args.by_file, "path")):
        for name, count in Counter(getattr(hit, key) for hit in hits).most_common() if wanted else ():
            print(f"{count:7,}  {name}")
    if not (args.by_rule or args.by_file):
        print(*(f"{hit.path}:{hit.line}: {hit.rule}: {hit.text[:160]}" for hit in hits), sep="\n")
    print(f"{len(hits):,} hits in {len(files):,} files", file=sys.stderr)
    return int(bool(hits))


if __name__ == "__main__":
    sys.exit(main())
