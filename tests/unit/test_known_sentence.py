"""What the tiny T5 knows, as a list of a text box."""

from __future__ import annotations

from typing import Any

import pytest

from tokenlab import data
from tokenlab.libraries.transformers import T5ForConditionalGeneration, T5Tokenizer
from tokenlab.show.explorers import known_sentence
from tokenlab.show.explorers.explore_generation import explore_sampling
from tokenlab.show.explorers.known_sentence import OWN, SENTENCES, WORDS, KnownSentence, sentence_box

TASK = "translate English to German: "


@pytest.fixture(scope="module")
def tiny() -> tuple[Any, Any]:
    model = T5ForConditionalGeneration.from_pretrained(data.t5_tiny()).eval()
    return model, T5Tokenizer.from_pretrained(data.t5_tiny())


def test_the_words_are_those_of_the_grammar() -> None:
    sentences = data.grammar().sentences()
    assert {word.lower() for one in sentences for word in known_sentence._WORD.findall(one)} == WORDS
    assert set(SENTENCES) <= set(sentences)


def test_the_list_has_the_task_of_the_first_text() -> None:
    box = KnownSentence("text", f"{TASK}Tom read my book.")
    assert box.known.options == (
        (OWN, ""),
        *((sentence, f"{TASK}{sentence}") for sentence in ("Tom read my book.", *SENTENCES)),
    )
    assert len(KnownSentence("text", f"{TASK}{SENTENCES[2]}").known.options) == 1 + len(SENTENCES)
    box.check()


def test_a_chosen_sentence_fills_the_box_and_own_text_stays() -> None:
    box = KnownSentence("text", f"{TASK}Tom read my book.")
    assert box.known.value == f"{TASK}Tom read my book."
    box.known.value = f"{TASK}{SENTENCES[1]}"
    assert box.value == f"{TASK}{SENTENCES[1]}"
    box.value = f"{TASK}My mother was hungry."
    assert box.known.value == ""
    assert box.value == f"{TASK}My mother was hungry."
    box.value = f"{TASK}{SENTENCES[0]}"
    assert box.known.value == f"{TASK}{SENTENCES[0]}"
    box.known.value = ""
    assert box.value == f"{TASK}{SENTENCES[0]}"


@pytest.mark.parametrize(
    "text", [f"{TASK}{SENTENCES[0]}", "<extra_id_0> my sister drew a HORSE", "past tense: I am sad.", ""]
)
def test_words_of_the_grammar_and_gaps_are_known(text: str) -> None:
    box = KnownSentence("text", "Tom is sad.")
    box.value = text
    box.check()


def test_words_of_the_first_text_are_known() -> None:
    box = KnownSentence("text", "An elephant sings.")
    box.value = "The elephant is sad."
    box.check()


@pytest.mark.parametrize(("text", "named"), [("The Dragon sings.", "Dragon, sings"), (f"{TASK}a Zug", "Zug")])
def test_another_word_is_answered_with_the_list(text: str, named: str) -> None:
    box = KnownSentence("text", "Tom is sad.")
    box.value = text
    with pytest.raises(ValueError, match="It knows sentences such as: The girl gave the teacher a book") as error:
        box.check()
    assert f"not trained on {named}. " in str(error.value)
    assert all(word in str(error.value) for word in WORDS)


def test_only_the_tiny_model_has_a_list(tiny: Any) -> None:
    assert isinstance(sentence_box("text", "a", tiny[1]), KnownSentence)
    assert not isinstance(sentence_box("text", "a", object()), KnownSentence)


def test_an_explorer_answers_with_the_list_and_keeps_its_picture(tiny: Any) -> None:
    explorer = explore_sampling(f"{TASK}Tom read my book.", *tiny)
    before = explorer.data
    explorer.controls["text"].value = f"{TASK}The dragon sings."
    assert "not trained on dragon, sings" in explorer.message
    assert explorer.data == before
    explorer.controls["text"].value = f"{TASK}{SENTENCES[0]}"
    assert explorer.message == "" and explorer.data != before


def test_a_sentence_chosen_in_an_explorer_is_shown(tiny: Any) -> None:
    explorer = explore_sampling(f"{TASK}Tom read my book.", *tiny)
    before, box = explorer.data, explorer.controls["text"]
    shown, known, *_ = explorer.widget.children
    assert (shown.value, known.description, known.label) == (box.value, "or choose", "Tom read my book.")
    box.value = f"{TASK}The dragon sings."
    assert explorer.message
    known.label = SENTENCES[3]
    assert shown.value == box.value == f"{TASK}{SENTENCES[3]}"
    assert explorer.message == "" and explorer.data != before
