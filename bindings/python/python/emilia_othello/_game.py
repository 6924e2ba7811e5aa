"""Games as transcripts."""

from typing import List, Tuple

from ._load import native


def replay(transcript: str) -> Tuple[List["native.Position"], List[str]]:
    """The positions of a game from the start to the end, and the moves between them, passes included.

    There is one position more than there are moves. Passes may be left out of the transcript.

    Raises:
        ParseError: a move cannot be read or is not legal.
    """
    return native.parse_game(transcript)
