"""Encoding a text with subtokens: splitting into runs, escaping, greedy matching, and the whole path by token."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tokenlab.algorithms.subword_text.build import LongestMatch, segment_greedily
from tokenlab.algorithms.subword_text.escape import Escaped
from tokenlab.algorithms.subword_text.split import CharacterRun, split_into_runs
from tokenlab.libraries.tensor2tensor.text_encoder import TokenEncoded
from tokenlab.misconceptions.bpe_encoding import min_tokens_dp
from tokenlab.misconceptions.subword_text import keep_space_token, no_escape
from tokenlab.printing.printable import printable
from tokenlab.show.frames import (
    OTHER,
    Frame,
    Html,
    Option,
    Panel,
    Question,
    StepRange,
    chip,
    chips,
    sentence,
    text,
    unbroken,
)
from tokenlab.show.views.elements.questions import ask
from tokenlab.steps.recording import Recording

SHOWN, TRIED, LEFT = 40, 8, 200  # maximum numbers of chips, rows and characters


def _left(rest: str) -> Html:
    return f" <small>{text(printable(rest[:LEFT]))}{' …' if len(rest) > LEFT else ''}</small>" if rest else ""


def _row(cells: Sequence[Html], rest: str = "") -> Html:
    dots = "… " if len(cells) > SHOWN else ""
    return f"<li class=tl-ranks>{dots}{' '.join(map(unbroken, cells[-SHOWN:]))}{_left(rest)}"


# Splitting.


def run_splitting_view(recording: Recording[Any, Any], window: StepRange) -> Iterator[Frame]:
    """Yield a frame for the whole text, and one for each run."""
    whole: str = recording.arguments["text"]
    dropped = [number for number, run in enumerate(recording) if number > window.first and not run.kept][:1]
    for number, done, _ in window.steps_around(recording):
        runs = recording[:number]
        rest = whole[done.start + len(done.text) :] if done else whole
        tokens = [chip(run.text, "new" if run is done else "") for run in runs if run.kept]
        yield Frame(
            moment=f"After run {number}" if done else "The whole text",
            caption=sentence(done)
            if done
            else "The text is split wherever a letter or digit is next to another character.",
            panels=(
                Panel("The runs, and the rest of the text", (_row(_runs(runs), rest),), wide=True),
                Panel("The tokens", (_row(tokens),) if tokens else (), wide=True),
            ),
            question=_single_space(whole, done, rest) if done and number in dropped else None,
        )


def _runs(runs: Sequence[CharacterRun]) -> list[Html]:
    return [chip(run.text) if run.kept else f"{chip(run.text, 'unknown')}<small>dropped</small>" for run in runs]


def _single_space(whole: str, done: CharacterRun, rest: str) -> Question | None:
    """Ask what happens to a single space; a token for every space (misconception 31) gives more tokens."""
    tokens, more = split_into_runs(whole), keep_space_token(whole)
    counted = (("tokens", whole, len(tokens)), ("tokens with spaces", whole, len(more)))
    why = f"With every space there would be {len(more)} tokens. There are {len(tokens)}: adjacent words imply a space."
    wrong = Option("It is a token", why, misconception=31, facts=counted)
    prompt = f"What happens to the next {chip(' ')}?"
    joins = Option(
        "It is the first character of the next token", f"{why} No token starts with it.", misconception=OTHER
    )
    given = (chip(done.text), _left(rest))
    return ask(prompt, ("It is dropped", f"{why} Joining restores it."), wrong, joins, given=given, facts=counted)


# Escaping.


def escaping_view(recording: Recording[Any, Any], window: StepRange) -> Iterator[Frame]:
    """Yield a frame for the token, one for each character, and one for the end of the token."""
    token: str = recording.arguments["token"]
    asked = [n for n, done in enumerate(recording) if n > window.first and done.character in ("_", "\\")][:2]
    for number, done, _ in window.steps_around(recording):
        escaped = [step.escaped for step in recording[:number]]
        cells = [chip(c, "left" if place == number - 1 else "") for place, c in enumerate(token[:SHOWN])]
        more = "…" if len(token) > SHOWN else ""
        so_far = [*map(chip, escaped[:-1]), *(chip(each, "new") for each in escaped[-1:])]
        yield Frame(
            moment=_place(number, len(token)),
            caption=sentence(done) if done else "Which characters have to be escaped?",
            panels=(
                Panel("The token", (f"<li class=tl-ranks>{' '.join(map(unbroken, cells))}{more}",)),
                Panel("The escaped token so far", (_row(so_far),) if so_far else ()),
                Panel("The alphabet", (chips(sorted(recording.arguments["alphabet"])[:200]),), kind="chips", more=True),
            ),
            question=_which_escape(recording[number]) if number in asked else None,
        )


def _place(number: int, length: int) -> str:
    """Return the moment of a frame: the start, the last escaped character, or the end."""
    if number > length:
        return "At the end"
    return f"After character {number}" if number else "Before the first character"


def _which_escape(following: Escaped) -> Question | None:
    """Ask for the escaped form of a character; without escaping (misconception 31) it would be unchanged."""
    plain = no_escape(following.character, {following.character}).removesuffix("_")
    meaning = "the end of a token" if plain == "_" else "the beginning of an escape sequence"
    why = f"A plain {chip(plain)} marks {meaning}, so the same character inside a token has to be escaped."
    return _escaped_or_plain(
        following.character, following.escaped, plain, why, "Without escaping, decoding would change the text."
    )


def _escaped_or_plain(asked: str, escaped: str, plain: str, why: Html, consequence: Html) -> Question | None:
    """Ask for an escaped form; misconception 31 leaves it plain."""
    facts = (("escaped", asked, len(escaped)), ("plain", asked, len(plain)))
    wrong = Option(chip(plain), f"{why} {consequence}", misconception=31, facts=facts)
    other = (OTHER, chip(f"\\{plain}"), "A backslash before the character is not enough.")
    prompt = f"How is {chip(asked)} escaped?"
    return ask(prompt, (chip(escaped), why), wrong, other, given=(chip(asked),), facts=facts)


# Greedy longest-match segmentation.


def greedy_matching_view(recording: Recording[Any, Any], window: StepRange) -> Iterator[Frame]:
    """Yield a frame for the escaped token, and one for each subtoken."""
    escaped, subtokens = recording.arguments["escaped"], recording.arguments["subtokens"]
    for number, done, _ in window.steps_around(recording):
        taken = recording[:number]
        rest = escaped[done.start + len(done.subtoken) :] if done else escaped
        cells = [chip(step.subtoken, "new" if step is done else "") for step in taken]
        yield Frame(
            moment=f"After subtoken {number}" if done else "The escaped token",
            caption=sentence(done)
            if done
            else f"First, the longest subtoken that is a prefix of {chip(rest)} is taken.",
            panels=(
                Panel("The subtokens, and the rest of the token", (_row(cells, rest),), wide=True),
                Panel("Strings looked up here, longest first", tuple(_looked_up(done, escaped)), hides=True),
            ),
            question=_which_subtoken(rest, subtokens, recording[number]) if 0 < number < len(recording) else None,
        )


def _looked_up(done: LongestMatch | None, escaped: str) -> Iterator[Html]:
    if done is None:
        return
    end = done.start + len(done.subtoken)
    if done.longer_tried > TRIED:
        yield f"<li>… {done.longer_tried - TRIED} longer ones"
    for more in range(min(done.longer_tried, TRIED), 0, -1):
        yield f"<li>{chip(escaped[done.start : end + more])} is not a subtoken"
    yield f"<li>{chip(done.subtoken, 'new')} is a subtoken"


def _which_subtoken(rest: str, subtokens: Any, following: LongestMatch) -> Question | None:
    """Ask for the next subtoken, if the shortest segmentation (misconception 9) begins with another one."""
    if len(rest) > SHOWN:
        return None
    fewest, greedy = min_tokens_dp(rest, set(subtokens)), segment_greedily(rest, subtokens)
    if fewest[0] == following.subtoken:
        return None
    facts = (("fewest", rest, len(fewest)), ("greedy", rest, len(greedy)))
    why = f"It would give {len(fewest)} subtokens for the rest, not {len(greedy)}."
    why = f"{why} But the encoder always takes the longest match."
    wrong = Option(chip(fewest[0]), why, misconception=9, facts=facts)
    right = (chip(following.subtoken), "It is the longest that matches.")
    longer = f"It matches, but {chip(following.subtoken)} matches also and is longer."
    shortest = Option(chip(rest[0]), longer, misconception=OTHER, facts=facts)
    others = [shortest] if rest[0] in set(subtokens) else []
    prefixes = [rest[:end] for end in range(1, len(rest) + 1) if rest[:end] in subtokens]
    listed = f"The rest is {chip(rest)}, and the subtokens that it starts with are {chips(prefixes)}"
    return ask(f"{listed}. Which one is next?", right, wrong, *others, given=(listed,), facts=facts)


# From the text to the ids.


def encoding_view(recording: Recording[Any, Any], window: StepRange) -> Iterator[Frame]:
    """Yield a frame for the text, and one for each token."""
    whole = recording.arguments["s"]
    stops = [n for n, step in enumerate(recording) if n > window.first and "_" in step.token][:2]
    for number, done, _ in window.steps_around(recording):
        steps = recording[:number]
        yield Frame(
            moment=f"After token {number}" if done else "The text",
            caption=sentence(done)
            if done
            else "The text is split into tokens. Each token is escaped and segmented. Each subtoken has an id.",
            panels=tuple(_path(whole, steps, done)),
            question=_as_escaped(recording[number]) if number in stops else None,
        )


def _path(whole: Any, steps: Sequence[TokenEncoded], done: TokenEncoded | None) -> Iterator[Panel]:
    tokens = [chip(step.token, "left" if step is done else "") for step in steps]
    yield Panel("The text", (f"<li>{text(printable(str(whole)[:LEFT]))}",), wide=True)
    yield Panel("Its tokens so far, without single spaces", (_row(tokens),) if tokens else (), wide=True)
    cells = [
        f"{chip(subtoken, 'new' if step is done else '')}<small>{id:,}</small>"
        for step in steps[-SHOWN:]
        for subtoken, id in zip(step.subtokens, step.ids, strict=True)
    ]
    yield Panel("The subtokens so far, with their ids", (_row(cells),) if cells else (), hides=True, wide=True)


def _as_escaped(following: TokenEncoded) -> Question | None:
    """Ask for the escaped form of a token; without escaping (misconception 31) the underscore would be unchanged."""
    if following.escaped != following.token.replace("\\", r"\\").replace("_", r"\u") + "_":
        return None  # another character is not in the alphabet, which is not shown
    plain = no_escape(following.token, {*following.token, *following.escaped})
    why = "An underscore ends a token, so an underscore in the text becomes a backslash and a u."
    return _escaped_or_plain(following.token, following.escaped, plain, why, "This would be decoded as other tokens.")
