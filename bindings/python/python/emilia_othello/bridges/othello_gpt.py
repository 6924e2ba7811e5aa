"""The tokens of Othello-GPT: 1 to 60 are the squares a1 to h8 without the four in the middle, 0 fills up. Passes have none."""

from typing import Any, Iterable, List

from .._game import replay
from .._load import native
from ._actions import PASS, action, move

#: Fills up short games.
PAD = 0

#: The square of each token; the four squares of the start have none.
_SQUARES = [PASS] + [square for square in range(64) if square not in (27, 28, 35, 36)]
_TOKENS = {square: token for token, square in enumerate(_SQUARES) if token != PAD}

__all__ = ["PAD", "encode", "legal_tokens", "tokens", "transcript"]


def tokens(transcript: str) -> List[int]:
    """The tokens of a game, without padding. Raises `ParseError`."""
    _, moves = replay(transcript)
    return [_TOKENS[action(played)] for played in moves if played != "pass"]


def transcript(tokens: Iterable[int]) -> str:
    """The transcript of tokens, up to the first `PAD`.

    Raises:
        EmiliaError: a token is not from 0 to 60, or a move is not legal.
    """
    text = ""
    for token in map(int, tokens):
        if token == PAD:
            break
        if not 0 < token < len(_SQUARES):
            raise native.EmiliaError(f"expected a token from 0 to 60, found {token}")
        text += move(_SQUARES[token])
    replay(text)
    return text


def legal_tokens(tokens: Iterable[int]) -> List[int]:
    """The tokens that are legal after these; none where the game is over. A pass is implied.

    Raises:
        EmiliaError: as for `transcript`.
    """
    position = native.Position.from_transcript(transcript(tokens))
    if position.legal_moves() == ["pass"]:
        position = position.play("pass")
    return [_TOKENS[action(legal)] for legal in position.legal_moves()]


def encode(games: Any) -> Any:
    """The tokens of `Games`, uint8[N, 60], filled up with `PAD`."""
    import numpy as np

    table = np.full(256, PAD, dtype=np.uint8)
    for square, token in _TOKENS.items():
        table[square] = token
    return table[games.moves]
