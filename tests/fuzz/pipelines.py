"""Random pipelines of all components of tokenizers, whose parts Hypothesis can make smaller."""

from __future__ import annotations

import faulthandler
import os
import signal
from typing import Any

from hypothesis import strategies as st

from tests.fuzz.component import Component
from tests.libraries.tokenizers.fuzz_pipelines import Maker, case, differences

SECONDS = 30  # of real time, after which the library's process is ended


@st.composite
def cases(draw: st.DrawFn) -> dict[str, Any]:
    """A tokenizer.json and three calls."""
    maker = Maker(0)
    maker.draw = draw(st.randoms(use_true_random=False))
    return case(maker, texts=3)


def check(drawn: dict[str, Any]) -> None:
    """Compare both libraries in a child process, because the library ends its process for some pipelines."""
    reader, writer = os.pipe()
    if (child := os.fork()) == 0:
        try:
            faulthandler.disable()
            signal.alarm(SECONDS)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # the library reports its panics there
            found = next(differences(drawn), None)
            os.write(writer, repr(found).encode(errors="backslashreplace")[:2000] if found else b"same")
        except Exception as error:
            os.write(writer, f"{type(error).__name__}: {error}".encode(errors="backslashreplace")[:2000])
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        said = pipe.read().decode()
    os.waitpid(child, 0)
    assert said in ("same", ""), said  # nothing: the library ended the process


PIPELINES = Component("tokenizers: pipelines", cases(), check)
