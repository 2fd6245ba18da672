"""The pictures of the site's first page: one text, played by five algorithms, each in one or two panels.

Adds: for a text of any reader, models that need no PyTorch: merges, pieces, a tokenizer and word pairs learned from the
kit's English corpus. The map of the T5 shows the shapes of its tables, which follow from the numbers of tokens.
Leaves out: questions, and the panels of the lessons that a small picture has no room for.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise
from math import log
from typing import Any, NamedTuple

from tokenlab import data
from tokenlab.algorithms.text.count_words import count_words
from tokenlab.show.explorers.typed_text import check_characters
from tokenlab.show.frames import Frame, Html, Panel, chip, labelled, text
from tokenlab.show.player import Player, PlayerTrack
from tokenlab.steps.recording import Recording

LONGEST = 40  # characters of the text
LONGEST_WORD = 14  # characters of the lattice
BEAMS, WORDS = 3, 4  # of the beam search: its width, and the words that it adds
END = "."


def answer(name: str, written: str) -> str:
    """Return the data of a picture's player for a text as JSON, or the message of an error."""
    try:
        return json.dumps({"data": picture(name, written).data})
    except ValueError as error:
        return json.dumps({"message": str(error)})


def picture(name: str, written: str) -> Player:
    """Return the player of one of `PICTURES` for a text.

    Raises:
        ValueError: the text has no word, is too long, or contains half of a surrogate pair.

    >>> print(picture("merges", "light").tracks[0].frames[-1].caption)
    <b>li</b> + <b>ght</b> became <b class=new>light</b>, rank 279, at 0.
    """
    check_characters(written, LONGEST, "picture", "text")
    if not written.split():
        raise ValueError("text has no word yet; type your name or a few words")
    if half := re.search("[\ud800-\udfff]", written):
        raise ValueError(f"text has half of a surrogate pair at {half.start()}; type the whole character")
    frames = tuple(PICTURES[name].frames(" ".join(written.split())))
    said = "\n".join(f"{frame.moment}: {frame.caption}" for frame in frames)
    return Player([PlayerTrack(PICTURES[name].title, frames, said)], predict=False)


def _longest_word(written: str) -> str:
    return max(written.split(), key=len)[:LONGEST_WORD]


def _first_panels(recording: Recording[Any, Any]) -> Iterator[Frame]:
    """Yield the frames of a recording with the first panel only."""
    for frame in PlayerTrack.of(recording, 0, len(recording) or 1).frames:
        yield replace(frame, panels=frame.panels[:1], remark="", question=None)


# --- merges and lattice -------------------------------------------------------------------------------


@cache
def _ranks() -> Any:
    from tokenlab.algorithms.bpe.encode import merge_ranks
    from tokenlab.algorithms.bpe.train_indexed import train_indexed

    return merge_ranks(train_indexed(count_words(data.text("english")), 650))


def merges(written: str) -> Iterator[Frame]:
    """Yield the merges of BPE; those of different words do not influence each other."""
    from tokenlab.algorithms.bpe.encode_priority_queue import encode_with_priority_queue

    return _first_panels(encode_with_priority_queue.record(written, _ranks()))


@cache
def _pieces() -> Any:
    from tokenlab.algorithms.unigram.train import train

    return train(count_words(data.text("english").lower()[:10_000]), 500)


def lattice(written: str) -> Iterator[Frame]:
    """Yield the steps of Viterbi on the lattice of the longest word."""
    from tokenlab.algorithms.unigram.viterbi import viterbi
    from tokenlab.algorithms.unigram.vocabulary import unknown_log_probability

    pieces = _pieces()
    return _first_panels(viterbi.record(_longest_word(written).lower(), pieces, unknown_log_probability(pieces)))


# --- one token from the text to its id ----------------------------------------------------------------


@cache
def _bert() -> Any:
    from tokenlab.show.explorers.explore_pipeline import train_bert_tokenizer

    return train_bert_tokenizer(data.text("english").splitlines())


def levels(written: str) -> Iterator[Frame]:
    """Yield a frame for each token, in which its characters, its word and its id are highlighted."""
    encoding = _bert().encode(written)
    spans: dict[int, tuple[int, int]] = {}
    for word, (start, end) in zip(encoding.word_ids, encoding.offsets, strict=True):
        if word is not None:
            spans[word] = (spans.get(word, (start, end))[0], end)
    words = [written[slice(*span)] for span in spans.values()]
    for at, (token, id, word) in enumerate(zip(encoding.tokens, encoding.ids, encoding.word_ids, strict=True)):
        start, end = encoding.offsets[at]
        rows = (
            _row("text", written, range(start, end)),
            _row("words", words, () if word is None else (list(spans).index(word),)),
            _row("tokens", encoding.tokens, (at,)),
            _row("ids", [str(each) for each in encoding.ids], (at,)),
        )
        comes = f"is made of {chip(written[start:end])}" if end > start else "is added by the template"
        caption = f"{chip(token, 'new')} {comes}, and its id is {id}."
        yield Frame(f"Token {at + 1}", caption, panels=(Panel("From the text to the ids", rows, "words"),))


def _row(name: str, parts: Sequence[str], lit: Container[int]) -> Html:
    return labelled(text(name), " ".join(chip(part, "new" if at in lit else "") for at, part in enumerate(parts)))


# --- beams --------------------------------------------------------------------------------------------


