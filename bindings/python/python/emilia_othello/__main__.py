"""``python -m emilia_othello ..`` is the command-line program."""

import os
import signal
import sys

from ._load import native


def main() -> None:
    # The program has its own handling of signals, and the system's where it has none.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    page = os.path.join(os.path.dirname(__file__), "emilia.html")
    if os.path.exists(page):
        os.environ.setdefault("EMILIA_PAGE", page)
    native.run_program(["emilia", *sys.argv[1:]])


if __name__ == "__main__":
    main()
