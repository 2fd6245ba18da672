"""Controls above a player: what the learner types or moves is run again in Python and shown at once."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable
from html import escape
from threading import Lock
from typing import Any

import anywidget
import ipywidgets
import traitlets

from tokenlab.algorithms import wordpiece_train_by_count as by_count
from tokenlab.algorithms.bpe_encode import Ranks
from tokenlab.algorithms.bpe_encode_agenda import encode_with_agenda
from tokenlab.algorithms.bpe_train_indexed import train_indexed
from tokenlab.algorithms.layers import layers
from tokenlab.algorithms.sample_lines import sample_lines
from tokenlab.algorithms.three_ways import cut_three_ways
from tokenlab.algorithms.tie_break import POLICIES
from tokenlab.algorithms.unigram_train_arrays import train_arrays
from tokenlab.algorithms.unigram_vocabulary import Vocabulary, unknown_log_probability
from tokenlab.algorithms.viterbi import viterbi
from tokenlab.algorithms.wordpiece_encode import encode_word
from tokenlab.algorithms.words import count_words
from tokenlab.sentencepiece import SentencePieceProcessor
from tokenlab.sentencepiece.round_trip import round_trip
from tokenlab.show.player import Player, asset
from tokenlab.steps import Recording
from tokenlab.tensor2tensor.text_encoder import SubwordTextEncoder
from tokenlab.tiktoken import Encoding

LONGEST_TEXT = 20_000  # characters that are trained on at every key press without a wait
LONGEST_WORD = 200  # characters of a word whose lattice is drawn


class PlayerWidget(anywidget.AnyWidget):
    """The player as a widget, which draws itself anew when its data change."""

    _esm = asset("player.js") + "\nexport default { render };"
    _css = asset("player.css") + "\n.tokenlab-stale { opacity: .5; }"
    data = traitlets.Unicode().tag(sync=True)


class Explorer(ipywidgets.VBox):  # type: ignore[misc]
    """Controls, and beneath them the player for what `record` makes of their values."""

    def __init__(
        self, record: Callable[..., Recording[Any, Any]], opened: int = 0, predict: bool = True, **controls: Any
    ) -> None:
        """Take a function that records, and a control for each of its arguments.

        Args:
            record: makes what is shown.
            opened: the frame at which what is recorded next will open; -1 is the last.
            predict: whether the player asks at first.
            controls: by the names of the arguments.
        """
        self._record = record
        self.opened = opened
        self._predict = predict
        self._controls = controls
        # Callbacks may come from several threads at once.
        self._lock = Lock()
        self._player = Player([])
        self.widget = PlayerWidget()
        self.message = ipywidgets.HTML()
        self.message.add_class("tokenlab-message")
        super().__init__([*controls.values(), self.message, self.widget])
        self._update()
        for control in controls.values():
            control.observe(self._update, "value")

    def _update(self, _: object = None) -> None:
        with self._lock:
            values = {name: control.value for name, control in self._controls.items()}
            try:
                self._player = self._record(**values).play(opened=self.opened, predict=self._predict)
            except (ValueError, TypeError) as error:
                self.message.value = f"<p role=alert>{escape(str(error))}</p>"
                self.widget.add_class("tokenlab-stale")
            else:
                self.message.value = ""
                self.widget.remove_class("tokenlab-stale")
                self.widget.data = self._player.data

    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]:
        # The player that needs no kernel stands beside the widget: it is what a stored lesson keeps.
        return {**super()._repr_mimebundle_(**options), **self._player._repr_mimebundle_()}


def explore_three_ways(sentence: str, corpus: str, merges: int = 500) -> Explorer:
    """A sentence to type, cut into words, characters and subwords that were learned from the corpus."""
    box = ipywidgets.Text(sentence, description="sentence", **_WIDE)
    return Explorer(lambda sentence: cut_three_ways.record(_short(sentence), corpus, merges), opened=-1, sentence=box)


def explore_bpe_training(text: str, vocab_size: int = 60) -> Explorer:
    """A text to type, a vocabulary size and a tie-break to choose, and the training that follows from them."""
    box = ipywidgets.Textarea(text, description="text", rows=3, **_WIDE)
    size = ipywidgets.IntSlider(vocab_size, 1, _largest(text, vocab_size), description="vocab_size", **_WIDE)

    def follow(change: Any) -> None:
        size.max = _largest(change["new"], size.value)

    # subtle: before the explorer looks, so that a size which the new text needs is one that the slider has.
    box.observe(follow, "value")
    ties = ipywidgets.Dropdown(options=list(POLICIES), description="tie_break")
    return Explorer(_bpe_training, text=box, vocab_size=size, tie_break=ties)


def _largest(text: str, vocab_size: int) -> int:
    """How far the slider goes: room for two hundred merges beyond the alphabet of the text."""
    return max(300, vocab_size, len(set(text)) + 200)


def explore_bpe_encoding(word: str, ranks: Ranks) -> Explorer:
    """A word to type, and how BPE encodes it with these ranks."""
    box = ipywidgets.Text(word, description="word", **_WIDE)
    return Explorer(lambda word: encode_with_agenda.record(_short(word), ranks), word=box)


def explore_layers(text: str, encoding: Any) -> Explorer:
    """A text to type, and its characters, bytes, glyphs and the tokens of an encoding (ours or tiktoken's)."""
    box = ipywidgets.Text(text, description="text", **_WIDE)

    def tokens_of(text: str) -> list[bytes]:
        tokens: list[bytes] = encoding.decode_tokens_bytes(encoding.encode_ordinary(text))
        return tokens

    return Explorer(lambda text: layers.record(_short(text), tokens_of), opened=-1, text=box)


def explore_tiktoken(text: str, encoding: Encoding) -> Explorer:
    """A text to type, and its way to ids, step by step; what is spelled like a special token is text."""
    box = ipywidgets.Text(text, description="text", **_WIDE)
    return Explorer(lambda text: encoding.encode.record(_short(text), disallowed_special=()), text=box)


def explore_round_trip(text: str, processor: Any) -> Explorer:
    """A text to type, and what of it comes back from a sentencepiece processor (ours or the library's)."""
    box = ipywidgets.Text(text, description="text", **_WIDE)
    return Explorer(lambda text: round_trip.record(_short(text), processor), opened=-1, text=box)


def explore_sentencepiece(text: str, processor: SentencePieceProcessor) -> Explorer:
    """A text to type, and its way through a sentencepiece model to ids, step by step."""
    box = ipywidgets.Text(text, description="text", **_WIDE)
    return Explorer(lambda text: processor.encode.record(_short(text, LONGEST_WORD, "encode")), text=box)


def explore_sample_lines(lines: Iterable[str], budget: int = 300) -> Explorer:
    """A budget to move, and the lines of a file that a vocabulary sees for it."""
    file = list(lines)
    size = sum(len(line.encode("utf-8", "surrogatepass")) + 1 for line in file)
    slider = ipywidgets.IntSlider(budget, 1, max(budget, size), description="budget", **_WIDE)
    return Explorer(lambda budget: sample_lines.record(file, size, budget), opened=1, budget=slider)


def explore_viterbi(word: str, vocabulary: Vocabulary) -> Explorer:
    """A word to type, and the lattice of its segmentations, with Viterbi stepping through it."""
    box = ipywidgets.Text(word, description="word", **_WIDE)
    unknown = unknown_log_probability(vocabulary)
    return Explorer(lambda word: viterbi.record(_short(word, LONGEST_WORD, "viterbi"), vocabulary, unknown), word=box)


def explore_wordpiece_training(text: str, vocab_size: int = 30) -> Explorer:
    """A text to type, a vocabulary size and a rule to choose, and how WordPiece learns from it."""
    box = ipywidgets.Textarea(text, description="text", rows=3, **_WIDE)
    size = ipywidgets.IntSlider(vocab_size, 1, vocab_size + 200, description="vocab_size", **_WIDE)

    def follow(_: object = None) -> None:
        try:
            least = len(by_count.Start(count_words(_short(box.value)), sys.maxsize).ids) + 1
        except ValueError:  # no word, or too long: the explorer says so
            return
        # subtle: the far end first, for a slider refuses to begin behind its end.
        size.max = max(size.max, least)
        size.min, size.max = least, max(least + 200, size.value)

    follow()
    box.observe(follow, "value")
    rule = ipywidgets.Dropdown(options=["score", "count, as tokenizers"], description="merge by")
    return Explorer(_wordpiece_training, text=box, vocab_size=size, rule=rule)


def explore_wordpiece_encoding(word: str, vocabulary: Collection[str]) -> Explorer:
    """A word to type, and how WordPiece cuts it with this vocabulary."""
    box = ipywidgets.Text(word, description="word", **_WIDE)
    return Explorer(lambda word: encode_word.record(_short(word), vocabulary), word=box)


def explore_unigram_training(text: str, vocab_size: int = 60) -> Explorer:
    """A text to type and a vocabulary size, and the Unigram training that follows from them."""
    box = ipywidgets.Textarea(text, description="text", rows=3, **_WIDE)
    least, most = _alphabet(text), _largest(text, vocab_size)
    size = ipywidgets.IntSlider(max(vocab_size, least), least, most, description="vocab_size", **_WIDE)

    def follow(change: Any) -> None:
        size.max = _largest(change["new"], size.value)
        size.min = _alphabet(change["new"])

    # subtle: before the explorer looks, so that the size is never below the alphabet of the text.
    box.observe(follow, "value")
    return Explorer(_unigram_training, text=box, vocab_size=size)


def _alphabet(text: str) -> int:
    """The smallest vocabulary that a text can have: its characters, without what only parts words."""
    return max(1, len(set("".join(text.split()))))


def explore_subword_text(text: str, encoder: SubwordTextEncoder) -> Explorer:
    """A text to type, and its way to the ids of an encoder: tokens, escaped, cut into subtokens, and looked up."""
    box = ipywidgets.Text(text, description="text", **_WIDE)
    return Explorer(lambda text: encoder.encode.record(_short(text, whole="encode")), opened=-1, text=box)


_WIDE: dict[str, Any] = {"layout": ipywidgets.Layout(width="auto", max_width="60rem"), "continuous_update": True}
_NAMED: dict[str, Any] = {**_WIDE, "style": {"description_width": "11rem"}}  # room for the name of a setting
_CHOICE: dict[str, Any] = {"style": _NAMED["style"], "layout": ipywidgets.Layout(width="max-content")}


def _unigram_training(text: str, vocab_size: int) -> Recording[Any, Any]:
    counts = count_words(_short(text, whole="train_arrays"))
    if not counts:
        raise ValueError("text has no word yet; type a few words")
    return train_arrays.record(counts, vocab_size)


def _bpe_training(text: str, vocab_size: int, tie_break: str) -> Recording[Any, Any]:
    counts = count_words(_short(text))
    if not counts:
        raise ValueError("text has no word yet; type a few words")
    return train_indexed.record(counts, vocab_size, tie_break)


def _wordpiece_training(text: str, vocab_size: int, rule: str) -> Recording[Any, Any]:
    from tokenlab.algorithms import wordpiece_train_indexed as by_score  # which loads numpy

    counts = count_words(_short(text))
    if not counts:
        raise ValueError("text has no word yet; type a few words")
    training = by_score.train_indexed if rule == "score" else by_count.train_by_count
    return training.record(counts, vocab_size)


def _short(text: str, most: int = LONGEST_TEXT, whole: str = "train_indexed") -> str:
    if len(text) > most:
        raise ValueError(
            f"text is {len(text):,} characters long, too long to follow every key press; "
            f"take {most:,} at the most here, or call {whole} on the whole"
        )
    return text
