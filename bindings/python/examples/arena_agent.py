"""An agent for arenas in which language models play by text: it reads moves as they are written there, and answers one.

Each line of the input is the opponent's move, `d3` or the word `pass`; `start` asks for the first move. The answer is a move in the same
words, or `end`. With `--self-test` two agents play a game.

    python arena_agent.py --level 8
"""

import argparse
import sys

import emilia_othello as emilia


class Agent:
    def __init__(self, level, seed):
        self.engine = emilia.Engine(level=level, seed=seed)
        self.position = emilia.Position()

    def answer(self, text):
        """The answer to a move of the opponent; `start` is none. Raises `EmiliaError` for what is no legal move."""
        word = text.strip().lower()
        if word != "start":
            self.position = self.position.play(word)
        if self.position.is_over:
            return "end"
        move = self.engine.play(self.position).move
        self.position = self.position.play(move)
        return move


def self_test():
    black, white = Agent(5, 1), Agent(2, 2)
    moves, text = [], "start"
    players = [black, white]
    while text != "end":
        text = players[len(moves) % 2].answer(text)
        moves.append(text)
    moves.pop()
    end = emilia.Position.from_transcript(" ".join(moves))
    assert end.is_over
    print(" ".join(moves))
    print("black", end.score() if end.side == "X" else -end.score())


def main():
    parser = argparse.ArgumentParser(description="An Othello agent that talks in moves.")
    parser.add_argument("--level", type=int, default=8)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--self-test", action="store_true")
    arguments = parser.parse_args()
    if arguments.self_test:
        self_test()
        return
    agent = Agent(arguments.level, arguments.seed)
    for line in sys.stdin:
        try:
            print(agent.answer(line), flush=True)
        except emilia.EmiliaError as error:
            print(f"illegal: {error}", flush=True)


if __name__ == "__main__":
    main()
