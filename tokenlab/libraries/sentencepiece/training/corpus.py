"""The training corpus: normalized sentences, and the characters that the vocabulary must have.

Source: google/sentencepiece, src/trainer_interface.cc, LoadSentences.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from random import Random
from typing import Any, TypeAlias

from tokenlab.algorithms.corpus.corpus_files import CorpusFiles, count_lines
from tokenlab.libraries.sentencepiece.model_proto import TYPES, longest_first_pattern, parse_message, to_bytes
from tokenlab.libraries.sentencepiece.normalization.text_normalizer import Normalizer
from tokenlab.libraries.sentencepiece.segmentation.unigram_model import Float32
from tokenlab.libraries.sentencepiece.segmentation.word_and_char_models import split_words
from tokenlab.libraries.sentencepiece.training.meta_pieces import Meta
from tokenlab.libraries.sentencepiece.training.trainer_flags import TrainingSpecs
from tokenlab.libraries.sentencepiece.training.valid_pieces import UNKNOWN_CHARACTER

Pretokenizer: TypeAlias = Callable[[str], list[str]]
PRETOKENIZATION_DELIMITER = "\x1f"  # replaces a symbol that was cut out, so that no piece crosses it


class Corpus:
    """Sentences with their counts, and the characters of the vocabulary with theirs."""

    def __init__(
        self,
        specs: TrainingSpecs,
        meta: Meta,
        sentences: Iterable[Any] | None,
        pretokenizer: Pretokenizer | None = None,
        allow_inconsistent: bool = False,
        executor: Any = None,
    ) -> None:
        """Read and normalize all sentences.

        Args:
            specs: the specs of training.
            meta: the pieces that are cut out of the sentences.
            sentences: the sentences, if they do not come from files. Those of `CorpusFiles` are normalized and counted
                by its executor, unless a sample is taken.
            pretokenizer: splits a sentence into parts that no piece may cross.
            allow_inconsistent: whether the parts, joined, may differ from the sentence.
            executor: normalizes and counts the sentences of files, unless a sample is taken.

        Raises:
            RuntimeError: there is no sentence, or the characters do not fit into the vocabulary.
            ValueError: a sentence is neither str nor bytes, or the pretokenizer changes one.
        """
        self.spec = specs.trainer
        count = _SentenceCounter(specs, meta, pretokenizer, allow_inconsistent)
        if isinstance(sentences, CorpusFiles) and not self.spec.input and not self.spec.input_sentence_size:
            counts = sentences.counted(count)
        elif executor is not None and sentences is None and self.spec.input and not self.spec.input_sentence_size:
            counts = _counted_files(self.spec.input, count, executor)
        else:
            counts = count.of_sentences(_read(self.spec, sentences))
        if not counts:
            raise RuntimeError(
                "there is no sentence to learn from; give input= (files) or sentence_iterator= with text"
            )
        self.characters = _characters(counts, self.spec)
        self._check_size(len(meta))
        uncovered = re.compile(f"[^{re.escape(''.join(self.characters))}]")
        self.sentences = [(uncovered.sub(UNKNOWN_CHARACTER, sentence), count) for sentence, count in counts.items()]

    def _check_size(self, others: int) -> None:
        wanted = len(self.characters) + others
        if self.spec.model_type in (TYPES["unigram"], TYPES["bpe"]) and wanted > self.spec.vocab_size:
            raise RuntimeError(
                f"vocab_size={self.spec.vocab_size} is too small: your corpus has {len(self.characters)} characters, "
                f"and {others} pieces are given; ask for at least {wanted}, or lower character_coverage"
            )

    def words(self) -> Counter[str]:
        """Return the count of each word, or of each sentence if pieces may cross words."""
        words: Counter[str] = Counter()
        for sentence, count in self.sentences:
            found = [sentence]
            if self.spec.split_by_whitespace or self.spec.model_type == TYPES["word"]:
                found = self._split(sentence)
            for word in found:
                words[word] += count
        return words

    def _split(self, sentence: str) -> list[str]:
        if self.spec.model_type == TYPES["word"]:
            return split_words(sentence)
        return split_words(sentence, self.spec.treat_whitespace_as_suffix, self.spec.allow_whitespace_only_pieces)

    def segments(self, whole: bool = False) -> dict[str, int]:
        """Return the count of each segment of a word (or sentence) between characters that are in no piece."""
        segments: Counter[str] = Counter()
        for text, count in self.sentences if whole else self.words().items():
            for segment in text.split(UNKNOWN_CHARACTER):
                if segment:
                    segments[segment] += count
        return dict(segments)


class _SentenceCounter:
    """Counts normalized sentences; other processes get it with its specs as bytes."""

    def __init__(
        self, specs: TrainingSpecs, meta: Meta, pretokenizer: Pretokenizer | None, allow_inconsistent: bool
    ) -> None:
        self.specs, self.meta = specs, meta
        self.splitting = (pretokenizer, allow_inconsistent)
        self.normalizer = Normalizer(specs.normalizer, specs.trainer.treat_whitespace_as_suffix)
        self.symbols = longest_first_pattern(piece for piece, _ in meta.values())
        self.pretokenize = _pretokenize_function(specs.trainer, pretokenizer, allow_inconsistent)

    def __reduce__(self) -> tuple[Any, ...]:
        return _sentence_counter, ([spec.SerializeToString() for spec in self.specs], self.meta, *self.splitting)

    def __call__(self, texts: Iterable[str]) -> Counter[str]:
        """Return the counts of the given texts."""
        return self.of_sentences(_given(texts))

    def of_sentences(self, sentences: Iterator[str]) -> Counter[str]:
        """Return the counts of sentences without line ends."""
        counts: Counter[str] = Counter()
        spec = self.specs.trainer
        for sentence, count in _selected(_counted(sentences, spec), spec):
            normalized = self.normalizer.normalize(sentence)
            if self.symbols:
                normalized = self.symbols.sub(PRETOKENIZATION_DELIMITER, normalized)
            counts[self.pretokenize(normalized)] += count
        return counts


class _LineCounter:
    """Counts the lines of files, which end with their line feed, as sentences."""

    def __init__(self, count: _SentenceCounter) -> None:
        self.count = count

    def __call__(self, lines: Iterable[str]) -> Counter[str]:
        """Return the counts of the given lines."""
        return self.count.of_sentences(line.removesuffix("\n") for line in lines)


def _counted_files(names: Iterable[str], count: _SentenceCounter, executor: Any) -> Counter[str]:
    try:
        return count_lines(_LineCounter(count), names, executor, errors="surrogateescape")
    except OSError as error:
        raise RuntimeError(f"the files of input= cannot be read: {error}") from error


def _sentence_counter(specs: list[bytes], *others: Any) -> _SentenceCounter:
    names = ("TrainerSpec", "NormalizerSpec", "NormalizerSpec")
    return _SentenceCounter(TrainingSpecs(*map(parse_message, names, specs)), *others)


def _read(spec: Any, sentences: Iterable[Any] | None) -> Iterator[str]:
    if (sentences is None) == (not spec.input):
        both = "both input= and sentence_iterator= are given" if spec.input else "no sentences are given"
        raise RuntimeError(f"{both}; give one of them: names of files, or an iterator over texts")
    if sentences is None:
        for name in spec.input:
            yield from _lines(name)
    else:
        yield from _given(sentences)


def _given(sentences: Iterable[Any]) -> Iterator[str]:
    for sentence in sentences:
        if not isinstance(sentence, str | bytes):
            raise ValueError(f"sentence_iterator gave {sentence!r:.60}; it should give str or bytes")
        text = sentence if isinstance(sentence, str) else sentence.decode("utf-8", "surrogateescape")
        yield text.rstrip("\r\n")


def _lines(name: str) -> Iterator[str]:
    try:
        with open(name, "rb") as file:
            for line in file:
                yield line.removesuffix(b"\n").decode("utf-8", "surrogateescape")
    except OSError as error:
        raise RuntimeError(f"{name!r} cannot be read: {error.strerror}; check the name and the folder") from None


def _counted(sentences: Iterable[str], spec: Any) -> Iterator[tuple[str, int]]:
    """Yield each usable sentence with its count, which a tsv file has on each line."""
    if spec.input_format not in ("", "text", "tsv"):
        raise RuntimeError(f"input_format={spec.input_format!r} is not known; there are 'text' and 'tsv'")
    for sentence in sentences:
        count = 1
        if spec.input_format == "tsv":
            sentence, count = _tsv(sentence)
        if sentence and len(to_bytes(sentence)) <= spec.max_sentence_length and UNKNOWN_CHARACTER not in sentence:
            yield sentence, count


def _tsv(line: str) -> tuple[str, int]:
    word, tab, count = line.partition("\t")
    if not tab or not count.strip().isdigit() or int(count) < 1:
        raise RuntimeError(f"{line!r:.60} should be a text, a tab and a count above 0, as in input_format='tsv'")
    return word, int(count)


def _selected(sentences: Iterator[tuple[str, int]], spec: Any) -> Iterator[tuple[str, int]]:
    """Yield all sentences, or the first `input_sentence_size`, or a uniform sample of this size."""
    size = spec.input_sentence_size
    if not size:
        yield from sentences
        return
    random = Random(12345678)
    kept: list[tuple[str, int]] = []
    for number, sentence in enumerate(sentences):
        if len(kept) < size:
            kept.append(sentence)
        elif not spec.shuffle_input_sentence:
            break
        elif (place := random.randrange(number + 1)) < size:
            kept[place] = sentence
    yield from kept


def _pretokenize_function(
    spec: Any, pretokenizer: Pretokenizer | None, allow_inconsistent: bool
) -> Callable[[str], str]:
    delimiter = spec.pretokenization_delimiter
    if pretokenizer is None:
        return (lambda text: text.replace(delimiter, PRETOKENIZATION_DELIMITER)) if delimiter else (lambda text: text)
    if delimiter:
        raise RuntimeError("pretokenizer= and pretokenization_delimiter both split sentences; give one of them")

    def pretokenize(text: str) -> str:
        parts = [str(part) for part in pretokenizer(text)]
        if not allow_inconsistent and "".join(parts) != text:
            raise ValueError(
                f"pretokenizer makes {parts!r:.60} of {text!r:.60}; joined they should be the text, "
                "or give allow_inconsistent_pretokenization=True"
            )
        return PRETOKENIZATION_DELIMITER.join(parts)

    return pretokenize


def _characters(sentences: Counter[str], spec: Any) -> dict[str, int]:
    """Return the characters of the vocabulary: first the required ones, then the most frequent ones.

    Characters are added until their share of the text reaches `character_coverage`.
    """
    counts: Counter[str] = Counter()
    for sentence, count in sentences.items():
        for character in sentence:
            counts[character] += count
    del counts["\0"], counts[" "]
    if not counts.total():
        raise RuntimeError("no sentence is left when all are normalized, so there is nothing to learn from")
    required = set(spec.required_chars) - {"\0"}
    in_order = sorted({*counts, *required}, key=lambda one: (one not in required, -counts[one], one))
    covered, total, kept = 0, counts.total(), {}
    for character in in_order:
        if not spec.use_all_vocab and Float32(covered / total) >= spec.character_coverage:
            break
        covered += counts[character]
        if character != PRETOKENIZATION_DELIMITER:
            kept[character] = counts[character]
    return kept
