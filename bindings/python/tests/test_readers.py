"""What others have written: games, books, what people play, proofs."""

import subprocess
import sys

import pytest

import emilia_othello as emilia
from emilia_othello import EmiliaError, Position

#: Eight empty squares.
LATE = "XXXXXXXXXXXXOXXXXXXOOOXXXXOOOOXXXXOOOXXXXXXOXXXXX-XXO-XXX-X---XX O"


def test_games_of_a_file_and_of_a_text(tmp_path):
    text = "f5d6c3\nf5d6a1\nf5f6e6\n"
    path = tmp_path / "games.txt"
    path.write_text(text)
    for found in (emilia.read_games(path), emilia.parse_games(text), emilia.parse_games(text.encode())):
        assert [game.moves for game in found.games] == ["f5d6c3", "f5d6", "f5f6e6"]
        assert [game.place for game in found.games] == ["line 1", "line 2", "line 3"]
        assert found.games[0].start == Position() and found.games[0].score is None
        assert len(found.errors) == 1 and "a1" in found.errors[0]
    assert emilia.parse_games(bytes(200)).games == []
    with pytest.raises(OSError):
        emilia.read_games(tmp_path / "none")


def test_the_book_knows_the_start_and_not_the_end(tmp_path):
    book = emilia.Book()
    moves = book.moves(Position().play("f5"))
    assert {known.move for known in moves} <= {"d6", "f4", "f6"} and moves[0].line[0] == moves[0].move
    assert moves == sorted(moves, key=lambda known: -known.score)
    assert book.moves(Position(LATE)) == []
    (tmp_path / "bad").write_bytes(b"no book")
    for path in (tmp_path / "bad", tmp_path / "none"):
        with pytest.raises(EmiliaError):
            emilia.Book(path)


def test_people_have_shares_of_the_moves():
    position = Position.from_transcript("f5d6c3")
    weak, strong = (emilia.human_moves(position, rating) for rating in (1000, 1800))
    assert set(weak) == set(position.legal_moves()) and sum(weak.values()) == pytest.approx(1)
    assert weak != strong
    for rating in (0, 3001):
        with pytest.raises(EmiliaError):
            emilia.human_moves(position, rating)


def test_a_proof_says_what_it_proves(tmp_path):
    path = tmp_path / "proof"
    program = [sys.executable, "-m", "emilia_othello", "proof", "make", LATE, "--claim", "<=-36", "--output", str(path)]
    made = subprocess.run(program, capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    proof = emilia.check_proof(path)
    assert proof.position == Position(LATE) and "-36" in proof.statement and proof.nodes > 0
    damaged = bytearray(path.read_bytes())
    damaged[-9] ^= 1
    path.write_bytes(damaged)
    with pytest.raises(EmiliaError):
        emilia.check_proof(path)
    with pytest.raises(OSError):
        emilia.check_proof(tmp_path / "none")
