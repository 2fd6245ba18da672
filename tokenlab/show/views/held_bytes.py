"""What a streamer may show: the bytes of a text as its tokens bring them, what is held and why, and what came out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tokenlab.algorithms.held_bytes import Came, Ended
from tokenlab.misconceptions.streaming import decode_each_token, hold_forever_on_fffd
from tokenlab.show.frames import Fact, Frame, Html, Option, Panel, Question, Window, chip, text, view
from tokenlab.steps import Recording
from tokenlab.transformers.generation.streamers import TextStreamer
from tokenlab.visible import visible

LONGEST = 40  # characters and tokens that are shown: the newest
TORN = "\N{REPLACEMENT CHARACTER}"
NOTHING = "nothing"


@view("tokenlab.algorithms.held_bytes.come_out")
def held_bytes(recording: Recording[Any, Any], window: Window) -> Iterator[Frame]:
    """A frame before the first token, one for each, and one for the end if bytes are left."""
    tokens = [step.token for step in recording if isinstance(step, Came)]
    by_words, waiting = word_by_word(tokens), hold_forever_on_fffd(tokens)
    asked = _questions(recording.steps)
    for number in range(window.first, window.end + 1):
        done = recording.steps[:number]
        yield Frame(
            moment=_moment(done),
            caption=_caption(done),
            remark=_why(done[-1].held) if done and isinstance(done[-1], Came) else "",
            panels=tuple(_panels(done, tokens, by_words, waiting, len(recording))),
            question=asked.get(number),
        )


def word_by_word(tokens: Sequence[bytes]) -> list[str]:
    """What transformers' TextStreamer shows with each token, and at the end.

    >>> word_by_word([b"a b", b"c", b" d"])
    ['a ', '', 'bc ', 'd']
    """
    heard: list[str] = []

    class Bytes:
        def decode(self, ids: Sequence[int]) -> str:
            return b"".join(tokens[id] for id in ids).decode(errors="replace")

    class Heard(TextStreamer):
        def on_finalized_text(self, text: str, stream_end: bool = False) -> None:
            heard.append(text)

    streamer = Heard(Bytes())
    for id in range(len(tokens)):
        streamer.put([id])
    streamer.end()
    return heard


def _moment(done: Sequence[Any]) -> str:
    if not done:
        return "Before the first token"
    return "The end" if isinstance(done[-1], Ended) else f"Token {len(done)}"


def _caption(done: Sequence[Any]) -> Html:
    match done[-1] if done else None:
        case Came(token=token, shown="", held=held):
            return f"{chip(token)} comes. Nothing is shown{', and all of it is held' if held else ''}."
        case Came(token=token, shown=shown):
            return f"{chip(token)} comes. {chip(shown, 'new')} is shown."
        case Ended(held=held, shown=shown):
            return f"Nothing more comes: {chip(held, 'unknown')} will never be whole, and {chip(shown)} is shown."
    return "The bytes of a text come token by token."


def _why(held: bytes) -> Html:
    """What the held bytes wait for."""
    if not held:
        return "Nothing is held: all bytes that came are whole characters."
    needed = bytes_of_character(held[0])
    missing = needed - len(held)
    return (
        f"The byte {held[0]:02x} begins a character of {needed} bytes, and {missing} of them "
        f"{'is' if missing == 1 else 'are'} missing."
    )


def bytes_of_character(first: int) -> int:
    """How many bytes a character has whose first byte this is.

    >>> [bytes_of_character(text.encode()[0]) for text in ("a", "é", "日", "🙂")]
    [1, 2, 3, 4]
    """
    return 1 + (first >= 0xC0) + (first >= 0xE0) + (first >= 0xF0)


def _panels(
    done: Sequence[Any], tokens: Sequence[bytes], by_words: Sequence[str], waiting: Sequence[str], of: int
) -> Iterator[Panel]:
    if not done:
        return
    came = [step for step in done if isinstance(step, Came)]
    yield Panel("The tokens so far, in bytes; dashed is what is held", (_bytes(came, done[-1]),), wide=True)
    shown = [step.shown for step in done]
    ended = len(done) == of
    alone = decode_each_token(tokens[: len(came)])
    rows = (
        _line("whole characters, at once", shown),
        _line("each token by itself", alone),
        _line(f"waits while it ends in {TORN}", waiting[: len(came)]),
        _line("transformers, word by word", by_words[: len(came) + ended]),
    )
    yield Panel("What has been shown" + ", in the end" * ended, rows, kind="words", wide=True)


def _bytes(came: Sequence[Came], last: Any) -> Html:
    """The tokens as their bytes, those of the held ones dashed."""
    held = len(last.held) if isinstance(last, Came) else 0
    marked: list[Html] = []
    for step in reversed(came[-LONGEST:]):
        waiting = min(held, len(step.token))
        held -= waiting
        whole, rest = step.token[: len(step.token) - waiting], step.token[len(step.token) - waiting :]
        mark = " class=new" if step is last else ""
        parts = [f"<b{mark}>{whole.hex(' ')}</b>"] * bool(whole) + [f"<b class=unknown>{rest.hex(' ')}</b>"] * bool(
            rest
        )
        marked.append("".join(parts))
    before = "… " if len(came) > LONGEST else ""
    return f"<li class=tl-ranks>{before}{' '.join(reversed(marked))}"


def _line(name: str, texts: Sequence[str]) -> Html:
    """What one way has shown: the older as text, the newest as a chip."""
    old, new = "".join(texts[:-1]), "".join(texts[-1:])
    cut = f"…{old[-LONGEST:]}" if len(old) > LONGEST else old
    newest = chip(new, "new") if new else ""
    return f"<li><span>{name}</span> <div style=overflow-wrap:anywhere>{text(visible(cut))}{newest}</div>"


# --- questions ------------------------------------------------------------------------------------


def _questions(steps: Sequence[Any]) -> dict[int, Question]:
    """By the number of steps done: the first beginning of a character, its end, and the first sign of its own."""
    tokens = [step.token for step in steps if isinstance(step, Came)]
    alone, waiting = decode_each_token(tokens), hold_forever_on_fffd(tokens)
    asked: dict[str, int] = {}
    for number, step in enumerate(steps):
        if number == 0 or not isinstance(step, Came):
            continue
        if step.held and not step.shown and alone[number]:
            asked.setdefault("begins", number)
        if len(steps[number - 1].held) > 1 and not step.held:
            asked.setdefault("is whole", number)
        if step.shown.endswith(TORN) and not waiting[number]:
            asked.setdefault("is literal", number)
    return {
        number: question
        for number in asked.values()
        if (question := _what_is_shown(steps, number, alone[number], waiting[number])) is not None
    }


def _what_is_shown(steps: Sequence[Any], number: int, alone: str, waiting: str) -> Question | None:
    """What may be shown, or what its own decoding is, or what one shows who waits at the sign for damage (50)?"""
    step, before = steps[number], steps[number - 1].held
    facts: tuple[Fact, ...] = (("bytes", before + step.token, len(before) + len(step.token)),)
    why = _made_up(len(before) + len(step.token), step)
    options = {step.shown: Option(_shown(step.shown), why, right=True, facts=facts)}
    told = f"Its bytes by themselves are not what the text says. {why}"
    options.setdefault(alone, Option(_shown(alone), told, belief=50, facts=facts))
    told = f"The sign stands in the text itself, so nothing would ever mend it. {why}"
    options.setdefault(waiting, Option(_shown(waiting), told, belief=50, facts=facts))
    if len(options) < 2:
        return None
    held_now = f"{chip(before, 'unknown')} is held, and then " if before else ""
    return Question(f"{held_now}{chip(step.token)} comes. What is shown?", tuple(options.values())).shuffled()


def _made_up(number: int, step: Came) -> Html:
    """What comes of the bytes that are there."""
    there = "1 byte is there" if number == 1 else f"{number} bytes are there"
    held = f"{len(step.held)} {'is' if len(step.held) == 1 else 'are'} held"
    if not step.shown:
        return f"{there}, not a whole character; {'it is' if number == 1 else 'they are'} held."
    if not step.held:
        return f"{there}: {'it makes' if number == 1 else 'they make'} up {chip(step.shown)}."
    some = number - len(step.held)
    return f"{there}: {some} of them {'makes' if some == 1 else 'make'} up {chip(step.shown)}, and {held}."


def _shown(shown: str) -> Html:
    return chip(shown) if shown else NOTHING
