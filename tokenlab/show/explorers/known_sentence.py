"""A text box for the tiny T5, beside a list of sentences that it knows; other words are answered with what it knows."""

from __future__ import annotations

import re
from typing import Any

from tokenlab import data
from tokenlab.show.explorers.controls import Choice, TextBox
from tokenlab.show.explorers.typed_text import LONGEST_TYPED

_WORD = re.compile(r"<extra_id_\d+>|[A-Za-zÀ-ÿ]+")

# All words of the English sentences of data/t5-tiny/grammar.py, without regard to case; a test compares both.
WORDS = frozenset(
    _WORD.findall(
        """
    a am an anna apple apples are ate bag bags banana bananas bed behind bicycle bicycles big bird birds black blue book
    books bought boy bread brother buy buying cake cakes call called calling car cars cat cats chair chairs cheese child
    close closed closing coat coats coffee cold cup cups day did do doctor does dog dogs door doors drank draw drawing
    drew drink drinking drinks eat eating eats egg eggs evening every father find flower flowers for found fresh friend
    front garden gave girl green happy has hat hats have he help helped helping her him horse horses hot house houses
    hungry i in is key keys kitchen lamp lamps last letter letters long looking man me meat milk morning mother my new
    newspaper newspapers next not of old on open opened opening pencil pencils read reading red repair repaired
    repairing rice room sad saw see sell she shirt shirts sister small sold table tables tea teacher the them there they
    this three tired to tom tomorrow tree trees two umbrella umbrellas under us very visit visited want wants was wash
    washed washing water we week were white will window windows woman write writing wrote yesterday you
        """
    )
)
OWN = "a sentence that it knows"  # the option of the list while the box has another text
SENTENCES = (
    "The girl gave the teacher a book.",
    "My sister did not buy a blue shirt.",
    "She is reading three books in the room.",
    "The doctor will buy two new hats tomorrow.",
    "Did my father draw a small house?",
    "Tom read my book last week.",
    "The woman gave Anna a pencil.",
    "My friend will buy a lamp tomorrow.",
)
_PREFIX = re.compile(r"^[^:.?!]*: ")  # of a task


class KnownSentence(TextBox):
    """A text box, and the list `known` of sentences that the tiny T5 was trained on; a chosen one fills the box."""

    kind = "known_sentence"

    def __init__(self, label: str, value: str) -> None:
        """Take the name of the control and its first text, whose words are allowed, too.

        The sentences of the list have the task prefix of the first text, which is itself in the list.
        """
        super().__init__(label, value)
        self._allowed = WORDS | {word.lower() for word in _WORD.findall(value)}
        found = _PREFIX.match(value)
        prefix = found[0] if found else ""
        first = [value.removeprefix(prefix)] * bool(value)
        options = [(one, f"{prefix}{one}") for one in dict.fromkeys([*first, *SENTENCES])]
        self.known = Choice("or choose", [(OWN, ""), *options])
        self.observe(self._show_in_list)
        self.known.observe(self._fill)
        self._show_in_list()

    def _show_in_list(self, *_: Any) -> None:
        listed = {text for _, text in self.known.options}
        self.known.value = self.value if self.value in listed else ""

    def _fill(self, _: str, chosen: str) -> None:
        if chosen:
            self.value = chosen

    def check(self) -> None:
        """Raise a ValueError with the list of sentences and words if the text has a word that the model never saw."""
        found = _PREFIX.match(self.value)
        typed = _WORD.findall(self.value[found.end() if found else 0 :])
        unknown = [word for word in dict.fromkeys(typed) if word.lower() not in self._allowed and word[0] != "<"]
        if unknown and len(self.value) <= LONGEST_TYPED:  # the explorer answers a longer text itself
            why, words = f"The tiny T5 was not trained on {', '.join(unknown)}.", " ".join(sorted(WORDS))
            raise ValueError(f"{why} It knows sentences such as: {' '.join(SENTENCES)} All its words: {words}")

    def state(self) -> dict[str, Any]:
        """Add the sentences of the list: their labels and texts."""
        return super().state() | {"options": [[*one] for one in self.known.options]}


def sentence_box(name: str, value: str, tokenizer: Any) -> TextBox:
    """Return a text box; for the tiny T5, one that offers and checks its sentences.

    >>> sentence_box("text", "Tom sings.", None).value
    'Tom sings.'
    """
    if str(getattr(tokenizer, "name_or_path", "")) == str(data.t5_tiny()):
        return KnownSentence(name, value)
    return TextBox(name, value)
