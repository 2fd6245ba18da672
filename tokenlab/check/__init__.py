"""Instant feedback on a learner's function: the smallest failing input, then the rule, then both traces.

Running the same check again with the same answer shows the next level.

>>> from tokenlab import check
>>> def my_merge(split, pair):
...     return tuple(" ".join(split).replace(" ".join(pair), "".join(pair)).split())
>>> check.merge(my_merge)
✗ Not yet.
my_merge(('ab', 'a'), ('b', 'a')) gives ('aba',).
Think first. To be told the rule, run the cell again.
Worked solution: print(check.solution("merge"))
>>> print(check.merge(my_merge).said[1])
The rule: A merge joins two whole symbols that are adjacent. It never joins parts of symbols.
"""

# ruff: noqa: F403  # each lesson's module lists its checks in `__all__`

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

from tokenlab.check import capstones, exercises
from tokenlab.check.answer_check import AnswerCheck, BugCheck
from tokenlab.check.capstones.gpt2_tokenizer import *
from tokenlab.check.capstones.gpt2_training import *
from tokenlab.check.capstones.t5_cache import *
from tokenlab.check.capstones.t5_heads import *
from tokenlab.check.capstones.t5_layers import *
from tokenlab.check.capstones.t5_parts import *
from tokenlab.check.capstones.t5_search import *
from tokenlab.check.capstones.t5_stacks import *
from tokenlab.check.capstones.t5_translation import *
from tokenlab.check.exercises.auto_classes import *
from tokenlab.check.exercises.beam_search import *
from tokenlab.check.exercises.bpe_encoding import *
from tokenlab.check.exercises.bpe_training import *
from tokenlab.check.exercises.byte_level_bpe import *
from tokenlab.check.exercises.comparison import *
from tokenlab.check.exercises.constraints import *
from tokenlab.check.exercises.measuring import *
from tokenlab.check.exercises.pipeline import *
from tokenlab.check.exercises.sentencepiece import *
from tokenlab.check.exercises.slow_and_fast import *
from tokenlab.check.exercises.span_corruption import *
from tokenlab.check.exercises.special_tokens import *
from tokenlab.check.exercises.start_here import *
from tokenlab.check.exercises.streaming import *
from tokenlab.check.exercises.subword_text import *
from tokenlab.check.exercises.t5_attention import *
from tokenlab.check.exercises.t5_map import *
from tokenlab.check.exercises.t5_model import *
from tokenlab.check.exercises.token_sampling import *
from tokenlab.check.exercises.training_data import *
from tokenlab.check.exercises.unigram_segmenting import *
from tokenlab.check.exercises.unigram_training import *
from tokenlab.check.exercises.wordpiece import *
from tokenlab.check.feedback import Verdict
from tokenlab.check.function_check import FunctionCheck
from tokenlab.check.grading import grade
from tokenlab.check.worked_solution import Solution

_LESSONS = (  # in the order of the lessons, and the capstones
    exercises.start_here,
    exercises.bpe_training,
    exercises.bpe_encoding,
    exercises.byte_level_bpe,
    exercises.special_tokens,
    exercises.wordpiece,
    exercises.unigram_segmenting,
    exercises.sentencepiece,
    exercises.unigram_training,
    exercises.subword_text,
    exercises.training_data,
    exercises.pipeline,
    exercises.slow_and_fast,
    exercises.t5_map,
    exercises.t5_attention,
    exercises.t5_model,
    exercises.span_corruption,
    exercises.token_sampling,
    exercises.beam_search,
    exercises.constraints,
    exercises.streaming,
    exercises.auto_classes,
    exercises.measuring,
    exercises.comparison,
    capstones.gpt2_tokenizer,
    capstones.gpt2_training,
    capstones.t5_parts,
    capstones.t5_heads,
    capstones.t5_layers,
    capstones.t5_stacks,
    capstones.t5_cache,
    capstones.t5_search,
    capstones.t5_translation,
)
__all__ = ["BUGS", "AnswerCheck", "BugCheck", "FunctionCheck", "Solution", "Verdict", "bug", "grade", "solution"]
__all__ += [name for lesson in _LESSONS for name in lesson.__all__]

BUGS: dict[Callable[..., Any], BugCheck] = {
    one.program: one for lesson in _LESSONS for one in vars(lesson).values() if isinstance(one, BugCheck)
}
EXERCISES: dict[str, AnswerCheck | BugCheck | FunctionCheck] = {
    name: getattr(lesson, name) for lesson in _LESSONS for name in lesson.__all__
} | {program.__name__: one for program, one in BUGS.items()}
for _name, _check in EXERCISES.items():
    _check.ladder.exercise = _name


def bug(program: Callable[..., Any], *my_input: Any) -> Verdict:
    """Check whether an input shows the bug of a wrong program.

    Raises:
        ValueError: no exercise asks for the bug of this program.

    >>> from tokenlab.misconceptions.word_counting import spaces_plus_one
    >>> bug(spaces_plus_one, "to be")
    ✗ Not yet.
    Here the program gives 2, which is right.
    Think first. To be told the rule, run the cell again.
    Worked solution: print(check.solution("spaces_plus_one"))
    """
    if not isinstance(program, Hashable) or program not in BUGS:
        names = ", ".join(known.__name__ for known in BUGS)
        raise ValueError(f"program={program!r:.60} is not one of the programs with a bug to find, which are: {names}")
    return BUGS[program](*my_input)


def solution(exercise: str) -> Solution:
    """Return the worked solution of an exercise that you have tried since the kernel started.

    Args:
        exercise: the name of its check, such as "merge"; for "find the bug", the name of the wrong program.

    Raises:
        ValueError: there is no such exercise, or it was not tried yet.

    >>> solution("token_id")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    ValueError: exercise='token_id' is not one of the exercises; give the name of its check, such as "merge" for ...
    """
    if not isinstance(exercise, str) or exercise not in EXERCISES:
        raise ValueError(
            f"exercise={exercise!r:.60} is not one of the exercises; give the name of its check, such as "
            '"merge" for check.merge, or of the wrong program in check.bug'
        )
    ladder = EXERCISES[exercise].ladder
    if not ladder.attempted:
        raise ValueError(f"exercise={exercise!r} was not tried yet; run its cell with your own answer first")
    found = ladder.solution()
    if found is None:
        raise ValueError(f"exercise={exercise!r} has no worked solution")
    return found
