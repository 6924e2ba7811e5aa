"""The Python program of docs/EMBED.md prints what the page says."""

import pytest

from conftest import REPOSITORY, run_python
from test_package import blocks


def test_the_program_of_the_page():
    page = REPOSITORY / "docs/EMBED.md"
    if not page.exists():
        pytest.skip("not in a clone")
    (program,), (output, *_) = blocks(page, "python"), blocks(page, "text")
    done = run_python(program)
    assert (done.stdout, done.stderr) == (output, "")
