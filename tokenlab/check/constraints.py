"""The checks of lesson 18: groups that differ, words that are forbidden, phrases that are demanded, banks in turn."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from tokenlab.algorithms import bank_order as banking
from tokenlab.algorithms import diversity_penalty
from tokenlab.algorithms import forbidden_next as forbidding
from tokenlab.algorithms.diversity_penalty import Picked, in_turn
from tokenlab.algorithms.phrase_constraint import progress
from tokenlab.algorithms.spellings import spellings
from tokenlab.algorithms.unigram_encode import BLANK
from tokenlab.check import inputs
from tokenlab.check.answers import AnswerCheck, BugCheck
from tokenlab.check.functions import FunctionCheck, Use
from tokenlab.check.running import shown
from tokenlab.check.traces import Question, close
from tokenlab.misconceptions import constraints as wrong
from tokenlab.misconceptions import rule_of
from tokenlab.steps import step, stepwise

if TYPE_CHECKING:
    from collections.abc import Callable

    from hypothesis.strategies import SearchStrategy

Ids = Sequence[int]

# By hand.


@step
class Begun:
    """How much of a phrase is there."""

    phrase: tuple[int, ...]
    there: int

    def __str__(self) -> str:
        """Name the phrase."""
        return f"phrase {' '.join(map(str, self.phrase))}: {self.there} of {len(self.phrase)} there"


@step
class Counted:
    """The bank of a beam, as it is counted."""

    phrases: tuple[Begun, ...]
    bank: int

    def __str__(self) -> str:
        """Count what is whole, and what is begun."""
        longest = max(len(each.phrase) for each in self.phrases)
        whole = sum(each.there == len(each.phrase) for each in self.phrases)
        left = [len(each.phrase) - each.there for each in self.phrases if 0 < each.there < len(each.phrase)]
        begun = "".join(f" + ({longest} - {missing}) for what is begun" for missing in left)
        return f"bank: {whole} * {longest} for what is whole{begun} = {self.bank}"


@stepwise
def pick_and_bank() -> Generator[Picked | Begun | Counted, None, tuple[tuple[int, ...], float, int]]:
    """Three groups choose in turn; then a token comes, and two phrases are demanded."""
    scores, phrases = [-1, -2, -4], [(1, 2, 5), (7, 8)]
    tokens = yield from in_turn.steps(scores, groups=3, penalty=2)
    begun = tuple(Begun(phrase, progress(phrase, [7])) for phrase in phrases)
    yield from begun
    bank = banking.bank_of([*map(len, phrases)], [each.there for each in begun])
    yield Counted(begun, bank)
    last = diversity_penalty.lowered(scores, tokens[:2], 2)[tokens[2]]
    return tokens, last, bank


groups_and_bank = AnswerCheck(
    recording=pick_and_bank.record,
    answers=lambda recording: recording.result,
    names=("What the groups choose", "The third group's score", "The bank"),
    rules=(
        rule_of(wrong.lowered_once),
        rule_of(wrong.lowered_once),
        "A whole phrase counts as much as the longest one has tokens; the one that is begun counts that number less "
        "what is left of it.",
    ),
)

spellings_counted = AnswerCheck(
    recording=lambda: spellings.record("tea", ["tea", f"{BLANK}tea", "te", "a", f"{BLANK}te", BLANK]),
    answers=lambda recording: (len(recording.result),),
    names=("The number of spellings",),
    rules=(rule_of(wrong.one_spelling_only),),
)


# Groups.


def lowered_for(scores: Sequence[float], chosen: Ids, penalty: float) -> tuple[float, ...]:
    """The scores of a later group.

    >>> lowered_for([-1, -2], [0, 0], 2)
    (-5, -2)
    """
    return diversity_penalty.lowered(scores, chosen, penalty)


def _groups() -> SearchStrategy[Any]:
    """Scores of a few ids, what beams of earlier groups have chosen of them, and a penalty."""
    from hypothesis import strategies as st

    def of(size: int) -> SearchStrategy[Any]:
        scores = st.lists(st.integers(-3, 3), min_size=size, max_size=size)
        return st.tuples(scores, st.lists(st.integers(0, size - 1), max_size=4), st.sampled_from((2, 0.5, 0)))

    return st.integers(1, 4).flatmap(of)


def _fewer_choices(scores: Sequence[float], chosen: Ids, penalty: float) -> Iterator[Question]:
    for number in range(len(chosen) + 1):
        yield f"{number} chosen", (scores, chosen[:number], penalty)


lowered = FunctionCheck(
    lowered_for,
    _groups,
    "Each id loses the penalty as often as it was chosen; what nobody has chosen keeps its score.",
    examples=[([-1, -2], [0], 2), ([-1, -2], [1, 1], 2), ([-1, -2, -4], [], 2)],
    wrong=(
        (wrong.lowered_once, rule_of(wrong.lowered_once)),
        (wrong.lowered_by_division, rule_of(wrong.lowered_once)),
        (wrong.chosen_is_forbidden, rule_of(wrong.chosen_is_forbidden)),
        (wrong.penalty_left_out, "Each id loses the penalty as often as it was chosen."),
        (
            lambda scores, chosen, penalty: lowered_for(scores, chosen, -penalty),
            "The penalty is subtracted: what was chosen becomes less likely.",
        ),
        (
            lambda scores, chosen, penalty: [score - penalty * len(chosen) for score in scores],
            "An id loses what it was chosen for; how often others were chosen does not matter.",
        ),
        (
            lambda scores, chosen, penalty: [x for id, x in enumerate(scores) if id not in chosen],
            "What was chosen is not forbidden, and every id keeps its place.",
        ),
    ),
    asking=_fewer_choices,
    same=close,
)


# Forbidding.


def _ids_in_order(function: Callable[..., Any], *given: Any) -> Any:
    """What a function gives, in order, if it is a set or a list of ids."""
    ids = function(*given)
    if isinstance(ids, list | tuple | set | frozenset) and all(isinstance(id, int) for id in ids):
        return tuple(sorted({*ids}))
    return ids


def _written_and_bad() -> SearchStrategy[Any]:
    from hypothesis import strategies as st

    ids = st.integers(0, 3)
    return inputs.several(
        st.lists(ids, max_size=4), st.lists(st.lists(ids, min_size=1, max_size=3), min_size=1, max_size=3)
    )


def _one_word_more(written: Ids, bad_words: Sequence[Ids]) -> Iterator[Question]:
    for number in range(1, len(bad_words) + 1):
        yield f"{number} bad word{'s' * (number > 1)}", (written, bad_words[:number])


def forbidden_after(written: Ids, bad_words: Sequence[Ids]) -> tuple[int, ...]:
    """The ids that would end a bad word.

    >>> forbidden_after([0], [[0, 3], [2]])
    (2, 3)
    """
    return forbidding.forbidden_next(written, bad_words)


forbidden_next = FunctionCheck(
    forbidden_after,
    _written_and_bad,
    rule_of(wrong.forbid_every_token),
    examples=[([], [[2]]), ([0], [[0, 3]]), ([3], [[0, 3]]), ([], [[0, 3]]), ([1, 0], [[1, 3]]), ([3], [[0, 3, 1]])],
    wrong=(
        (wrong.forbid_every_token, rule_of(wrong.forbid_every_token)),
        (wrong.forbid_first_token, rule_of(wrong.forbid_first_token)),
        (wrong.forbid_last_token, rule_of(wrong.forbid_last_token)),
        (
            lambda written, bad_words: {w[-1] for w in bad_words if written and forbidding.ends_with(written, w[:-1])},
            "A word of a single token is forbidden from the beginning on, where nothing stands before it.",
        ),
        (
            lambda written, bad_words: {w[-1] for w in bad_words if {*w[:-1]} <= {*written}},
            "The others have to stand right before it, in their order.",
        ),
        (
            lambda written, bad_words: {w[-1] for w in bad_words if w[-2:-1] in ([], list(written[-1:]))},
            "All tokens of the word but the last have to stand there, not only the one before it.",
        ),
    ),
    asking=_one_word_more,
    use=Use(
        ("written", "bad_words"),
        _ids_in_order,
        lambda name, written, bad_words: f"{name}({shown(written)}, {shown(bad_words)})",
    ),
)


# Demanding.


def progress_of(phrase: Ids, tokens: Ids) -> int:
    """How much of the phrase is there after these tokens.

    >>> progress_of([1, 2], [1, 1, 2])
    0
    """
    return progress(phrase, tokens)


def _phrases() -> SearchStrategy[Any]:
    from hypothesis import strategies as st

    ids = st.sampled_from((1, 2, 3))
    return inputs.several(st.lists(ids, min_size=1, max_size=3), st.lists(ids, max_size=5))


def _token_by_token(phrase: Ids, tokens: Ids) -> Iterator[Question]:
    for end in range(len(tokens) + 1):
        yield f"after {' '.join(map(str, tokens[:end])) or 'nothing'}", (phrase, tokens[:end])


def _begins_anew(phrase: Ids, tokens: Ids) -> int:
    """Go on behind a whole phrase as behind a broken one."""
    done = 0
    for token in tokens:
        done = done + 1 if done < len(phrase) and token == phrase[done] else 0
    return done


phrase_progress = FunctionCheck(
    progress_of,
    _phrases,
    rule_of(wrong.broken_token_tried_again),
    examples=[([1], []), ([1, 2], [1, 2]), ([1, 2], [1, 3]), ([1, 2], [1, 1]), ([1, 2], [1, 2, 3]), ([1, 2], [2])],
    wrong=(
        (wrong.broken_token_tried_again, "The token that breaks the phrase is not tried again as its first one."),
        (wrong.nothing_breaks, "The phrase stands in one piece: any other token breaks it, and it begins anew."),
        (wrong.phrase_at_the_end, rule_of(wrong.phrase_at_the_end)),
        (_begins_anew, "Once the phrase is whole, it stays whole, whatever comes."),
        (
            lambda phrase, tokens: len(phrase) - progress_of(phrase, tokens),
            "How much is there is asked for, not how much is left.",
        ),
        (
            lambda phrase, tokens: progress_of(phrase, tokens) == len(phrase),
            "A number is asked for: how many tokens of the phrase are there.",
        ),
    ),
    asking=_token_by_token,
)


# Banks.


def order_of(banks: Sequence[int], scores: Sequence[float]) -> tuple[int, ...]:
    """The order in which banks send their candidates.

    >>> order_of([0, 3, 3], [-1, -5, -4])
    (2, 0, 1)
    """
    return banking.bank_order(banks, scores)


def _candidates() -> SearchStrategy[Any]:
    """Banks of up to five candidates, and scores that differ."""
    from hypothesis import strategies as st

    one = st.tuples(st.integers(0, 2), st.integers(-9, -1))
    several = st.lists(one, min_size=1, max_size=5, unique_by=lambda drawn: drawn[1])
    return several.map(lambda drawn: tuple(map(list, zip(*drawn, strict=True))))


def _more_candidates(banks: Sequence[int], scores: Sequence[float]) -> Iterator[Question]:
    for number in range(1, len(banks) + 1):
        yield f"{number} candidate{'s' * (number > 1)}", (banks[:number], scores[:number])


bank_order = FunctionCheck(
    order_of,
    _candidates,
    "In each round every bank that has one left sends its best, the fullest bank first.",
    examples=[([0], [-1]), ([0, 0], [-2, -1]), ([0, 1], [-1, -2]), ([1, 1, 0], [-1, -2, -3])],
    wrong=(
        (wrong.best_scores_first, "The bank decides who comes first, the score only who is sent by it."),
        (wrong.fullest_bank_first, "A bank that has sent one waits until all others have sent one, too."),
        (
            lambda banks, scores: order_of([-bank for bank in banks], scores),
            "The fullest bank sends first: its candidates have come farthest.",
        ),
        (
            lambda banks, scores: order_of(banks, [-score for score in scores]),
            "A bank sends its best first; a score nearer to zero is better.",
        ),
        (
            lambda banks, scores: [scores[place] for place in order_of(banks, scores)],
            "The places of the candidates are asked for, counted from zero.",
        ),
        (
            lambda banks, scores: [place for place in order_of(banks, scores) if place in _first_round(banks, scores)],
            "All are sent, round after round, until no bank has one left.",
        ),
    ),
    asking=_more_candidates,
)


def _first_round(banks: Sequence[int], scores: Sequence[float]) -> set[int]:
    places = range(len(banks))
    return {max((place for place in places if banks[place] == bank), key=lambda place: scores[place]) for bank in banks}


# Finding a bug.

LONGEST = 12


def _unusable_spelling(word: Any, pieces: Any) -> str:
    if not isinstance(word, str) or not 0 < len(word) <= LONGEST or not word.isprintable() or {*word} & {" ", BLANK}:
        return f"Write a word of at most {LONGEST} characters, without a blank, such as 'tea'."
    if not isinstance(pieces, list | tuple) or not 0 < len(pieces) <= LONGEST:
        return f"Write a list of pieces, at most {LONGEST}, such as ['te', 'a']."
    if not all(isinstance(piece, str) and 0 < len(piece) <= LONGEST and piece.isprintable() for piece in pieces):
        return "Write each piece as a text, and no piece without characters."
    if not spellings(word, pieces):
        return f"These pieces cannot write {shown(word)}."
    return ""


bug_one_spelling = BugCheck(
    wrong=wrong.one_spelling_only,
    right=spellings,
    needs=_unusable_spelling,
    rule=rule_of(wrong.one_spelling_only),
    example=("tea", ["tea", f"{BLANK}tea", "te", "a"]),
)
