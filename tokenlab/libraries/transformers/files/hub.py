"""Download files of a hub repository with huggingface_hub, with clear messages for all failures.

Source: transformers 4.26.1, utils/hub.py (`cached_file`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

REPO_ID = re.compile(r"[\w.-]+(/[\w.-]+)?", re.ASCII)  # t5-small, google/t5-v1_1-small
COMMIT_HASH = re.compile(r"[0-9a-f]{40}")


class InvalidRepositoryError(FileNotFoundError, ValueError):
    """Neither a folder nor a possible name of a repository; the library raises an OSError or a ValueError."""


@dataclass(frozen=True)
class HubRepository:
    """A repository of the hub, and how to look there.

    Args:
        name: the repository's name on the hub; of a `FileSource`, it may be a folder.
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


def download_file(source: HubRepository, file_name: str) -> str | None:
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


def find_in_cache(source: HubRepository, file_name: str) -> object:
    """Return the path of a cached file; None, or huggingface_hub's marker for a file that is known not to exist."""
    from huggingface_hub import try_to_load_from_cache

    path = f"{source.subfolder}/{file_name}" if source.subfolder else file_name
    return try_to_load_from_cache(source.name, path, cache_dir=source.cache_dir, revision=source.revision)


def is_known_missing(source: HubRepository, file_name: str) -> bool:
    """Return True if an earlier call found that this commit has no such file, so that no request is needed."""
    if source.force_download or not COMMIT_HASH.fullmatch(source.revision or ""):
        return False
    return not isinstance(find_in_cache(source, file_name), (str, type(None)))


def offline_message(source: HubRepository, error: Exception) -> str:
    """Return the error message for a hub that cannot be reached."""
    reason = first_sentence(error.__cause__ or error)
    asked = "only the cache was searched" if source.local_files_only else f"the hub could not be reached ({reason})"
    return (
        f"there is no folder {source.name!r}, the cache has no complete copy of such a repository, and {asked}; "
        "check the name and the network, or give the path of a folder that `save_pretrained` wrote"
    )


def first_sentence(error: BaseException) -> str:
    """Return the first sentence of an error's message."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0].split(". ")[0].rstrip(".")
