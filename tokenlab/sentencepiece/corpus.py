"""What a trainer learns from: sentences, normalized, and the characters that the vocabulary has to have.

Source: google/sentencepiece, src/trainer_interface.cc, LoadSentences.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from random import Random
from typing import Any, TypeAlias

from tokenlab.sentencepiece.flags import Specs
from tokenlab.sentencepiece.meta import Meta
from tokenlab.sentencepiece.model import TYPES, alternatives
from tokenlab.sentencepiece.normalizing import Normalizer
from tokenlab.sentencepiece.pieces_allowed import RARE
from tokenlab.sentencepiece.shapes import as_bytes
from tokenlab.sentencepiece.unigram import Single
from tokenlab.sentencepiece.words import split_words

Pretokenizer: TypeAlias = Callable[[str], list[str]]
CUT = "\x1f"  # where a symbol was cut out, so that no piece reaches over it


class Corpus:
    """Sentences with their counts; and the characters that are wanted, with theirs."""

    def __init__(
        self,
        specs: Specs,
        meta: Meta,
        given: Iterable[Any] | None,
        pretokenizer: Pretokenizer | None = None,
        any_cut: bool = False,
    ) -> None:
        """Read and normalize all sentences.

        Args:
            specs: what was asked for.
            meta: the pieces that are cut out of the sentences.
            given: the sentences, if they do not come from files.
            pretokenizer: what cuts a sentence where no piece may reach over.
            any_cut: whether its parts may be others than those of the sentence.

        Raises:
            RuntimeError: there is no sentence, or the vocabulary cannot hold the characters.
            ValueError: a sentence is neither str nor bytes, or the pretokenizer changes one.
        """
        self.spec = specs.trainer
        read = list(_selected(_counted(_read(self.spec, given), self.spec), self.spec))
        if not read:
            raise RuntimeError(
                "there is no sentence to learn from; give input= (files) or sentence_iterator= with text"
            )
        normalizer = Normalizer(specs.normalizer, self.spec.treat_whitespace_as_suffix)
        symbols = alternatives(piece for piece, _ in meta.values())
        cut = _cutter(self.spec, pretokenizer, any_cut)
        counts: Counter[str] = Counter()
        for sentence, count in read:
            normalized = normalizer.normalize(sentence)
            counts[cut(symbols.sub(CUT, normalized) if symbols else normalized)] += count
        self.characters = _characters(counts, self.spec)
        self._check_size(len(meta))
        rare = re.compile(f"[^{re.escape(''.join(self.characters))}]")
        self.sentences = [(rare.sub(RARE, sentence), count) for sentence, count in counts.items()]

    def _check_size(self, others: int) -> None:
        wanted = len(self.characters) + others
        if self.spec.model_type in (TYPES["unigram"], TYPES["bpe"]) and wanted > self.spec.vocab_size:
            raise RuntimeError(
                f"vocab_size={self.spec.vocab_size} is too small: your corpus has {len(self.characters)} characters, "
                f"and {others} pieces are given; ask for at least {wanted}, or lower character_coverage"
            )

    def words(self) -> Counter[str]:
        """How often each word occurs; each whole sentence where words need not be apart."""
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

    def stretches(self, whole: bool = False) -> dict[str, int]:
        """How often each part of a word (of a whole sentence) occurs that has no rare character and no cut in it."""
        stretches: Counter[str] = Counter()
        for text, count in self.sentences if whole else self.words().items():
            for stretch in text.split(RARE):
                if stretch:
                    stretches[stretch] += count
        return dict(stretches)


def _read(spec: Any, given: Iterable[Any] | None) -> Iterator[str]:
    if (given is None) == (not spec.input):
        both = "both input= and sentence_iterator= are given" if spec.input else "no sentences are given"
        raise RuntimeError(f"{both}; give one of them: names of files, or an iterator over texts")
    if given is None:
        for name in spec.input:
            yield from _lines(name)
    else:
        for sentence in given:
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
    """Each sentence that is used with its count, which a file of tab-separated values has on each line."""
    if spec.input_format not in ("", "text", "tsv"):
        raise RuntimeError(f"input_format={spec.input_format!r} is not known; there are 'text' and 'tsv'")
    for sentence in sentences:
        count = 1
        if spec.input_format == "tsv":
            sentence, count = _tsv(sentence)
        if sentence and len(as_bytes(sentence)) <= spec.max_sentence_length and RARE not in sentence:
            yield sentence, count


def _tsv(line: str) -> tuple[str, int]:
    word, tab, count = line.partition("\t")
    if not tab or not count.strip().isdigit() or int(count) < 1:
        raise RuntimeError(f"{line!r:.60} should be a text, a tab and a count above 0, as input_format='tsv' has it")
    return word, int(count)


def _selected(sentences: Iterator[tuple[str, int]], spec: Any) -> Iterator[tuple[str, int]]:
    """All sentences, the first ones, or a sample of that size in which each is as likely as any other."""
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


def _cutter(spec: Any, pretokenizer: Pretokenizer | None, any_cut: bool) -> Callable[[str], str]:
    delimiter = spec.pretokenization_delimiter
    if pretokenizer is None:
        return (lambda text: text.replace(delimiter, CUT)) if delimiter else (lambda text: text)
    if delimiter:
        raise RuntimeError("pretokenizer= and pretokenization_delimiter both cut sentences; give one of them")

    def cut(text: str) -> str:
        parts = [str(part) for part in pretokenizer(text)]
        if not any_cut and "".join(parts) != text:
            raise ValueError(
                f"pretokenizer makes {parts!r:.60} of {text!r:.60}; joined they should be the text, "
                "or give allow_inconsistent_pretokenization=True"
            )
        return CUT.join(parts)

    return cut


def _characters(sentences: Counter[str], spec: Any) -> dict[str, int]:
    """The characters that the vocabulary will have: first those that are required, then the most frequent ones.

    They are enough when their share of the text is what `character_coverage` wants.
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
        if not spec.use_all_vocab and Single(covered / total) >= spec.character_coverage:
            break
        covered += counts[character]
        if character != CUT:
            kept[character] = counts[character]
    return kept
