"""Figures: what they draw, into which axes, and that the same data gives the same file."""

import pytest

pytest.importorskip("jinja2", reason="pip install 'kassay[reports]'")

import pandas as pd
from matplotlib.figure import Figure
from report.sweep_of_loops import group_of

from kassay.model import TopicPartition
from kassay.properties.partitions.rounds import ROUNDS
from kassay.reference import ASSIGNORS
from kassay.reports.figures.cost import cost
from kassay.reports.figures.gap_boxes import gap_boxes
from kassay.reports.figures.gap_ecdf import gap_ecdf
from kassay.reports.figures.profile import profile
from kassay.reports.figures.saving import save
from kassay.reports.figures.settling import settling
from kassay.reports.figures.style import COLOURS, LINES, looks
from kassay.reports.figures.timeline import timeline
from kassay.reports.page.inline import inline
from kassay.reports.shapes.partitions.held import held
from kassay.reports.shapes.partitions.holding import holding
from kassay.reports.tables.costs import Fit
from kassay.reports.tables.gaps import first_gaps, gaps
from kassay.reports.tables.histogram import described
from kassay.reports.tables.profiles import profiles
from kassay.reports.tables.timelines import timelines

HOSTILE = r"a $\frac{1}{2}$ <b>&"


@pytest.fixture(scope="module")
def frames(summaries):
    gap_frame = gaps(summaries)
    boxes = described(gap_frame[gap_frame["level"] == "moves"], ["situation", "target"], "gap")
    profile_frame = profiles(summaries)
    steps = timelines(summaries)
    return {
        gap_ecdf: first_gaps(gap_frame, "moves"),
        gap_boxes: boxes[boxes["situation"].isin(["", "racks"])],
        profile: profile_frame[profile_frame["level"] == "moves"],
        timeline: steps[steps["measure"] == "moves"],
        settling: summaries.rounds,
    }


@pytest.mark.parametrize("draw", [gap_ecdf, gap_boxes, profile, timeline, settling])
def test_every_figure_draws_new_axes_and_given_ones(frames, draw):
    new = draw(frames[draw], "Title")
    own = Figure().add_subplot()
    assert draw(frames[draw], "Title", ax=own) is own
    for ax in (new, own):
        assert ax.get_title(loc="left") == "Title"
        assert ax.get_xlabel()
    assert len(new.figure.legends) == 1
    assert own.get_legend() is not None
    assert len(new.figure.legends[0].get_texts()) == 6


@pytest.mark.parametrize("draw", [gap_ecdf, gap_boxes, profile, timeline, settling])
def test_nothing_is_drawn_of_nothing(frames, draw, tmp_path):
    ax = draw(frames[draw].iloc[:0], "Empty")
    save(ax, tmp_path, "empty")
    assert (tmp_path / "empty.png").stat().st_size > 1000


def test_a_distribution_starts_at_the_share_at_the_optimum():
    frame = pd.DataFrame({"target": ["b", "b", "b", "a"], "gap": [0, 3, 7, 2], "rows": [5, 3, 2, 4]})
    ax = gap_ecdf(frame)
    steps = [line for line in ax.lines if line.get_drawstyle() == "steps-post"]
    assert [line.get_label() for line in steps] == ["b (n = 10)", "a (n = 4)"]
    assert list(zip(*steps[0].get_data(), strict=True)) == [(0, 0.5), (0, 0.5), (3, 0.8), (7, 1), (7, 1)]
    assert next(zip(*steps[1].get_data(), strict=True)) == (0, 0)


def test_what_never_settles_is_never_counted():
    frame = pd.DataFrame({"target": ["a", "a", "a"], "rounds": [1, 3, ROUNDS + 1], "rows": [5, 3, 2]})
    (line,) = settling(frame, most=ROUNDS).lines
    assert list(line.get_ydata()) == [0.5, 0.5, *[0.8] * (ROUNDS - 2)]


def test_targets_look_the_same_everywhere_and_unlike_each_other():
    names = [f"consumer/{n}" for n in range(len(COLOURS) * len(LINES))]
    known = looks(names)
    assert len({(look.colour, look.line) for look in known.values()}) == len(names)
    assert known["consumer/3"].label == "3"
    assert looks(["consumer/range", "kafka:4.4.0#consumer/range"])["consumer/range"].label == "consumer/range"


def test_the_law_is_drawn_through_its_points():
    frame = pd.DataFrame({"target": "t", "partitions": [1.0, 10.0, 100.0], "median": [2.0, 20.0, 200.0]})
    ax = cost(frame, "partitions", {"t": Fit(0.0, 2.0, (1.0,), (0.0,), 1.0)})
    (law,) = [line for line in ax.lines if line.get_linestyle() == "-"]
    assert list(law.get_ydata()) == pytest.approx(2 * law.get_xdata())
    assert law.get_label() == "t: 0 + 2 p$^{1.00}$"


def test_files_are_the_same_every_time(frames, tmp_path):
    for folder in ("one", "two"):
        save(gap_ecdf(frames[gap_ecdf], "Title"), tmp_path / folder, "f")
    for name in ("f.svg", "f.png"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_an_assignment_shows_what_is_kept_gained_lost_and_wrong(summaries, tmp_path):
    group = group_of(summaries.run, 9, 1, "consumer/range")
    given = {
        group.members[0].id: [TopicPartition("t9", 3)],
        "ghost": [next(iter(group.topics[0]))],
    }
    ax = holding(held(group, given), HOSTILE)
    texts = {text.get_text() for text in ax.texts}
    assert {"x", "lost", "= 1", "= 0"} <= texts
    svg = save(ax, tmp_path, "held")
    assert r"$\frac{1}{2}$" not in svg or "<b>" not in svg
    whole = holding(held(group, ASSIGNORS["consumer/range"].assign(group)))
    assert "lost" not in {text.get_text() for text in whole.texts}
    assert "+" in {text.get_text() for text in whole.texts}


def test_an_inline_picture_has_ids_of_its_own_and_the_page_s_colours(frames, tmp_path):
    svg = inline(save(gap_ecdf(frames[gap_ecdf], "T"), tmp_path, "f"), "gap-moves", 'says "this" & that')
    assert svg.startswith("<svg role=")
    assert 'aria-label="says &quot;this&quot; &amp; that"' in svg
    assert "currentColor" in svg
    assert "metadata" not in svg
    for reference in ("url(#", 'href="#'):
        assert svg.count(reference) == svg.count(f"{reference}gap-moves-") > 0
    assert svg.count(' id="') == svg.count(' id="gap-moves-')
