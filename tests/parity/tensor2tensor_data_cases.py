"""What tensor2tensor's data generation and ours are both asked; `main` stores tensor2tensor's answers.

TENSOR2TENSOR=<folder with the unpacked wheel> python -m tests.parity.tensor2tensor_data_cases
"""

from __future__ import annotations

import gzip
import json
import os
import random
import tarfile
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

STORED = Path(__file__).with_name("tensor2tensor_data.json")

ENGLISH = [f"line {number} " + "tea " * (number % 7) for number in range(1, 61)]
CHINESE = [f"第{number}行" + "茶" * (number % 7) for number in range(1, 61)]
STRANGE = [
    "",
    "  two  ",
    "a\u2028b",
    "\x0b",
    "cr\r",
    "lone \r inside",
    "\ufeffmark",
    "日本 語",
    "👍🏽",
    "x" * 50,
    "\t",
    "end",
]
TABBED = [
    "tea\t茶\tmore",
    "no tab here",
    "\tonly the second",
    "only the first\t",
    " padded \t 水 \t",
    "",
    "a\tb\tc\td",
    "cr\tlf\t\r",
]
SGM_SOURCE = [
    '<srcset setid="x">',
    "<p>",
    '<seg id="1"> Good morning. </seg>',
    '<seg id="2"></seg>',
    "</p>",
    "</srcset>",
]
SGM_TARGET = ['<refset setid="x">', "<p>", '<seg id="1">早上好。</seg>', '<seg id="2">空</seg>', "</p>", "</refset>"]


def write(path: Path, lines: list[str]) -> Path:
    path.write_bytes("".join(f"{line}\n" for line in lines).encode())
    return path


def lines_for_vocab(library: Any, folder: Path) -> Any:
    """Samples of files of several lengths, for budgets from far too small to far too large."""
    answers = {}
    for name, lines in {"english": ENGLISH, "chinese": CHINESE, "strange": STRANGE, "empty": []}.items():
        path = write(folder / f"{name}.txt", lines)
        for budget in (1, 7, 40, 99.5, 150, 400, 1e6):
            sources = [[str(path), [path.name]]]
            answers[f"{name} {budget}"] = list(
                library.generator_utils.generate_lines_for_vocab(str(folder), sources, budget)
            )
    return answers


def archived(library: Any, folder: Path) -> Any:
    """The same from a tar with gz files in it."""
    source = folder / "source"
    (source / "deep").mkdir(parents=True)
    for name, lines in (("plain.en", ENGLISH), ("deep/packed.zh", CHINESE)):
        write(source / name, lines)
    (source / "deep/packed.zh.gz").write_bytes(gzip.compress((source / "deep/packed.zh").read_bytes()))
    archive = folder / "corpus.tgz"
    with tarfile.open(archive, "w:gz") as tar:
        tar.add(source / "plain.en", "plain.en")
        tar.add(source / "deep/packed.zh.gz", "deep/packed.zh.gz")
    tmp = folder / "tmp"
    found = library.generator_utils.generate_lines_for_vocab(
        str(tmp), [[str(archive), ["plain.en", "deep/packed.zh.gz"]]], 100
    )
    return [list(found), sorted(str(path.relative_to(tmp)) for path in tmp.rglob("*") if path.is_file())]


def compiled(library: Any, folder: Path) -> Any:
    """Text, tab-separated and SGML sources, in one call."""
    for name, lines in (("a.en", ENGLISH), ("a.zh", CHINESE), ("s.sgm", SGM_SOURCE), ("t.sgm", SGM_TARGET)):
        write(folder / name, lines)
    write(folder / "table.tsv", TABBED)
    (folder / "packed.tsv.gz").write_bytes(gzip.compress((folder / "table.tsv").read_bytes()))
    path = library.translate.compile_data(
        str(folder),
        [
            [str(folder / "a.en"), ("a.en", "a.zh")],
            [str(folder / "table.tsv"), ("tsv", 0, 1, "table.tsv")],
            [str(folder / "table.tsv"), ("tsv", 1, 0, "packed.tsv.gz")],
            [str(folder / "s.sgm"), ("s.sgm", "t.sgm")],
        ],
        "all",
    )
    assert path == str(folder / "all")
    return [Path(f"{path}.{side}").read_bytes().decode() for side in ("lang1", "lang2")]


