"""Learn a subtoken vocabulary as tensor2tensor does: repeatedly count substrings and keep the frequent ones.

Adds: greedy longest-match segmentation, and four iterations of counting and selecting. Candidates are the substrings
that begin at a subtoken boundary. A string that is kept subtracts its count from all of its prefixes, so a prefix is
kept only if it is also frequent without that string.
Leaves out: a target vocabulary size (`build_to_size`) and speed (`build_cached`).
Source: tensor2tensor 1.15.7, data_generators/text_encoder.py, SubwordTextEncoder.build_from_token_counts.

>>> counts = {"the": 10, "then": 2, "that": 3}
>>> [subtoken for subtoken in build(counts, min_count=3) if len(subtoken) > 1]
['<pad>_', '<EOS>_', 'the_', 'that_']
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Generator, Iterable, Iterator, Mapping, Sequence

from tokenlab.algorithms.subword_text.escape import ESCAPE_ALPHABET, escape
from tokenlab.printing.errors import as_list, check_integer
from tokenlab.printing.printable import Parts, SymbolPart, count_noun, symbol_parts, times
from tokenlab.steps.recording import step, stepwise

PAD, EOS = "<pad>", "<EOS>"
RESERVED_TOKENS = [PAD, EOS]
ITERATIONS = 4


class NotEncodableError(ValueError, AssertionError):
    """No subtoken matches. Also an AssertionError, because tensor2tensor raises one."""


@step
class LongestMatch:
    """The longest subtoken that matches at `start`, and the number of longer strings that are not in the vocabulary."""

    start: int
    subtoken: str
    longer_tried: int

    def sentence(self) -> Parts:
        """Name the subtoken, its place, and the number of longer strings."""
        tried = f"after {count_noun(self.longer_tried, 'longer string')}" if self.longer_tried else "the whole rest"
        return [SymbolPart(self.subtoken, "new"), " matches at ", self.start, f", {tried}"]


@stepwise
def segment_greedily(escaped: str, subtokens: Collection[str]) -> Generator[LongestMatch, None, list[str]]:
    """Segment an escaped token greedily: from the left, always the longest matching subtoken, without backtracking.

    Args:
        escaped: a token, escaped by `escape`.
        subtokens: the vocabulary, preferably a set.

    Raises:
        NotEncodableError: no subtoken matches, because a character is not in the vocabulary. It is a ValueError.

    Source: tensor2tensor 1.15.7, text_encoder.py, _escaped_token_to_subtoken_strings.

    >>> segment_greedily("there_", {"t", "h", "e", "r", "_", "the", "re_", "ther"})
    ['ther', 'e', '_']
    """
    segmentation: list[str] = []
    start = 0
    while start < len(escaped):
        ends = range(len(escaped), start, -1)
        end = next((end for end in ends if escaped[start:end] in subtokens), start)
        if end == start:
            raise not_encodable_error(escaped, start)
        segmentation.append(escaped[start:end])
        yield LongestMatch(start, escaped[start:end], len(escaped) - end)
        start = end
    return segmentation


def not_encodable_error(escaped: str, start: int) -> NotEncodableError:
    """Return the error that names the character without a subtoken."""
    return NotEncodableError(
        f"no subtoken matches at position {start} of {escaped!r:.60}; every character of an escaped token must be "
        f"in the vocabulary, but {escaped[start]!r} is not"
    )


def substrings_at_boundaries(segmentation: Sequence[str], max_length: int | None = None) -> Iterator[str]:
    """Yield every substring that begins at the start of a subtoken; it may end anywhere.

    >>> list(substrings_at_boundaries(["th", "e_"]))
    ['t', 'th', 'the', 'the_', 'e', 'e_']
    """
    escaped = "".join(segmentation)
    # subtle: the longest string has max_length - 1 characters, as in tensor2tensor.
    most = len(escaped) if max_length is None else max_length - 1
    start = 0
    for subtoken in segmentation:
        for end in range(start + 1, min(len(escaped), start + most) + 1):
            yield escaped[start:end]
        start += len(subtoken)


@step
class TokenCounted:
    """A token was segmented, and all substrings that begin at a subtoken boundary were counted, `count` times each."""

    iteration: int
    token: str
    count: int
    segmentation: tuple[str, ...]

    def sentence(self) -> Parts:
        """Name the subtokens of the token, and say that substrings are counted."""
        occurs: Parts = [SymbolPart(self.token), f", which occurs {times(self.count)}, is split into "]
        return [*occurs, *symbol_parts(self.segmentation), "; its substrings are counted"]

    def apply(self, progress: BuildProgress) -> None:
        """Count the substrings of the token; in a new iteration, count from 0."""
        if self.iteration != progress.iteration:
            progress.iteration, progress.kept = self.iteration, {}
            progress.counts.clear()
            progress.left.clear()
        progress.tokens[self.token] = self
        for string in substrings_at_boundaries(self.segmentation, progress.max_length):
            progress.counts[string] += self.count
            progress.left[string] += self.count


@step
class SubtokenKept:
    """A string was still frequent enough when it was considered; its count was subtracted from all of its prefixes."""

    text: str
    count: int

    def sentence(self) -> Parts:
        """Name the string, its count, and the prefixes that lose this count."""
        kept: Parts = [SymbolPart(self.text, "new"), " is kept with ", self.count]
        if len(self.text) == 1:
            return [*kept, "; it has no shorter prefix"]
        return [*kept, ", which is subtracted from ", *symbol_parts(prefixes(self.text))]

    def apply(self, progress: BuildProgress) -> None:
        """Keep the string, and subtract its count from its prefixes."""
        progress.kept[self.text] = self.count
        for prefix in prefixes(self.text):
            progress.left[prefix] -= self.count


@step
class SubtokenDropped:
    """A string became too rare, because longer strings that were kept were subtracted from its count."""

    text: str
    counted: int
    left: int

    def sentence(self) -> Parts:
        """Say how much longer strings left of the count."""
        shown = SymbolPart(self.text, "unknown")
        if len(self.text) == 1:
            return [
                shown,
                " has a count of ",
                self.left,
                " left (of ",
                self.counted,
                "), but characters are always kept",
            ]
        return [shown, " is not kept: longer strings left ", self.left, " of its count of ", self.counted]

    def apply(self, progress: BuildProgress) -> None:
        """Change nothing."""


@step
class IterationEnded:
    """The end of an iteration: the strings that were kept and all characters are the new vocabulary."""

    iteration: int
    size: int

    def __str__(self) -> str:
        return f"iteration {self.iteration} ends with {self.size} subtokens, including characters and reserved tokens"

    def apply(self, progress: BuildProgress) -> None:
        """Change nothing: the next token begins an iteration."""


class BuildProgress:
    """What the steps of an iteration are applied to: segmentations, counts, remaining counts, and the kept strings.

    `counts` are those that `select_subtokens` begins with; `build` counts the strings of its tokens itself.
    """

    def __init__(self, counts: Mapping[str, int], max_length: int | None = None) -> None:
        self.max_length = max_length
        self.tokens: dict[str, TokenCounted] = {}
        self.counts = Counter(counts)
        self.left = Counter(counts)
        self.kept: dict[str, int] = {}
        self.iteration = 1


def prefixes(text: str) -> list[str]:
    """Return the prefixes that are shorter than the text.

    >>> prefixes("the")
    ['t', 'th']
    """
    return [text[:end] for end in range(1, len(text))]


@stepwise
def build(
    token_counts: Mapping[str, int],
    min_count: float,
    iterations: int = ITERATIONS,
    reserved_tokens: Iterable[str] | None = None,
    max_length: int | None = None,
) -> Generator[TokenCounted | SubtokenKept | SubtokenDropped | IterationEnded, None, list[str]]:
    """Return the frequent subtokens in the order of their ids: first the reserved tokens, then by descending count.

    Args:
        token_counts: the number of occurrences of each token.
        min_count: the least count of a subtoken at subtoken boundaries, after subtracting longer subtokens; values
            below 1 count as 1.
        iterations: the number of iterations; each segments the tokens with the vocabulary of the previous one.
        reserved_tokens: the first tokens, escaped like every token; a list that begins with `RESERVED_TOKENS`, which
            is the default.
        max_length: strings of this length or longer are not counted.

    Raises:
        ValueError: the reserved tokens do not begin with `RESERVED_TOKENS`, or a token is not a str.
        TypeError: an argument has another type.

    Source: tensor2tensor 1.15.7, text_encoder.py, build_from_token_counts.

    >>> build({"aab": 3}, min_count=3, iterations=1)[2:6]
    ['b_', 'ab_', 'aab_', '_']
    """
    reserved = check_reserved_tokens(reserved_tokens)
    alphabet = collect_alphabet([*check_counts(token_counts), *reserved])
    subtokens = sorted(alphabet)
    if not check_integer("iterations", iterations, at_least=0):
        return [*reserved, *subtokens]
    escaped_reserved = [escape(token, alphabet) for token in reserved]
    for iteration in range(1, iterations + 1):
        known, counts = set(subtokens), Counter[str]()
        for token, count in token_counts.items():
            segmentation = segment_greedily(escape(token, alphabet), known)
            for string in substrings_at_boundaries(segmentation, max_length):
                counts[string] += count
            yield TokenCounted(iteration, token, count, tuple(segmentation))
        subtokens = [*escaped_reserved, *(yield from select_subtokens.steps(counts, min_count, alphabet))]
        yield IterationEnded(iteration, len(subtokens))
    return subtokens


@stepwise
def select_subtokens(
    counts: Mapping[str, int], min_count: float, alphabet: Collection[str]
) -> Generator[SubtokenKept | SubtokenDropped, None, list[str]]:
    """Return the strings that stay frequent, and the whole alphabet, by descending remaining count.

    Args:
        counts: the number of occurrences of each string at a subtoken boundary.
        min_count: the least remaining count, after subtracting longer strings that are kept; values below 1 count as 1.
        alphabet: the characters, which are kept regardless of their counts.

    >>> select_subtokens({"t": 6, "th": 6, "the": 5, "tha": 1}, 3, {"t", "h"})
    ['the', 't', 'h']
    """
    left, least = Counter(counts), max(min_count, 1)
    frequent = [string for string, count in counts.items() if count >= least]
    kept: list[tuple[int, str]] = []
    # Longest first: when a string is considered, all strings of which it is a prefix are decided.
    for string in sorted(frequent, key=lambda string: (-len(string), string)):
        count = left[string]
        if count < least:
            yield SubtokenDropped(string, counts[string], count)
            continue
        if string not in alphabet:
            kept.append((count, string))
        for end in range(1, len(string)):
            left[string[:end]] -= count
        yield SubtokenKept(string, count)
    kept += [(left.get(character, 0), character) for character in alphabet]
    # subtle: strings with equal counts are in descending order.
    return [string for _, string in sorted(kept, reverse=True)]


def collect_alphabet(tokens: Iterable[str], escape_characters: Iterable[str] = ESCAPE_ALPHABET) -> set[str]:
    """Return the characters of all tokens and of escape sequences.

    >>> "".join(sorted(collect_alphabet(["abba"])))
    '0123456789;\\\\_abu'
    """
    return set(escape_characters).union(*tokens)


def check_reserved_tokens(tokens: Iterable[str] | None) -> list[str]:
    """Return the reserved tokens, or the default; raise a ValueError if they do not begin with `RESERVED_TOKENS`.

    >>> check_reserved_tokens(["<s>", "<pad>"])
    Traceback (most recent call last):
    ...
    ValueError: reserved_tokens=['<s>', '<pad>'] must begin with ['<pad>', '<EOS>']; put yours after these
    """
    reserved = RESERVED_TOKENS if tokens is None else as_list("reserved_tokens", tokens)
    if any(given != wanted for given, wanted in zip(reserved, RESERVED_TOKENS, strict=False)):
        raise ValueError(f"reserved_tokens={reserved!r:.200} must begin with {RESERVED_TOKENS}; put yours after these")
    return list(reserved)


def check_counts(token_counts: Mapping[str, int]) -> Mapping[str, int]:
    """Return the counts; raise an error if they are not a mapping from str to numbers that are not negative.

    >>> check_counts(["the"])
    Traceback (most recent call last):
    ...
    TypeError: token_counts=['the'] is a list; give a dict from tokens to their counts
    """
    if not isinstance(token_counts, Mapping):
        raise TypeError(
            f"token_counts={token_counts!r:.60} is a {type(token_counts).__name__}; "
            "give a dict from tokens to their counts"
        )
    for token in token_counts:
        if not isinstance(token, str):
            raise ValueError(f"the token {token!r:.60} is a {type(token).__name__}; every token must be a str")
        if token_counts[token] < 0:
            raise ValueError(f"the token {token!r:.60} occurs {token_counts[token]} times; give counts from 0 upwards")
    return token_counts
