import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

import emilia_othello as emilia

REPOSITORY = Path(__file__).resolve().parents[3]


def random_position(seed, empties):
    """A position of this many empty squares in which the side to move has a move, of a game drawn at random."""
    draw = random.Random(seed)
    while True:
        position = emilia.Position()
        while not position.is_over and position.empties > empties:
            position = position.play(draw.choice(position.legal_moves()))
        if not position.is_over and position.legal_moves() != ["pass"]:
            return position


def run_python(code, *arguments, timeout=120, **options):
    """Runs code in another interpreter."""
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=timeout, **options)


@pytest.fixture
def engine():
    with emilia.Engine(hash_mb=4) as engine:
        yield engine


@pytest.fixture(scope="session")
def program():
    """The command of the program: that of ``EMILIA``, or the one inside the package."""
    path = os.environ.get("EMILIA")
    return [path] if path else [sys.executable, "-m", "emilia_othello"]
