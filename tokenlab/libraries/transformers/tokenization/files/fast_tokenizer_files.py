"""The files of a fast tokenizer: tokenizer.json, and if there is a slow version, the files of the slow tokenizer.

Adds: which of them `save_pretrained` writes.
Leaves out: the content of tokenizer.json, which the pipeline writes; and the shared files (`tokenizer_files`).

Source: transformers 4.26.1, tokenization_utils_fast.py (`_save_pretrained`).
"""

from __future__ import annotations

from typing import Any

from tokenlab.libraries.transformers.tokenization.backend.backend_tokenizer import BackendTokenizer
from tokenlab.libraries.transformers.tokenization.files import tokenizer_files
from tokenlab.libraries.transformers.tokenization.files.save_and_load import FileMethods
from tokenlab.libraries.transformers.tokenization.files.tokenizer_files import ADDED_TOKENS_FILE, TOKENIZER_FILE


class FastFileMethods(FileMethods):
    """The methods for files of a tokenizer with a pipeline."""

    _tokenizer: BackendTokenizer
    slow_tokenizer_class: Any = None
    can_save_slow_tokenizer: bool = True

    def _tokenizer_files(self, legacy_format: bool | None) -> dict[str, bytes | None]:
        """Return the content of the files of a slow tokenizer, of tokenizer.json, or of both (None), by name.

        Raises:
            ValueError: legacy_format=True, but there is no slow version of this tokenizer.
        """
        if self.slow_tokenizer_class is None and legacy_format is True:
            raise ValueError(
                f"legacy_format=True, but there is no slow version of {type(self).__name__}; use None or False"
            )
        contents: dict[str, bytes | None] = {}
        if legacy_format is not False and self.slow_tokenizer_class is not None and self.can_save_slow_tokenizer:
            contents |= self._vocabulary_files() | tokenizer_files.added_tokens_file(self)
        if legacy_format is not True:
            contents[TOKENIZER_FILE] = self._tokenizer.to_str(pretty=True).encode()
        return contents

    def _vocabulary_files(self) -> dict[str, bytes]:
        return {name: text.encode() for name, text in self._tokenizer.model._files().items()}

    def _save_pretrained(
        self,
        save_directory: Any,
        file_names: tuple[str, ...],
        legacy_format: bool | None = None,
        filename_prefix: str | None = None,
    ) -> tuple[str, ...]:
        """Write the files of a slow tokenizer, tokenizer.json, or both (None), and return the paths of all files.

        Raises:
            ValueError: as `_tokenizer_files`.
        """
        contents = self._tokenizer_files(legacy_format)
        vocabulary: tuple[str, ...] = ()
        if ADDED_TOKENS_FILE in contents:  # the files of a slow tokenizer
            vocabulary = self.save_vocabulary(str(save_directory), filename_prefix=filename_prefix)
        others = {name: contents[name] for name in (ADDED_TOKENS_FILE, TOKENIZER_FILE) if name in contents}
        written = {name: content for name, content in others.items() if content is not None}
        tokenizer_files.write_files_atomically(save_directory, written, filename_prefix)
        return (*file_names, *vocabulary, *tokenizer_files.paths(save_directory, filename_prefix, others))
