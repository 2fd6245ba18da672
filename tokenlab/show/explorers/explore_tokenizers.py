"""Controls above a player: a change of a text or setting reruns the algorithm and updates the player."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from threading import Lock
from typing import Any

import anywidget
import ipywidgets
import traitlets

from tokenlab.algorithms.bpe.encode import Ranks
from tokenlab.algorithms.bpe.encode_priority_queue import encode_with_priority_queue
from tokenlab.algorithms.bpe.tie_break import POLICIES
from tokenlab.algorithms.bpe.train_indexed import train_indexed
from tokenlab.algorithms.text.count_words import count_words
from tokenlab.algorithms.text.granularity import tokenize_at_each_granularity
from tokenlab.algorithms.text.representation_levels import representation_levels
from tokenlab.algorithms.training_data.sample_lines import sample_lines
from tokenlab.algorithms.unigram.train_arrays import train_arrays
from tokenlab.algorithms.unigram.viterbi import viterbi
from tokenlab.algorithms.unigram.vocabulary import Vocabulary, unknown_log_probability
from tokenlab.algorithms.wordpiece import train_by_frequency as by_count
from tokenlab.algorithms.wordpiece.encode import encode_word
from tokenlab.sentencepiece import SentencePieceProcessor
from tokenlab.sentencepiece.round_trip import round_trip
from tokenlab.show.frames import text as as_html
from tokenlab.show.player import Player, load_asset
from tokenlab.steps import Recording
from tokenlab.tensor2tensor.text_encoder import SubwordTextEncoder
from tokenlab.tiktoken import Encoding

LONGEST_TEXT = 20_000  # characters of a text that is processed at every key press without delay
LONGEST_WORD = 200  # characters of a word whose lattice is drawn


class PlayerWidget(anywidget.AnyWidget):
    """The player as a widget that is redrawn when its data change."""

    _esm = load_asset("player.js") + "\nexport default { render };"
    _css = load_asset("player.css") + "\n.tokenlab-stale { opacity: .5; }"
    data = traitlets.Unicode().tag(sync=True)


class Explorer(ipywidgets.VBox):  # type: ignore[misc]
    """Controls, and below them the player for the recording of their values."""

    def __init__(
        self,
        record: Callable[..., Recording[Any, Any]],
        opened: int | Callable[[Recording[Any, Any]], int] = 0,
        predict: bool = True,
        **controls: Any,
    ) -> None:
        """Take a function that returns a recording, and a control for each of its arguments.

        Args:
            record: returns the recording that is shown.
            opened: the frame at which each recording is opened, or a function of the recording; -1 is the last.
            predict: whether the player asks questions at first.
            controls: a widget for each argument name.
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
                recording = self._record(**values)
                opened = self.opened(recording) if callable(self.opened) else self.opened
                self._player = recording.play(opened=opened, predict=self._predict)
            except (ValueError, TypeError) as error:
                self.message.value = f"<p role=alert>{as_html(error)}</p>"
                self.widget.add_class("tokenlab-stale")
            else:
                self.message.value = ""
                self.widget.remove_class("tokenlab-stale")
                self.widget.data = self._player.data

    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]:
        # The output has the player without a kernel in addition to the widget: stored lessons keep it.
        return {**super()._repr_mimebundle_(**options), **self._player._repr_mimebundle_()}


def text_box(name: str, value: str, named: bool = False) -> ipywidgets.Text:
    """Return a text box as wide as the page; `named` leaves room for the name of a setting."""
    return ipywidgets.Text(value, description=name, **(NAMED if named else WIDE))


def int_slider(name: str, value: int, least: int, most: int) -> ipywidgets.IntSlider:
    """Return a slider for a setting."""
    return ipywidgets.IntSlider(value, least, most, description=name, **NAMED)


def float_slider(
    name: str, value: float, least: float, most: float, step: float = 0.1, **options: Any
) -> ipywidgets.FloatSlider:
    """Return a slider for a setting."""
    return ipywidgets.FloatSlider(value, min=least, max=most, step=step, description=name, **options, **NAMED)


