"""Explain a pipeline of `tokenlab.libraries.tokenizers`: tokenizer.json, a folder of transformers, or vocab.txt."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from tokenlab.algorithms.text.byte_symbols import symbols_to_bytes
from tokenlab.libraries.tokenizers.components.sequence import members
from tokenlab.libraries.tokenizers.decoders.decoder import ByteLevel
from tokenlab.libraries.tokenizers.encode_in_steps import (
    AddedTokensExtracted,
    Normalized,
    Part,
    PreTokenized,
    TemplateApplied,
    Tokenized,
    TokenPart,
)
from tokenlab.libraries.tokenizers.models.bpe import BYTE_TOKENS
from tokenlab.libraries.tokenizers.tokenizer import Tokenizer
from tokenlab.printing.printable import printable
from tokenlab.show.frames import sentence
from tokenlab.show.plain_text import plain_text
from tokenlab.steps.recording import Recording
from tokenlab.why.explanation import Explainer, Explanation, Stage, TokenRow, Word, frames, note_on_bytes
from tokenlab.why.model_steps import made_by_model, model_lines, model_recording

_BYTES = {token: bytes([byte]) for byte, token in enumerate(BYTE_TOKENS)}


class PipelineExplainer(Explainer):
    """Explains a `Tokenizer`.

    >>> from tokenlab.libraries.tokenizers.models import WordPiece
    >>> explainer = PipelineExplainer(Tokenizer(WordPiece({"a": 0, "##b": 1})), "a test")
    >>> [row.token for row in explainer.explain("ab").tokens]
    ['a', '##b']
    """

    def __init__(self, tokenizer: Tokenizer, kind: str) -> None:
        self.tokenizer = tokenizer
        model = type(tokenizer.model).__name__
        self._is_byte_level = any(isinstance(decoder, ByteLevel) for decoder in members(tokenizer.decoder))
        self._added = set(tokenizer.get_added_tokens_decoder())
        self.summary = f"{kind}, {model}, {tokenizer.get_vocab_size():,} tokens"

    def explain(self, text: str) -> Explanation:
        """Return the explanation of a text."""
        recording: Recording[Any, Any] = self.tokenizer.encode.record(text)
        return Explanation(
            text, tuple(self._rows(recording)), tuple(_stages(recording)), tuple(self._words(recording)), recording
        )

    def _rows(self, recording: Recording[Any, Any]) -> Iterator[TokenRow]:
        encoding = recording.result
        added = {
            (part.added_id, part.original_span)
            for step in recording
            if isinstance(step, AddedTokensExtracted)
            for part in step.parts
        }
        inserted = next((step.rule for step in recording if isinstance(step, TemplateApplied)), "")
        unknown = _unknown_ids(self.tokenizer)
        columns = zip(
            encoding.ids, encoding.tokens, encoding.offsets, encoding.sequence_ids, encoding.attention_mask, strict=True
        )
        for id, token, offsets, sequence, attended in columns:
            if sequence is None or not attended:
                note = f"inserted by {inserted}" if attended else "padding"
                yield TokenRow(id, printable(token), None, note)
                continue
            note = ""
            if (id, offsets) in added:
                note = "added token"
            elif id in unknown:
                note = "unknown"
            elif token in _BYTES and self.tokenizer.id_to_token(id) == token:
                note = "byte fallback"
            elif self._is_byte_level:
                note = note_on_bytes(self.bytes_of(id))
            yield TokenRow(id, printable(token), offsets, note)

    def _words(self, recording: Recording[Any, Any]) -> Iterator[Word]:
        tokens, parts = _last(recording, Tokenized), _last(recording, AddedTokensExtracted, PreTokenized)
        found: dict[int, list[TokenPart]] = {}
        for token in tokens.parts:
            found.setdefault(token.part, []).append(token)
        model = self.tokenizer.model
        for number, part in enumerate(parts.parts):
            if part.added_id is None and part.text:
                its = tuple(printable(token.text) for token in found.get(number, ()))
                explain, record = partial(model_lines, model, part.text), partial(model_recording, model, part.text)
                made = partial(made_by_model, model, part.text)
                yield Word(part.text, part.original_span, its, explain, record, made)

    # --- ids --------------------------------------------------------------------------------------

    def token_of(self, id: int) -> str | None:
        """Return the token of an id."""
        return self.tokenizer.id_to_token(id)

    def bytes_of(self, id: int) -> bytes | None:
        """Return the bytes of a byte-level or byte-fallback token, or None."""
        token = self.tokenizer.id_to_token(id) or ""
        if self._is_byte_level:
            try:
                return token.encode() if id in self._added else symbols_to_bytes(token)
            except ValueError:
                return token.encode()
        return _BYTES.get(token)

    def decode(self, ids: Sequence[int]) -> str:
        """Return the text of ids, with special tokens."""
        return self.tokenizer.decode(list(ids), skip_special_tokens=False)


def _last(recording: Recording[Any, Any], *kinds: type) -> Any:
    return next(step for step in reversed(recording.steps) if isinstance(step, kinds))


def _stages(recording: Recording[Any, Any]) -> Iterator[Stage]:
    """Yield the stages, with the captions of the player; the second pass for added tokens only if it finds one."""
    found = 0
    for step, frame in zip(recording, frames(recording, len(recording)), strict=True):
        said = plain_text(frame.caption)
        parts: tuple[str, ...] = ()
        match step:
            case AddedTokensExtracted(normalized_pass=second):
                before, found = found, sum(part.added_id is not None for part in step.parts)
                if second and found == before:
                    continue
                parts = tuple(_parts(step.parts)) if found else ()
            case PreTokenized() | Tokenized():
                parts = tuple(_parts(step.parts))
            case TemplateApplied():
                parts = tuple(map(printable, step.tokens))
            case Normalized():
                said = plain_text(sentence(step.changes()))
                parts = () if step.text == step.before else tuple(_parts(step.parts))
        if parts and not isinstance(step, Normalized):
            said = f"{said.partition(': ')[0]}."  # the sentence ends with the first parts; here all of them follow
        yield Stage(frame.moment, said, parts)


def _parts(parts: Sequence[Part | TokenPart]) -> Iterator[str]:
    return (printable(part.text) for part in parts)


def _unknown_ids(tokenizer: Tokenizer) -> set[int]:
    model: Any = tokenizer.model
    unknown = getattr(model, "unk_token", None)
    ids = {model.token_to_id(unknown)} if unknown else {getattr(model, "_unk_id", None)}
    return {id for id in ids if isinstance(id, int)}
