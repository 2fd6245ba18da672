"""One generator function: its result, its steps, its recordings, and what is written of them."""

from __future__ import annotations

import ast
import inspect
import json
import math
import pickle
import pydoc
from collections.abc import Callable, Generator
from concurrent.futures import ProcessPoolExecutor
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tokenlab
from tests.strategies import texts
from tokenlab import Recording, step, stepwise
from tokenlab.algorithms.bpe.train import Merged, train
from tokenlab.printing.printable import Parts, SymbolPart
from tokenlab.show.frames import Frame, sentence
from tokenlab.show.plain_text import plain_text
from tokenlab.steps import recording as steps


@step
class Scored:
    name: str
    scores: Any
    more: Any = None

    def __str__(self) -> str:
        return self.name


@step
class Halved:
    half: int

    def __str__(self) -> str:
        return f"half of it is {self.half}"


@step
class Kept:
    value: Any


@stepwise
def halvings(number: int, at_least: int = 1) -> Generator[Halved, None, int]:
    """How often a number can be halved."""
    count = 0
    while number > at_least:
        number, count = number // 2, count + 1
        yield Halved(number)
    return count


@stepwise
def keep(value: Any) -> Generator[Kept, None, Any]:
    yield Kept(value)
    return value


@stepwise
def apply(function: Callable[..., Any]) -> Generator[Kept, None, None]:
    yield Kept(function(1))


@stepwise
def total(numbers: list[int]) -> Generator[Kept, None, int]:
    while numbers:
        yield Kept(numbers.pop())
    return 0


class Counter:
    def __init__(self, by: int) -> None:
        self.by = by

    @stepwise
    def up_to(self, end: int) -> Generator[Kept, None, str]:
        for number in range(0, end, self.by):
            yield Kept(number)
        return f"counted by {self.by}"


# --- running --------------------------------------------------------------------------------------


def test_a_call_gives_the_result() -> None:
    assert halvings(20) == 4
    assert halvings(number=20, at_least=5) == 2


def test_steps_come_one_by_one_and_no_sooner() -> None:
    numbers = [1, 2, 3]
    steps = total.steps(numbers)
    assert numbers == [1, 2, 3]
    assert next(steps) == Kept(3)
    assert numbers == [1, 2]


def test_steps_can_be_looped_over_and_sliced() -> None:
    assert [step.half for step in halvings.steps(20)] == [10, 5, 2, 1]
    assert list(islice(halvings.steps(20), 1, 3)) == [Halved(5), Halved(2)]


def test_yield_from_gets_the_steps_and_the_result() -> None:
    @stepwise
    def twice(number: int) -> Generator[Halved, None, int]:
        first = yield from halvings.steps(number)
        second = yield from halvings.steps(number)
        return first + second

    assert twice(8) == 6
    assert len(twice.record(8)) == 6


def test_progress_gives_the_result_and_counts_the_steps_on_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    assert halvings.progress(20) == 4
    out, err = capsys.readouterr()
    assert out == ""
    assert "halvings: 4 steps" in err


def test_an_error_midway_reaches_the_caller() -> None:
    @stepwise
    def breaks() -> Generator[Kept, None, int]:
        yield Kept(1)
        raise ArithmeticError("midway")

    for run in (breaks, breaks.progress, breaks.record, lambda: list(breaks.steps())):
        with pytest.raises(ArithmeticError, match="midway"):
            run()


def test_wrong_arguments_are_refused_as_by_a_plain_function() -> None:
    for run in (halvings, halvings.steps, halvings.progress, halvings.record):
        with pytest.raises(TypeError, match="positional arguments"):
            run(1, 2, 3)  # type: ignore[call-arg]


# --- recordings -----------------------------------------------------------------------------------


def test_a_recording_has_steps_result_and_arguments_with_their_defaults() -> None:
    recording = halvings.record(20)
    assert recording.steps == (Halved(10), Halved(5), Halved(2), Halved(1))
    assert recording.result == 4
    assert recording.arguments == {"number": 20, "at_least": 1}
    assert recording.function.endswith("test_steps.halvings")


def test_a_recording_is_a_sequence_of_its_steps() -> None:
    recording = halvings.record(20)
    assert len(recording) == 4
    assert (recording[0], recording[-1]) == (Halved(10), Halved(1))
    assert recording[1:3] == (Halved(5), Halved(2))
    assert next(reversed(recording)) == Halved(1)
    assert Halved(5) in recording
    with pytest.raises(IndexError):
        recording[4]


def test_a_recording_prints_as_numbered_sentences() -> None:
    assert str(halvings.record(5)) == "1. half of it is 2\n2. half of it is 1"
    assert str(halvings.record(1)) == ""


