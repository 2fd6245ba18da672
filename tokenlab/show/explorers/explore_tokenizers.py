"""Explorers of tokenizers, their pipelines, their training on a typed text, and a comparison of seven families."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from tokenlab.algorithms.bpe.encode import Ranks
from tokenlab.algorithms.bpe.encode_priority_queue import encode_with_priority_queue
from tokenlab.algorithms.bpe.tie_break import POLICIES
from tokenlab.algorithms.bpe.train_indexed import train_indexed
from tokenlab.algorithms.decoding.incremental_utf8 import stream_text
from tokenlab.algorithms.pipeline.split_behavior import BEHAVIORS, split_text
from tokenlab.algorithms.text.count_words import count_words
from tokenlab.algorithms.text.granularity import tokenize_at_each_granularity
from tokenlab.algorithms.text.representation_levels import representation_levels
from tokenlab.algorithms.training_data.sample_lines import sample_lines
from tokenlab.algorithms.unigram.train_arrays import train_arrays
from tokenlab.algorithms.unigram.viterbi import viterbi
from tokenlab.algorithms.unigram.vocabulary import Vocabulary, unknown_log_probability
from tokenlab.algorithms.wordpiece import train_by_frequency as by_count
from tokenlab.algorithms.wordpiece.encode import encode_word
from tokenlab.show.explorers.explorer import (
    Explorer,
    check_characters,
    checkbox,
    choice,
    int_slider,
    text_area,
    text_box,
)
from tokenlab.steps.recording import Recording

if TYPE_CHECKING:
    from tokenlab.libraries.sentencepiece import SentencePieceProcessor
    from tokenlab.libraries.tensor2tensor.text_encoder import SubwordTextEncoder
    from tokenlab.libraries.tiktoken import Encoding

LONGEST_WORD = 200  # characters of a word whose lattice is drawn
LONGEST_COMPARED = 500  # characters of a text
BY_TOKENS, BY_BYTES = "as the encoding cuts it", "one byte a token"
LONGEST_LINKED = 500  # characters of a text whose stages are shown


def explore_segmentations(sentence: str, corpus: str, merges: int = 500) -> Explorer:
    """Explore a sentence as words, characters, and subwords learned from the corpus."""

    def record(sentence: str) -> Recording[Any, Any]:
        return tokenize_at_each_granularity.record(check_characters(sentence, name="sentence"), corpus, merges)

    return Explorer(record, opened=-1, sentence=text_box("sentence", sentence))


def explore_bpe_training(text: str, vocab_size: int = 60) -> Explorer:
    """Explore BPE training on a typed text for a vocabulary size and a tie-break."""
    box = text_area("text", text)
    size = int_slider("vocab_size", vocab_size, 1, _largest(text, vocab_size))

    def follow(change: Any) -> None:
        size.max = _largest(change["new"], size.value)

    # subtle: registered before the explorer's callback, so the slider's range fits the new text first.
    box.observe(follow, "value")
    ties = choice("tie_break", list(POLICIES))
    return Explorer(_bpe_training, text=box, vocab_size=size, tie_break=ties)


def _largest(text: str, vocab_size: int) -> int:
    """Return the slider's maximum: 200 merges more than the alphabet of the text, and at least 300."""
    return max(300, vocab_size, len(set(text)) + 200)


def explore_bpe_encoding(word: str, ranks: Ranks) -> Explorer:
    """Explore the BPE encoding of a word with these ranks."""
    record = encode_with_priority_queue.record
    return Explorer(lambda word: record(check_characters(word, name="word"), ranks), word=text_box("word", word))


def explore_text_levels(text: str, encoding: Any) -> Explorer:
    """Explore the characters, bytes, byte symbols and tokens of a text with an encoding of this kit or tiktoken."""

    def tokens_of(text: str) -> list[bytes]:
        tokens: list[bytes] = encoding.decode_tokens_bytes(encoding.encode_ordinary(text))
        return tokens

    record = representation_levels.record
    return Explorer(lambda text: record(check_characters(text), tokens_of), opened=-1, text=text_box("text", text))


def explore_tiktoken(text: str, encoding: Encoding) -> Explorer:
    """Explore how tiktoken encodes a text step by step; the text of a special token is encoded as ordinary text."""
    record = encoding.encode.record
    return Explorer(lambda text: record(check_characters(text), disallowed_special=()), text=text_box("text", text))


