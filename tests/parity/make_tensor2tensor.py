"""Asks tensor2tensor's own code, and stores its answers in `tensor2tensor.json`, which the parity tests compare with.

.venv/bin/python tests/parity/make_tensor2tensor.py FOLDER      # with tensor2tensor 1.15.7 unpacked in it
"""

from __future__ import annotations

import hashlib
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parents[2]))

from tests.parity.original_tensor2tensor import original
from tests.strategies import SNIPPETS, SURROGATES
from tokenlab import data
from tokenlab.storage import files

STORED = Path(__file__).with_name("tensor2tensor.json")
OWN = ("a b", "a b ", " a", "a  b", "a\tb", "a_b", "\\u95;_\\", "नमस्ते", "1929年还是1989年?")
NASTY = [*SNIPPETS, *SURROGATES[:2], *OWN]
TEXTS = [*NASTY, "".join(SNIPPETS), " ".join(SNIPPETS)]
ESCAPES = ["\\u_", "\\\\_", "\\95;_", "\\9999999;_", "\\9_", "_", "", "a", "a__", "\\u\\u", "\\\\u", f"\\{'9' * 5000};"]
JOINED = (["a", "b"], ["a", " ", "b"], ["a", "?", "b"])
COUNTS: dict[str, dict[str, int]] = {
    "the": {"the": 10, "then": 2, "that": 3},
    "note": {"1929": 72, "deepens": 5, "competitiveness": 3, "hello": 2},
    "lines": {"two": 3, "\n": 2, "lines\n": 1, " ' ": 4, '"': 1},
    "reserved": {"<pad>": 9, "pad": 4, "<EOS>": 2, "a_b": 6},
    "nasty": {token: 1 + place % 4 for place, token in enumerate(dict.fromkeys(filter(None, NASTY)))},
}
OPTIONS: list[dict[str, Any]] = [
    {"min_count": 1},
    {"min_count": 2, "num_iterations": 1},
    {"min_count": 3, "max_subtoken_length": 3},
    {"min_count": 4, "reserved_tokens": ["<pad>", "<EOS>", "<x y>"]},
    {"min_count": 0, "reserved_tokens": [], "num_iterations": 2},
    {"min_count": 2, "max_subtoken_length": 1},
]
TARGETS: list[dict[str, Any]] = [
    {"target_size": 600},
    {"target_size": 1200, "max_subtoken_length": 6},
    {"target_size": 450, "reserved_tokens": ["<pad>", "<EOS>", "<s>"]},
]
TOO_SMALL = {"target_size": 300}  # for the Chinese corpus


def main(folder: str) -> None:
    """Ask everything, and write the answers, one a line."""
    library = original(folder)
    escape, unescape = library.text_encoder._escape_token, library.text_encoder._unescape_token
    alphabets = ("\\_u;0123456789abcde", "ab\n ", "")
    answers: dict[str, list[Any]] = {
        "tokens": [[text, library.tokenizer.encode(text)] for text in TEXTS],
        "joined": [[tokens, library.tokenizer.decode(tokens)] for tokens in JOINED],
        "escaped": [[text, signs, escape(text, set(signs))] for text in NASTY for signs in alphabets],
        "unescaped": [[text, unescape(text)] for text in ESCAPES],
        "built": [built(library, name, options) for options in OPTIONS for name in COUNTS],
        "sized": [sized(library, name, options) for options in TARGETS for name in ("english", "chinese")],
        "too small": [sized(library, "chinese", TOO_SMALL)],
        "loaded": [loaded(library, text) for text in ("'a_'\n'a'\n'_'\n' '\n", "a_\na\n_\n", "'a_'\r\n\"_\"\n'''\n")],
    }
    lines = (f"{json.dumps(kind)}: [\n{_lines(of_kind)}\n]" for kind, of_kind in answers.items())
    files.write_atomically(STORED, "{\n" + ",\n".join(lines) + "\n}\n")


def _lines(answers: list[Any]) -> str:
    return ",\n".join(json.dumps(answer) for answer in answers)


def built(library: Any, name: str, options: dict[str, Any]) -> dict[str, Any]:
    """What a small corpus becomes, and what its encoder answers."""
    encoder = library.text_encoder.SubwordTextEncoder()
    encoder.build_from_token_counts(COUNTS[name], **options)
    odd = [[*range(-2, encoder.vocab_size + 2, 3), 1, 0], [0, 5, 1, 0, 1]]
    return {
        "counts": name,
        "options": options,
        "subtokens": encoder.all_subtoken_strings,
        "ids": digest([encoder.encode(text) for text in NASTY]),
        "whole": digest([encoder.encode_without_tokenizing(text) for text in NASTY]),
        "odd": [[some, encoder.decode(some), encoder.decode(some, True), encoder.decode_list(some)] for some in odd],
        "files": [stored(encoder, quotes) for quotes in (True, False)],
    }


def stored(encoder: Any, quotes: bool) -> str | None:
    """The vocabulary file of an encoder; None where a lone surrogate leaves none."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "vocabulary"
        try:
            encoder.store_to_file(str(path), add_single_quotes=quotes)
        except UnicodeEncodeError:
            return None
        return path.read_bytes().decode()


def loaded(library: Any, text: str) -> dict[str, Any]:
    """What an encoder has that read a vocabulary file with this text."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "vocabulary"
        path.write_bytes(text.encode())
        encoder = library.text_encoder.SubwordTextEncoder(str(path))
    return {"text": text, "subtokens": encoder.all_subtoken_strings, "ids": encoder.encode("a a")}


def sized(library: Any, name: str, options: dict[str, Any]) -> dict[str, Any]:
    """What a kit's corpus becomes at a target size: the hashes of the vocabulary and of the text's ids."""
    lines = data.text(name).splitlines()
    encoder = library.text_encoder.SubwordTextEncoder.build_from_generator(iter(lines), **options)
    return {
        "text": name,
        "options": options,
        "size": encoder.vocab_size,
        "subtokens": digest(encoder.all_subtoken_strings),
        "ids": digest([encoder.encode(line) for line in lines]),
    }


def digest(value: Any) -> str:
    """A hash of a value as JSON writes it."""
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()


if __name__ == "__main__":
    main(sys.argv[1])
