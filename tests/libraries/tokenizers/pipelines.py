"""Pipelines of all kinds, built with the library; tokenlab reads their tokenizer.json."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

from tests.strategies import SNIPPETS

DATA = Path(__file__).parents[3] / "data"
SPECIAL = ["[UNK]", "[CLS]", "[SEP]", "[PAD]", "[MASK]"]
GPT4_PATTERN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
PIPELINES: dict[str, Callable[[], Tokenizer]] = {}


def pipeline(build: Callable[[], Tokenizer]) -> Callable[[], Tokenizer]:
    PIPELINES[build.__name__] = build
    return build


def corpus() -> list[str]:
    lines = (DATA / "mixed.txt").read_text(encoding="utf-8")[:30_000].splitlines(keepends=True)
    return [*lines, *SNIPPETS, *(f"{one} {two}" for one in SNIPPETS for two in SNIPPETS[::7])]


def byte_level(add_prefix_space: bool = False, **template: Any) -> Tokenizer:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=add_prefix_space)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=700, show_progress=False, initial_alphabet=alphabet, special_tokens=["<|endoftext|>"]
    )
    tokenizer.train_from_iterator(corpus(), trainer)
    return tokenizer


def bert_template(tokenizer: Tokenizer) -> processors.TemplateProcessing:
    return processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[(token, tokenizer.token_to_id(token)) for token in ("[CLS]", "[SEP]")],
    )


def bert(**options: Any) -> Tokenizer:
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(**options)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    tokenizer.train_from_iterator(
        corpus(), trainers.WordPieceTrainer(vocab_size=500, show_progress=False, special_tokens=SPECIAL)
    )
    tokenizer.post_processor = bert_template(tokenizer)
    return tokenizer


def unigram(byte_fallback: bool = False) -> models.Unigram:
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    trainer = trainers.UnigramTrainer(
        vocab_size=400, show_progress=False, special_tokens=["<unk>", "</s>"], unk_token="<unk>"
    )
    tokenizer.train_from_iterator(corpus(), trainer)
    if not byte_fallback:
        return tokenizer.model
    pieces = sorted(tokenizer.get_vocab(), key=tokenizer.token_to_id)
    scored = [(piece, -float(place) / 50) for place, piece in enumerate(pieces)]
    scored += [(f"<0x{byte:02X}>", -20.0) for byte in range(256)]
    return models.Unigram(scored, 0, byte_fallback=True)


def llama(pre_tokenizer: pre_tokenizers.PreTokenizer | None, normalizer: normalizers.Normalizer | None) -> Tokenizer:
    alphabet = sorted(set("".join(corpus()[:60])) - set("\n\t"))[:90]
    pieces = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256)), "▁", *alphabet]
    merges = [("▁", "t"), ("h", "e"), ("▁t", "he"), ("i", "n"), ("▁", "▁"), ("▁▁", "▁▁"), ("o", "n"), ("▁", "a")]
    vocab = {piece: place for place, piece in enumerate(dict.fromkeys([*pieces, *map("".join, merges)]))}
    merges = [pair for pair in merges if all(part in vocab for part in pair)]
    tokenizer = Tokenizer(models.BPE(vocab, merges, unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = pre_tokenizer
    tokenizer.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A", pair="<s> $A <s>:1 $B:1", special_tokens=[("<s>", 1)]
    )
    tokenizer.add_special_tokens(["<s>", "</s>"])
    return tokenizer


def word_level(
    pre_tokenizer: pre_tokenizers.PreTokenizer, normalizer: normalizers.Normalizer | None = None
) -> Tokenizer:
    tokenizer = Tokenizer(models.WordLevel(unk_token="[UNK]"))
    tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = pre_tokenizer
    tokenizer.train_from_iterator(
        corpus(), trainers.WordLevelTrainer(vocab_size=500, show_progress=False, special_tokens=SPECIAL)
    )
    return tokenizer


# --- byte-level BPE -------------------------------------------------------------------------------


@pipeline
def gpt2() -> Tokenizer:
    tokenizer = byte_level()
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    return tokenizer


@pipeline
def gpt2_trimmed() -> Tokenizer:
    tokenizer = byte_level()
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=True)
    return tokenizer


@pipeline
def gpt2_prefix_space() -> Tokenizer:
    tokenizer = byte_level(add_prefix_space=True)
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=True)
    return tokenizer


@pipeline
def roberta() -> Tokenizer:
    tokenizer = byte_level(add_prefix_space=True)
    tokenizer.add_special_tokens(["<s>", "</s>", "<pad>", AddedToken("<mask>", lstrip=True)])
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", tokenizer.token_to_id("</s>")), ("<s>", 701))
    return tokenizer


@pipeline
def gpt4_split() -> Tokenizer:
    tokenizer = byte_level()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Split(Regex(GPT4_PATTERN), "isolated"), pre_tokenizers.ByteLevel(False, use_regex=False)]
    )
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    return tokenizer


@pipeline
def gpt4_removed() -> Tokenizer:
    tokenizer = gpt4_split()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(GPT4_PATTERN), "removed", invert=True),
            pre_tokenizers.ByteLevel(False, use_regex=False),
        ]
    )
    return tokenizer


@pipeline
def byte_level_nfc() -> Tokenizer:
    tokenizer = byte_level()
    tokenizer.normalizer = normalizers.NFC()
    return tokenizer


@pipeline
def byte_level_normalizer() -> Tokenizer:
    tokenizer = byte_level()
    tokenizer.normalizer = normalizers.ByteLevel()
    tokenizer.pre_tokenizer = None
    tokenizer.add_tokens(["café", "日本", AddedToken("x²", normalized=False)])
    return tokenizer


@pipeline
def ignore_merges() -> Tokenizer:
    tokenizer = byte_level()
    tokenizer.model.ignore_merges = True
    return tokenizer


# --- BERT -----------------------------------------------------------------------------------------


@pipeline
def bert_uncased() -> Tokenizer:
    return bert(lowercase=True)


@pipeline
def bert_cased() -> Tokenizer:
    return bert(lowercase=False)


@pipeline
def bert_accents() -> Tokenizer:
    return bert(lowercase=True, strip_accents=False, clean_text=False, handle_chinese_chars=False)


@pipeline
def bert_processing() -> Tokenizer:
    tokenizer = bert(lowercase=True)
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 2), ("[CLS]", 1))
    return tokenizer


@pipeline
def bert_truncated() -> Tokenizer:
    tokenizer = bert(lowercase=True)
    tokenizer.enable_truncation(12, stride=3)
    return tokenizer


@pipeline
def bert_truncated_left() -> Tokenizer:
    tokenizer = bert(lowercase=True)
    tokenizer.enable_truncation(10, stride=2, direction="left")
    tokenizer.enable_padding(length=16, direction="left", pad_id=3, pad_type_id=1)
    return tokenizer


@pipeline
def bert_only_first() -> Tokenizer:
    tokenizer = bert(lowercase=True)
    tokenizer.enable_truncation(14, strategy="only_first")
    tokenizer.enable_padding(pad_to_multiple_of=8)
    return tokenizer


@pipeline
def bert_only_second() -> Tokenizer:
    tokenizer = bert(lowercase=False)
    tokenizer.enable_truncation(14, strategy="only_second")
    return tokenizer


@pipeline
def bert_padded() -> Tokenizer:
    tokenizer = bert(lowercase=True)
    tokenizer.enable_padding(direction="left", pad_to_multiple_of=5, pad_token="[PAD]", pad_id=3)
    return tokenizer


# --- Unigram and Metaspace ------------------------------------------------------------------------


@pipeline
def t5() -> Tokenizer:
    tokenizer = Tokenizer(unigram())
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Replace(Regex(" {2,}"), " ")])
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()])
    tokenizer.decoder = decoders.Metaspace()
    tokenizer.add_special_tokens(["</s>", "<extra_id_0>", "<extra_id_1>"])
    tokenizer.post_processor = processors.TemplateProcessing(
        single="$A </s>", pair="$A </s> $B </s>", special_tokens=[("</s>", 1)]
    )
    return tokenizer


@pipeline
def unigram_first() -> Tokenizer:
    tokenizer = Tokenizer(unigram())
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first")
    tokenizer.add_special_tokens(["<extra_id_0>"])
    return tokenizer


@pipeline
def unigram_first_stripped() -> Tokenizer:
    tokenizer = Tokenizer(unigram())
    tokenizer.normalizer = normalizers.Sequence([normalizers.Strip(), normalizers.NFKD(), normalizers.StripAccents()])
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first", split=True)
    tokenizer.add_tokens(["don't", "x2"])
    return tokenizer


@pipeline
def unigram_never() -> Tokenizer:
    tokenizer = Tokenizer(unigram(byte_fallback=True))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="never", split=False)
    return tokenizer


@pipeline
def llama_old() -> Tokenizer:
    return llama(None, normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]))


@pipeline
def llama_new() -> Tokenizer:
    return llama(pre_tokenizers.Metaspace(prepend_scheme="first", split=False), None)


# --- WordLevel and other pre-tokenizers -----------------------------------------------------------


@pipeline
def whitespace() -> Tokenizer:
    return word_level(pre_tokenizers.Whitespace())


@pipeline
def punctuation_and_digits() -> Tokenizer:
    return word_level(
        pre_tokenizers.Sequence(
            [
                pre_tokenizers.WhitespaceSplit(),
                pre_tokenizers.Punctuation("merged_with_previous"),
                pre_tokenizers.Digits(True),
            ]
        ),
        normalizers.Lowercase(),
    )


@pipeline
def scripts() -> Tokenizer:
    return word_level(pre_tokenizers.Sequence([pre_tokenizers.UnicodeScripts(), pre_tokenizers.FixedLength(3)]))


@pipeline
def delimiter() -> Tokenizer:
    return word_level(pre_tokenizers.CharDelimiterSplit(" "), normalizers.Nmt())


@pipeline
def split_next() -> Tokenizer:
    return word_level(pre_tokenizers.Split(Regex(r"\W"), "merged_with_next"), normalizers.NFD())


@pipeline
def split_previous() -> Tokenizer:
    return word_level(pre_tokenizers.Split("a", "merged_with_previous", invert=True), normalizers.NFKC())


@pipeline
def split_contiguous() -> Tokenizer:
    return word_level(
        pre_tokenizers.Split(Regex(r"[\s\d]"), "contiguous"),
        normalizers.Sequence([normalizers.Replace("é", "ee"), normalizers.Strip(left=True, right=False)]),
    )


@pipeline
def char_bpe() -> Tokenizer:
    tokenizer = Tokenizer(models.BPE(unk_token="[UNK]", end_of_word_suffix="</w>"))
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Lowercase()])
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.BPEDecoder()
    trainer = trainers.BpeTrainer(
        vocab_size=400, show_progress=False, special_tokens=SPECIAL, end_of_word_suffix="</w>", limit_alphabet=60
    )
    tokenizer.train_from_iterator(corpus(), trainer)
    return tokenizer


# --- added tokens ---------------------------------------------------------------------------------


def with_added(tokenizer: Tokenizer) -> Tokenizer:
    tokenizer.add_tokens(
        [
            "don't",
            AddedToken("café", single_word=True),
            AddedToken("ab", single_word=True, normalized=False),
            AddedToken("o'clock", lstrip=True),
            AddedToken("IT", rstrip=True),
            AddedToken("日本", lstrip=True, rstrip=True),
            AddedToken("日", normalized=False),
            AddedToken("aa", normalized=False),
            AddedToken("aaa", normalized=False, rstrip=True),
            AddedToken("👍", normalized=False, single_word=True, lstrip=True),
        ]
    )
    tokenizer.add_special_tokens(
        ["<b>", "<|endoftext|>", AddedToken("[MASK]", lstrip=True, rstrip=True), AddedToken("&", normalized=True)]
    )
    return tokenizer


@pipeline
def added_to_bert() -> Tokenizer:
    return with_added(bert(lowercase=True))


@pipeline
def added_to_gpt2() -> Tokenizer:
    return with_added(gpt2())


@pipeline
def added_to_unigram() -> Tokenizer:
    return with_added(unigram_first())


@pipeline
def added_to_llama() -> Tokenizer:
    return with_added(llama_old())


@pipeline
def added_to_words() -> Tokenizer:
    return with_added(
        word_level(pre_tokenizers.Whitespace(), normalizers.Sequence([normalizers.NFKD(), normalizers.Lowercase()]))
    )


@pipeline
def special_as_text() -> Tokenizer:
    tokenizer = with_added(bert(lowercase=True))
    tokenizer.encode_special_tokens = True  # not in tokenizer.json: `pair_of` sets it
    return tokenizer


@pipeline
def added_truncated() -> Tokenizer:
    tokenizer = with_added(gpt2_trimmed())
    tokenizer.enable_truncation(9, stride=3)
    tokenizer.enable_padding(length=12)
    return tokenizer
