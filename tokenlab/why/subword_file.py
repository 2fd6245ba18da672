"""Explain an encoder of `tokenlab.libraries.tensor2tensor`: runs of characters, escaping, greedy longest matches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import accumulate
from typing import Any

from tokenlab.algorithms.subword_text.build import segment_greedily
from tokenlab.algorithms.subword_text.escape import END_MARKER, Escaped, escape
from tokenlab.algorithms.subword_text.split import split_into_runs
from tokenlab.libraries.tensor2tensor.text_encoder import SubwordTextEncoder, TokenEncoded
from tokenlab.printing.printable import printable
from tokenlab.steps.recording import Recording
from tokenlab.why.explanation import Explainer, Explanation, Lines, Made, Stage, TokenRow, Word


class SubwordExplainer(Explainer):
    """Explains a `SubwordTextEncoder`.

    >>> from tokenlab import data
    >>> explainer = SubwordExplainer(SubwordTextEncoder(data.FOLDER / "english.subwords"))
    >>> [row.token for row in explainer.explain("the cat").tokens]
    ['the_', 'ca', 't_']
    """

    def __init__(self, encoder: SubwordTextEncoder) -> None:
        self.encoder = encoder
        self.summary = f"tensor2tensor subtokens, SubwordTextEncoder, {encoder.vocab_size:,} subtokens"

    def explain(self, text: str) -> Explanation:
        """Return the explanation of a text."""
        recording: Recording[Any, Any] = self.encoder.encode.record(text)
        runs = list(split_into_runs.steps(text))
        kept = [run for run in runs if run.kept]
        rows: list[TokenRow] = []
        words = []
        for number, (run, step) in enumerate(zip(kept, recording, strict=True)):
            rows += _rows(step, run.start)
            span = run.start, run.start + len(run.text)
            its = tuple(map(printable, step.subtokens))
            made = partial(self._made, step, number)
            words.append(Word(step.token, span, its, partial(self._said, step), made=made))
        stages = [Stage("Runs", "The text is split into runs.", tuple(printable(run.text) for run in runs))]
        stages += [Stage("Runs", f"{said}.") for said in dict.fromkeys(str(run) for run in runs if not run.kept)]
        stages += [Stage("Escaping", f"{Escaped('', END_MARKER)}.")]
        return Explanation(text, tuple(rows), tuple(stages), tuple(words), recording)

    def _said(self, step: TokenEncoded) -> Lines:
        alphabet = self.encoder._alphabet
        escaped = [one for one in escape.steps(step.token, alphabet) if one.character not in ("", one.escaped)]
        known = self.encoder._subtoken_string_to_id
        return [*map(str, escaped), *map(str, segment_greedily.steps(step.escaped, known))]

    def _made(self, step: TokenEncoded, number: int, token: int) -> Made:
        """Return the step of a run, and the match that gave its subtoken with the number `token`."""
        matches = [*segment_greedily.steps(step.escaped, self.encoder._subtoken_string_to_id)]
        return Made(steps=[number], said=str(matches[token]) if token < len(matches) else "")

    def token_of(self, id: int) -> str | None:
        """Return the subtoken of an id."""
        return self.encoder.all_subtoken_strings[id] if 0 <= id < self.encoder.vocab_size else None

    def bytes_of(self, id: int) -> bytes | None:
        """Return None: the text of a subtoken depends on those around it."""
        return None

    def decode(self, ids: Sequence[int]) -> str:
        """Return the text of ids."""
        return self.encoder.decode(ids)


def _rows(step: TokenEncoded, start: int) -> Iterator[TokenRow]:
    """Yield the subtokens of a token; if a character was escaped, each has the span of the whole token."""
    end = start + len(step.token)
    exact = step.escaped == f"{step.token}_"
    places = accumulate(map(len, step.subtokens), initial=0)
    for id, subtoken, place in zip(step.ids, step.subtokens, places, strict=False):
        span = (start + place, min(start + place + len(subtoken), end)) if exact else (start, end)
        yield TokenRow(id, printable(subtoken), span, "" if exact else "of a token with escaped characters")
