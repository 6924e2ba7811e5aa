import json
import os
import random
import subprocess
import threading

import pytest

import slow
from conftest import random_position
from emilia_othello import EmiliaError, Engine, Position

np = pytest.importorskip("numpy")

from emilia_othello import batch  # noqa: E402

ILLEGAL = (np.array([3], dtype=np.uint64), np.array([1], dtype=np.uint64))
EMPTY = (np.array([], dtype=np.uint64), np.array([], dtype=np.uint64))


@pytest.fixture(scope="module")
def positions():
    draw = random.Random(7)
    return [random_position(seed, draw.randint(1, 59)) for seed in range(300)]


def test_moves_agree_with_positions(positions):
    player, opponent = batch.boards(positions)
    legal = batch.legal_moves(player, opponent)
    draw, squares = random.Random(1), []
    for position, bits in zip(positions, legal):
        assert [slow.name(square) for square in batch.squares(bits)] == position.legal_moves()
        squares.append(draw.choice(batch.squares(bits)))
    after = batch.play(player, opponent, squares)
    played = [position.play(slow.name(square)) for position, square in zip(positions, squares)]
    assert all(np.array_equal(one, other) for one, other in zip(after, batch.boards(played)))


def test_passes_and_illegal_moves():
    start, full = Position(), Position("X" * 62 + "-O X")
    forced = next(
        after
        for seed in range(1000)
        for after in [random_position(seed, 8)]
        for after in [after.play(move) for move in after.legal_moves()]
        if after.legal_moves() == ["pass"]
    )
    player, opponent = batch.boards([start, start, start, full, forced, start])
    own, other = batch.play(player, opponent, [0, 64, 19, 64, 64, -1])
    assert own.tolist()[:2] == other.tolist()[:2] == [0, 0] and own[2] == start.play("d3").player
    assert (own[3], other[3]) == (0, 0)
    assert (own[4], other[4]) == (forced.opponent, forced.player)
    assert (own[5], other[5]) == (0, 0)
    assert batch.play(*ILLEGAL, [5])[0].tolist() == [0]
    assert batch.play(*EMPTY, [])[0].shape == (0,)
    assert batch.legal_moves(*ILLEGAL).tolist() == [0]


def test_evaluations_agree_with_searches(positions):
    player, opponent = batch.boards(positions)
    scores = batch.evaluate(player, opponent)
    assert scores.dtype == np.float32 and not np.isnan(scores).any() and (abs(scores) <= 64).all()
    assert np.array_equal(scores, batch.evaluate(player, opponent, threads=1))
    over = Position("X" * 24 + "-" * 24 + "O" * 16 + " O")
    assert batch.evaluate(*batch.boards([over])).tolist() == [-32]
    assert np.isnan(batch.evaluate(*ILLEGAL)).all() and batch.evaluate(*EMPTY).shape == (0,)
    by_move = batch.move_scores(player, opponent)
    assert by_move.shape == (len(positions), 64) and by_move.dtype == np.float32
    for position, row in list(zip(positions, by_move))[:50]:
        legal = position.legal_moves()
        assert [slow.name(square) for square in np.flatnonzero(~np.isnan(row))] == legal
        after = batch.boards([position.play(move) for move in legal])
        assert np.array_equal(row[~np.isnan(row)], -batch.evaluate(*after))
    assert np.isnan(batch.move_scores(*ILLEGAL)).all() and batch.move_scores(*EMPTY).shape == (0, 64)


def test_deeper_move_scores_are_the_same_on_any_threads(positions):
    boards = batch.boards(positions[:20])
    one = batch.move_scores(*boards, depth=3, threads=1)
    assert np.array_equal(one, batch.move_scores(*boards, depth=3, threads=2), equal_nan=True)
    late = [random_position(seed, 5) for seed in range(10)]
    scores = batch.move_scores(*batch.boards(late), depth=10)
    exact = batch.solve(*batch.boards(late))
    assert np.array_equal(np.nanmax(scores, axis=1), exact.score)


def test_solves_of_few_empties_agree_with_minimax():
    late = [random_position(seed, 1 + seed % 5) for seed in range(40)]
    solved = batch.solve(*batch.boards(late))
    for position, score in zip(late, solved.score):
        cells = [(position.player >> sq & 1) - (position.opponent >> sq & 1) for sq in range(64)]
        assert score == slow.best(cells)


def test_solves_agree_with_the_program(program, tmp_path):
    count = int(os.environ.get("EMILIA_TEST_POSITIONS", "280"))
    positions = [random_position(seed, 8 + seed % 7) for seed in range(count)]
    path = tmp_path / "positions.txt"
    path.write_text("".join(f"{position}\n" for position in positions))
    for question, flags in [("exact", []), ("wld", ["--wld"])]:
        command = [*program, "solve", "--json", "--threads", "2", *flags, str(path)]
        lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
        answers = [json.loads(line) for line in lines]
        answers = [answer for answer in answers if "result" in answer]
        solved = batch.solve(*batch.boards(positions), question)
        assert len(answers) == len(positions) and (solved.status == batch.Status.SOLVED).all()
        for row, answer in enumerate(answers):
            winner = "win" if solved.lower[row] > 0 else "loss" if solved.upper[row] < 0 else "draw"
            assert answer["result"] == winner
            if question == "exact":
                assert answer["score"] == solved.score[row] == solved.lower[row]


def test_an_engine_and_a_batch_solve_alike(engine):
    for seed in range(10):
        position = random_position(seed, 12)
        row = batch.solve(*batch.boards([position]), ">=2", hash_mb=4)
        result = engine.solve(position, ">=2")
        assert (row.lower[0], row.upper[0], row.nodes[0]) == (result.lower, result.upper, result.nodes)


