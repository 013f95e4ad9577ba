"""Links into the playground: what stands after # holds a whole state, and an address says where the playground lies."""

import base64
import json
import os
import re
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kassay.defaults import FAMILY
from kassay.files.settings import check_web_page, read_settings

ADDRESS = "KASSAY_PLAYGROUND"
"""The variable of the environment that holds the address of a playground's page, to which kassay then links; else the project's settings may have it."""
BITS = -15
"""Raw deflate, as browsers have it."""


TARGET = re.compile(r"(?:kafka:(\d+\.\d+\.\d+)#)?consumer/([\w-]+)(?:@(\d+\.\d+\.\d+))?")


def address() -> str:
    """Return the address of the configured playground, "" without one; raises InputError where it is no page's."""
    given = os.environ.get(ADDRESS)
    return check_web_page(ADDRESS, given) if given else read_settings(Path.cwd()).playground or ""


def link(group: Mapping[str, Any], target: str = "") -> str:
    """Return the link that opens a group in the configured playground, as a target answers it; "" where none is configured, or the group states another family."""
    if group.get("family", FAMILY) != FAMILY or not (there := address()):
        return ""
    return f"{there}#{fragment(state(group, target))}"


def state(group: Mapping[str, Any], target: str = "") -> dict[str, Any]:
    """Return the state that shows a group, with the answer of a target in its release of Kafka, where it is one of Kafka's for consumers."""
    named = TARGET.search(target)
    kafka, view, at = named.groups("") if named else ("", "now", "")
    return {"group": group, "kafka": kafka or at, "view": view}


def fragment(state: Mapping[str, Any]) -> str:
    """Return what stands after # in a link that holds a state: its JSON, deflated, in the URL's alphabet of base64."""
    deflate = zlib.compressobj(9, zlib.DEFLATED, BITS)
    packed = deflate.compress(json.dumps(state, separators=(",", ":")).encode()) + deflate.flush()
    return f"g={base64.urlsafe_b64encode(packed).decode().rstrip('=')}"


def read_state(fragment_: str) -> dict[str, Any]:
    """Return the state that a link holds; raises ValueError where it holds none."""
    text = fragment_.removeprefix("#").removeprefix("g=")
    try:
        state: dict[str, Any] = json.loads(
            zlib.decompress(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)), BITS)
        )
    except (zlib.error, ValueError, RecursionError) as wrong:
        raise ValueError(f"the link holds no group: {wrong}") from None
    return state
