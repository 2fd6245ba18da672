"""The same subtokens as `subword_text` learns, and the same cuts, several times sooner.

Adds: three things that need not be done again. The first round cuts every token into characters whatever `min_count`
is, so its counts serve every `min_count` that the bisection tries. A string that was too rare there, where every place
counts, is too rare in the later rounds, where only cuts do: nothing that it begins is looked at. And a subtoken that
fits is no longer than the longest one with the same first character.
Leaves out: nothing.

>>> Corpus({"the": 10, "then": 2, "that": 3}).build(min_count=3)[2:5]
['the_', 'that_', 't']
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Generator, Iterable, Mapping, Sequence
from functools import cached_property

from tokenlab.algorithms.subword_text import (
    ITERATIONS,
    Listed,
    alphabet_of,
    checked_counts,
    not_spelled,
    reserved_list,
)
from tokenlab.algorithms.subword_text_escape import escape_at_once
from tokenlab.algorithms.subword_text_size import Tried, bisect, check_size
from tokenlab.errors import whole_number
from tokenlab.steps import stepwise


class Cutter:
    """Subtokens by their ids, with the length of the longest one for each first character."""

    def __init__(self, subtokens: Iterable[str]) -> None:
        """Take the subtokens in the order of their ids; of equal ones the last counts, and an empty one never fits."""
        self.ids = {subtoken: id for id, subtoken in enumerate(subtokens) if subtoken}
        self.longest: dict[str, int] = {}
        for subtoken in self.ids:
            if len(subtoken) > self.longest.get(subtoken[0], 0):
                self.longest[subtoken[0]] = len(subtoken)

    def cut(self, escaped: str) -> list[str]:
        """The subtokens that `subword_text.cut_greedily` finds.

        Raises:
            NotSpelledError: none fits.

        >>> Cutter(["t", "h", "e", "r", "_", "the", "re_", "ther"]).cut("there_")
        ['ther', 'e', '_']
        """
        cut: list[str] = []
        start, length = 0, len(escaped)
        ids, longest = self.ids, self.longest
        while start < length:
            for end in range(min(length, start + longest.get(escaped[start], 0)), start, -1):
                if escaped[start:end] in ids:
                    cut.append(escaped[start:end])
                    start = end
                    break
            else:
                raise not_spelled(escaped, start)
        return cut


class Corpus:
    """Tokens and their counts, escaped, with all that does not depend on `min_count`."""

    def __init__(
        self,
        token_counts: Mapping[str, int],
        reserved_tokens: Iterable[str] | None = None,
        max_length: int | None = None,
    ) -> None:
        """Check and escape the tokens.

        Raises:
            ValueError, TypeError: as `subword_text.build`.
        """
        self.reserved = reserved_list(reserved_tokens)
        self.alphabet = alphabet_of([*checked_counts(token_counts), *self.reserved])
        self.max_length = max_length
        self.escaped = [(escape_at_once(token, self.alphabet), count) for token, count in token_counts.items()]

    @cached_property
    def counts_everywhere(self) -> dict[str, int]:
        """How often each string occurs: the counts of the first round, where every character is cut off."""
        counts: dict[str, int] = defaultdict(int)
        for escaped, count in self.escaped:
            length = len(escaped)
            most = length if self.max_length is None else self.max_length - 1
            for start in range(length):
                for end in range(start + 1, min(length, start + most) + 1):
                    counts[escaped[start:end]] += count
        return dict(counts)

    def build(self, min_count: float, iterations: int = ITERATIONS) -> list[str]:
        """The subtokens that `subword_text.build` finds."""
        return build_at_once(self, min_count, iterations)

    def counts_at_cuts(self, subtokens: Sequence[str], frequent: set[str]) -> dict[str, int]:
        """How often each of the frequent strings begins at a cut, if the tokens are cut with these subtokens."""
        counts: dict[str, int] = defaultdict(int)
        cutter = Cutter(subtokens)
        for escaped, count in self.escaped:
            length, start = len(escaped), 0
            for subtoken in cutter.cut(escaped):
                for end in range(start + 1, length + 1):
                    string = escaped[start:end]
                    # subtle: every string that it begins is as rare, or rarer, and as long, or longer.
                    if string not in frequent:
                        break
                    counts[string] += count
                start += len(subtoken)
        return counts


@stepwise
def build_at_once(corpus: Corpus, min_count: float, iterations: int = ITERATIONS) -> Generator[Listed, None, list[str]]:
    """The subtokens that `subword_text.build` finds, with a step for each round.

    >>> len(build_at_once(Corpus({"the": 10, "then": 2, "that": 3}), 3))
    30
    """
    least = max(min_count, 1)
    if not whole_number("iterations", iterations, at_least=0):
        return [*corpus.reserved, *sorted(corpus.alphabet)]
    escaped_reserved = [escape_at_once(token, corpus.alphabet) for token in corpus.reserved]
    everywhere = corpus.counts_everywhere
    frequent = {string for string, count in everywhere.items() if count >= least}
    # A rare character is still listed, and its count decides where.
    frequent |= corpus.alphabet & everywhere.keys()
    subtokens: list[str] = []
    for iteration in range(1, iterations + 1):
        first = iteration == 1
        counts = {s: everywhere[s] for s in frequent} if first else corpus.counts_at_cuts(subtokens, frequent)
        subtokens = [*escaped_reserved, *_choose(counts, least, corpus.alphabet)]
        yield Listed(iteration, len(subtokens))
    return subtokens


def _choose(counts: dict[str, int], least: float, alphabet: set[str]) -> list[str]:
    """What `subword_text.choose` keeps; changes the counts."""
    kept: list[tuple[int, str]] = []
    candidates = [string for string, count in counts.items() if count >= least]
    candidates.sort(key=len, reverse=True)
    for string in candidates:
        count = counts[string]
        if count >= least:
            if string not in alphabet:
                kept.append((count, string))
            for end in range(1, len(string)):
                counts[string[:end]] -= count
    kept += [(counts.get(character, 0), character) for character in alphabet]
    kept.sort(reverse=True)
    return [string for _, string in kept]


@stepwise
def build_to_size_at_once(
    target_size: int, corpus: Corpus, low: float = 1, high: float = 1000, iterations: int = ITERATIONS
) -> Generator[Tried, None, list[str]]:
    """The subtokens that `subword_text_size.build_to_size` finds, with what the tries share computed once.

    Raises:
        ValueError, TypeError: as `subword_text_size.build_to_size`.

    >>> len(build_to_size_at_once(30, Corpus({"the": 10, "then": 2, "that": 3})))
    30
    """
    check_size(target_size, corpus.alphabet, corpus.reserved)
    return (yield from bisect.steps(target_size, lambda min_count: corpus.build(min_count, iterations), low, high))
