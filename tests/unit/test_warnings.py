"""A warning points at the caller's line, however deep in the package or in PyTorch it is raised."""

import functools
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import torch

from tokenlab.printing import errors


def test_a_warning_names_the_line_outside_the_package():
    with pytest.warns(UserWarning, match="is ignored") as caught:
        errors.warn("top_k=3 is ignored")
    assert caught[0].filename == __file__


def test_frames_of_pytorch_are_skipped():
    class Warns(torch.nn.Module):
        def forward(self):
            errors.warn("no cache")

    # The module's own frame is outside the package, PyTorch's `__call__` is not where a reader looks.
    with pytest.warns(UserWarning) as caught:
        Warns()()
    assert caught[0].filename == __file__
    with pytest.warns(UserWarning) as caught:
        torch.no_grad()(functools.partial(errors.warn, "no cache"))()
    assert caught[0].filename == __file__


@pytest.mark.slow
def test_the_message_of_generate_names_the_script(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import torch\n"
        "from tokenlab import data\n"
        "from tokenlab.libraries.transformers import T5ForConditionalGeneration\n"
        "model = T5ForConditionalGeneration.from_pretrained(data.t5_tiny())\n"
        "model.generate(torch.tensor([[5, 1]]), max_length=4, top_k=4, penalty_alpha=0.6, num_beams=2)\n",
        encoding="utf-8",
    )
    run = subprocess.run([sys.executable, str(script)], capture_output=True, encoding="utf-8", check=True)
    assert f"{script}:5: UserWarning: num_beams=2 is ignored" in run.stderr


def test_every_warning_of_the_package_goes_through_errors_warn():
    package = Path(errors.__file__).parents[1]
    files = [path for path in package.rglob("*.py") if "warnings.warn(" in path.read_text(encoding="utf-8")]
    assert files == [package / "printing" / "errors.py"]


def test_an_ignored_warning_is_named_by_its_message_and_its_module():
    settings = tomllib.loads((Path(errors.__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))
    filters = [line.split(":") for line in settings["tool"]["pytest"]["ini_options"]["filterwarnings"]]
    ignored = [parts for action, *parts in filters if action != "error"]
    assert ignored and all(len(parts) == 3 and all(parts) for parts in ignored)
