"""The package as pip installs it, without a network: its data, its types, and what a user's type checker sees."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = "import sys; from setuptools.build_meta import build_wheel; build_wheel(sys.argv[1])"
USER = """
from tokenlab.libraries.sentencepiece import SentencePieceProcessor
from tokenlab.libraries.tiktoken import get_encoding

reveal_type(get_encoding("gpt2").encode("a"))
reveal_type(SentencePieceProcessor(model_file="a.model").piece_to_id("a"))
get_encoding(3)
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from a copy, since a build writes into its folder."""
    copy = tmp_path_factory.mktemp("copy")
    for folder in ("tokenlab", "data"):
        shutil.copytree(ROOT / folder, copy / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE"):
        shutil.copyfile(ROOT / name, copy / name)
    subprocess.run([sys.executable, "-c", BUILD, str(copy / "made")], cwd=copy, check=True, capture_output=True)
    [made] = (copy / "made").glob("*.whl")
    return made


def test_the_package_contains_its_types_its_data_and_its_files(wheel: Path) -> None:
    names = {*zipfile.ZipFile(wheel).namelist()}
    assert "tokenlab/py.typed" in names
    wanted = {path for path in (ROOT / "tokenlab").rglob("*") if path.suffix in (".py", ".js", ".css", ".md")}
    assert {path.relative_to(ROOT).as_posix() for path in wanted} <= names
    assert "tokenlab/_data/small.tiktoken" in names


@pytest.mark.slow
def test_the_type_checker_of_a_user_knows_the_installed_package(wheel: Path, tmp_path: Path) -> None:
    # A new environment: mypy reads py.typed only of packages in an environment, not of those in a folder.
    venv.create(tmp_path / "env", symlinks=os.name != "nt")
    python = tmp_path / "env" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    ask = "import sysconfig; print(sysconfig.get_path('purelib'))"
    packages = subprocess.run([python, "-c", ask], check=True, capture_output=True, encoding="utf-8").stdout.strip()
    zipfile.ZipFile(wheel).extractall(packages)
    (tmp_path / "user.py").write_text(USER, encoding="utf-8", newline="\n")
    options = ["--strict", "--python-executable", str(python), "--cache-dir", str(tmp_path / "cache"), "user.py"]
    clean = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "MYPYPATH")}
    ran = subprocess.run(
        [sys.executable, "-m", "mypy", *options],
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
        env=clean,
        check=False,
    )
    lines = [line.partition(" ")[2] for line in ran.stdout.splitlines()]
    assert lines[0] == 'note: Revealed type is "list[int]"', ran.stdout
    assert lines[1] == 'note: Revealed type is "int"'
    assert lines[2].startswith('error: Argument 1 to "get_encoding" has incompatible type "int"')
    assert len(lines) == 4  # and the sum
