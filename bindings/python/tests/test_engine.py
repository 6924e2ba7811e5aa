import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from conftest import random_position, run_python
from emilia_othello import EmiliaError, Engine, ParseError, Position, Result, replay

#: It is solved in well under a second.
FIFTEEN = "---XXXXX--XXXOOO-OOXOXOXOOOOXXOXOOOXXXXXXOXXOXXX--OXXX----OOX--- O"


def test_a_search_has_a_move_and_a_line(engine):
    result = engine.search(Position(), depth=6)
    assert isinstance(result, Result) and result.proven == "none" and result.depth == 6
    assert result.move == result.pv[0] and result.move in Position().legal_moves()
    assert (result.lower, result.upper) == (-64, 64) and result.nodes > 0 and result.lines == ()
    position = Position()
    for move in result.pv:
        position = position.play(move)


def test_a_solve_proves(engine):
    position = Position(FIFTEEN)
    exact = engine.solve(position)
    assert exact[:5] == ("a7", 0.0, 0, 0, "exact") and exact.depth == 15 and len(exact.pv) >= 15
    assert engine.solve(position, "wld").proven in ("wld", "exact")
    assert engine.solve(position, ">=2")[2:5] == (-64, 0, "refuted")
    assert engine.solve(position, "<=0").proven == "proven" and engine.solve(position, ">=0").lower >= 0
    given_up = engine.solve(position, max_nodes=1000)
    assert given_up.proven == "none" and given_up.nodes < 40000 and given_up.move in position.legal_moves()


def test_a_finished_game_has_a_score_and_no_move(engine):
    position = Position("X" * 24 + "-" * 24 + "O" * 16 + " O")
    assert position.is_over
    for result in (engine.search(position), engine.solve(position), engine.play(position)):
        assert result[:6] == (None, -32.0, -32, -32, "exact", ())
    assert engine.hint(position, 3) == []


def test_a_forced_pass_is_a_move(engine):
    for seed in range(1000):
        position = random_position(seed, 8)
        for move in position.legal_moves():
            after = position.play(move)
            if after.legal_moves() == ["pass"]:
                assert engine.search(after, depth=4).move == "pass"
                solved = engine.solve(after)
                assert solved.move == solved.pv[0] == "pass"
                assert solved.score == -engine.solve(after.play("pass")).score
                return
    pytest.fail("no pass")


def test_node_budgets_repeat():
    position = Position.from_transcript("f5d6c3d3c4f4")
    results = []
    for _ in range(2):
        with Engine(hash_mb=4) as engine:
            results.append([engine.search(position, nodes=20000), engine.search(position, nodes=3000)])
            engine.forget()
            results[-1].append(engine.search(position, nodes=20000))
    assert results[0] == results[1] and results[0][0] == results[0][2]
    assert results[0][0].nodes < 60000


def test_limits_end_a_search(engine):
    start = time.monotonic()
    engine.search(Position(), seconds=0.2)
    engine.search(Position(), clock=(2, 60, 0))
    engine.solve(random_position(1, 30), seconds=0.2)
    engine.search(Position(), seconds=0)
    assert time.monotonic() - start < 10


def test_several_lines(engine):
    result = engine.search(Position.from_transcript("f5"), depth=5, multipv=5)
    assert len(result.lines) == 3 and {line.move for line in result.lines} == {"f4", "d6", "f6"}
    assert result.lines[0][:8] == result[:8]
    scores = [line.score for line in result.lines]
    assert scores == sorted(scores, reverse=True)
    hints = engine.hint(Position(), 2, depth=3)
    assert len(hints) == 2 and engine.hint(Position(), depth=3)[0].move in Position().legal_moves()


def test_reports_while_it_searches(engine):
    seen = []
    final = engine.search(Position(), depth=7, on_info=seen.append)
    assert [info.depth for info in seen][-1] == 7 and all(isinstance(info, Result) for info in seen)
    assert seen[-1].pv == final.pv

    def fail(info):
        raise ZeroDivisionError(info.depth)

    with pytest.raises(ZeroDivisionError):
        engine.search(Position(), on_info=fail, seconds=60)
    assert engine.search(Position(), depth=2).move


@pytest.mark.parametrize("strength", [{"level": 3}, {"rating": 1200}])
def test_levels_and_ratings_repeat_with_their_seed(strength):
    def game(seed):
        position, moves = Position(), []
        with Engine(**strength, seed=seed, hash_mb=1) as engine:
            for _ in range(12):
                moves.append(engine.play(position).move)
                position = position.play(moves[-1])
        return moves

    assert game(1) == game(1) and len({tuple(game(seed)) for seed in range(4)}) == 4