def test_a_recording_says_what_it_is() -> None:
    assert repr(halvings.record(20)) == "<Recording of halvings: 4 steps>"


def test_later_changes_to_an_argument_do_not_reach_the_recording() -> None:
    numbers = [1, 2, 3]
    recording = total.record(numbers)
    assert numbers == []
    assert recording.arguments == {"numbers": [1, 2, 3]}


def test_a_function_among_the_arguments_is_kept_by_its_name() -> None:
    assert apply.record(math.sqrt).arguments == {"function": "math.sqrt"}
    assert apply.record(halvings).arguments["function"].endswith("test_steps.halvings")


def test_an_argument_without_a_form_in_json_is_kept_by_its_repr() -> None:
    assert keep.record(3 + 4j).arguments == {"value": "(3+4j)"}


def test_equal_recordings_do_not_differ() -> None:
    assert halvings.record(20).diff(halvings.record(20)) is None


def test_diff_finds_the_first_step_that_differs() -> None:
    left, right = halvings.record(20), halvings.record(22)
    difference = left.diff(right)
    assert difference is not None
    assert difference.index == 0
    assert halvings.record(43).diff(halvings.record(41)).index == 0  # type: ignore[union-attr]
    assert Recording("f", {}, (1, 2, 3), 0).diff(Recording("f", {}, (1, 2, 4), 0)).index == 2  # type: ignore[union-attr]


def test_diff_finds_where_one_recording_ends_sooner() -> None:
    long, short = halvings.record(20), halvings.record(20, at_least=3)
    difference = long.diff(short)
    assert difference is not None
    assert difference.index == 3
    assert str(difference) == ("step 4 is the first that differs\n left: half of it is 1\nright: (no more steps)")
    assert short.diff(long).index == 3  # type: ignore[union-attr]


def test_a_difference_that_the_sentences_hide_shows_the_fields() -> None:
    left = Recording("f", {}, (Scored("a", (1.0, 0.1)), Scored("b", (2.0, 0.5))), 0)
    right = Recording("f", {}, (Scored("a", (1.0, 0.1)), Scored("b", (2.0, 0.5000000001))), 0)
    assert str(left.diff(right)) == (
        "step 2 is the first that differs\n left: b\nright: b\nscores[1]: left 0.5, right 0.5000000001"
    )
    nested = [Recording("f", {}, (Scored("a", score, {"k": [1, Scored("c", 1)]}),), 0) for score in (1, 2)]
    nested[1].steps[0].more["k"][1].scores = 3
    assert str(nested[0].diff(nested[1])).splitlines()[3:] == [
        "scores: left 1, right 2",
        "more['k'][1].scores: left 1, right 3",
    ]
    many = [Recording("f", {}, (Scored("a", (n,) * 9),), 0) for n in (1, 2)]
    assert str(many[0].diff(many[1])).splitlines()[-2:] == ["scores[5]: left 1, right 2", "... and more fields"]
    sizes = [Recording("f", {}, (Scored("a", (1,) * n),), 0) for n in (1, 2)]
    assert str(sizes[0].diff(sizes[1])).endswith("scores: left (1,), right (1, 1)")


def test_a_difference_is_shown_side_by_side() -> None:
    difference = halvings.record(20).diff(halvings.record(20, at_least=3))
    assert difference is not None
    assert "at_least=3" in difference._repr_mimebundle_()["text/html"]


def test_play_makes_a_player_with_the_options_given() -> None:
    assert str(halvings.record(20).play(start=1, steps=2)).splitlines()[:2] == [
        "2. half of it is 5",
        "3. half of it is 2",
    ]


# --- methods, names, pickling ---------------------------------------------------------------------


def test_a_stepwise_method_works_on_its_instance() -> None:
    counter = Counter(2)
    assert counter.up_to(5) == "counted by 2"
    assert [step.value for step in counter.up_to.steps(5)] == [0, 2, 4]
    assert counter.up_to.record(5).arguments == {"end": 5}


def test_a_stepwise_method_works_from_the_class() -> None:
    assert Counter.up_to(Counter(3), 5) == "counted by 3"


def test_help_shows_the_result_and_not_a_generator() -> None:
    assert inspect.signature(halvings).return_annotation is int
    assert list(inspect.signature(halvings).parameters) == ["number", "at_least"]
    shown = pydoc.plain(pydoc.render_doc(train))
    assert "Learn merges until" in shown
    assert "Generator" not in shown.splitlines()[2]


def test_a_bound_method_shows_no_self() -> None:
    assert list(inspect.signature(Counter(1).up_to).parameters) == ["end"]


def test_names_and_docstring_are_those_of_the_function() -> None:
    assert (halvings.__name__, halvings.__doc__) == ("halvings", "How often a number can be halved.")
    assert repr(halvings) == f"<stepwise function {__name__}.halvings>"


