"""EncodingVisualizer: the same spans, classes and attributes as the library's, and nothing of a text becomes markup."""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from typing import Any

import pytest
import tokenizers as library
from hypothesis import given
from hypothesis import strategies as st
from tokenizers.tools.visualizer import Annotation as LibraryAnnotation
from tokenizers.tools.visualizer import EncodingVisualizer as LibraryVisualizer

from tests.examples import examples
from tests.strategies import texts
from tokenlab.libraries.tokenizers.tools import Annotation, EncodingVisualizer

HOSTILE = "<b>\"'&</span><script>alert(1)</script>"


def word_tokenizer() -> Any:
    tokenizer = library.Tokenizer(library.models.WordLevel({"[UNK]": 0, "a": 1, "b": 2}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = library.pre_tokenizers.Whitespace()
    return tokenizer


def byte_tokenizer() -> Any:
    alphabet = sorted(library.pre_tokenizers.ByteLevel.alphabet())
    tokenizer = library.Tokenizer(library.models.BPE({symbol: id for id, symbol in enumerate(alphabet)}, []))
    tokenizer.pre_tokenizer = library.pre_tokenizers.ByteLevel(add_prefix_space=False)
    return tokenizer


TOKENIZERS = [word_tokenizer(), byte_tokenizer()]


class Spans(HTMLParser):
    """The spans inside the div, as events; attributes without order."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.events: list[Any] = []
        self.feed(page[page.index("<div") :])

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.events.append((tag, {name: set((value or "").split()) for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        self.events.append(f"end of {tag}")

    def handle_data(self, data: str) -> None:
        self.events.append(data)


def spans(page: str | None) -> list[Any]:
    assert page is not None
    events = Spans(page).events
    return [event.strip("\n") if isinstance(event, str) else event for event in events]


def without_space_around(events: list[Any]) -> list[Any]:
    start, end = events.index(("div", {"class": {"tokenized-text"}, "dir": {"auto"}})), events.index("end of div")
    return [event for event in events[start:end] if event not in ("", " " * 12)]


@st.composite
def annotated(draw: st.DrawFn) -> tuple[str, list[tuple[int, int, str]]]:
    text = draw(st.text("ab <&é日👍\n", min_size=1, max_size=12))
    place = st.integers(0, len(text))
    parts = draw(st.lists(st.tuples(place, place, st.sampled_from(["LOC", "PER", "x y"])), max_size=3))
    return text, parts


@examples(60)
@given(st.sampled_from(TOKENIZERS), annotated())
def test_the_spans_are_the_librarys(tokenizer: Any, given_text: tuple[str, list[tuple[int, int, str]]]) -> None:
    text, parts = given_text
    ours = EncodingVisualizer(tokenizer, default_to_notebook=False)(text, [Annotation(*part) for part in parts])
    theirs = LibraryVisualizer(tokenizer, default_to_notebook=False)(text, [LibraryAnnotation(*part) for part in parts])
    assert without_space_around(spans(ours)) == without_space_around(spans(theirs))


@given(texts(surrogates=False, repeated=2), st.text(max_size=5))
def test_no_text_and_no_label_becomes_markup(text: str, label: str) -> None:
    visualizer = EncodingVisualizer(byte_tokenizer(), default_to_notebook=False)
    events = spans(visualizer(text, [Annotation(0, len(text), label + HOSTILE)]))
    assert {event[0] for event in events if isinstance(event, tuple)} <= {"div", "span"}
    kinds = [set(event[1]) for event in events if isinstance(event, tuple)]
    assert all(names <= {"class", "dir", "style", "data-label", "data-stok"} for names in kinds)


def test_the_name_of_an_unknown_token_is_escaped() -> None:
    unknown = f"unk{HOSTILE}"
    tokenizer = library.Tokenizer(library.models.WordLevel({unknown: 0}, unk_token=unknown))
    page = EncodingVisualizer(tokenizer, default_to_notebook=False)("a")
    assert page is not None
    assert 'data-stok="unk&lt;b&gt;&quot;' in page
    assert "<script>" not in page


def test_all_characters_are_shown_once() -> None:
    text = "a  b\tc👍<é>"
    events = spans(EncodingVisualizer(byte_tokenizer(), default_to_notebook=False)(text))
    assert "".join(event for event in events if isinstance(event, str) and not event.startswith("end of")) == text


def test_a_converter_is_called_for_every_annotation() -> None:
    visualizer = EncodingVisualizer(
        word_tokenizer(),
        default_to_notebook=False,
        annotation_converter=lambda entity: Annotation(entity["from"], entity["to"], entity["kind"]),
    )
    page = visualizer("a b", annotations=[{"from": 0, "to": 1, "kind": "LOC"}])
    assert page is not None
    assert 'class="annotation" style="color:hsl(10,32%,64%)" data-label="LOC"' in page


@pytest.mark.parametrize("labels", [[], ["a"], ["b", "a", "b"], [str(number) for number in range(40)]])
def test_the_colors_are_the_librarys(labels: list[str]) -> None:
    theirs = LibraryVisualizer.calculate_label_colors([LibraryAnnotation(0, 1, label) for label in labels])
    assert EncodingVisualizer.calculate_label_colors([Annotation(0, 1, label) for label in labels]) == theirs


def test_an_annotation_outside_the_text_is_named() -> None:
    for start, end in ((0, 5), (-1, 1), (4, 6)):
        with pytest.raises(IndexError, match=f"the annotation 'LOC' from {start} to {end} is not inside the text"):
            EncodingVisualizer(word_tokenizer(), False)("a b", [Annotation(start, end, "LOC")])


def test_an_empty_text_has_an_empty_picture() -> None:
    page = EncodingVisualizer(word_tokenizer(), default_to_notebook=False)("")
    assert page is not None
    assert "dir=auto></div>" in page


def test_in_a_notebook_the_page_is_displayed(monkeypatch: pytest.MonkeyPatch) -> None:
    import IPython.display

    shown: list[Any] = []
    monkeypatch.setattr(IPython.display, "display", shown.append)
    visualizer = EncodingVisualizer(word_tokenizer())
    assert visualizer("a b") is None
    assert visualizer("a b", default_to_notebook=False) == shown[0].data


def test_without_ipython_the_error_says_what_to_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "IPython.display", None)
    with pytest.raises(ImportError, match="default_to_notebook=False"):
        EncodingVisualizer(word_tokenizer())


def test_a_span_without_characters_names_its_special_token() -> None:
    from tokenlab.libraries.tokenizers.tools.visualizer import CharState

    state = CharState(None)
    state.tokens = [0]
    encoding = library.Tokenizer(library.models.WordLevel({HOSTILE: 0}, unk_token=HOSTILE)).encode("x")
    span = EncodingVisualizer.consecutive_chars_to_html([state], "", encoding)
    assert span.startswith('<span class="special-token" data-stoken="&lt;b&gt;&quot;')
