"""Saving and loading: the methods of a tokenizer's class for its files, and the vocabulary files of slow tokenizers.

Adds: reading lines as Python's text mode does; `save_pretrained` and `from_pretrained`, with the steps that a subclass
    may override; which files a fast tokenizer writes: tokenizer.json, and if there is a slow version, the files of the
    slow tokenizer.
Leaves out: uploads to the hub, which are refused, and code of own classes, which is not saved.

Source: transformers 4.26.1, tokenization_utils_base.py, tokenization_utils_fast.py (`_save_pretrained`), utils/hub.py
(`PushToHubMixin`), models/*/tokenization_*.py.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from tokenlab.libraries.transformers.tokenization import tokenizer_files
from tokenlab.libraries.transformers.tokenization.tokenizer_files import ADDED_TOKENS_FILE, TOKENIZER_FILE
from tokenlab.printing.errors import warn
from tokenlab.storage import files

if TYPE_CHECKING:
    from tokenlab.libraries.transformers.tokenization.backend_tokenizer import BackendTokenizer


def check_path(name: str, path: Any, content: str) -> str:
    """Return the path of an existing file; a TypeError for another value, a FileNotFoundError without such a file.

    >>> check_path("vocab_file", "nowhere.txt", "a vocabulary")
    Traceback (most recent call last):
    ...
    FileNotFoundError: vocab_file='nowhere.txt' does not exist; give the path of a vocabulary
    """
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"{name}={path!r:.60} should be the path of {content}")
    if not os.path.isfile(path):
        raise FileNotFoundError(f"{name}={str(path)!r} does not exist; give the path of {content}")
    return os.fspath(path)


def read_split_lines(path: Any) -> list[str]:
    r"""Return the parts between the line ends of a file: \n, \r\n or \r. The last is empty in a complete file.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     written = files.write_atomically(f"{folder}/vocab.txt", "the\r\nman\n")
    ...     read_split_lines(f"{folder}/vocab.txt")
    ['the', 'man', '']
    """
    return files.read_text(path).replace("\r\n", "\n").replace("\r", "\n").split("\n")


def read_token_lines(path: Any) -> list[str]:
    r"""Return the lines of a file, with a warning if the last has no line feed, so that the file may be truncated.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     written = files.write_atomically(f"{folder}/vocab.txt", "the\nman\n")
    ...     read_token_lines(f"{folder}/vocab.txt")
    ['the', 'man']
    """
    *lines, last = read_split_lines(path)
    if last:
        warn(f"{path} has no line feed after its last line, {last!r:.60}; it may be truncated")
        lines.append(last)
    return lines


def check_consecutive(path: Any, entries: str, ids: list[int]) -> None:
    """Warn if sorted ids have gaps: in the file that is written, entries after a gap have other ids.

    >>> check_consecutive("vocab.txt", "tokens", [0, 1, 2])
    """
    gap = next((expected for expected, id in enumerate(ids) if id != expected), None)
    if gap is not None:
        warn(f"the ids of {entries} have a gap: {gap} is missing; read from {path}, the later ids will be lower")


def save_vocabulary(self: Any, save_directory: str, filename_prefix: str | None = None) -> tuple[str, ...]:
    """Write the vocabulary files of a tokenizer into a folder, and return their paths: a method of most classes.

    Raises:
        FileNotFoundError: the folder does not exist. The library logs the error and returns None.

    >>> from tempfile import TemporaryDirectory
    >>> from tokenlab import data
    >>> from tokenlab.libraries import transformers
    >>> tokenizer = transformers.T5Tokenizer.from_pretrained(data.t5_tiny())
    >>> with TemporaryDirectory() as folder:
    ...     [os.path.basename(path) for path in tokenizer.save_vocabulary(folder)]
    ['spiece.model']
    """
    if not os.path.isdir(save_directory):
        raise FileNotFoundError(f"there is no folder {str(save_directory)!r} to write the vocabulary into")
    contents = self._vocabulary_files()
    tokenizer_files.write_files_atomically(save_directory, contents, filename_prefix)
    return tokenizer_files.paths(save_directory, filename_prefix, contents)


class FileMethods:
    """The methods for files."""

    vocab_files_names: ClassVar[Mapping[str, str]] = {}
    pretrained_vocab_files_map: ClassVar[Mapping[str, Mapping[str, str]]] = {}
    pretrained_init_configuration: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    max_model_input_sizes: ClassVar[Mapping[str, int | None]] = {}
    slow_tokenizer_class: Any = None
    _auto_class: ClassVar[str | None] = None

    # --- loading ------------------------------------------------------------------------------------

    @classmethod
    def from_pretrained(
        cls, pretrained_model_name_or_path: str | os.PathLike[str], *init_inputs: Any, **kwargs: Any
    ) -> Any:
        """Load a tokenizer from a folder in the library's format, from the hub, or from its only vocabulary file.

        Args:
            pretrained_model_name_or_path: the folder, the repository or the file.
            init_inputs: positional arguments of the class.
            kwargs: arguments of the class, which override the folder's; and download options (`cache_dir`,
                `revision`, ...).

        Raises:
            OSError: the folder, repository or vocabulary does not exist, or the hub cannot be reached.
            ValueError: a file is damaged, the ids of added tokens have gaps or contradict tokenizer.json, or a single
                file is given to a tokenizer that has several.
        """
        return tokenizer_files.load(cls, pretrained_model_name_or_path, init_inputs, kwargs)

    @classmethod
    def _from_pretrained(
        cls,
        resolved_vocab_files: dict[str, Any],
        pretrained_model_name_or_path: str,
        init_configuration: dict[str, Any],
        *init_inputs: Any,
        use_auth_token: Any = None,
        cache_dir: Any = None,
        local_files_only: bool = False,
        _commit_hash: str | None = None,
        **kwargs: Any,
    ) -> Any:
        where = pretrained_model_name_or_path
        return tokenizer_files.build(cls, resolved_vocab_files, where, init_configuration, init_inputs, kwargs)

    @staticmethod
    def _eventually_correct_t5_max_length(
        pretrained_model_name_or_path: str, max_model_length: int, init_max_model_length: int | None
    ) -> int | None:
        """Return the maximum length of one of the library's checkpoints; T5's tokenizers change it."""
        return max_model_length

    # --- saving -------------------------------------------------------------------------------------

    def save_pretrained(
        self,
        save_directory: str | os.PathLike[str],
        legacy_format: bool | None = None,
        filename_prefix: str | None = None,
        push_to_hub: bool = False,
        **kwargs: Any,
    ) -> tuple[str, ...]:
        """Write all files for `from_pretrained`, or none; return the paths in the library's order.

        If `_save_pretrained` or `save_vocabulary` is overridden, it is called after the configuration is written.

        Args:
            save_directory: the folder; it is created if necessary.
            legacy_format: of a fast tokenizer, True for the files of the slow one, False for tokenizer.json, None for
                both. A slow tokenizer has only its own files.
            filename_prefix: a prefix of all file names.
            push_to_hub: refused.
            kwargs: arguments of an upload; they have no effect.

        Raises:
            NotADirectoryError: the folder is a file; the library logs an error and writes nothing.
            ValueError: the tokenizer has no files in this format.
            NotImplementedError: an upload is requested.
        """
        if push_to_hub:
            self.push_to_hub(str(save_directory))
        if self._auto_class is not None:
            warn(f"{type(self).__name__} is saved without its code; import its module before it is loaded")
        return tokenizer_files.save(self, save_directory, legacy_format, filename_prefix)

    def _save_pretrained(
        self,
        save_directory: Any,
        file_names: tuple[str, ...],
        legacy_format: bool | None = None,
        filename_prefix: str | None = None,
    ) -> tuple[str, ...]:
        """Write the added tokens and the vocabulary, and return the paths of all files."""
        _check_slow_format(legacy_format)
        added = tokenizer_files.added_tokens_file(self)
        written = {name: content for name, content in added.items() if content is not None}
        if written:
            tokenizer_files.write_files_atomically(save_directory, written, filename_prefix)
        vocabulary = self.save_vocabulary(str(save_directory), filename_prefix=filename_prefix)
        return (*file_names, *vocabulary, *tokenizer_files.paths(save_directory, filename_prefix, added))

    def _tokenizer_files(self, legacy_format: bool | None) -> dict[str, bytes | None]:
        """Return the content of the tokenizer's own files by name, in the library's order.

        None for a file that is named in the result of `save_pretrained` but not written.
        """
        _check_slow_format(legacy_format)
        return {**self._vocabulary_files(), **tokenizer_files.added_tokens_file(self)}

    def save_vocabulary(self, save_directory: str, filename_prefix: str | None = None) -> tuple[str, ...]:
        """Write the vocabulary files into a folder, and return their paths."""
        raise NotImplementedError(f"{type(self).__name__} should have a save_vocabulary")

    def _vocabulary_files(self) -> dict[str, bytes]:
        """Return the content of the vocabulary files by name."""
        raise NotImplementedError(f"{type(self).__name__} should have a _vocabulary_files")

    # --- the hub, and Auto classes --------------------------------------------------------------------

    def push_to_hub(
        self,
        repo_id: str,
        use_temp_dir: bool | None = None,
        commit_message: str | None = None,
        private: bool | None = None,
        use_auth_token: bool | str | None = None,
        max_shard_size: int | str | None = "10GB",
        create_pr: bool = False,
        **deprecated_kwargs: Any,
    ) -> str:
        """Refuse an upload.

        Raises:
            NotImplementedError: always.
        """
        raise NotImplementedError(
            f"nothing is uploaded to {repo_id!r}: save the tokenizer with save_pretrained, and upload the folder with "
            "`hf upload`"
        )

    @classmethod
    def register_for_auto_class(cls, auto_class: str | type = "AutoTokenizer") -> None:
        """Mark this class as one for an Auto class. Its code is not saved with a tokenizer.

        Raises:
            ValueError: there is no such Auto class.
        """
        from tokenlab.libraries.transformers.models import auto

        name = auto_class if isinstance(auto_class, str) else auto_class.__name__
        if not hasattr(auto, name):
            raise ValueError(f"auto_class={name!r} is no Auto class; use 'AutoTokenizer'")
        cls._auto_class = name

    def _set_processor_class(self, processor_class: str) -> None:
        self._processor_class: str | None = processor_class


def _check_slow_format(legacy_format: bool | None) -> None:
    if legacy_format is False:
        raise ValueError("legacy_format=False needs a fast tokenizer; this one has only the files of a slow one")


class FastFileMethods(FileMethods):
    """The methods for files of a tokenizer with a pipeline."""

    _tokenizer: BackendTokenizer
    slow_tokenizer_class: Any = None
    can_save_slow_tokenizer: bool = True

    def _tokenizer_files(self, legacy_format: bool | None) -> dict[str, bytes | None]:
        """Return the content of the files of a slow tokenizer (True), of tokenizer.json (False), or of both (None)."""
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
        """Write the files of a slow tokenizer, tokenizer.json, or both (None), and return the paths of all files."""
        contents = self._tokenizer_files(legacy_format)
        vocabulary: tuple[str, ...] = ()
        if ADDED_TOKENS_FILE in contents:  # the files of a slow tokenizer
            vocabulary = self.save_vocabulary(str(save_directory), filename_prefix=filename_prefix)
        others = {name: contents[name] for name in (ADDED_TOKENS_FILE, TOKENIZER_FILE) if name in contents}
        written = {name: content for name, content in others.items() if content is not None}
        tokenizer_files.write_files_atomically(save_directory, written, filename_prefix)
        return (*file_names, *vocabulary, *tokenizer_files.paths(save_directory, filename_prefix, others))
