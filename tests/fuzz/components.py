"""The components that `make fuzz` compares with the live libraries, or with their textbook form.

Most checks are those of the property tests, called with other inputs.
"""

from __future__ import annotations

import atexit
import os
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from functools import cache, partial
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from tests.fuzz.component import Component
from tests.fuzz.pipelines import PIPELINES
from tests.parity import test_bert_parity as bert
from tests.parity import test_bpe_tokenizers as bpe
from tests.parity import test_normalize_parity as normalizing
from tests.parity import test_sentencepiece_parity as sentencepiece
from tests.parity import test_split_parity as splitting
from tests.parity import test_tensor2tensor_parity as tensor2tensor
from tests.parity import test_tiktoken_parity as tiktoken
from tests.parity import test_unigram_segmenting_parity as unigram
from tests.parity import test_wordpiece_parity as wordpiece
from tests.parity.live import hostile
from tests.parity.original_tensor2tensor import FOLDER as TENSOR2TENSOR
from tests.parity.sentencepieces import KINDS, OTHER
from tests.parity.sentencepieces import hostile as for_sentencepiece
from tests.parity.t5_original import PYTHON
from tests.parity_t5 import tokenizer_calls
from tests.parity_t5.tokenizer_cases import case
from tests.properties import test_bpe_encoding as bpe_encoding
from tests.properties import test_subword_texts as subword
from tests.properties import test_training as bpe_training
from tests.properties import test_unigram_training as unigram_training
from tests.strategies import texts, word_counts
from tokenlab.algorithms.bpe.tie_break import POLICIES


def of_test(test: Any, **inputs: st.SearchStrategy[Any]) -> tuple[st.SearchStrategy[Any], Callable[[Any], None]]:
    """Return inputs and check of a property test: its arguments by name, and the test's own function."""
    function = getattr(getattr(test, "hypothesis", None), "inner_test", test)
    return st.fixed_dictionaries(inputs), lambda drawn: function(**drawn)


def with_pair(function: Any, **inputs: st.SearchStrategy[Any]) -> tuple[st.SearchStrategy[Any], Callable[[Any], None]]:
    """Return inputs and check of a test of tiktoken: the name of an encoding stands for ours and theirs."""
    drawn, check = of_test(function, **inputs)

    def called(given: tuple[str, dict[str, Any]]) -> None:
        name, arguments = given
        check({"pair": tiktoken.unruly() if name == "unruly" else tiktoken.small(name), **arguments})

    return st.tuples(st.sampled_from(tiktoken.NAMES), drawn), called


@cache
def _bert_vocabulary() -> Path:
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    path = Path(folder.name) / "vocab.txt"
    path.write_text("\n".join(bert.VOCABULARY) + "\n", encoding="utf-8")
    return path


def _bert(drawn: dict[str, Any]) -> None:
    bert.test_pieces_and_ids_are_those_of_tokenizers.hypothesis.inner_test(_bert_vocabulary(), **drawn)


def _normalize(drawn: tuple[int, str]) -> None:
    parameters = normalizing.test_texts_are_normalized_as_there.pytestmark[0].args[1]
    chosen = parameters[drawn[0] % len(parameters)]
    live, rules, moved = getattr(chosen, "values", chosen)
    normalizing.test_texts_are_normalized_as_there.hypothesis.inner_test(live, rules, moved, drawn[1])


@cache
def _transformers(process: int) -> Any:
    """Our process and that of transformers 4.26.1, which live as long as this one."""
    stack = ExitStack()
    atexit.register(stack.close)
    return stack.enter_context(tokenizer_calls.compared(hash_seed=11))


def _calls(drawn: tuple[int, int]) -> None:
    number, kind = drawn
    kinds = (tokenizer_calls.KINDS[kind % len(tokenizer_calls.KINDS)],)
    differences = list(_transformers(os.getpid()).differences(case(19, number, kinds)))
    assert not differences, differences[0]


lines = st.lists(st.text("ab# é日", min_size=1, max_size=30), min_size=1, max_size=6)
kinds = st.sampled_from(KINDS)
part = st.sampled_from(wordpiece.PARTS)
vocabularies = st.sets(part | part.map("##".__add__), max_size=12).map(lambda found: ["[UNK]", *sorted(found)])
word_lists = st.lists(st.text("abc", min_size=1, max_size=30), min_size=1, max_size=6)
two_letters = st.dictionaries(st.text("ab", min_size=1, max_size=8), st.integers(1, 5), min_size=1, max_size=6)


def _sentencepiece(test: Any, drawn: tuple[tuple[str, str], str]) -> None:
    test.hypothesis.inner_test(*drawn[0], drawn[1])


def _words(words: list[str]) -> None:
    words = [word for word in words if word.split()]
    if words:
        assert bpe.ours(bpe.count_words(words), 10**6) == bpe.theirs(words, bpe.WORDS, 10**6)


