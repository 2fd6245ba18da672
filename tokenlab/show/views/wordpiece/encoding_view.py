"""View of WordPiece encoding: the pieces found so far, the shrinking window, and the rest of the word.

A frame shows the last window that was looked up, so the learner can predict the next one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tokenlab.algorithms.wordpiece.encode import LongestMatch, NotInVocabulary, UnknownWord, WordTooLong, encode_word
from tokenlab.misconceptions.wordpiece import piecewise_unk, rest_unk
from tokenlab.show.frames import Frame, Html, Option, Panel, Question, StepRange, chip, chips, view
from tokenlab.show.views.elements.questions import ask
from tokenlab.steps import Recording

TRIED, ENTRIES, REST = 12, 16, 60  # maximum rows, vocabulary entries and characters shown


@view(encode_word)
def wordpiece_encoding(recording: Recording[Any, Any], window: StepRange) -> Iterator[Frame]:
    """Yield a frame for the word, one for each window, and one for the result."""
    asked = {"next": False, "lost": False}
    for number, done, following in window.steps_around(recording):
        pieces = _pieces(recording, number)
        yield Frame(
            moment=f"After look-up {number}" if number else "Before look-up 1",
            caption=_caption(done),
            remark="" if following else _result(recording.result),
            panels=tuple(_panels(recording, number, pieces, done)),
            question=_question(recording, pieces, done, following, asked) if number > window.first else None,
        )


def _pieces(recording: Recording[Any, Any], number: int) -> list[LongestMatch]:
    return [step for step in recording[:number] if isinstance(step, LongestMatch)]


def _caption(done: Any) -> Html:
    match done:
        case None:
            return "The window is the whole word at first. Is it in the vocabulary?"
        case NotInVocabulary():
            return f"{chip(done.piece, 'unknown')} is not in the vocabulary. The window gets a character shorter."
        case LongestMatch():
            return f"{chip(done.piece, 'new')} is in the vocabulary: a piece. The text after it is next."
        case WordTooLong():
            return f"The word has {done.length:,} characters, more than {done.max_length:,}: it is not looked up."
    discarded = f" The earlier pieces are discarded: {chips(done.pieces)}" if done.pieces else ""
    return f"The window shrank to nothing. The whole word becomes {chip(done.unknown, 'unknown')}.{discarded}"


def _result(pieces: tuple[str, ...]) -> Html:
    return f"Result: {chips(pieces)}" if pieces else "An empty word has no pieces."


def _panels(recording: Recording[Any, Any], number: int, pieces: list[LongestMatch], done: Any) -> Iterator[Panel]:
    arguments = recording.arguments
    yield Panel("Pieces so far, the window, and the rest", (_row(arguments, pieces, done),), wide=True)
    start = pieces[-1].end if pieces else 0
    yield Panel("Looked up so far", _tried(recording, number), hides=True)
    if not isinstance(done, UnknownWord | WordTooLong) and start < len(arguments["word"]):
        mark = (arguments["prefix"] if start else "") + arguments["word"][start]
        entries = sorted(
            (entry for entry in arguments["vocabulary"] if str(entry).startswith(mark)), key=_longest_first
        )
        more = (f"… and {len(entries) - ENTRIES:,} more",) if len(entries) > ENTRIES else ()
        title = f"Vocabulary: entries with this beginning, {len(entries):,} of {len(arguments['vocabulary']):,} entries"
        yield Panel(title, (*map(chip, entries[:ENTRIES]), *more), kind="chips", hides=True)


def _longest_first(entry: str) -> tuple[int, str]:
    return -len(entry), entry


def _row(arguments: dict[str, Any], pieces: list[LongestMatch], done: Any) -> Html:
    word: str = arguments["word"]
    if isinstance(done, UnknownWord | WordTooLong):
        return f"<li class=tl-ranks>{chip(done.unknown, 'unknown')}"
    cells = [chip(found.piece, "new" if found is done else "") for found in pieces]
    end = pieces[-1].end if pieces else 0
    if isinstance(done, NotInVocabulary):
        cells.append(chip(done.piece, "unknown"))
        end = done.end
    rest = word[end:]
    if rest:
        dots = "…" if len(rest) > REST else ""
        cells.append(f"<small>rest:</small> {chip(rest[:REST] + dots)}")
    return f"<li class=tl-ranks>{' '.join(cells)}"


def _tried(recording: Recording[Any, Any], number: int) -> tuple[Html, ...]:
    looked_up = [step for step in recording[:number] if isinstance(step, NotInVocabulary | LongestMatch)]
    hidden = len(looked_up) - TRIED
    rows = [
        f"<li>{chip(step.piece, 'new')} yes, a piece"
        if isinstance(step, LongestMatch)
        else f"<li>{chip(step.piece)} no"
        for step in looked_up[max(0, hidden) :]
    ]
    return (f"<li>… {hidden:,} before these", *rows) if hidden > 0 else tuple(rows)


def _question(
    recording: Recording[Any, Any], pieces: list[LongestMatch], done: Any, following: Any, asked: dict[str, bool]
) -> Question | None:
    """Ask once per word for the look-up after the first piece, and for the result of a word with an unknown part."""
    if isinstance(following, UnknownWord) and not asked["lost"]:
        asked["lost"] = True
        return _what_becomes(recording, following)
    if isinstance(done, LongestMatch) and following is not None and not asked["next"]:
        asked["next"] = True
        return _next_window(recording.arguments, done.end)
    return None


def _next_window(arguments: dict[str, Any], start: int) -> Question | None:
    rest, prefix = arguments["word"][start:], arguments["prefix"]
    if not prefix:
        return None
    mark = chip(prefix)
    bare = f"It is spelled like this, but a piece inside a word has {mark}; without it, the piece begins a word."
    return ask(
        "What is looked up next?",
        (chip(prefix + rest), f"The whole rest is looked up first, with {mark}, because it is inside the word."),
        Option(chip(rest), bare, misconception=19),
    )


def _what_becomes(recording: Recording[Any, Any], lost: UnknownWord) -> Question | None:
    word, unknown = recording.arguments["word"], lost.unknown
    vocabulary, prefix = recording.arguments["vocabulary"], recording.arguments["prefix"]
    where = f"No piece starts with {chip(word[lost.start])} here"
    why = f"{where}, and the encoder stops: a word gets all its pieces, or none."
    guesses = [program(word, vocabulary, unknown, prefix) for program in (piecewise_unk, rest_unk)]
    return ask(
        f"{where}. What are the tokens of {chip(word)}?",
        (chip(unknown), f"{where}, so the whole word is unknown."),
        *(Option(chips(guess), why, misconception=17) for guess in guesses),
    )
