"""`Encoding.encode` from the text to the ids: the pieces, the piece at work with its ranks, the ids so far."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tokenlab.algorithms.bpe_encode import Joined, symbols_of
from tokenlab.algorithms.bpe_start import join
from tokenlab.algorithms.tie_break import Pair
from tokenlab.algorithms.words import Word
from tokenlab.misconceptions.byte_level import always_special, never_special, no_longest_special
from tokenlab.show.frames import Fact, Frame, Html, Option, Panel, Question, Window, chip, text, view
from tokenlab.steps import Recording
from tokenlab.tiktoken.core import Encoding
from tokenlab.tiktoken.doors import Door, three_doors
from tokenlab.tiktoken.watched import Encoded, Special, Split, Whole
from tokenlab.visible import visible

LONGEST = 60  # pieces and ids that are shown at the most


class _State:
    """What is known after each step: the pieces, the tokens of the piece at work, and the ids."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.tokens: Word = ()
        self.ids: list[tuple[Any, int]] = []

    def take(self, step: Any) -> None:
        match step:
            case Split(piece=piece):
                self.pieces.append(piece)
                self.tokens = symbols_of(piece.encode())
            case Special(text=special, id=id):
                self.pieces.append(special)
                self.tokens = ()
                self.ids.append((special, id))
            case Whole(piece=whole, id=id):
                self.tokens = (whole,)
                self.ids.append((whole, id))
            case Joined(at=at, pair=pair):
                self.tokens = _joined(self.tokens, at, pair)
            case Encoded(ids=ids):
                self.ids.extend(zip(self.tokens, ids, strict=True))


def _joined(tokens: Word, at: int, pair: Pair) -> Word:
    place, before = 0, 0
    while before < at:
        before += len(tokens[place])
        place += 1
    return (*tokens[:place], join(pair), *tokens[place + 2 :])


@view(Encoding.encode)
def tiktoken_encoding(recording: Recording[Any, Any], window: Window) -> Iterator[Frame]:
    """A frame for the text, and one for each cut, look-up and merge."""
    state, asked = _State(), _stops(recording)
    for number in range(window.end + 1):
        done = recording[number - 1] if number else None
        state.take(done)
        if number >= window.first:
            yield Frame(
                moment=f"After step {number}" if done else "At the start",
                caption=_caption(done),
                panels=tuple(_panels(recording.arguments["text"], state, done)),
                question=_question(done, recording[number]) if number in asked else None,
            )


def _caption(done: Any) -> Html:
    match done:
        case Split(piece=piece, rule=rule):
            return f"{chip(piece, 'new')} was cut off by the rule for {text(rule)}."
        case Special(text=special, id=id):
            return f"{chip(special, 'new')} is a special token, and allowed: id {id:,}."
        case Whole(piece=piece, id=id):
            return f"{chip(piece)} is a token as a whole: id {id:,}."
        case Joined(pair=pair, rank=rank):
            return f"{chip(pair[0])} + {chip(pair[1])} became {chip(join(pair), 'new')}, rank {rank:,}."
        case Encoded(piece=piece, ids=ids):
            number = "one token" if len(ids) == 1 else f"{len(ids)} tokens"
            return f"No merge is left: {chip(piece)} is {number}."
    return "The text, before it is split."


def _stops(recording: Recording[Any, Any]) -> set[int]:
    """Where to ask: the first single byte whose id is not its value, and the first piece that merges do not reach."""
    bytes_asked, unreached = [], []
    for number, step in enumerate(recording.steps[1:], start=1):
        if isinstance(step, Encoded | Whole) and len(step.piece) == 1 and _ids_of(step) != (step.piece[0],):
            bytes_asked.append(number)
        if isinstance(step, Whole) and step.merged != (step.id,) and number > 1:
            unreached.append(number)
    return {*bytes_asked[:1], *unreached[:1]}


def _question(done: Any, following: Encoded | Whole) -> Question:
    return _which_id(done, following) if len(following.piece) == 1 else _one_or_many(done, following)


def _one_or_many(done: Any, following: Encoded | Whole) -> Question:
    """How many ids? Who thinks that merges alone decide (13) counts what merging gives."""
    assert isinstance(following, Whole)
    facts: tuple[Fact, ...] = (("merged", following.merged, len(following.merged)),)
    why = (
        f"The whole piece is looked up first, and it is a token. Merging alone would give {len(following.merged)} ids."
    )
    options = (
        Option("one", why, right=True, facts=facts),
        Option(str(len(following.merged)), why, belief=13, facts=facts),
    )
    return Question(f"How many ids does {chip(done.piece)} have?", options).shuffled()


