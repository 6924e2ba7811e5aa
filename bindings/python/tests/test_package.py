"""The package itself: how it was built, what it loads, its program, its pages."""

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from conftest import REPOSITORY, run_python
import emilia_othello as emilia
from emilia_othello import _load

HERE = Path(__file__).resolve().parents[1]


def test_the_library_is_for_other_computers_too():
    # Flags of the folder above, `target-cpu=native`, would let it use more than its tier has.
    assert _load.native.features_beyond_tier() == []
    assert emilia.TIER in ("x86-64", "x86-64-v3", "x86-64-v4", "aarch64")


def test_import_is_quick_and_without_numpy():
    code = "import time, sys; t = time.perf_counter(); import emilia_othello as e; t = time.perf_counter() - t;"
    code += "e.Position().play('f5'); e.Engine(hash_mb=1); print(t, 'numpy' in sys.modules)"
    times = []
    for _ in range(5):
        done = run_python(code)
        seconds, has_numpy = done.stdout.split()
        assert has_numpy == "False" and done.stderr == ""
        times.append(float(seconds))
    assert min(times) < 0.1, times


def test_numpy_is_asked_for_by_name():
    code = "import sys; sys.modules['numpy'] = None; import emilia_othello as e; e.batch"
    done = run_python(code)
    assert "pip install numpy" in done.stderr


def test_the_fastest_tier_of_a_wheel_is_loaded(tmp_path):
    # This build stands for that of each tier.
    folder = tmp_path / "emilia_othello"
    shutil.copytree(Path(emilia.__file__).parent, folder, ignore=shutil.ignore_patterns("__pycache__"))
    library = next(folder.glob("_native*.so"), None) or next(folder.glob("_native*.pyd"))
    for tier in ("v3", "v4"):
        shutil.copy(library, folder / library.name.replace("_native", f"_native_{tier}"))
    code = "import sys, emilia_othello as e; from emilia_othello import _load; print(_load.native.__file__);"
    code += "assert sys.modules['emilia_othello._native'] is _load.native; print(e.Engine().search(e.Position(), depth=3).move)"

    def loaded(tier=None):
        variables = {**os.environ, "PYTHONPATH": str(tmp_path)}
        variables.pop("EMILIA_TIER", None)
        return run_python(code, env={**variables, "EMILIA_TIER": tier} if tier else variables)

    can_run = _load.native.tiers_of_cpu()
    for tier, expected in [(None, can_run[0]), *((tier, tier) for tier in can_run)]:
        done = loaded(tier)
        name = "_native." if expected == "baseline" else f"_native_{expected}."
        assert Path(done.stdout.splitlines()[0]).name.startswith(name), done.stderr
    assert "this CPU runs" in loaded("v9").stderr


def test_all_that_is_named_is_there():
    for name in emilia.__all__:
        assert getattr(emilia, name) is not None
    with pytest.raises(AttributeError):
        emilia.no_such_thing
    assert set(emilia.__all__) == set(dir(emilia))


def test_everything_public_has_a_docstring():
    from emilia_othello import batch

    for owner in (emilia, emilia.Engine, emilia.Position, batch):
        for name in dir(owner):
            value = getattr(owner, name)
            if name[0] != "_" and callable(value) and "emilia" in str(getattr(value, "__module__", "emilia")):
                assert value.__doc__, f"{owner.__name__}.{name}"


def test_it_is_the_program():
    command = [sys.executable, "-m", "emilia_othello"]
    version = subprocess.run([*command, "--version"], capture_output=True, text=True, check=True)
    assert version.stdout.strip() == f"emilia {emilia.__version__} ({emilia.TIER})"
    answer = subprocess.run(
        command, input="position startpos moves f5\ngo depth 5\n", capture_output=True, text=True, check=True
    )
    assert "bestmove" in answer.stdout
    page = Path(emilia.__file__).with_name("emilia.html")
    for path, status, output in ((__file__, 0, __file__), ("none", 1, "no file none")):
        variables = {**os.environ, "EMILIA_PAGE": str(path)}
        board = subprocess.run([*command, "board", "--print"], capture_output=True, text=True, env=variables)
        assert board.returncode == status and output in board.stdout + board.stderr
    assert page.exists() or "EMILIA_PAGE" in subprocess.run([*command, "board"], capture_output=True, text=True).stderr
    bad = subprocess.run([*command, "no-such-command"], capture_output=True, text=True)
    assert bad.returncode == 2 and "no-such-command" in bad.stderr


def test_the_stubs_name_what_the_library_has():
    stub = (HERE / "python/emilia_othello/_native.pyi").read_text()
    named = set(re.findall(r"^(?:def|class) (\w+)|^(\w+):", stub, re.M))
    named = {first or second for first, second in named}
    native = {name for name in dir(_load.native) if not name.startswith("__")}
    assert named == native - {"annotations"}
    position = stub.split("class Position")[1].split("\nclass ")[0]
    methods = set(re.findall(r"def (\w+)", position))
    inherited = {*dir(object), "__module__"}
    assert {name for name in dir(emilia.Position) if name not in inherited or name == "__new__"} <= methods


def blocks(path, language):
    return re.findall(rf"```{language}\n(.*?)```", path.read_text(), re.S)


def test_the_readme_works(tmp_path):
    found = blocks(HERE / "README.md", "python")
    assert len(found) >= 3 and len(found[0].strip().splitlines()) <= 10
    for block in found:
        done = run_python(block, cwd=tmp_path)
        assert (done.returncode, done.stderr) == (0, ""), block


EXAMPLES = {
    "label_factory.py": ["--positions", "40", "--empties", "10", "--output", "labels.npz"],
    "arena_agent.py": ["--self-test"],
    "analysis_plot.py": ["f5d6c3d3c4f4f6", "--depth", "4", "--output", "plot.svg"],
    "pgx_opponent.py": ["--games", "2", "--level", "1"],
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_examples_run(name, tmp_path):
    if name.startswith("pgx"):
        pytest.importorskip("pgx")
    command = [sys.executable, str(HERE / "examples" / name), *EXAMPLES[name]]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stderr
    assert done.stdout


def test_games_are_read():
    np = pytest.importorskip("numpy")
    path = REPOSITORY / "data/games/generation-1.games"
    if not path.exists():
        pytest.skip("no games here")
    start = time.monotonic()
    games = emilia.games(path)
    assert games.moves.shape == (76607, 60) and time.monotonic() - start < 120
    assert games.moves.dtype == np.uint8 and games.score.dtype == np.int8
    assert ((games.moves < 64).sum(axis=1) == games.length).all()
    late = emilia.batch.positions(games, 8)
    assert len(late.game) > 70000
    some = slice(0, 300)
    solved = emilia.batch.solve(late.player[some], late.opponent[some])
    perfect = np.where(late.black, 1, -1) * games.score[late.game]
    assert (games.exact[late.game[some]] >= 8).all() and np.array_equal(solved.score, perfect[some])
    for bad in (-1, 61):
        with pytest.raises(emilia.EmiliaError):
            emilia.batch.positions(games, bad)


def test_files_that_are_no_games(tmp_path):
    pytest.importorskip("numpy")
    with pytest.raises(FileNotFoundError):
        emilia.games(tmp_path / "missing")
    other = tmp_path / "other"
    for contents in (b"", b"no games", b"EMILIAGM" + b"\xff" * 100):
        other.write_bytes(contents)
        with pytest.raises(emilia.EmiliaError, match="other"):
            emilia.games(other)
    with pytest.raises((OSError, emilia.EmiliaError)):
        emilia.games(tmp_path)
