"""The engine: searches, solves, hints, play and analysis."""

from typing import TYPE_CHECKING, Any, Callable, Iterable, List, NamedTuple, NoReturn, Optional, Tuple, Union

from . import _values
from ._load import native

if TYPE_CHECKING:
    from ._native import Line, Position


class Result(NamedTuple):
    """What a search found. Scores are discs for the side to move."""

    #: The best move, ``'f5'`` or ``'pass'``; ``None`` where the game is over.
    move: Optional[str]
    #: The score: exact where `lower` and `upper` are equal, a proven bound where `proven` says something, else an estimate.
    score: float
    #: What is proven: the final score with best play is at least this (-64: nothing).
    lower: int
    #: The final score is at most this (64: nothing).
    upper: int
    #: ``'exact'``, ``'wld'`` (who wins) or ``'none'``; after a claim ``'proven'`` (it is true) or ``'refuted'`` (it is false).
    proven: str
    #: The expected line of play, passes included; it begins with `move`.
    pv: Tuple[str, ...]
    #: Positions visited.
    nodes: int
    #: Plies searched; 0 where there was no search.
    depth: int
    #: Where several lines were asked for: all of them, the best first.
    lines: Tuple["Result", ...] = ()


class Verdict(NamedTuple):
    """What there is to say about one move of a game. Scores are discs for the side that moved."""

    #: The number of the move, passes not counted; the first is 1.
    number: int
    #: Before the move.
    position: "Position"
    #: The move that was played.
    move: str
    #: The score with best play.
    before: float
    #: The score after the move that was played.
    after: float
    #: What the move lost, at least 0.
    loss: float
    #: Are both scores proven?
    exact: bool
    #: What it gave away for certain, in words, such as ``'gives away the win'``; else ``None``.
    gift: Optional[str]
    #: A best move: the played one, unless another is better.
    best: str
    #: Best play from the position.
    pv: Tuple[str, ...]


def _result(line: "Line", lines: Tuple[Result, ...] = ()) -> Result:
    move, score, lower, upper, proven, pv, nodes, depth = line
    return Result(move, score, lower, upper, proven, tuple(pv), nodes, depth, lines)


def _best(lines: List["Line"], wanted: int) -> Result:
    """The result of the first line, with all lines inside where several were wanted."""
    all_lines = tuple(map(_result, lines)) if wanted > 1 else ()
    return _result(lines[0], all_lines)


def _reporter(on_info: Optional[Callable[[Result], Any]]) -> Optional[Callable[..., Any]]:
    if on_info is None:
        return None
    report = on_info
    return lambda *line: report(_result(line))


