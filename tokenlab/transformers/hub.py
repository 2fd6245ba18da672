"""Files of a repository of the hub, downloaded once by huggingface_hub; and sentences for what goes wrong there.

Source: transformers 4.26.1, utils/hub.py (`cached_file`).
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tokenlab.transformers.sources import Source

NAME = re.compile(r"[\w.-]+(/[\w.-]+)?", re.ASCII)  # t5-small, google/t5-v1_1-small
COMMIT = re.compile(r"[0-9a-f]{40}")


def downloaded(source: Source, file_name: str) -> str | None:
    """The path of a file in the cache, where it is put if it is not there; None where the repository has none.

    Raises:
        FileNotFoundError: there is no such repository, or no such revision of it.
        OSError: the hub cannot be asked.
        ImportError: huggingface_hub is not installed.
    """
    if not NAME.fullmatch(source.name):
        raise FileNotFoundError(
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
    if known_to_be_missing(source, file_name):
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
        # Where the configuration was downloaded, a file that is not beside it is one that there is not.
        if isinstance(in_the_cache(source, "config.json"), str):
            return None
        raise OSError(not_reached(source, error)) from None
    except errors.EntryNotFoundError:
        return None
    except errors.RevisionNotFoundError:
        raise FileNotFoundError(
            f"{source} has no revision {source.revision!r}; take a branch, a tag or a commit that its page lists"
        ) from None
    except errors.RepositoryNotFoundError:  # also where one needs a permission
        raise FileNotFoundError(
            f"there is neither a folder nor a repository {source.name!r} that may be read; check the name, and for a "
            "private one give token=... or log in with `hf auth login`"
        ) from None
    except (OSError, errors.HFValidationError) as error:
        raise OSError(not_reached(source, error)) from None


def commit_of(path: str) -> str | None:
    """The commit that a downloaded file is of, as its place in the cache says."""
    parts = Path(path).parts
    after = [part for folder, part in zip(parts, parts[1:], strict=False) if folder == "snapshots"]
    return next(filter(COMMIT.fullmatch, reversed(after)), None)


def in_the_cache(source: Source, file_name: str) -> object:
    """The path of a file that was downloaded; None, or huggingface_hub's mark for one that is known to be missing."""
    from huggingface_hub import try_to_load_from_cache

    place = f"{source.subfolder}/{file_name}" if source.subfolder else file_name
    return try_to_load_from_cache(source.name, place, cache_dir=source.cache_dir, revision=source.revision)


def known_to_be_missing(source: Source, file_name: str) -> bool:
    """Whether an earlier call learned that this commit has no such file: the hub need not be asked again."""
    if source.force_download or not COMMIT.fullmatch(source.revision or ""):
        return False
    return not isinstance(in_the_cache(source, file_name), (str, type(None)))


def not_reached(source: Source, error: Exception) -> str:
    """The sentence for a hub that cannot be asked."""
    reason = error.__cause__ or error
    asked = "the cache was asked alone" if source.local_files_only else f"the hub could not be asked ({first(reason)})"
    return (
        f"there is no folder {source.name!r}, the cache has no whole copy of such a repository, and {asked}; "
        "check the name and the network, or give the path of a folder that `save_pretrained` wrote"
    )


def first(error: BaseException) -> str:
    """The first sentence of an error's message."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0].split(". ")[0].rstrip(".")
