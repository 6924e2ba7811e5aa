"""A process forks while an engine of it loads what all engines share."""

import os
import subprocess
import sys

import pytest

SCRIPT = """
import os, signal, threading, time
import emilia_othello as emilia

# Positions of each part of a game: what is shared is loaded in parts.
positions = [emilia.Position()]
while not positions[-1].is_over:
    positions.append(positions[-1].play(positions[-1].legal_moves()[0]))
positions = [positions[0], positions[20], positions[40]]

def search_all():
    for position in positions:
        with emilia.Engine(hash_mb=1) as engine:
            engine.search(position, depth=2)

loading = threading.Thread(target=search_all)
loading.start()
children = []
for pause in range(12):
    child = os.fork()
    if child == 0:
        signal.alarm(40)
        search_all()
        os._exit(0)
    children.append(child)
    time.sleep(pause / 1000)
for child in children:
    assert os.waitpid(child, 0)[1] == 0
loading.join()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
@pytest.mark.parametrize("run", range(3))
def test_children_of_a_fork_have_all_that_engines_share(run):
    command = [sys.executable, "-W", "ignore", "-c", SCRIPT]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
