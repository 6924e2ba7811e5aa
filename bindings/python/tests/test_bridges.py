"""The bridges; those to pgx and OpenSpiel run where these packages are installed."""

import random

import numpy as np
import pytest

import slow
from conftest import random_position
from emilia_othello import EmiliaError, Engine, Games, Position, batch, replay
from emilia_othello.bridges import alphazero, othello_gpt


def test_actions_are_squares():
    for square in range(64):
        assert alphazero.move(square) == slow.name(square)
        assert alphazero.action(slow.name(square)) == square
    assert alphazero.action("pass") == alphazero.action(None) == 64 and alphazero.move(64) == "pass"
    for bad in (-1, 65):
        with pytest.raises(EmiliaError):
            alphazero.move(bad)
    for bad in ("z9", "", "f", "f55"):
        with pytest.raises(EmiliaError):
            alphazero.action(bad)


def test_alphazero_boards():
    start = np.zeros((8, 8), dtype=int)
    start[3][4] = start[4][3] = 1
    start[3][3] = start[4][4] = -1
    assert alphazero.position(start) == Position()
    for seed in range(20):
        position = random_position(seed, 30)
        board, player = alphazero.board(position), 1 if position.side == "X" else -1
        assert alphazero.position(board, player) == position
        canonical = alphazero.position(board * player)
        assert canonical.legal_moves() == position.legal_moves() and canonical.side == "X"
    with Engine(level=2) as engine:
        assert alphazero.Player(engine)(start) in (19, 26, 37, 44)
    for board, player in [(start, 2), (start[:4], 1), (2 * start, 1)]:
        with pytest.raises(EmiliaError):
            alphazero.position(board, player)


def test_othello_gpt_tokens():
    game = "f5d6c3d3c4"
    tokens = othello_gpt.tokens(game)
    assert len(tokens) == 5 and set(tokens) <= set(range(1, 61))
    assert othello_gpt.transcript(tokens + [0, 0]) == game
    legal = othello_gpt.legal_tokens(tokens)
    assert len(legal) == len(Position.from_transcript(game).legal_moves())
    # d3, c4, f5, e6: before the four squares in the middle 19 and 26, behind two of them 37, behind all 44.
    assert othello_gpt.legal_tokens([]) == [20, 27, 34, 41]
    for bad in ([61], [-1], [1]):
        with pytest.raises(EmiliaError):
            othello_gpt.transcript(bad)
    moves = np.full((2, 60), 255, dtype=np.uint8)
    moves[0, :5] = [alphazero.action(played) for played in replay(game)[1]]
    encoded = othello_gpt.encode(Games(moves, None, None, None, None))
    assert encoded[0, :6].tolist() == tokens + [0] and not encoded[1].any()


def test_pgx_agrees_on_whole_games():
    pgx = pytest.importorskip("pgx")
    import jax

    from emilia_othello.bridges import pgx as bridge

    environment = pgx.make("othello")
    init, step = jax.jit(environment.init), jax.jit(environment.step)
    draw = random.Random(1)
    for seed in range(3):
        state, position = init(jax.random.PRNGKey(seed)), Position()
        while not state.terminated:
            assert bridge.position(state) == position
            legal = [bridge.move(action) for action in np.flatnonzero(state.legal_action_mask)]
            assert legal == (position.legal_moves() or ["pass"])
            chosen = draw.choice(legal)
            state = step(state, bridge.action(chosen))
            position = position if position.is_over else position.play(chosen)
        assert position.is_over
        own = float(state.rewards[int(state.current_player)])
        assert own == np.sign(position.score() if "XO"[int(state._x.turn)] == position.side else -position.score())


def test_a_pgx_batch_plays_against_a_level():
    pgx = pytest.importorskip("pgx")
    import jax

    from emilia_othello.bridges import pgx as bridge

    environment = pgx.make("othello")
    keys = jax.random.split(jax.random.PRNGKey(0), 3)
    states = jax.jit(jax.vmap(environment.init))(keys)
    step = jax.jit(jax.vmap(environment.step))
    with Engine(level=1) as engine:
        opponent = bridge.Opponent(engine)
        for _ in range(10):
            player, other = bridge.boards(states)
            masks = np.asarray(states.legal_action_mask)[:, :64]
            bits = batch.legal_moves(player, other)
            assert [np.flatnonzero(mask).tolist() for mask in masks] == [batch.squares(bit) for bit in bits]
            actions = opponent(states)
            assert actions.shape == (3,) and all(states.legal_action_mask[row, a] for row, a in enumerate(actions))
            states = step(states, actions)


def test_openspiel_agrees_on_whole_games():
    pyspiel = pytest.importorskip("pyspiel")
    from emilia_othello.bridges import openspiel as bridge

    game, draw = pyspiel.load_game("othello"), random.Random(2)
    for _ in range(10):
        state = game.new_initial_state()
        while not state.is_terminal():
            position = bridge.position(state)
            legal = [bridge.move(action) for action in state.legal_actions()]
            assert legal == (position.legal_moves() or ["pass"])
            assert "XO"[state.current_player()] == position.side or position.is_over
            state.apply_action(draw.choice(state.legal_actions()))
        position = bridge.position(state)
        for_black = position.score() if position.side == "X" else -position.score()
        assert position.is_over and state.returns()[0] == np.sign(for_black)


def test_an_openspiel_bot_plays():
    pyspiel = pytest.importorskip("pyspiel")
    from emilia_othello.bridges import openspiel as bridge

    with Engine(level=1, seed=1) as weak, Engine(hash_mb=4) as strong:
        bots = [bridge.bot(weak), bridge.bot(strong, depth=3)]
        state = pyspiel.load_game("othello").new_initial_state()
        returns = pyspiel.evaluate_bots(state, bots, 1)
    assert returns == [-1, 1]