def test_an_analysis_judges_each_move(engine):
    game = "f5d6c3d3c4f4f6"
    told = []
    verdicts = engine.analyze(game, depth=4, on_position=lambda moves, score: told.append(moves))
    assert [verdict.move for verdict in verdicts] == replay(game)[1]
    assert [verdict.number for verdict in verdicts] == list(range(1, 8)) and told == list(range(7, -1, -1))
    for verdict in verdicts:
        assert verdict.loss >= 0 and verdict.best in verdict.position.legal_moves()
        assert verdict.before - verdict.after == pytest.approx(verdict.loss)
    again = engine.analyze(replay(game)[0], depth=4)
    assert again == verdicts
    with pytest.raises(ParseError):
        engine.analyze("f5a1")
    with pytest.raises(EmiliaError):
        engine.analyze([])
    with pytest.raises(EmiliaError):
        engine.analyze([Position(), Position()])


def test_another_thread_may_stop_it(engine):
    timer = threading.Timer(0.3, engine.stop)
    timer.start()
    start = time.monotonic()
    result = engine.search(Position(), depth=60)
    assert result.move and time.monotonic() - start < 5
    with pytest.raises(EmiliaError, match="stopped"):
        threading.Timer(0.3, engine.stop).start()
        engine.analyze("f5d6c3d3c4f4f6", depth=40)
    engine.stop()


def test_other_threads_run_meanwhile(engine):
    counted = 0
    thread = threading.Thread(target=engine.search, args=(Position(),), kwargs={"seconds": 0.5})
    thread.start()
    while thread.is_alive():
        counted += 1
        time.sleep(0.001)
    assert counted > 20


def test_an_engine_does_one_thing_at_a_time(engine):
    def search_again(info):
        engine.search(Position())

    with pytest.raises(EmiliaError, match="busy"):
        engine.search(Position(), depth=4, on_info=search_again)
    thread = threading.Thread(target=engine.search, args=(Position(),), kwargs={"seconds": 0.5})
    thread.start()
    time.sleep(0.1)
    with pytest.raises(EmiliaError, match="busy"):
        engine.search(Position())
    thread.join()


def test_a_closed_engine_is_an_error():
    engine = Engine(hash_mb=1)
    engine.close()
    engine.close()
    with pytest.raises(EmiliaError, match="closed"):
        engine.search(Position())
    engine = Engine(hash_mb=1)
    results = []
    search = lambda: results.append(engine.search(Position(), depth=60))  # noqa: E731
    thread = threading.Thread(target=search)
    thread.start()
    time.sleep(0.2)
    engine.close()
    thread.join(10)
    assert not thread.is_alive() and results[0].move


def test_close_inside_a_report():
    engine = Engine(hash_mb=1)
    assert engine.search(Position(), depth=60, on_info=lambda info: engine.close()).move
    with pytest.raises(EmiliaError, match="closed"):
        engine.hint(Position())


def test_many_engines_in_many_threads():
    position, found = Position(FIFTEEN), []

    def solve():
        with Engine(threads=2, hash_mb=1) as engine:
            found.append(engine.solve(position, "wld").score)

    threads = [threading.Thread(target=solve) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert found == [0.0] * 6


INTERRUPTED = """
import emilia_othello as emilia
with emilia.Engine() as engine:
    print("begin", flush=True)
    try:
        {work}
    except KeyboardInterrupt:
        print("interrupted", engine.search(emilia.Position(), depth=2).depth)
"""


@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.skipif(signal.getsignal(signal.SIGINT) == signal.SIG_IGN, reason="in the background SIGINT is ignored")
@pytest.mark.parametrize(
    "work",
    [
        "engine.search(emilia.Position(), depth=60)",
        "engine.solve(emilia.Position())",
        "engine.analyze('f5d6c3', depth=60)",
        "emilia.batch.solve(*emilia.batch.boards([emilia.Position()] * 4))",
        "emilia.batch.move_scores(*emilia.batch.boards([emilia.Position()] * 4), depth=60)",
    ],
)
def test_ctrl_c_ends_it_at_once(work):
    if "batch" in work:
        pytest.importorskip("numpy")
    code = INTERRUPTED.format(work=work)
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "begin\n"
    time.sleep(1.5)
    start = time.monotonic()
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=20)
    assert out == "interrupted 2\n" and time.monotonic() - start < 5


