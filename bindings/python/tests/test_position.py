import pickle
import random
import xml.dom.minidom

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import slow
from emilia_othello import EmiliaError, ParseError, Position, replay

START = "---------------------------OX------XO--------------------------- X"


def cells_of(position):
    return [
        (position.player >> square & 1) - (position.opponent >> square & 1) for square in range(64)
    ]


@given(st.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_games_agree_with_the_slow_rules(seed):
    draw = random.Random(seed)
    position, cells, side = Position(), slow.start(), "X"
    while True:
        assert cells_of(position) == cells and position.side == side
        assert position.is_over == slow.is_over(cells)
        names = [slow.name(square) for square in slow.moves(cells)]
        if slow.is_over(cells):
            assert position.legal_moves() == [] and position.score() == slow.score(cells)
            return
        with pytest.raises(EmiliaError):
            position.score()
        if slow.must_pass(cells):
            assert position.legal_moves() == ["pass"]
            position, cells = position.play("pass"), slow.passed(cells)
        else:
            assert position.legal_moves() == names
            with pytest.raises(EmiliaError):
                position.play("pass")
            square = draw.choice(slow.moves(cells))
            position, cells = position.play(slow.name(square)), slow.play(cells, square)
        side = "O" if side == "X" else "X"


boards = st.tuples(st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1), st.sampled_from("XO"))


@given(boards)
@settings(deadline=None)
def test_any_board_reads_back_and_has_legal_moves_as_the_slow_rules_say(board):
    player, opponent, side = board
    position = Position.from_bits(player & ~opponent, opponent, side)
    assert Position(str(position)) == position
    assert Position.from_obf(f"{position}; +4; % a comment") == position
    assert pickle.loads(pickle.dumps(position)) == position
    assert eval(repr(position)) == position
    cells = cells_of(position)
    assert [slow.bits(cells, disc) for disc in (1, -1)] == [position.player, position.opponent]
    names = [slow.name(square) for square in slow.moves(cells)]
    assert [move for move in position.legal_moves() if move != "pass"] == names
    images = position.symmetries()
    assert len(images) == 8 and images[0] == position
    assert len({image.canonical() for image in images}) == 1
    assert {len(image.legal_moves()) for image in images} == {len(position.legal_moves())}


def test_a_position_is_a_value():
    position = Position()
    assert str(position) == START and position == Position(START) and position.empties == 60
    assert hash(position) == hash(Position(START))
    assert {position: 1}[Position.from_transcript("")] == 1
    assert position.play("F5") != position and str(position) == START
    assert position.play("f5").side == "O"
    with pytest.raises(AttributeError):
        position.player = 3
    assert position != START and position is not None
    with pytest.raises(TypeError):
        position < position


def test_transcripts_with_and_without_passes():
    short = "f5d6c3d3c4f4f6"
    assert Position.from_transcript(short.upper()) == Position.from_transcript("1. " + short)
    positions, moves = replay("f5 d6 c3")
    assert moves == ["f5", "d6", "c3"] and len(positions) == 4 and positions[0] == Position()
    assert positions[-1] == Position.from_transcript("f5d6c3")


def test_an_implied_pass_is_played():
    draw = random.Random(4)
    for _ in range(200):
        position, moves = Position(), []
        while not position.is_over:
            moves.append(draw.choice(position.legal_moves()))
            position = position.play(moves[-1])
        assert Position.from_transcript("".join(move for move in moves if move != "pass")) == position
        assert replay(" ".join(moves))[1] == moves
        if "pass" in moves[:-1]:
            return
    pytest.fail("no game with a pass")


def test_pictures():
    svg = Position()._repr_svg_()
    picture = xml.dom.minidom.parseString(svg)
    assert len(picture.getElementsByTagName("circle")) == 4 + 4
    assert Position().diagram().endswith("X to move, X 2, O 2, . legal")


PARSE_ERRORS = [
    (Position, "", 1),
    (Position, START[:63], 64),
    (Position, START[:64], 65),
    (Position, START.replace("O", "?", 1), 28),
    (Position, START + " X", 68),
    (Position, "é" * 64 + " X", 1),
    (Position, "-" * 10 + "é" + "-" * 53 + " X", 11),
    (Position.from_transcript, "f5d6a1", 5),
    (Position.from_transcript, "f5 x9", 4),
    (Position.from_transcript, "ａ", 1),
    (Position.from_obf, "", 1),
    (Position.from_obf, START + "; +x;", 69),
    (Position().play, "z9", 1),
    (Position().play, "", 1),
]


@pytest.mark.parametrize("read, text, column", PARSE_ERRORS)
def test_bad_text_is_an_error_with_its_column(read, text, column):
    with pytest.raises(ParseError) as error:
        read(text)
    assert error.value.column == column, str(error.value)
    assert str(error.value)


@given(st.text())
def test_any_text_is_read_or_refused(text):
    for read in (Position, Position.from_transcript, Position.from_obf, Position().play):
        try:
            read(text)
        except EmiliaError as error:
            assert not isinstance(error, ParseError) or 1 <= error.column <= len(text) + 1
        except UnicodeEncodeError:
            pass
