"""What all trainers share: valid pieces, meta pieces, and the corpus.

Which strings may become pieces is decided by rules that keep words, scripts and digits separate. The scripts are those
of Unicode's table in `regex`, but as in the library, kana counts as Han, and scripts newer than the library's table
count as Common. Meta pieces are not learned: unknown, bos, eos and padding, control and user-defined symbols, bytes.
The corpus has normalized sentences, and the characters that the vocabulary must have.

Source: google/sentencepiece, src/trainer_interface.cc, IsValidSentencePiece, InitMetaPieces and LoadSentences;
src/unicode_script.h.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from random import Random
from typing import Any, TypeAlias

import regex

from tokenlab.algorithms.corpus.corpus_files import CorpusFiles, count_lines
from tokenlab.libraries.sentencepiece.builder import TrainingSpecs
from tokenlab.libraries.sentencepiece.model_interface import (
    BYTE_PIECES,
    SPACE_SYMBOL,
    longest_first_pattern,
    split_words,
    to_bytes,
)
from tokenlab.libraries.sentencepiece.model_proto import BYTE, CONTROL, TYPES, UNKNOWN, USER_DEFINED, parse_message
from tokenlab.libraries.sentencepiece.normalizer import Normalizer
from tokenlab.libraries.sentencepiece.unigram_model import Float32

UNKNOWN_CHARACTER = "▅"  # replaces characters that are in no piece, and symbols cut out before training
NEVER_IN_PIECES = frozenset((UNKNOWN_CHARACTER, "\0", "\x1f", " "))
DIGITS = frozenset("0123456789０１２３４５６７８９")
LONG_VOWEL = "ー"  # Common in Unicode, but kana to the library
NAMES = """
Adlam Ahom Anatolian_Hieroglyphs Arabic Armenian Avestan Balinese Bamum Bassa_Vah Batak Bengali Bhaiksuki Bopomofo
Brahmi Braille Buginese Buhid Canadian_Aboriginal Carian Caucasian_Albanian Chakma Cham Cherokee Coptic Cuneiform
Cypriot Cyrillic Deseret Devanagari Duployan Egyptian_Hieroglyphs Elbasan Ethiopic Georgian Glagolitic Gothic
Grantha Greek Gujarati Gurmukhi Han Hangul Hanunoo Hatran Hebrew Hiragana Imperial_Aramaic Inherited
Inscriptional_Pahlavi Inscriptional_Parthian Javanese Kaithi Kannada Katakana Kayah_Li Kharoshthi Khmer Khojki
Khudawadi Lao Latin Lepcha Limbu Linear_A Linear_B Lisu Lycian Lydian Mahajani Malayalam Mandaic Manichaean Marchen
Meetei_Mayek Mende_Kikakui Meroitic_Cursive Meroitic_Hieroglyphs Miao Modi Mongolian Mro Multani Myanmar Nabataean
New_Tai_Lue Newa Nko Ogham Ol_Chiki Old_Hungarian Old_Italic Old_North_Arabian Old_Permic Old_Persian
Old_South_Arabian Old_Turkic Oriya Osage Osmanya Pahawh_Hmong Palmyrene Pau_Cin_Hau Phags_Pa Phoenician
Psalter_Pahlavi Rejang Runic Samaritan Saurashtra Sharada Shavian Siddham SignWriting Sinhala Sora_Sompeng Sundanese
Syloti_Nagri Syriac Tagalog Tagbanwa Tai_Le Tai_Tham Tai_Viet Takri Tamil Tangut Telugu Thaana Thai Tibetan Tifinagh
Tirhuta Ugaritic Vai Warang_Citi Yi
"""


class PieceValidator:
    """A predicate: whether a string may be a piece."""

    def __init__(self, spec: Any) -> None:
        self.spec = spec

    def __call__(self, piece: str) -> bool:
        """Whether the length, the spaces, the digits and the scripts of a string satisfy the spec."""
        if not 0 < len(piece) <= self.spec.max_sentencepiece_length or not NEVER_IN_PIECES.isdisjoint(piece):
            return False
        if self.spec.split_digits and len(piece) > 1 and not DIGITS.isdisjoint(piece):
            return False
        return self._valid_space_position(piece) and (
            not self.spec.split_by_unicode_script or self._single_script(piece)
        )

    def _valid_space_position(self, piece: str) -> bool:
        """Whether `▁` occurs only where a word starts (or ends), or inside, if pieces may cross words."""
        if SPACE_SYMBOL not in piece or (self.spec.allow_whitespace_only_pieces and not piece.strip(SPACE_SYMBOL)):
            return True
        if self.spec.treat_whitespace_as_suffix:
            return SPACE_SYMBOL not in (piece[:-1] if self.spec.split_by_whitespace else piece[:-1][:1])
        return SPACE_SYMBOL not in (piece[1:] if self.spec.split_by_whitespace else piece[1:][-1:])

    def _single_script(self, piece: str) -> bool:
        previous = ""  # compatible with any script
        for character in piece:
            if character == SPACE_SYMBOL:
                continue
            current = script(character)
            if current == "Inherited":
                current = previous
            if not self.spec.split_by_number and character in DIGITS:
                current = ""
            if current and previous and current != previous:
                return False
            previous = current
        return True


@cache
def script(character: str) -> str:
    """Return the script of a character; kana counts as Han, and a character without a script as Common.

    >>> script("a"), script("カ"), script("1"), script("\u0301")
    ('Latin', 'Han', 'Common', 'Inherited')
    """
    if character == LONG_VOWEL:
        return "Han"
    found = next((name for name in _likely_first() if _pattern(name).match(character)), "Common")
    return "Han" if found in ("Hiragana", "Katakana") else found


@cache
def _likely_first() -> list[str]:
    likely = ["Latin", "Han", "Hiragana", "Katakana", "Cyrillic", "Arabic", "Hangul", "Inherited"]
    return likely + [name for name in NAMES.split() if name not in likely]


@cache
def _pattern(name: str) -> regex.Pattern[str]:
    return regex.compile(rf"\p{{Script={name}}}")


Meta: TypeAlias = dict[int, tuple[str, int]]  # from an id to a piece and its type
ROLES = ("unk", "bos", "eos", "pad")


def meta_pieces(spec: Any) -> Meta:
    """Return the meta pieces: those with a role at the ids in the spec, the others at the lowest free ids.

    Raises:
        RuntimeError: a duplicate id, an id outside the vocabulary, no unknown piece, or an empty or duplicate symbol.
    """
    found: Meta = {}
    for role in ROLES:
        _add_role(found, spec, role)
    if not spec.byte_fallback and not any(kind == UNKNOWN for _, kind in found.values()):
        raise RuntimeError(f"unk_id=-1 leaves no unknown piece; give {spec.unk_piece} an id, such as 0")
    seen: set[str] = set()
    for piece, kind in _symbols(spec):
        if not piece:
            raise RuntimeError("control_symbols or user_defined_symbols has an empty value; leave it out")
        if piece in seen:
            raise RuntimeError(f"{piece} is given twice among control_symbols and user_defined_symbols; give it once")
        if piece == spec.unk_piece:
            raise RuntimeError(f"{piece} is the unknown piece; leave it out of control_ and user_defined_symbols")
        seen.add(piece)
        found[_id_for(piece, spec, found)] = piece, kind
    return found


def _add_role(found: Meta, spec: Any, role: str) -> None:
    id, piece = getattr(spec, f"{role}_id"), getattr(spec, f"{role}_piece")
    if id < 0:
        return
    unknown = piece == spec.unk_piece
    if id >= spec.vocab_size or id in found or (unknown and any(kind == UNKNOWN for _, kind in found.values())):
        why = f"is also that of {found[id][0]}" if id in found else f"is outside the {spec.vocab_size} pieces"
        raise RuntimeError(f"{role}_id={id} {why}; give each of unk_id, bos_id, eos_id and pad_id a free id, or -1")
    found[id] = piece, UNKNOWN if unknown else CONTROL


def _symbols(spec: Any) -> Iterator[tuple[str, int]]:
    for symbol in spec.control_symbols:
        yield symbol, CONTROL
    for symbol in spec.user_defined_symbols:
        yield symbol, USER_DEFINED
        # In a word model, a word includes its ▁.
        if spec.model_type == TYPES["word"] and not symbol.startswith(SPACE_SYMBOL):
            yield SPACE_SYMBOL + symbol, USER_DEFINED
    if spec.byte_fallback:
        for piece in BYTE_PIECES:
            yield piece, BYTE


def _id_for(piece: str, spec: Any, found: Meta) -> int:
    """Return the id of the role that has this piece, or the lowest free id."""
    for role in ROLES[1:]:
        if piece == getattr(spec, f"{role}_piece") and getattr(spec, f"{role}_id") >= 0:
            return int(getattr(spec, f"{role}_id"))
    id = 0
    while id in found:
        id += 1
    return id


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
