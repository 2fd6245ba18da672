"""View of one text as the tokens of published tokenizers: one coloured row each, with the ids; then the counts."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from typing import Any

from tokenlab.laboratory.real_tokenizers import RealTokenized, real_tokenizer
from tokenlab.laboratory.real_tokenizers import text as text_of
from tokenlab.printing.printable import Symbol, count_noun, printable
from tokenlab.show.frames import OTHER, Frame, Html, Panel, Question, StepRange, text
from tokenlab.show.views.elements.questions import ask
from tokenlab.steps.recording import Recording

LARGEST_NEEDS_FEWEST = 134  # the number of the misconception
SHOWN = 60  # tokens of a row
COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9")  # of neighbours, all different: Okabe and Ito
CELL = "padding:0 8px 0 0;border:0;font-weight:400;white-space:normal;vertical-align:top;text-align:left;"
BOX = "display:inline-block;text-align:center;line-height:1.15;margin:1px;padding:0 3px;border-radius:3px;"
NAMED_SCRIPT = re.compile(
    r"(LATIN|CYRILLIC|GREEK|CJK|HIRAGANA|KATAKANA|HANGUL|ARABIC|HEBREW|DEVANAGARI|BENGALI|TAMIL|THAI)"
)


def real_tokenizers_view(recording: Recording[Any, Any], window: StepRange) -> Iterator[Frame]:
    """Show the text, and then its tokens for each tokenizer, the shortest row first."""
    shown = text_of(recording.arguments["name"])
    for _, done, following in window.steps_around(recording):
        if done is None:
            yield Frame(
                moment="The text",
                caption=text(f"This text has {count_noun(len(shown), 'character')}."),
                remark="Predict how each tokenizer splits this text, then step forward.",
                panels=(Panel("Text", (f"<li>{_text(shown)}",), wide=True),),
                question=following and _question(following, shown),
            )
        else:
            counts = [len(ids) for ids in done.ids]
            yield Frame(
                moment="The tokens",
                caption=text(_range(min(counts), max(counts))),
                remark=_why(done),
                panels=(
                    Panel(
                        "Tokens and ids: the fewest first; last, the rows that lose a part of the text",
                        (_table(done),),
                        wide=True,
                    ),
                ),
            )


def _range(fewest: int, most: int) -> str:
    """Return the sentence on the numbers of tokens.

    >>> _range(5, 5), _range(3, 5)
    ('Each tokenizer needs 5 tokens for this text.', 'The tokenizers need 3 to 5 tokens for this text.')
    """
    if fewest == most:
        return f"Each tokenizer needs {count_noun(most, 'token')} for this text."
    return f"The tokenizers need {fewest:,} to {count_noun(most, 'token')} for this text."


def _question(done: RealTokenized, shown: str) -> Question | None:
    """Ask whether the largest vocabulary needs the fewest tokens, if a smaller one needs fewer."""
    rows = zip(done.names, done.ids, done.restored, strict=True)
    counts = {name: len(ids) for name, ids, restored in rows if restored}
    sizes = {name: real_tokenizer(name).size for name in counts}
    best, largest = min(counts, key=counts.__getitem__), max(sizes, key=sizes.__getitem__)
    if counts[best] == counts[largest]:
        return None
    needs = f"{text(best)} needs {count_noun(counts[best], 'token')}, {text(largest)} needs {counts[largest]:,}."
    why = f"{needs} What counts are long entries for this kind of text, if the rules that split the text allow them."
    entries = [f"{text(name)} has {sizes[name]:,} entries" for name in (largest, best)]
    return ask(
        f"{', '.join(entries)}. Which one needs fewer tokens for this text?",
        (text(best), why),
        (LARGEST_NEEDS_FEWEST, text(largest), ""),
        (OTHER, "Both need the same number", ""),
        given=(text(shown), *entries),
    )


def _text(shown: str) -> Html:
    lines = (text(printable(line).replace("␣", " ")) for line in shown.split("\n"))
    return f"<code style='white-space:pre-wrap'>{'<small>↵</small><br>'.join(lines)}</code>"


def _table(done: RealTokenized) -> Html:
    """Return a table with a row for each tokenizer: the shortest first, and last those that do not restore the text."""
    rows = zip(done.names, done.ids, done.tokens, done.unknown, done.restored, strict=True)
    return "".join(
        (
            "<li style='list-style:none'><table>",
            *(_row(*row) for row in sorted(rows, key=lambda row: (not row[4], len(row[1])))),
            "</table>",
        )
    )


def _row(name: str, ids: tuple[int, ...], tokens: tuple[Symbol, ...], unknown: int, restored: bool) -> Html:
    lost = real_tokenizer(name).unknown
    shown = enumerate(zip(tokens[:SHOWN], ids, strict=False))
    boxes = "".join(_box(n, token, id, id == lost) for n, (token, id) in shown)
    more = f" <small>… {len(ids) - SHOWN:,} more</small>" if len(ids) > SHOWN else ""
    said = "" if restored else " <small>does not decode to the same text</small>"
    said += f"<small>: {count_noun(unknown, 'unknown token')}</small>" if unknown else ""
    return (
        f'<tr style="background:none"><th scope=row style="{CELL}white-space:nowrap">{text(name)}'
        f'<td style="{CELL}text-align:right"><strong>{len(ids):,}</strong><td style="{CELL}">{boxes}{more}{said}'
    )


def _box(number: int, token: Symbol, id: int, unknown: bool) -> Html:
    colour = COLOURS[number % len(COLOURS)]
    ground = "transparent;outline:1px dashed #d55e00" if unknown else f"color-mix(in srgb, {colour} 28%, transparent)"
    return f'<span style="{BOX}background:{ground}">{text(printable(token))}<br><small>{id}</small></span>'


def _why(done: RealTokenized) -> Html:
    """Say how the vocabularies differ where the text's letters are, of the tokenizers that restore the text."""
    rows = zip(done.names, done.ids, done.restored, strict=True)
    counts = {name: len(ids) for name, ids, restored in rows if restored}
    if len({*counts.values()}) < 2:
        return "Each box is a token, and the number below it is its id."
    best, worst = min(counts, key=counts.__getitem__), max(counts, key=counts.__getitem__)
    first, last = real_tokenizer(best), real_tokenizer(worst)
    script = _script(done.text)
    counted = f"{best} needs {count_noun(counts[best], 'token')}", f"{worst} needs {counts[worst]:,}"
    if script in ("Latin", ""):
        sizes = f"{counted[0]} with a vocabulary of {first.size:,} entries, {counted[1]} with {last.size:,}."
        more = " A larger vocabulary does not always give fewer tokens." if last.size > first.size else ""
        return text(f"{sizes}{more}")
    own, other = (one.counts["scripts"].get(script, 0) for one in (first, last))
    entries = f"entries that begin with a letter of the {script} script"
    return text(f"{counted[0]}, {counted[1]}. {best} has {own:,} {entries}, {worst} has {other:,}.")


def _script(shown: str) -> str:
    """Return the most frequent script of the letters, as the vocabularies' counts name it."""
    named = Counter(match[1] for c in shown if c.isalpha() and (match := NAMED_SCRIPT.match(unicodedata.name(c, ""))))
    script = named.most_common(1)[0][0] if named else ""
    return {"CJK": "Han"}.get(script, script.capitalize())
