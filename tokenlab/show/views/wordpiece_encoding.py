"""Encoding a word with WordPiece: the pieces that were found, the window that shrinks, and what is left.

A frame shows the window that was just looked up, so that the next one can be guessed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tokenlab.algorithms.wordpiece_encode import Found, Lost, Missed, TooLong, encode_word
from tokenlab.misconceptions.wordpiece import piecewise_unk, rest_unk
from tokenlab.show.frames import Frame, Html, Option, Panel, Question, Window, chip, chips, view
from tokenlab.steps import Recording

TRIED, ENTRIES, REST = 12, 16, 60  # rows of a panel, and characters, at the most


@view(encode_word)
def wordpiece_encoding(recording: Recording[Any, Any], window: Window) -> Iterator[Frame]:
    """A frame for the word as it is, and one for each window, and for what came of it."""
    asked = {"next": False, "lost": False}
    for number in range(window.first, window.end + 1):
        done = recording[number - 1] if number else None
        following = recording[number] if number < len(recording) else None
        pieces = _pieces(recording, number)
        yield Frame(
            moment=f"After look-up {number}" if number else "Before look-up 1",
            caption=_caption(done),
            remark="" if following else _result(recording.result),
            panels=tuple(_panels(recording, number, pieces, done)),
            question=_question(recording, pieces, done, following, asked) if number > window.first else None,
        )


def _pieces(recording: Recording[Any, Any], number: int) -> list[Found]:
    return [step for step in recording[:number] if isinstance(step, Found)]


def _caption(done: Any) -> Html:
    match done:
        case None:
            return "The window is the whole word at first. Is it in the vocabulary?"
        case Missed():
            return f"{chip(done.piece, 'unknown')} is not in the vocabulary. The window gets a character shorter."
        case Found():
            return f"{chip(done.piece, 'new')} is in the vocabulary: a piece. What stands behind it is next."
        case TooLong():
            return f"The word has {done.length:,} characters, more than {done.longest:,}: it is not even looked up."
    gone = f" The pieces before are thrown away: {chips(done.pieces)}" if done.pieces else ""
    return (
        f"Not even one character was left of the window. The whole word becomes {chip(done.unknown, 'unknown')}.{gone}"
    )


def _result(pieces: tuple[str, ...]) -> Html:
    return f"Result: {chips(pieces)}" if pieces else "An empty word has no pieces."


def _panels(recording: Recording[Any, Any], number: int, pieces: list[Found], done: Any) -> Iterator[Panel]:
    arguments = recording.arguments
    yield Panel("Pieces so far, the window, and the rest", (_row(arguments, pieces, done),), wide=True)
    start = pieces[-1].end if pieces else 0
    yield Panel("Looked up so far", _tried(recording, number), hides=True)
    if not isinstance(done, Lost | TooLong) and start < len(arguments["word"]):
        mark = (arguments["prefix"] if start else "") + arguments["word"][start]
        entries = sorted(
            (entry for entry in arguments["vocabulary"] if str(entry).startswith(mark)), key=_longest_first
        )
        more = (f"… and {len(entries) - ENTRIES:,} more",) if len(entries) > ENTRIES else ()
        title = f"Vocabulary: what begins alike, {len(entries):,} of {len(arguments['vocabulary']):,} entries"
        yield Panel(title, (*map(chip, entries[:ENTRIES]), *more), kind="chips", hides=True)


def _longest_first(entry: str) -> tuple[int, str]:
    return -len(entry), entry


def _row(arguments: dict[str, Any], pieces: list[Found], done: Any) -> Html:
    word: str = arguments["word"]
    if isinstance(done, Lost | TooLong):
        return f"<li class=tl-ranks>{chip(done.unknown, 'unknown')}"
    cells = [chip(found.piece, "new" if found is done else "") for found in pieces]
    end = pieces[-1].end if pieces else 0
    if isinstance(done, Missed):
        cells.append(chip(done.piece, "unknown"))
        end = done.end
    rest = word[end:]
    if rest:
        dots = "…" if len(rest) > REST else ""
        cells.append(f"<small>rest:</small> {chip(rest[:REST] + dots)}")
    return f"<li class=tl-ranks>{' '.join(cells)}"


def _tried(recording: Recording[Any, Any], number: int) -> tuple[Html, ...]:
    looked_up = [step for step in recording[:number] if isinstance(step, Missed | Found)]
    hidden = len(looked_up) - TRIED
    rows = [
        f"<li>{chip(step.piece, 'new')} yes, a piece" if isinstance(step, Found) else f"<li>{chip(step.piece)} no"
        for step in looked_up[max(0, hidden) :]
    ]
    return (f"<li>… {hidden:,} before these", *rows) if hidden > 0 else tuple(rows)


def _question(
    recording: Recording[Any, Any], pieces: list[Found], done: Any, following: Any, asked: dict[str, bool]
) -> Question | None:
    """Once a word: what is looked up behind the first piece; and what becomes of a word that cannot be cut."""
    if isinstance(following, Lost) and not asked["lost"]:
        asked["lost"] = True
        return _what_becomes(recording, following)
    if isinstance(done, Found) and following is not None and not asked["next"]:
        asked["next"] = True
        return _next_window(recording.arguments, done.end)
    return None


def _next_window(arguments: dict[str, Any], start: int) -> Question | None:
    rest, prefix = arguments["word"][start:], arguments["prefix"]
    if not prefix:
        return None
    mark = chip(prefix)
    right = Option(
        chip(prefix + rest), f"All that is left comes first, with {mark}, for it stands inside the word.", True
    )
    bare = (
        f"It is spelled so, but inside a word a piece bears {mark}; without it, it would be a piece that begins words."
    )
    options = [right, Option(chip(rest), bare, belief=19)]
    return Question("What is looked up next?", tuple(options)).shuffled()


def _what_becomes(recording: Recording[Any, Any], lost: Lost) -> Question | None:
    word, unknown = recording.arguments["word"], lost.unknown
    vocabulary, prefix = recording.arguments["vocabulary"], recording.arguments["prefix"]
    where = f"No piece starts with {chip(word[lost.start])} here"
    options: dict[tuple[str, ...], Option] = {}
    options[(unknown,)] = Option(chip(unknown), f"{where}, and that loses the whole word.", True)
    for program in (piecewise_unk, rest_unk):
        guess = program(word, vocabulary, unknown, prefix)
        why = f"{where}, and the encoder does not go on: a word has all its pieces, or none."
        options.setdefault(guess, Option(chips(guess), why, belief=17))
    if len(options) == 1:
        return None
    return Question(f"{where}. What are the tokens of {chip(word)}?", tuple(options.values())).shuffled()
