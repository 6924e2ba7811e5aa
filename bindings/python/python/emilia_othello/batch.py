"""Functions over NumPy arrays of boards.

A board is two unsigned 64-bit sets of squares: those of the side to move, ``player``, and those of its ``opponent``. Bit 0 is
a1, bit 7 is h1, bit 63 is h8. Every function takes two arrays ``uint64[N]`` (other integers are converted, and ``int64`` is
read as bits), uses them without a copy where they are contiguous, and answers row by row. N may be 0.

A row whose board is *illegal*, with two discs on one square, is no error: each function says what it answers there.

Functions that may take long run on all threads (or `threads`), call ``progress(rows_done, rows)`` some ten times a second, and
end early where ``cancel.is_set()`` becomes true: pass a `threading.Event`. Rows that were not done then have the answer of an
unknown row. Ctrl+C ends the work and raises `KeyboardInterrupt`. No thread is left behind, so a process may fork later.
"""

import operator
from enum import IntEnum
from typing import Any, Callable, List, NamedTuple, Optional, Tuple

try:
    import numpy as np
except ImportError as error:  # pragma: no cover
    raise ImportError("emilia_othello.batch needs NumPy: pip install numpy") from error

from . import _values
from ._load import native

# The native half prepares for arrays when it first sees one. Here no other thread can fork meanwhile.
native.legal_moves(np.empty(0, np.uint64), np.empty(0, np.uint64))

#: Stands for a pass among squares.
PASS = 64
#: Stands for no move: the game is over, or nothing is known.
NO_MOVE = 255

Progress = Optional[Callable[[int, int], Any]]


class Status(IntEnum):
    """What became of a row of `solve`."""

    #: The question is answered.
    SOLVED = 0
    #: `max_nodes` were used up before.
    LIMIT = 1
    #: It was cancelled before.
    CANCELLED = 2
    #: A square has two discs.
    ILLEGAL = 3


class Solved(NamedTuple):
    """The answers of `solve`, a row each. Scores are discs for the side to move."""

    #: float32[N]: the score, where it is proven to the disc; else NaN.
    score: Any
    #: int8[N]: the score is at least this; -64 where nothing is known.
    lower: Any
    #: int8[N]: the score is at most this; 64 where nothing is known.
    upper: Any
    #: uint8[N]: a best move, as far as it is known: a square 0 to 63, `PASS`, or `NO_MOVE`.
    move: Any
    #: uint64[N]: positions visited.
    nodes: Any
    #: uint8[N]: a `Status`.
    status: Any


def _bits(name: str, values: Any) -> np.ndarray:
    if isinstance(values, (list, tuple)):
        # NumPy takes a list of small and large integers for one of floats.
        try:
            return np.fromiter(map(operator.index, values), dtype=np.uint64, count=len(values))
        except OverflowError:
            raise native.EmiliaError(f"{name} has a number that is not from 0 to 2**64 - 1") from None
    array = np.asarray(values)
    if array.dtype == np.int64:
        array = array.view(np.uint64) if array.flags.c_contiguous else array.astype(np.uint64)
    if array.dtype != np.uint64:
        if not np.issubdtype(array.dtype, np.unsignedinteger):
            raise TypeError(f"{name} must be an array of uint64, not {array.dtype}")
        array = array.astype(np.uint64)
    return np.ascontiguousarray(_one_dimension(name, array))


def _one_dimension(name: str, array: np.ndarray) -> np.ndarray:
    if array.ndim != 1:
        raise native.EmiliaError(f"{name} must have one dimension, not {array.ndim}")
    return array


def _boards(player: Any, opponent: Any) -> Tuple[np.ndarray, np.ndarray]:
    return _bits("player", player), _bits("opponent", opponent)


def _threads(threads: Optional[int]) -> Optional[int]:
    return _values.optional("threads", threads, 1, 256)


def legal_moves(player: Any, opponent: Any) -> np.ndarray:
    """The legal moves as sets of squares, uint64[N]; 0 where the side must pass, the game is over or the board is illegal.

    Raises:
        EmiliaError: the arrays differ in length or have not one dimension.
    """
    return native.legal_moves(*_boards(player, opponent))


def play(player: Any, opponent: Any, square: Any) -> Tuple[np.ndarray, np.ndarray]:
    """The boards after a move each, seen by the next side: new arrays player and opponent.

    `square` is an array of integers: 0 (a1) to 63 (h8), or `PASS`, which is legal only where there is no other move and the game
    is not over. A row with an illegal move or board becomes 0, 0.

    Raises:
        EmiliaError: the arrays differ in length or have not one dimension.
    """
    squares = np.asarray(square)
    if squares.size == 0:
        squares = squares.astype(np.uint8)
    if not np.issubdtype(squares.dtype, np.integer):
        raise TypeError(f"square must be an array of integers, not {squares.dtype}")
    if squares.dtype != np.uint8:
        squares = np.where((squares >= 0) & (squares <= PASS), squares, NO_MOVE).astype(np.uint8)
    squares = np.ascontiguousarray(_one_dimension("square", squares))
    return native.play(*_boards(player, opponent), squares)


def evaluate(
    player: Any, opponent: Any, *, threads: Optional[int] = None, progress: Progress = None, cancel: Any = None
) -> np.ndarray:
    """The estimated final scores without a search, float32[N], in discs for the side to move.

    A finished game has its final score; a side that must pass has what the board after the pass is worth. NaN where the board is
    illegal, and in rows that were cancelled.

    Raises:
        EmiliaError: the arrays differ in length or have not one dimension, or a number is out of its range.
    """
    return native.evaluate(*_boards(player, opponent), _threads(threads), progress, cancel)