def dealt(library: Any, folder: Path) -> Any:
    """Which example is in which shard."""
    answers = {}
    for number in (0, 1, 5, 12):
        for shards in (1, 3):
            for every in (1, 2, 4):
                for most in (None, 4):
                    case = f"{number} {shards} {every} {most}"
                    names = library.generator_utils.shard_filepath(str(folder / f"{case}-train"), shards)
                    examples = [{"targets": [n, 1]} if n % 4 else None for n in range(number)]
                    library.generator_utils.generate_files(iter(examples), names, most, every)
                    contents = [Path(name).read_text(encoding="utf-8").splitlines() for name in names]
                    answers[case] = [[json.loads(line)["targets"][0] for line in lines] for lines in contents]
    return answers


def packs(library: Any, folder: Path) -> Any:
    """Examples of random lengths, packed; none is empty, and none is cut exactly at its end."""
    answers = []
    chance = random.Random(2)
    for case in range(24):
        length, has_inputs = chance.randint(4, 12), case % 2 == 0
        chop = not has_inputs and case % 4 == 1
        sizes = [n for n in range(1, 3 * length) if not chop or n <= length or n % length]
        examples = [
            {side: [*range(2, chance.choice(sizes) + 1), 1] for side in ("inputs", "targets")}
            for _ in range(chance.randint(0, 15))
        ]
        options = {"spacing": chance.randint(0, 3), "queue_size": chance.randint(1, 4), "chop_long_sequences": chop}
        answers.append(list(library.generator_utils.pack_examples(examples, has_inputs, length, **options)))
    return answers


class Codes:
    """An encoder that both can use."""

    def encode(self, text: str) -> list[int]:
        return [ord(character) for character in text]


def encoded(library: Any, folder: Path) -> Any:
    """Pairs from two files and from one, as ids."""
    problems = library.text_problems
    one, two = str(write(folder / "one", STRANGE)), str(write(folder / "two", [*reversed(STRANGE)]))
    tabs = str(write(folder / "tabs", TABBED))
    options: dict[str, Any] = {"targets_vocab": None, "inputs_prefix": "en: ", "targets_prefix": "zh: "}
    return [
        list(problems.text2text_generate_encoded(problems.text2text_txt_iterator(one, two), Codes())),
        list(problems.text2text_generate_encoded(problems.text2text_txt_tab_iterator(tabs), Codes(), **options)),
        list(problems.text2text_generate_encoded(problems.text2self_txt_iterator(one), Codes(), has_inputs=False)),
    ]


def names(library: Any, folder: Path) -> Any:
    """What shards are called."""
    utils = library.generator_utils
    return [utils.sharded_name("p-train", 7, 12345), utils.shard_filepath("q", 3), utils.UNSHUFFLED_SUFFIX]


CASES: dict[str, Callable[[Any, Path], Any]] = {
    case.__name__: case for case in (lines_for_vocab, archived, compiled, dealt, packs, encoded, names)
}


def answers_of(library: Any, case: str) -> Any:
    """What a library answers, as JSON would give it back."""
    with tempfile.TemporaryDirectory() as folder:
        return json.loads(json.dumps(CASES[case](library, Path(folder))))


def main() -> None:
    from tests.parity.tensor2tensor_stub import modules

    original = modules(os.environ["TENSOR2TENSOR"])
    lines = ",\n".join(f"{json.dumps(case)}: {json.dumps(answers_of(original, case))}" for case in CASES)
    STORED.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
