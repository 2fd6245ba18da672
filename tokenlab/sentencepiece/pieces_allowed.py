"""What a trainer may make a piece of.

Adds: the rules that keep words, scripts and digits apart.

Source: google/sentencepiece, src/trainer_interface.cc, IsValidSentencePiece.
"""

from __future__ import annotations

from typing import Any

from tokenlab.sentencepiece.model import SPACE
from tokenlab.sentencepiece.scripts import script_of

RARE = "▅"  # stands for a character that is in no piece, and for what is cut out before training
DIGITS = frozenset("0123456789０１２３４５６７８９")


class Allowed:
    """Whether a string may be a piece."""

    def __init__(self, spec: Any) -> None:
        """Take a TrainerSpec."""
        self.spec = spec

    def __call__(self, piece: str) -> bool:
        """Whether its length, its blanks, its digits and its scripts are as the spec wants them."""
        if not 0 < len(piece) <= self.spec.max_sentencepiece_length or not {RARE, "\0", "\x1f", " "}.isdisjoint(piece):
            return False
        if self.spec.split_digits and len(piece) > 1 and not DIGITS.isdisjoint(piece):
            return False
        return self._blanks(piece) and (not self.spec.split_by_unicode_script or self._one_script(piece))

    def _blanks(self, piece: str) -> bool:
        """Whether `▁` stands only where a word starts, or ends; within, if words need not be apart."""
        if SPACE not in piece or (self.spec.allow_whitespace_only_pieces and not piece.strip(SPACE)):
            return True
        if self.spec.treat_whitespace_as_suffix:
            return SPACE not in (piece[:-1] if self.spec.split_by_whitespace else piece[:-1][:1])
        return SPACE not in (piece[1:] if self.spec.split_by_whitespace else piece[1:][-1:])

    def _one_script(self, piece: str) -> bool:
        before = ""  # any script goes with it
        for character in piece:
            if character == SPACE:
                continue
            script = script_of(character)
            if script == "Inherited":
                script = before
            if not self.spec.split_by_number and character in DIGITS:
                script = ""
            if script and before and script != before:
                return False
            before = script
        return True
