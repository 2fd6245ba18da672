"""Read a tokenizer of any kind from a file or a folder; the content decides, not the name.

Adds: the choice of the library package, by the content of the file. No package is imported that the file does not need.
"""

from __future__ import annotations

import json
import re
from base64 import b64decode
from binascii import Error
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias, get_args

from tokenlab.printing.errors import warn
from tokenlab.why.explanation import Explainer

Kind: TypeAlias = Literal["tokenizer.json", "tiktoken", "sentencepiece", "wordpiece", "subwords"]
KINDS: tuple[Kind, ...] = get_args(Kind)

_RANK = re.compile(rb"([A-Za-z0-9+/]+={0,2}) \d+")
_BINARY = {b"PK\x03\x04": "a zip archive", b"\x1f\x8b": "a gzip archive", b"\x80": "a pickle"}
GPT2_FILES = (("merges.txt", "vocab.bpe"), ("vocab.json", "encoder.json"))
CONFIGURATIONS = ("tokenizer_config.json", "config.json")


@dataclass(frozen=True)
class Options:
    """How to read a file: its kind; the encoding or pattern of ranks; case and special tokens.

    Attributes:
        kind: the kind of the file, or None to find it.
        encoding: for tiktoken ranks, the name of an encoding of OpenAI's.
        pattern: for tiktoken ranks, the pattern that splits a text, or the name of its encoding.
        cased: for vocab.txt, whether case is kept; None: if the vocabulary has a token with an upper-case letter.
        ordinary: whether the text of a special token is ordinary text.
    """

    kind: Kind | None = None
    encoding: str | None = None
    pattern: str | None = None
    cased: bool | None = None
    ordinary: bool = False


def load(path: str | Path, options: Options | None = None) -> Explainer:
    """Return the tokenizer in a file or a folder.

    Raises:
        FileNotFoundError, PermissionError: it cannot be read.
        ValueError: it is no tokenizer, is damaged, or an option does not fit its kind.

    >>> from tokenlab import data
    >>> load(data.FOLDER / "english.subwords").summary
    'tensor2tensor subtokens, SubwordTextEncoder, 632 subtokens'
    """
    path, options = Path(path), options or Options()
    if not path.exists():
        raise FileNotFoundError(f"there is no file or folder {str(path)!r}; check the name, and the folder it is in")
    if path.is_dir():
        return _load_folder(path, options)
    try:
        kind = options.kind or kind_of(path.read_bytes())
    except ValueError as error:
        raise ValueError(f"{str(path)!r} {error}") from None
    _check_options(path, kind, options)
    return _load_file(path, kind, options)


def _check_options(path: Path, kind: str, options: Options) -> None:
    if kind != "tiktoken" and (options.encoding or options.pattern):
        raise ValueError(f"--encoding and --pattern are for tiktoken ranks, and {str(path)!r} is of the kind {kind}")
    if kind != "wordpiece" and options.cased is not None:
        warn(f"--cased and --uncased are for vocab.txt: {str(path)!r} is of the kind {kind}, and they have no effect")


def _load_file(path: Path, kind: Kind, options: Options) -> Explainer:
    match kind:
        case "tokenizer.json":
            from tokenlab.libraries.tokenizers import Tokenizer
            from tokenlab.why.pipeline import PipelineExplainer

            tokenizer = Tokenizer.from_file(str(path))
            if options.ordinary:
                tokenizer.encode_special_tokens = True
            return PipelineExplainer(tokenizer, "tokenizer.json")
        case "tiktoken":
            from tokenlab.libraries.tiktoken.registry import known_encoding, load_local_encoding
            from tokenlab.why.tiktoken_file import TiktokenExplainer

            encoding = load_local_encoding(path, options.encoding, options.pattern)
            is_named = options.encoding or options.pattern or known_encoding(path)
            return TiktokenExplainer(encoding, options.ordinary, is_guess=not is_named)
        case "sentencepiece":
            from tokenlab.libraries.sentencepiece import SentencePieceProcessor
            from tokenlab.why.sentencepiece_file import SentencePieceExplainer

            return SentencePieceExplainer(SentencePieceProcessor(model_file=str(path)))
        case "wordpiece":
            return _load_vocab(path, options)
        case "subwords":
            from tokenlab.libraries.tensor2tensor.text_encoder import SubwordTextEncoder
            from tokenlab.why.subword_file import SubwordExplainer

            return SubwordExplainer(SubwordTextEncoder(path))


