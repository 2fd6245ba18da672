"""The source of a model's files: a local folder, or a repository of the hub.

Adds: `FileSource`, which finds the files for every `from_pretrained`, and strict reading of JSON objects.
Leaves out: URLs of single files, mirrors, proxies.

Source: transformers 4.26.1, utils/hub.py (`cached_file`).
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tokenlab.libraries.transformers.files.hub import HubRepository, download_file
from tokenlab.storage import files, saving

# Arguments of the library's calls that have no effect here.
IGNORED_OPTIONS = (
    *("resume_download", "proxies", "mirror", "trust_remote_code"),
    *("_from_auto", "_from_pipeline"),
)
OPTIONS = ("subfolder", "revision", "cache_dir", "force_download", "local_files_only", "token")


class CorruptFileError(OSError, ValueError):
    """A file that exists but is damaged; the library raises either OSError or ValueError, and this is both."""


class NotAnObjectError(CorruptFileError, TypeError):
    """A JSON file without an object; the library raises a TypeError."""


class NestedTooDeepError(CorruptFileError, RecursionError):
    """A JSON file with thousands of values inside each other; the library raises a RecursionError."""


@dataclass(frozen=True)
class FileSource(HubRepository):
    """A local folder or a repository of the hub, and how to look there."""

    @classmethod
    def from_kwargs(cls, name: Any, kwargs: dict[str, Any]) -> FileSource:
        """Return the source for the arguments of a `from_pretrained`, and remove its options from kwargs."""
        for option in IGNORED_OPTIONS:
            kwargs.pop(option, None)
        commit = kwargs.pop("_commit_hash", None)
        old_token = kwargs.pop("use_auth_token", None)
        given = {option: kwargs.pop(option) for option in OPTIONS if option in kwargs}
        source = cls("" if name is None else os.fspath(name), **{"token": old_token, **given})
        source = replace(
            source, subfolder=source.subfolder or "", local_files_only=source.local_files_only or is_offline_mode()
        )
        if source.is_local:
            saving.recover(os.path.join(source.name, source.subfolder))
        return source.at_commit(commit)

    @property
    def options(self) -> dict[str, Any]:
        """The options that `from_kwargs` takes."""
        return {option: getattr(self, option) for option in OPTIONS}

    @property
    def is_local(self) -> bool:
        """True for a local folder."""
        return os.path.isdir(self.name)

    @property
    def is_file(self) -> bool:
        """True for a single file."""
        return os.path.isfile(self.name)

    def at_commit(self, commit: str | None) -> FileSource:
        """Return the source at one commit of the repository, so that all files have the same version."""
        return self if commit is None or self.is_local else replace(self, revision=commit)

    def require_file(self, file_name: str, what: str = "") -> str:
        """Return the path of a file.

        Raises:
            FileNotFoundError: the file does not exist.
        """
        path = self.find_file(file_name)
        if path is None:
            raise FileNotFoundError(
                f"{self} has no {file_name}{what and ', ' + what}; check the name, or save it again"
            )
        return path

    def find_file(self, file_name: str) -> str | None:
        """Return the path of a file, or None if it does not exist.

        Raises:
            FileNotFoundError: neither the folder nor the repository exists.
            OSError: the hub cannot be reached.
        """
        if not self.is_local:
            return download_file(self, file_name)
        path = saving.current(os.path.join(self.name, self.subfolder), file_name)
        return str(path) if path.is_file() else None

    def __str__(self) -> str:
        where = f", subfolder {self.subfolder!r}," if self.subfolder else ""
        return f"the {'folder' if self.is_local else 'repository'} {self.name!r}{where}"


def is_offline_mode() -> bool:
    """Return True if the environment variable TRANSFORMERS_OFFLINE forbids network access."""
    return os.environ.get("TRANSFORMERS_OFFLINE", "").upper() in ("1", "ON", "YES", "TRUE")


def read_json_object(path: str | Path) -> dict[str, Any]:
    """Read the JSON object in a file.

    Raises:
        FileNotFoundError: the file does not exist.
        CorruptFileError: the file is no complete JSON.
        NestedTooDeepError: its values are nested too deeply.
        NotAnObjectError: its content is no object.
    """
    try:
        value = json.loads(files.read_text(path))
    except json.JSONDecodeError as error:
        raise CorruptFileError(
            f"{str(path)!r} is damaged, not complete JSON: {error.msg} in line {error.lineno}, column {error.colno}; "
            "save or download it again"
        ) from None
    except ValueError as error:
        raise CorruptFileError(str(error)) from None
    except RecursionError:
        raise NestedTooDeepError(
            f"{str(path)!r} is no file of settings: its values are nested too deeply to be read; save or download it "
            "again"
        ) from None
    if not isinstance(value, dict):
        raise NotAnObjectError(
            f"{str(path)!r} is no JSON object: it should contain a dictionary, but contains a {type(value).__name__}"
        )
    return value
