"""A loop over pgx's Othello in which a policy, here a random one, plays against Emilia at a stated level.

    python pgx_opponent.py --games 16 --level 4
"""

import argparse

import jax
import jax.numpy as jnp
import numpy as np
import pgx

from emilia_othello import Engine
from emilia_othello.bridges import pgx as bridge


def random_policy(key, states):
    logits = jnp.where(states.legal_action_mask, 0.0, -jnp.inf)
    return jax.random.categorical(key, logits, axis=-1)


def main():
    parser = argparse.ArgumentParser(description="A policy against Emilia in pgx.")
    parser.add_argument("--games", type=int, default=8)
    parser.add_argument("--level", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()

    environment = pgx.make("othello")
    step = jax.jit(jax.vmap(environment.step))
    key, start = jax.random.split(jax.random.PRNGKey(arguments.seed))
    states = jax.jit(jax.vmap(environment.init))(jax.random.split(start, arguments.games))
    # The policy is player 0 of each game.
    rewards = np.zeros(arguments.games)
    with Engine(level=arguments.level, seed=arguments.seed) as engine:
        opponent = bridge.Opponent(engine)
        while not states.terminated.all():
            key, own = jax.random.split(key)
            is_own = np.asarray(states.current_player) == 0
            actions = np.where(is_own, random_policy(own, states), opponent(states))
            states = step(states, actions.astype(np.int32))
            rewards += np.asarray(states.rewards)[:, 0]
    print(f"the policy won {(rewards > 0).sum()} of {arguments.games} games against level {arguments.level}")


if __name__ == "__main__":
    main()
