"""Stand-ins for the files that the library's own tests download: the same formats, and the tokens and ids they assert.

The tests name tokens and ids of published vocabularies. A stand-in has these tokens at these ids, the merges that make
them, and fillers elsewhere, so that a test reads the file, encodes and compares as with the published one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

ROOT = Path(__file__).resolve().parents[3]
OUTSIDE = next((up / "shared" / "data" for up in ROOT.parents if (up / "shared" / "data").is_dir()), ROOT / "missing")

QUICK_FOX = {"The": 133, "Ġquick": 2119, "Ġbrown": 6219, "Ġfox": 23602, "Ġjumps": 13855, "Ġover": 81, "Ġthe": 5}
QUICK_FOX |= {"Ġlazy": 22414, "Ġdog": 2335, "ĠThe": 20}
BERT_IDS = {"[PAD]": 0, "[UNK]": 100, "[CLS]": 101, "[SEP]": 102, "[MASK]": 103}
BERT_IDS |= {"my": 2026, "name": 2171, "is": 2003, "john": 2198, "pair": 3940}
BERT_WORDS = [
    "i",
    "love",
    "hugging",
    "##face",
    "do",
    "you",
    "?",
    "georges",
    "hey",
    "there",
    "dear",
    "friend",
    "!",
    ",",
    ".",
]
GPT_IDS = {"<unk>": 0, "y</w>": 253, "name</w>": 1362, "is</w>": 544, "o": 7, "hn</w>": 12662, "pair</w>": 2688}
GPT_IDS |= {"my</w>": 547, "john</w>": 2476}
WIKI_IDS = {"[UNK]": 0, "[CLS]": 1, "[SEP]": 2, "[PAD]": 3, "[MASK]": 4, "!": 5, "'": 11, ",": 16, "?": 35, "y": 93}
WIKI_IDS |= {"Hello": 27253, "all": 5097, "How": 7961, "are": 5112, "you": 6218}
LLAMA_IDS = {
    "<unk>": 0,
    "<s>": 1,
    "</s>": 2,
    "▁▁▁▁▁▁": 539,
    "in": 262,
    "form": 689,
    "▁.": 869,
    "▁Hey": 18637,
    ".": 29889,
}
LLAMA_STREAM = [9125, 271, 38766, 1303, 33025, 2696, 25, 6790, 220, 2366, 18, 198, 15724, 1627, 10263, 19, 9514, 527]
LLAMA_STREAM += [264, 11190, 18328, 13, 882, 15339, 11, 1268, 499, 30, 78191, 128000, 128006, 128007, 128009]


def filled(ids: Mapping[str, int], more: Iterable[str] = (), size: int = 0) -> dict[str, int]:
    """Return a vocabulary without gaps: the given ids, further tokens at free ids, and fillers.

    >>> filled({"a": 2}, ["b"])
    {'b': 0, '[filler1]': 1, 'a': 2}
    """
    tokens = {id: token for token, id in ids.items()}
    rest = iter([token for token in dict.fromkeys(more) if token not in ids])
    vocab: dict[str, int] = {}
    for id in range(max(max(tokens, default=-1) + 1, size)):
        token = tokens.get(id)
        vocab[next(rest, f"[filler{id}]") if token is None else token] = id
    return vocab | {token: len(vocab) + place for place, token in enumerate(rest)}


def merges_of(words: Iterable[tuple[str, ...]]) -> tuple[list[tuple[str, str]], list[str]]:
    """Return the merges that build words from the left, and all symbols that occur."""
    merges: dict[tuple[str, str], None] = {}
    symbols: list[str] = []
    for word in words:
        made = word[0]
        symbols += word
        for symbol in word[1:]:
            merges[made, symbol] = None
            made += symbol
            symbols.append(made)
    return list(merges), symbols


def special(tokenizer: Tokenizer, tokens: Iterable[str]) -> Tokenizer:
    """Make tokens of the vocabulary special."""
    tokenizer.add_special_tokens(list(tokens))
    return tokenizer


def gpt2() -> Tokenizer:
    """GPT-2's own vocabulary."""
    tokenizer = Tokenizer(models.BPE(*models.BPE.read_file(str(OUTSIDE / "gpt2/vocab.json"), gpt2_merges())))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


def gpt2_merges() -> str:
    return str(OUTSIDE / "gpt2/merges.txt")


def roberta_vocab() -> dict[str, int]:
    """GPT-2's vocabulary, in which the asserted tokens change places with those at the asserted ids."""
    vocab: dict[str, int] = json.loads((OUTSIDE / "gpt2/vocab.json").read_text(encoding="utf-8"))
    by_id = {id: token for token, id in vocab.items()}
    for token, id in QUICK_FOX.items():
        other, old = by_id[id], vocab[token]
        vocab[token], vocab[other] = id, old
        by_id[id], by_id[old] = token, other
    return vocab


def bert(lowercase: bool, words: Iterable[str] = ()) -> Tokenizer:
    vocab = filled(BERT_IDS, [*BERT_WORDS, *words])
    tokenizer = special(Tokenizer(models.WordPiece(vocab, unk_token="[UNK]")), ["[UNK]", "[CLS]", "[SEP]"])
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=lowercase)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return tokenizer


