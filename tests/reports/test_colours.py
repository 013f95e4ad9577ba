"""Colours of targets: the same everywhere, and told apart by everybody."""

import pytest

pytest.importorskip("jinja2", reason="pip install 'kassay[reports]'")

from itertools import combinations

import numpy as np

from kassay.reports.figures.colours import COLOURS, DARK
from kassay.reports.figures.style import LINES, assign_looks

SIGHTS = {
    "all colours": np.eye(3),
    "no red": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "no green": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]]
    ),
}
"""How light reaches people (G. M. Machado et al., IEEE Trans. Vis. Comput. Graph. 15, 2009, 1291-1298)."""


def light(colour):
    parts = np.array([int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5)])
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def contrast(one, other):
    """Return the contrast of two colours (WCAG 2.2)."""
    dark, bright = sorted(float(light(colour) @ [0.2126, 0.7152, 0.0722]) for colour in (one, other))
    return (bright + 0.05) / (dark + 0.05)


def seen(colour, sight):
    """Return a colour where distances are what people see (B. Ottosson, Oklab, 2020)."""
    cones = [
        [0.4122215, 0.5363325, 0.051446],
        [0.2119035, 0.6806995, 0.107397],
        [0.0883025, 0.2818188, 0.6299787],
    ]
    lab = [
        [0.2104543, 0.7936178, -0.0040720],
        [1.9779985, -2.4285922, 0.4505937],
        [0.0259040, 0.7827718, -0.8086758],
    ]
    return np.array(lab) @ np.cbrt(np.array(cones) @ np.clip(sight @ light(colour), 0, 1))


def test_targets_look_the_same_everywhere_and_unlike_each_other():
    names = [f"consumer/{n}" for n in range(30)]
    known = assign_looks(names)
    assert len({(look.colour, look.line, look.marker) for look in known.values()}) == len(names)
    first = list(known.values())[: len(COLOURS) * len(LINES)]
    assert len({(look.colour, look.line) for look in first}) == len(first)
    assert known["consumer/3"].label == "3"
    assert known["consumer/3"].gid == "target-3"
    assert assign_looks(["consumer/range", "kafka:4.4.0#consumer/range"])["consumer/range"].label == "range"


@pytest.mark.parametrize(("colours", "paper"), [(COLOURS, "#ffffff"), (DARK, "#171b21")])
def test_colours_stand_out_from_paper_and_from_each_other(colours, paper):
    assert len(colours) == 7
    assert all(contrast(colour, paper) >= 4.5 for colour in colours)
    for sight in SIGHTS.values():
        for one, other in combinations(colours, 2):
            assert np.linalg.norm(seen(one, sight) - seen(other, sight)) > 0.1
