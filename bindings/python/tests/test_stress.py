"""A short run of `stress.py`; `EMILIA_TEST_CALLS=1000` makes it long."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

CALLS = os.environ.get("EMILIA_TEST_CALLS", "60")


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="/proc")
@pytest.mark.parametrize("method", ["threads", "fork", "spawn"])
def test_random_limits_and_cancels_leak_nothing(method):
    pytest.importorskip("numpy")
    script = Path(__file__).with_name("stress.py")
    command = [sys.executable, str(script), "--calls", CALLS, "--method", method]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600 + int(CALLS))
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