@pytest.mark.skipif(not hasattr(os, "fork"), reason="fork")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_an_engine_does_not_survive_a_fork():
    code = """
import os, emilia_othello as emilia
engine = emilia.Engine(threads=2, hash_mb=1)
engine.search(emilia.Position(), depth=4)
child = os.fork()
if child == 0:
    for call in (lambda: engine.search(emilia.Position()), engine.stop, engine.close):
        try:
            call()
        except emilia.EmiliaError as error:
            assert "fork" in str(error)
        else:
            os._exit(2)
    with emilia.Engine(hash_mb=1) as own:
        own.search(emilia.Position(), depth=4)
    del engine
    import sys
    sys.exit(0)
assert os.waitpid(child, 0)[1] == 0
engine.search(emilia.Position(), depth=4)
print("well")
"""
    done = run_python(code)
    assert (done.stdout, done.stderr) == ("well\n", "")


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_pools_of_processes(method):
    code = f"""
import multiprocessing, emilia_othello as emilia
def solve(position):
    with emilia.Engine(hash_mb=1) as engine:
        return engine.solve(position, "wld")
if __name__ == "__main__":
    emilia.Engine(hash_mb=1).search(emilia.Position(), depth=3)
    position = emilia.Position({FIFTEEN!r})
    with multiprocessing.get_context({method!r}).Pool(2) as pool:
        print({{result.score for result in pool.map(solve, [position] * 4)}})
"""
    if method == "fork" and not hasattr(os, "fork"):
        pytest.skip("fork")
    path = os.path.join(os.environ.get("PYTEST_TMPDIR", "/tmp"), f"emilia_pool_{os.getpid()}.py")
    with open(path, "w") as file:
        file.write(code)
    try:
        done = subprocess.run(
            [sys.executable, "-W", "ignore", path], capture_output=True, text=True, timeout=120
        )
    finally:
        os.remove(path)
    assert (done.stdout, done.stderr) == ("{0.0}\n", "")


def test_nothing_is_printed(capfd):
    with Engine(hash_mb=2) as engine:
        engine.search(Position(), depth=5)
        engine.play(Position(), nodes=100)
        engine.analyze("f5d6c3", depth=3)
        with pytest.raises(EmiliaError):
            engine.search(Position(), depth=0)
    assert capfd.readouterr() == ("", "")


BAD_VALUES = [
    ("search", {"depth": 0}, EmiliaError),
    ("search", {"depth": -1}, EmiliaError),
    ("search", {"depth": 1 << 80}, EmiliaError),
    ("search", {"depth": "x"}, TypeError),
    ("search", {"depth": 1.5}, TypeError),
    ("search", {"nodes": 0}, EmiliaError),
    ("search", {"nodes": 1 << 64}, EmiliaError),
    ("search", {"seconds": -1}, EmiliaError),
    ("search", {"seconds": float("nan")}, EmiliaError),
    ("search", {"seconds": float("inf")}, EmiliaError),
    ("search", {"seconds": "soon"}, TypeError),
    ("search", {"clock": (1, 1)}, TypeError),
    ("search", {"clock": (1, -1, 0)}, EmiliaError),
    ("search", {"clock": (1, 1, 0), "seconds": 1}, EmiliaError),
    ("search", {"multipv": 0}, EmiliaError),
    ("search", {"multipv": 65}, EmiliaError),
    ("search", {"selectivity": 74}, EmiliaError),
    ("search", {"selectivity": -1}, EmiliaError),
    ("search", {"on_info": 3, "depth": 3}, TypeError),
    ("solve", {"question": ""}, EmiliaError),
    ("solve", {"question": ">=3"}, EmiliaError),
    ("solve", {"question": ">=66"}, EmiliaError),
    ("solve", {"question": "who"}, EmiliaError),
    ("solve", {"question": 3}, TypeError),
    ("solve", {"max_nodes": 0}, EmiliaError),
    ("hint", {"n": 0}, EmiliaError),
    ("hint", {"depth": 0}, EmiliaError),
    ("play", {"nodes": -5}, EmiliaError),
]


@pytest.mark.parametrize("name, values, error", BAD_VALUES)
def test_bad_values_are_errors(engine, name, values, error):
    with pytest.raises(error) as raised:
        getattr(engine, name)(Position(), **values)
    assert str(raised.value)


@pytest.mark.parametrize(
    "values, error",
    [
        ({"threads": 0}, EmiliaError),
        ({"threads": 257}, EmiliaError),
        ({"threads": "two"}, TypeError),
        ({"hash_mb": 0}, EmiliaError),
        ({"hash_mb": 1 << 28}, EmiliaError),
        ({"hash_mb": 1 << 60}, EmiliaError),
        ({"level": -1}, EmiliaError),
        ({"level": 23}, EmiliaError),
        ({"rating": -1}, EmiliaError),
        ({"rating": 3001}, EmiliaError),
        ({"level": 3, "rating": 1000}, EmiliaError),
        ({"seed": -1}, EmiliaError),
    ],
)
def test_bad_engines_are_errors(values, error):
    with pytest.raises(error):
        Engine(**values)


def test_bad_positions_are_errors(engine):
    for bad in ("f5d6", None, 3):
        for call in (engine.search, engine.solve, engine.hint, engine.play):
            with pytest.raises(TypeError):
                call(bad)
    for bad in (3, [1, 2]):
        with pytest.raises(TypeError):
            engine.analyze(bad)
    for player, opponent, side, error in [
        (1, 1, "X", EmiliaError),
        (-1, 0, "X", EmiliaError),
        (1 << 64, 0, "X", EmiliaError),
        (1, 2, "Z", EmiliaError),
        ("1", 2, "X", TypeError),
    ]:
        with pytest.raises(error):
            Position.from_bits(player, opponent, side)
