"""States of pgx's Othello (``pgx.make("othello")``).

>>> from emilia_othello import Engine
>>> from emilia_othello.bridges import pgx as bridge
>>> opponent = bridge.Opponent(Engine(level=6))
>>> action = opponent(state)        # doctest: +SKIP
"""

from typing import Any, Tuple

import numpy as np

from .._load import native
from ._actions import PASS, action, move

__all__ = ["Opponent", "PASS", "action", "boards", "move", "position"]


def boards(states: Any) -> Tuple[np.ndarray, np.ndarray]:
    """Arrays player and opponent, for `batch`, of a batch of states, or of one; seen by the side to move."""
    from .. import batch

    planes = np.asarray(states.observation).astype(np.int8).reshape(-1, 8, 8, 2)
    return batch.from_cells(planes[..., 0] - planes[..., 1])


def position(state: Any) -> "native.Position":
    """The position of one state. Raises `EmiliaError` where it is a batch."""
    player, opponent = boards(state)
    if len(player) != 1:
        raise native.EmiliaError(f"expected one state, found a batch of {len(player)}")
    return native.Position.from_bits(int(player[0]), int(opponent[0]), "XO"[int(state._x.turn)])


class Opponent:
    """A player for a loop over one state or a batch of them.

    Called with a state it returns the action of `Engine.play`: an int for one state, int32[N] for a batch. Limits are those of
    `Engine.play`. A state that has ended gets the action of a pass, which pgx ignores.
    """

    def __init__(self, engine: Any, **limits: Any) -> None:
        self.engine = engine
        self.limits = limits

    def __call__(self, state: Any) -> Any:
        player, opponent = boards(state)
        rows = zip(player.tolist(), opponent.tolist())
        actions = [self._play(native.Position.from_bits(*row, "X")) for row in rows]
        is_batch = np.asarray(state.observation).ndim > 3
        return np.array(actions, dtype=np.int32) if is_batch else actions[0]

    def _play(self, position: "native.Position") -> int:
        # Whose colour it is changes nothing.
        return PASS if position.is_over else action(self.engine.play(position, **self.limits).move)
