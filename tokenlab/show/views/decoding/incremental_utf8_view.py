"""View of incremental UTF-8 decoding: the bytes of each token, the pending bytes, and the text shown so far."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tokenlab.algorithms.decoding.incremental_utf8 import StreamEnded, TokenReceived
from tokenlab.libraries.transformers.generation.streamers import TextStreamer
from tokenlab.misconceptions.streaming import decode_each_token, wait_while_replacement_character
from tokenlab.printing.printable import printable
from tokenlab.show.frames import Frame, Html, Panel, Question, StepRange, chip, labelled, sentence, text
from tokenlab.show.views.elements.questions import ask
from tokenlab.steps.recording import Recording

LONGEST = 40  # newest characters and tokens that are displayed
REPLACEMENT_CHARACTER = "\N{REPLACEMENT CHARACTER}"
NOTHING = "nothing"


def incremental_utf8_view(recording: Recording[Any, Any], window: StepRange) -> Iterator[Frame]:
    """Yield a frame before the first token, one for each token, and one for the end if bytes are pending."""
    tokens = [step.token for step in recording if isinstance(step, TokenReceived)]
    by_words, waiting = text_streamer_output(tokens), wait_while_replacement_character(tokens)
    asked = _questions(recording.steps)
    for number in window.positions:
        done = recording.steps[:number]
        panels = tuple(_panels(done, tokens, by_words, waiting, len(recording)))
        yield Frame(*_moment(done), panels, asked.get(number))


def text_streamer_output(tokens: Sequence[bytes]) -> list[str]:
    """Return the text that transformers' TextStreamer shows for each token, and at the end.

    >>> text_streamer_output([b"a b", b"c", b" d"])
    ['a ', '', 'bc ', 'd']
    """
    parts: list[str] = []

    class Bytes:
        def decode(self, ids: Sequence[int]) -> str:
            return b"".join(tokens[id] for id in ids).decode(errors="replace")

    class Collector(TextStreamer):
        def on_finalized_text(self, text: str, stream_end: bool = False) -> None:
            parts.append(text)

    streamer = Collector(Bytes())
    for id in range(len(tokens)):
        streamer.put([id])
    streamer.end()
    return parts


def _moment(done: Sequence[Any]) -> tuple[str, Html, Html]:
    """Return the moment, the caption and the remark."""
    match done[-1] if done else None:
        case TokenReceived() as step:
            return f"Token {len(done)}", sentence(step), _why(step.pending)
        case StreamEnded() as step:
            return "The end", sentence(step), ""
    return "Before the first token", "The bytes of a text arrive token by token.", ""


def _why(pending: bytes) -> Html:
    """Name the bytes that the pending ones need."""
    if not pending:
        return "All bytes so far form complete characters."
    needed = utf8_length(pending[0])
    missing = needed - len(pending)
    are = "is" if missing == 1 else "are"
    return f"The byte {pending[0]:02x} begins a character of {needed} bytes, and {missing} of them {are} missing."


def utf8_length(first: int) -> int:
    """Return the number of bytes of a character with this first byte.

    >>> [utf8_length(text.encode()[0]) for text in ("a", "é", "日", "🙂")]
    [1, 2, 3, 4]
    """
    return 1 + (first >= 0xC0) + (first >= 0xE0) + (first >= 0xF0)


def _panels(
    done: Sequence[Any], tokens: Sequence[bytes], by_words: Sequence[str], waiting: Sequence[str], of: int
) -> Iterator[Panel]:
    if not done:
        return
    came = [step for step in done if isinstance(step, TokenReceived)]
    yield Panel("The tokens so far in bytes; pending bytes are dashed", (_bytes(came, done[-1]),), wide=True)
    shown = [step.shown for step in done]
    ended = len(done) == of
    alone = decode_each_token(tokens[: len(came)])
    rows = (
        _line("complete characters, immediately", shown),
        _line("each token separately", alone),
        _line(f"waits while it ends in {REPLACEMENT_CHARACTER}", waiting[: len(came)]),
        _line("transformers, word by word", by_words[: len(came) + ended]),
    )
    yield Panel("What has been shown" + ", in the end" * ended, rows, kind="words", wide=True)


def _bytes(came: Sequence[TokenReceived], last: Any) -> Html:
    """Return the tokens as bytes, pending ones dashed."""
    pending = len(last.pending) if isinstance(last, TokenReceived) else 0
    marked: list[Html] = []
    for step in reversed(came[-LONGEST:]):
        waiting = min(pending, len(step.token))
        pending -= waiting
        whole, rest = step.token[: len(step.token) - waiting], step.token[len(step.token) - waiting :]
        mark = " class=new" if step is last else ""
        complete = f"<b{mark}>{whole.hex(' ')}</b>" if whole else ""
        marked.append(complete + (f"<b class=unknown>{rest.hex(' ')}</b>" if rest else ""))
    before = "… " if len(came) > LONGEST else ""
    return f"<li class=tl-ranks>{before}{' '.join(reversed(marked))}"


def _line(name: str, texts: Sequence[str]) -> Html:
    """Return the text that one method has shown; the newest part is a chip."""
    old, new = "".join(texts[:-1]), "".join(texts[-1:])
    recent = f"…{old[-LONGEST:]}" if len(old) > LONGEST else old
    newest = chip(new, "new") if new else ""
    return labelled(name, f"{text(printable(recent))}{newest}", "overflow-wrap:anywhere")


# --- questions ------------------------------------------------------------------------------------


def _questions(steps: Sequence[Any]) -> dict[int, Question | None]:
    """Return questions by the number of finished steps: an incomplete character, its completion, a literal U+FFFD."""
    tokens = [step.token for step in steps if isinstance(step, TokenReceived)]
    alone, waiting = decode_each_token(tokens), wait_while_replacement_character(tokens)
    asked: dict[str, int] = {}
    for number, step in enumerate(steps):
        if number == 0 or not isinstance(step, TokenReceived):
            continue
        if step.pending and not step.shown and alone[number]:
            asked.setdefault("begins", number)
        if len(steps[number - 1].pending) > 1 and not step.pending:
            asked.setdefault("completes", number)
        if step.shown.endswith(REPLACEMENT_CHARACTER) and not waiting[number]:
            asked.setdefault("is literal", number)
    return {number: _what_is_shown(steps, number, alone[number], waiting[number]) for number in asked.values()}


def _what_is_shown(steps: Sequence[Any], place: int, alone: str, waiting: str) -> Question | None:
    """Ask for the text that may be shown; wrong options decode the token separately, or wait at U+FFFD (50)."""
    step, before = steps[place], steps[place - 1].pending
    number = len(before) + len(step.token)
    pending_now = f"{chip(before, 'unknown')} is pending, and then " if before else ""
    return ask(
        f"{pending_now}{chip(step.token)} arrives. What is shown if complete characters are shown immediately?",
        (_shown(step.shown), _made_up(number, step)),
        (50, _shown(alone), "The program must not decode the bytes of a token separately."),
        (50, _shown(waiting), "The character � is part of the text. Later bytes do not change it."),
        given=(f"{pending_now}{chip(step.token)} arrives",),
        facts=(("bytes", before + step.token, number),),
    )


def _made_up(number: int, step: TokenReceived) -> Html:
    """Tell the text and the pending bytes that result."""
    there = "1 byte is there" if number == 1 else f"{number} bytes are there"
    pending = f"{len(step.pending)} {'is' if len(step.pending) == 1 else 'are'} pending"
    if not step.shown:
        return f"{there}, but no complete character. {'It is' if number == 1 else 'They are'} pending."
    if not step.pending:
        return f"{there}. {'It makes' if number == 1 else 'They make'} up {chip(step.shown)}."
    some = number - len(step.pending)
    return f"{there}. {some} of them {'makes' if some == 1 else 'make'} up {chip(step.shown)}, and {pending}."


def _shown(shown: str) -> Html:
    return chip(shown) if shown else NOTHING
