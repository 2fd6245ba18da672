"""transformers 4.26.1 in a process of its own: its protobuf is too old to live beside sentencepiece's."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Any

ROOT = Path(__file__).parents[2]
ANSWERS = Path(__file__).with_name("t5_answers.py")
CURRENT = ROOT / ".parity-current"  # a folder with transformers 5
PYTHON = ROOT / ".parity" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


class Original:
    """Asks one case after another; `with` ends the process.

    Args:
        program: the script that answers, a line of JSON for a line of JSON.
        arguments: what it is told on its command line.
        current: whether a current transformers answers, beside the other packages of this process.
    """

    def __init__(self, program: Path = ANSWERS, *arguments: str, current: bool = False) -> None:
        self.program = program
        self.arguments = arguments
        self.python = sys.executable if current else str(PYTHON)
        self.path = {"PYTHONPATH": f"{CURRENT}{os.pathsep}{ROOT}"} if current else {}

    def __enter__(self) -> Original:
        self.process = subprocess.Popen(
            [self.python, str(self.program), *self.arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
            # Not ours: the reference finds its own packages and nothing of this kit.
            env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
            | self.path
            | {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_VERBOSITY": "error"},
        )
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.process.communicate()

    def ask(self, line: str) -> Any:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        assert answer, "the reference has stopped; what it said stands above"
        return json.loads(answer)
