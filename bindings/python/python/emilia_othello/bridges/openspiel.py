"""States of OpenSpiel's Othello (``pyspiel.load_game("othello")``), and a bot for its loops."""

from typing import Any

from .._load import native
from ._actions import PASS, action, move

__all__ = ["PASS", "action", "bot", "move", "position"]


def position(state: Any) -> "native.Position":
    """The position of a state. OpenSpiel ends a game with passes that are none here: they are left out."""
    reached = native.Position()
    for number in state.history():
        if not (number == PASS and reached.is_over):
            reached = reached.play(move(number))
    return reached


def bot(engine: Any, **limits: Any) -> Any:
    """A `pyspiel.Bot` that plays as `Engine.play` does, with the same limits."""
    import pyspiel  # type: ignore[import-not-found, unused-ignore]

    class Bot(pyspiel.Bot):  # type: ignore[misc, unused-ignore]
        def __init__(self) -> None:
            pyspiel.Bot.__init__(self)

        def step(self, state: Any) -> int:
            return action(engine.play(position(state), **limits).move)

        def restart(self) -> None:
            engine.forget()

        def restart_at(self, state: Any) -> None:
            engine.forget()

        def inform_action(self, state: Any, player_id: int, chosen: int) -> None:
            """The state that `step` gets has all actions."""

    return Bot()
