r"""A stand-in for the package `regex`, which is compiled, where only the standard library is: in a browser tab.

It translates a pattern for `re`. Every class of characters, such as `\p{L}`, `\s` or `[\w--[_]]`, is computed as a set
of code points and becomes a bracket expression with explicit ranges, because `re` has no properties and no operations
on sets, and another meaning of \s, \w and \b. Also translated are `\G` at the start of a pattern, and two groups of one
name. Everything else that is accepted means the same in both. `compile` checks a pattern at once, but computes the
ranges on first use.

Categories (`\p{L}`, `\d`), lowercase and uppercase are those of Python's `unicodedata`, so that a character of a later
Unicode version is unassigned. Scripts, grapheme clusters and alphabetic marks are from `tables` (Unicode 18).

Leaves out: bytes; fuzzy matching; recursion; branch reset; \K, \X, \R, \h, \m and \M; named lists; [:alpha:]; partial
matches; lookbehind of variable width; flags after the start of a pattern, unless they have a group; blocks and other
properties; a `{` that starts no quantifier; with IGNORECASE, properties, back references and, in version 1, everything
but sets of ASCII characters, since version 1 compares the full case folding. All of these raise an `error`. Of a
pattern with two groups of one name, only match, fullmatch and search work, and of one with \G also findall and
finditer.

>>> findall(r"\p{Lu}\p{Ll}+|\p{N}", "Ärger um ½")
['Ärger', '½']
>>> compile(r"(?V1)[\w--[a-f\p{Script=Greek}]]+").findall("café λx_")
['é', 'x_']
>>> split(r"(\s)", "a\x1cb\u3000c")  # \x1c is whitespace for `re`
['a\x1cb', '\u3000', 'c']
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, lru_cache, partial
from types import GenericAlias
from typing import Any, Final

from .flags import *  # noqa: F403
from .flags import M, RegexFlag, S
from .sets import BMP, END, Set, bracket, intersection
from .translator import Translator

error = re.error


class Match:
    """A match of a pattern with two groups of one name, which are one group."""

    __class_getitem__ = classmethod(GenericAlias)

    def __init__(self, match: re.Match[str], pattern: Pattern) -> None:
        self._match, self._pattern, self.string = match, pattern, match.string

    def _number(self, group: int | str) -> int:
        wanted = self._pattern.groupindex[group] if isinstance(group, str) else group
        numbers = [number for number, found in enumerate(self._pattern.numbers, 1) if found == wanted] or [wanted]
        return next((number for number in numbers if self._match[number] is not None), numbers[0])

    def group(self, group: int | str = 0) -> str | Any:
        """Return the text of a group."""
        return self._match[self._number(group)]

    __getitem__ = group

    def span(self, group: int | str = 0) -> tuple[int, int]:
        """Return where the match of a group starts and ends."""
        return self._match.span(self._number(group))

    def start(self, group: int | str = 0) -> int:
        """Return where the match of a group starts."""
        return self.span(group)[0]

    def end(self, group: int | str = 0) -> int:
        """Return where the match of a group ends."""
        return self.span(group)[1]


_METHODS: Final = ("match", "fullmatch", "search", "finditer", "findall", "split", "sub", "subn")
_BEYOND_BMP: Final = re.compile("[\U00010000-\U0010ffff]")


class Pattern:
    """A compiled pattern; its methods are those of patterns of `re`, which are made when they are first used.

    subtle: `re` finds out fast whether a character is in the ranges up to U+FFFF, but compares it with every range
    beyond. So there are two patterns of `re`: one without these ranges for texts without such characters.
    """

    __class_getitem__ = classmethod(GenericAlias)

    def __init__(self, pattern: str, flags: int) -> None:
        read = self._read = Translator(pattern, flags)
        self.pattern, self.flags, self.numbers, self.groupindex = pattern, flags, read.numbers, read.names
        self.groups = max(read.numbers, default=0)
        try:
            re.compile("".join(part if isinstance(part, str) else "[a]" for part in read.parts))
        except error as found:
            raise error(found.msg, pattern) from None

    @cached_property
    def _sets(self) -> list[Set | str]:
        return [part if isinstance(part, str) else part() for part in self._read.parts]

    @cached_property
    def _for_all(self) -> re.Pattern[str]:
        return self._compiled((0, END))

    @cached_property
    def _for_bmp(self) -> re.Pattern[str]:
        return self._compiled(BMP)

    def _compiled(self, only: Set) -> re.Pattern[str]:
        parts = (part if isinstance(part, str) else bracket(intersection(part, only)) for part in self._sets)
        return re.compile("".join(parts), self._read.flags & (M | S))

    def __getattr__(self, name: str) -> Any:
        if name not in _METHODS:
            raise AttributeError(f"a pattern has no {name!r} in this stand-in for `regex`")
        several = len({*self.numbers}) < len(self.numbers)
        if several or self._read.anchored:
            method = self._special().get(name)
            if method is None:
                raise error(f"{name} is not supported for a pattern with \\G or two groups of one name", self.pattern)
            method = self._with_names(method) if several else method
        elif any(bound > BMP[1] for one in self._sets if isinstance(one, tuple) for bound in one[:-1]):
            method = self._by_text(name)
        else:
            method = getattr(self._for_all, name)
        setattr(self, name, method)
        return method

    def _by_text(self, name: str) -> Callable[..., Any]:
        place = name in ("sub", "subn")  # of the text among the arguments

        def method(*given: Any, **more: Any) -> Any:
            text = given[place] if len(given) > place else more["string"]
            return getattr(self._for_all if _BEYOND_BMP.search(text) else self._for_bmp, name)(*given, **more)

        return method

    def _special(self) -> dict[str, Callable[..., Any]]:
        one = self._for_all
        if not self._read.anchored:
            return {"match": one.match, "fullmatch": one.fullmatch, "search": one.search}
        every = partial(_continued, one)
        found = {"match": one.match, "fullmatch": one.fullmatch, "search": one.match, "finditer": every}
        return found | {"findall": lambda *where, **more: _texts(every(*where, **more))}

    def _with_names(self, method: Callable[..., re.Match[str] | None]) -> Callable[..., Match | None]:
        return lambda *where, **more: (found := method(*where, **more)) and Match(found, self)

    def __repr__(self) -> str:
        return f"regex.Regex({self.pattern!r}, flags={self.flags!r})"

    def __reduce__(self) -> tuple[object, ...]:
        return compile, (self.pattern, self.flags)


def _continued(compiled: re.Pattern[str], text: str, pos: int = 0) -> Iterator[re.Match[str]]:
    """Yield matches, each of which starts where the one before it ends."""
    while (found := compiled.match(text, pos)) and found.end() > pos:
        yield found
        pos = found.end()
    if found:
        raise error("an empty match of a pattern with \\G is not supported", compiled.pattern)


def _texts(matches: Iterable[re.Match[str]]) -> list[str | Any]:
    found = ([match[0], *match.groups("")] for match in matches)
    return [texts[0] if len(texts) == 1 else texts[1] if len(texts) == 2 else tuple(texts[1:]) for texts in found]


@lru_cache(maxsize=500)
def _compile(pattern: str, flags: int) -> Pattern:
    if not isinstance(pattern, str) or flags & ~sum(RegexFlag):
        raise error(f"a pattern of type {type(pattern).__name__} with the flags {flags:#x} is not supported")
    return Pattern(pattern, flags)


def compile(pattern: str | Pattern, flags: int = 0) -> Pattern:
    """Return the compiled pattern; an `error` says what is wrong or not supported."""
    return pattern if isinstance(pattern, Pattern) else _compile(pattern, int(flags))


def escape(pattern: str, special_only: bool = True, literal_spaces: bool = False) -> str:
    r"""Return a pattern that matches this text.

    >>> print(escape("<|a b|>"))
    <\|a\ b\|>
    """
    kept = " " if literal_spaces else ""
    if special_only:
        return "".join(
            f"\\{one}" if (one in "()[]{}?*+|^$\\.-#&~" or one.isspace()) and one not in kept else one
            for one in pattern
        )
    return "".join(one if (one.isascii() and one.isalnum()) or one in kept else f"\\{one}" for one in pattern)


def match(pattern: str | Pattern, string: str, flags: int = 0, pos: int = 0) -> Any:
    """Return the match at a position, or None."""
    return compile(pattern, flags).match(string, pos)


def fullmatch(pattern: str | Pattern, string: str, flags: int = 0, pos: int = 0) -> Any:
    """Return the match of everything after a position, or None."""
    return compile(pattern, flags).fullmatch(string, pos)


def search(pattern: str | Pattern, string: str, flags: int = 0, pos: int = 0) -> Any:
    """Return the first match after a position, or None."""
    return compile(pattern, flags).search(string, pos)


def finditer(pattern: str | Pattern, string: str, flags: int = 0, pos: int = 0) -> Iterator[Any]:
    """Yield all matches."""
    return compile(pattern, flags).finditer(string, pos)


def findall(pattern: str | Pattern, string: str, flags: int = 0, pos: int = 0) -> list[Any]:
    """Return the texts of all matches, or their groups."""
    return compile(pattern, flags).findall(string, pos)


def split(pattern: str | Pattern, string: str, maxsplit: int = 0, flags: int = 0) -> list[str | Any]:
    """Return the parts of a text between matches, and the groups of the matches."""
    return compile(pattern, flags).split(string, maxsplit)


def sub(pattern: str | Pattern, repl: str | Callable[[Any], str], string: str, count: int = 0, flags: int = 0) -> str:
    """Return a text with its matches replaced."""
    return compile(pattern, flags).sub(repl, string, count)


def subn(pattern: str | Pattern, repl: str | Callable[[Any], str], string: str, count: int = 0, flags: int = 0) -> Any:
    """Return a text with its matches replaced, and their number."""
    return compile(pattern, flags).subn(repl, string, count)
