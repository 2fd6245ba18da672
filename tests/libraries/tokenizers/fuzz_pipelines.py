"""Encode hostile texts with random pipelines of all components, in the library and in tokenlab.

`python -m tests.libraries.tokenizers.fuzz_pipelines 600 [seed]` runs for 600 seconds. Each seed makes one
tokenizer.json, which both read; then all columns, the ids without offsets, decoding and the written file are compared.
A child process tries the seeds, because the library ends it for some of them.
"""

from __future__ import annotations

import base64
import faulthandler
import json
import math
import os
import random
import signal
import sys
import time
import warnings
from collections.abc import Iterator
from functools import cache, partial
from typing import Any, NoReturn, TypeAlias

import tokenizers as live

from tests.libraries.tokenizers.parity import columns
from tokenlab.libraries import tokenizers as ours
from tokenlab.libraries.sentencepiece.builder import load_charsmap

# No character here has other properties in newer versions of Unicode.
PIECES = (
    *("a", "b", "A", "ab", "aa", "abc", "B", "1", "12", ".", ",", "'", "'s", "-", "_", "#", " ", "  ", "\t", "\n"),
    *("\r\n", "\x00", "\x1c", "\x85", "\xa0", "\u3000", "\u2028", "é", "e\u0301", "\u0301", "a\u0301\u0327", "ß", "İ"),
    *(
        "ﬁ",
        "½",
        "日",
        "本",
        "日本",
        "\u30fc",
        "한",
        "ש",
        "👍",
        "👍🏽",
        "👩\u200d👩",
        "\u200d",
        "\ufeff",
        "\ufffd",
        "▁",
        "▁a",
    ),
    *("Ġ", "Ġa", "##a", "</w>", "[UNK]", "<s>", "</s>", "<m>", "<0xE6>", "ǆ", "Σ", "ς", "x\u0327", "\U000f0000"),
)
PATTERNS = (
    *(
        "",
        "^",
        "$",
        r"\b",
        r"\B",
        "(?=a)",
        "(?<=a)",
        "a*",
        "a?",
        "b|",
        "|b",
        r"\s+",
        r"\s*",
        ".",
        "[ab]",
        r"\w+",
        r"\d",
    ),
    *(r"\s+(?!\S)|\s+", "(?i)AB", r"\A", r"\z", "(?m).", "$|^", r"[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}", "(a)|b", "日|"),
    *("'s|'t| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+", "(?<!a)b*", r"\G", "a+?"),
)
BEHAVIORS = ("Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous")
SCHEMES = ("always", "first", "never")
Difference: TypeAlias = tuple[str, Any, Any, Any]  # what was done, with what, and both results
ALPHABET = sorted(live.pre_tokenizers.ByteLevel.alphabet())