def test_stepwise_functions_are_pickled_by_name() -> None:
    assert pickle.loads(pickle.dumps(halvings)) is halvings
    assert pickle.loads(pickle.dumps(Counter.up_to)) is Counter.up_to


def test_a_bound_stepwise_method_is_pickled_with_its_instance() -> None:
    assert pickle.loads(pickle.dumps(Counter(2).up_to))(5) == "counted by 2"


def test_a_process_pool_can_run_a_stepwise_function() -> None:
    counts = {"hug": 10, "pug": 5, "pun": 12}
    with ProcessPoolExecutor(1) as pool:
        assert pool.submit(train, counts, 7).result() == train(counts, 7)
        assert pool.submit(train.record, counts, 7).result() == train.record(counts, 7)


# --- files ----------------------------------------------------------------------------------------


def test_a_saved_recording_is_loaded_again(tmp_path: Path) -> None:
    recording = halvings.record(20)
    path = recording.save(tmp_path / "run.json")
    assert Recording.load(path) == recording
    assert Recording.load(str(path)) == recording


@pytest.mark.parametrize("name", ["run.html", "run.htm", "RUN.HTML"])
def test_a_recording_is_saved_as_a_page(tmp_path: Path, name: str) -> None:
    page = halvings.record(20).save(tmp_path / name).read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert "half of it is 5" in page


def test_another_suffix_is_refused_with_a_way_out(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"run\.txt' should end in \.html .* or \.json"):
        halvings.record(20).save(tmp_path / "run.txt")
    assert list(tmp_path.iterdir()) == []


# --- JSON -----------------------------------------------------------------------------------------

TRICKY = [
    *(b"", b"\xff\x00", "\ud83d", "\ud83d\ude00", "\U0001f600", "a\udfffb", "\x00"),
    *(math.inf, -math.inf, -0.0, 0.1, 10**30, -1, True, False, None),
    *((), (1,), [], [()], {}, set(), frozenset(), {1, "a", b"a"}),
    *({1: "int"}, {(1, 2): b"x"}, {b"k": {"$tuple": [1]}}, {None: {True: 0.5}}, {"$step": 1, "$": 2}, {"$bytes": "zz"}),
    *({frozenset({1, frozenset({2})}): 1}, [{"a": [(b"x", {"y": {"z"}})]}], Halved(3), Kept((Halved(1), b"x"))),
]


@pytest.mark.parametrize("value", TRICKY, ids=[str(number) for number in range(len(TRICKY))])
def test_a_value_survives_json(value: Any) -> None:
    recording = keep.record(value)
    back = Recording.from_json(recording.to_json())
    assert back == recording
    assert type(back.result) is type(value)
    assert repr(back.result) == repr(value) or isinstance(value, set | frozenset | dict)


def test_not_a_number_survives_json() -> None:
    assert math.isnan(Recording.from_json(keep.record(math.nan).to_json()).result)


def test_two_surrogates_do_not_become_one_character() -> None:
    assert len(Recording.from_json(keep.record("\ud83d\ude00").to_json()).result) == 2


hashables = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts() | st.binary(),
    lambda inner: st.lists(inner, max_size=3).map(tuple) | st.frozensets(inner, max_size=3),
    max_leaves=5,
)
values = st.recursive(
    hashables,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(hashables, inner, max_size=3)
        | st.sets(hashables, max_size=3)
        | inner.map(Kept)
    ),
    max_leaves=8,
)


@given(values)
def test_any_nested_value_survives_json(value: Any) -> None:
    recording = keep.record(value)
    assert Recording.from_json(recording.to_json()) == recording


def recording_with(result: Any) -> str:
    return json.dumps({"tokenlab": 1, "recording": ["f", {"$dict": []}, {"$tuple": []}, result]})


GARBAGE = [
    *("", "{", "null", "5", "[]", "{}", '{"recording": 5}', '{"recording": [1, 2]}', '{"recording": {}}'),
    '{"recording": [1, {"$dict": []}, {"$tuple": []}, 0]}',
    '{"recording": ["f", 5, {"$tuple": []}, 0]}',
    '{"recording": ["f", {"$dict": []}, 5, 0]}',
    *map(
        recording_with,
        [
            *({"$step": []}, {"$step": 5}, {"$step": [[]]}, {"$tuple": 5}, {"$dict": 5}, {"$dict": [[1]]}),
            *({"$dict": [[[], 1]]}, {"$set": [[]]}, {"$float": {}}, {"$float": "x"}, {"$bytes": "zz"}, {"$bytes": 5}),
            *({"$str": ["x"]}, {"$str": [-1]}, {"$str": [10**30]}, {"$str": 5}, {"a": 1, "b": 2}, {}, {"$list": []}),
        ],
    ),
    "[" * 100_000,
]


