"""A text at four levels of representation: characters, bytes, byte symbols and tokens.

>>> print(representation_levels.record("é!", lambda text: [text.encode()]))
1. 2 characters: é !
2. 3 bytes: c3 a9 21
3. 3 byte symbols: Ã © !
4. 1 token: é!
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence

from tokenlab.algorithms.text.byte_symbols import bytes_to_symbols
from tokenlab.printing.printable import NAMED, Parts, Symbol, count_noun, symbol_parts
from tokenlab.steps.recording import step, stepwise


@step
class Level:
    """The units of a text at one level, and the byte offsets where each unit starts and ends."""

    name: str
    units: tuple[Symbol, ...]
    spans: tuple[tuple[int, int], ...]

    def sentence(self) -> Parts:
        """Name the level and its first units."""
        shown = [unit.hex() if self.name == "bytes" else unit for unit in self.units]  # type: ignore[union-attr]
        return [f"{count_noun(len(self.units), self.name.removesuffix('s'))}: ", *symbol_parts(shown, most=NAMED)]


@stepwise
def representation_levels(
    text: str, tokens_of: Callable[[str], Sequence[bytes]]
) -> Generator[Level, None, tuple[bytes, ...]]:
    """Report the levels of a text, and return its tokens; `tokens_of` maps a text to its tokens as bytes.

    A lone surrogate, which UTF-8 cannot encode, is replaced by U+FFFD first, as in tiktoken.

    >>> representation_levels("日", lambda text: [text.encode()[:2], text.encode()[2:]])
    (b'\\xe6\\x97', b'\\xa5')
    """
    text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    data = text.encode()
    single = tuple(data[i : i + 1] for i in range(len(data)))
    tokens = tuple(tokens_of(text))
    yield Level("characters", tuple(text), _spans(len(character.encode()) for character in text))
    yield Level("bytes", single, _spans(map(len, single)))
    yield Level("byte symbols", tuple(bytes_to_symbols(data)), _spans(map(len, single)))
    yield Level("tokens", tokens, _spans(map(len, tokens)))
    return tokens


def _spans(lengths: Iterable[int]) -> tuple[tuple[int, int], ...]:
    spans, end = [], 0
    for length in lengths:
        spans.append((end, end + length))
        end += length
    return tuple(spans)
