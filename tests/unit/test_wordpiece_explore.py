"""WordPiece's explorers: what is typed is run again, and the slider always has room for a merge."""

from __future__ import annotations

import pytest

from tokenlab.algorithms.text.count_words import count_words
from tokenlab.algorithms.wordpiece.encode import encode_word
from tokenlab.algorithms.wordpiece.train import train
from tokenlab.algorithms.wordpiece.train_by_frequency import train_by_frequency
from tokenlab.show.explorers.explore_wordpiece import explore_wordpiece_encoding, explore_wordpiece_training


def trained(text: str, vocab_size: int) -> str:
    """The data of the player for this training by the score."""
    return train.record(count_words(text), vocab_size).play().data.replace("train_indexed", "train")


def test_the_rule_the_size_and_the_text_are_followed() -> None:
    explorer = explore_wordpiece_training("hug pug pun hug", 12)
    text, size, rule = explorer.controls.values()
    assert explorer.data.replace("train_indexed", "train") == trained("hug pug pun hug", 12)
    size.value = 11
    assert explorer.data.replace("train_indexed", "train") == trained("hug pug pun hug", 11)
    rule.value = "count, as tokenizers"
    assert explorer.data == train_by_frequency.record(count_words("hug pug pun hug"), 11).play().data
    text.value = "hug pug"
    assert explorer.data == train_by_frequency.record(count_words("hug pug"), 11).play().data
    assert explorer.message == ""


@pytest.mark.parametrize("text", ["hug pug", "The quick brown fox jumps over the lazy dog.", "日本語 の 文", "a"])
@pytest.mark.parametrize("size", [1, 30, 1000])
def test_the_slider_begins_where_a_merge_has_room_and_opens_there_if_it_must(text: str, size: int) -> None:
    explorer = explore_wordpiece_training("hug", size)
    box, slider, rule = explorer.controls.values()
    for typed in ("hug", text, "hug"):
        box.value = typed
        for name in rule.options:
            rule.value = name
            for end in (slider.min, slider.max):
                slider.value = end
                assert explorer.message == ""
                assert typed == "a" or len(explorer.player.tracks[0].frames) > 1


def test_a_text_without_a_word_is_answered_and_the_old_player_stays() -> None:
    explorer = explore_wordpiece_training("hug pug", 20)
    before = explorer.data
    explorer.controls["text"].value = " "
    assert "type a few words" in explorer.message
    assert explorer.data == before
    explorer.controls["text"].value = "ab " * 10_000
    assert "too long to process at every key press" in explorer.message


def test_a_word_is_encoded_anew_as_it_is_typed() -> None:
    vocabulary = {"hug", "##s"}
    explorer = explore_wordpiece_encoding("hugs", vocabulary)
    assert explorer.data == encode_word.record("hugs", vocabulary).play().data
    explorer.controls["word"].value = "hugx"
    assert explorer.data == encode_word.record("hugx", vocabulary).play().data
    explorer.controls["word"].value = ""
    assert explorer.message == ""