def explore_segmentations(sentence: str, corpus: str, merges: int = 500) -> Explorer:
    """Explore a sentence as words, characters, and subwords learned from the corpus."""

    def record(sentence: str) -> Recording[Any, Any]:
        return tokenize_at_each_granularity.record(check_characters(sentence), corpus, merges)

    return Explorer(record, opened=-1, sentence=text_box("sentence", sentence))


def explore_bpe_training(text: str, vocab_size: int = 60) -> Explorer:
    """Explore BPE training on a typed text for a vocabulary size and a tie-break."""
    box = ipywidgets.Textarea(text, description="text", rows=3, **WIDE)
    size = ipywidgets.IntSlider(vocab_size, 1, _largest(text, vocab_size), description="vocab_size", **WIDE)

    def follow(change: Any) -> None:
        size.max = _largest(change["new"], size.value)

    # subtle: registered before the explorer's callback, so the slider's range fits the new text first.
    box.observe(follow, "value")
    ties = ipywidgets.Dropdown(options=list(POLICIES), description="tie_break")
    return Explorer(_bpe_training, text=box, vocab_size=size, tie_break=ties)


def _largest(text: str, vocab_size: int) -> int:
    """Return the slider's maximum: 200 merges more than the alphabet of the text, and at least 300."""
    return max(300, vocab_size, len(set(text)) + 200)


def explore_bpe_encoding(word: str, ranks: Ranks) -> Explorer:
    """Explore the BPE encoding of a word with these ranks."""
    record = encode_with_priority_queue.record
    return Explorer(lambda word: record(check_characters(word), ranks), word=text_box("word", word))


def explore_text_levels(text: str, encoding: Any) -> Explorer:
    """Explore the characters, bytes, byte symbols and tokens of a text with an encoding of this kit or tiktoken."""

    def tokens_of(text: str) -> list[bytes]:
        tokens: list[bytes] = encoding.decode_tokens_bytes(encoding.encode_ordinary(text))
        return tokens

    record = representation_levels.record
    return Explorer(lambda text: record(check_characters(text), tokens_of), opened=-1, text=text_box("text", text))


def explore_tiktoken(text: str, encoding: Encoding) -> Explorer:
    """Explore how tiktoken encodes a text step by step; the text of a special token is encoded as ordinary text."""
    record = encoding.encode.record
    return Explorer(lambda text: record(check_characters(text), disallowed_special=()), text=text_box("text", text))


def explore_round_trip(text: str, processor: Any) -> Explorer:
    """Explore encoding and decoding with a SentencePiece processor of this kit or the library."""
    box = text_box("text", text)
    return Explorer(lambda text: round_trip.record(check_characters(text), processor), opened=-1, text=box)


def explore_sentencepiece(text: str, processor: SentencePieceProcessor) -> Explorer:
    """Explore how a SentencePiece model encodes a text, step by step."""
    box = text_box("text", text)
    return Explorer(lambda text: processor.encode.record(check_characters(text, LONGEST_WORD, "encode")), text=box)


def explore_sample_lines(lines: Iterable[str], budget: int = 300) -> Explorer:
    """Explore the lines of a file that are sampled for a byte budget."""
    file = list(lines)
    size = sum(len(line.encode("utf-8", "surrogatepass")) + 1 for line in file)
    slider = ipywidgets.IntSlider(budget, 1, max(budget, size), description="budget", **WIDE)
    return Explorer(lambda budget: sample_lines.record(file, size, budget), opened=1, budget=slider)


def explore_viterbi(word: str, vocabulary: Vocabulary[Any]) -> Explorer:
    """Explore the Viterbi algorithm on the lattice of a word."""
    box = text_box("word", word)
    unknown = unknown_log_probability(vocabulary)
    return Explorer(
        lambda word: viterbi.record(check_characters(word, LONGEST_WORD, "viterbi"), vocabulary, unknown), word=box
    )


