"""View of `Encoding.encode`: the pieces, the current piece with its tokens, and the ids so far."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import takewhile
from typing import Any

from tokenlab.algorithms.bpe.encode import PairMerged
from tokenlab.algorithms.bpe.train import merged_symbol
from tokenlab.libraries.tiktoken.encode_steps import (
    EncodingProgress,
    PieceEncoded,
    PolicyOutcome,
    PreTokenSplit,
    WholePieceFound,
)
from tokenlab.misconceptions.byte_level_bpe import always_special, never_special, no_longest_special
from tokenlab.printing.printable import printable
from tokenlab.show.frames import (
    Frame,
    Html,
    Option,
    Panel,
    Question,
    StepRange,
    chip,
    chips,
    labelled,
    plus,
    sentence,
    text,
)
from tokenlab.show.views.elements.questions import ask
from tokenlab.steps.recording import Recording

LONGEST = 60  # maximum number of pieces and ids shown
LONGEST_COUNTS = "Where several match, the longest counts"


def tiktoken_encoding(recording: Recording[Any, Any], window: StepRange) -> Iterator[Frame]:
    """Yield a frame for the text, and one for each split, look-up and merge."""
    progress, asked = EncodingProgress(), _stops(recording)
    for number, done, _ in StepRange(0, window.end).steps_around(recording):
        if done:
            progress.take(done)
        if number >= window.first:
            yield Frame(
                moment=f"After step {number}" if done else "At the start",
                caption=sentence(done or "the text is not split yet"),
                remark="No merge is left." if isinstance(done, PieceEncoded) else "",
                panels=tuple(_panels(recording.arguments["text"], progress, done)),
                question=_question(done, recording.steps[number:]) if number in asked else None,
            )


def _stops(recording: Recording[Any, Any]) -> set[int]:
    """Steps to ask about: the first merge that is not leftmost, byte with another id, and piece no merge reaches."""
    merges, bytes_asked, unreached = [], [], []
    for number, step in enumerate(recording.steps[1:], start=1):
        if isinstance(recording[number - 1], PreTokenSplit) and _leftmost(recording.steps[number:]) != step:
            merges.append(number)
        if (
            isinstance(step, PieceEncoded | WholePieceFound)
            and len(step.piece) == 1
            and _ids_of(step) != (step.piece[0],)
        ):
            bytes_asked.append(number)
        if isinstance(step, WholePieceFound) and step.merged != (step.id,) and number > 1:
            unreached.append(number)
    return {*merges[:1], *bytes_asked[:1], *unreached[:1]}


def _leftmost(steps: tuple[Any, ...]) -> Any:
    """Return the leftmost of the merges that join two bytes, before another pre-token; the first step if it is none."""
    merges = [*takewhile(lambda step: isinstance(step, PairMerged), steps)]
    return min((step for step in merges if len(merged_symbol(step.pair)) == 2), key=lambda s: s.at, default=steps[0])


def _question(done: Any, later: tuple[Any, ...]) -> Question | None:
    following = later[0]
    if isinstance(following, PairMerged):
        return _merged_first(following, _leftmost(later))
    return _which_id(done, following) if len(following.piece) == 1 else _one_or_many(done, following)


def _merged_first(right: PairMerged, leftmost: PairMerged) -> Question | None:
    """Ask which of two pairs of bytes is merged first; misconception 7 (left to right) gives the wrong answer."""
    rows = [(plus(one.pair), chip(merged_symbol(one.pair)), one.rank) for one in (leftmost, right)]
    given = tuple(f"{pair} would become {made}, which has the id {rank:,}" for pair, made, rank in rows)
    why = f"An id is also a rank, and the lowest is merged first: {right.rank:,} is lower than {leftmost.rank:,}."
    return ask(
        f"{'; '.join(given)}. Which pair is merged first?",
        (rows[1][0], why),
        (7, rows[0][0], "It is further left, but the place does not decide."),
        given=given,
        facts=(("rank", right.pair, right.rank), ("rank", leftmost.pair, leftmost.rank)),
    )


def _one_or_many(done: Any, following: PieceEncoded | WholePieceFound) -> Question | None:
    """Ask for the number of ids; misconception 13 (merges alone decide) gives the wrong answer."""
    assert isinstance(following, WholePieceFound)
    merged = len(following.merged)
    known = f"{chip(done.piece)} is in the vocabulary"
    return ask(
        f"{known}, but merges do not produce it. How many ids does it have?",
        ("one", f"The whole pre-token is looked up first, and it is a token. Merging alone would give {merged} ids."),
        (13, str(merged), ""),
        given=(known,),
        facts=(("merged", following.merged, merged),),
    )


def _ids_of(step: PieceEncoded | WholePieceFound) -> tuple[int, ...]:
    return step.ids if isinstance(step, PieceEncoded) else (step.id,)


def _which_id(done: Any, following: PieceEncoded | WholePieceFound) -> Question | None:
    """Ask for the id of a single byte; misconception 11 (ids are byte values) gives the wrong answer."""
    byte, (id,) = following.piece[0], _ids_of(following)
    given = (f"{chip(done.piece)} is the byte {byte}", f"its rank in the file is {id}")
    return ask(
        f"{' and '.join(given)}. Which id does it have?",
        (str(id), f"It is the byte {byte}, but its id is its rank in the file, {id}."),
        (11, str(byte), ""),
        given=given,
        facts=(("byte", following.piece, byte), ("id", following.piece, id)),
    )


def _panels(whole: str, progress: EncodingProgress, done: Any) -> Iterator[Panel]:
    rest = whole[sum(map(len, progress.pieces)) :]
    pieces = [chip(piece) for piece in progress.pieces[-LONGEST:-1]]
    pieces += [chip(piece, "new") for piece in progress.pieces[-1:]]
    left = f" <small>{text(printable(rest[:200]))}</small>" if rest else ""
    yield Panel("The text, split so far", (f"<li>{' '.join(pieces)}{left}",), wide=True)
    made = merged_symbol(done.pair) if isinstance(done, PairMerged) else None
    tokens = " ".join(chip(token, "new" if token == made else "") for token in progress.tokens)
    yield Panel("The current pre-token, in bytes and tokens", (f"<li>{tokens}",) if tokens else (), wide=True)
    yield Panel("The ids so far", _ids(progress.ids), wide=True)


def _ids(ids: list[tuple[Any, int]]) -> tuple[Html, ...]:
    if not ids:
        return ()
    shown = " ".join(f"{chip(token)} <small>{id:,}</small>" for token, id in ids[-LONGEST:])
    return (f"<li class=tl-ranks>{'… ' if len(ids) > LONGEST else ''}{shown}",)


def special_token_policy_view(recording: Recording[Any, Any], window: StepRange) -> Iterator[Frame]:
    """Yield a frame for the text, and one for each policy."""
    for number in window.positions:
        done = recording.steps[:number]
        rows = (labelled("the text", text(recording.arguments["text"])), *map(_outcome, done))
        yield Frame(
            moment=f"Policy {number} of {len(recording)}" if done else "The text",
            caption=sentence(done[-1] if done else "this text contains the spelling of a special token"),
            panels=(Panel("Three policies", rows, kind="words", wide=True),),
            question=_which_outcome(recording, number) if done and number < len(recording) else None,
        )


def _which_outcome(recording: Recording[Any, Any], number: int) -> Question | None:
    """Ask for the next result; misconceptions 14 (spelling decides) and 15 (order decides) give the wrong answers."""
    outcome: PolicyOutcome = recording[number]
    special = {token: id for id, token in enumerate(recording.result)}
    content = recording.arguments["text"]
    allowed = outcome.arguments.startswith("allowed_special")
    rule = (
        f"All special tokens are allowed here. {LONGEST_COUNTS}."
        if allowed
        else "No special token is allowed here, and none gives an error. So the whole text is ordinary text."
    )
    right = always_special(content, special) if allowed else never_special(content, special)
    programs = ((14, always_special), (14, never_special), (15, no_longest_special))
    guesses = [(misconception, program(content, special)) for misconception, program in programs]
    given = (f"The special tokens are {chips(special)}", f"<code>{text(outcome.arguments)}</code>")
    return ask(
        f"{given[0]}. {f'{LONGEST_COUNTS}. ' * allowed}What does the text become with {given[1]}?",
        (_marked(right, special), rule),
        *(
            Option(_marked(parts, special), rule, misconception=number, facts=(("parts", tuple(parts), len(parts)),))
            for number, parts in guesses
        ),
        given=(text(content), *given),
    )


def _marked(parts: list[str], special: Mapping[str, int]) -> Html:
    whole = len(parts) == 1 and parts[0] not in special
    shown = [f"{chip(part)} as {'one id' if part in special and not whole else 'text'}" for part in parts]
    return ", ".join(shown)


def _outcome(outcome: PolicyOutcome) -> Html:
    tokens = " ".join(f"{chip(token)}" for token in outcome.tokens)
    error = f"<strong>ValueError</strong>&nbsp; {chip(outcome.disallowed_token, 'unknown')}"
    result = error if outcome.disallowed_token else tokens
    return labelled(f"<code>{text(outcome.arguments)}</code>", result)
