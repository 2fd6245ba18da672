"""Parts of the kit that need `regex`, run with the package or with its stand-in: python FILE package|stand-in NAME...

The result, in JSON, has what each part returns, and all patterns that were compiled.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from types import ModuleType
from typing import Any

STAND_IN = Path(__file__).parents[2] / "publish" / "live" / "stand_ins" / "regex"

TEXTS = [
    "",
    " ",
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a",
    "\u2028\u2029\u202f\u205f\u3000 \u2028 x",
    "a\x1cb\x1dc\x1ed\x1f e",
    "\x00\x00 a\x00",
    "I'm don'T you'LL we'Re it'ſ 'S 'ſ O'\u212a",
    "line one\r\nline two\r\n\r\n  indented\n\n\tx \n",
    "  leading and trailing   ",
    "x" * 5000 + " " * 3000 + "!" * 2000 + "7" * 1000,
    "the ① ﬁshing boats… ＡＢＣ 12,345.67 € ½ Ⅷ ² ٣ ๓ 𝟘 №5",
    "漢字かなカナー 한국어 日本 上海。「引用」",
    "שָׁלוֹם עולם مرحبا بالعالم \u200fabc\u200e नमस्ते ไทย ქართული Ελληνικά ΣΑΣ σας",
    "e\u0301 a\u0300\u0323 \u0301alone Zoe\u0308 İstanbul ıI ẞß ǅ ǆ ŉ",
    "👩‍🚀👨‍👩‍👧‍👦 🇩🇪🇫🇷🇩 👍🏽 1️⃣ ☺️ \u200d \ufe0f \U000e0061",
    "CamelCase HTTPServer snake_case x2y 3.14e-5 https://a.b/c?d=e#f <|endoftext|> [MASK] <a><b>",
    "ʕ ʔ \U0001f130\U0001f170 Ⓐⓑ \u203f \ufe33 \u200c\u200d \U00010400\U00010428 \U000118a0 \U0001e900",
    "क्‍ष क्षि 각 ᄀ\u1161\u11a8 ꥠ\u1161 \u0600١ \u0e33 ที่",
    "\ue000 \U000f0000 \ufffe \U0010ffff \u0378 \U0001f6ff",
]


def load(name: str = "stand_in_regex") -> ModuleType:
    """The stand-in, under another name than `regex`."""
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, STAND_IN / "__init__.py")
        assert spec and spec.loader
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


def gpt() -> Iterator[Any]:
    """The patterns of GPT models, tiktoken's small encoding, and the capstone."""
    from tokenlab import data
    from tokenlab.algorithms.text.pre_tokenizers import SPLITTERS
    from tokenlab.libraries.tiktoken import Encoding
    from tokenlab.libraries.tiktoken.registry import load_local_encoding
    from tokenlab.minimal.gpt2_tokenizer import GPT2
    from tokenlab.why.tiktoken_file import PATTERNS, other_patterns

    small = load_local_encoding(data.FOLDER / "small.tiktoken")
    special = {"<|endoftext|>": 90_000, "<a>": 90_001, "<a><b>": 90_002}
    encodings = [
        Encoding(name, pat_str=pattern, mergeable_ranks=small._mergeable_ranks, special_tokens=special)
        for name, pattern in [*PATTERNS.items(), ("minimal", GPT2)]
    ]
    for text in TEXTS:
        yield [splitter.explain(text) + splitter.words(text) for splitter in SPLITTERS.values()]
        yield [
            small.encode(text, disallowed_special=()),
            *(one.encode(text, allowed_special="all") for one in encodings),
        ]
        yield list(other_patterns([text], PATTERNS["gpt2"]))
    try:
        Encoding("wrong", pat_str="(", mergeable_ranks={}, special_tokens={}).encode("a")
    except ValueError as error:
        yield "is not a regular expression" in str(error)


def pipeline() -> Iterator[Any]:
    """The tokenizer of lesson 11."""
    from tokenlab import data
    from tokenlab.algorithms.pipeline.split_behavior import split_text
    from tokenlab.libraries.tokenizers import Regex, pre_tokenizers
    from tokenlab.show.explorers.explore_pipeline import train_bert_tokenizer

    tokenizer = train_bert_tokenizer([data.text(name) for name in ("english", "chinese", "mixed")], vocab_size=500)
    encodings = [tokenizer.encode(text) for text in TEXTS]
    yield tokenizer.to_str(), [(one.ids, one.offsets) for one in encodings]
    split = pre_tokenizers.Split(Regex(r"\w+|[^\w\s]+"), "removed", invert=True)
    yield [split.pre_tokenize_str(text) for text in TEXTS]
    yield [split_text(text, r"\s+|[,.]|", "merged_with_next") for text in TEXTS]


ONIGURUMA = [
    *(
        r"\s+",
        r"\w+|[^\w\s]+",
        r"\p{L}+",
        r"\p{Lu}[\p{Ll}\p{M}]*",
        r"^.+$",
        r"\h{2}+",
        r"\bthe\b|\B'\w",
        r"[[:digit:]]+",
    ),
    *(
        r"(?<first>a|b)|(?<other>\p{Han})",
        r"[a-z&&[^aeiou]]+",
        r"\p{Greek}|\p{^Latin}",
        r"(?i)the|[s]|k",
        r"\R|\n",
        r"(?m).+",
    ),
    *(
        r"\d{1,3}(?=(\d{3})*\b)",
        r"(.)\1",
        r"\A\S+|\S+\z",
        r"[[:alpha:]_]+|[[:space:]]",
        r"\p{Alphabetic}+",
        r"(?x) a b # c",
    ),
]


