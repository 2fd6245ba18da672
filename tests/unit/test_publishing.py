"""What a published copy states: one version everywhere, a valid citation, and links that open existing lessons."""

from __future__ import annotations

import os
import re
import subprocess
import tomllib
from datetime import date
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
import yaml
from packaging.requirements import Requirement

import tokenlab
from tokenlab.check.submission import versions

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CHANGELOG = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
PUBLISHING = (ROOT / "docs/publishing.md").read_text(encoding="utf-8")
LINKS = re.findall(r"(?m)^https://\S+$", PUBLISHING)
RELEASES = re.findall(r"(?m)^## (?!\[Unreleased\]$)(.*)$", CHANGELOG)
# What Colab brings, or what its server replaces.
OF_COLAB = {"jupyterlab", "ipywidgets", "matplotlib", "protobuf"}


def test_the_version_is_the_same_everywhere() -> None:
    assert tokenlab.__version__ == PROJECT["version"] == CITATION["version"] == versions()["tokenlab"]
    assert RELEASES[0] == f"[{PROJECT['version']}] - {CITATION['date-released']}"


def test_the_changelog_has_the_form_of_keep_a_changelog() -> None:
    dated = [re.fullmatch(r"\[(\d+)\.(\d+)\.(\d+)\] - (\d{4}-\d\d-\d\d)", release) for release in RELEASES]
    numbers = [tuple(map(int, match.groups()[:3])) for match in dated if match]
    assert len(numbers) == len(RELEASES) >= 2
    assert numbers == sorted(numbers, reverse=True)
    assert all(date.fromisoformat(match[4]) for match in dated if match)
    kinds = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
    assert {*re.findall(r"(?m)^### (.*)$", CHANGELOG)} <= kinds


def test_what_the_changelog_names_exists() -> None:
    current = CHANGELOG.partition(f"## {RELEASES[1]}")[0]
    for command in re.findall(r"`make ([\w-]+)`", current):
        assert re.search(rf"COMMANDS = .*\b{command}\b", (ROOT / "Makefile").read_text(encoding="utf-8")), command
    for path in re.findall(r"`((?:docs|tokenlab)/[\w/.]+)`", current):
        assert (ROOT / path).exists(), path


def test_the_citation_has_what_version_1_2_0_of_the_format_requires() -> None:
    # https://github.com/citation-file-format/citation-file-format/blob/1.2.0/schema-guide.md
    assert CITATION["cff-version"] == "1.2.0" and CITATION["type"] == "software"
    assert CITATION["message"] and CITATION["title"]
    assert CITATION["authors"] == PROJECT["authors"] == [{"name": "the tokenlab authors"}]
    assert CITATION["license"] == PROJECT["license"]
    assert date.fromisoformat(CITATION["date-released"])
    required = {"cff-version", "message", "title", "authors"}
    optional = {"type", "abstract", "version", "date-released", "license", "keywords"}
    assert required <= {*CITATION} <= required | optional


def opened(link: str) -> str:
    """The path in the repository of the notebook that a link opens."""
    parts = urlsplit(link)
    asked = {name: values[0] for name, values in parse_qs(parts.query).items()}
    if parts.hostname == "colab.research.google.com":
        assert parts.path.startswith("/github/OWNER/REPO/blob/main/") and not asked
        return parts.path.removeprefix("/github/OWNER/REPO/blob/main/")
    if parts.hostname == "mybinder.org":
        assert parts.path == "/v2/gh/OWNER/REPO/main" and {*asked} == {"urlpath"}
        return asked["urlpath"].removeprefix("lab/tree/")
    assert parts.netloc == "HUB" and parts.path == "/hub/user-redirect/git-pull"
    assert asked["repo"] == "https://github.com/OWNER/REPO" and asked["branch"] == "main"
    return asked["urlpath"].removeprefix("lab/tree/REPO/")  # nbgitpuller clones into a folder with this name


def test_there_is_a_link_for_each_service() -> None:
    assert {urlsplit(link).netloc for link in LINKS} == {"colab.research.google.com", "mybinder.org", "HUB"}


@pytest.mark.parametrize("link", LINKS)
def test_a_link_opens_a_lesson(link: str) -> None:
    path = opened(link)
    assert path.endswith(".ipynb") and (ROOT / path).is_file()
    assert re.fullmatch(r"[\w/.]+", path)  # no name of a lesson needs to be escaped in an address


def test_every_lesson_fits_into_the_addresses() -> None:
    assert all(re.fullmatch(r"\w+\.ipynb", path.name) for path in (ROOT / "notebooks").glob("*.ipynb"))


def test_the_cell_for_colab_installs_what_lessons_need() -> None:
    cell = re.search(r'(?m)^%pip install -q "tokenlab @ git\+https://github.com/OWNER/REPO@main" (.*)$', PUBLISHING)
    assert cell is not None
    lab = {Requirement(name).name for name in PROJECT["optional-dependencies"]["lab"]}
    assert {*cell[1].split()} == lab - OF_COLAB


def test_binder_can_run_its_script() -> None:
    script = ROOT / "postBuild"
    assert script.read_bytes().startswith(b"#!/bin/bash\n") and b"\r" not in script.read_bytes()
    if os.name != "nt":
        assert script.stat().st_mode & 0o100
    subprocess.run(["bash", "-n", script], check=True)
    trusted = re.search(r"jupyter trust (\S+)", script.read_text(encoding="utf-8"))
    assert trusted is not None and [*ROOT.glob(trusted[1])]
