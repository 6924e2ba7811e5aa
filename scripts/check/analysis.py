#!/usr/bin/env python3
"""Compares what `emilia analyze` says with scores that are known, and with cold solves of the same positions.

    scripts/check/analysis.py --games 50 wthor_1977_2022.txt.gz

Lines of the input are `TRANSCRIPT SCORE YEAR THEORETICAL`: the last number is Black's score with best play from 24 empty
squares on, as WTHOR has it. For each of the games, drawn by --seed, it is compared with the analysis of the position at 24 empties. Each position
that the analysis calls exact is also solved by `emilia solve`, which knows nothing of the game (not with --known-only).
Exit status 0 if everything agrees. EMILIA names the binary; else the release build is used.
"""

import argparse
import gzip
import json
import os
import pathlib
import random
import subprocess
import sys

EMPTIES = 24


def games_of(path, count, seed):
    opened = gzip.open(path, "rt") if path.endswith(".gz") else open(path, encoding="ascii")
    with opened as lines:
        rows = [line.split() for line in lines]
    rows = [row for row in rows if len(row) == 4 and len(row[0]) >= 2 * (60 - EMPTIES)]
    return random.Random(seed).sample(rows, min(count, len(rows)))


def run(emilia, arguments, text):
    done = subprocess.run([emilia, *arguments], input=text, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"emilia {arguments[0]} failed: {done.stderr.strip()}")
    return done.stdout.splitlines()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--known-only", action="store_true")
    options = parser.parse_args()
    release = pathlib.Path(__file__).resolve().parents[2] / "target/release/emilia"
    emilia = os.environ.get("EMILIA", str(release))

    rows = games_of(options.file, options.games, options.seed)
    transcripts = "".join(row[0] + "\n" for row in rows)
    threads = ["--threads", str(options.threads)]
    analyses = [json.loads(line) for line in run(emilia, ["analyze", "--json", *threads], transcripts)]

    known = agreed = 0
    exact = []
    for row, analysis in zip(rows, analyses, strict=True):
        for move in analysis["moves"]:
            if move["exact"]:
                exact.append((row[0], move))
            if move["board"].count("-") == EMPTIES and move["exact"]:
                black = move["before"] if move["side"] == "X" else -move["before"]
                known += 1
                agreed += black == int(row[3])
                if black != int(row[3]):
                    print(f"{row[0]}: {black:+.0f} at {EMPTIES} empties, known is {row[3]}")
    print(f"known scores: {agreed} of {known} agree")

    solved = len(exact)
    if not options.known_only:
        positions = "".join(f"{move['board']} {move['side']}\n" for _, move in exact)
        answers = run(emilia, ["solve", "--json", *threads], positions)
        solved = 0
        for (game, move), answer in zip(exact, answers, strict=True):
            score = json.loads(answer)["score"]
            solved += score == move["before"]
            if score != move["before"]:
                print(f"{game}: move {move['number']}: {move['before']:+.0f}, solve says {score:+d}")
        print(f"exact positions: {solved} of {len(exact)} agree with solve")
    sys.exit(not (agreed == known > 0 and solved == len(exact)))


if __name__ == "__main__":
    main()
