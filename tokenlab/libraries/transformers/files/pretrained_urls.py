"""The addresses of files in the hub's repositories: the values of the library's `PRETRAINED_..._MAP` constants."""

from __future__ import annotations

from collections.abc import Iterable, Mapping


def file_urls(repositories: Iterable[str], file: str) -> dict[str, str]:
    """Return the address of a file in each repository.

    >>> file_urls(["gpt2"], "vocab.json")
    {'gpt2': 'https://huggingface.co/gpt2/resolve/main/vocab.json'}
    """
    return {name: f"https://huggingface.co/{name}/resolve/main/{file}" for name in repositories}


def vocab_file_urls(repositories: Iterable[str], files: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """Return the addresses of all vocabulary files.

    Args:
        repositories: their names.
        files: the name of each file by its argument, as in `VOCAB_FILES_NAMES`.

    >>> vocab_file_urls(["t5-small"], {"vocab_file": "spiece.model"})
    {'vocab_file': {'t5-small': 'https://huggingface.co/t5-small/resolve/main/spiece.model'}}
    """
    names = list(repositories)
    return {argument: file_urls(names, file) for argument, file in files.items()}
