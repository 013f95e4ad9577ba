"""Tables of applications: every client and every task that is given stands in them, marked where it is new or lost."""

from kassay.families.shapes.tasks import runs, show, show_change
from kassay.model.tasks import Application, Client, Given, Task, TaskAssignment, TaskId
from kassay.properties.runs import Run

ONE, TWO, STRANGER = (f"00000000-0000-0000-0000-00000000000{n}" for n in (1, 2, 9))
T = [TaskId(0, n) for n in range(4)]
TASKS = tuple(Task(task) for task in T)
NEW = Application(TASKS, (Client(ONE, 2), Client(TWO, 1)))
RUNNING = Application(
    TASKS, (Client(ONE, 2, (T[0], T[1]), rack="a", tags=(("zone", "z"),)), Client(TWO, 1, (T[2],), (T[3],)))
)


def given(*clients, probing=False):
    return TaskAssignment(dict(clients), probing)


def test_neighbours_are_drawn_together():
    assert runs([TaskId(1, 0), T[3], T[0], T[1]]) == "0_0-1,3 1_0"
    assert runs([]) == "-"


def test_a_new_application_has_no_column_of_what_runs():
    table = show(NEW, {"a": given((ONE, Given((T[0], T[1], T[2]), ())), (TWO, Given((T[3],), (T[0],))))})
    assert list(table.columns) == ["client", "threads", "a"]
    assert [list(row) for row in table.rows] == [[ONE, "2", "0_0-2"], [TWO, "1", "0_3; standby 0_0"]]
    assert table.note == ""


def test_what_is_new_lost_missing_or_given_to_strangers_is_marked():
    answers = {
        "a": given((ONE, Given((T[0],), (T[2],))), (STRANGER, Given((T[1],), ()))),
        "b": given((ONE, Given((T[0], T[1]), ())), (TWO, Given((T[3], T[2]), ())), probing=True),
    }
    table = show(RUNNING, answers)
    assert list(table.columns) == ["client", "threads", "rack", "tags", "runs now", "a", "b"]
    assert [list(row) for row in table.rows] == [
        [ONE, "2", "a", "zone=z", "0_0-1", "0_0; standby +0_2", "0_0-1"],
        [TWO, "1", "", "", "0_2; standby 0_3", "(missing)", "0_2-3"],
        [STRANGER, "(no client)", "", "", "", "0_1", "(missing)"],
        ["(nobody)", "", "", "", "", "0_2-3", ""],
    ]
    assert (
        table.note
        == "+ marks a task that the client did not hold before; a probing rebalance is to follow for b"
    )


def test_two_runs_stand_side_by_side_with_what_changed():
    before = given((ONE, Given((T[0], T[1]), ())), (TWO, Given((T[2],), (T[0],))))
    after = given((ONE, Given((T[0],), (T[2],))), (TWO, Given((T[2], T[3]), ())))
    table = show_change(Run("first", RUNNING, before), Run("second", RUNNING, after))
    assert [list(row) for row in table.rows] == [
        [ONE, "0_0-1", "active 0_0 -0_1; standby +0_2"],
        [TWO, "0_2; standby 0_0", "active 0_2 +0_3; standby -0_0"],
    ]