ALL = [
    Component(
        "tiktoken: encode",
        *with_pair(
            tiktoken.test_ids_are_the_same_whatever_is_allowed,
            text=hostile, allowed=tiktoken.ALLOWED, disallowed=tiktoken.DISALLOWED,
        ),
    ),
    Component(
        "tiktoken: bytes",
        *with_pair(
            tiktoken.test_pieces_and_bytes_that_are_no_text_are_encoded_alike, text=hostile, cut=st.integers(0, 9)
        ),
    ),
    Component(
        "tiktoken: decode",
        *with_pair(tiktoken.test_ids_are_decoded_alike, ids=tiktoken.IDS, more=st.lists(tiktoken.IDS, max_size=3)),
    ),
    Component("tiktoken: unstable ids", *with_pair(tiktoken.test_what_may_come_next_is_the_same, text=hostile)),
    Component(
        "SentencePiece: encode and decode",
        st.tuples(kinds, for_sentencepiece),
        partial(_sentencepiece, sentencepiece.test_texts_have_the_same_pieces_ids_and_places),
    ),
    Component(
        "SentencePiece: bytes",
        *of_test(
            sentencepiece.test_bytes_that_are_no_text_have_the_same_places,
            other=st.sampled_from([*OTHER]), text=for_sentencepiece, cut=st.integers(0, 9),
        ),
    ),
    Component(
        "SentencePiece: n best",
        *of_test(
            sentencepiece.test_the_n_best_come_in_the_same_order_with_the_same_scores,
            text=st.text(st.sampled_from("ab▁the ☃"), max_size=18), size=st.integers(1, 60),
        ),
    ),
    Component(
        "SentencePiece: normalization",
        *of_test(
            sentencepiece.test_normalizers_by_name_do_the_same,
            rule=st.sampled_from(sentencepiece.RULES),
            text=for_sentencepiece | st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
            switches=st.fixed_dictionaries(
                dict.fromkeys(
                    ("add_dummy_prefix", "escape_whitespaces", "remove_extra_whitespaces"), st.none() | st.booleans()
                )
            ),
        ),
    ),
    Component(
        "SentencePiece: own rules",
        *of_test(
            sentencepiece.test_a_table_of_ones_own_is_read_alike_by_both,
            table=sentencepiece.tables,
            given=st.lists(st.text(st.sampled_from("abcé日👍 \u0301\0▁"), max_size=12), min_size=1, max_size=8),
        ),
    ),
    Component(
        "SentencePiece: BPE training",
        *of_test(
            sentencepiece.test_bpe_training_ends_alike_when_little_is_left,
            lines=st.lists(st.text("ab ", min_size=1, max_size=20), min_size=1, max_size=4), size=st.integers(5, 60),
        ),
    ),
    Component("BERT: text to ids", st.fixed_dictionaries({"lower": st.booleans(), "text": bert.TEXTS}), _bert),
    Component(
        "WordPiece: encode",
        *of_test(
            wordpiece.test_a_word_has_the_pieces_of_tokenizers,
            word=wordpiece.words, vocabulary=vocabularies, longest=st.sampled_from([1, 4, 100]),
        ),
    ),
    Component(
        "WordPiece: training by count",
        *of_test(
            wordpiece.test_words_with_the_prefix_in_them_give_the_vocabulary_of_the_run,
            words=st.lists(st.text("ab#", min_size=1, max_size=12), min_size=1, max_size=6),
        ),
    ),
    Component(
        "WordPiece: training by score",
        *of_test(wordpiece.test_words_of_two_letters_give_the_vocabulary_of_the_course, counts=two_letters),
    ),
    Component("BPE: training", word_lists, _words),
    Component(
        "BPE: training, three forms",
        *of_test(
            bpe_training.test_the_indexed_trainer_takes_the_steps_of_the_textbook_one,
            counts=bpe_training.corpora, more=st.integers(0, 25), policy=st.sampled_from([*POLICIES]),
            options=bpe_training.options,
        ),
    ),
    Component(
        "BPE: encode, all forms",
        *of_test(
            bpe_encoding.test_all_encoders_take_the_same_steps_on_trained_merges,
            counts=word_counts("abc"), piece=bpe_encoding.PIECES,
        ),
    ),
    Component(
        "Unigram: best segmentation",
        *of_test(
            unigram.test_the_best_segmentation_is_that_of_both_libraries,
            text=unigram.WORDS | texts(surrogates=False, max_snippets=5).map(unigram.usable),
            vocabulary=unigram.VOCABULARIES,
        ),
    ),
    Component(
        "Unigram: n best",
        *of_test(
            unigram.test_the_k_best_come_in_sentencepieces_order,
            word=unigram.WORDS, vocabulary=unigram.VOCABULARIES, k=st.sampled_from([2, 3, 20, 300]),
        ),
    ),
    Component(
        "Unigram: training, two forms",
        *of_test(
            unigram_training.test_every_stage_in_numpy_does_what_the_textbook_does_from_the_same_state,
            words=unigram_training.corpora, estimate=st.sampled_from(["digamma", "log"]),
            share=st.sampled_from([0.5, 0.75]),
        ),
    ),
    Component(
        "SubwordTextEncoder",
        *of_test(
            tensor2tensor.test_the_library_itself_builds_encodes_and_decodes_alike,
            counts=tensor2tensor.counts_of_texts, options=tensor2tensor.options, text=texts(),
        )
        if TENSOR2TENSOR
        else of_test(
            subword.test_three_ways_to_build_agree,
            counts=subword.small_counts, least=st.sampled_from([0, 1, 2, 3, 5]), rounds=st.integers(1, 4),
            limit=st.sampled_from([None, 2, 3, 4]),
        ),
    ),
    Component(
        "SubwordTextEncoder: any text",
        *of_test(
            subword.test_any_text_comes_back_whatever_was_learned,
            counts=subword.small_counts, least=st.integers(1, 4), text=texts(),
        ),
    ),
    Component(
        "pre-tokenization",
        st.tuples(st.integers(0, len(splitting.TIKTOKENS) - 1), hostile),
        lambda drawn: splitting.test_pieces_are_those_of_fancy_regex.hypothesis.inner_test(
            splitting.TIKTOKENS[drawn[0]], drawn[1]
        ),
    ),
    Component("normalization", st.tuples(st.integers(0, 99), normalizing.hostile), _normalize),
    PIPELINES,
]  # fmt: skip
if PYTHON.exists():
    ALL.append(Component("transformers 4.26.1: calls", st.tuples(st.integers(0, 10**9), st.integers(0, 11)), _calls))
COMPONENTS = {component.name: component for component in ALL}
