"""Draw a timeline as a sequence diagram: a line for each member and broker, an arrow for each message. Plain SVG, on light paper."""

from xml.sax.saxutils import escape

from kassay.output.block import printable
from kassay.reference.group.trace import Entry, Trace

LEFT, COLUMN, ROW, TOP = 76, 250, 25, 46
INK, SOFT, RULE, PAPER = "#1d2733", "#66717d", "#c9d1d9", "#ffffff"
BANDS = {"fault": ("#7a4f00", "#fff3d6"), "breach": ("#b3261e", "#fdecea")}
"""Ink and band of what befalls the whole group."""
FONT = "font-family=\"system-ui, -apple-system, 'Segoe UI', Roboto, 'Liberation Sans', Arial, sans-serif\""
WIDE = 6.0
"""Width of a letter, for how much of a text there is room for."""


def diagram(trace: Trace, title: str) -> str:
    """Return the sequence diagram of a trace as SVG."""
    places = _places(trace)
    width = LEFT + COLUMN * max(1, len(places)) + COLUMN // 3
    height = TOP + ROW * (len(trace) + 1) + 10
    x_of = {place: LEFT + COLUMN // 2 + COLUMN * number for number, place in enumerate(places)}
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" {FONT} font-size="12">',
        f"<title>{_safe(title)}</title>",
        f'<rect width="{width}" height="{height}" fill="{PAPER}"/>',
        f'<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" fill="{INK}"/></marker></defs>',
    ]
    for place, x in x_of.items():
        parts.append(f'<line x1="{x}" y1="{TOP - 8}" x2="{x}" y2="{height - 10}" stroke="{RULE}"/>')
        parts.append(_text(x, TOP - 18, place, INK, "middle", bold=True))
    before = -1
    for number, entry in enumerate(trace):
        y = TOP + ROW * (number + 1)
        if entry.time_ms != before:
            parts.append(_text(LEFT - 16, y, f"{entry.time_ms / 1000:.3f} s", SOFT, "end"))
        before = entry.time_ms
        parts += _drawn(entry, y, x_of, width)
    return "\n".join([*parts, "</svg>\n"])


def _places(trace: Trace) -> list[str]:
    """Members first, then brokers, each by number."""
    found = {place for entry in trace for place in (entry.source, entry.target) if place}
    return sorted(found, key=lambda place: (place.split()[0] != "member", place.split()[0], _number(place)))


def _number(place: str) -> int:
    last = place.rsplit(maxsplit=1)[-1]
    return int(last) if last.isdigit() else -1


def _drawn(entry: Entry, y: int, x_of: dict[str, int], width: int) -> list[str]:
    if not entry.source:
        ink, band = BANDS.get(entry.note, (INK, RULE))
        return [
            f'<rect x="{LEFT}" y="{y - 15}" width="{width - LEFT - 8}" height="20" rx="4" fill="{band}"/>',
            _text(LEFT + 8, y - 1, entry.label, ink, "start", bold=True, room=width - LEFT - 24),
        ]
    start, end = x_of[entry.source], x_of[entry.target]
    if start == end:
        return [
            f'<circle cx="{start}" cy="{y - 4}" r="3.5" fill="{INK}"/>',
            _text(start + 9, y, entry.label, INK, "start", room=COLUMN - 16),
        ]
    away = 4 if end > start else -4
    return [
        f'<line x1="{start}" y1="{y}" x2="{end - away // 4}" y2="{y}" stroke="{INK}" marker-end="url(#tip)"/>',
        _text(
            start + 2 * away,
            y - 4,
            entry.label,
            INK,
            "start" if away > 0 else "end",
            room=abs(end - start) - 16,
        ),
    ]


def _text(
    x: int, y: int, text: str, colour: str, anchor: str, *, bold: bool = False, room: int = 10_000
) -> str:
    weight = ' font-weight="700"' if bold else ""
    most = int(room / (WIDE * 1.1 if bold else WIDE))
    shown = text if len(text) <= most else f"{text[: most - 1]}…"
    halo = f' stroke="{PAPER}" stroke-width="3" paint-order="stroke"' if not bold else ""
    return f'<text x="{x}" y="{y}" fill="{colour}" text-anchor="{anchor}"{weight}{halo}>{_safe(shown)}</text>'


def _safe(text: str) -> str:
    return escape(printable(text))
