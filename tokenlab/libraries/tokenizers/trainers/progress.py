"""Progress of training: bars on a terminal, or lines of JSON on stderr.

Leaves out: the empty lines that the library prints on stdout after each bar.
Source: tokenizers, models/bpe/trainer.rs, setup_progress and emit_json_progress.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Progress:
    """Reports the stages of training.

    Args:
        show: whether to show bars, which also needs a terminal.
        format: "indicatif" for bars, "json" for lines of JSON (even if `show` is False), "silent" for nothing.
    """

    def __init__(self, show: bool, format: str = "indicatif") -> None:
        self.show = show and format == "indicatif"
        self.lines = format == "json"

    @contextmanager
    def stage(self, name: str, total: int) -> Iterator[Callable[[], None]]:
        """Report a stage; call the function that this yields after each of its units.

        >>> with Progress(False, "silent").stage("Compute merges", 2) as done:
        ...     done()
        """
        from tqdm import tqdm

        count = 0
        with tqdm(total=total, desc=name, disable=None if self.show else True) as bar:

            def done() -> None:
                nonlocal count
                count += 1
                bar.update()
                self._line(name, count, total)

            self._line(name, 0, total)
            yield done
        end = count or total if name != "Compute merges" else count
        self._line(name, end, end)

    def _line(self, name: str, current: int, total: int) -> None:
        if self.lines:
            line = json.dumps({"stage": name, "current": current, "total": total}, separators=(",", ":"))
            print(line, file=sys.stderr)
