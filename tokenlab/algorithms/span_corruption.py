"""Span corruption: T5's pre-training takes spans out of a text and asks for them.

Adds: the noise mask of random spans, a sentinel for each span, the input and the target, and both put together again.
Leaves out: turning text into ids, and the model. A token here is an id or a piece; both are treated alike.
Source: Raffel et al. 2020, "Exploring the Limits of Transfer Learning", sections 3.1.4 and 3.3.4, and
text-to-text-transfer-transformer's t5/data/preprocessors.py: random_spans_helper, random_spans_noise_mask,
noise_span_to_unique_sentinel, nonnoise_span_to_unique_sentinel.

>>> words, sentinels = "we hold these truths to be self evident".split(), ("X", "Y", "Z")
>>> print(corrupt_spans.record(words, Random(3), 0.4, 1.5, sentinels, "</s>"))
1. 3 of 8 tokens are noise, in 2 spans
2. 3 noise tokens are cut into spans of 1 and 2
3. 5 kept tokens are cut into spans of 2 and 3
4. the mask: 2 kept, 1 noise, 3 kept, 2 noise
5. 2 kept tokens from place 0 on stay in the input; the target has X for them
6. 1 noise token from place 2 on goes to the target; the input has X for it
7. 3 kept tokens from place 3 on stay in the input; the target has Y for them
8. 2 noise tokens from place 6 on go to the target; the input has Y for them
9. </s> ends the input and the target
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from itertools import groupby, pairwise, zip_longest
from random import Random
from struct import pack, unpack
from typing import TypeAlias

from tokenlab.errors import whole_number
from tokenlab.steps import step, stepwise

Token: TypeAlias = int | str
Mask: TypeAlias = tuple[bool, ...]  # of each token whether it is noise
Pair: TypeAlias = tuple[tuple[Token, ...], tuple[Token, ...]]  # the input and the target

SENTINELS = tuple(range(32_099, 31_999, -1))  # of T5: <extra_id_0> has the top id, the others count down
EOS = 1  # of T5


@step
class Counted:
    """How much noise there is; no chance is in this."""

    length: int
    noise: int
    spans: int

    def __str__(self) -> str:
        """Say how many tokens and spans."""
        return f"{self.noise:,} of {_count(self.length, '')} are noise, in {self.spans:,} span{_s(self.spans)}"


@step
class Segmented:
    """The noise, or what is kept, was cut into spans."""

    noise: bool
    lengths: tuple[int, ...]

    def __str__(self) -> str:
        """Say how long the spans are."""
        spans = " and ".join(map(str, self.lengths)) if len(self.lengths) < 3 else ", ".join(map(str, self.lengths))
        tokens = sum(self.lengths)
        verb = "is" if tokens == 1 else "are"
        return f"{_count(tokens, _kind(self.noise))} {verb} cut into spans of {spans}"


@step
class Interleaved:
    """Kept spans and noise spans take turns."""

    kept: tuple[int, ...]
    noise: tuple[int, ...]

    def __str__(self) -> str:
        """Say what stands where."""
        turns = (f"{kept} kept, {noise} noise" for kept, noise in zip(self.kept, self.noise, strict=True))
        return f"the mask: {', '.join(turns)}"


@step
class Replaced:
    """A span went to one side; a sentinel stands for it on the other."""

    start: int
    end: int
    noise: bool
    sentinel: Token

    def __str__(self) -> str:
        """Say which side has the tokens, and which the sentinel."""
        length = self.end - self.start
        many, it = length > 1, "them" if length > 1 else "it"
        tokens = f"{_count(length, _kind(self.noise))} from place {self.start} on"
        if self.noise:
            return f"{tokens} {'go' if many else 'goes'} to the target; the input has {self.sentinel} for {it}"
        return f"{tokens} {'stay' if many else 'stays'} in the input; the target has {self.sentinel} for {it}"


@step
class Ended:
    """Both sides got their end."""

    eos: Token

    def __str__(self) -> str:
        """Say which token ends them."""
        return f"{self.eos} ends the input and the target"


@step
class Tried:
    """A text of so many tokens would make an input and a target of these lengths."""

    tokens: int
    noise: int
    spans: int
    inputs: int
    targets: int

    def __str__(self) -> str:
        """Say what the text makes."""
        text = (
            f"a text of {_count(self.tokens, '')} with {self.noise:,} of noise in {self.spans:,} span{_s(self.spans)}"
        )
        return f"{text} makes an input of {self.inputs:,} and a target of {self.targets:,}"


def noise_counts(length: int, noise_density: float = 0.15, mean_span_length: float = 3.0) -> tuple[int, int]:
    """How many tokens of a text are noise, and in how many spans.

    At least one token is noise and at least one is kept; a text of one token is counted as two, as T5 does.

    Raises:
        ValueError: nothing or all would be noise, spans shorter than a token, or more spans than kept tokens.

    >>> noise_counts(568), noise_counts(4), noise_counts(2, noise_density=0.9)
    ((85, 28), (1, 1), (1, 1))
    """
    length = max(2, whole_number("length", length, at_least=0))
    _check(noise_density, mean_span_length)
    # subtle: T5 multiplies in float32, so that of 190 tokens 29 are noise; Python's own floats would say 28.
    noise = min(max(round(_float32(_float32(length) * _float32(noise_density))), 1), length - 1)
    spans = max(round(_float32(noise / _float32(mean_span_length))), 1)
    if spans > length - noise:
        raise ValueError(
            f"noise_density={noise_density} keeps {length - noise} of {length} tokens, too few to stand before each of "
            f"{spans} noise spans; ask for less noise, or for longer spans than mean_span_length={mean_span_length}"
        )
    return noise, spans


@stepwise
def lengths_for(
    inputs_length: int, noise_density: float = 0.15, mean_span_length: float = 3.0
) -> Generator[Tried, None, tuple[int, int]]:
    """How many tokens to take from a text so that the input, with its end, has the wanted length; and the target's.

    The formula of T5, which rounds in Python's own floats and knows no least span. So it is one off where
    `noise_counts` rounds otherwise, and for texts so short that their spans round to none. The steps are a text as
    long as the input, the one that is taken, and the next longer one, for which there is no room.

    Raises:
        ValueError: a length below 2, or what `noise_counts` refuses.

    >>> lengths_for(512)
    (568, 114)
    """
    inputs_length = whole_number("inputs_length", inputs_length, at_least=2)
    _check(noise_density, mean_span_length)
    tokens = inputs_length - 1
    while _tried(tokens + 1, noise_density, mean_span_length).inputs <= inputs_length:
        tokens += 1
    last = _tried(tokens, noise_density, mean_span_length)
    # As T5 does: with half of the text noise, no target is longer than its input.
    fewer = int(noise_density == 0.5 and last.targets > last.inputs)
    tokens, targets = tokens - fewer, last.targets - fewer
    for length in dict.fromkeys((inputs_length, tokens, tokens + 1)):
        yield _tried(length, noise_density, mean_span_length)
    return tokens, targets


def _tried(tokens: int, noise_density: float, mean_span_length: float) -> Tried:
    noise = round(tokens * noise_density)
    spans = round(noise / mean_span_length)
    return Tried(tokens, noise, spans, tokens - noise + spans + 1, noise + spans + 1)


def segment(items: int, segments: int, random: Random) -> tuple[int, ...]:
    """Cut so many items into so many segments, none empty; every way to do it is equally likely.

    Raises:
        ValueError: there are more segments than items, or none.

    >>> segment(6, 3, Random(9))
    (3, 1, 2)
    """
    if not 1 <= segments <= items:
        raise ValueError(f"segments={segments} should be between 1 and items={items}, for no segment is empty")
    cuts = sorted(random.sample(range(1, items), segments - 1))
    return tuple(end - start for start, end in pairwise([0, *cuts, items]))


@stepwise
def noise_mask(
    length: int, random: Random, noise_density: float = 0.15, mean_span_length: float = 3.0
) -> Generator[Counted | Segmented | Interleaved, None, Mask]:
    """Which tokens are noise: spans, kept and noise in turn, the first kept; chance decides only where they are cut.

    Args:
        length: how many tokens the text has; of a single one nothing is noise.
        random: the source of chance.
        noise_density: the share of the tokens that is noise.
        mean_span_length: how many tokens a noise span has on average.

    Raises:
        ValueError: what `noise_counts` refuses.

    >>> "".join(".n"[noisy] for noisy in noise_mask(20, Random(7), 0.3, 2.0))
    '.......nn....n...nnn'
    """
    noise, spans = noise_counts(length, noise_density, mean_span_length)
    if length < 2:
        return (False,) * length
    yield Counted(length, noise, spans)
    noise_lengths = segment(noise, spans, random)
    yield Segmented(True, noise_lengths)
    kept_lengths = segment(length - noise, spans, random)
    yield Segmented(False, kept_lengths)
    yield Interleaved(kept_lengths, noise_lengths)
    turns = zip(kept_lengths, noise_lengths, strict=True)
    return tuple(noisy for kept, noise in turns for noisy in [False] * kept + [True] * noise)


@stepwise
def corrupt(
    tokens: Sequence[Token], mask: Sequence[bool], sentinels: Sequence[Token] = SENTINELS, eos: Token = EOS
) -> Generator[Replaced | Ended, None, Pair]:
    """The input and the target: each run of noise is a sentinel in the input, each run that is kept one in the target.

    Args:
        tokens: the text.
        mask: of each token whether it is noise.
        sentinels: stand for the first run, the second, ...; on each side from the first.
        eos: ends both sides.

    Raises:
        ValueError: a mask of another length, a token that is a sentinel, more runs than sentinels.

    >>> corrupt([10, 11, 12, 13, 14], [False, True, True, False, True])
    ((10, 32099, 13, 32098, 1), (32099, 11, 12, 32098, 14, 1))
    """
    runs = _runs(tokens, mask)
    _check_sentinels(tokens, runs, sentinels)
    sides: dict[bool, list[Token]] = {False: [], True: []}  # the input has what is kept, the target the noise
    unused = {False: iter(sentinels), True: iter(sentinels)}
    for start, end, noisy in runs:
        sentinel = next(unused[noisy])
        sides[noisy] += tokens[start:end]
        sides[not noisy].append(sentinel)
        yield Replaced(start, end, noisy, sentinel)
    yield Ended(eos)
    return (*sides[False], eos), (*sides[True], eos)


@stepwise
def corrupt_spans(
    tokens: Sequence[Token],
    random: Random,
    noise_density: float = 0.15,
    mean_span_length: float = 3.0,
    sentinels: Sequence[Token] = SENTINELS,
    eos: Token = EOS,
) -> Generator[Counted | Segmented | Interleaved | Replaced | Ended, None, Pair]:
    """The input and the target of one text: a mask is drawn, and the sentinels are put in.

    Args:
        tokens: the text.
        random: the source of chance.
        noise_density: the share of the tokens that is noise.
        mean_span_length: how many tokens a noise span has on average.
        sentinels: stand for the first span, the second, ...
        eos: ends both sides.

    Raises:
        ValueError: what `noise_counts` and `corrupt` refuse.

    >>> corrupt_spans([10, 11, 12, 13, 14, 15], Random(0))
    ((10, 11, 12, 13, 14, 32099, 1), (32099, 15, 1))
    """
    mask = yield from noise_mask.steps(len(tokens), random, noise_density, mean_span_length)
    return (yield from corrupt.steps(tokens, mask, sentinels, eos))


def restore(
    inputs: Sequence[Token], targets: Sequence[Token], sentinels: Sequence[Token] = SENTINELS, eos: Token = EOS
) -> tuple[Token, ...]:
    """The text again: the runs of the input and those of the target take turns.

    Raises:
        ValueError: a side that does not end in `eos`, sentinels out of order, or two sides that do not fit.

    >>> restore((10, 32099, 13, 32098, 1), (32099, 11, 12, 32098, 14, 1))
    (10, 11, 12, 13, 14)
    """
    kept = [(run, False) for run in _between("inputs", inputs, sentinels, eos)]
    noise = [(run, True) for run in _between("targets", targets, sentinels, eos)]
    # subtle: a side begins with a sentinel where the text begins on the other side.
    sides = (noise, kept) if inputs[0] in sentinels else (kept, noise)
    turns = [turn for both in zip_longest(*sides) for turn in both if turn]
    text = tuple(token for run, _ in turns for token in run)
    mask = [noisy for run, noisy in turns for _ in run]
    if corrupt(text, mask, sentinels, eos) != (tuple(inputs), tuple(targets)):
        raise ValueError("inputs and targets do not fit: each sentinel of one side should stand for a run of the other")
    return text


def _between(side: str, tokens: Sequence[Token], sentinels: Sequence[Token], eos: Token) -> list[tuple[Token, ...]]:
    """The runs of a side, without its sentinels and its end."""
    if not tokens or tokens[-1] != eos:
        raise ValueError(f"{side} should end in {eos!r}, the end of a text; they were perhaps cut off")
    known = set(sentinels)
    groups = groupby(tokens[:-1], lambda token: token in known)
    return [tuple(run) for is_sentinel, run in groups if not is_sentinel]


def _runs(tokens: Sequence[Token], mask: Sequence[bool]) -> list[tuple[int, int, bool]]:
    """Start, end and kind of each run of tokens that are alike in the mask."""
    if len(mask) != len(tokens):
        raise ValueError(f"the mask has {len(mask)} places, and there are {len(tokens)} tokens; give one for each")
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
            raise ValueError(
                f"the text has {token!r}, which is a sentinel; nobody could tell them apart, so take it out"
            )
    noise = sum(noisy for *_, noisy in runs)
    needed = max(noise, len(runs) - noise)
    if needed > len(sentinels):
        raise ValueError(
            f"{needed} spans need as many sentinels, and there are {len(sentinels)}; shorten the text, or give more"
        )


def _check(noise_density: float, mean_span_length: float) -> None:
    if not 0 < noise_density < 1:
        raise ValueError(
            f"noise_density={noise_density} is the share of tokens that are noise; give a number between 0 and 1, "
            "such as 0.15: without noise nothing is asked, and all noise leaves nothing to go by"
        )
    if not 1 <= mean_span_length <= 1e6:
        raise ValueError(
            f"mean_span_length={mean_span_length} counts tokens; give 3.0, or another number from 1 to a million"
        )


def _float32(number: float) -> float:
    """The nearest number that has only 32 bits."""
    nearest: float = unpack("f", pack("f", number))[0]
    return nearest


def _kind(noise: bool) -> str:
    return "noise " if noise else "kept "


def _count(number: int, kind: str) -> str:
    return f"{number:,} {kind}token{_s(number)}"


def _s(number: int) -> str:
    return "" if number == 1 else "s"
