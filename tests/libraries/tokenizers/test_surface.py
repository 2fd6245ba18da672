"""Every public name, signature, argument and attribute of tokenizers, compared with the library; see `surface`."""

from __future__ import annotations

import inspect
import os
import pickle
import re
from pathlib import Path

import pytest

from tests import skips
from tests.event_loops import run
from tests.libraries.tokenizers.surface import (
    ENDS,
    LIBRARY,
    MODULES,
    OURS,
    classes,
    get,
    module_of,
    outcomes,
    public_names,
    uses,
)

# Differences in what a use leads to: a pattern for "use: library | ours", and the reason.
DIFFERENCES: tuple[tuple[str, str], ...] = (
    (r".*: Exception \| (ValueError|FileNotFoundError|IsADirectoryError|OSError)", "a bare Exception says less"),
    (r".*: PanicException \| ValueError", "a panic cannot be caught with `except Exception`"),
    (rf"Encoding\.pad\(length=2\^32\): {ENDS} \| ValueError", "the library takes all memory and aborts the process"),
    (
        r".*\((continuing_subword_prefix|end_of_word_suffix|limit_alphabet)=None\): TypeError \| ok .*",
        "None is the default that the library documents, so saved settings can be passed on",
    ),
    (r".*ratio=bytes\): ok .* \| TypeError", "bytes are no list of rates"),
    (r".*\.initial_alphabet.*: ok .* \| ok .*", "the library's order is that of a hash table"),
    (r"trainers\.\w+\(initial_alphabet=.*: ok .* \| ok .*", "the library's order is that of a hash table"),
    (r"Tokenizer\.async_\w+\(\w+=surrogates?\): UnicodeEncodeError \| TypeError", "as `encode`, also in the library"),
)

# Names that `from library import *` imports there only, and the reason.
ONLY_LIBRARY = {
    **dict.fromkeys(("List", "Tuple", "Union"), "imports for the type aliases of the library's own file"),
    **dict.fromkeys(("tokenizers", *MODULES), "the library's extension module appears under its own name"),
}

# Public names of our classes that the library's have not: the package's own modules, and a user's subclasses, use them.
COMPONENT = {"changes", "from_json", "to_json"}
MORE_NAMES = {
    "models": COMPONENT | {"columns", "get_vocab", "get_vocab_size", "ids", "replace_vocabulary"},
    "normalizers": COMPONENT | {"apply", "fast", "form", "table"},
    "pre_tokenizers": COMPONENT | {"needs_alignment", "split_aligned", "split_text"},
    "processors": COMPONENT | {"added_tokens", "process_encodings"},
    "decoders": COMPONENT | {"decode_chain", "add_prefix_space", "trim_offsets", "use_regex"},
    "trainers": COMPONENT | {"feed", "model_name", "show_progress", "special_tokens", "train_model"},
    "Encoding": {"as_piece", "as_sequence", "copy", "from_json", "joined", "lazy", "mapped", "of", "of_ids", "padded"}
    | {
        "pending",
        "replaced",
        "rest",
        "sliced",
        "special",
        "surrounded",
        "to_json",
        "truncated",
        "with_sequence_id",
        "with_type_id",
    },
    "NormalizedString": {"alignments", "convert_offsets", "is_covered", "is_identity", "normalize_unicode"}
    | {"offsets_original", "original_shift", "replace_characters", "replace_matches", "slice_normalized", "split_at"}
    | {"transform", "transform_range", "translate", "unchecked"},
    "PreTokenizedString": {"divide", "original", "splits"},
    "Regex": {"compiled", "compiled_for", "pattern", "spans"},
    "AddedToken": {"copy", "to_json"},
    "Token": {"unchecked"},
}


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason=skips.FORK)
def test_every_wrong_argument_and_every_attribute_is_treated_as_by_the_library(tmp_path: Path) -> None:
    tried = [use for use in uses() if "from_pretrained" not in use[0]]  # that one downloads
    assert len(tried) > 15_000
    found = []
    for library in (LIBRARY, OURS):
        (tmp_path / library).mkdir()  # some uses write files, which later ones read
        found.append(outcomes(library, tried, tmp_path / library))
    differences = []
    for (name, what, value), theirs, mine in zip(tried, *found, strict=True):
        shown = f"{name}({what}={value}): {theirs} | {mine}"
        if mine != theirs and not any(re.fullmatch(known, shown, re.DOTALL) for known, _ in DIFFERENCES):
            differences.append(shown[:300])
    assert not differences, f"{len(differences)} differences:\n" + "\n".join(differences[:60])


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason=skips.FORK)
def test_a_running_event_loop_of_this_process_does_not_change_an_outcome(tmp_path: Path) -> None:
    """Playwright, for example, leaves one to later tests."""
    tried = [("Tokenizer.async_encode", "sequence", "a"), ("Encoding.pad", "length", "2^32"), ("Token", "id", "1")]

    async def inside(library: str) -> list[str]:
        return outcomes(library, tried, tmp_path)

    assert run(inside(LIBRARY)) == ["RuntimeError", ENDS, "ok Token"]
    assert run(inside(OURS)) == ["RuntimeError", "ValueError", "ok Token"]