class WordPairs(NamedTuple):
    """A language model of word pairs."""

    words: list[str]  # by id; the end of a sentence is `END`
    shares: list[float]  # of each word among all words
    following: dict[str, Counter[str]]

    def log_probs(self, word: str) -> list[float]:
        """Return the log probability of each next word: 9 parts by pairs, 1 part by shares."""
        seen = self.following.get(word, Counter())
        part, total = (0.1, seen.total()) if seen else (1.0, 1)
        return [log(part * share + 0.9 * seen[one] / total) for one, share in zip(self.words, self.shares, strict=True)]


@cache
def _word_pairs() -> WordPairs:
    every: Counter[str] = Counter()
    following: dict[str, Counter[str]] = {}
    for sentence in re.split(r"[.?!]", data.text("english").lower()):
        words = [*re.findall(r"[^\W\d_]+", sentence), END]
        every.update(words)
        for word, then in pairwise(words):
            following.setdefault(word, Counter())[then] += 1
    words = sorted(every)
    return WordPairs(words, [every[word] / every.total() for word in words], following)


def beams(written: str) -> Iterator[Frame]:
    """Yield the tree of a beam search that continues the text word by word."""
    from tokenlab.algorithms.decoding.beam_search import initial_beam_scores, select_beams, top_candidates
    from tokenlab.algorithms.decoding.stopping_rule import StoppingRule
    from tokenlab.libraries.transformers.generation.beam_state import BeamSearchState, CandidateNode
    from tokenlab.libraries.transformers.generation.beam_steps import Candidate
    from tokenlab.show.views.decoding.beam_tree_drawing import tree_panel

    model, last = _word_pairs(), written.split()[-1]
    tree = BeamSearchState(rule=StoppingRule(BEAMS), root=CandidateNode(last, 0.0))
    drawn: dict[CandidateNode, Html] = {}
    running: list[tuple[tuple[int, ...], float]] = [((), total) for total in initial_beam_scores(BEAMS)]
    opening = f"Which words may follow {chip(last)}? A model of word pairs knows how often a word follows another."
    yield Frame("Before the first step", opening, panels=(tree_panel(tree, 2 * BEAMS, drawn),))
    for step in range(1, WORDS + 1):
        before = [model.words[ids[-1]] if ids else last.lower().strip(".,!?") for ids, _ in running]
        best = top_candidates([total for _, total in running], [model.log_probs(word) for word in before])
        recorded = select_beams.record([ids for ids, _ in running], best, model.words.index(END))
        statuses = [made.status for made in recorded]
        tree.extend(
            [
                Candidate(one.beam, one.token, one.total, status, model.words[one.token])
                for one, status in zip(best, statuses, strict=True)
            ],
            step,
        )
        running = list(recorded.result[0])
        caption = f"Of the {len(best)} best continuations, the best {BEAMS} that do not end continue."
        yield Frame(f"Step {step}", caption, panels=(tree_panel(tree, 2 * BEAMS, drawn),))


# --- the map of the T5 --------------------------------------------------------------------------------


def model_map(written: str) -> Iterator[Frame]:
    """Yield the parts of a T5 on their map, each with the shape of its table for this text."""
    from tokenlab.libraries.transformers import T5Config, T5Tokenizer
    from tokenlab.show.model_map.you_are_here import map_rows

    tokens = T5Tokenizer.from_pretrained(data.t5_tiny()).tokenize(written)
    sizes = T5Config.from_pretrained(str(data.t5_tiny()))
    rows = len(tokens) + 1  # with the end of the text; in the decoder, with the start
    heads, matrix = f"{sizes.num_heads} heads of {rows} × {rows}", f"{rows} × {sizes.d_model}"
    shapes = {
        "source ids": ("Each token is replaced by its id", f"{rows} ids"),
        "embedding": ("Each id selects a row of the embedding table", matrix),
        "encoder self-attention": ("Each row looks at all rows of the text", heads),
        "decoder input": ("The decoder reads the start and its own output, here as long as your text", f"{rows} ids"),
        "self-attention": ("Each row looks at itself and at the rows before it", heads),
        "cross-attention": ("Each row of the decoder looks at all rows of the encoder", heads),
        "feed-forward layer": ("Each row is transformed on its own", matrix),
        "output layer": ("Each row becomes a number for each token of the vocabulary", f"{rows} × {sizes.vocab_size}"),
    }
    shown = Panel("Your text, and the end", (" ".join(map(chip, [*tokens, "</s>"])),), "chips", wide=True)
    for name, (does, shape) in shapes.items():
        yield Frame(
            name.capitalize(), f"{does}: <b>{shape}</b>", panels=(Panel("Map", map_rows(name), wide=True), shown)
        )


class Picture(NamedTuple):
    """A picture: its title, its frames for a text, its lesson, and the explorer there that can play the same text."""

    title: str
    frames: Callable[[str], Iterator[Frame]]
    lesson: str
    explorer: str = ""  # the function that makes it
    value: str = ""  # the name of the control for the text


PICTURES = {
    "merges": Picture("BPE merges pairs", merges, "02_bpe_encoding", "explore_bpe_encoding", "word"),
    "lattice": Picture("Unigram finds the best path", lattice, "06_unigram_segmenting", "explore_viterbi", "word"),
    "levels": Picture("A token and its characters", levels, "11_tokenizer_pipeline", "explore_pipeline", "text"),
    "beams": Picture("Beam search keeps the best", beams, "18_beam_search"),
    "map": Picture("What a T5 computes", model_map, "13_t5_in_one_picture"),
}
