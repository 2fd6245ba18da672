"""Bringing a file near: from a folder, or from an address, once.

Leaves out: Google Drive, and the storage systems that TensorFlow's gfile knows.
Source: tensor2tensor/data_generators/generator_utils.py, maybe_download.
"""

from __future__ import annotations

import os
import shutil
from typing import IO
from urllib.parse import urlsplit
from urllib.request import url2pathname, urlopen

from tokenlab.tensor2tensor.whole import whole_file


def maybe_download(directory: str, filename: str, uri: str) -> str:
    """The path of a file in the directory, fetched from `uri` (a path or an address) unless it is there already.

    A file that is there is taken for the right one; nobody compares it.

    Raises:
        FileNotFoundError: there is no file at that path.
        ValueError: an address of a kind that cannot be read.
    """
    os.makedirs(directory, exist_ok=True)
    path = os.path.join(directory, filename)
    if not os.path.exists(path):
        with _opened(uri) as source, whole_file(path) as file:
            shutil.copyfileobj(source, file)
    return path


def _opened(uri: str) -> IO[bytes]:
    parts = urlsplit(uri)
    if parts.scheme in ("http", "https"):
        remote: IO[bytes] = urlopen(uri)
        return remote
    local = url2pathname(parts.path) if parts.scheme == "file" else uri
    if "://" in local:
        raise ValueError(f"uri={uri!r} cannot be read; give a path, or an address that begins with http:// or https://")
    if not os.path.isfile(local):
        raise FileNotFoundError(f"there is no file {local!r} to copy; check the name, and the folder it is in")
    return open(local, "rb")
