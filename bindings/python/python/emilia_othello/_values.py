"""Checks of values from the caller."""

import operator
from typing import Any, Optional, Tuple

from ._load import native

MOST_NODES = (1 << 64) - 1
MOST_PLIES = (1 << 32) - 1


def whole(name: str, value: Any, least: int, most: int) -> int:
    """An integer within these bounds.

    Raises:
        TypeError: it is no integer.
        EmiliaError: it is out of its range.
    """
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be an integer, not {value!r}") from None
    if not least <= number <= most:
        raise native.EmiliaError(f"{name} must be from {least} to {most}, not {number}")
    return number


def optional(name: str, value: Any, least: int, most: int) -> Optional[int]:
    """The same, or ``None``."""
    return None if value is None else whole(name, value, least, most)


#: Plies, nodes, seconds, and a clock of own seconds, the opponent's and an increment.
Bounds = Tuple[Optional[int], Optional[int], Optional[float], Optional[Tuple[float, float, float]]]


def bounds(depth: Any, nodes: Any, seconds: Any, clock: Any) -> Bounds:
    """What ends or bounds a search, checked as far as the native half does not."""
    if seconds is not None:
        seconds = _time("seconds", seconds)
    if clock is not None:
        try:
            own, opponent, increment = clock
        except (TypeError, ValueError):
            raise TypeError(f"clock must be (own, opponent, increment) in seconds, not {clock!r}") from None
        clock = (_time("clock", own), _time("clock", opponent), _time("clock", increment))
    return optional("depth", depth, 1, MOST_PLIES), optional("nodes", nodes, 1, MOST_NODES), seconds, clock


def _time(name: str, seconds: Any) -> float:
    try:
        return float(seconds)
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be a number of seconds, not {seconds!r}") from None


def position(value: Any) -> "native.Position":
    """A position.

    Raises:
        TypeError: it is something else.
    """
    if not isinstance(value, native.Position):
        raise TypeError(f"expected a Position, not {value!r}")
    return value
