import io

from rich.console import Console
from rich.progress import MofNCompleteColumn, Progress, TextColumn

from kassay.reports.sweep.sweeping import Bars, Lines, show_progress, show_status


def test_off_a_terminal_there_is_a_line_for_each_wave(run, capsys):
    with show_status("starting"), show_progress(run, 1, 8, lambda _: 0) as progress:
        assert isinstance(progress, Lines)
        progress.beat([1, 2])
        progress.wave(2, 12_345, 7.4)
    said = capsys.readouterr()
    assert said.err == "kassay: wave 2 complete, 2 of 3: 12,345 rows in 7 s\n"
    assert said.out == ""


def test_on_a_terminal_there_are_waves_tasks_and_rows(run):
    screen = io.StringIO()
    columns = TextColumn("{task.description}"), MofNCompleteColumn(), TextColumn("{task.fields[unit]}")
    with Progress(
        *columns, console=Console(file=screen, force_terminal=True, width=80), auto_refresh=False
    ) as shown_bars:
        bars = Bars(shown_bars, run, 1, 8, lambda waves: 3 * len(waves))
        bars.beat([1, 2])
        waves, tasks = shown_bars.tasks
        assert (waves.completed, waves.total) == (1, 3)
        assert (tasks.completed, tasks.total) == (6, 16)
        bars.wave(1, 1000, 2.0)
        bars.beat([2])
        assert (waves.completed, tasks.completed) == (2, 11)
        assert waves.fields["unit"].endswith(" rows/s")