class Engine:
    """A searcher with threads and memory of its own.

    Args:
        threads: threads that search one position, 1 to 256. With one, the same calls on new engines give the same results.
        hash_mb: megabytes of the table of searched positions.
        level: the strength of `play`, 1 (a beginner) to 22; 0 or ``None``: as strong as the limits allow. `search`, `solve`,
            `hint` and `analyze` are always the engine at its best.
        rating: the same by rating, 1 to 3000: people of that strength play so, and an average tournament player has 1500.
        seed: what the choices of a level or rating are drawn from.

    An engine does one thing at a time; make one for each thread of Python. While it works, other threads of Python run.
    Ctrl+C ends the work at once. An engine that a process inherited by ``fork`` raises `EmiliaError`.

    Raises:
        EmiliaError: a value is out of its range, `level` and `rating` are both given, or the memory or the threads are not there.
    """

    def __init__(
        self,
        threads: int = 1,
        hash_mb: int = 64,
        level: Optional[int] = None,
        seed: int = 0,
        rating: Optional[int] = None,
    ) -> None:
        self.threads = _values.whole("threads", threads, 1, 256)
        self.hash_mb = _values.whole("hash_mb", hash_mb, 1, 1 << 28)
        self.level = _values.optional("level", level, 0, native.LEVELS)
        self.rating = _values.optional("rating", rating, 0, native.MOST_RATING)
        self.seed = _values.whole("seed", seed, 0, (1 << 64) - 1)
        self._core = native.Core(self.threads, self.hash_mb, (self.level, self.rating), self.seed)

    def __enter__(self) -> "Engine":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        values = f"threads={self.threads}, hash_mb={self.hash_mb}, level={self.level}, seed={self.seed}"
        return f"Engine({values}, rating={self.rating})"

    def __reduce__(self) -> NoReturn:
        raise TypeError("an engine cannot be pickled: make one in each process")

    def search(
        self,
        position: "Position",
        *,
        depth: Optional[int] = None,
        nodes: Optional[int] = None,
        seconds: Optional[float] = None,
        clock: Optional[Tuple[float, float, float]] = None,
        multipv: int = 1,
        selectivity: int = 73,
        on_info: Optional[Callable[[Result], Any]] = None,
    ) -> Result:
        """The best move and its score.

        Args:
            depth: plies. Without any limit: as deep as takes a moment.
            nodes: positions after which it stops. With one thread, the same budget gives the same result on a new engine
                or after `forget`.
            seconds: time for this move.
            clock: a game clock: own time, the opponent's, and the increment, in seconds. It excludes `seconds`.
            multipv: number of best moves to find; all are in `Result.lines`.
            selectivity: how much is pruned: 73 (most), 87, 95, 98, 99 or 100 (nothing).
            on_info: called with a `Result` for each line of each depth. What it raises ends the search.

        Several limits may be given; the first that is reached ends the search.

        Raises:
            EmiliaError: a value is out of its range, or the engine is closed or busy.
        """
        bounds = _values.bounds(depth, nodes, seconds, clock)
        multipv = _values.whole("multipv", multipv, 1, 64)
        selectivity = _values.whole("selectivity", selectivity, 0, 100)
        board = _values.position(position)
        return _best(self._core.search(board, bounds, multipv, selectivity, _reporter(on_info)), multipv)

    def solve(
        self,
        position: "Position",
        question: str = "exact",
        *,
        max_nodes: Optional[int] = None,
        seconds: Optional[float] = None,
        on_info: Optional[Callable[[Result], Any]] = None,
    ) -> Result:
        """The final score with best play, or what is asked about it.

        Args:
            question: ``'exact'``: the score; ``'wld'``: who wins; ``'>=2'``, ``'<=-4'``, ``'=0'``: is that true?
            max_nodes: positions after which it gives up.
            seconds: time after which it gives up.
            on_info: as for `search`.

        `Result.proven` says whether the question was answered; `lower` and `upper` are proven in any case. Up to about 24
        empty squares take seconds. A solve does not depend on earlier calls.

        Raises:
            ParseError: the question cannot be read.
            EmiliaError: a value is out of its range, or the engine is closed or busy.
        """
        bounds = _values.bounds(None, max_nodes, seconds, None)
        return _best(self._core.solve(_values.position(position), question, bounds, _reporter(on_info)), 1)

    def hint(self, position: "Position", n: int = 1, *, depth: Optional[int] = None) -> List[Result]:
        """The `n` best moves and their scores, the best first; fewer where there are fewer. None where the game is over.

        Without a `depth` it looks as deep as takes a moment, and solves the end of the game.

        Raises:
            EmiliaError: a value is out of its range, or the engine is closed or busy.
        """
        n = _values.whole("n", n, 1, 64)
        depth = _values.optional("depth", depth, 1, _values.MOST_PLIES)
        lines = self._core.hint(_values.position(position), n, depth)
        return [_result(line) for line in lines if line[0] is not None]

    def play(
        self,
        position: "Position",
        *,
        depth: Optional[int] = None,
        nodes: Optional[int] = None,
        seconds: Optional[float] = None,
        clock: Optional[Tuple[float, float, float]] = None,
    ) -> Result:
        """The move of a player of the engine's level or rating; without either, that of `search`.

        Such a player varies its moves: the same seed gives the same game, another seed another one.

        Raises:
            EmiliaError: a value is out of its range, or the engine is closed or busy.
        """
        bounds = _values.bounds(depth, nodes, seconds, clock)
        return _best(self._core.play(_values.position(position), bounds), 1)

    def analyze(
        self,
        game: Union[str, Iterable["Position"]],
        *,
        depth: int = 14,
        exact: int = 24,
        wld: int = 26,
        seconds: Optional[float] = None,
        on_position: Optional[Callable[[int, float], Any]] = None,
    ) -> List[Verdict]:
        """What each move of a game was worth, in playing order; passes are left out.

        Args:
            game: a transcript, or positions each of which follows from the one before it by a move.
            depth: plies of the searches before scores are exact.
            exact: most empty squares of a position that is solved.
            wld: most empty squares of a position of which is found out who wins.
            seconds: time for the whole game.
            on_position: called with the number of moves before a position and its score for the side to move, from the
                last position to the first. What it raises ends the analysis.

        Raises:
            ParseError: the transcript cannot be read.
            EmiliaError: the positions are no game, the analysis was stopped, or the engine is closed or busy.
        """
        given = game if isinstance(game, str) else [_values.position(position) for position in game]
        plies = _values.whole("depth", depth, 1, _values.MOST_PLIES)
        solved = _values.whole("exact", exact, 0, 64), _values.whole("wld", wld, 0, 64)
        _, _, time, _ = _values.bounds(None, None, seconds, None)
        verdicts = self._core.analyze(given, (plies, *solved, time), on_position)
        return [Verdict._make((*verdict[:-1], tuple(verdict[-1]))) for verdict in verdicts]

    def forget(self) -> None:
        """Forgets earlier searches: the next one is as if it were the first. Takes no time.

        Raises:
            EmiliaError: the engine is closed or busy.
        """
        self._core.forget()

    def stop(self) -> None:
        """Ends what the engine does, soon; a search still returns its best result. Call it from another thread, or from
        `on_info`. Does nothing where the engine is idle.
        """
        self._core.stop()

    def close(self) -> None:
        """Ends what the engine does, and frees its memory and threads. A closed engine raises `EmiliaError`."""
        self._core.close()
