"""A folder of tokenizer files of each family, for the tests of slow and fast tokenizers."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tokenizer_folders import FOLDERS, write_folder


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder that has a folder for each family."""
    folder = tmp_path_factory.mktemp("folders")
    for family in FOLDERS:
        write_folder(family, folder / family)
    return folder