def move_scores(
    player: Any,
    opponent: Any,
    *,
    depth: int = 1,
    threads: Optional[int] = None,
    progress: Progress = None,
    cancel: Any = None,
) -> np.ndarray:
    """The score of each move, float32[N, 64], in discs for the side that moves: column 0 is a1, column 63 is h8.

    NaN where the move is illegal: a row is all NaN where the side must pass, the game is over or the board is illegal, and where
    it was cancelled. With `depth` 1 a score is the estimate of the board after the move; with more plies a search looks further,
    and takes accordingly longer. The answer of a row does not depend on other rows.

    Raises:
        EmiliaError: the arrays differ in length or have not one dimension, or a number is out of its range.
    """
    depth = _values.whole("depth", depth, 1, 60)
    return native.move_scores(*_boards(player, opponent), depth, _threads(threads), progress, cancel)


def solve(
    player: Any,
    opponent: Any,
    question: str = "exact",
    *,
    max_nodes: Optional[int] = None,
    threads: Optional[int] = None,
    hash_mb: int = 32,
    progress: Progress = None,
    cancel: Any = None,
) -> Solved:
    """Solves each board to the end of the game.

    Args:
        question: ``'exact'``, ``'wld'``, ``'>=2'`` or ``'<=-4'``, as for `Engine.solve`.
        max_nodes: positions after which a row is given up; its bounds are what was proven.
        threads: rows that are solved at once; ``None``: one for each processor.
        hash_mb: megabytes of memory for each thread.

    Rows are independent: with the same `max_nodes` and `hash_mb` each has the same answer and nodes, whatever the threads. A board that
    comes again is not solved again.

    Raises:
        ParseError: the question cannot be read.
        EmiliaError: the arrays differ in length or have not one dimension, a value is out of its range, or there is no memory.
    """
    max_nodes = _values.optional("max_nodes", max_nodes, 1, _values.MOST_NODES)
    hash_mb = _values.whole("hash_mb", hash_mb, 1, 1 << 20)
    boards = _boards(player, opponent)
    lower, upper, move, nodes, status = native.solve(
        *boards, question, max_nodes, _threads(threads), hash_mb, progress, cancel
    )
    score = np.where(lower == upper, lower, np.float32(np.nan)).astype(np.float32)
    return Solved(score, lower, upper, move, nodes, status)


def to_cells(player: Any, opponent: Any) -> np.ndarray:
    """Boards as int8[N, 8, 8]: 1 for the side to move, -1 for the opponent, 0 for an empty square; ``[n, 0, 0]`` is a1 and
    ``[n, 0, 7]`` h1. A square with two discs is 0.

    Raises:
        EmiliaError: the arrays differ in length or have not one dimension.
    """
    return native.to_cells(*_boards(player, opponent)).reshape(-1, 8, 8)


def from_cells(cells: Any) -> Tuple[np.ndarray, np.ndarray]:
    """Arrays player and opponent of boards as `to_cells` gives them, or as N x 64.

    Raises:
        EmiliaError: a cell is not 1, -1 or 0, or the shape is another one.
    """
    array = np.asarray(cells)
    if array.shape[1:] not in ((8, 8), (64,)):
        raise native.EmiliaError(f"the shape must be (N, 8, 8) or (N, 64), not {array.shape}")
    if array.dtype != np.int8:
        narrow = array.astype(np.int8)
        if not np.array_equal(narrow, array):
            raise native.EmiliaError("a cell is not 1, -1 or 0")
        array = narrow
    return native.from_cells(np.ascontiguousarray(array).reshape(-1))


def boards(positions: Any) -> Tuple[np.ndarray, np.ndarray]:
    """Arrays player and opponent of a sequence of `Position`."""
    pairs = [(position.player, position.opponent) for position in positions]
    array = np.array(pairs, dtype=np.uint64).reshape(-1, 2)
    return np.ascontiguousarray(array[:, 0]), np.ascontiguousarray(array[:, 1])


def squares(bits: int) -> List[int]:
    """The numbers of the squares of a set, 0 to 63."""
    return [square for square in range(64) if int(bits) >> square & 1]


class GamePositions(NamedTuple):
    """Positions of games, a row each."""

    #: uint64[M]: squares of the side to move.
    player: Any
    #: uint64[M]: squares of its opponent.
    opponent: Any
    #: int64[M]: the row of the game.
    game: Any
    #: bool[M]: does black move?
    black: Any


def positions(games: Any, empties: int) -> GamePositions:
    """The positions of `games` (see `emilia_othello.games`) with so many empty squares, where the side to move has a move.

    A game that ends before has none.

    Raises:
        EmiliaError: `empties` is not from 0 to 60.
    """
    moves, length = games.moves, games.length
    plies = 60 - empties
    if not 0 <= plies <= 60:
        raise native.EmiliaError(f"empties must be from 0 to 60, not {empties}")
    start = native.Position()
    count = len(length)
    player = np.full(count, start.player, dtype=np.uint64)
    opponent = np.full(count, start.opponent, dtype=np.uint64)
    black = np.ones(count, dtype=bool)
    rows = np.flatnonzero(length >= plies)
    player, opponent, black = player[rows], opponent[rows], black[rows]
    for ply in range(plies + 1):
        # A side without a move passes; where neither has one, the next move is not there either.
        has_none = legal_moves(player, opponent) == 0
        passed = has_none & (legal_moves(opponent, player) != 0)
        player, opponent = np.where(passed, opponent, player), np.where(passed, player, opponent)
        black ^= passed
        if ply == plies:
            break
        player, opponent = play(player, opponent, moves[rows, ply])
        black = ~black
    is_open = legal_moves(player, opponent) != 0
    return GamePositions(player[is_open], opponent[is_open], rows[is_open], black[is_open])