def _ids_of(step: Encoded | Whole) -> tuple[int, ...]:
    return step.ids if isinstance(step, Encoded) else (step.id,)


def _which_id(done: Any, following: Encoded | Whole) -> Question:
    """Which id has a single byte? Who thinks that ids are byte values (11) names its value."""
    byte, (id,) = following.piece[0], _ids_of(following)
    why = f"It is the byte {byte}, but its id is its rank in the file: {id}."
    facts: tuple[Fact, ...] = (("byte", following.piece, byte), ("id", following.piece, id))
    options = (Option(str(byte), why, belief=11, facts=facts), Option(str(id), why, right=True, facts=facts))
    return Question(f"Which id has {chip(done.piece)}?", options).shuffled()


def _panels(whole: str, state: _State, done: Any) -> Iterator[Panel]:
    rest = whole[sum(map(len, state.pieces)) :]
    pieces = [chip(piece) for piece in state.pieces[-LONGEST:-1]]
    pieces += [chip(piece, "new") for piece in state.pieces[-1:]]
    left = f" <small>{text(visible(rest[:200]))}</small>" if rest else ""
    yield Panel("The text, as far as it is split", (f"<li>{' '.join(pieces)}{left}",), wide=True)
    made = join(done.pair) if isinstance(done, Joined) else None
    tokens = " ".join(chip(token, "new" if token == made else "") for token in state.tokens)
    yield Panel("The piece at work, in bytes and tokens", (f"<li>{tokens}",) if tokens else (), wide=True)
    yield Panel("The ids so far", _ids(state.ids), wide=True)


def _ids(ids: list[tuple[Any, int]]) -> tuple[Html, ...]:
    if not ids:
        return ()
    shown = " ".join(f"{chip(token)} <small>{id:,}</small>" for token, id in ids[-LONGEST:])
    return (f"<li class=tl-ranks>{'… ' if len(ids) > LONGEST else ''}{shown}",)


@view(three_doors)
def doors(recording: Recording[Any, Any], window: Window) -> Iterator[Frame]:
    """A frame for the text, and one for each door."""
    for number in range(window.first, window.end + 1):
        done = recording.steps[:number]
        said = str(done[-1]) if done else "A text that has something spelled like a special token"
        rows = (f"<li><span>the text</span> <div>{text(recording.arguments['text'])}</div>", *map(_door, done))
        yield Frame(
            moment=f"Door {number} of {len(recording)}" if done else "The text",
            caption=text(f"{said}."),
            panels=(Panel("Three doors", rows, kind="words", wide=True),),
            question=_which_outcome(recording, number) if done and number < len(recording) else None,
        )


def _which_outcome(recording: Recording[Any, Any], number: int) -> Question | None:
    """What comes through the next door? Wrong are those who go by the spelling (14), or by the order (15)."""
    door: Door = recording[number]
    special = {token: id for id, token in enumerate(recording.result)}
    content = recording.arguments["text"]
    cut = {
        "always": (14, always_special(content, special)),
        "never": (14, never_special(content, special)),
        "in order": (15, no_longest_special(content, special)),
    }
    allowed = door.arguments.startswith("allowed_special")
    rule = (
        "All special tokens are allowed here, and the longest that matches is meant."
        if allowed
        else ("Nothing is disallowed and nothing allowed, so all of it is text.")
    )
    right = always_special(content, special) if allowed else never_special(content, special)
    options = {tuple(right): Option(_marked(right, special), rule, right=True)}
    for belief, parts in cut.values():
        facts = (("parts", tuple(parts), len(parts)),)
        options.setdefault(tuple(parts), Option(_marked(parts, special), rule, belief=belief, facts=facts))
    asked = f"What is one id, and what is text, with <code>{text(door.arguments)}</code>?"
    return Question(asked, tuple(options.values())).shuffled() if len(options) > 1 else None


def _marked(parts: list[str], special: Mapping[str, int]) -> Html:
    whole = len(parts) == 1 and parts[0] not in special
    shown = [f"{chip(part)} as {'one id' if part in special and not whole else 'text'}" for part in parts]
    return ", ".join(shown)


def _door(door: Door) -> Html:
    tokens = " ".join(f"{chip(token)}" for token in door.tokens)
    outcome = f"<strong>ValueError</strong>&nbsp; {chip(door.refused, 'unknown')}" if door.refused else tokens
    return f"<li><span><code>{text(door.arguments)}</code></span> <div>{outcome}</div>"
