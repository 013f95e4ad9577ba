"""The pages that are made from kassay itself: what can be imported, and what is in files."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from tree import ROOT

import kassay

SCHEMAS = (
    "docs/reference/adapter-protocol.schema.json",
    "docs/reference/certificate.schema.json",
    "docs/reference/frontier.schema.json",
    "docs/reference/tasks-certificate.schema.json",
)
Schema = Mapping[str, Any]


def write_python() -> str:
    """Let Sphinx write what `import kassay` and kassay.testing have, from their docstrings."""
    parts = [
        "# Python",
        "",
        "What `import kassay` has. [Examples](../docs/reference/python.md).",
        "",
        "```{eval-rst}",
    ]
    parts += [".. currentmodule:: kassay", ""]
    for name in dir(kassay):
        if not name.startswith("_"):
            class_ = isinstance(getattr(kassay, name), type)
            parts += [f".. auto{'class' if class_ else 'function'}:: {name}", "   :members:" * class_, ""]
    return "\n".join([*parts, "```", ""])


def write_formats() -> str:
    """Write each schema as tables: a key, its type, and what it means."""
    parts = [
        "# File formats",
        "",
        "From the JSON Schemas. A type in **bold**: the key must be there; `[]` is an item of a list, `*` any key.",
        "",
    ]
    for path in SCHEMAS:
        schema = json.loads((ROOT / path).read_text(encoding="utf-8"))
        parts += [f"## {schema['title']}", "", f"{schema['description']} [The schema](../{path}).", ""]
        parts += _write_table(schema)
        for name, each in schema.get("$defs", {}).items():
            parts += [f"### {name}", "", _describe(each), "", *_write_table(each)]
    return "\n".join(parts)


def _describe(schema: Schema) -> str:
    said = schema.get("description", "")
    kind = _describe_type(schema)
    return f"{said[:1].upper()}{said[1:]} ({kind})." if said and kind else f"{said or kind}."


def _write_table(schema: Schema) -> list[str]:
    rows = [*_list_rows("", schema)]
    if not rows:
        return []
    lines = [f"| `{key}` | {kind} | {says} |" for key, kind, says in rows]
    return ["| key | type | means |", "| --- | --- | --- |", *lines, ""]


def _list_rows(at: str, schema: Schema) -> Iterator[tuple[str, str, str]]:
    for key, each in schema.get("properties", {}).items():
        name = f"{at}.{key}".lstrip(".")
        must = "**" * (key in schema.get("required", ()))
        yield name, f"{must}{_describe_type(each)}{must}", _escape(each.get("description", ""))
        yield from _list_rows(name, each)
    for inner, sign in (("items", "[]"), ("additionalProperties", ".*")):
        if isinstance(schema.get(inner), dict):
            yield from _list_rows(f"{at}{sign}", schema[inner])


def _describe_type(schema: Schema) -> str:
    """Return the type of a value, with a link to a definition."""
    if "$ref" in schema:
        name = schema["$ref"].removeprefix("#/$defs/")
        return f"[{name}](#{name})"
    if "const" in schema:
        return f"`{json.dumps(schema['const'])}`"
    if "enum" in schema:
        return ", ".join(f"`{each}`" for each in schema["enum"])
    for several in ("anyOf", "oneOf", "allOf"):
        if several in schema:
            return " or ".join(filter(None, map(_describe_type, schema[several])))
    kinds = schema.get("type", "")
    said = " or ".join(kinds) if isinstance(kinds, list) else kinds
    if isinstance(schema.get("items"), dict) and (of := _describe_type(schema["items"])):
        said += f" of {of}"
    if "default" in schema:
        said += f", `{json.dumps(schema['default'])}` where absent"
    return said


def _escape(text: str) -> str:
    return text.replace("|", "\\|").replace("->", "→")