def wiki_bert() -> Tokenizer:
    tokenizer = bert(True, ["welcome", "to", "the", "tok", "##eni", "##zer", "##s", "library"])
    special_tokens = [("[CLS]", BERT_IDS["[CLS]"]), ("[SEP]", BERT_IDS["[SEP]"])]
    tokenizer.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=special_tokens)
    return tokenizer


def openai() -> tuple[dict[str, int], list[tuple[str, str]]]:
    words = [("j", "o", "h", "n</w>"), ("h", "n</w>"), ("p", "a", "i", "r</w>"), ("n", "a", "m", "e</w>")]
    merges, symbols = merges_of([*words, ("i", "s</w>"), ("m", "y</w>")])
    return filled(GPT_IDS, symbols), merges


def wiki() -> Tokenizer:
    merges, symbols = merges_of(tuple(word) for word in ("Hello", "all", "How", "are", "you"))
    tokenizer = Tokenizer(models.BPE(filled(WIKI_IDS, symbols), merges, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    return special(tokenizer, ["[UNK]", "[CLS]", "[SEP]", "[PAD]", "[MASK]"])


def albert() -> Tokenizer:
    names = ["<pad>", "<unk>", "[CLS]", "[SEP]", "[MASK]"]
    tokenizer = Tokenizer(models.Unigram([*((name, 0.0) for name in names), ("▁a", -1.0), ("▁b", -2.0)], 1))
    quotes = [normalizers.Replace(quote, '"') for quote in ("``", "''")]
    forms = [normalizers.NFKD(), normalizers.StripAccents(), normalizers.Lowercase()]
    tokenizer.normalizer = normalizers.Sequence([*quotes, *forms, normalizers.Replace(Regex(" {2,}"), " ")])
    splits = [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()]
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(splits)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer.decoder = decoders.Metaspace()
    return special(tokenizer, names)


def t5() -> Tokenizer:
    pieces = ["▁Hey", "▁there", "▁dear", "▁friend", "!", "<", "end", "_", "of", "text", ">", "▁"]
    vocab = [("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), *((piece, -2.0) for piece in pieces)]
    tokenizer = Tokenizer(models.Unigram(vocab, 2))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()])
    return special(tokenizer, ["<pad>", "</s>", "<unk>"])


def llama_metaspace() -> Tokenizer:
    words = [
        ("▁", "."),
        ("▁", "▁"),
        ("▁▁", "▁▁"),
        ("▁▁▁▁", "▁▁"),
        tuple("form"),
        tuple("in"),
        ("▁", "in"),
        ("▁in", "form"),
    ]
    merges, symbols = merges_of([*words, tuple("▁Hey")])
    tokenizer = Tokenizer(models.BPE(filled(LLAMA_IDS, symbols, size=32000), merges, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first", split=False)
    tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 1)])
    return special(tokenizer, ["<unk>", "<s>", "</s>"])


def llama_stream() -> Tokenizer:
    vocab = {"I": 40, "'m": 2846} | {f"w{id}": id for id in LLAMA_STREAM}
    tokenizer = Tokenizer(models.WordLevel(vocab, unk_token="I"))
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


TOKENIZERS: dict[str, Callable[[], Tokenizer]] = {  # file name, or repository of a tokenizer.json
    "gpt2": gpt2,
    "hf-internal-testing+gpt-oss-20b": gpt2,
    "anthony+tokenizers-test@gpt-2": gpt2,
    "anthony+tokenizers-test": lambda: bert(True),
    "bert-base-cased": lambda: bert(False, ["Hey"]),
    "t5-base": t5,
    "hf-internal-testing+llama-new-metaspace": llama_metaspace,
    "hf-internal-testing+Llama-3.1-8B-Instruct": llama_stream,
    "albert-base-v1-tokenizer.json": albert,
    "tokenizer-wiki.json": wiki,
    "bert-wiki.json": wiki_bert,
}


def write_files(folder: Path) -> None:
    """Write all stand-ins that can be made: those from GPT-2's vocabulary and from long texts need the shared data."""
    folder.mkdir(parents=True, exist_ok=True)

    def write(name: str, content: Any) -> None:
        text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
        (folder / name).write_text(text, encoding="utf-8", newline="\n")

    def merges_text(merges: Iterable[tuple[str, str]]) -> str:
        return "#version: 0.2\n" + "".join(f"{left} {right}\n" for left, right in merges)

    outside = OUTSIDE.is_dir()
    for name, make in TOKENIZERS.items():
        if make is not gpt2 or outside:
            write(name, make().to_str())
    write("bert-base-uncased-vocab.txt", "".join(f"{token}\n" for token in filled(BERT_IDS, BERT_WORDS)))
    vocab, merges = openai()
    write("openai-gpt-vocab.json", vocab)
    write("openai-gpt-merges.txt", merges_text(merges))
    if outside:
        write("roberta-base-vocab.json", roberta_vocab())
        write("roberta-base-merges.txt", Path(gpt2_merges()).read_text(encoding="utf-8"))
        prose = (OUTSIDE / "text/botchan.txt").read_text(encoding="utf-8")
        write("big.txt", prose)
        write("small.txt", "\n".join(prose.splitlines()[:200]) + "\n")
