"""Span corruption: T5's pre-training objective removes spans of a text, and the model predicts them.

Adds: the random-spans noise mask, a sentinel for each span, the input and the target, and the reconstruction of the
text from both.
Leaves out: tokenization, and the model. A token here is an id or a string.
Source: Raffel et al. 2020, "Exploring the Limits of Transfer Learning", sections 3.1.4 and 3.3.4, and
text-to-text-transfer-transformer's t5/data/preprocessors.py: random_spans_helper, random_spans_noise_mask,
noise_span_to_unique_sentinel, nonnoise_span_to_unique_sentinel.

>>> words, sentinels = "we hold these truths to be self evident".split(), ("X", "Y", "Z")
>>> print(corrupt_spans.record(words, Random(3), 0.4, 1.5, sentinels, "</s>"))
1. 3 of 8 tokens are noise, in 2 spans
2. 3 noise tokens are split into spans of 1 and 2
3. 5 kept tokens are split into runs of 2 and 3
4. the runs alternate in the mask: 2 kept, 1 noise, 3 kept, 2 noise
5. 2 kept tokens from position 0 on stay in the input; the target has X for them
6. 1 noise token from position 2 on goes to the target; the input has X for it
7. 3 kept tokens from position 3 on stay in the input; the target has Y for them
8. 2 noise tokens from position 6 on go to the target; the input has Y for them
9. </s> ends the input and the target
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from itertools import groupby, pairwise, zip_longest
from random import Random
from struct import pack, unpack
from typing import TypeAlias

from tokenlab.printing.errors import check_integer
from tokenlab.printing.printable import Parts, SymbolPart
from tokenlab.steps.recording import step, stepwise

Token: TypeAlias = int | str
Mask: TypeAlias = tuple[bool, ...]  # for each token, whether it is noise
Pair: TypeAlias = tuple[tuple[Token, ...], tuple[Token, ...]]  # the input and the target

SENTINELS = range(32_099, 31_999, -1)  # of T5: <extra_id_0> has the highest id, the others count down
EOS = 1  # of T5


@step
class NoiseCounted:
    """The amount of noise, which is not random."""

    length: int
    noise: int
    spans: int

    def __str__(self) -> str:
        return f"{self.noise:,} of {_count(self.length, '')} are noise, in {self.spans:,} span{_s(self.spans)}"


@step
class SpanLengthsDrawn:
    """The noise tokens were split into spans of random lengths, or the kept tokens into runs."""

    noise: bool
    lengths: tuple[int, ...]

    def __str__(self) -> str:
        spans = " and ".join(map(str, self.lengths)) if len(self.lengths) < 3 else ", ".join(map(str, self.lengths))
        tokens = sum(self.lengths)
        verb = "is" if tokens == 1 else "are"
        return f"{_count(tokens, _kind(self.noise))} {verb} split into {'spans' if self.noise else 'runs'} of {spans}"


@step
class SpansInterleaved:
    """Kept runs and noise spans alternate."""

    kept: tuple[int, ...]
    noise: tuple[int, ...]

    def __str__(self) -> str:
        turns = (f"{kept} kept, {noise} noise" for kept, noise in zip(self.kept, self.noise, strict=True))
        return f"the runs alternate in the mask: {', '.join(turns)}"


@step
class SpanReplaced:
    """A span went to one side; a sentinel replaces it on the other."""

    start: int
    end: int
    noise: bool
    sentinel: Token

    def sentence(self) -> Parts:
        """Say where the tokens go, and what replaces them on the other side."""
        length = self.end - self.start
        many, it = length > 1, "them" if length > 1 else "it"
        tokens, sentinel = f"{_count(length, _kind(self.noise))} from position {self.start} on", str(self.sentinel)
        if self.noise:
            where = f"{'go' if many else 'goes'} to the target; the input has "
        else:
            where = f"{'stay' if many else 'stays'} in the input; the target has "
        return [f"{tokens} {where}", SymbolPart(sentinel, "new"), f" for {it}"]


@step
class EosAppended:
    """The end-of-sequence token was appended to both sides."""

    eos: Token

    def sentence(self) -> Parts:
        """Name the token."""
        return [SymbolPart(str(self.eos), "new"), " ends the input and the target"]


@step
class LengthTried:
    """The lengths of the input and the target of a text with this number of tokens."""

    tokens: int
    noise: int
    spans: int
    inputs: int
    targets: int

    def __str__(self) -> str:
        noise = f"{_count(self.noise, 'noise ')} in {self.spans:,} span{_s(self.spans)}"
        sizes = f"an input of {self.inputs:,} tokens and a target of {self.targets:,}"
        return f"a text of {_count(self.tokens, '')} with {noise} makes {sizes}"


def noise_counts(length: int, noise_density: float = 0.15, mean_span_length: float = 3.0) -> tuple[int, int]:
    """Return the number of noise tokens and the number of noise spans of a text of `length` tokens.

    At least one token is noise and at least one is kept. As in T5, a text of one token counts as two.

    Raises:
        ValueError: `noise_density` is not between 0 and 1, spans are shorter than a token, or there are more spans than
            kept tokens.

    >>> noise_counts(568), noise_counts(4), noise_counts(2, noise_density=0.9)
    ((85, 28), (1, 1), (1, 1))
    """
    length = max(2, check_integer("length", length, at_least=0))
    _check(noise_density, mean_span_length)
    # subtle: T5 multiplies in float32, so that of 190 tokens 29 are noise; Python's own floats would say 28.
    noise = min(max(round(_float32(_float32(length) * _float32(noise_density))), 1), length - 1)
    spans = max(round(_float32(noise / _float32(mean_span_length))), 1)
    if spans > length - noise:
        raise ValueError(
            f"noise_density={noise_density} keeps {length - noise} of {length} tokens, but each of {spans} noise spans "
            f"needs a kept token before it; lower noise_density, or raise mean_span_length={mean_span_length}"
        )
    return noise, spans


@stepwise
def source_length(
    inputs_length: int, noise_density: float = 0.15, mean_span_length: float = 3.0
) -> Generator[LengthTried, None, tuple[int, int]]:
    """Return the text length whose input, including EOS, has `inputs_length` tokens, and the length of its target.

    This is T5's formula, which rounds in Python's float64 and has no minimum number of spans. So its result is off by
    one if `noise_counts` rounds differently, or if the text is so short that its number of spans rounds to 0. The steps
    are a text as long as the input, the result, and the next longer text, which does not fit.

    Raises:
        ValueError: a length below 2, or an argument that `noise_counts` rejects.

    >>> source_length(512)
    (568, 114)
    """
    inputs_length = check_integer("inputs_length", inputs_length, at_least=2)
    _check(noise_density, mean_span_length)
    tokens = inputs_length - 1
    while _tried(tokens + 1, noise_density, mean_span_length).inputs <= inputs_length:
        tokens += 1
    last = _tried(tokens, noise_density, mean_span_length)
    # As in T5: with a noise density of 0.5, the target is not longer than the input.
    fewer = int(noise_density == 0.5 and last.targets > last.inputs)
    tokens, targets = tokens - fewer, last.targets - fewer
    for length in dict.fromkeys((inputs_length, tokens, tokens + 1)):
        yield _tried(length, noise_density, mean_span_length)
    return tokens, targets


def _tried(tokens: int, noise_density: float, mean_span_length: float) -> LengthTried:
    noise = round(tokens * noise_density)
    spans = round(noise / mean_span_length)
    return LengthTried(tokens, noise, spans, tokens - noise + spans + 1, noise + spans + 1)


def random_segmentation(items: int, segments: int, random: Random) -> tuple[int, ...]:
    """Split `items` items into `segments` non-empty segments; return their lengths. All splits are equally likely.

    Raises:
        ValueError: there are more segments than items, or no segments.

    >>> random_segmentation(6, 3, Random(9))
    (3, 1, 2)
    """
    if not 1 <= segments <= items:
        raise ValueError(f"segments={segments} should be between 1 and items={items}, because no segment may be empty")
    cuts = sorted(random.sample(range(1, items), segments - 1))
    return tuple(end - start for start, end in pairwise([0, *cuts, items]))


@stepwise
def noise_mask(
    length: int, random: Random, noise_density: float = 0.15, mean_span_length: float = 3.0
) -> Generator[NoiseCounted | SpanLengthsDrawn | SpansInterleaved, None, Mask]:
    """Return the noise mask: kept runs and noise spans alternate, kept first; only their lengths are random.

    Args:
        length: the number of tokens of the text; a single token is never noise.
        random: the random number generator.
        noise_density: the fraction of tokens that are noise.
        mean_span_length: the mean number of tokens in a noise span.

    Raises:
        ValueError: an argument that `noise_counts` rejects.

    >>> "".join(".n"[noisy] for noisy in noise_mask(20, Random(7), 0.3, 2.0))
    '.......nn....n...nnn'
    """
    noise, spans = noise_counts(length, noise_density, mean_span_length)
    if length < 2:
        return (False,) * length
    yield NoiseCounted(length, noise, spans)
    noise_lengths = random_segmentation(noise, spans, random)
    yield SpanLengthsDrawn(True, noise_lengths)
    kept_lengths = random_segmentation(length - noise, spans, random)
    yield SpanLengthsDrawn(False, kept_lengths)
    yield SpansInterleaved(kept_lengths, noise_lengths)
    turns = zip(kept_lengths, noise_lengths, strict=True)
    return tuple(noisy for kept, noise in turns for noisy in [False] * kept + [True] * noise)


@stepwise
def corrupt(
    tokens: Sequence[Token], mask: Sequence[bool], sentinels: Sequence[Token] = SENTINELS, eos: Token = EOS
) -> Generator[SpanReplaced | EosAppended, None, Pair]:
    """Return the input and the target: a sentinel replaces each noise run in the input, each kept run in the target.

    Args:
        tokens: the text.
        mask: for each token, whether it is noise.
        sentinels: the replacements of the first run, the second, and so on; each side starts with the first.
        eos: the end-of-sequence token of both sides.

    Raises:
        ValueError: a mask of another length, a token that is a sentinel, or more runs than sentinels.

    >>> corrupt([10, 11, 12, 13, 14], [False, True, True, False, True])
    ((10, 32099, 13, 32098, 1), (32099, 11, 12, 32098, 14, 1))
    """
    runs = _runs(tokens, mask)
    _check_sentinels(tokens, runs, sentinels)
    sides: dict[bool, list[Token]] = {False: [], True: []}  # the input has the kept tokens, the target the noise
    unused = {False: iter(sentinels), True: iter(sentinels)}
    for start, end, noisy in runs:
        sentinel = next(unused[noisy])
        sides[noisy] += tokens[start:end]
        sides[not noisy].append(sentinel)
        yield SpanReplaced(start, end, noisy, sentinel)
    yield EosAppended(eos)
    return (*sides[False], eos), (*sides[True], eos)


@stepwise
def corrupt_spans(
    tokens: Sequence[Token],
    random: Random,
    noise_density: float = 0.15,
    mean_span_length: float = 3.0,
    sentinels: Sequence[Token] = SENTINELS,
    eos: Token = EOS,
) -> Generator[NoiseCounted | SpanLengthsDrawn | SpansInterleaved | SpanReplaced | EosAppended, None, Pair]:
    """Return the input and the target of one text: draw a `noise_mask` and insert the sentinels with `corrupt`.

    Raises:
        ValueError: as `noise_counts` and `corrupt`.

    >>> corrupt_spans([10, 11, 12, 13, 14, 15], Random(0))
    ((10, 11, 12, 13, 14, 32099, 1), (32099, 15, 1))
    """
    mask = yield from noise_mask.steps(len(tokens), random, noise_density, mean_span_length)
    return (yield from corrupt.steps(tokens, mask, sentinels, eos))


def reconstruct(
    inputs: Sequence[Token], targets: Sequence[Token], sentinels: Sequence[Token] = SENTINELS, eos: Token = EOS
) -> tuple[Token, ...]:
    """Reconstruct the text from its input and its target, whose runs alternate.

    Raises:
        ValueError: a side does not end in `eos`, sentinels are out of order, or the sides do not match.

    >>> reconstruct((10, 32099, 13, 32098, 1), (32099, 11, 12, 32098, 14, 1))
    (10, 11, 12, 13, 14)
    """
    kept = [(run, False) for run in _between("inputs", inputs, sentinels, eos)]
    noise = [(run, True) for run in _between("targets", targets, sentinels, eos)]
    # subtle: if a side begins with a sentinel, the text begins on the other side.
    sides = (noise, kept) if inputs[0] in sentinels else (kept, noise)
    turns = [turn for both in zip_longest(*sides) for turn in both if turn]
    text = tuple(token for run, _ in turns for token in run)
    mask = [noisy for run, noisy in turns for _ in run]
    if corrupt(text, mask, sentinels, eos) != (tuple(inputs), tuple(targets)):
        raise ValueError("inputs and targets do not match: each sentinel of one side should replace a run of the other")
    return text


def _between(side: str, tokens: Sequence[Token], sentinels: Sequence[Token], eos: Token) -> list[tuple[Token, ...]]:
    """Return the runs of a side between its sentinels, without EOS."""
    if not tokens or tokens[-1] != eos:
        raise ValueError(f"{side} should end in {eos!r}, the end of a text; perhaps they were truncated")
    known = set(sentinels)
    groups = groupby(tokens[:-1], lambda token: token in known)
    return [tuple(run) for is_sentinel, run in groups if not is_sentinel]


def _runs(tokens: Sequence[Token], mask: Sequence[bool]) -> list[tuple[int, int, bool]]:
    """Return the start, the end and the kind of each run of equal values in the mask."""
    if len(mask) != len(tokens):
        raise ValueError(f"the mask has {len(mask)} values, but there are {len(tokens)} tokens; give one for each")
    runs, start = [], 0
    for noisy, run in groupby(map(bool, mask)):
        end = start + len(list(run))
        runs.append((start, end, noisy))
        start = end
    return runs


def _check_sentinels(
    tokens: Sequence[Token], runs: Sequence[tuple[int, int, bool]], sentinels: Sequence[Token]
) -> None:
    known = set(sentinels)
    for token in tokens:
        if token in known:
            raise ValueError(f"the text contains {token!r}, which is a sentinel and could not be told apart; remove it")
    noise = sum(noisy for *_, noisy in runs)
    needed = max(noise, len(runs) - noise)
    if needed > len(sentinels):
        raise ValueError(
            f"{needed} spans need {needed} sentinels, but there are {len(sentinels)}; shorten the text, or give more"
        )


def _check(noise_density: float, mean_span_length: float) -> None:
    if not 0 < noise_density < 1:
        raise ValueError(
            f"noise_density={noise_density} is the fraction of tokens that are noise; give a number between 0 and 1, "
            "such as 0.15, so that some tokens are noise and some are kept"
        )
    if not 1 <= mean_span_length <= 1e6:
        raise ValueError(
            f"mean_span_length={mean_span_length} is a number of tokens; give 3.0, or another number from 1 to 1e6"
        )


def _float32(number: float) -> float:
    """Round to the nearest float32."""
    nearest: float = unpack("f", pack("f", number))[0]
    return nearest


def _kind(noise: bool) -> str:
    return "noise " if noise else "kept "


def _count(number: int, kind: str) -> str:
    return f"{number:,} {kind}token{_s(number)}"


def _s(number: int) -> str:
    return "" if number == 1 else "s"
