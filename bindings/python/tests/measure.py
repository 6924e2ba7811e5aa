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
        by_program = seconds(lambda: subprocess.run(command, capture_output=True, check=True), 3)
    arrays = batch.boards(boards)
    by_batch = seconds(lambda: batch.solve(*arrays, threads=1), 3)
    return by_program, by_batch


def main():
    program = sys.argv[1:2] or [sys.executable, "-m", "emilia_othello"]
    library = Path(_load.native.__file__)
    print(f"{emilia.TIER}, library {library.stat().st_size / 1e6:.1f} MB, import {imports() * 1000:.0f} ms")
    for rows in (1_000, 10_000, 100_000):
        boards = [random_position(seed, 10 + seed % 45) for seed in range(500)]
        player, opponent = (np.tile(one, rows // 500) for one in batch.boards(boards))
        batch.evaluate(player, opponent)
        plain = seconds(lambda: _load.native.evaluate_plainly(player, opponent))
        ours = seconds(lambda: batch.evaluate(player, opponent, threads=1))
        print(f"evaluate {rows} rows: {ours / rows * 1e9:.0f} ns a row, {plain / ours:.2f} of the loop in Rust")
    by_program, by_batch = solves(program, [random_position(seed, 14) for seed in range(200)])
    print(f"solve 200 boards of 14 empties: {by_batch:.2f} s, {by_program / by_batch:.2f} of the program")


if __name__ == "__main__":
    main()
