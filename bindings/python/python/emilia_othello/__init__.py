"""Emilia, a strong Othello (Reversi) engine.

>>> import emilia_othello as emilia
>>> position = emilia.Position.from_transcript("f5d6c3")
>>> with emilia.Engine() as engine:
...     result = engine.search(position, depth=8)
>>> result.move in position.legal_moves()
True

Moves are text: ``'f5'`` or ``'pass'``. Scores are discs for the side to move. What goes wrong raises `EmiliaError`; text
that cannot be read raises its subclass `ParseError`, whose `column` says where. Nothing is printed.

`batch` has functions over NumPy arrays, `bridges` adapters for other packages; both are loaded when they are first used.
"""

import importlib
from typing import TYPE_CHECKING, Any, List

from ._load import native as _native

EmiliaError = _native.EmiliaError
ParseError = _native.ParseError
Position = _native.Position

from ._engine import Engine, Result, Verdict  # noqa: E402
from ._games import Games, games  # noqa: E402
from ._game import replay  # noqa: E402
from ._readers import (  # noqa: E402
    Book,
    BookMove,
    Game,
    GameFile,
    Proof,
    check_proof,
    human_moves,
    parse_games,
    read_games,
)

if TYPE_CHECKING:
    from . import batch, bridges

__version__: str = _native.VERSION

#: The set of instructions that the loaded library was built for, such as ``'x86-64-v3'``.
TIER: str = _native.TIER

__all__ = [
    "Book",
    "BookMove",
    "EmiliaError",
    "Engine",
    "Game",
    "GameFile",
    "Games",
    "ParseError",
    "Position",
    "Proof",
    "Result",
    "TIER",
    "Verdict",
    "batch",
    "bridges",
    "check_proof",
    "games",
    "human_moves",
    "parse_games",
    "read_games",
    "replay",
]


def __getattr__(name: str) -> Any:
    if name in ("batch", "bridges"):
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> List[str]:
    return sorted(__all__)