@pytest.mark.parametrize("text", GARBAGE, ids=lambda text: text[-40:])
def test_what_is_no_recording_is_refused_with_a_sentence(text: str) -> None:
    with pytest.raises(ValueError, match=r"recording.*; "):
        Recording.from_json(text)


def test_an_unknown_step_is_named() -> None:
    with pytest.raises(ValueError, match=r"steps of the class 'other\.Step'.*import the module"):
        Recording.from_json(recording_with({"$step": ["other.Step", 1]}))


def test_an_unknown_tag_is_named() -> None:
    with pytest.raises(ValueError, match=r"unknown tag '\$list'.*later version"):
        Recording.from_json(recording_with({"$list": []}))


@pytest.mark.parametrize("fields", [[], [1, 2]])
def test_a_step_with_other_fields_is_refused(fields: list[int]) -> None:
    with pytest.raises(ValueError, match=r"Halved.* has the fields half.*another version"):
        Recording.from_json(recording_with({"$step": [f"{__name__}.Halved", *fields]}))


def test_a_file_names_no_class_that_it_could_make_python_import() -> None:
    with pytest.raises(ValueError, match=r"os\.system"):
        Recording.from_json(recording_with({"$step": ["os.system", "true"]}))


@pytest.mark.slow
def test_nothing_here_is_read_by_pickle() -> None:
    folder = Path(tokenlab.__file__).parent
    for path in folder.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and [alias.name for alias in node.names] != ["UnpicklingError"]:
                names.add(node.module or "")
        assert not names & {"pickle", "marshal", "shelve", "dill", "cloudpickle"}, path


def test_a_step_keeps_only_its_fields() -> None:
    with pytest.raises(AttributeError):
        Merged(("a", "b"), 1, 1).other = 1  # type: ignore[attr-defined]


def test_a_sentence_sends_nothing_to_the_terminal_that_it_obeys() -> None:
    evil = "a\x1b[2J\u202eb\x85\ud800 \xa0\n\tc"
    shown = "a\\x1b[2J\\u202eb\\x85\\ud800 \xa0\n\tc"
    one = Scored(evil, 1)
    assert str(one) == f"{one}" == shown
    assert str(Recording("f", {}, (one, evil), 0)) == f"1. {shown}\n2. {shown}"
    assert str(Recording("f", {}, (one,), 0).diff(Recording("f", {}, ("x",), 0))).splitlines()[1] == (
        " left: a\\x1b[2J\\u202eb\\x85\\ud800 \xa0"
    )
    assert not {"\x1b", "\u202e"} & {*repr(Recording(f"x.{evil}", {}, (), 0))}


def test_the_package_has_its_names_and_no_others() -> None:
    assert [getattr(tokenlab, name) for name in tokenlab.__all__] == [Recording, steps.Stepwise, step, stepwise]
    with pytest.raises(AttributeError, match="module 'tokenlab' has no attribute 'Recordings'"):
        tokenlab.Recordings  # noqa: B018


@step
class Received:
    """A step with each kind of part, and text that is markup."""

    said: str
    symbol: str
    count: int

    def sentence(self) -> Parts:
        """Name all fields."""
        return [self.said, " and ", SymbolPart(self.symbol, "new"), " ", self.count, " times"]


@step
class Spoken:
    """A step with a field that is called `sentence`."""

    sentence: str


def test_a_field_called_sentence_is_a_field() -> None:
    assert str(Spoken("a < b")) == "Spoken(sentence='a < b')"
    assert sentence(Spoken("a < b")) == "Spoken(sentence=&#x27;a &lt; b&#x27;)."


def test_the_text_of_a_step_is_that_of_its_parts() -> None:
    received = Received("a\x1b[2J", " \u202e", 2000)
    assert str(received) == "a\\x1b[2J and ␣\\u202e 2,000 times"
    assert repr(received) == "Received(said='a\\x1b[2J', symbol=' \\u202e', count=2000)"


@pytest.mark.parametrize("evil", ["<img/src=x/onerror=alert(1)>", "</script><b/onclick=alert(1)>", "<b>", "&lt;"])
def test_markup_in_a_part_stays_text(evil: str) -> None:
    html = sentence(Received(evil, evil, 1))
    escaped = evil.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    assert html == f"{escaped} and <b class=new>{escaped}</b> 1 times."
    assert plain_text(html) == f"{evil} and {evil} 1 times."
    assert Frame("now", html).caption == html
    assert sentence(Merged((evil, evil), 1, 1)).count("<") == 6  # three chips
