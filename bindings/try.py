"""Builds the packages for Python and Node, installs them into clean places, and runs their tests there.

usage: try.py ASIDE [--full]

ASIDE is the command, with whose output the packages are compared. `--full` builds as for a release,
compares every file and the speed, and runs the examples of `docs/fleet.md`. The packages are left
in `target/dist-bindings`. A stamp in each place has the versions of what was installed, so that only
the first run needs the network.

Exit code 0: all passed. 1: a fault. 3: a tool is missing, which the last line names.
"""

import json
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
DIST = TARGET / "dist-bindings"
PLACES = TARGET / "bindings"
MATURIN = "maturin==1.16.0"
FLEET = "duckdb==2.0.1 pandas==3.1.1 pyarrow==26.0.1 pyspark==4.3.0"
#: How long a call may take, compared with the same function in Rust.
MAX_RATIO = 1.2
PROFILES = {"dev": "debug", "release": "release"}


class Missing(Exception):
    """A tool that this machine lacks."""


def run(*arguments, cwd=ROOT, **options):
    arguments = [str(it) for it in arguments]
    done = subprocess.run(arguments, cwd=cwd, text=True, **options)
    if done.returncode:
        for text in (done.stdout, done.stderr):
            if text:
                print(text[-6000:])
        raise SystemExit(f"bindings: {' '.join(arguments[:4])} … failed")


def quietly(*arguments, cwd=ROOT):
    run(*arguments, cwd=cwd, capture_output=True)


def venv(name, wanted):
    """Returns the Python of an environment with these packages."""
    place = PLACES / name
    python = place / "bin/python"
    stamp = place / "installed.txt"
    if not (stamp.exists() and stamp.read_text() == wanted):
        quietly(sys.executable, "-m", "venv", "--clear", place)
        install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        # PySpark is published as sources alone, which have nothing to compile.
        binary = ["--only-binary", ":all:", "--no-binary", "pyspark"]
        quietly(*install, *binary, *wanted.split())
        stamp.write_text(wanted)
    return python


def wheel(profile):
    python = venv("build", MATURIN)
    environment = {**os.environ, "CARGO_TARGET_DIR": str(TARGET)}
    build = [python.parent / "maturin", "build", "--quiet", "--locked", "--profile", profile, "--out", DIST]
    run(*build, "--interpreter", python, cwd=HERE / "python", env=environment)
    return next(DIST.glob("*.whl"))


def python_place():
    wanted = " ".join(it for it in (HERE / "requirements.txt").read_text().splitlines() if it[0] != "#")
    return venv("python", wanted)


