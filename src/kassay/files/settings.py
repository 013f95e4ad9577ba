"""Settings of a project: the options of `kassay check` that its command line leaves open, and the address of its playground.

They stand in ``kassay.toml``, or under ``[tool.kassay]`` of ``pyproject.toml``, in the working directory or above it.
"""

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from kassay.errors import InputError
from kassay.files.texts import read_toml
from kassay.model.json_text import convert_json
from kassay.sentences import suggest_name

OWN, SHARED = "kassay.toml", "pyproject.toml"
TOP = (".git", ".hg")
"""Folders that mark the top of a project; the search for settings ends there."""
PROFILES: Mapping[str, Mapping[str, Any]] = {
    "ci": {"examples": 500},
    "deep": {"examples": 20_000, "timed": True},
}
"""Profiles that need no settings; a table of the same name changes one."""
WRITTEN = {
    "targets": '["jar:build/mine.jar#com.acme.Mine"]',
    "family": '"consumer"',
    "promises": '["complete", "balanced"]',
    "promises-of": '"consumer/sticky"',
    "like-kafka": "true",
    "except": '["stable=racks_decide"]',
    "examples": "2000",
    "seeds": "[0, 1]",
    "timed": "true",
    "strict": "true",
    "timeout": "5",
    "baseline": '"kassay-baseline.json"',
    "playground": '"https://example.org/playground/"',
}
"""Key -> how a value of it is written."""


class Settings(msgspec.Struct, forbid_unknown_fields=True, rename="kebab", frozen=True):
    """The settings of a project: options of `kassay check`, and the address of its playground; None if not set."""

    targets: list[str] | None = None
    family: str | None = None
    promises: list[str] | None = None
    promises_of: str | None = None
    like_kafka: bool | None = None
    except_: list[str] | None = msgspec.field(default=None, name="except")
    examples: int | None = None
    seeds: list[int] | None = None
    timed: bool | None = None
    strict: bool | None = None
    timeout: float | None = None
    baseline: str | None = None
    playground: str | None = None
    folder: str = ""
    """The folder of the file, to which its paths are relative; "" without a file."""


def read_settings(start: Path, profile: str | None = None) -> Settings:
    """Return the settings of the nearest file above a folder, overridden by the settings of a profile.

    Raises InputError naming file, key and fix, also where a profile is unknown or two files of one folder have settings.
    """
    file, table = _find_table(start)
    where = f"{file}: {'tool.kassay.' if file.name == SHARED else ''}"
    profiles = table.pop("profiles", {})
    if not isinstance(profiles, dict) or not all(isinstance(each, dict) for each in profiles.values()):
        prefix = where.partition(": ")[2]
        raise InputError(f"{where}profiles: holds a table for each profile. Write [{prefix}profiles.ci]")
    settings = [_build_settings(table, where)]
    of_profiles = {name: _build_settings(each, f"{where}profiles.{name}.") for name, each in profiles.items()}
    if profile is not None:
        known = dict.fromkeys([*PROFILES, *of_profiles])
        if profile not in known:
            raise InputError(
                f"--profile {profile}: {file if table or profiles else 'kassay'} has no such profile. "
                f"Known are {', '.join(known)}{suggest_name(profile, known)}"
            )
        settings += [_build_settings(PROFILES.get(profile, {}), ""), of_profiles.get(profile, Settings())]
    held: dict[str, Any] = {}
    for each in settings:
        said = {key: value for key, value in msgspec.structs.asdict(each).items() if value is not None}
        if {"promises", "promises_of"} & said.keys():
            held = {key: value for key, value in held.items() if not key.startswith("promises")}
        held |= said
    return Settings(**{**held, "folder": str(file.parent) if file.exists() else ""})


def _find_table(start: Path) -> tuple[Path, dict[str, Any]]:
    """Return the file and its settings, {} if no file has some."""
    for folder in (start, *start.parents):
        found = list(_read_folder(folder))
        if len(found) > 1:
            raise InputError(
                f"{folder}: {OWN} and [tool.kassay] of {SHARED} both have settings. Keep one of them"
            )
        if found:
            file, _ = found[0]
            # Settings name code to run, so a file of another user is refused.
            if file.stat().st_uid not in {os.getuid(), 0, start.stat().st_uid}:
                raise InputError(
                    f"{file}: belongs to another user, and may name code to run. Put a {OWN} of your own here"
                )
            return found[0]
        if any((folder / top).exists() for top in TOP):
            break
    return start / OWN, {}


def _read_folder(folder: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    own, shared = folder / OWN, folder / SHARED
    if own.is_file():
        yield own, read_toml(own)
    tools = read_toml(shared).get("tool", {}) if shared.is_file() else {}
    if isinstance(tools, dict) and "kassay" in tools:
        if not isinstance(tools["kassay"], dict):
            raise InputError(f"{shared}: tool.kassay: is no table. Write [tool.kassay]")
        yield shared, tools["kassay"]


def _build_settings(table: Mapping[str, Any], where: str) -> Settings:
    """Read a table of settings; raises InputError naming file, key and fix."""
    for key in table:
        if key not in WRITTEN:
            near = suggest_name(key, [*WRITTEN, "profiles"]) or f". Known are {', '.join(WRITTEN)}"
            raise InputError(f"{where}{key}: there is no such setting{near}")
    try:
        found = convert_json(dict(table), Settings)
    except InputError as wrong:
        key, _, said = str(wrong).partition(": ")
        fix = f"Write {key.partition('[')[0]} = {WRITTEN[key.partition('[')[0]]}"
        raise InputError(f"{where}{key}: {said.replace(' | null', '')}. {fix}") from None
    seeds = found.seeds or []
    wrong_values = {
        "targets": found.targets == [],
        "seeds": found.seeds is not None and not (seeds and len({*seeds}) == len(seeds) and min(seeds) >= 0),
        "examples": found.examples is not None and found.examples < 0,
        "timeout": found.timeout is not None and not 0 < found.timeout < 1e6,
    }
    for key, is_wrong in wrong_values.items():
        if is_wrong:
            raise InputError(f"{where}{key}: is {table[key]}. Write {key} = {WRITTEN[key]}")
    if found.playground is not None:
        check_web_page(
            f"{where}playground", found.playground, f". Write playground = {WRITTEN['playground']}"
        )
    if found.promises is not None and found.promises_of is not None:
        raise InputError(f"{where}promises: contradicts promises-of. Keep one of them.")
    return found


def check_web_page(
    field: str, address: str, fix: str = ". Give one such as https://example.org/playground/"
) -> str:
    """Return the address of a page; raise InputError if no browser opens it."""
    if not re.fullmatch(r"(https?|file)://[^\s#\"'<>]+", address):
        raise InputError(f"{field}: {address!r} is no address of a page{fix}")
    return address
