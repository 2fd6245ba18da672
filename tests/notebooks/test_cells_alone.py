"""Cells that are run alone in a fresh kernel: they run, or advise to run the cells above and keep what they showed."""

from __future__ import annotations

import os
import symtable
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import nbformat
import pytest
from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.manager import KernelManager
from nbformat import NotebookNode

from notebooks.conftest import kernel_manager
from tokenlab.cells_above import ADVICE, names_made_in
from tokenlab.show.explorers.explorer import WIDGET

ROOT = Path(__file__).parents[2]
LESSONS = sorted((ROOT / "notebooks").glob("*.ipynb"))
EXTENSION = ["--InteractiveShellApp.extensions=tokenlab.cells_above"]
Run = Callable[..., tuple[str, list[NotebookNode]]]


def cells_that_show(lesson: Path, *marks: str) -> list[tuple[NotebookNode, list[NotebookNode]]]:
    """The code cells with a mark in their source or outputs, each with the code cells above it."""
    code = [cell for cell in nbformat.read(lesson, as_version=4).cells if cell.cell_type == "code"]
    shown = [f"{cell.source} {cell.outputs}" for cell in code]
    return [(cell, code[:n]) for n, cell in enumerate(code) if any(mark in shown[n] for mark in marks)]


def imported(source: str) -> set[str]:
    return {symbol.get_name() for symbol in symbols(source) if symbol.is_imported()}


def symbols(source: str) -> list[symtable.Symbol]:
    return symtable.symtable(source, "cell", "exec").get_symbols()


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.stem)
def test_the_cell_of_an_explorer_imports_all_that_it_uses(lesson: Path) -> None:
    for cell, above in cells_that_show(lesson, "tokenlab-stored"):
        used = {symbol.get_name() for symbol in symbols(cell.source)} - names_made_in([cell.source])
        assert used & {name for one in above for name in imported(one.source)} == set(), cell.source


@contextmanager
def kernel_of(notebook: Path) -> Iterator[Run]:
    """What runs a source in a kernel without any names, as the cell with an id of the notebook."""
    environment = os.environ | {"JPY_SESSION_NAME": str(notebook)}
    manager = kernel_manager() if os.name == "posix" else KernelManager()
    manager.start_kernel(extra_arguments=EXTENSION, env=environment, cwd=str(ROOT / "notebooks"))
    client = manager.blocking_client()
    client.start_channels()
    client.wait_for_ready(timeout=120)

    def run(source: str, cell: str) -> tuple[str, list[NotebookNode]]:
        _execute(client, "%reset -f")
        return _execute(client, source, cell)

    try:
        yield run
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def _execute(client: BlockingKernelClient, source: str, cell: str = "") -> tuple[str, list[NotebookNode]]:
    """Return the kind of the error, or "", and the outputs."""
    message = client.session.msg("execute_request", {"code": source, "silent": False}, metadata={"cellId": cell})
    client.shell_channel.send(message)
    outputs, state = [], ""
    while state != "idle":
        answer = client.get_iopub_msg(timeout=120)
        if answer["parent_header"].get("msg_id") == message["header"]["msg_id"]:
            state = answer["content"].get("execution_state", "")
            if answer["msg_type"] in ("stream", "display_data", "execute_result", "error"):
                outputs.append(nbformat.v4.output_from_msg(answer))
    reply = client.get_shell_msg(timeout=120)
    while reply["parent_header"].get("msg_id") != message["header"]["msg_id"]:  # of `wait_for_ready`
        reply = client.get_shell_msg(timeout=120)
    return reply["content"].get("ename", ""), outputs


def content(outputs: list[Any]) -> list[Any]:
    """The texts and figures, without what differs when they are displayed again."""
    return [output.get("data") or output["text"] for output in outputs]


@pytest.mark.slow
@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.stem)
def test_a_cell_that_is_run_alone_runs_or_gives_the_advice_and_keeps_its_output(lesson: Path) -> None:
    cells = cells_that_show(lesson, "data-tokenlab", "check.")
    assert cells
    with kernel_of(lesson) as run:
        for cell, above in cells:
            error, outputs = run(cell.source, cell.id)
            assert "error" not in [output.output_type for output in outputs], cell.source
            if error:
                assert error == "NameError" and above, cell.source
                assert outputs[0].data["text/plain"].endswith(ADVICE), cell.source
                assert content(outputs[1:]) == content(cell.outputs), cell.source


@pytest.mark.slow
def test_what_cannot_be_kept_is_left_out_and_other_name_errors_have_their_traceback(tmp_path: Path) -> None:
    text, figure = {"text/plain": "a\nb"}, {"text/plain": "f", "text/html": "<b>f</b>"}
    old = [
        nbformat.v4.new_output("display_data", {"text/html": "", "text/plain": f"This cell needs x. {ADVICE}"}),
        nbformat.v4.new_output("stream", text="printed\n"),
        nbformat.v4.new_output("display_data", {WIDGET: {"model_id": "gone"}}),
        nbformat.v4.new_output("display_data", figure),
        nbformat.v4.new_output("execute_result", text),
        nbformat.v4.new_output("error", ename="NameError", evalue="", traceback=[]),
    ]
    made, used = nbformat.v4.new_code_cell("%matplotlib inline\nx = 1"), nbformat.v4.new_code_cell("x", outputs=old)
    below = nbformat.v4.new_code_cell("y = 1")
    path = tmp_path / "notebook.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=[made, used, below]), path)
    with kernel_of(path) as run:
        _, outputs = run("x", used.id)
        assert content(outputs[1:]) == ["printed\n", figure, text]
        other = "x = 1\nexec('x', {})"
        local = "def f():\n    print(x)\n    x = 1\nf()"
        for source, cell in (
            ("y", used.id),
            ("z", used.id),
            (local, used.id),
            (other, used.id),
            ("x", made.id),
            ("x", "elsewhere"),
        ):
            error, outputs = run(source, cell)
            assert error and [output.output_type for output in outputs] == ["error"], source
        path.unlink()
        _, outputs = run("x", used.id)
        assert [output.output_type for output in outputs] == ["error"]
