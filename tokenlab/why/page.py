"""An explanation as one page: the player of the text and, where it does not show them, the steps of the model.

Adds: a player for each pre-token that is explained, with its sentences, below the player of the pipeline.
Leaves out: the players; see `tokenlab.show.player`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tokenlab.show.frames import Html, text
from tokenlab.show.player import shared_assets, standalone_page
from tokenlab.why.explanation import Explanation, Word
from tokenlab.why.report import short

MOST = 50  # pre-tokens with their own player
SENTENCES = 200  # sentences, and tokens, of a pre-token


def played(words: Sequence[Word]) -> list[Word]:
    """Return the words whose steps a page plays one by one: none if the player of the text shows them."""
    return [word for word in words if word.record is not None][:MOST]


def page(explanation: Explanation, words: Sequence[Word], title: str) -> Html:
    """Return the page of an explanation, which needs no network.

    Args:
        explanation: the explanation.
        words: the words to explain.
        title: the title of the page.

    >>> from tokenlab import data
    >>> from tokenlab.why.load import load
    >>> page(load(data.FOLDER / "small.tiktoken").explain("the"), [], "why")[:15]
    '<!doctype html>'
    """
    sections = [_section(word) for word in played(words)]
    if not sections:
        return explanation.recording.play().page(title)
    text_player = explanation.recording.play().on_shared_page()
    return standalone_page(title, "".join([shared_assets(), text_player, *sections]))


def _section(word: Word) -> Html:
    recording = word.record() if word.record else None
    player = recording.play().on_shared_page() if recording else ""  # none for a pre-token of one symbol
    heading = text(f"Pre-token {short(word.text)}, offsets {word.span[0]}-{word.span[1]}")
    folded = "" if player else " open"
    sentences = text("\n".join(_sentences(word)))
    said = f'<pre style="white-space:pre-wrap">{sentences}</pre>'
    return f"<h2>{heading}</h2>{player}<details{folded}><summary>In sentences</summary>{said}</details>"


def _sentences(word: Word) -> Iterator[str]:
    lines, tokens = word.explain(), word.tokens
    yield from lines[:SENTENCES]
    if len(lines) > SENTENCES:
        yield f"... {len(lines) - SENTENCES:,} more lines; --json has all of them"
    more = f" ... {len(tokens) - SENTENCES:,} more tokens" if len(tokens) > SENTENCES else ""
    yield f"= {' '.join(tokens[:SENTENCES]) or 'nothing'}{more}"
