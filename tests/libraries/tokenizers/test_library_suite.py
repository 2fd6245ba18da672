"""The library's own Python tests with the import swapped; needs the path of its suite, which is not part of the kit."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import tokenizers as library

from tests import skips
from tests.libraries.tokenizers.library_suite import compare, lost, swap_imports
from tests.libraries.tokenizers.library_suite_files import filled, merges_of, openai

SUITE = Path(os.environ.get("TOKENIZERS_SUITE", "/nowhere"))

# These assert that a process that was forked while the library's thread pool was in use hangs; ours has no thread pool.
HANGING = "test_multiprocessing_with_parallelism"


@pytest.mark.skipif(not SUITE.is_dir(), reason=skips.TOKENIZERS_SUITE)
def test_every_test_that_passes_with_the_library_passes_with_ours() -> None:
    real, swapped = compare(SUITE)
    passed = [name for name, (outcome, _) in real.items() if outcome == "passed"]
    assert len(passed) > 130
    failures = {name: message for name, message in lost(real, swapped).items() if HANGING not in name}
    assert not failures


def test_all_forms_of_the_import_are_swapped(tmp_path: Path) -> None:
    source = (
        "import tokenizers\n    from tokenizers import AddedToken\nfrom tokenizers.models import BPE\ntokenizers = 1\n"
    )
    (tmp_path / "test_a.py").write_text(source, encoding="utf-8")
    swap_imports(tmp_path)
    assert (tmp_path / "test_a.py").read_text(encoding="utf-8") == (
        "from tokenlab.libraries import tokenizers\n    from tokenlab.libraries.tokenizers import AddedToken\n"
        "from tokenlab.libraries.tokenizers.models import BPE\ntokenizers = 1\n"
    )


def test_a_test_that_did_not_run_is_lost() -> None:
    real = {"a": ("passed", ""), "b": ("passed", ""), "c": ("failed", "x"), "d": ("passed", "")}
    assert lost(real, {"a": ("passed", ""), "b": ("error", "why"), "c": ("failed", "y")}) == {
        "b": "why",
        "d": "not run",
    }


def test_a_filled_vocabulary_has_no_gap() -> None:
    vocab = filled({"a": 5, "b": 2}, ["c", "a"], size=8)
    assert sorted(vocab.values()) == list(range(8))
    assert (vocab["a"], vocab["b"], vocab["c"]) == (5, 2, 0)


def test_the_merges_of_a_word_build_it() -> None:
    merges, _ = merges_of([tuple("hug"), tuple("hub")])
    assert merges == [("h", "u"), ("hu", "g"), ("hu", "b")]
    vocab, gpt_merges = openai()
    tokenizer = library.CharBPETokenizer(vocab, gpt_merges)
    assert tokenizer.encode("john").tokens == ["john</w>"]
