"""Adapters for other packages. Each module needs its package only where its functions are given the package's objects:

- `pgx`: states of pgx's Othello;
- `openspiel`: states of OpenSpiel's Othello, and a bot;
- `alphazero`: boards of alpha-zero-general;
- `othello_gpt`: the 60 tokens of Othello-GPT.
"""
