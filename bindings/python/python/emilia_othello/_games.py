"""Files of self-play."""

import os
from typing import Any, NamedTuple, Union

from ._load import native


class Games(NamedTuple):
    """Games as arrays, one row each."""

    #: uint8[N, 60]: the squares played, a1 is 0, h8 is 63, without passes; 255 behind the last.
    moves: Any
    #: uint8[N]: how many squares were played.
    length: Any
    #: int8[N]: the final score for black, in discs; the empty squares are the winner's.
    score: Any
    #: uint8[N]: so many plies at the start were drawn at random.
    random: Any
    #: uint8[N]: from so many empty squares on both sides played perfectly, so `score` is the exact score of each such
    #: position.
    exact: Any


def games(path: Union[str, "os.PathLike[str]"]) -> Games:
    """Reads a file of self-play into NumPy arrays.

    The files of `data/games` in the repository hold 402,264 games. They begin with plies drawn at random, then both sides
    search, and the end is perfect: good for learning to evaluate positions, for openings and endgames of all kinds, and for
    exact labels of late positions. They are no games of masters: a move before the end is one of a shallow search. They
    have the licence of the project, MIT or Apache-2.0.

    `batch.positions` gives the boards of such games.

    Raises:
        OSError: the file cannot be opened.
        EmiliaError: it is no file of games, or it is damaged.
    """
    return Games(*native.read_games(os.fspath(path)))
