"""View of several segmentations of the same text: one row of chips per step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tokenlab.algorithms.bpe.train import merged_symbol
from tokenlab.algorithms.text.granularity import Tokenization
from tokenlab.misconceptions.bpe_encoding import BY_RANK, SegmentedBy, single_pass_shuffled_merges
from tokenlab.show.frames import (
    Frame,
    Html,
    Option,
    Panel,
    Question,
    StepRange,
    bar,
    chip,
    chips,
    labelled,
    plus,
    sentence,
    text,
)
from tokenlab.show.views.elements.questions import ask
from tokenlab.steps.recording import Recording

LONGEST = 300  # tokens in a row


def segmentation_comparison_view(recording: Recording[Any, Any], window: StepRange) -> Iterator[Frame]:
    """Yield a frame for the whole text, and one after each segmentation."""
    whole = recording.arguments.get("sentence") or recording.arguments.get("word")
    for number, _, following in window.steps_around(recording):
        done: Sequence[Any] = recording.steps[:number]
        rows = (labelled("whole", text(whole)), *(labelled(text(_name(cut)), _tokens(cut)) for cut in done))
        asks = done and isinstance(following, SegmentedBy) and following.rule == BY_RANK
        yield Frame(
            moment=f"Segmentation {number} of {len(recording)}" if done else "The whole text",
            caption=sentence(done[-1] if done else "nothing is segmented yet. Step forward"),
            panels=(Panel("The same text", rows, kind="words", wide=True), *_lengths(done)),
            question=_question(recording) if asks else None,
        )


def _question(recording: Recording[Any, Any]) -> Question | None:
    """Ask which segmentation is BPE's; misconceptions 6 to 9 give the wrong answers."""
    cuts = {step.rule: step.tokens for step in recording}
    right = cuts[BY_RANK]
    word, merges = recording.arguments["word"], recording.arguments["merges"]
    shuffled = single_pass_shuffled_merges(word, merges)
    listed = ", ".join(plus(pair) for pair in merges if merged_symbol(pair) in word)
    guesses = (
        (6, "longest match", cuts["longest match"]),
        (7, "left to right", cuts["left to right"]),
        (9, "fewest tokens", cuts["fewest tokens"]),
        (8, "applying the merges once, in another order,", shuffled),
    )
    why = "That is what {} gives. BPE merges the pair with the lowest rank first, wherever it is."
    return ask(
        f"The merges that fit into {chip(word)} are, in order: {listed}. How does BPE segment it?",
        (chips(right), "The pair with the lowest rank is merged first, wherever it is."),
        *(
            Option(chips(tokens), why.format(rule), misconception=number, facts=((rule, tokens, len(tokens)),))
            for number, rule, tokens in guesses
        ),
        given=(chip(word), listed),
    )


def _name(cut: Tokenization | SegmentedBy) -> str:
    return cut.kind if isinstance(cut, Tokenization) else cut.rule


def _tokens(cut: Tokenization | SegmentedBy) -> Html:
    marked = [chip(token, "unknown" if token in cut.unknown else "") for token in cut.tokens[:LONGEST]]
    more = f" … and {len(cut.tokens) - LONGEST:,} more" if len(cut.tokens) > LONGEST else ""
    return " ".join(marked) + more


def _lengths(done: Sequence[Tokenization | SegmentedBy]) -> Iterator[Panel]:
    if done:
        longest = max([1, *(len(cut.tokens) for cut in done)])
        rows = tuple(bar(text(_name(cut)), len(cut.tokens) / longest, len(cut.tokens)) for cut in done)
        yield Panel("Number of tokens", rows, kind="bars", wide=True)
