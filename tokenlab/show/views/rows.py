"""Recordings whose every step is one more way to cut the same text: a row of chips each, one beneath the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tokenlab.algorithms.three_ways import Cut, cut_three_ways
from tokenlab.misconceptions.bpe_encode import single_pass_shuffled_merges
from tokenlab.misconceptions.cuts import BY_RANK, CutBy, cut_in_several_ways
from tokenlab.show.frames import Frame, Html, Option, Panel, Question, Window, bar, chip, chips, text, view
from tokenlab.steps import Recording

LONGEST = 300  # tokens in a row


@view(cut_three_ways, cut_in_several_ways)
def cuts(recording: Recording[Any, Any], window: Window) -> Iterator[Frame]:
    """A frame for the whole text, and one after each way to cut it."""
    whole = recording.arguments.get("sentence") or recording.arguments.get("word")
    for number in range(window.first, window.end + 1):
        done: Sequence[Any] = recording.steps[:number]
        said = str(done[-1]) if done else "nothing is cut yet. Step forward"
        rows = (_row("whole", text(whole)), *(_row(_name(cut), _tokens(cut)) for cut in done))
        following = recording[number] if number < len(recording) else None
        yield Frame(
            moment=f"Way {number} of {len(recording)}" if done else "The whole",
            caption=text(f"{said[0].upper()}{said[1:]}."),
            panels=(Panel("The same text", rows, kind="words", wide=True), *_lengths(done)),
            question=_question(recording)
            if done and isinstance(following, CutBy) and following.rule == BY_RANK
            else None,
        )


def _question(recording: Recording[Any, Any]) -> Question | None:
    """Which cut is BPE's? The wrong ones are what the misconceptions 6 to 9 make of the same word."""
    cuts = {step.rule: step.tokens for step in recording}
    right = cuts[BY_RANK]
    shuffled = single_pass_shuffled_merges(recording.arguments["word"], recording.arguments["merges"])
    guesses = [(6, "longest match", cuts["longest match"]), (7, "left to right", cuts["left to right"])]
    guesses += [
        (9, "fewest tokens", cuts["fewest tokens"]),
        (8, "going through the merges once, in another order,", shuffled),
    ]
    options = {right: Option(chips(right), "The lowest rank comes first, wherever it stands.", right=True)}
    for belief, rule, tokens in guesses:
        why = f"That is what {rule} gives. BPE joins the lowest rank first, wherever it stands."
        options.setdefault(tokens, Option(chips(tokens), why, belief=belief, facts=((rule, tokens, len(tokens)),)))
    return Question("How does BPE cut it?", tuple(options.values())).shuffled() if len(options) > 1 else None


def _name(cut: Cut | CutBy) -> str:
    return cut.kind if isinstance(cut, Cut) else cut.rule


def _row(name: str, content: Html) -> Html:
    return f"<li><span>{text(name)}</span> <div>{content}</div>"


def _tokens(cut: Cut | CutBy) -> Html:
    marked = [chip(token, "unknown" if token in cut.unknown else "") for token in cut.tokens[:LONGEST]]
    more = f" … and {len(cut.tokens) - LONGEST:,} more" if len(cut.tokens) > LONGEST else ""
    return " ".join(marked) + more


def _lengths(done: Sequence[Cut | CutBy]) -> Iterator[Panel]:
    if done:
        longest = max([1, *(len(cut.tokens) for cut in done)])
        rows = tuple(bar(text(_name(cut)), len(cut.tokens) / longest, len(cut.tokens)) for cut in done)
        yield Panel("How many tokens", rows, kind="bars", wide=True)
