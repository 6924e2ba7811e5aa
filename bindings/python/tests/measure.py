"""Measures what the package costs: its size, its import, and its overhead. Not a test: a busy computer spoils the numbers.

    python measure.py [BINARY OF EMILIA]
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import emilia_othello as emilia
from conftest import random_position
from emilia_othello import _load, batch


def seconds(work, times=5):
    """The least of several."""
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    return min(taken)


def pair(first, second, times=9):
    """The least of several of each, in turn."""
    turns = [(seconds(first, 1), seconds(second, 1)) for _ in range(times)]
    return tuple(min(one) for one in zip(*turns))


def imports():
    code = "import time; t = time.perf_counter(); import emilia_othello; print(time.perf_counter() - t)"
    run = lambda: subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # noqa: E731
    return min(float(run().stdout) for _ in range(9))


def solves(program, boards):
    """Seconds of `emilia solve` and of a batch on one thread, and the ratio."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write("".join(f"{board}\n" for board in boards))
        file.flush()
        command = [*program, "solve", "--threads", "1", file.name]
        arrays = batch.boards(boards)
        by_program = lambda: subprocess.run(command, capture_output=True, check=True)  # noqa: E731
        return pair(by_program, lambda: batch.solve(*arrays, threads=1), 3)


def main():
    program = sys.argv[1:2] or [sys.executable, "-m", "emilia_othello"]
    library = Path(_load.native.__file__)
    print(f"{emilia.TIER}, library {library.stat().st_size / 1e6:.1f} MB, import {imports() * 1000:.0f} ms")
    for rows in (1_000, 10_000, 100_000):
        boards = [random_position(seed, 10 + seed % 45) for seed in range(500)]
        player, opponent = (np.tile(one, rows // 500) for one in batch.boards(boards))
        plain, ours = pair(
            lambda: _load.native.evaluate_plainly(player, opponent),
            lambda: batch.evaluate(player, opponent, threads=1),
        )
        print(f"evaluate {rows} rows: {ours / rows * 1e9:.0f} ns a row, {plain / ours:.2f} of the loop in Rust")
    by_program, by_batch = solves(program, [random_position(seed, 14) for seed in range(400)])
    print(f"solve 400 boards of 14 empties: {by_batch:.2f} s, {by_program / by_batch:.2f} of the program")


if __name__ == "__main__":
    main()
