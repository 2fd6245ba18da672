"""A museum of errors: 15 claims from well-known courses and libraries, each with the input that refutes it.

The exhibits are in the order of the lessons that explain their terms.

>>> len(EXHIBITS)
15
>>> visit("the replaced text")
the replaced text (BPE, lesson 01)
  claim    A merge of a and b replaces the text 'a b' by 'ab' in the words, which are written with
           spaces.
  input    The symbols of a word are xa and b. The merge is (a, b). Which symbols result?
  claimed  ('xab',)
  actual   ('xa', 'b')
  rule     A merge joins two whole symbols that are adjacent. It never joins parts of symbols.
  source   d2l-ai/d2l-en, section Subword Embedding, merge_symbols
"""

from __future__ import annotations

from tokenlab.laboratory.museum import exhibits
from tokenlab.laboratory.museum.exhibit import Exhibit, Visit
from tokenlab.printing.errors import lookup

__all__ = ["EXHIBITS", "Exhibit", "Visit", "claim", "visit"]

EXHIBITS: dict[str, Exhibit] = {one.name: one for one in sorted(exhibits.EXHIBITS, key=lambda one: one.lesson)}


def claim(name: str) -> Exhibit:
    """Return an exhibit. It shows its claim and its input, but no result.

    Raises:
        ValueError: no exhibit has this name.

    >>> claim("the replaced text")
    the replaced text (BPE, lesson 01)
      claim    A merge of a and b replaces the text 'a b' by 'ab' in the words, which are written with
               spaces.
      input    The symbols of a word are xa and b. The merge is (a, b). Which symbols result?
    """
    return lookup("name", name, EXHIBITS)


def visit(name: str) -> Visit:
    """Run an exhibit and return both results.

    Raises:
        ValueError: no exhibit has this name.
    """
    return claim(name).visit()
