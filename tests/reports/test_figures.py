"""Figures: what they draw, into which axes, and that the same data gives the same file."""

import pytest

pytest.importorskip("jinja2", reason="pip install 'kassay[reports]'")

from itertools import combinations

import pandas as pd
from matplotlib.figure import Figure
from reports.sweep_of_loops import NAMES, group_of

from kassay.model import TopicPartition
from kassay.properties.partitions.rounds import ROUNDS
from kassay.reference import ASSIGNORS
from kassay.reports.comparison.effects import ALIKE, EQUAL, HIGHER, LOWER, NOTHING
from kassay.reports.figures.colours import COLOURS, DARK, INK
from kassay.reports.figures.gaps import (
    draw_cost,
    draw_differences,
    draw_gap_boxes,
    draw_gap_ecdf,
    draw_needless,
    draw_profile,
    draw_settling,
    draw_timeline,
)
from kassay.reports.figures.style import cut_label, place_apart, save
from kassay.reports.page.inline import inline, series_style
from kassay.reports.shapes.holding import draw_holding, list_pairs
from kassay.reports.tables.gaps import (
    Fit,
    compute_gaps,
    compute_profiles,
    describe_histograms,
    select_first_gaps,
)
from kassay.reports.tables.rebalances import compute_timelines

HOSTILE = r"a $\frac{1}{2}$ <b>&"
MANY = [
    r"exec:./run $\frac{ $x",
    *(
        f"kafka:{n}.0.0#consumer/{name}"
        for n in range(1, 7)
        for name in ("a", "b", "c", "sticky", "cooperative-sticky")
    ),
][:30]
SERIES = len(NAMES)
"""How many assignors the sweep has."""
DRAWS = [draw_gap_ecdf, draw_gap_boxes, draw_profile, draw_timeline, draw_settling]


def ecdf_of(targets):
    """Return gaps of targets that are alike, so that all labels want one place."""
    return pd.DataFrame(
        [(t, gap, 5) for t in targets for gap in (0, 3, 70)], columns=["target", "gap", "rows"]
    )


def cost_of(targets):
    rows = [(t, float(size), 1.5 * size, 2.0 * size, 3.0 * size) for t in targets for size in (1, 10, 100)]
    return pd.DataFrame(rows, columns=["target", "partitions", "low", "median", "high"])


def differences_of(targets):
    kinds = [
        (5.56, 5.21, 5.93, 117, 1969, 2092, HIGHER), (-0.031, -0.042, -0.02, 90, 4016, 0, LOWER),
        (0.02, -0.01, 0.05, 40, 4000, 46, ALIKE), (0.0, None, None, 0, 4178, 0, EQUAL),
        (0.0, None, None, 0, 0, 0, NOTHING), (-0.004, None, None, 17, 4161, 0, LOWER),
    ]  # fmt: skip
    rows = [(target, *kinds[n % len(kinds)]) for n, target in enumerate(targets)]
    columns = ["target", "mean", "low", "high", "better", "same", "worse", "verdict"]
    return pd.DataFrame(rows, columns=columns)


def needless_of(targets):
    values = [35.24, 1200.4, 0, None, -40.5]
    return pd.DataFrame({"target": targets, "value": [values[n % 5] for n in range(len(targets))]})


MADE = {
    "ecdf": lambda targets, **how: draw_gap_ecdf(ecdf_of(targets), **how),
    "cost": lambda targets, **how: draw_cost(cost_of(targets), "partitions", {}, **how),
    "differences": lambda targets, **how: draw_differences(differences_of(targets), "consumer/sticky", **how),
    "needless": lambda targets, **how: draw_needless(needless_of(targets), **how),
}


def boxes_of(ax):
    """Return where the written labels of targets stand, after the figure is drawn."""
    ax.figure.draw_without_rendering()
    return [text.get_window_extent() for text in ax.texts]


@pytest.fixture(scope="module")
def frames(summaries):
    gap_frame = compute_gaps(summaries)
    boxes = describe_histograms(gap_frame[gap_frame["level"] == "moves"], ["situation", "target"], "gap")
    profile_frame = compute_profiles(summaries)
    steps = compute_timelines(summaries)
    return {
        draw_gap_ecdf: select_first_gaps(gap_frame, "moves"),
        draw_gap_boxes: boxes[boxes["situation"].isin(["", "racks"])],
        draw_profile: profile_frame[profile_frame["level"] == "moves"],
        draw_timeline: steps[steps["measure"] == "moves"],
        draw_settling: summaries.rounds,
    }


