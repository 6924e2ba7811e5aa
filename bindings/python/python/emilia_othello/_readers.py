"""What others have written: files of games, opening books, what people play, proofs."""

import os
from typing import Dict, List, NamedTuple, Optional, Tuple, Union

from . import _values
from ._load import native

Path = Union[str, "os.PathLike[str]"]


class Game(NamedTuple):
    """A game of a file; what the file does not say is empty."""

    black: str
    white: str
    event: str
    date: str
    #: Where it stands, such as ``'line 3'``.
    place: str
    #: The position from which it begins.
    start: "native.Position"
    #: The moves as a transcript, ``'f5d6c3'``, passes included.
    moves: str
    #: The final score for black, in discs; ``None`` where the game is not over.
    score: Optional[int]


class GameFile(NamedTuple):
    """What was found in a file or text."""

    #: What kind of text it is; ``None`` where that cannot be told.
    kind: Optional[str]
    games: List[Game]
    #: What cannot be read, and where.
    errors: List[str]
    #: What is doubtful, though it was read.
    warnings: List[str]


def read_games(path: Path) -> GameFile:
    """The games of a file of any kind that ``emilia analyze`` reads: PGN, GGF, SGF, WTHOR, transcripts and others.

    Raises:
        OSError: the file cannot be read.
    """
    with open(path, "rb") as file:
        return parse_games(file.read())


def parse_games(text: Union[str, bytes]) -> GameFile:
    """The games of a text, as `read_games` has them."""
    data = text.encode() if isinstance(text, str) else bytes(text)
    kind, games, errors, warnings = native.find_games(data)
    return GameFile(kind, [Game._make(game) for game in games], errors, warnings)


class BookMove(NamedTuple):
    """What a book says of a move."""

    move: str
    #: In discs for the side that plays the move.
    score: float
    #: Plies of the search behind it; 0 if that is not known.
    depth: int
    #: Games that were played from there.
    games: int
    #: The expected line of play; it begins with `move`.
    line: Tuple[str, ...]


class Book:
    """An opening book to look positions up in.

    Args:
        path: a file of ``emilia book``, or ``'builtin'``: the book inside this package.

    Raises:
        EmiliaError: it cannot be read, or is no book.
    """

    def __init__(self, path: Path = "builtin") -> None:
        self._core = native.BookCore(path)

    def moves(self, position: "native.Position") -> List[BookMove]:
        """The moves that it knows, the best first; none of a position that it does not know."""
        moves = self._core.moves(_values.position(position))
        return [BookMove(move, score, depth, games, tuple(line)) for move, score, depth, games, line in moves]


def human_moves(position: "native.Position", rating: int) -> Dict[str, float]:
    """How likely people of a rating, 1 to 3000, are to play each legal move, by the built-in model of what people play. An
    average tournament player has 1500. Takes microseconds, without a search.

    Raises:
        EmiliaError: the rating is out of its range.
    """
    rating = _values.whole("rating", rating, 1, native.MOST_RATING)
    return dict(native.human_moves(_values.position(position), rating))


class Proof(NamedTuple):
    """What a file proves."""

    #: What is proven of the score of the side to move, such as ``'>= 2'``.
    statement: str
    #: Of which position.
    position: "native.Position"
    #: Positions that were looked at, and those of them that were played out.
    positions: int
    leaves: int
    nodes: int


def check_proof(path: Path, *, threads: Optional[int] = None, memory_mb: int = 1024) -> Proof:
    """Checks a file of ``emilia proof`` or ``emilia solve --proof``, as ``emilia verify`` does.

    Ctrl+C is heard when the check is done.

    Raises:
        EmiliaError: it does not prove what it claims.
        OSError: it cannot be checked: it cannot be read, or there is too little memory or space.
    """
    threads = _values.optional("threads", threads, 1, 256)
    memory_mb = _values.whole("memory_mb", memory_mb, 1, 1 << 28)
    statement, cells, *counts = native.read_proof(path, threads, memory_mb)
    return Proof(statement, native.Position(cells), *counts)