def test_statuses_of_rows():
    hard = random_position(3, 30)
    player, opponent = batch.boards([hard, random_position(4, 8)])
    boards = [np.append(one, other) for one, other in zip((player, opponent), ILLEGAL)]
    solved = batch.solve(*boards, max_nodes=5000)
    assert solved.status.tolist() == [batch.Status.LIMIT, batch.Status.SOLVED, batch.Status.ILLEGAL]
    assert np.isnan(solved.score[[0, 2]]).all() and solved.score[1] == solved.lower[1] == solved.upper[1]
    assert (solved.lower[2], solved.upper[2], solved.move[2], solved.nodes[2]) == (-64, 64, 255, 0)
    again = batch.solve(*boards, max_nodes=5000, threads=1)
    assert all(np.array_equal(one, other, equal_nan=one.dtype.kind == "f") for one, other in zip(solved, again))
    over = batch.solve(*batch.boards([Position("X" * 24 + "-" * 24 + "O" * 16 + " O")]))
    assert (over.score[0], over.move[0]) == (-32, batch.NO_MOVE)
    assert batch.solve(*EMPTY).score.shape == (0,)


def test_progress_and_cancel():
    cancel, told = threading.Event(), []
    hard = batch.boards([random_position(seed, 34) for seed in range(30)])

    def progress(done, rows):
        told.append((done, rows))
        cancel.set()

    solved = batch.solve(*hard, progress=progress, cancel=cancel, threads=2)
    assert (solved.status == batch.Status.CANCELLED).all() and told and told[-1][1] == 30
    cancel.set()
    scores = batch.evaluate(*batch.boards([Position()] * 100_000), cancel=cancel)
    assert scores.shape == (100_000,)
    told.clear()
    batch.evaluate(*batch.boards([Position()] * 10), progress=lambda *rows: told.append(rows))
    assert told[-1] == (10, 10)

    def fail(done, rows):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        batch.solve(*hard, progress=fail)


def test_arrays_of_other_kinds(positions):
    player, opponent = batch.boards(positions)
    scores = batch.evaluate(player, opponent)
    assert np.array_equal(batch.evaluate(player.view(np.int64), opponent.view(np.int64)), scores)
    assert np.array_equal(batch.evaluate(player[::2], opponent[::2]), scores[::2])
    assert np.array_equal(batch.evaluate(player[::-1], opponent[::-1]), scores[::-1])
    read_only = player.copy()
    read_only.flags.writeable = False
    assert np.array_equal(batch.evaluate(read_only, opponent), scores)
    lists = player.tolist()
    assert np.array_equal(batch.legal_moves(lists, opponent), batch.legal_moves(player, opponent))
    assert batch.legal_moves([], []).shape == (0,)
    for bad, error in [
        ((player[:2], opponent[:3]), EmiliaError),
        ((player.reshape(2, -1), opponent), EmiliaError),
        ((player.astype(np.float64), opponent), TypeError),
        ((["x"], [1]), TypeError),
        (([-1], [1]), EmiliaError),
        (([1 << 64], [1]), EmiliaError),
        ((None, opponent), TypeError),
    ]:
        for function in (batch.legal_moves, batch.evaluate, batch.move_scores, batch.solve):
            with pytest.raises(error):
                function(*bad)
    for values in [{"threads": 0}, {"threads": -1}, {"question": "x"}, {"max_nodes": 0}, {"hash_mb": 0}]:
        with pytest.raises(EmiliaError):
            batch.solve(player[:1], opponent[:1], **values)
    for values in [{"depth": 0}, {"depth": -1}]:
        with pytest.raises(EmiliaError):
            batch.move_scores(player[:1], opponent[:1], **values)
    with pytest.raises(EmiliaError):
        batch.play(player, opponent, [1])
    with pytest.raises(TypeError):
        batch.play(player, opponent, ["f5"] * len(player))


def test_cells(positions):
    player, opponent = batch.boards(positions)
    cells = batch.to_cells(player, opponent)
    assert cells.shape == (len(positions), 8, 8) and cells.dtype == np.int8
    for back in (batch.from_cells(cells), batch.from_cells(cells.reshape(-1, 64)), batch.from_cells(cells.astype(int))):
        assert np.array_equal(back[0], player) and np.array_equal(back[1], opponent)
    assert batch.to_cells(*batch.boards([Position()]))[0, 3, 4] == 1  # e4
    assert batch.to_cells(*EMPTY).shape == (0, 8, 8)
    assert batch.from_cells(np.zeros((0, 8, 8)))[0].shape == (0,)
    for bad in (np.full((1, 8, 8), 2), np.full((1, 8, 8), 0.5), np.zeros((8, 8)), np.zeros((1, 8, 7))):
        with pytest.raises(EmiliaError):
            batch.from_cells(bad)


def test_a_million_rows_of_scores_in_bounded_memory():
    player, opponent = (np.repeat(one, 1_000_000) for one in batch.boards([Position()]))
    assert (batch.legal_moves(player, opponent) == 0x102004080000).all()
    import resource

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    scores = batch.evaluate(player, opponent)
    assert (scores == scores[0]).all()
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10) - before
    assert grown < 64, f"{grown} MB"


def test_searches_go_on_beside_batches(engine):
    boards = batch.boards([random_position(seed, 12) for seed in range(20)])
    found = []
    threads = [threading.Thread(target=lambda: found.append(batch.solve(*boards).score)) for _ in range(3)]
    for thread in threads:
        thread.start()
    engine.search(Position(), depth=8)
    for thread in threads:
        thread.join(60)
    assert len(found) == 3 and all(np.array_equal(found[0], other) for other in found)
