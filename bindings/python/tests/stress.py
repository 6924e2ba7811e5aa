"""Random limits and cancels, on several engines at once of several threads each, with batches beside them, in one process or in several:
nothing leaks, hangs or dies.

    python stress.py [--calls 1000] [--engines 3] [--threads 3] [--method threads|fork|spawn]

Prints one line with the time, the memory and the threads before and after. `test_stress.py` runs it with few calls.
"""

import argparse
import faulthandler
import multiprocessing
import os
import random
import sys
import threading
import time
import warnings

import emilia_othello as emilia
from conftest import random_position

#: Megabytes by which the memory may grow.
MOST_GROWTH = 4

#: One heap for all threads. With one for each, glibc keeps much of what was freed, and no leak could be seen.
ALLOCATOR = {"MALLOC_ARENA_MAX": "1", "MALLOC_MMAP_THRESHOLD_": "131072"}

GAME = "f5d6c3d3c4f4f6f3e6e7"


class Refused(Exception):
    """What a callback raises."""


def refuse(info):
    if info.depth > 3:
        raise Refused


def searches(draw, engine, position):
    """One of the calls of an engine, with a result."""
    return draw.choice(
        [
            lambda: engine.search(position, seconds=draw.random() / 50),
            lambda: engine.search(position, nodes=draw.randint(1, 3000), multipv=draw.randint(1, 3)),
            lambda: engine.search(position, clock=(draw.random(), 10, 0)),
            # A stop that comes before the search is none.
            lambda: engine.search(position, depth=draw.randint(1, 40), seconds=0.1),
            lambda: engine.solve(position, draw.choice(["exact", "wld", ">=4"]), max_nodes=3000),
            lambda: engine.play(position, nodes=2000),
            lambda: engine.hint(position, 2, depth=4)[0],
        ]
    )


def batches(draw, positions):
    """A batch that is cancelled at some time."""
    boards = emilia.batch.boards(draw.sample(positions, 20))
    cancel = threading.Event()
    timer = threading.Timer(draw.random() / 30, cancel.set)
    timer.start()
    threads = draw.randint(1, 3)
    if draw.random() < 0.5:
        solved = emilia.batch.solve(*boards, "exact", threads=threads, hash_mb=1, max_nodes=20000, cancel=cancel)
        assert set(solved.status.tolist()) <= {0, 1, 2}
    else:
        emilia.batch.move_scores(*boards, depth=draw.randint(1, 6), threads=threads, cancel=cancel)
    timer.join()


def one_call(draw, engine, positions):
    position = draw.choice(positions)
    timer = threading.Timer(draw.random() / 50, engine.stop)
    timer.start()
    kind = draw.randrange(10)
    if kind == 0:
        batches(draw, positions)
    elif kind == 1:
        try:
            engine.search(position, depth=20, seconds=0.1, on_info=refuse)
        except Refused:
            pass
    elif kind == 2:
        try:
            engine.analyze(GAME, depth=6)
        except emilia.EmiliaError as error:
            assert "stopped" in str(error)
    else:
        assert searches(draw, engine, position)().move in position.legal_moves()
    timer.join()


def closed_meanwhile(draw, positions):
    """An engine that another thread closes while it searches."""
    engine = emilia.Engine(threads=2, hash_mb=1)
    timer = threading.Timer(draw.random() / 50, engine.close)
    timer.start()
    try:
        engine.search(draw.choice(positions), seconds=0.1)
    except emilia.EmiliaError as error:
        assert "closed" in str(error)
    timer.join()


def work(seed, calls, most_threads):
    """So many calls, on one engine after the other."""
    draw = random.Random(seed)
    positions = [random_position(number, draw.randint(4, 50)) for number in range(30)]
    while calls > 0:
        with emilia.Engine(threads=draw.randint(1, most_threads), hash_mb=draw.randint(1, 4), level=draw.choice([None, 5])) as engine:
            for _ in range(min(calls, 8)):
                one_call(draw, engine, positions)
        closed_meanwhile(draw, positions)
        calls -= 8


def in_threads(arguments, seed, calls):
    failed = []

    def guarded(number):
        try:
            work(seed + number, calls // arguments.engines, arguments.threads)
        except BaseException as error:
            failed.append(error)
            raise

    threads = [threading.Thread(target=guarded, args=(number,)) for number in range(arguments.engines)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed, failed


def child(inherited, seed, calls, most_threads):
    if inherited is not None:
        try:
            inherited.search(emilia.Position(), depth=2)
        except emilia.EmiliaError as error:
            assert "fork" in str(error)
        else:
            raise AssertionError("an engine of another process works")
    work(seed, calls, most_threads)


def in_processes(arguments, seed, calls):
    """Processes that begin while an engine of this one searches."""
    context = multiprocessing.get_context(arguments.method)
    with emilia.Engine(threads=2, hash_mb=1) as engine:
        searching = threading.Thread(target=lambda: engine.search(emilia.Position(), depth=60))
        searching.start()
        inherited = engine if arguments.method == "fork" else None
        split = calls // arguments.engines
        children = [
            context.Process(target=child, args=(inherited, seed + number, split, arguments.threads))
            for number in range(arguments.engines)
        ]
        for process in children:
            process.start()
        for process in children:
            process.join(300 + calls)
            process.kill()
            process.join()
        while searching.is_alive():
            engine.stop()
            searching.join(0.1)
    assert [process.exitcode for process in children] == [0] * arguments.engines


def resident():
    """Megabytes of this process."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def native_threads():
    """Threads of this process. One that was joined may still be listed for a moment."""
    time.sleep(0.2)
    return len(os.listdir("/proc/self/task"))


def main():
    parser = argparse.ArgumentParser(description="Random limits and cancels.")
    parser.add_argument("--calls", type=int, default=1000)
    parser.add_argument("--engines", type=int, default=3)
    parser.add_argument("--threads", type=int, default=3)
    parser.add_argument("--method", choices=["threads", "fork", "spawn"], default="threads")
    arguments = parser.parse_args()
    # Where nothing happens for so long, it says where each thread is, and ends.
    faulthandler.dump_traceback_later(300 + arguments.calls, exit=True)
    warnings.filterwarnings("ignore", category=DeprecationWarning)
    run = in_threads if arguments.method == "threads" else in_processes
    # The first calls load what stays in memory.
    run(arguments, 1000, 24 * arguments.engines)
    before, threads, start = resident(), native_threads(), time.monotonic()
    run(arguments, 0, arguments.calls)
    after, seconds = resident(), time.monotonic() - start
    print(
        f"{arguments.calls} calls, {arguments.engines} at once by {arguments.method}, up to {arguments.threads} threads each: "
        f"{seconds:.1f} s, memory {before:.1f} -> {after:.1f} MB, threads {threads} -> {native_threads()}"
    )
    assert after - before < MOST_GROWTH, "memory grows"
    assert native_threads() == threads, "threads are left behind"


if __name__ == "__main__":
    if not ALLOCATOR.items() <= os.environ.items():
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **ALLOCATOR})
    main()
