"""Links into the playground: what stands after # holds a whole state, and an address says where the playground lies."""

import base64
import json
import os
import zlib
from collections.abc import Mapping
from typing import Any

from kassay.defaults import FAMILY

ADDRESS = "KASSAY_PLAYGROUND"
"""The variable of the environment that holds the address of a playground's page, to which pages of kassay then link."""
BITS = -15
"""Raw deflate, as browsers have it."""


def link(group: Mapping[str, Any], kafka: str = "") -> str:
    """Return the link that opens a group in the configured playground; "" where none is configured, or the group states another family."""
    address = os.environ.get(ADDRESS, "") if group.get("family", FAMILY) == FAMILY else ""
    return f"{address}#{fragment({'group': group, 'kafka': kafka})}" if address else ""


def fragment(state: Mapping[str, Any]) -> str:
    """Return what stands after # in a link that holds a state: its JSON, deflated, in the URL's alphabet of base64."""
    deflate = zlib.compressobj(9, zlib.DEFLATED, BITS)
    packed = deflate.compress(json.dumps(state, separators=(",", ":")).encode()) + deflate.flush()
    return f"g={base64.urlsafe_b64encode(packed).decode().rstrip('=')}"


def state_of(fragment_: str) -> dict[str, Any]:
    """Return the state that a link holds; raises ValueError where it holds none."""
    text = fragment_.removeprefix("#").removeprefix("g=")
    try:
        state: dict[str, Any] = json.loads(
            zlib.decompress(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)), BITS)
        )
    except (zlib.error, ValueError) as wrong:
        raise ValueError(f"the link holds no group: {wrong}") from None
    return state
