"""Tokenizers as files: tokenizer.json, pickles, and what `repr` shows.

Adds: `TokenizerFiles`, the methods that read and write a tokenizer.
Leaves out: the format (`serialization`).

Source: tokenizers, bindings/python/src/tokenizer.rs.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tokenlab.libraries.tokenizers.components.arguments import check_bool, check_text
from tokenlab.libraries.tokenizers.components.component import STR_ITEMS, STR_LENGTH, representation
from tokenlab.libraries.tokenizers.tokenizer_settings import TokenizerSettings, check_instance

if TYPE_CHECKING:
    from tokenlab.libraries.tokenizers.tokenizer import Tokenizer


class TokenizerFiles(TokenizerSettings):
    """A tokenizer that is read from tokenizer.json, and written to it."""

    @staticmethod
    def from_str(json: str) -> Tokenizer:
        """Return the tokenizer that a text in the format of tokenizer.json describes.

        Raises:
            TypeError: `json` is not a str.
            ValueError: it is no such text; the message has the place in the file and the fix.
        """
        from tokenlab.libraries.tokenizers.serialization import read_tokenizer

        return read_tokenizer(check_text("json", json))

    @staticmethod
    def from_file(path: str) -> Tokenizer:
        """Return the tokenizer in a tokenizer.json.

        Raises:
            FileNotFoundError: there is no such file.
            ValueError: as `from_str`.
        """
        from tokenlab.libraries.tokenizers.serialization import read_tokenizer

        return read_tokenizer(Path(check_text("path", path)).read_bytes(), check_text("path", path))

    @staticmethod
    def from_buffer(buffer: bytes) -> Tokenizer:
        """Return the tokenizer in the bytes of a tokenizer.json.

        Raises:
            TypeError: `buffer` is not bytes.
            ValueError: as `from_str`.
        """
        from tokenlab.libraries.tokenizers.serialization import read_tokenizer

        return read_tokenizer(check_instance("buffer", buffer, bytes))

    @staticmethod
    def from_pretrained(identifier: str, revision: str = "main", token: str | None = None) -> Tokenizer:
        """Return the tokenizer of a repository on the Hugging Face Hub; huggingface_hub downloads and caches it.

        Args:
            identifier: the repository, which has a tokenizer.json.
            revision: a branch, a tag or a commit.
            token: an access token for private repositories.
        """
        from huggingface_hub import hf_hub_download

        arguments = {"repo_id": check_text("identifier", identifier), "filename": "tokenizer.json"}
        arguments["revision"] = check_text("revision", revision)
        if token is not None:
            arguments["token"] = check_text("token", token)
        return TokenizerFiles.from_file(hf_hub_download(**arguments))  # type: ignore[call-overload]

    def to_str(self, pretty: bool = False) -> str:
        """Return the tokenizer in the format of tokenizer.json; `pretty` adds line breaks and indents.

        Raises:
            ValueError: a component is a Python object of the user, which cannot be saved.
        """
        from tokenlab.libraries.tokenizers.serialization import write_tokenizer

        return write_tokenizer(self._to_json(), check_bool("pretty", pretty))

    def save(self, path: str, pretty: bool = True) -> None:
        """Write a tokenizer.json.

        Raises:
            FileNotFoundError: there is no such folder.
            ValueError: as `to_str`.
        """
        from tokenlab.storage.files import write_atomically

        write_atomically(check_text("path", path), self.to_str(pretty))

    def _to_json(self, fields: Callable[[Any], Any] = lambda part: part.to_json()) -> dict[str, Any]:
        def optional(part: Any) -> Any:
            return None if part is None else fields(part)

        return {
            "version": "1.0",
            "truncation": self._truncation and self._truncation.to_json(),
            "padding": self._padding and self._padding.to_json(),
            "added_tokens": self._added.to_json(),
            "normalizer": optional(self._normalizer),
            "pre_tokenizer": optional(self._pre_tokenizer),
            "post_processor": optional(self._post_processor),
            "decoder": optional(self._decoder),
            "model": fields(self._model),
        }

    def _shown(self) -> dict[str, Any]:
        return {"type": "Tokenizer", **self._to_json(lambda part: part._shown())}

    def __repr__(self) -> str:
        return representation(self._shown())

    def __str__(self) -> str:
        return representation(self._shown(), items=STR_ITEMS, length=STR_LENGTH)

    def __getstate__(self) -> bytes:
        """Return the tokenizer.json, which `pickle` and `copy` use."""
        return self.to_str().encode()

    def __setstate__(self, state: bytes) -> None:
        vars(self).update(vars(TokenizerFiles.from_buffer(state)))
