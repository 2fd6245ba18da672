"""The source of a model's files: a local folder, or a repository of the hub.

Adds: `FileSource`, which finds the files for every `from_pretrained`; downloads with huggingface_hub, with clear
    messages for all failures; strict reading of JSON objects; the addresses in the `PRETRAINED_..._MAP` constants.
Leaves out: URLs of single files, mirrors, proxies.

Source: transformers 4.26.1, utils/hub.py (`cached_file`).
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tokenlab.storage import files, saving

REPO_ID = re.compile(r"[\w.-]+(/[\w.-]+)?", re.ASCII)  # t5-small, google/t5-v1_1-small
COMMIT_HASH = re.compile(r"[0-9a-f]{40}")
# Arguments of the library's calls that have no effect here.
IGNORED_OPTIONS = (
    *("resume_download", "proxies", "mirror", "trust_remote_code"),
    *("_from_auto", "_from_pipeline"),
)
OPTIONS = ("subfolder", "revision", "cache_dir", "force_download", "local_files_only", "token")


class InvalidRepositoryError(FileNotFoundError, ValueError):
    """Neither a folder nor a possible name of a repository; the library raises an OSError or a ValueError."""


class CorruptFileError(OSError, ValueError):
    """A file that exists but is damaged; the library raises either OSError or ValueError, and this is both."""


class NotAnObjectError(CorruptFileError, TypeError):
    """A JSON file without an object; the library raises a TypeError."""


class NestedTooDeepError(CorruptFileError, RecursionError):
    """A JSON file with thousands of values inside each other; the library raises a RecursionError."""


@dataclass(frozen=True)
class FileSource:
    """A local folder or a repository of the hub, and how to look there.

    Args:
        name: the folder, or the repository's name on the hub.
        subfolder: the subfolder with the files.
        revision: a branch, a tag or a commit of the repository.
        cache_dir: the folder of downloaded files; None for the default.
        force_download: download files even if they are in the cache.
        local_files_only: do not use the network.
        token: a token for private repositories, or True for the stored one.
    """

    name: str
    subfolder: str = ""
    revision: str | None = None
    cache_dir: str | None = None
    force_download: bool = False
    local_files_only: bool = False
    token: str | bool | None = None

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
        """Return the path of a file; a FileNotFoundError if it does not exist."""
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


def download_file(source: FileSource, file_name: str) -> str | None:
    """Return the path of a file in the cache, downloading it if needed; None if the repository does not have it.

    Raises:
        InvalidRepositoryError: the name is no repository's.
        FileNotFoundError: the repository or the revision does not exist.
        OSError: the hub cannot be reached.
        ImportError: huggingface_hub is not installed.
    """
    if not REPO_ID.fullmatch(source.name):
        raise InvalidRepositoryError(
            f"there is no folder {source.name!r}, and a repository of the hub has a name like 't5-small' or "
            "'google/t5-v1_1-small'; check the name"
        )
    try:
        import huggingface_hub
        from huggingface_hub import errors
    except ImportError:
        raise ImportError(
            f"there is no folder {source.name!r}; to look for it on the hub, huggingface_hub is needed: "
            "`pip install huggingface_hub`, or `make lab`"
        ) from None
    if is_known_missing(source, file_name):
        return None
    try:
        return huggingface_hub.hf_hub_download(
            source.name,
            file_name,
            subfolder=source.subfolder or None,
            revision=source.revision,
            cache_dir=source.cache_dir,
            force_download=source.force_download,
            local_files_only=source.local_files_only,
            token=source.token,
        )
    except errors.LocalEntryNotFoundError as error:
        # If the configuration is in the cache, a file that is not cached does not exist in the repository.
        if isinstance(find_in_cache(source, "config.json"), str):
            return None
        raise OSError(offline_message(source, error)) from None
    except errors.EntryNotFoundError:
        return None
    except errors.RevisionNotFoundError:
        raise FileNotFoundError(
            f"{source} has no revision {source.revision!r}; use a branch, tag or commit that its page lists"
        ) from None
    except errors.RepositoryNotFoundError:  # also if access requires a permission
        raise FileNotFoundError(
            f"there is neither a folder nor an accessible repository {source.name!r}; check the name, and for a "
            "private one give token=... or log in with `hf auth login`"
        ) from None
    except (OSError, errors.HFValidationError) as error:
        raise OSError(offline_message(source, error)) from None


def commit_hash(path: str) -> str | None:
    """Return the commit of a downloaded file, taken from its path in the cache."""
    parts = Path(path).parts
    after = [part for folder, part in zip(parts, parts[1:], strict=False) if folder == "snapshots"]
    return next(filter(COMMIT_HASH.fullmatch, reversed(after)), None)


def find_in_cache(source: FileSource, file_name: str) -> object:
    """Return the path of a cached file; None, or huggingface_hub's marker for a file that is known not to exist."""
    from huggingface_hub import try_to_load_from_cache

    path = f"{source.subfolder}/{file_name}" if source.subfolder else file_name
    return try_to_load_from_cache(source.name, path, cache_dir=source.cache_dir, revision=source.revision)


def is_known_missing(source: FileSource, file_name: str) -> bool:
    """Return True if an earlier call found that this commit has no such file, so that no request is needed."""
    if source.force_download or not COMMIT_HASH.fullmatch(source.revision or ""):
        return False
    return not isinstance(find_in_cache(source, file_name), (str, type(None)))


def offline_message(source: FileSource, error: Exception) -> str:
    """Return the error message for a hub that cannot be reached."""
    cause = error.__cause__ or error
    reason = (str(cause).strip().splitlines() or [type(cause).__name__])[0].split(". ")[0].rstrip(".")
    asked = "only the cache was searched" if source.local_files_only else f"the hub could not be reached ({reason})"
    return (
        f"there is no folder {source.name!r}, the cache has no complete copy of such a repository, and {asked}; "
        "check the name and the network, or give the path of a folder that `save_pretrained` wrote"
    )


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


def file_urls(repositories: Iterable[str], file: str) -> dict[str, str]:
    """Return the address of a file in each repository.

    >>> file_urls(["gpt2"], "vocab.json")
    {'gpt2': 'https://huggingface.co/gpt2/resolve/main/vocab.json'}
    """
    return {name: f"https://huggingface.co/{name}/resolve/main/{file}" for name in repositories}


def vocab_file_urls(repositories: Iterable[str], files: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """Return the addresses of all vocabulary files, which are named by argument, as in `VOCAB_FILES_NAMES`.

    >>> vocab_file_urls(["t5-small"], {"vocab_file": "spiece.model"})
    {'vocab_file': {'t5-small': 'https://huggingface.co/t5-small/resolve/main/spiece.model'}}
    """
    names = list(repositories)
    return {argument: file_urls(names, file) for argument, file in files.items()}
