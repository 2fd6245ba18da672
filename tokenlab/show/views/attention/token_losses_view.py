"""The loss of each token of a target: its input token and label, computed in one parallel pass and step by step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import exp
from typing import Any

from tokenlab.printing.printable import count_noun, printable
from tokenlab.printing.printed_numbers import format_number
from tokenlab.show.frames import OTHER, Frame, Html, Mark, Panel, Question, StepRange, bar, chip, sentence, text
from tokenlab.show.views.elements.questions import ask
from tokenlab.steps.recording import Recording
from tokenlab.traces.t5.t5_steps import MeanLoss, TokenLoss

LONGEST = 64  # positions that are drawn
IN_A_LINE = 10  # positions in one line
IGNORED, HIDDEN = "-100", "hidden"  # shown for an ignored label and for a masked token
LEAST = 0.5  # the loss of the longest bar, if all losses are smaller
APART = 0.01  # log-probabilities that differ by more are not equal up to rounding


def token_losses_view(recording: Recording[Any, Any], window: StepRange) -> Iterator[Frame]:
    """Yield a frame before the first position, after each position, and for the mean."""
    positions = [step for step in recording if isinstance(step, TokenLoss)]
    asked = _questions(recording, positions)
    for number, done, _ in window.steps_around(recording):
        panels = tuple(_panels(positions, positions[:number], done))
        yield Frame(*_moment(recording, done), panels, asked.get(number))


def _moment(recording: Recording[Any, Any], done: Any) -> tuple[str, Html, Html]:
    """Return the moment, the caption and the remark."""
    match done:
        case TokenLoss(label=None):
            remark = "This position is padding. Another text of the batch is longer."
            return f"Position {done.position}", sentence(done), remark
        case TokenLoss():
            assert done.log_prob_parallel is not None and done.log_prob_stepwise is not None
            remark = "Parallel pass and step-by-step computation agree up to rounding."
            if abs(done.log_prob_parallel - done.log_prob_stepwise) >= APART:
                later = count_noun(done.visible - done.position - 1, "later token")
                remark = f"They differ: in parallel this position also attends to {later}."
            return f"Position {done.position}", sentence(done), remark
        case MeanLoss():
            output = f"this text: {chip(done.generated)}" if done.generated else "empty."
            return "The loss", sentence(done), f"The greedy output of the model is {output}"
    names = {"causal": "the causal mask", "bias": "the bias"}
    missing = ", ".join(names[name] for name in names if not recording.arguments[name])
    opening = "These are the labels. What does the decoder read to predict them?"
    return "Before the first position", opening, f"Switched off: {missing}." * bool(missing)


def _panels(positions: Sequence[TokenLoss], done: Sequence[TokenLoss], last: Any) -> Iterator[Panel]:
    now = last if isinstance(last, TokenLoss) else None
    title = "Input tokens and labels" if done else "Labels"
    yield Panel(title, tuple(_rows(positions, now, bool(done))), kind="lines", wide=True)
    logs = [log for step in positions for log in (step.log_prob_parallel, step.log_prob_stepwise) if log is not None]
    most = max([LEAST, *(-log for log in logs)])
    if done:
        parallel = tuple(_bar(step, step.log_prob_parallel, most) for step in done)
        yield Panel("Loss -ln(p), parallel pass", parallel, kind="bars")
        stepwise = tuple(_bar(step, step.log_prob_stepwise, most) for step in done)
        yield Panel("Loss -ln(p), step by step", stepwise, kind="bars")


def _bar(step: TokenLoss, log: float | None, most: float) -> Html:
    if log is None or step.label is None:
        return bar(IGNORED, 0, "ignored")
    return bar(chip(step.label), -log / most, f"{format_number(abs(log))} (p {format_number(exp(log))})")


def _rows(positions: Sequence[TokenLoss], now: TokenLoss | None, reading: bool) -> Iterator[Html]:
    """Yield a line of input tokens and a line of labels in turn; each position has its own column."""
    visible = now.visible if now else len(positions)
    for start in range(0, min(LONGEST, len(positions)), IN_A_LINE):
        shown = positions[start : min(LONGEST, start + IN_A_LINE)]
        ruler = f'<li class=tl-ruler style="grid-template-columns:3em {" ".join(map(_width, shown))}">'
        if reading:
            parts = (
                _part(step.position, step.input_token, "" if step.position < visible else "unknown") for step in shown
            )
            yield f"{ruler}<span>input</span> {''.join(parts)}"
        parts = (_part(step.position, step.label, "new" if step is now and step.label else "") for step in shown)
        yield f"{ruler}<span>label</span> {''.join(parts)}"
    if len(positions) > LONGEST:
        yield f"<li>… the first {LONGEST} of {len(positions)} positions"


def _width(step: TokenLoss) -> str:
    """Return the width of a position's column, which fits its longest content."""
    longest = max(len(printable(token)) for token in (step.input_token, step.label or IGNORED, HIDDEN))
    return f"{0.62 * longest + 0.9:.1f}em"


