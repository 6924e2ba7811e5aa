"""Moves as numbers: 0 (a1) to 63 (h8), and 64 for a pass. pgx, OpenSpiel and alpha-zero-general count so."""

from typing import Optional

from .._load import native

PASS = 64


def action(move: Optional[str]) -> int:
    """The number of a move, ``'f5'`` or ``'pass'``; ``None``, where the game is over, counts as a pass.

    Raises:
        EmiliaError: it is no move.
    """
    if move is None or move == "pass":
        return PASS
    if len(move) != 2 or not ("a" <= move[0] <= "h" and "1" <= move[1] <= "8"):
        raise native.EmiliaError(f"expected a square a1..h8 or 'pass', found {move!r}")
    return "abcdefgh".index(move[0]) + 8 * (int(move[1]) - 1)


def move(action: int) -> str:
    """The move of a number.

    Raises:
        EmiliaError: the number is not from 0 to 64.
    """
    number = int(action)
    if number == PASS:
        return "pass"
    if not 0 <= number < PASS:
        raise native.EmiliaError(f"expected an action from 0 to 64, found {number}")
    return "abcdefgh"[number % 8] + str(number // 8 + 1)