def try_python(file, python, aside, every):
    install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    quietly(*install, "--no-index", "--no-deps", "--force-reinstall", file)
    # Outside of the checkout, so that nothing but the wheel is imported.
    place = PLACES / "python-tests"
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(HERE / "python/tests", place / "tests")
    for name in ("python/README.md", "results.schema.json"):
        shutil.copy(HERE / name, place)
    (place / "pytest.ini").write_text("[pytest]\n")
    run(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests", cwd=place)
    run(python, HERE / "same_results.py", aside, ROOT, every, "python", cwd=place)
    if every == 1:
        compare_speed("python", python, place)


def try_fleet(file, aside):
    """Compares the engines of `docs/fleet.md` with one process."""
    python = venv("fleet", FLEET)
    install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    quietly(*install, "--no-index", "--no-deps", "--force-reinstall", file)
    paths = os.pathsep.join([str(aside.parent), str(python.parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": paths, "PYSPARK_PYTHON": str(python)}
    run(python, ROOT / "docs/fleet/check.py", env=environment)


SPEED = {
    "python": """
import aside, json, sys, time
body = open(sys.argv[1], "rb").read()
def best(run):
    times = []
    for _ in range(30):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times) * 1000
print(best(lambda: aside.check(body)), best(lambda: json.loads(body)))
""",
    "node": """
import { readFileSync } from "node:fs";
import { check } from "aside-node";
const body = readFileSync(process.argv[2]);
const best = (run) => Math.min(...Array.from({ length: 30 }, () => {
  const start = performance.now();
  run();
  return performance.now() - start;
}));
console.log(best(() => check(body)), best(() => JSON.parse(body)));
""",
}


def compare_speed(language, command, place):
    """Fails if `check` of a body of 1 MB takes more than 1.2 times as long as in Rust."""
    message = {"role": "user", "content": "word " * 200}
    body, script = place / "body.json", place / ("speed.mjs" if language == "node" else "speed.py")
    body.write_text(json.dumps({"model": "claude-opus-5-5", "max_tokens": 8, "messages": [message] * 1000}))
    script.write_text(SPEED[language])
    environment = {**os.environ, "CARGO_TARGET_DIR": str(TARGET)}
    build = ["cargo", "build", "--quiet", "--locked", "--release", "--package", "aside-speed"]
    run(*build, cwd=HERE, env=environment)
    rust, (here, parsed) = (
        [float(it) for it in subprocess.check_output([*line, body], cwd=place, text=True).split()]
        for line in ([TARGET / "release/aside-speed"], [command, script])
    )
    ratio = here / rust[0]
    print(f"bindings: check of {body.stat().st_size} bytes in {language}: {here:.2f} ms, "
          f"{ratio:.2f} times Rust, {here / parsed:.1f} times its own JSON parser")
    if ratio > MAX_RATIO:
        raise SystemExit(f"bindings: {language} is slower than {MAX_RATIO} times Rust")


def npm(*arguments, cwd):
    quietly("npm", *arguments, "--no-audit", "--no-fund", "--loglevel=error", cwd=cwd)


def tarball(profile):
    """Packs the JavaScript with the native module of this platform."""
    environment = {**os.environ, "CARGO_TARGET_DIR": str(TARGET)}
    build = ["cargo", "build", "--quiet", "--locked", "--package", "aside-node", "--profile", profile]
    run(*build, cwd=HERE, env=environment)
    endings = {"Darwin": "libaside_node.dylib", "Windows": "aside_node.dll"}
    library = TARGET / PROFILES[profile] / endings.get(platform.system(), "libaside_node.so")
    place = PLACES / "node-package"
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(HERE / "node", place, ignore=shutil.ignore_patterns("src", "tests", "*.rs", "*.toml"))
    triple = subprocess.check_output(["node", HERE / "node/platform.js"], text=True).strip()
    shutil.copy(library, place / f"aside.{triple}.node")
    for license in ROOT.glob("LICENSE-*"):
        shutil.copy(license, place)
    npm("pack", "--pack-destination", DIST, cwd=place)
    return next(DIST.glob("aside-node-*.tgz"))


def node_place():
    place = PLACES / "node"
    place.mkdir(parents=True, exist_ok=True)
    wanted = (HERE / "package.json").read_text()
    stamp = place / "installed.txt"
    if not (stamp.exists() and stamp.read_text() == wanted):
        (place / "package.json").write_text(wanted)
        npm("install", cwd=place)
        stamp.write_text(wanted)
    return place


def try_node(file, place, aside, every):
    installed = place / "node_modules/aside-node"
    shutil.rmtree(installed, ignore_errors=True)
    npm("install", "--offline", "--no-save", "--ignore-scripts", file, cwd=place)
    tests = sorted((HERE / "node/tests").iterdir())
    for test in tests:
        shutil.copy(test, place)
    run("node", "--test", *[it.name for it in tests if it.name.endswith(".test.js")], cwd=place)
    run(sys.executable, HERE / "same_results.py", aside, ROOT, every, "node", cwd=place)
    if every == 1:
        compare_speed("node", "node", place)


def main():
    aside, is_full = pathlib.Path(sys.argv[1]).resolve(), "--full" in sys.argv
    profile, every = ("release", 1) if is_full else ("dev", 12)
    try:
        import ensurepip  # noqa: F401
    except ImportError:
        raise Missing("python3 with venv") from None
    shutil.rmtree(DIST, ignore_errors=True)
    DIST.mkdir(parents=True)

    def python(place):
        built = wheel(profile)
        try_python(built, place.result(), aside, every)
        if is_full:
            try_fleet(built, aside)

    def node(place):
        try_node(tarball(profile), place.result(), aside, every)

    def timed(name, language, place):
        start = time.monotonic()
        language(place)
        print(f"bindings: {name}: {time.monotonic() - start:.0f} s")

    languages = {"Python": (python, python_place)}
    if shutil.which("npm"):
        languages["Node"] = (node, node_place)
    # Each uses one core most of the time, and the places wait for registries meanwhile. In a full
    # run both languages measure.
    with ThreadPoolExecutor(1 if is_full else 4) as pool:
        places = {name: pool.submit(place) for name, (_, place) in languages.items()}
        tried = [pool.submit(timed, name, it, places[name]) for name, (it, _) in languages.items()]
    for language in tried:
        language.result()
    if "Node" not in languages:
        raise Missing("node with npm")


try:
    main()
except Missing as error:
    print(f"bindings: not tried: {error} is missing")
    sys.exit(3)
