"""An explanation as lines for a terminal: tokens, stages and the steps of some words; and as a page with players."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import get_close_matches

from tokenlab.printing.printable import printable
from tokenlab.printing.text_layout import hanging, safe, table, width_of, wrapped
from tokenlab.show.frames import Html, text
from tokenlab.show.player import shared_assets, standalone_page
from tokenlab.why.explanation import Explanation, Stage, Word, written_span

ROWS = 40  # tokens that are listed by default
WORDS = 4  # words that are explained by default
PARTS = 3  # lines of parts of a stage
SENTENCES = 60  # lines of a word
LONGEST = 60  # characters of a word or a text in a heading
COLUMNS = 34  # the maximum width of a token or a text in the table
NOTE = 20  # columns that are left for a note, at least
MOST_PLAYED = 50  # pre-tokens with their own player on a page
SENTENCES_ON_PAGE = 200  # sentences, and tokens, of such a pre-token
_SPACES = " ▁Ġ\t\r\n"


def choose_words(explanation: Explanation, number: int | None, wanted: str | None) -> list[Word]:
    """Return the words to explain: those that were asked for, or the first ones, each once.

    Args:
        explanation: the explanation.
        number: the maximum number of words, 0 for all; None for the default.
        wanted: the text of a word, as in the text or as the model receives it; spaces around it do not count.

    Raises:
        ValueError: no word has this text.
    """
    first: dict[str, Word] = {}
    for word in explanation.words:
        first.setdefault(word.text, word)
    different = list(first.values())
    if wanted is None:
        most = WORDS if number is None else number
        return different[: most or None]
    for stripped in (False, True):
        found = [word for word in different if wanted in _names(explanation.text, word, stripped)]
        if not found and stripped and wanted.strip(_SPACES):
            found = [w for w in different if wanted.strip(_SPACES) in _names(explanation.text, w, stripped)]
        if found:
            return found[: number or None]
    names = [printable(word.text) for word in different]
    near = get_close_matches(wanted, names, n=5, cutoff=0.3) or names[:5]
    raise ValueError(
        f"--word {wanted!r} is not one of the {len(names):,} different pre-tokens of this text; "
        f"there are: {' '.join(near)}{' ...' if len(names) > len(near) else ''}"
    )


def _names(text: str, word: Word, stripped: bool) -> set[str]:
    names = {word.text, text[slice(*word.span)], printable(word.text)}
    return {name.strip(_SPACES) for name in names} if stripped else names


def report(explanation: Explanation, words: Sequence[Word], rows: int | None, width: int) -> Iterator[str]:
    """Yield the lines of the report.

    Args:
        explanation: the explanation.
        words: the words whose steps are listed.
        rows: the maximum number of tokens that are listed, 0 for all; None for the default.
        width: the number of columns.
    """
    for line in (*_tokens(explanation, rows, width), *_stages(explanation, width)):
        yield safe(line)
    different = len({word.text for word in explanation.words})
    for number, word in enumerate(words, start=1):
        for line in _word(explanation, word, number, len(words), width):
            yield safe(line)
    if len(words) < different:
        yield ""
        yield from wrapped(
            f"Explained: {len(words):,} of {different:,} different pre-tokens. "
            f"--max-words N (0: all) or --word TEXT shows others.",
            width,
        )


def _tokens(explanation: Explanation, rows: int | None, width: int) -> Iterator[str]:
    tokens, text = explanation.tokens, explanation.text
    shown = tokens[: (ROWS if rows is None else rows) or None]
    yield f"Tokens: {len(tokens):,}"
    if shown:
        notes = any(row.note for row in shown)
        most = min(COLUMNS, (width - 24 - (NOTE if notes else 0)) // 2)
        cells = [
            [
                "",
                str(row.id),
                written_span(row.span),
                row.token,
                printable(text[slice(*row.span)]) if row.span else "",
                row.note,
            ]
            for row in shown
        ]
        yield from table(
            ["", "id", "offsets", "token", "text", "note" if notes else ""],
            cells, [0, 9, 13, most, most], right=3, width=width,
        )  # fmt: skip
    if len(shown) < len(tokens):
        yield f"  ... {len(tokens) - len(shown):,} more tokens; --max-tokens N (0: all) shows others"


def _stages(explanation: Explanation, width: int) -> Iterator[str]:
    yield ""
    yield "Why"
    for stage in explanation.stages:
        yield from _stage(stage, width)


def _stage(stage: Stage, width: int) -> Iterator[str]:
    yield from hanging(f"  {stage.name}: {stage.said}", width, indent=2)
    yield from _limited(" | ".join(stage.parts), width, PARTS, len(stage.parts))


def _limited(text: str, width: int, most: int, number: int) -> Iterator[str]:
    lines = list(wrapped(text, width, "      ")) if text else []
    yield from lines[:most]
    if len(lines) > most:
        yield f"      ... ({number:,} in all)"


def _word(explanation: Explanation, word: Word, number: int, of: int, width: int) -> Iterator[str]:
    original = explanation.text[slice(*word.span)]
    yield ""
    shown = short(word.text)
    came = "" if original == word.text else f', from the text "{short(original)}"'
    times = sum(other.text == word.text for other in explanation.words)
    often = f", which occurs {times} times" if times > 1 else ""
    yield from wrapped(f"Pre-token {shown}, offsets {written_span(word.span)}{came}{often}", width)
    lines = list(word.explain())
    for line in lines[:SENTENCES]:
        yield from hanging(f"  {line}", width)
    if len(lines) > SENTENCES:
        yield f"  ... {len(lines) - SENTENCES:,} more lines; --json has all of them"
    tokens = " ".join(word.tokens) or "nothing"
    if width_of(tokens) <= 10 * width:
        yield from hanging(f"  = {tokens}", width, indent=2)


def short(text: str) -> str:
    """Return a text for a heading: printable, and truncated if it is long."""
    shown = printable(text)
    return shown if len(shown) <= LONGEST else f"{shown[: LONGEST - 1]}…"


def played(words: Sequence[Word]) -> list[Word]:
    """Return the words whose steps a page plays one by one: none if the player of the text shows them."""
    return [word for word in words if word.record is not None][:MOST_PLAYED]


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
    heading = text(f"Pre-token {short(word.text)}, offsets {written_span(word.span)}")
    folded = "" if player else " open"
    sentences = text("\n".join(_sentences(word)))
    said = f'<pre style="white-space:pre-wrap">{sentences}</pre>'
    return f"<h2>{heading}</h2>{player}<details{folded}><summary>In sentences</summary>{said}</details>"


def _sentences(word: Word) -> Iterator[str]:
    lines, tokens = word.explain(), word.tokens
    yield from lines[:SENTENCES_ON_PAGE]
    if len(lines) > SENTENCES_ON_PAGE:
        yield f"... {len(lines) - SENTENCES_ON_PAGE:,} more lines; --json has all of them"
    more = f" ... {len(tokens) - SENTENCES_ON_PAGE:,} more tokens" if len(tokens) > SENTENCES_ON_PAGE else ""
    yield f"= {' '.join(tokens[:SENTENCES_ON_PAGE]) or 'nothing'}{more}"
