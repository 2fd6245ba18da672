"""A text on its way to the ids of subtokens: split into runs, escaped, cut greedily, and all of it token by token."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tokenlab.algorithms.subword_text import Matched, cut_greedily
from tokenlab.algorithms.subword_text_escape import Escaped, escape
from tokenlab.algorithms.subword_text_split import Run, split_into_runs
from tokenlab.misconceptions.bpe_encode import min_tokens_dp
from tokenlab.misconceptions.subword_text import keep_space_token, no_escape
from tokenlab.show.frames import Frame, Html, Option, Panel, Question, Window, chip, chips, text, view
from tokenlab.steps import Recording
from tokenlab.tensor2tensor.text_encoder import Encoded, SubwordTextEncoder
from tokenlab.visible import visible

SHOWN, TRIED, LEFT = 40, 8, 200  # chips, rows, and characters at the most


def _left(rest: str) -> Html:
    return f" <small>{text(visible(rest[:LEFT]))}{' …' if len(rest) > LEFT else ''}</small>" if rest else ""


def _row(cells: Sequence[Html], rest: str = "") -> Html:
    dots = "… " if len(cells) > SHOWN else ""
    return f"<li class=tl-ranks>{dots}{' '.join(cells[-SHOWN:])}{_left(rest)}"


# Splitting.


@view(split_into_runs)
def splitting(recording: Recording[Any, Any], window: Window) -> Iterator[Frame]:
    """A frame for the whole text, and one for each run."""
    whole: str = recording.arguments["text"]
    lonely = [number for number, run in enumerate(recording) if number > window.first and not run.kept][:1]
    for number in range(window.first, window.end + 1):
        runs = recording[:number]
        done = runs[-1] if runs else None
        rest = whole[done.start + len(done.text) :] if done else whole
        tokens = [chip(run.text, "new" if run is done else "") for run in runs if run.kept]
        yield Frame(
            moment=f"After run {number}" if done else "The whole text",
            caption=_run(done),
            panels=(
                Panel("The runs, and what is left of the text", (_row(_runs(runs), rest),), wide=True),
                Panel("The tokens", (_row(tokens),) if tokens else (), wide=True),
            ),
            question=_what_of_the_blank(whole) if number in lonely else None,
        )


def _runs(runs: Sequence[Run]) -> list[Html]:
    return [chip(run.text) if run.kept else f"{chip(run.text, 'unknown')}<small>left out</small>" for run in runs]


def _run(done: Run | None) -> Html:
    if done is None:
        return "A text is cut wherever letters and numbers meet other characters."
    if not done.kept:
        return f"{chip(done.text, 'unknown')} is left out: two words side by side say that it was there."
    kind = "letters and numbers" if done.text[0].isalnum() else "other characters"
    return f"{chip(done.text, 'new')} is a token of {kind}."


def _what_of_the_blank(whole: str) -> Question:
    """Who takes every blank for a token (31) has more tokens than there are."""
    tokens, more = split_into_runs(whole), keep_space_token(whole)
    counted = (("tokens", whole, len(tokens)), ("tokens with blanks", whole, len(more)))
    why = (
        f"With every blank there would be {len(more)} tokens. There are {len(tokens)}: two words side by side suffice."
    )
    right = Option("It is left out", f"{why} Joining puts it back.", right=True, facts=counted)
    wrong = Option("It is a token", why, belief=31, facts=counted)
    return Question(f"What becomes of the {chip(' ')} that comes next?", (right, wrong)).shuffled()


# Escaping.


@view(escape)
def escaping(recording: Recording[Any, Any], window: Window) -> Iterator[Frame]:
    """A frame for the token, and one for each of its characters and its end."""
    token: str = recording.arguments["token"]
    asked = [n for n, done in enumerate(recording) if n > window.first and done.character in ("_", "\\")][:2]
    for number in range(window.first, window.end + 1):
        written = [step.written for step in recording[:number]]
        done = recording[number - 1] if number else None
        cells = [chip(c, "left" if place == number - 1 else "") for place, c in enumerate(token[:SHOWN])]
        more = "…" if len(token) > SHOWN else ""
        so_far = [*map(chip, written[:-1]), *(chip(each, "new") for each in written[-1:])]
        yield Frame(
            moment=f"After character {min(number, len(token))}" if number <= len(token) else "At the end",
            caption=_escaped(done),
            panels=(
                Panel("The token", (f"<li class=tl-ranks>{' '.join(cells)}{more}",)),
                Panel("As it is written so far", (_row(so_far),) if so_far else ()),
                Panel("The alphabet", (chips(sorted(recording.arguments["alphabet"])[:200]),), kind="chips", more=True),
            ),
            question=_how_written(recording[number]) if number in asked else None,
        )


def _escaped(done: Escaped | None) -> Html:
    if done is None:
        return "Which characters may stay as they are?"
    shown, written = chip(done.character, "left"), chip(done.written, "new")
    match done.character:
        case "":
            return f"The token ends, and {written} says so. No other underscore is left."
        case done.written:
            return f"{shown} is in the alphabet and stays."
        case "_":
            return f"{shown} is written {written}, because an underscore means the end of a token."
        case "\\":
            return f"{shown} is written {written}, because a backslash begins an escape."
    return f"{shown} is not in the alphabet, and written by its number: {written}."


def _how_written(following: Escaped) -> Question:
    """Who forgets to escape (31) leaves the character as it is."""
    plain = no_escape(following.character, {following.character}).removesuffix("_")
    facts = (("written", following.character, len(following.written)), ("plain", following.character, len(plain)))
    meaning = "the end of a token" if plain == "_" else "the beginning of an escape"
    why = f"A plain {chip(plain)} means {meaning}; in the middle of a token it must be told apart."
    right = Option(chip(following.written), why, right=True, facts=facts)
    wrong = Option(chip(plain), f"{why} Left as it is, the text would not come back.", belief=31, facts=facts)
    return Question(f"How is {chip(following.character)} written?", (right, wrong)).shuffled()


# Cutting greedily.


@view(cut_greedily)
def cutting(recording: Recording[Any, Any], window: Window) -> Iterator[Frame]:
    """A frame for the escaped token, and one for each subtoken that is taken."""
    escaped, subtokens = recording.arguments["escaped"], recording.arguments["subtokens"]
    for number in range(window.first, window.end + 1):
        taken = recording[:number]
        done = taken[-1] if taken else None
        rest = escaped[done.start + len(done.subtoken) :] if done else escaped
        cells = [chip(step.subtoken, "new" if step is done else "") for step in taken]
        yield Frame(
            moment=f"After subtoken {number}" if done else "The escaped token",
            caption=_matched(done, rest),
            panels=(
                Panel("The subtokens, and what is left", (_row(cells, rest),), wide=True),
                Panel("Looked up here, the longest first", tuple(_looked_up(done, escaped)), hides=True),
            ),
            question=_which_subtoken(rest, subtokens, recording[number]) if 0 < number < len(recording) else None,
        )


def _matched(done: Matched | None, rest: str) -> Html:
    if done is None:
        return f"The longest subtoken that {chip(rest)} begins with is taken, then the next."
    tried = f"{done.refused} longer string{'s' if done.refused != 1 else ''}"
    why = f"{tried} {'were' if done.refused != 1 else 'was'} no subtoken" if done.refused else "the whole rest is one"
    return f"{chip(done.subtoken, 'new')} is taken: {why}."


def _looked_up(done: Matched | None, escaped: str) -> Iterator[Html]:
    if done is None:
        return
    end = done.start + len(done.subtoken)
    longer = [escaped[done.start : end + more] for more in range(done.refused, 0, -1)]
    if len(longer) > TRIED:
        yield f"<li>… {len(longer) - TRIED} longer ones"
    yield from (f"<li>{chip(string)} is no subtoken" for string in longer[-TRIED:])
    yield f"<li>{chip(done.subtoken, 'new')} is one"


def _which_subtoken(rest: str, subtokens: Any, following: Matched) -> Question | None:
    """Who looks for the fewest (9) may take a shorter one."""
    if len(rest) > SHOWN:
        return None
    fewest, greedy = min_tokens_dp(rest, set(subtokens)), cut_greedily(rest, subtokens)
    if fewest[0] == following.subtoken:
        return None
    facts = (("fewest", rest, len(fewest)), ("greedy", rest, len(greedy)))
    why = f"It would make {len(fewest)} of the rest, not {len(greedy)}. But the longest is taken, without a look ahead."
    right = Option(chip(following.subtoken), "It is the longest that fits.", right=True, facts=facts)
    return Question("What is taken next?", (right, Option(chip(fewest[0]), why, belief=9, facts=facts))).shuffled()


# From the text to the ids.


@view(SubwordTextEncoder.encode)
def encoding(recording: Recording[Any, Any], window: Window) -> Iterator[Frame]:
    """A frame for the text, and one for each token."""
    whole = recording.arguments["s"]
    stops = [n for n, step in enumerate(recording) if n > window.first and "_" in step.token][:2]
    for number in range(window.first, window.end + 1):
        steps = recording[:number]
        done = steps[-1] if steps else None
        yield Frame(
            moment=f"After token {number}" if done else "The text",
            caption=_encoded(done),
            panels=tuple(_path(whole, steps, done)),
            question=_as_escaped(recording[number]) if number in stops else None,
        )


def _encoded(done: Encoded | None) -> Html:
    if done is None:
        return "A text is split into tokens; each is escaped, cut into subtokens, and looked up."
    many = "one subtoken" if len(done.ids) == 1 else f"{len(done.ids)} subtokens"
    return f"{chip(done.token, 'left')} is escaped {chip(done.escaped)}, and becomes {many}."


def _path(whole: Any, steps: Sequence[Encoded], done: Encoded | None) -> Iterator[Panel]:
    tokens = [chip(step.token, "left" if step is done else "") for step in steps]
    yield Panel("The text", (f"<li>{text(visible(str(whole)[:LEFT]))}",), wide=True)
    yield Panel("Its tokens so far; a lonely blank is none", (_row(tokens),) if tokens else (), wide=True)
    cells = [
        f"{chip(subtoken, 'new' if step is done else '')}<small>{id:,}</small>"
        for step in steps[-SHOWN:]
        for subtoken, id in zip(step.subtokens, step.ids, strict=True)
    ]
    yield Panel("The subtokens so far, with their ids", (_row(cells),) if cells else (), hides=True, wide=True)


def _as_escaped(following: Encoded) -> Question | None:
    """Who forgets to escape (31) leaves the underscore."""
    plain = no_escape(following.token, {*following.token, *following.escaped})
    facts = (("escaped", following.token, len(following.escaped)), ("plain", following.token, len(plain)))
    why = "An underscore ends a token, so one that the text has is written as a backslash and a u."
    right = Option(chip(following.escaped), why, right=True, facts=facts)
    wrong = Option(chip(plain), f"{why} This would come back as other tokens.", belief=31, facts=facts)
    return Question(f"How is {chip(following.token)} escaped?", (right, wrong)).shuffled()
