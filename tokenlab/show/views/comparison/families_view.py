"""Views of one text as the tokens of each family, and of the boundaries of the tokens and the morphemes of a word.

The rows of the families are aligned by bytes: pointing at a token, or focusing it, highlights the tokens of the other
families that cover the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tokenlab.laboratory.comparison.compare_families import FamilyEncoded
from tokenlab.printing.printable import printable
from tokenlab.show.frames import Frame, Html, Panel, Question, StepRange, chips, labelled, sentence, text
from tokenlab.show.views.elements.questions import ask
from tokenlab.show.views.elements.token_tables import header_row, number, row, table
from tokenlab.steps.recording import Recording

LONGEST = 96  # bytes on the ruler
# Names wider than their column, with a space where they may break.
SHORT = {"SubwordTextEncoder": "Subword TextEncoder", "SentencePiece BPE": "Sentence Piece BPE"}
RESTORES_THE_TEXT = 27  # the number of the misconception
ASKED = ("WordPiece", "Unigram")


def families_view(recording: Recording[Any, Any], window: StepRange) -> Iterator[Frame]:
    """Show a frame for the text, and one for each family."""
    for count, last, following in window.steps_around(recording):
        shown = recording.steps[:count]
        yield Frame(
            moment=last.family if last else "The text",
            caption=sentence(last)
            if last
            else "Seven tokenizers learned from the same corpus. How does each of them split this text?",
            remark="Point at a token to see the tokens of the other families for the same text." if count > 1 else "",
            panels=(
                Panel("Tokens, aligned by bytes", (_text_row(recording), *map(_tokens_row, shown)), wide=True),
                table("Measures", [HEADER, *map(_measures, shown)]),
            ),
            question=_question(recording, following),
        )


def _question(recording: Recording[Any, Any], following: FamilyEncoded | None) -> Question | None:
    """Return the question whether a lossy family restores the text; the first lost character is shown."""
    if following is None or following.family not in ASKED or following.first_loss < 0:
        return None
    if len(recording.arguments["text"][: following.first_loss + 1].encode("utf-8", "replace")) > LONGEST:
        return None
    why = "The family changes or replaces characters before it looks up tokens. Decoding cannot restore them."
    return ask(
        f"Does {text(following.family)} restore this text?",
        ("No", why),
        (RESTORES_THE_TEXT, "Yes", ""),
        given=(_text_row(recording),),
    )


def _text_row(recording: Recording[Any, Any]) -> Html:
    cells, start = [], 0
    for character in recording.arguments["text"]:
        end = start + len(character.encode("utf-8", "replace"))
        if end <= LONGEST:
            cells.append(_cell(printable(character), start, end))
        start = end
    more = f" <small>… the first {LONGEST} of {start:,} bytes</small>" if start > LONGEST else ""
    return f"<li class=tl-ruler><span>text{more}</span> {''.join(cells)}"


def _tokens_row(one: FamilyEncoded) -> Html:
    cells = "".join(
        _cell(shown, start, end, unknown)
        for shown, start, end, unknown in _grouped(one)
        if start >= 0 and end <= LONGEST
    )
    return f"<li class=tl-ruler><span>{text(SHORT.get(one.family, one.family))}</span> {cells}"


def _grouped(one: FamilyEncoded) -> list[tuple[str, int, int, bool]]:
    """Join tokens that share bytes, or that cover none, with a neighbour, so that every cell has its own columns."""
    cells: list[tuple[str, int, int, bool]] = []
    for entry, (start, end), unknown in zip(one.entries, one.spans, one.unknown, strict=True):
        shown = printable(entry)
        if isinstance(entry, bytes) and shown.startswith("\\x"):
            shown = entry.hex(" ")
        last = cells[-1] if cells else None
        if last and (start < last[2] or start == end or last[1] == last[2]):
            cells[-1] = (f"{last[0]} {shown}", last[1], max(last[2], end), last[3] or unknown)
        else:
            cells.append((shown, start, end, unknown))
    return [cell for cell in cells if cell[1] < cell[2]]


def _cell(shown: str, start: int, end: int, unknown: bool = False) -> Html:
    where = " ".join(map(str, range(start, end)))
    mark = " class=unknown" if unknown else ""
    style = f"grid-column:{start + 2}/{end + 2};white-space:nowrap"
    return f'<b{mark} tabindex=0 data-at="{where}" style="{style}" title="{text(shown)}">{text(shown)}</b>'


HEADER = header_row(
    "family", "entries", "tokens", "per word", "bytes per token", "unknown bytes", "restored", numbers=6
)


def _measures(one: FamilyEncoded) -> Html:
    return row(
        text(one.family),
        number(f"{one.vocabulary:,}"),
        number(f"{len(one.entries):,}"),
        number(f"{one.tokens_per_word:.2f}"),
        number(f"{one.bytes_per_token:.2f}"),
        number(f"{one.unknown_bytes:,}"),
        number("yes" if one.first_loss < 0 else f"no, at {one.first_loss}"),
    )


def boundaries_view(recording: Recording[Any, Any], window: StepRange) -> Iterator[Frame]:
    """Show a frame for the word, and one for each boundary."""
    rows = [labelled(name, chips(recording.arguments[name])) for name in ("tokens", "morphemes")]
    for count, last, _ in window.steps_around(recording):
        done = recording.steps[:count]
        right = sum(one.of_tokens and one.of_morphemes for one in done)
        counts = (
            labelled("of both", str(right)),
            labelled("of tokens", str(sum(one.of_tokens for one in done))),
            labelled("of morphemes", str(sum(one.of_morphemes for one in done))),
        )
        yield Frame(
            moment=f"Index {last.index}" if last else "The word",
            caption=sentence(last)
            if last
            else "At which indices does a token end? At which indices does a morpheme end?",
            panels=(Panel("The word", tuple(rows), "words"), Panel("Boundaries so far", counts, "words")),
        )