def _load_vocab(path: Path, options: Options) -> Explainer:
    """Return BERT's pipeline for a vocab.txt; without [CLS] and [SEP] in it, nothing is inserted."""
    from tokenlab.libraries.tokenizers import Tokenizer
    from tokenlab.libraries.tokenizers.implementations.bpe_and_wordpiece import BertWordPieceTokenizer
    from tokenlab.libraries.tokenizers.models import WordPiece
    from tokenlab.libraries.tokenizers.normalizers import BertNormalizer
    from tokenlab.libraries.tokenizers.pre_tokenizers import BertPreTokenizer
    from tokenlab.why.pipeline import PipelineExplainer

    vocab = WordPiece.read_file(str(path))
    cased = options.cased
    if cased is None:
        cased = any(token != token.lower() for token in vocab if not (token.startswith("[") and token.endswith("]")))
        keeps, has = ("keeps", "a") if cased else ("does not keep", "no")
        warn(
            f"that {path.name!r} {keeps} case and accents is a guess, because {has} token has an upper-case letter; "
            "give --cased or --uncased"
        )
    if {"[CLS]", "[SEP]"} <= vocab.keys():
        tokenizer = BertWordPieceTokenizer(vocab, lowercase=not cased)._tokenizer
    else:
        warn(f"{path.name!r} does not contain both [CLS] and [SEP], so that no special token is inserted")
        tokenizer = Tokenizer(WordPiece(vocab))
        tokenizer.normalizer = BertNormalizer(lowercase=not cased)
        tokenizer.pre_tokenizer = BertPreTokenizer()
    if options.ordinary:
        tokenizer.encode_special_tokens = True
    return PipelineExplainer(tokenizer, f"BERT's vocab.txt ({'cased' if cased else 'uncased'})")


def _load_folder(folder: Path, options: Options) -> Explainer:
    """Return the tokenizer of a folder: what the Auto classes choose, or the only tokenizer file in it."""
    if any((folder / name).is_file() for name in CONFIGURATIONS):
        from tokenlab.libraries.transformers import AutoTokenizer
        from tokenlab.why.pipeline import PipelineExplainer

        try:
            chosen = AutoTokenizer.from_pretrained(str(folder))
        except (OSError, ValueError, KeyError) as error:
            if not (folder / "tokenizer.json").is_file():
                raise
            warn(f"AutoTokenizer does not read {str(folder)!r} ({error}); its tokenizer.json alone is read instead")
        else:
            if chosen.is_fast:
                _check_options(folder, "folder of transformers", options)
                backend = chosen.backend_tokenizer
                if options.ordinary:
                    backend.encode_special_tokens = True
                return PipelineExplainer(backend, f"folder, {type(chosen).__name__}")
            warn(
                f"AutoTokenizer reads {str(folder)!r} as a {type(chosen).__name__}, which has no steps to show; one of "
                "its files alone is read instead, and the ids may differ"
            )
    if (folder / "tokenizer.json").is_file():
        return load(folder / "tokenizer.json", options)
    if all(any((folder / name).is_file() for name in names) for names in GPT2_FILES):
        return _load_file(folder, "tiktoken", options)
    found = []
    for file in sorted(folder.iterdir()):
        if file.suffix in (".model", ".tiktoken", ".json", ".txt", ".subwords"):
            try:
                found.append((file, kind_of(file.read_bytes())))
            except (OSError, ValueError):
                continue
    if len(found) == 1:
        warn(f"{found[0][0].name!r} is the only tokenizer file of {str(folder)!r}, and is read alone")
        return load(found[0][0], options)
    names = ", ".join(file.name for file, _ in found)
    raise ValueError(
        f"{str(folder)!r} contains several tokenizer files ({names}); give one of them"
        if found
        else f"{str(folder)!r} contains no tokenizer; give a folder of transformers, or the tokenizer's file"
    )


