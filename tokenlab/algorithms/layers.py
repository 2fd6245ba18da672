"""One text in four layers, from what a person sees to what a model gets: characters, bytes, glyphs, tokens.

>>> print(layers.record("é!", lambda text: [text.encode()]))
1. 2 characters: é !
2. 3 bytes: c3 a9 21
3. 3 glyphs: Ã © !
4. 1 token: é!
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence

from tokenlab.algorithms.byte_alphabet import to_glyphs
from tokenlab.steps import step, stepwise
from tokenlab.visible import Symbol, visible


@step
class Layer:
    """What the text consists of on one layer, and where in its bytes each part starts and ends."""

    name: str
    parts: tuple[Symbol, ...]
    spans: tuple[tuple[int, int], ...]

    def __str__(self) -> str:
        """Say how many parts there are, and which."""
        shown = (
            part.hex() if self.name == "bytes" and isinstance(part, bytes) else visible(part) for part in self.parts
        )
        name = self.name.removesuffix("s") if len(self.parts) == 1 else self.name
        return f"{len(self.parts)} {name}: {' '.join(shown)}"


@stepwise
def layers(text: str, tokens_of: Callable[[str], Sequence[bytes]]) -> Generator[Layer, None, tuple[bytes, ...]]:
    """The layers of a text, one by one; `tokens_of` gives its tokens as bytes.

    A lone surrogate, which UTF-8 cannot write, becomes U+FFFD first, as tiktoken does it.

    >>> layers("日", lambda text: [text.encode()[:2], text.encode()[2:]])
    (b'\\xe6\\x97', b'\\xa5')
    """
    text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    data = text.encode()
    single = tuple(data[i : i + 1] for i in range(len(data)))
    tokens = tuple(tokens_of(text))
    yield Layer("characters", tuple(text), _spans(len(character.encode()) for character in text))
    yield Layer("bytes", single, _spans(map(len, single)))
    yield Layer("glyphs", tuple(to_glyphs(data)), _spans(map(len, single)))
    yield Layer("tokens", tokens, _spans(map(len, tokens)))
    return tokens


def _spans(lengths: Iterable[int]) -> tuple[tuple[int, int], ...]:
    spans, end = [], 0
    for length in lengths:
        spans.append((end, end + length))
        end += length
    return tuple(spans)