class Maker:
    """Makes random components from one seed."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)

    def flag(self) -> bool:
        return self.draw.random() < 0.5

    def piece(self) -> str:
        return self.draw.choice(PIECES)

    def text(self, most: int = 10) -> str:
        return "".join(self.piece() for _ in range(self.draw.choice((0, 1, 2, 3, most))))

    def pattern(self) -> dict[str, str]:
        if self.draw.random() < 0.4:
            return {"String": self.draw.choice((self.piece(), self.piece(), " ", "a", "", "ab"))}
        return {"Regex": self.draw.choice(PATTERNS)}

    def several(self, make: Any, depth: int) -> list[Any]:
        return [make(depth + 1) for _ in range(self.draw.choice((0, 1, 2, 2, 3)))]

    def normalizer(self, depth: int = 0) -> dict[str, Any]:
        draw, flag = self.draw, self.flag
        kinds = ["Strip", "Prepend", "Replace", "Replace", "BertNormalizer", "ByteLevel", "Precompiled", "StripAccents"]
        kinds += ["NFC", "NFD", "NFKC", "NFKD", "Nmt", "Lowercase", *(["Sequence"] * 5 if depth < 2 else [])]
        match draw.choice(kinds):
            case "Sequence":
                return {"type": "Sequence", "normalizers": self.several(self.normalizer, depth)}
            case "Strip":
                return {"type": "Strip", "strip_left": flag(), "strip_right": flag()}
            case "Prepend":
                return {"type": "Prepend", "prepend": draw.choice(("▁", "ab", "", " ", self.piece()))}
            case "Replace":
                content = draw.choice(("", "x", " ", "ab", self.piece()))
                return {"type": "Replace", "pattern": self.pattern(), "content": content}
            case "BertNormalizer":
                names = ("clean_text", "handle_chinese_chars", "strip_accents", "lowercase")
                fields: dict[str, Any] = {"type": "BertNormalizer"} | {name: flag() for name in names}
                return fields | ({"strip_accents": None} if flag() else {})
            case "Precompiled":
                return {"type": "Precompiled", "precompiled_charsmap": charsmap()}
            case kind:
                return {"type": kind}

    def pre_tokenizer(self, depth: int = 0) -> dict[str, Any]:
        draw, flag = self.draw, self.flag
        kinds = ["BertPreTokenizer", "ByteLevel", "ByteLevel", "CharDelimiterSplit", "Digits", "FixedLength", "Split"]
        kinds += ["Metaspace", "Metaspace", "Punctuation", "Split", "UnicodeScripts", "Whitespace", "WhitespaceSplit"]
        match draw.choice([*kinds, *(["Sequence"] * 5 if depth < 2 else [])]):
            case "Sequence":
                return {"type": "Sequence", "pretokenizers": self.several(self.pre_tokenizer, depth)}
            case "ByteLevel":
                return self.byte_level()
            case "CharDelimiterSplit":
                return {"type": "CharDelimiterSplit", "delimiter": self.piece()[0]}
            case "Digits":
                return {"type": "Digits", "individual_digits": flag()}
            case "FixedLength":
                return {"type": "FixedLength", "length": draw.choice((1, 2, 5))}
            case "Metaspace":
                return self.metaspace()
            case "Punctuation":
                return {"type": "Punctuation", "behavior": draw.choice(BEHAVIORS)}
            case "Split":
                behavior = draw.choice(BEHAVIORS)
                return {"type": "Split", "pattern": self.pattern(), "behavior": behavior, "invert": flag()}
            case kind:
                return {"type": kind}

    def byte_level(self) -> dict[str, Any]:
        names = ("add_prefix_space", "trim_offsets", "use_regex")
        return {"type": "ByteLevel"} | {name: self.flag() for name in names}

    def metaspace(self) -> dict[str, Any]:
        replacement, scheme = self.draw.choice(("▁", "▁", "_", "a")), self.draw.choice(SCHEMES)
        return {"type": "Metaspace", "replacement": replacement, "prepend_scheme": scheme, "split": self.flag()}

    def model(self) -> dict[str, Any]:
        draw, flag = self.draw, self.flag
        tokens = [self.piece() for _ in range(40)] + [self.text(3) for _ in range(25)]
        tokens += [character for piece in PIECES[:20] for character in piece if flag()] + list("abAB12")
        if flag():
            tokens += ALPHABET
        if flag():
            tokens += [f"<0x{byte:02X}>" for byte in range(256)]
        kind = draw.choice(("BPE", "BPE", "Unigram", "WordPiece", "WordLevel"))
        if kind == "BPE":
            return self.bpe([token for token in tokens if token])
        tokens = list(dict.fromkeys(["[UNK]", *tokens, *(f"##{token}" for token in tokens if kind == "WordPiece")]))
        if kind == "Unigram":
            scored = [[token, round(-draw.random() * 9, 3)] for token in tokens]
            return {"type": kind, "unk_id": draw.choice((0, 0, 3)), "vocab": scored, "byte_fallback": flag()}
        model: dict[str, Any] = {"type": kind, "unk_token": "[UNK]" if draw.random() < 0.9 else "missing"}
        if kind == "WordPiece":
            model |= {"continuing_subword_prefix": draw.choice(("##", "##", "", "a"))}
            model |= {"max_input_chars_per_word": draw.choice((100, 3, 0))}
        return model | {"vocab": self.numbered(tokens)}

    def bpe(self, tokens: list[str]) -> dict[str, Any]:
        draw, flag = self.draw, self.flag
        prefix = draw.choice((None, None, None, "", "##"))
        suffix = draw.choice((None, None, None, "", "</w>"))
        tokens = list(dict.fromkeys(tokens))
        tokens += [f"{prefix}{token}" for token in tokens if prefix] + [
            f"{token}{suffix}" for token in tokens if suffix
        ]
        merges = []
        for _ in range(80):
            left, right = draw.choice(tokens), draw.choice(tokens)
            if len(left + right) < 12:
                merges.append([left, right])
                tokens.append(left + (right[len(prefix or "") :] if prefix else right))
        vocab = self.numbered(list(dict.fromkeys(["[UNK]", *tokens])))
        model: dict[str, Any] = {"type": "BPE", "dropout": None, "unk_token": draw.choice(("[UNK]", None))}
        model |= {"continuing_subword_prefix": prefix, "end_of_word_suffix": suffix, "fuse_unk": flag()}
        return model | {"byte_fallback": flag(), "ignore_merges": flag(), "vocab": vocab, "merges": merges}

    def numbered(self, tokens: list[str]) -> dict[str, int]:
        ids = list(range(len(tokens)))
        if self.draw.random() < 0.2:
            self.draw.shuffle(ids)
        gap = self.draw.choice((0, 0, 0, 7))
        return {token: id + (gap if id > 5 else 0) for token, id in zip(tokens, ids, strict=True)}

    def processor(self, depth: int = 0) -> dict[str, Any]:
        draw, flag = self.draw, self.flag
        kinds = ["BertProcessing", "RobertaProcessing", "ByteLevel", "TemplateProcessing", "TemplateProcessing"]
        match draw.choice([*kinds, *(["Sequence"] * 2 if depth < 2 else [])]):
            case "Sequence":
                return {"type": "Sequence", "processors": self.several(self.processor, depth)}
            case "BertProcessing":
                return {"type": "BertProcessing", "sep": ["</s>", 2], "cls": ["<s>", 1]}
            case "RobertaProcessing":
                ends = {"type": "RobertaProcessing", "sep": ["</s>", 2], "cls": ["<s>", 1]}
                return ends | {"trim_offsets": flag(), "add_prefix_space": flag()}
            case "ByteLevel":
                return self.byte_level()
        parts = [self.template_part() for _ in range(draw.choice((0, 1, 2)))]
        single = [{"Sequence": {"id": "A", "type_id": draw.choice((0, 0, 1))}}, *parts]
        pair = [*single, {"Sequence": {"id": "B", "type_id": draw.choice((0, 1, 2))}}, self.template_part()]
        draw.shuffle(single)
        draw.shuffle(pair)
        special = {"<s>": {"id": "<s>", "ids": [1], "tokens": ["<s>"]}}
        special |= {"[X]": {"id": "[X]", "ids": [5, 6], "tokens": ["x", "y"]}}
        return {"type": "TemplateProcessing", "single": single, "pair": pair, "special_tokens": special}

    def template_part(self) -> dict[str, Any]:
        return {"SpecialToken": {"id": self.draw.choice(("<s>", "[X]")), "type_id": self.draw.choice((0, 1))}}

    def decoder(self, depth: int = 0) -> dict[str, Any]:
        draw, flag = self.draw, self.flag
        kinds = ["BPEDecoder", "ByteLevel", "CTC", "Fuse", "Metaspace", "Replace", "Strip", "WordPiece", "ByteFallback"]
        match draw.choice([*kinds, *(["Sequence"] * 4 if depth < 2 else [])]):
            case "Sequence":
                return {"type": "Sequence", "decoders": self.several(self.decoder, depth)}
            case "BPEDecoder":
                return {"type": "BPEDecoder", "suffix": draw.choice(("</w>", "", "a"))}
            case "CTC":
                ends = {"type": "CTC", "pad_token": draw.choice(("<s>", "a", "")), "word_delimiter_token": "b"}
                return ends | {"cleanup": flag()}
            case "Metaspace":
                return self.metaspace()
            case "Replace":
                return {"type": "Replace", "pattern": self.pattern(), "content": self.piece()}
            case "Strip":
                numbers = {"start": draw.choice((0, 1, 2)), "stop": draw.choice((0, 1, 2))}
                return {"type": "Strip", "content": draw.choice((" ", "a", "▁"))} | numbers
            case "WordPiece":
                return {"type": "WordPiece", "prefix": draw.choice(("##", "", "a")), "cleanup": flag()}
            case "ByteLevel":
                return self.byte_level()
            case kind:
                return {"type": kind}

    def added_tokens(self) -> list[dict[str, Any]]:
        names = ("single_word", "lstrip", "rstrip", "normalized", "special")
        contents = dict.fromkeys(self.text(2) for _ in range(self.draw.choice((0, 0, 1, 3, 8))))
        flags = ({name: self.flag() for name in names} for _ in contents)
        return [
            {"id": 1000 + n, "content": text} | own for n, (text, own) in enumerate(zip(contents, flags, strict=True))
        ]

    def truncation(self) -> dict[str, Any]:
        draw = self.draw
        strategy = draw.choice(("LongestFirst", "OnlyFirst", "OnlySecond"))
        fields = {"direction": draw.choice(("Left", "Right")), "max_length": draw.choice((0, 1, 3, 5, 8))}
        return fields | {"strategy": strategy, "stride": draw.choice((0, 0, 1, 2, 9))}

    def padding(self) -> dict[str, Any]:
        draw = self.draw
        strategy = draw.choice(("BatchLongest", {"Fixed": draw.choice((0, 4, 12))}))
        fields: dict[str, Any] = {"strategy": strategy, "direction": draw.choice(("Left", "Right"))}
        fields |= {"pad_to_multiple_of": draw.choice((None, None, 3, 8)), "pad_id": 7, "pad_type_id": 1}
        return fields | {"pad_token": "[PAD]"}

    def tokenizer(self) -> dict[str, Any]:
        def perhaps(make: Any, chance: float) -> Any:
            return make() if self.draw.random() < chance else None

        return {
            "version": "1.0",
            "truncation": perhaps(self.truncation, 0.25),
            "padding": perhaps(self.padding, 0.2),
            "added_tokens": self.added_tokens(),
            "normalizer": perhaps(self.normalizer, 0.75),
            "pre_tokenizer": perhaps(self.pre_tokenizer, 0.8),
            "post_processor": perhaps(self.processor, 0.5),
            "decoder": perhaps(self.decoder, 0.8),
            "model": self.model(),
        }


@cache
def charsmap() -> str:
    return base64.b64encode(load_charsmap("nmt_nfkc")).decode()


class _Anything:
    """Equal to every result: one that is known to be different."""

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]


# The library searches an empty added token, or a match after it, at every byte; then it panics within a character. It
# does not truncate at all if `max_length` is less than the special tokens: the difference of unsigned numbers is huge.
KNOWN = ("is not a char boundary", "AddedVocabulary bad split", "special tokens that the post-processor adds")
SECONDS = 20  # of processor time for one seed: a busy machine makes no difference
FORBIDDEN = (RecursionError, AttributeError, KeyError, IndexError, AssertionError, MemoryError, NameError, TimeoutError)


def outcome(call: Any) -> Any:
    """Return a result, or "error"; an exception of the wrong type is returned as a text, which equals nothing."""
    try:
        return call()
    except BaseException as error:
        if isinstance(error, FORBIDDEN):
            return f"{type(error).__name__}: {error}"
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        return _Anything() if any(known in str(error) for known in KNOWN) else "error"


def case(maker: Maker, texts: int = 12) -> dict[str, Any]:
    """Draw a tokenizer.json and calls of its methods; the result has plain values only."""
    draw = maker.draw
    drawn: dict[str, Any] = {"tokenizer": maker.tokenizer(), "specials_as_text": draw.random() < 0.2, "calls": []}
    for _ in range(texts):
        call = {"text": maker.text(), "pair": maker.text() if draw.random() < 0.3 else None}
        call |= {"options": {"add_special_tokens": draw.random() < 0.7}, "split": draw.random() < 0.2}
        ids = [draw.randrange(120) for _ in range(draw.randrange(6))]
        drawn["calls"].append(call | {"ids": ids, "skip": maker.flag()})
    return drawn


def differences(drawn: dict[str, Any]) -> Iterator[Difference]:
    """Yield what differs in a case: what was done, with what, and both results."""
    written = json.dumps(drawn["tokenizer"])
    theirs = outcome(lambda: live.Tokenizer.from_str(written))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mine = outcome(lambda: ours.Tokenizer.from_str(written))
    if isinstance(theirs, str) or isinstance(mine, str):
        if theirs != mine:
            yield "from_str", written, theirs, mine
        return
    expected, actual = theirs.to_str(), mine.to_str()
    if expected != actual:
        yield "to_str", written, expected, actual
    if sum(token.normalized for token in mine._added.tokens.values()) > len(mine._added.patterns.normalized):
        return  # added tokens with equal normalized forms: the library takes any of them, in the order of a hash table
    theirs.encode_special_tokens = mine.encode_special_tokens = drawn["specials_as_text"]
    for call in drawn["calls"]:
        text, pair, options = call["text"], call["pair"], dict(call["options"])
        if call["split"]:
            options["is_pretokenized"] = True
            text, pair = text.split(" "), pair if pair is None else pair.split("a")
        yield from _encoded(theirs, mine, text, pair, options)
        if call["split"]:
            continue
        yield from _parts(theirs, mine, text)
        ids, skip = call["ids"], call["skip"]
        expected, actual = (outcome(partial(one.decode, ids, skip)) for one in (theirs, mine))
        if expected != actual:
            yield "decode", (ids, skip), expected, actual


def _encoded(theirs: Any, mine: Any, text: Any, pair: Any, options: dict[str, bool]) -> Iterator[Difference]:
    given = (text, pair, options)
    expected = outcome(lambda: columns(theirs.encode(text, pair, **options)))
    actual = outcome(lambda: columns(mine.encode(text, pair, **options)))
    if expected != actual:
        yield "encode", given, expected, actual
    batch = [text if pair is None else (text, pair)] * 2
    expected = outcome(lambda: [columns(one) for one in theirs.encode_batch_fast(batch, **options)])
    actual = outcome(lambda: [columns(one) for one in mine.encode_batch_fast(batch, **options)])
    if expected != actual:
        yield "encode_batch_fast", given, expected, actual
    if isinstance(text, str) and mine._pipeline().is_fast:
        pieces = outcome(lambda: mine._pipeline().run(text))
        if not isinstance(pieces, str):
            aligned = [token.id for split in pieces.splits for token in split.tokens]
            if aligned != (fast := mine._pipeline().ids(text)):
                yield "fast and aligned ids", text, aligned, fast


def _parts(theirs: Any, mine: Any, text: str) -> Iterator[Difference]:
    if theirs.normalizer is not None:
        expected = outcome(lambda: theirs.normalizer.normalize_str(text))
        actual = outcome(lambda: mine.normalizer.normalize_str(text))
        if expected != actual:
            yield "normalize_str", text, expected, actual
    if theirs.pre_tokenizer is not None:
        expected = outcome(lambda: theirs.pre_tokenizer.pre_tokenize_str(text))
        actual = outcome(lambda: mine.pre_tokenizer.pre_tokenize_str(text))
        if expected != actual:
            yield "pre_tokenize_str", text, expected, actual


def run(seeds: range) -> int:
    """Try some seeds in a child process, which the library may end; return the number of seeds that differ."""
    failed, left = 0, seeds
    while left:
        reader, writer = os.pipe()
        if (child := os.fork()) == 0:
            try:
                _child(left, writer)
            finally:
                os._exit(0)
        os.close(writer)
        with os.fdopen(reader, encoding="utf-8") as pipe:
            lines = pipe.read().split()
        os.waitpid(child, 0)
        done = [int(line.removesuffix("!")) for line in lines]
        failed += sum(line.endswith("!") for line in lines)
        if done != list(left):
            print(f"seed {left[len(done)]} ends the process", flush=True)
            done.append(left[len(done)])
        left = left[len(done) :]
    return failed


def _refuse_to_wait(*_: Any) -> NoReturn:
    raise TimeoutError(f"more than {SECONDS} seconds")


def _child(seeds: range, writer: int) -> None:
    import resource  # not on Windows

    faulthandler.disable()
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    signal.signal(signal.SIGPROF, _refuse_to_wait)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # the library reports its panics there
    for seed in seeds:
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        used = math.ceil(time.process_time())
        resource.setrlimit(resource.RLIMIT_CPU, (used + 2 * SECONDS, hard))  # if the library does not return
        try:
            found = next(differences(case(Maker(seed))), None)
        except Exception as error:
            found = ("an exception", seed, None, error)
        if found:
            what, given, expected, actual = found
            print(f"seed {seed}: {what} {given!r:.300}\n  library: {expected!r:.400}\n  ours:    {actual!r:.400}")
            sys.stdout.flush()
        os.write(writer, f"{seed}{'!' if found else ''}\n".encode())


def main(arguments: list[str]) -> int:
    """Try seeds for a number of seconds; print each seed that differs. Return the exit status."""
    seconds = float(arguments[0]) if arguments else 60.0
    first = int(arguments[1]) if len(arguments) > 1 else random.randrange(2**32)
    end, seed, failed = time.monotonic() + seconds, first, 0
    while time.monotonic() < end:
        failed += run(range(seed, seed + 50))
        seed += 50
    print(f"{seed - first} pipelines from seed {first}, {failed} with differences, tokenizers {live.__version__}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