@pytest.mark.parametrize("draw", DRAWS)
def test_every_figure_draws_new_axes_and_given_ones(frames, draw):
    new = draw(frames[draw], "Title")
    own = Figure().add_subplot()
    assert draw(frames[draw], "Title", ax=own) is own
    for ax in (new, own):
        assert ax.get_title(loc="left") == "Title"
        assert ax.get_xlabel()
    assert len(new.figure.legends) == 1
    assert own.get_legend() is not None
    assert len(new.figure.legends[0].get_texts()) == SERIES
    bare = draw(frames[draw], legend=False)
    assert not bare.figure.legends
    assert bare.get_legend() is None
    assert {f"target-{n}" for n in range(SERIES)} <= {artist.get_gid() for artist in bare.get_children()}
    assert all(line.get_gid() for line in bare.lines if len(line.get_xdata()))


@pytest.mark.parametrize("draw", DRAWS)
def test_nothing_is_drawn_of_nothing(frames, draw, tmp_path):
    ax = draw(frames[draw].iloc[:0], "Empty")
    save(ax, tmp_path, "empty")
    assert (tmp_path / "empty.png").stat().st_size > 1000


def test_a_distribution_starts_at_the_share_at_the_optimum():
    frame = pd.DataFrame({"target": ["b", "b", "b", "a"], "gap": [0, 3, 7, 2], "rows": [5, 3, 2, 4]})
    ax = draw_gap_ecdf(frame)
    steps = [line for line in ax.lines if line.get_drawstyle() == "steps-post"]
    assert [line.get_label() for line in steps] == ["b (n = 10)", "a (n = 4)"]
    assert list(zip(*steps[0].get_data(), strict=True)) == [(0, 0.5), (0, 0.5), (3, 0.8), (7, 1), (7, 1)]
    assert next(zip(*steps[1].get_data(), strict=True)) == (0, 0)


def test_what_never_settles_is_never_counted():
    frame = pd.DataFrame({"target": ["a", "a", "a"], "rounds": [1, 3, ROUNDS + 1], "rows": [5, 3, 2]})
    (line,) = draw_settling(frame, most=ROUNDS).lines
    assert list(line.get_ydata()) == [0.5, 0.5, *[0.8] * (ROUNDS - 2)]


@pytest.mark.parametrize("name", MADE)
@pytest.mark.parametrize("many", [1, 8, 30])
def test_labels_of_one_to_thirty_targets_cover_no_others(name, many):
    ax = MADE[name](MANY[:many], title="Title")
    assert ax.get_title(loc="left") == "Title"
    if name in {"ecdf", "cost"}:
        assert len(ax.texts) == (many if many <= 8 else 0)
    else:
        assert len(ax.texts) >= 2 * many
    for one, other in combinations(boxes_of(ax) if ax.texts else [], 2):
        assert not one.overlaps(other)
    assert all(text.get_color() == INK for text in ax.texts)
    assert {f"target-{n}" for n in range(many)} <= {artist.get_gid() for artist in ax.get_children()}


@pytest.mark.parametrize("name", MADE)
def test_labels_stand_beside_given_axes(name):
    own = Figure((6, 5)).add_subplot()
    assert MADE[name](MANY[:5], title="Title", ax=own) is own
    assert len(own.texts) >= 5


@pytest.mark.parametrize("name", MADE)
def test_nothing_is_labelled_of_nothing(name):
    ax = MADE[name]([])
    assert not boxes_of(ax)


def test_labels_move_no_further_than_they_must():
    assert place_apart([0.2, 0.8], 0.1) == [0.2, 0.8]
    assert place_apart([0.5, 0.5, 0.5], 0.1) == pytest.approx([0.4, 0.5, 0.6])
    assert place_apart([1.0, 0.99], 0.1) == pytest.approx([1.0, 0.9])
    assert place_apart([0.0] * 5, 0.5) == pytest.approx([0, 0.25, 0.5, 0.75, 1])
    assert cut_label("kafka:4.4.0#consumer/range") == "kafka:4.4.0#range"
    assert len(cut_label("java:/a/long/path.jar#org.example.Assignor")) == 26


def test_the_share_at_the_optimum_is_written_beside_its_mark():
    frame = pd.DataFrame(
        {"target": ["consumer/b", "consumer/b", "consumer/a"], "gap": [0, 3, 2], "rows": [5, 3, 4]}
    )
    ax = draw_gap_ecdf(frame, legend=False)
    assert [text.get_text() for text in ax.texts] == ["b 62.5 %", "a 0 %"]
    assert ax.yaxis.get_label_position() == "right"
    assert draw_gap_ecdf(ecdf_of(MANY[:9])).yaxis.get_label_position() == "left"


