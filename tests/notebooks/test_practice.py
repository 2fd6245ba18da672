"""Every practice task can be solved where it stands, says so, and refuses what is wrong."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path
from typing import Any

import nbformat
import pytest

ROOT = Path(__file__).parents[2]

# The lines of a task that a learner changes, what a solution makes of them, and what is wrong with a sentence.
SOLUTIONS: dict[str, list[tuple[str, str, str]]] = {
    "01_bpe_training": [
        ("my_pair, my_count = ..., ...", 'my_pair, my_count = ("a", "b"), 7', 'my_pair, my_count = ("a", "a"), 3'),
        (
            "        for pair in ...:\n            pair_counts[pair] += ...",
            "        for pair in zip(split, split[1:]):\n            pair_counts[pair] += word_counts[word]",
            "        for pair in zip(split, split[1:]):\n            pair_counts[pair] += 1",
        ),
        (
            "def my_merge(split, pair):\n    return ...",
            "def my_merge(split, pair):\n    return merge(split, pair)",
            "def my_merge(split, pair):\n    from tokenlab.misconceptions.bpe import string_replace_merge\n"
            "    return string_replace_merge(split, pair)",
        ),
        ("my_words = ...", 'my_words = {"hug": 10, "pug": 5, "pun": 12}', 'my_words = {"ab": 3, "cd": 2}'),
        (
            "def my_policy(tied):\n    return ...",
            "def my_policy(tied):\n    return -len(tied.pair[0] + tied.pair[1]), tied.first",
            "def my_policy(tied):\n    return tied.first",
        ),
    ],
    "02_bpe_encoding": [
        ("my_tokens = ...", 'my_tokens = ("lo", "wer")', 'my_tokens = ("low", "er")'),
        (
            "my_merges, my_word = ..., ...",
            'my_merges, my_word = [("b", "c"), ("a", "b")], "abcd"',
            'my_merges, my_word = [("a", "b"), ("ab", "c")], "abcd"',
        ),
        (
            "    found = [... for place in range(len(split) - 1) if split[place] + split[place + 1] in ranks]\n"
            "    return ... if found else None",
            "    found = [(ranks[split[p] + split[p + 1]], p) for p in range(len(split) - 1)"
            " if split[p] + split[p + 1] in ranks]\n    return min(found)[1] if found else None",
            "    found = [p for p in range(len(split) - 1) if split[p] + split[p + 1] in ranks]\n"
            "    return found[0] if found else None",
        ),
        (
            "def my_encode(word, ranks):\n    return ...",
            "def my_encode(word, ranks):\n    split = list(word)\n    while (p := my_best(split, ranks)) is not None:\n"
            "        split[p : p + 2] = [split[p] + split[p + 1]]\n    return tuple(split)",
            "def my_encode(word, ranks):\n    return left_to_right_merge(word, merges)",
        ),
        (
            "all_characters, plain_bpe = ..., ...",
            "all_characters, plain_bpe = 1, 0",
            "all_characters, plain_bpe = 0, 1",
        ),
    ],
    "03_bytes_and_splitting": [
        ("my_number, my_second = ..., ...", 'my_number, my_second = 4, "\'ve"', 'my_number, my_second = 3, "2"'),
        (
            "my_failing, my_different = ..., ...",
            'my_failing, my_different = "日", "é"',
            'my_failing, my_different = "a", "b"',
        ),
        (
            "            ...\n        except ...:",
            "            token.decode()\n        except UnicodeDecodeError:",
            "            len(token)\n        except UnicodeDecodeError:",
        ),
        (
            "def my_to_glyphs(data):\n    return ...",
            "def my_to_glyphs(data):\n    return to_glyphs(data)",
            'def my_to_glyphs(data):\n    return data.decode("latin-1")',
        ),
        ("my_pattern = ...", r'my_pattern = r"\p{Lu}\P{Lu}*|\P{Lu}+"', r'my_pattern = r"\p{Lu}\P{Lu}*"'),
    ],
    "04_tiktoken": [
        ("my_tokens = ...", 'my_tokens = ["a", "bcb"]', 'my_tokens = ["ab", "c", "b"]'),
        (
            "my_special, my_text = ..., ...",
            'my_special, my_text = {"<a>": 0, "<a><b>": 1}, "<a><b>"',
            'my_special, my_text = {"<a>": 0, "<b>": 1}, "x<a>"',
        ),
        (
            "        encoded, rank = ...\n        loaded[...] = int(rank)",
            "        encoded, rank = line.split()\n        loaded[base64.b64decode(encoded)] = int(rank)",
            "        encoded, rank = line.split()\n        loaded[encoded] = int(rank)",
        ),
        (
            "def my_encode_ordinary(text, ranks):\n    return ...",
            "def my_encode_ordinary(text, ranks):\n    ids = []\n    for piece in map(str.encode, split_gpt2(text)):\n"
            "        tokens = [piece] if piece in ranks else encode_by_rank(piece, ranks)\n"
            "        ids += [ranks[token] for token in tokens]\n    return ids",
            "def my_encode_ordinary(text, ranks):\n    piece = text.encode()\n"
            "    tokens = [piece] if piece in ranks else encode_by_rank(piece, ranks)\n"
            "    return [ranks[token] for token in tokens]",
        ),
        (
            "def my_chat(user_text):\n    return ...",
            "def my_chat(user_text):\n"
            '    return [*small.encode(user_text, disallowed_special=()), special["<|endoftext|>"]]',
            'def my_chat(user_text):\n    return small.encode(user_text + "<|endoftext|>", allowed_special="all")',
        ),
    ],
}
LESSONS = sorted(SOLUTIONS)


def cells(lesson: str) -> list[Any]:
    notebook = nbformat.read(ROOT / "notebooks" / f"{lesson}.ipynb", as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    last = max(n for n, cell in enumerate(code) if is_practice(cell))
    return [cell for cell in code[: last + 1] if "explore_" not in cell.source]


def is_practice(cell: Any) -> bool:
    return "practice" in cell.metadata.get("tags", [])


def run(source: str, names: dict[str, Any]) -> str:
    """Run a cell as the notebook would; what it prints comes back."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(compile(source, "cell", "exec"), names)
    return said.getvalue()


@pytest.mark.parametrize("lesson", LESSONS)
def test_every_task_has_a_solution_here(lesson: str) -> None:
    tasks = [cell for cell in cells(lesson) if is_practice(cell)]
    assert len(tasks) == len(SOLUTIONS[lesson]) == 5


@pytest.mark.parametrize("lesson", LESSONS)
def test_an_untouched_task_says_nothing(lesson: str) -> None:
    names: dict[str, Any] = {}
    for cell in cells(lesson):
        said = run(cell.source, names)
        assert not (is_practice(cell) and ("Right" in said or "Found" in said))


@pytest.mark.parametrize("lesson", LESSONS)
def test_a_solution_is_praised_and_a_wrong_one_gets_a_sentence(lesson: str) -> None:
    names: dict[str, Any] = {}
    solutions = iter(SOLUTIONS[lesson])
    for cell in cells(lesson):
        if not is_practice(cell):
            run(cell.source, names)
            continue
        gap, right, wrong = next(solutions)
        assert cell.source.count(gap) == 1, cell.source
        with pytest.raises(AssertionError) as refused:
            run(cell.source.replace(gap, wrong), dict(names))
        assert len(str(refused.value)) > 20
        said = run(cell.source.replace(gap, right), names)
        assert "Right" in said or "Found" in said, cell.source
