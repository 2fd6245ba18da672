"""View of WordPiece encoding: the tokens found so far, the shrinking window, and the rest of the word.

A frame shows the last window that was looked up, so the learner can predict the next one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tokenlab.algorithms.wordpiece.encode import LongestMatch, NotInVocabulary, UnknownWord, WordTooLong
from tokenlab.misconceptions.wordpiece import piecewise_unk, rest_unk
from tokenlab.printing.printable import printable
from tokenlab.show.frames import OTHER, Frame, Html, Option, Panel, Question, StepRange, chip, chips, sentence
from tokenlab.show.views.elements.questions import ask
from tokenlab.steps.recording import Recording

TRIED, ENTRIES, REST = 12, 16, 60  # maximum rows, vocabulary entries and characters shown


def wordpiece_encoding(recording: Recording[Any, Any], window: StepRange) -> Iterator[Frame]:
    """Yield a frame for the word, one for each lookup, and one for the result."""
    asked = {"next": False, "lost": False}
    for number, done, following in window.steps_around(recording):
        tokens = _tokens(recording, number)
        yield Frame(
            moment=_moment(number, done),
            caption=sentence(done) if done else "The encoder first looks up the whole word. Is it in the vocabulary?",
            remark=_remark(done) if following else _result(recording.result),
            panels=tuple(_panels(recording, number, tokens, done)),
            question=_question(recording, tokens, done, following, asked) if number > window.first else None,
        )


def _moment(number: int, done: Any) -> str:
    if isinstance(done, UnknownWord | WordTooLong):  # these steps look nothing up
        return "At the end"
    return f"After lookup {number}" if number else "Before lookup 1"


def _tokens(recording: Recording[Any, Any], number: int) -> list[LongestMatch]:
    return [step for step in recording[:number] if isinstance(step, LongestMatch)]


def _remark(done: Any) -> Html:
    if not isinstance(done, NotInVocabulary):
        return ""
    return "The encoder removes the last character." if done.end - done.start > 1 else "No shorter text is left."


def _result(tokens: tuple[str, ...]) -> Html:
    return f"Result: {chips(tokens)}" if tokens else "An empty word has no tokens."


def _panels(recording: Recording[Any, Any], number: int, tokens: list[LongestMatch], done: Any) -> Iterator[Panel]:
    arguments = recording.arguments
    yield Panel("Tokens so far, the text that was looked up, and the rest", (_row(arguments, tokens, done),), wide=True)
    start = tokens[-1].end if tokens else 0
    yield Panel("Lookups so far", _tried(recording, number), hides=True)
    if not isinstance(done, UnknownWord | WordTooLong) and start < len(arguments["word"]):
        mark = (arguments["prefix"] if start else "") + arguments["word"][start]
        entries = sorted(
            (entry for entry in arguments["vocabulary"] if str(entry).startswith(mark)), key=_longest_first
        )
        more = (f"… and {len(entries) - ENTRIES:,} more",) if len(entries) > ENTRIES else ()
        size = len(arguments["vocabulary"])
        title = f"Vocabulary: tokens that start with {printable(mark)}, {len(entries):,} of {size:,}"
        yield Panel(title, (*map(chip, entries[:ENTRIES]), *more), kind="chips", hides=True)


def _longest_first(entry: str) -> tuple[int, str]:
    return -len(entry), entry


def _row(arguments: dict[str, Any], tokens: list[LongestMatch], done: Any) -> Html:
    word: str = arguments["word"]
    if isinstance(done, UnknownWord | WordTooLong):
        return f"<li class=tl-ranks>{chip(done.unknown, 'unknown')}"
    cells = [chip(found.token, "new" if found is done else "") for found in tokens]
    end = tokens[-1].end if tokens else 0
    if isinstance(done, NotInVocabulary):
        cells.append(chip(done.token, "unknown"))
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
        f"<li>{chip(step.token, 'new')} found"
        if isinstance(step, LongestMatch)
        else f"<li>{chip(step.token)} not found"
        for step in looked_up[max(0, hidden) :]
    ]
    return (f"<li>… {hidden:,} earlier lookups", *rows) if hidden > 0 else tuple(rows)


def _question(
    recording: Recording[Any, Any], tokens: list[LongestMatch], done: Any, following: Any, asked: dict[str, bool]
) -> Question | None:
    """Ask once per word for the lookup after the first token, and for the result of a word with an unknown part."""
    if isinstance(following, UnknownWord) and not asked["lost"]:
        asked["lost"] = True
        return _what_becomes(recording, following)
    if isinstance(done, LongestMatch) and following is not None and not asked["next"]:
        asked["next"] = True
        return _next_window(recording.arguments, tokens)
    return None


def _next_window(arguments: dict[str, Any], tokens: list[LongestMatch]) -> Question | None:
    rest, prefix = arguments["word"][tokens[-1].end :], arguments["prefix"]
    if not prefix or len(rest) > REST:
        return None
    mark = chip(prefix)
    bare = f"Every token inside a word starts with {mark}. A token without {mark} starts a word."
    return ask(
        "Which text does the encoder look up next?",
        (
            chip(prefix + rest),
            f"The encoder first looks up the whole rest. It adds {mark}, because the rest is inside the word.",
        ),
        Option(chip(rest), bare, misconception=19),
        (OTHER, chip(prefix + rest[:1]), "It does not start with the shortest text."),
        given=(*(chip(found.token) for found in tokens), f"rest: {chip(rest)}"),
    )


def _what_becomes(recording: Recording[Any, Any], lost: UnknownWord) -> Question | None:
    word, unknown = recording.arguments["word"], lost.unknown
    vocabulary, prefix = recording.arguments["vocabulary"], recording.arguments["prefix"]
    where = f"No token matches the text that starts with {chip(word[lost.start])}"
    why = f"{where}, so the encoder stops. It never returns tokens for a part of a word."
    guesses = [program(word, vocabulary, unknown, prefix) for program in (piecewise_unk, rest_unk)]
    kept = [guesses[1][:-1]] if len(guesses[1]) > 1 else []
    return ask(
        f"{where}. What are the tokens of {chip(word)}?",
        (chip(unknown), f"{where}, so the whole word becomes the unknown token."),
        *(Option(chips(guess), why, misconception=17) for guess in guesses),
        *(Option(chips(found), f"{why} It does not drop a part either.", misconception=OTHER) for found in kept),
        given=(where, chip(word)),
    )
