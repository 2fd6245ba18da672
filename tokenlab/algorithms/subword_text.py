"""Learning subtokens as tensor2tensor does: count every string that begins at a cut, keep what is frequent, again.

Adds: the greedy cut, and four rounds of counting and choosing. A longer string that is kept takes its count away from
every string that it begins with: so what is kept is frequent by itself, not because something longer is.
Still missing: the size that somebody wants, which is `subword_text_size`, and speed, which is `subword_text_fast`.
Source: tensor2tensor 1.15.7, data_generators/text_encoder.py, SubwordTextEncoder.build_from_token_counts.

>>> counts = {"the": 10, "then": 2, "that": 3}
>>> [subtoken for subtoken in build(counts, min_count=3) if len(subtoken) > 1]
['<pad>_', '<EOS>_', 'the_', 'that_']
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Generator, Iterable, Iterator, Mapping, Sequence

from tokenlab.algorithms.subword_text_escape import ESCAPE_CHARACTERS, escape
from tokenlab.errors import many, whole_number
from tokenlab.steps import step, stepwise
from tokenlab.visible import visible

PAD, EOS = "<pad>", "<EOS>"
RESERVED_TOKENS = [PAD, EOS]
ITERATIONS = 4


class NotSpelledError(ValueError, AssertionError):
    """No subtoken fits. It is an AssertionError as well, because tensor2tensor raises one."""


@step
class Matched:
    """The longest subtoken that fits at `start`, and how many longer strings were none."""

    start: int
    subtoken: str
    refused: int

    def __str__(self) -> str:
        """Say what was taken."""
        tried = "the whole rest" if not self.refused else f"after {self.refused} longer string"
        return f"{visible(self.subtoken)} is taken at {self.start}, {tried}{'s' if self.refused > 1 else ''}"


@stepwise
def cut_greedily(escaped: str, subtokens: Collection[str]) -> Generator[Matched, None, list[str]]:
    """The subtokens of an escaped token: from the left, the longest that fits, and never a second look.

    Args:
        escaped: a token as `escape` writes it.
        subtokens: best a set.

    Raises:
        NotSpelledError: none fits; some character is no subtoken. It is a ValueError.

    Source: tensor2tensor 1.15.7, text_encoder.py, _escaped_token_to_subtoken_strings.

    >>> cut_greedily("there_", {"t", "h", "e", "r", "_", "the", "re_", "ther"})
    ['ther', 'e', '_']
    """
    cut: list[str] = []
    start = 0
    while start < len(escaped):
        ends = range(len(escaped), start, -1)
        end = next((end for end in ends if escaped[start:end] in subtokens), start)
        if end == start:
            raise not_spelled(escaped, start)
        cut.append(escaped[start:end])
        yield Matched(start, escaped[start:end], len(escaped) - end)
        start = end
    return cut


def not_spelled(escaped: str, start: int) -> NotSpelledError:
    """The error, with the character that no subtoken spells."""
    return NotSpelledError(
        f"no subtoken fits at {start} of {escaped!r:.60}; every character that tokens are escaped with must be "
        f"a subtoken of its own, and {escaped[start]!r} is none"
    )


def strings_at_cuts(cut: Sequence[str], max_length: int | None = None) -> Iterator[str]:
    """Every string that begins where a subtoken begins, and ends anywhere behind.

    >>> list(strings_at_cuts(["th", "e_"]))
    ['t', 'th', 'the', 'the_', 'e', 'e_']
    """
    escaped = "".join(cut)
    # subtle: the longest string is one shorter than the number says, as in tensor2tensor.
    most = len(escaped) if max_length is None else max_length - 1
    start = 0
    for subtoken in cut:
        for end in range(start + 1, min(len(escaped), start + most) + 1):
            yield escaped[start:end]
        start += len(subtoken)


@step
class Counted:
    """A token was cut, and all strings that begin at one of its cuts were counted, `count` times each."""

    iteration: int
    token: str
    count: int
    cut: tuple[str, ...]

    def __str__(self) -> str:
        """Say how the token is cut."""
        times = "once" if self.count == 1 else f"{self.count} times"
        shown = " ".join(map(visible, self.cut))
        return f"{visible(self.token)}, which occurs {times}, is cut {shown}; what begins at a cut is counted"


@step
class Kept:
    """A string was still frequent enough when its turn came, and each string that it begins with lost its count."""

    text: str
    count: int

    def __str__(self) -> str:
        """Say what it takes away."""
        shown = visible(self.text)
        if len(self.text) == 1:
            return f"{shown} is kept with {self.count}; it begins with nothing shorter"
        eaten = " ".join(visible(self.text[:end]) for end in range(1, len(self.text)))
        return f"{shown} is kept with {self.count}, which it takes away from {eaten}"


@step
class Fell:
    """A string that had been counted often enough was not any more: longer ones had taken its count away."""

    text: str
    counted: int
    left: int

    def __str__(self) -> str:
        """Say what is left; a character is listed even so."""
        if len(self.text) == 1:
            return f"{visible(self.text)} has {self.left} of {self.counted} left, and stays as a character"
        return f"{visible(self.text)} is not kept: longer strings left it {self.left} of {self.counted}"


@step
class Listed:
    """The end of a round: the subtokens that were kept, and all characters, are the new list."""

    iteration: int
    size: int

    def __str__(self) -> str:
        """Say how many subtokens there are."""
        return f"round {self.iteration} ends with {self.size} subtokens, each character among them"


@stepwise
def build(
    token_counts: Mapping[str, int],
    min_count: float,
    iterations: int = ITERATIONS,
    reserved_tokens: Iterable[str] | None = None,
    max_length: int | None = None,
) -> Generator[Counted | Kept | Fell | Listed, None, list[str]]:
    """The subtokens that are frequent enough, in the order of their ids: reserved tokens, then by count.

    Args:
        token_counts: how often each token occurs.
        min_count: how often a subtoken must begin at a cut, after longer ones took their part; 1 at the least.
        iterations: how many rounds; each cuts the tokens with the subtokens of the round before.
        reserved_tokens: what comes first, escaped like every token; `RESERVED_TOKENS`, or a list that begins so.
        max_length: strings this long, or longer, are not counted.

    Raises:
        ValueError: reserved tokens that do not begin with `RESERVED_TOKENS`; a token that is not a str.
        TypeError: an argument of another type.

    Source: tensor2tensor 1.15.7, text_encoder.py, build_from_token_counts.

    >>> build({"aab": 3}, min_count=3, iterations=1)[2:6]
    ['b_', 'ab_', 'aab_', '_']
    """
    reserved = reserved_list(reserved_tokens)
    alphabet = alphabet_of([*checked_counts(token_counts), *reserved])
    subtokens = sorted(alphabet)
    if not whole_number("iterations", iterations, at_least=0):
        return [*reserved, *subtokens]
    escaped_reserved = [escape(token, alphabet) for token in reserved]
    for iteration in range(1, iterations + 1):
        known, counts = set(subtokens), Counter[str]()
        for token, count in token_counts.items():
            cut = cut_greedily(escape(token, alphabet), known)
            for string in strings_at_cuts(cut, max_length):
                counts[string] += count
            yield Counted(iteration, token, count, tuple(cut))
        subtokens = [*escaped_reserved, *(yield from choose.steps(counts, min_count, alphabet))]
        yield Listed(iteration, len(subtokens))
    return subtokens


@stepwise
def choose(
    counts: Mapping[str, int], min_count: float, alphabet: Collection[str]
) -> Generator[Kept | Fell, None, list[str]]:
    """The strings that are frequent by themselves, and the alphabet whatever its counts: by count, highest first.

    Args:
        counts: how often each string begins at a cut.
        min_count: how often it must, once longer strings that are kept took their part; 1 at the least.
        alphabet: the characters, which are always kept.

    >>> choose({"t": 6, "th": 6, "the": 5, "tha": 1}, 3, {"t", "h"})
    ['the', 't', 'h']
    """
    left, least = Counter(counts), max(min_count, 1)
    frequent = [string for string, count in counts.items() if count >= least]
    kept: list[tuple[int, str]] = []
    # The longest first: when a string has its turn, everything that it begins is decided.
    for string in sorted(frequent, key=lambda string: (-len(string), string)):
        count = left[string]
        if count < least:
            yield Fell(string, counts[string], count)
            continue
        if string not in alphabet:
            kept.append((count, string))
        for end in range(1, len(string)):
            left[string[:end]] -= count
        yield Kept(string, count)
    kept += [(left.get(character, 0), character) for character in alphabet]
    # subtle: of equal counts the later one in a dictionary comes first.
    return [string for _, string in sorted(kept, reverse=True)]


def alphabet_of(tokens: Iterable[str]) -> set[str]:
    """The characters of all tokens, and those that escapes are written with.

    >>> "".join(sorted(alphabet_of(["abba"])))
    '0123456789;\\\\_abu'
    """
    return set(ESCAPE_CHARACTERS).union(*tokens)


def reserved_list(tokens: Iterable[str] | None) -> list[str]:
    """The reserved tokens, if they begin as they must.

    >>> reserved_list(["<s>", "<pad>"])
    Traceback (most recent call last):
    ...
    ValueError: reserved_tokens=['<s>', '<pad>'] must begin with ['<pad>', '<EOS>']; put yours behind those
    """
    reserved = RESERVED_TOKENS if tokens is None else many("reserved_tokens", tokens)
    if any(given != wanted for given, wanted in zip(reserved, RESERVED_TOKENS, strict=False)):
        raise ValueError(f"reserved_tokens={reserved!r:.200} must begin with {RESERVED_TOKENS}; put yours behind those")
    return list(reserved)


def checked_counts(token_counts: Mapping[str, int]) -> Mapping[str, int]:
    """The counts, if they are a mapping from tokens.

    >>> checked_counts(["the"])
    Traceback (most recent call last):
    ...
    TypeError: token_counts=['the'] is a list; give a dict from tokens to how often they occur
    """
    if not isinstance(token_counts, Mapping):
        raise TypeError(
            f"token_counts={token_counts!r:.60} is a {type(token_counts).__name__}; "
            "give a dict from tokens to how often they occur"
        )
    for token in token_counts:
        if not isinstance(token, str):
            raise ValueError(f"the token {token!r:.60} is a {type(token).__name__}; every token must be a str")
        if token_counts[token] < 0:
            raise ValueError(f"the token {token!r:.60} occurs {token_counts[token]} times; give counts from 0 upwards")
    return token_counts