def components() -> Iterator[Any]:
    """The pre-tokenizers, normalizers and templates of the tokenizers mirror, and its regular expressions."""
    from tokenlab.libraries.sentencepiece.builder import load_charsmap
    from tokenlab.libraries.tokenizers import Regex, normalizers, pre_tokenizers, processors

    regular = [pre_tokenizers.Split(Regex(pattern), "isolated") for pattern in ONIGURUMA]
    own = ("WhitespaceSplit", "Whitespace", "BertPreTokenizer", "Punctuation", "Digits", "ByteLevel", "Metaspace")
    splitters = [*regular, *(getattr(pre_tokenizers, name)() for name in own)]
    splitters.append(pre_tokenizers.Digits(individual_digits=True))
    # The characters of lone surrogates are refused by the library, so no text here has one.
    normal = [normalizers.Precompiled(load_charsmap(name)) for name in ("nmt_nfkc", "nfkc_cf")]
    normal += [normalizers.Replace(Regex(" {2,}"), " "), normalizers.BertNormalizer(), normalizers.NFKC()]
    for text in TEXTS:
        yield [splitter.pre_tokenize_str(text) for splitter in splitters]
        yield [normalizer.normalize_str(text) for normalizer in normal]
    for pattern in ("(", "[a", r"\p{Nonsense}", r"(?~a)", "a**", r"\k<a>"):
        try:
            Regex(pattern)
        except ValueError:
            yield pattern
    yield repr(processors.TemplateProcessing("$A \u0301 é", special_tokens=[("\u0301", 1), ("é", 2)]))


def scripts() -> Iterator[Any]:
    """The pre-tokenizer that splits between scripts: 131 sets."""
    from tokenlab.libraries.tokenizers import pre_tokenizers

    yield [pre_tokenizers.UnicodeScripts().pre_tokenize_str(text) for text in TEXTS]


def slow_and_fast() -> Iterator[Any]:
    """The tokenizers of lesson 12."""
    from tokenlab.show.explorers.explore_transformers import small_tokenizers

    for family in ("BERT", "GPT-2", "T5", "RoBERTa"):
        for tokenizer in small_tokenizers(family):
            yield [tokenizer(text)["input_ids"] for text in TEXTS], [tokenizer.tokenize(text) for text in TEXTS]


def sentencepiece() -> Iterator[Any]:
    """SentencePiece as in lesson 08: training, and the pieces of texts."""
    from tokenlab import data
    from tokenlab.libraries.sentencepiece import SentencePieceProcessor, SentencePieceTrainer
    from tokenlab.libraries.sentencepiece.trainer_interface import script

    for name, kind in (("mixed", "unigram"), ("english", "bpe")):
        lines, file = data.text(name).splitlines()[:200], BytesIO()
        settings = {"vocab_size": 400, "hard_vocab_limit": False, "model_type": kind}
        SentencePieceTrainer.train(sentence_iterator=iter(lines), model_writer=file, **settings)
        processor = SentencePieceProcessor(model_proto=file.getvalue())
        yield file.getvalue().hex(), [processor.encode(text, out_type=str) for text in TEXTS]
    yield [script(character) for text in TEXTS for character in text]


def families() -> Iterator[Any]:
    """The families of lesson 23."""
    from tokenlab import data
    from tokenlab.laboratory.comparison.families import train_all
    from tokenlab.show.explorers.explore_families import explore_families

    training = "\n".join(data.text("english").splitlines()[:150])
    for family in train_all(training, 400).values():
        yield [repr(family.encode(text)) for text in TEXTS]
    explore_families("if ok:\n    print('The keeper wrote unhappily, 日本')", training, 400)


def exercises() -> Iterator[Any]:
    """Programs of the exercises, the misconceptions, and the museum."""
    from tokenlab.check.exercises.byte_level_bpe import at_capitals
    from tokenlab.laboratory.museum.exhibits import SavedTokenizer
    from tokenlab.libraries.transformers.models.gpt2.tokenization_gpt2 import split_gpt2
    from tokenlab.misconceptions.byte_level_bpe import always_special, no_longest_special

    special = {"<a>": 0, "<a><b>": 1, "<|endoftext|>": 2}
    museum = SavedTokenizer(compile_again=True).load(split_gpt2.pattern)
    for text in TEXTS:
        yield at_capitals(text), always_special(text, special), no_longest_special(text, special)
        yield museum.compiled.findall(text)


QUICK = (gpt, components)
SLOW = (slow_and_fast, pipeline, scripts, sentencepiece, families, exercises)


def main() -> None:
    """Run the parts that the arguments name."""
    engine, *names = sys.argv[1:]
    patterns: dict[str, tuple[str, int]] = {}
    if engine == "stand-in":
        load("regex")
    else:
        import regex

        plain = regex.compile

        def compile(pattern: Any, flags: int = 0, **more: Any) -> Any:
            if isinstance(pattern, str):
                patterns[f"{pattern} {int(flags)}"] = pattern, int(flags)
            return plain(pattern, flags, **more)

        regex.compile = compile
    results = {part.__name__: list(part()) for part in QUICK + SLOW if part.__name__ in names}
    print(json.dumps({"file": sys.modules["regex"].__file__, "results": results, "patterns": [*patterns.values()]}))


if __name__ == "__main__":
    main()
