"""Long texts and a vocabulary of GPT-2's size, made from what every clone holds.

The development machines have real ones as well, outside the repository: two novels and GPT-2's own files. Where they
exist the tests use them in addition. A test parametrized with a list from here is never skipped.
"""

from __future__ import annotations

import functools
import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from tests.strategies import SNIPPETS
from tokenlab import data
from tokenlab.algorithms.text.byte_symbols import GPT2_ORDER, bytes_to_symbols
from tokenlab.storage import files

ROOT = Path(__file__).parents[2]
OUTSIDE = ROOT.parent / "shared" / "data"
NOVELS = ("botchan.txt", "wagahaiwa_nekodearu.txt")
SIZE = 300_000  # characters of each text
MERGES = 50_000  # of the vocabulary, as in GPT-2's


# --- texts ----------------------------------------------------------------------------------------


def own_prose() -> str:
    """English prose and code: the lessons, the documentation, and then the package's sources."""
    paths = [
        data.path("english"),
        *sorted((ROOT / "notebooks" / "source").glob("*.py")),
        *sorted(ROOT.glob("*.md")),
        *sorted((ROOT / "tokenlab").rglob("*.py")),
    ]
    return "".join(map(files.read_text, paths))


def without_spaces(size: int) -> str:
    """Invented sentences in the form of Japanese, among the shipped ones: no spaces, and thousands of characters."""
    random_ = random.Random(1)
    hiragana, katakana = (list(map(chr, range(start, start + 80))) for start in (0x3042, 0x30A2))
    kanji = random_.sample(list(map(chr, range(0x4E00, 0x9FA5))), 2600)
    stems = [pick(random_, kanji, random_.choice((1, 1, 2, 2, 2, 3))) for _ in range(4000)]
    stems += [pick(random_, katakana, random_.randint(2, 9)) for _ in range(400)]
    endings = [pick(random_, hiragana, random_.randint(1, 4)) for _ in range(60)]
    shipped = [line for name in ("japanese", "chinese") for line in data.text(name).splitlines() if line]

    def sentence() -> str:
        phrases = "".join(zipf(random_, stems) + zipf(random_, endings) for _ in range(random_.randint(2, 12)))
        return random_.choice(("{}。", "{}。", "「{}」", "{}、", "{}……", "{}！")).format(phrases)

    def line() -> str:
        if not random_.randrange(20):
            return random_.choice(shipped)
        return random_.choice(("", "", "　")) + "".join(sentence() for _ in range(random_.randint(1, 5)))

    return up_to(size, iter(line, None))


def adversarial(size: int) -> str:
    """Lines in which pairs overlap and tie, words are long, scripts change, and white space is of every kind."""
    random_ = random.Random(2)
    blocks: tuple[tuple[int, int], ...] = (
        (0x61, 26),
        (0xE0, 23),
        (0x3B1, 17),
        (0x430, 32),
        (0x5D0, 27),
        (0x627, 20),
        (0x905, 50),
        (0xE01, 46),
    )
    blocks += ((0xAC00, 9000), (0x1F600, 60), (0x300, 40), (0x20, 64))
    scripts = [list(map(chr, range(start, start + length))) for start, length in blocks]
    spaces = (" ", " ", "  ", "\t", "\u3000", "\xa0", "\u2009")

    def word() -> str:
        match random_.randrange(6):
            case 0:
                return pick(random_, list("ab"), random_.randint(1, 60))
            case 1:
                return pick(random_, list("xyz"), random_.randint(1, 3)) * random_.randint(1, 20)
            case 2:
                return random_.choice(SNIPPETS)
            case 3:
                return str(random_.randrange(10 ** random_.randint(1, 12)))
            case _:
                return pick(random_, random_.choice(scripts), random_.randint(1, 9))

    def line() -> str:
        return "".join(word() + random_.choice(spaces) for _ in range(random_.randint(1, 12)))

    return up_to(size, iter(line, None))


def pick(random_: random.Random, characters: list[str], length: int) -> str:
    return "".join(random_.choices(characters, k=length))


def zipf(random_: random.Random, words: list[str]) -> str:
    """One of the words, where the n-th is drawn about n times as rarely as the first."""
    return words[int(len(words) ** random_.random()) - 1]


def up_to(size: int, lines: Iterator[str]) -> str:
    made: list[str] = []
    length = 0
    while length < size:
        made.append(next(lines))
        length += len(made[-1]) + 1
    return "\n".join(made)[:size]


def novel(name: str) -> str:
    return files.read_text(OUTSIDE / "text" / name)


TEXTS: dict[str, Callable[[], str]] = {
    "own prose": own_prose,
    "without spaces": functools.partial(without_spaces, SIZE),
    "adversarial": functools.partial(adversarial, SIZE),
    **{name: functools.partial(novel, name) for name in NOVELS if (OUTSIDE / "text" / name).exists()},
}
NAMES = list(TEXTS)
# `make test` trains and encodes on one of them.
TIERED_NAMES = [NAMES[2], *(pytest.param(name, marks=pytest.mark.slow) for name in NAMES if name != NAMES[2])]


@functools.cache
def long_text(name: str, size: int = SIZE) -> str:
    """The first characters of the text with that name."""
    text = TEXTS[name]()[:size]
    assert len(text) > 0.9 * size
    return text


# --- vocabularies ---------------------------------------------------------------------------------

VOCABULARIES = ["own", *(["GPT-2"] if (OUTSIDE / "gpt2").exists() else [])]


@functools.cache
def vocabulary_files(name: str) -> dict[str, str]:
    """The contents of `merges.txt` and `vocab.json`: 50,257 byte-level tokens, the last `<|endoftext|>`."""
    if name == "GPT-2":
        return {file: files.read_text(OUTSIDE / "gpt2" / file) for file in ("merges.txt", "vocab.json")}
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=len(alphabet) + MERGES, initial_alphabet=alphabet, show_progress=False)
    corpora = [own_prose(), without_spaces(SIZE // 3), adversarial(SIZE), *map(data.text, ("german", "mixed"))]
    tokenizer.train_from_iterator((line for text in corpora for line in text.splitlines(keepends=True)), trainer)
    merges = json.loads(tokenizer.to_str())["model"]["merges"]
    assert len(merges) == MERGES
    tokens = [*(bytes_to_symbols(bytes([byte])) for byte in GPT2_ORDER), *map("".join, merges), "<|endoftext|>"]
    return {
        "merges.txt": "#version: 0.2\n" + "".join(f"{left} {right}\n" for left, right in merges),
        "vocab.json": json.dumps({token: id for id, token in enumerate(tokens)}),
    }