def test_differences_say_what_was_found():
    ax = draw_differences(differences_of(MANY[:6]), "consumer/sticky", items="moves")
    texts = [text.get_text() for text in ax.texts]
    minus = "\N{MINUS SIGN}"
    assert texts[1] == "+5.56 (+5.21 to +5.93)"
    assert texts[2:5] == ["better 117", "same 1,969", "worse 2,092 of 4,178"]
    assert texts[6] == f"{minus}0.031 ({minus}0.042 to {minus}0.020)"
    assert {ALIKE, EQUAL, NOTHING, f"{minus}0.0040"} <= set(texts)
    assert len(texts) == 6 * 5 - 3
    assert ax.get_xlabel() == "mean difference in moves per group; right of 0: consumer/sticky is better"
    low, high = ax.get_xlim()
    assert low < -0.042 < 5.93 < high
    assert [bar.get_x() * 4178 for bar in ax.patches[:3]] == pytest.approx([0, 117, 2086])
    assert [bar.get_width() * 4178 for bar in ax.patches[:3]] == pytest.approx([117, 1969, 2092])


def test_what_is_not_known_has_no_bar():
    ax = draw_needless(needless_of(MANY[:5]), unit="a month")
    assert [bar.get_width() for bar in ax.patches] == [35.24, 1200.4, 0, -40.5]
    values = [text.get_text() for text in ax.texts[1::2]]
    assert values == ["35.2", "1,200", "0", "not known", "\N{MINUS SIGN}40.5"]
    assert ax.get_xlabel() == "a month"


def test_the_law_is_drawn_through_its_points():
    frame = cost_of(["t"])
    ax = draw_cost(frame, "partitions", {"t": Fit(0.0, 2.0, (1.0,), (0.0,), 1.0)})
    (law,) = [line for line in ax.lines if line.get_label() == "t"]
    assert list(law.get_ydata()) == pytest.approx(2 * law.get_xdata())
    assert [text.get_text() for text in ax.texts] == ["t 200"]
    assert not draw_cost(frame, "partitions", {}, legend=False).figure.legends
    (band,) = ax.collections
    assert band.get_datalim(ax.transData).intervaly.tolist() == [1.5, 300.0]


def test_files_are_the_same_every_time(frames, tmp_path):
    for folder in ("one", "two"):
        save(draw_gap_ecdf(frames[draw_gap_ecdf], "Title"), tmp_path / folder, "f")
    for name in ("f.svg", "f.png"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_an_assignment_shows_what_is_kept_gained_lost_and_wrong(summaries, tmp_path):
    group = group_of(summaries.run, 9, 1, "consumer/range")
    given = {
        group.members[0].id: [TopicPartition("t9", 3)],
        "ghost": [next(iter(group.topics[0]))],
    }
    ax = draw_holding(list_pairs(group, given), HOSTILE)
    texts = {text.get_text() for text in ax.texts}
    assert {"x", "lost", "= 1", "= 0"} <= texts
    svg = save(ax, tmp_path, "held")
    assert r"$\frac{1}{2}$" not in svg or "<b>" not in svg
    whole = draw_holding(list_pairs(group, ASSIGNORS["consumer/range"].assign(group)))
    assert "lost" not in {text.get_text() for text in whole.texts}
    assert "+" in {text.get_text() for text in whole.texts}


def test_an_inline_picture_has_ids_of_its_own_and_the_page_s_colours(frames, tmp_path):
    svg = inline(
        save(draw_gap_ecdf(frames[draw_gap_ecdf], "T"), tmp_path, "f"), "gap-moves", 'says "this" & that'
    )
    assert svg.startswith("<svg role=")
    assert 'aria-label="says &quot;this&quot; &amp; that"' in svg
    assert "currentColor" in svg
    assert "<metadata" not in svg
    for reference in ("url(#", 'href="#'):
        assert svg.count(reference) == svg.count(f"{reference}gap-moves-") > 0
    assert svg.count(' id="') == svg.count(' id="gap-moves-')


def test_a_page_finds_each_target_and_gives_it_its_colour(frames, tmp_path):
    drawn = save(draw_gap_ecdf(frames[draw_gap_ecdf], "T", legend=False), tmp_path, "f")
    svg, style = inline(drawn, "gap-moves", ""), series_style()
    for n, colour in enumerate(COLOURS[:6]):
        assert svg.count(f'class="target-{n}"') >= 4  # line, mark, label, and the line to it
        assert f"var(--series-{n})" in svg
        assert colour not in svg
        assert f"--series-{n}: {colour};" in style
        assert f"--series-{n}: {DARK[n]};" in style
    assert 'id="target' not in svg
    assert "var(--series-6)" not in svg
    bars = inline(save(draw_differences(differences_of(["a"]), "b"), tmp_path, "d"), "d", "")
    assert "var(--better)" in bars
    assert "var(--worse)" in bars
    assert INK not in bars
