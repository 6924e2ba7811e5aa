"""Boards of alpha-zero-general's Othello: an 8 x 8 array of 1, -1 and 0, and the player to move, 1 or -1; player 1 begins."""

from typing import Any

import numpy as np

from .. import batch
from .._load import native
from ._actions import PASS, action, move

__all__ = ["PASS", "Player", "action", "board", "move", "position"]


def position(board: Any, player: int = 1) -> "native.Position":
    """The position of a board for this player. A canonical board is one of player 1.

    Raises:
        EmiliaError: the board is not 8 x 8 of 1, -1 and 0, or the player is not 1 or -1.
    """
    if player not in (1, -1):
        raise native.EmiliaError(f"the player must be 1 or -1, not {player}")
    own, other = batch.from_cells(np.asarray(board)[np.newaxis] * player)
    return native.Position.from_bits(int(own[0]), int(other[0]), "X" if player == 1 else "O")


def board(position: "native.Position") -> np.ndarray:
    """The board of a position, int64[8, 8]; player 1 is black."""
    cells: np.ndarray = batch.to_cells(*batch.boards([position]))[0].astype(np.int64)
    return cells if position.side == "X" else -cells


class Player:
    """A player for ``Arena``: called with a canonical board it returns the action of `Engine.play`, with the same limits."""

    def __init__(self, engine: Any, **limits: Any) -> None:
        self.engine = engine
        self.limits = limits

    def __call__(self, board: Any) -> int:
        return action(self.engine.play(position(board), **self.limits).move)