def _part(position: int, token: str | None, mark: Mark) -> Html:
    shown = IGNORED if token is None else HIDDEN if mark == "unknown" else text(printable(token))
    style = f'"grid-column:{position % IN_A_LINE + 2};white-space:nowrap"'
    return f'<b{mark and f" class={mark}"} tabindex=-1 data-at="{position}" style={style}>{shown}</b>'


def _questions(recording: Recording[Any, Any], positions: Sequence[TokenLoss]) -> dict[int, Question | None]:
    """Return the questions by the number of finished positions: input token, visible positions, ignored labels."""
    counted = [step for step in positions if step.label is not None]
    ignored = [step for step in positions if step.label is None]
    asked: dict[int, Question | None] = {}
    if recording.arguments["causal"] and len(counted) > 1:
        asked[1] = _input_token_question(counted)
        if len(positions) > 3:
            asked[2] = _visible_positions_question(positions)
    if ignored:
        asked[ignored[0].position] = _padding_loss_question(ignored[0])
        if len(positions) <= LONGEST:  # all labels are visible
            asked[len(positions)] = _label_count_question(positions, len(counted))
    return asked


def _input_token_question(positions: Sequence[TokenLoss]) -> Question | None:
    """Ask for the input token: the label before, the label itself, or the token two positions back (39)?"""
    before, now = positions[0], positions[1]
    assert before.label is not None and now.label is not None
    why = f"The label before it, {chip(before.label)}, is the input from which {chip(now.label)} is predicted."
    return ask(
        f"The label at position 1 is {chip(now.label)}. What is its input token?",
        (chip(before.label), why),
        (39, chip(now.label), "With the label as its input, the decoder would only copy it."),
        (39, chip(before.input_token), "The start is added once, at position 0."),
        given=(chip(before.label), chip(now.label), chip(before.input_token)),
        facts=(("place", now.position, 1),),
    )


def _visible_positions_question(positions: Sequence[TokenLoss]) -> Question | None:
    """Ask for the number of visible positions: those up to this one, or all (40)?"""
    now, number = positions[2], len(positions)
    why = f"It attends to itself and to earlier positions: {now.visible} of {number}. Later tokens do not exist yet."
    return ask(
        f"One pass computes {number} positions at once. How many may position {now.position} attend to?",
        (f"{now.visible}", why),
        (40, f"all {number}", "The next input token is the label of this position, so the decoder would only copy it."),
        (OTHER, f"{now.position}", "This leaves out the position itself."),
        given=(f"{number} positions", f"position {now.position}"),
        facts=(("places", None, number), ("seen", now.position, now.visible)),
    )


def _padding_loss_question(step: TokenLoss) -> Question | None:
    """Ask for the contribution of padding to the loss: nothing, or a loss (39)?"""
    which = f"position {step.position}, whose label is {IGNORED}"
    return ask(
        f"What does {which}, add to the loss?",
        ("nothing", "The mean ignores a label of -100."),
        (39, "the loss of padding", "The model is not trained on padding."),
        given=(which,),
        facts=(("ignored", step.position, 1),),
    )


def _label_count_question(steps: Sequence[TokenLoss], counted: int) -> Question | None:
    """Ask for the number of positions in the mean: those with a label, or all (39)?"""
    positions = len(steps)
    labels = [IGNORED if step.label is None else text(printable(step.label)) for step in steps]
    lines = (" ".join(labels[start : start + IN_A_LINE]) for start in range(0, positions, IN_A_LINE))
    told = "Padding is not a part of the target. If it counted, the loss would depend on the amount of padding."
    return ask(
        "Over how many positions is the mean taken?",
        (f"{counted}", f"{counted} of {positions} positions have a label, and the mean is taken over these."),
        (39, f"{positions}", told),
        given=tuple(f"label {line}" for line in lines),
        facts=(("places", None, positions), ("counted", None, counted)),
    )
