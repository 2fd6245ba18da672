"""Where the files of a model come from: a local folder, or a repository of the hub by its name.

Adds: `Source`, which every `from_pretrained` asks for its files, and a dictionary read strictly out of one.
Leaves out: addresses of single files on the web, mirrors, proxies.

Source: transformers 4.26.1, utils/hub.py (`cached_file`).
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tokenlab import files
from tokenlab.transformers.hub import downloaded

# What a person may write into the library's calls and has no say here.
UNHEARD = ("resume_download", "proxies", "mirror", "trust_remote_code", "_from_auto", "_from_pipeline", "_commit_hash")
OPTIONS = ("subfolder", "revision", "cache_dir", "force_download", "local_files_only", "token")


class TornFile(OSError, ValueError):
    """A file that is there and cannot be read; where the library raises one of the two, this is both."""


@dataclass(frozen=True)
class Source:
    """A local folder or a repository of the hub, and how to look there.

    Args:
        name: the folder, or the repository's name on the hub.
        subfolder: where in it the files are.
        revision: a branch, a tag or a commit of the repository.
        cache_dir: where downloaded files are kept, if not in the usual place.
        force_download: download what is in the cache, too.
        local_files_only: do not ask the network.
        token: a token for private repositories, or True for the one that is stored.
    """

    name: str
    subfolder: str = ""
    revision: str | None = None
    cache_dir: str | None = None
    force_download: bool = False
    local_files_only: bool = False
    token: str | bool | None = None

    @classmethod
    def taken_from(cls, name: Any, kwargs: dict[str, Any]) -> Source:
        """The source that the arguments of a `from_pretrained` speak of; they are taken out of them."""
        for unheard in UNHEARD:
            kwargs.pop(unheard, None)
        old_token = kwargs.pop("use_auth_token", None)
        given = {option: kwargs.pop(option) for option in OPTIONS if option in kwargs}
        source = cls("" if name is None else os.fspath(name), **{"token": old_token, **given})
        return replace(source, subfolder=source.subfolder or "", local_files_only=source.local_files_only or offline())

    @property
    def options(self) -> dict[str, Any]:
        """The arguments that `taken_from` takes."""
        return {option: getattr(self, option) for option in OPTIONS}

    @property
    def is_local(self) -> bool:
        """Whether it is a folder on this machine."""
        return os.path.isdir(self.name)

    @property
    def is_file(self) -> bool:
        """Whether it is one file and no folder."""
        return os.path.isfile(self.name)

    @property
    def way_out(self) -> str:
        """What to do where a file is missing."""
        return (
            "save it again" if self.is_local else "check the name, and the network: without it only the cache is read"
        )

    def at(self, commit: str | None) -> Source:
        """The same source at one commit of a repository, so that all its files are of one state."""
        return self if commit is None or self.is_local else replace(self, revision=commit)

    def get(self, file_name: str, what: str = "") -> str:
        """The path of a file.

        Raises:
            FileNotFoundError: it is not there.
        """
        path = self.find(file_name)
        if path is None:
            raise FileNotFoundError(
                f"{self} has no {file_name}{what and ', ' + what}; check the name, or save it again"
            )
        return path

    def find(self, file_name: str) -> str | None:
        """The path of a file, or None where it is not there.

        Raises:
            FileNotFoundError: there is neither such a folder nor such a repository.
            OSError: the hub cannot be asked.
        """
        if not self.is_local:
            return downloaded(self, file_name)
        path = os.path.join(self.name, self.subfolder, file_name)
        return path if os.path.isfile(path) else None

    def __str__(self) -> str:
        where = f", subfolder {self.subfolder!r}," if self.subfolder else ""
        return f"the {'folder' if self.is_local else 'repository'} {self.name!r}{where}"


def offline() -> bool:
    """Whether the environment says that the network is not to be asked, as the library reads it."""
    return os.environ.get("TRANSFORMERS_OFFLINE", "").upper() in ("1", "ON", "YES", "TRUE")


def read_dictionary(path: str | Path) -> dict[str, Any]:
    """The dictionary in a JSON file.

    Raises:
        FileNotFoundError: there is no such file.
        TornFile: the file is no whole JSON, or not a dictionary.
    """
    try:
        value = json.loads(files.read_text(path))
    except json.JSONDecodeError as error:
        raise TornFile(
            f"{str(path)!r} is torn and not whole JSON: {error.msg} in line {error.lineno}, column {error.colno}; "
            "save or download it again"
        ) from None
    except ValueError as error:
        raise TornFile(str(error)) from None
    if not isinstance(value, dict):
        raise TornFile(
            f"{str(path)!r} is no JSON object: it should hold a dictionary, and holds a {type(value).__name__}"
        )
    return value