def kind_of(content: bytes) -> Kind:
    """Return the kind of a file with this content.

    Raises:
        ValueError: it is no tokenizer; the message is the part of a sentence after the name of the file.

    >>> kind_of(b"[UNK]\\nhug\\n##s\\n"), kind_of(b"YQ== 0\\nYg== 1\\n"), kind_of(b"'<pad>_'\\n'the_'\\n")
    ('wordpiece', 'tiktoken', 'subwords')
    >>> kind_of(b'{"the": 0}')
    Traceback (most recent call last):
    ...
    ValueError: is a vocab.json without its merges; give the folder that contains it and merges.txt
    """
    start = content.removeprefix(b"\xef\xbb\xbf").lstrip()
    if not start:
        raise ValueError("is empty")
    if start.startswith((b"{", b"[{", b'["')):
        return _kind_of_json(content, start)
    if _is_model(content):
        return "sentencepiece"
    for magic, name in _BINARY.items():
        if content.startswith(magic):
            raise ValueError(f"is {name}; give the tokenizer's own file or folder")
    try:
        lines = content.decode().splitlines()
    except UnicodeDecodeError:
        raise ValueError(
            "is a binary file, but not a sentencepiece model; it may be damaged, or not a tokenizer"
        ) from None
    return _kind_of_text(lines)


def _kind_of_json(content: bytes, start: bytes) -> Kind:
    if start.startswith(b"{") and b'"model"' in content and b'"vocab"' in content:
        return "tokenizer.json"
    try:
        fields = json.loads(start)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"is JSON that cannot be read ({error}); it may be truncated: copy it again") from None
    if isinstance(fields, dict):
        if "tokenlab" in fields:
            raise ValueError("is a recording; give the tokenizer that was recorded")
        if {"tokenizer_class", "model_type", "architectures"} & fields.keys():
            raise ValueError("is the configuration of a tokenizer or model; give the folder that contains it")
        if fields and all(isinstance(id, int) for id in fields.values()):
            raise ValueError("is a vocab.json without its merges; give the folder that contains it and merges.txt")
    raise ValueError('is JSON, but not a tokenizer.json, which has a "model" with a "vocab"')


def _is_model(content: bytes) -> bool:
    """Return True if the content begins like a ModelProto: its first field is a piece, which begins with its text."""
    # subtle: protobuf's tag of field 1 with a length is 0x0a, a line feed; two of them in this order are no text.
    if len(content) < 5 or content[0] != 0x0A:
        return False
    place, length = 1, 0
    for shift in (0, 7, 14):
        length |= (content[place] & 0x7F) << shift
        place += 1
        if not content[place - 1] & 0x80:
            break
    return content[place : place + 1] == b"\n" and length >= 2 and content[place + 1] <= length - 2


def _kind_of_text(lines: list[str]) -> Kind:
    if lines[0].startswith("#version"):
        raise ValueError("is a merges.txt without its vocabulary; give the folder that contains it and vocab.json")
    first = lines[0].encode()
    if (found := _RANK.fullmatch(first)) and _is_base64(found[1]):
        return "tiktoken"
    if len(first) > 1 and first[:1] == first[-1:] and first[:1] in (b"'", b'"'):
        return "subwords"
    if any(re.fullmatch(r"##\S+|\[UNK\]", line) for line in lines):  # a heading in Markdown has a space
        return "wordpiece"
    if "<EOS>_" in lines or (lines.count("_") == 1 and sum(line.endswith("_") for line in lines) * 10 > len(lines)):
        return "subwords"
    if all(re.fullmatch(r"[^\t]+\t-?[\d.e-]+", line) for line in lines[:50]):
        raise ValueError("lists the pieces of a sentencepiece model as text; give the .model file next to it")
    raise ValueError(
        "is text, but none of: tokenizer.json, tiktoken ranks, BERT's vocab.txt, tensor2tensor subtokens; "
        f"if it is one of them, give --kind {', '.join(KINDS)}"
    )


def _is_base64(text: bytes) -> bool:
    try:
        return bool(b64decode(text, validate=True))
    except Error:
        return False