def explore_round_trip(text: str, processor: Any) -> Explorer:
    """Explore encoding and decoding with a SentencePiece processor of this kit or the library."""
    from tokenlab.libraries.sentencepiece.encode_steps import round_trip

    box = text_box("text", text)
    return Explorer(lambda text: round_trip.record(check_characters(text), processor), opened=-1, text=box)


def explore_sentencepiece(text: str, processor: SentencePieceProcessor) -> Explorer:
    """Explore how a SentencePiece model encodes a text, step by step."""
    box = text_box("text", text)
    return Explorer(lambda text: processor.encode.record(check_characters(text, LONGEST_WORD, "encode")), text=box)


def explore_sample_lines(lines: Iterable[str], budget: int = 300) -> Explorer:
    """Explore the lines of a file that are sampled for a byte budget."""
    file = list(lines)
    size = sum(len(line.encode("utf-8", "surrogatepass")) + 1 for line in file)
    slider = int_slider("budget", budget, 1, max(budget, size))
    return Explorer(lambda budget: sample_lines.record(file, size, budget), opened=1, budget=slider)


def explore_viterbi(word: str, vocabulary: Vocabulary[Any]) -> Explorer:
    """Explore the Viterbi algorithm on the lattice of a word."""
    box = text_box("word", word)
    unknown = unknown_log_probability(vocabulary)
    return Explorer(
        lambda word: viterbi.record(check_characters(word, LONGEST_WORD, "viterbi", "word"), vocabulary, unknown),
        word=box,
    )


def explore_wordpiece_training(text: str, vocab_size: int = 30) -> Explorer:
    """Explore WordPiece training on a typed text for a vocabulary size and a merge rule."""
    box = text_area("text", text)
    size = int_slider("vocab_size", vocab_size, 1, vocab_size + 200)

    def follow(_: object = None) -> None:
        try:
            least = len(by_count.FrequencyTrainingState(count_words(check_characters(box.value)), sys.maxsize).ids) + 1
        except ValueError:  # no word, or too long: the explorer reports the error
            return
        # subtle: the maximum first, because a slider rejects a minimum above its maximum.
        size.max = max(size.max, least)
        size.min, size.max = least, max(least + 200, size.value)

    follow()
    box.observe(follow, "value")
    rule = choice("merge by", ["score", "count, as tokenizers"])
    return Explorer(_wordpiece_training, text=box, vocab_size=size, rule=rule)


def explore_wordpiece_encoding(word: str, vocabulary: Collection[str]) -> Explorer:
    """Explore the WordPiece encoding of a word with this vocabulary."""
    box = text_box("word", word)
    return Explorer(lambda word: encode_word.record(check_characters(word, name="word"), vocabulary), word=box)


def explore_unigram_training(text: str, vocab_size: int = 60) -> Explorer:
    """Explore Unigram training on a typed text for a vocabulary size."""
    box = text_area("text", text)
    least, most = _alphabet(text), _largest(text, vocab_size)
    size = int_slider("vocab_size", max(vocab_size, least), least, most)

    def follow(change: Any) -> None:
        size.max = _largest(change["new"], size.value)
        size.min = _alphabet(change["new"])

    # subtle: registered before the explorer's callback, so the size is never below the alphabet of the text.
    box.observe(follow, "value")
    return Explorer(_unigram_training, text=box, vocab_size=size)


def _alphabet(text: str) -> int:
    """Return the smallest vocabulary size for a text: its number of distinct characters without whitespace."""
    return max(1, len(set("".join(text.split()))))


def explore_subword_text(text: str, encoder: SubwordTextEncoder) -> Explorer:
    """Explore how a SubwordTextEncoder encodes a text: tokens, escaped tokens, subtokens and ids."""
    box = text_box("text", text)
    return Explorer(lambda text: encoder.encode.record(check_characters(text, whole="encode")), opened=-1, text=box)


def _typed_counts(text: str, whole: str = "train_indexed") -> Mapping[Any, int]:
    counts = count_words(check_characters(text, whole=whole))
    if not counts:
        raise ValueError("text has no word yet; type a few words")
    return counts