def test_no_class_lacks_a_name_of_the_librarys_or_has_more_than_those_that_are_listed() -> None:
    wrong = {}
    for name in classes():
        theirs, mine = public_names(get(LIBRARY, name)), public_names(get(OURS, name))
        module = name.rpartition(".")[0]
        known = MORE_NAMES.get(module or name, set())
        if theirs - mine or mine - theirs - known:
            wrong[name] = (sorted(theirs - mine), sorted(mine - theirs - known))
    assert not wrong


@pytest.mark.parametrize("module", (*MODULES, "implementations", "tools"))
def test_an_import_of_all_names_imports_those_of_the_library(module: str) -> None:
    theirs, mine = ({}, {})  # type: dict[str, object], dict[str, object]
    for library, names in ((LIBRARY, theirs), (OURS, mine)):
        exec(f"from {module_of(library, module).__name__} import *", names)
    # subtle: submodules of the library become names of it when anything imports them.
    late = ("tools",) if module == "" else theirs if module in ("implementations", "tools") else ()
    files = {name for name in late if inspect.ismodule(theirs.get(name))}
    assert theirs.keys() - mine.keys() - ONLY_LIBRARY.keys() - files == set()
    assert mine.keys() - theirs.keys() == set()


def test_all_public_functions_and_attributes_have_a_docstring() -> None:
    without = [
        f"{name}.{one}"
        for name in classes()
        for one in sorted(public_names(get(LIBRARY, name)))
        if not inspect.getdoc(inspect.getattr_static(get(OURS, name), one))
    ]
    assert not without


@pytest.mark.parametrize("module", ["normalizers", "pre_tokenizers", "processors"])
def test_an_item_of_a_sequence_cannot_be_deleted(module: str) -> None:
    for library in (LIBRARY, OURS):
        with pytest.raises(NotImplementedError, match="delete item"):
            del module_of(library, module).Sequence([])[0]
    for library in (LIBRARY, OURS):
        with pytest.raises(TypeError):
            del module_of(library, "decoders").Sequence([])[0]


def test_a_model_is_an_empty_bpe() -> None:
    for name in (LIBRARY, OURS):
        library = module_of(name, "")
        model = library.models.Model()
        assert repr(model) == repr(library.models.BPE())
        assert isinstance(library.Tokenizer(model).model, library.models.BPE)
        assert pickle.loads(pickle.dumps(model)).__getstate__() == library.models.BPE().__getstate__()
        with pytest.raises(TypeError):
            library.models.Model({})


def test_an_encoding_is_not_padded_to_a_length_that_fills_the_memory() -> None:
    encoding = module_of(OURS, "").Tokenizer(module_of(OURS, "models").BPE({"a": 0}, [])).encode("a")
    with pytest.raises(ValueError, match=r"length=4294967296.*268435456"):
        encoding.pad(2**32)
    assert encoding.ids == [0]


@pytest.mark.parametrize("kind", ["normalizers.Normalizer", "pre_tokenizers.PreTokenizer", "decoders.Decoder"])
def test_a_custom_component_can_be_shown_where_the_library_raises(kind: str) -> None:
    with pytest.raises(Exception, match="cannot be serialized"):
        repr(get(LIBRARY, kind).custom(5))
    assert repr(get(OURS, kind).custom(5)) == f"{kind.rpartition('.')[2]}.custom(5)"
