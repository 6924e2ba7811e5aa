"""A label factory: positions with exact final scores, in an .npz file (or .parquet, with pyarrow).

    python label_factory.py --positions 10000 --empties 12 --output labels.npz
    python label_factory.py --games data/games/generation-2.games --empties 12 --output labels.npz
"""

import argparse
import random
import time

import numpy as np

import emilia_othello as emilia
from emilia_othello import batch


def random_positions(count, empties, seed):
    """Distinct positions of random games."""
    draw, found = random.Random(seed), {}
    while len(found) < count:
        position = emilia.Position()
        while position.empties > empties and not position.is_over:
            position = position.play(draw.choice(position.legal_moves()))
        if not position.is_over:
            found[position.canonical()] = None
    return batch.boards(found)


def main():
    parser = argparse.ArgumentParser(description="Exact labels for positions of Othello.")
    parser.add_argument("--positions", type=int, default=1000)
    parser.add_argument("--empties", type=int, default=12)
    parser.add_argument("--games", help="take positions of a file of self-play")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", required=True, help="a file .npz or .parquet")
    arguments = parser.parse_args()

    if arguments.games:
        found = batch.positions(emilia.games(arguments.games), arguments.empties)
        player, opponent = found.player[: arguments.positions], found.opponent[: arguments.positions]
    else:
        player, opponent = random_positions(arguments.positions, arguments.empties, arguments.seed)
    start = time.perf_counter()
    solved = batch.solve(player, opponent, "exact")
    seconds = time.perf_counter() - start
    columns = {"player": player, "opponent": opponent, "score": solved.score.astype(np.int8), "move": solved.move}
    if arguments.output.endswith(".parquet"):
        import pyarrow
        import pyarrow.parquet

        pyarrow.parquet.write_table(pyarrow.table(columns), arguments.output)
    else:
        np.savez_compressed(arguments.output, **columns)
    print(f"{len(player)} positions in {seconds:.1f} s, {solved.nodes.sum()} nodes, mean score {solved.score.mean():+.2f}")


if __name__ == "__main__":
    main()