def explore_wordpiece_training(text: str, vocab_size: int = 30) -> Explorer:
    """Explore WordPiece training on a typed text for a vocabulary size and a merge rule."""
    box = ipywidgets.Textarea(text, description="text", rows=3, **WIDE)
    size = ipywidgets.IntSlider(vocab_size, 1, vocab_size + 200, description="vocab_size", **WIDE)

    def follow(_: object = None) -> None:
        try:
            least = len(by_count.FrequencyTrainingState(count_words(check_characters(box.value)), sys.maxsize).ids) + 1
        except ValueError:  # no word, or too long: the explorer reports the error
            return
        # subtle: the maximum first, because a slider rejects a minimum above its maximum.
        size.max = max(size.max, least)
        size.min, size.max = least, max(least + 200, size.value)

    follow()
    box.observe(follow, "value")
    rule = ipywidgets.Dropdown(options=["score", "count, as tokenizers"], description="merge by")
    return Explorer(_wordpiece_training, text=box, vocab_size=size, rule=rule)


def explore_wordpiece_encoding(word: str, vocabulary: Collection[str]) -> Explorer:
    """Explore the WordPiece encoding of a word with this vocabulary."""
    box = text_box("word", word)
    return Explorer(lambda word: encode_word.record(check_characters(word), vocabulary), word=box)


def explore_unigram_training(text: str, vocab_size: int = 60) -> Explorer:
    """Explore Unigram training on a typed text for a vocabulary size."""
    box = ipywidgets.Textarea(text, description="text", rows=3, **WIDE)
    least, most = _alphabet(text), _largest(text, vocab_size)
    size = ipywidgets.IntSlider(max(vocab_size, least), least, most, description="vocab_size", **WIDE)

    def follow(change: Any) -> None:
        size.max = _largest(change["new"], size.value)
        size.min = _alphabet(change["new"])

    # subtle: registered before the explorer's callback, so the size is never below the alphabet of the text.
    box.observe(follow, "value")
    return Explorer(_unigram_training, text=box, vocab_size=size)


def _alphabet(text: str) -> int:
    """Return the smallest vocabulary size for a text: its number of distinct characters without whitespace."""
    return max(1, len(set("".join(text.split()))))


def explore_subword_text(text: str, encoder: SubwordTextEncoder) -> Explorer:
    """Explore how a SubwordTextEncoder encodes a text: tokens, escaped tokens, subtokens and ids."""
    box = text_box("text", text)
    return Explorer(lambda text: encoder.encode.record(check_characters(text, whole="encode")), opened=-1, text=box)


WIDE: dict[str, Any] = {"layout": ipywidgets.Layout(width="auto", max_width="60rem"), "continuous_update": True}
NAMED: dict[str, Any] = {**WIDE, "style": {"description_width": "11rem"}}  # width for the name of a setting
CHOICE: dict[str, Any] = {"style": NAMED["style"], "layout": ipywidgets.Layout(width="max-content")}


def _typed_counts(text: str, whole: str = "train_indexed") -> Mapping[Any, int]:
    counts = count_words(check_characters(text, whole=whole))
    if not counts:
        raise ValueError("text has no word yet; type a few words")
    return counts


def _unigram_training(text: str, vocab_size: int) -> Recording[Any, Any]:
    return train_arrays.record(_typed_counts(text, "train_arrays"), vocab_size)


def _bpe_training(text: str, vocab_size: int, tie_break: str) -> Recording[Any, Any]:
    return train_indexed.record(_typed_counts(text), vocab_size, tie_break)


def _wordpiece_training(text: str, vocab_size: int, rule: str) -> Recording[Any, Any]:
    from tokenlab.algorithms.wordpiece import train_indexed as by_score

    training = by_score.train_indexed if rule == "score" else by_count.train_by_frequency
    return training.record(_typed_counts(text), vocab_size)


def check_characters(text: str, most: int = LONGEST_TEXT, whole: str = "train_indexed") -> str:
    """Return the text, or raise a ValueError if it is too long to process at every key press."""
    if len(text) > most:
        raise ValueError(
            f"text is {len(text):,} characters long, too long to process at every key press; "
            f"take at most {most:,} here, or call {whole} on the whole text"
        )
    return text