def _unigram_training(text: str, vocab_size: int) -> Recording[Any, Any]:
    return train_arrays.record(_typed_counts(text, "train_arrays"), vocab_size)


def _bpe_training(text: str, vocab_size: int, tie_break: str) -> Recording[Any, Any]:
    return train_indexed.record(_typed_counts(text), vocab_size, tie_break)


def _wordpiece_training(text: str, vocab_size: int, rule: str) -> Recording[Any, Any]:
    from tokenlab.algorithms.wordpiece import train_indexed as by_score

    training = by_score.train_indexed if rule == "score" else by_count.train_by_frequency
    return training.record(_typed_counts(text), vocab_size)


def explore_pipeline(text: str, tokenizer: Any, pair: str | None = None) -> Explorer:
    """Explore the stages of a tokenizer on a text, or on a pair of texts; click a character or a token to link it."""

    def record(text: str, pair: str | None = None) -> Recording[Any, Any]:
        second = None if pair is None else check_characters(pair, LONGEST_LINKED, "encode", "pair")
        recording: Recording[Any, Any] = tokenizer.encode.record(
            check_characters(text, LONGEST_LINKED, "encode"), second
        )
        return recording

    controls = {"text": text_box("text", text)}
    if pair is not None:
        controls["pair"] = text_box("pair", pair)
    return Explorer(record, opened=-1, predict=False, **controls)


def explore_split(text: str, pattern: str, behavior: str = "merged_with_next") -> Explorer:
    """Explore how a text is split at the matches of a pattern, with each behaviour, and with `invert`."""

    def record(text: str, behavior: str, invert: bool) -> Recording[Any, Any]:
        return split_text.record(check_characters(text, LONGEST_LINKED, "split_text"), pattern, behavior, invert)

    box = text_box("text", text)
    chosen = choice("behavior", BEHAVIORS, value=behavior)
    invert = checkbox("invert", False)
    return Explorer(record, opened=-1, text=box, behavior=chosen, invert=invert)


def train_bert_tokenizer(texts: Iterable[str], vocab_size: int = 800) -> Any:
    """Return a BERT-style tokenizer with a WordPiece vocabulary of these texts, NFKC normalization, and `[MASK]`."""
    from tokenlab.libraries.tokenizers import (
        AddedToken,
        Tokenizer,
        models,
        normalizers,
        pre_tokenizers,
        processors,
        trainers,
    )

    special: list[Any] = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", AddedToken("[MASK]", lstrip=True)]
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.BertNormalizer()])
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(vocab_size=vocab_size, special_tokens=special, show_progress=False)
    tokenizer.train_from_iterator(texts, trainer)
    ids = [("[CLS]", tokenizer.token_to_id("[CLS]")), ("[SEP]", tokenizer.token_to_id("[SEP]"))]
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=ids
    )
    return tokenizer


def explore_streaming(text: str, encoding: Any) -> Explorer:
    """Explore the text that a streamer shows token by token; an incomplete character is held back."""

    def record(text: str, tokens: str) -> Recording[Any, Any]:
        ids = encoding.encode_ordinary(check_characters(text))
        parts = encoding.decode_tokens_bytes(ids)
        return stream_text.record([bytes([byte]) for byte in b"".join(parts)] if tokens == BY_BYTES else parts)

    return Explorer(record, text=text_box("text", text), tokens=choice("tokens", [BY_TOKENS, BY_BYTES]))


def explore_families(text: str, corpus: str, vocab_size: int = 1000) -> Explorer:
    """Explore the tokens of a text for each family; the player is opened at the last family.

    Args:
        text: the text, which may be changed in the box.
        corpus: the text from which the families learn; `read_corpus` reads your own file.
        vocab_size: the size of the vocabularies.
    """
    from tokenlab.laboratory.comparison.compare_families import compare_families

    def record(text: str, vocab_size: int) -> Recording[Any, Any]:
        checked = check_characters(text, LONGEST_COMPARED, "compare_families")
        return compare_families.record(checked, corpus, vocab_size)

    sizes = sorted({vocab_size, 500, 1000, 2000})
    return Explorer(
        record, opened=-1, text=text_area("text", text), vocab_size=choice("vocab_size", sizes, value=vocab_size)
    )
