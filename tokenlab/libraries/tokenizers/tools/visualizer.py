"""Show an encoding as HTML: the text, with a span for each token, and one around each annotation.

Adds: `EncodingVisualizer`, `Annotation`. Leaves out: the stages of a pipeline (`tokenlab.show.views.pipeline`).

The contract of the HTML, on which users' styles and scripts rely: a `div.tokenized-text` with spans of the classes
`token` (with `even-token` or `odd-token`, `multi-token` if several tokens cover the character, and `special-token` with
the attribute `data-stok` if the token's name looks like an unknown token) and `non-token`. A `span.annotation` with the
attribute `data-label` and a colour encloses the spans of an annotation. No text, token or label is taken for markup.

Source: tokenizers 0.23.3, bindings/python/py_src/tokenizers/tools/visualizer.py.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from html import escape
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

STYLE = Path(__file__).with_name("visualizer.css").read_text(encoding="utf-8")


class Annotation:
    """A label of a part of the text."""

    start: int
    end: int
    label: str

    def __init__(self, start: int, end: int, label: str) -> None:
        """Label the characters from `start` up to, but not including, `end`."""
        self.start = start
        self.end = end
        self.label = label


class CharStateKey(NamedTuple):
    """The properties that characters of one span share."""

    token_ix: int | None
    anno_ix: int | None


class CharState:
    """The tokens and the annotation of one character."""

    def __init__(self, char_ix: int | None) -> None:
        """Start without tokens and annotation.

        Args:
            char_ix: the position of the character.
        """
        self.char_ix = char_ix
        self.anno_ix: int | None = None
        self.tokens: list[int] = []

    @property
    def token_ix(self) -> int | None:
        """The position of the first token that covers the character."""
        return self.tokens[0] if self.tokens else None

    @property
    def is_multitoken(self) -> bool:
        """Whether several tokens cover the character, such as the bytes of an emoji."""
        return len(self.tokens) > 1

    def partition_key(self) -> CharStateKey:
        """Return the properties that characters of one span share."""
        return CharStateKey(self.token_ix, self.anno_ix)


class EncodingVisualizer:
    """Encode texts, and show the tokens in a notebook or as an HTML page."""

    unk_token_regex = re.compile("unk|oov", flags=re.IGNORECASE)

    def __init__(
        self,
        tokenizer: Any,
        default_to_notebook: bool = True,
        annotation_converter: Callable[[Any], Annotation] | None = None,
    ) -> None:
        """Set the options.

        Args:
            tokenizer: the tokenizer.
            default_to_notebook: display the HTML in a notebook; False returns it as a str.
            annotation_converter: a function from your own annotations to `Annotation`.

        Raises:
            ImportError: the HTML should be displayed in a notebook, and IPython is not installed.
        """
        if default_to_notebook:
            _notebook()
        self.tokenizer = tokenizer
        self.default_to_notebook = default_to_notebook
        self.annotation_coverter = annotation_converter  # spelled as in the library

    def __call__(
        self, text: str, annotations: Sequence[Any] | None = None, default_to_notebook: bool | None = None
    ) -> str | None:
        """Display the tokens of a text, and return None; or return a page of HTML.

        Args:
            text: the text.
            annotations: labels of parts of the text, as `Annotation` or as the converter takes them.
            default_to_notebook: whether to display; by default as set in the constructor.

        Raises:
            IndexError: an annotation is not inside the text.
            ImportError: as in the constructor.
        """
        in_notebook = self.default_to_notebook if default_to_notebook is None else default_to_notebook
        display = _notebook() if in_notebook else None
        convert = self.annotation_coverter
        converted = [convert(each) for each in annotations or ()] if convert else list(annotations or ())
        page = HTMLBody(_spans(text, self.tokenizer.encode(text), converted))
        if display is None:
            return page
        display(page)
        return None

    @staticmethod
    def calculate_label_colors(annotations: Sequence[Annotation]) -> dict[str, str]:
        """Return a colour for each label, in HSL; the same labels always get the same colours.

        >>> EncodingVisualizer.calculate_label_colors([Annotation(0, 1, "LOC"), Annotation(1, 2, "PER")])
        {'LOC': 'hsl(10,32%,64%)', 'PER': 'hsl(137,32%,64%)'}
        """
        labels = sorted({annotation.label for annotation in annotations})
        step = max(20, 255 // len(labels)) if labels else 0
        return {label: f"hsl({10 + place * step},32%,64%)" for place, label in enumerate(labels)}

    @staticmethod
    def consecutive_chars_to_html(consecutive_chars_list: Sequence[CharState], text: str, encoding: Any) -> str:
        """Return the span of adjacent characters that have the same token and annotation.

        Args:
            consecutive_chars_list: the states of the characters; a single one without a position is a special token.
            text: the whole text.
            encoding: its encoding.
        """
        first, last = consecutive_chars_list[0], consecutive_chars_list[-1]
        token = "" if first.token_ix is None else encoding.tokens[first.token_ix]
        if first.char_ix is None or last.char_ix is None:
            return f'<span class="special-token" data-stoken="{escape(token)}"></span>'
        shown = escape(text[first.char_ix : last.char_ix + 1])
        if first.token_ix is None:
            return f'<span class="non-token">{shown}</span>'
        parity = "odd-token" if first.token_ix % 2 else "even-token"
        classes = ["token", *["multi-token"] * first.is_multitoken, parity]
        data = ""
        if EncodingVisualizer.unk_token_regex.search(token):
            classes.append("special-token")
            data = f' data-stok="{escape(token)}"'
        return f'<span class="{" ".join(classes)}"{data}>{shown}</span>'


def _notebook() -> Callable[[str], Any]:
    """Return the function that displays HTML in a notebook."""
    try:
        from IPython.display import HTML, display
    except ImportError:
        raise ImportError(
            "IPython, which displays HTML in a notebook, is not installed; outside a notebook, pass "
            "default_to_notebook=False to get the HTML as a str"
        ) from None
    return lambda page: display(HTML(page))  # type: ignore[no-untyped-call]


def _spans(text: str, encoding: Any, annotations: Sequence[Annotation]) -> list[str]:
    colors = EncodingVisualizer.calculate_label_colors(annotations)
    spans: list[str] = []
    for annotated, inside in groupby(_states(text, encoding, annotations), lambda state: state.anno_ix):
        if annotated is not None:
            label = annotations[annotated].label
            style = f'style="color:{colors[label]}"'
            spans.append(f'<span class="annotation" {style} data-label="{escape(str(label))}">')
        for _, same in groupby(inside, CharState.partition_key):
            spans.append(EncodingVisualizer.consecutive_chars_to_html(list(same), text, encoding))
        if annotated is not None:
            spans.append("</span>")
    return spans


def _states(text: str, encoding: Any, annotations: Sequence[Annotation]) -> list[CharState]:
    states = [CharState(place) for place in range(len(text))]
    for token in range(len(encoding.tokens)):
        for place in range(*(encoding.token_to_chars(token) or (0, 0))):
            states[place].tokens.append(token)
    for number, annotation in enumerate(annotations):
        if annotation.start < annotation.end and not 0 <= annotation.start < annotation.end <= len(text):
            raise IndexError(
                f"the annotation {annotation.label!r} from {annotation.start} to {annotation.end} is not inside the "
                f"text, which has {len(text)} characters"
            )
        for place in range(annotation.start, annotation.end):
            states[place].anno_ix = number  # subtle: of overlapping annotations, the last one is shown
    return states


def HTMLBody(children: Sequence[str], css_styles: str = STYLE) -> str:
    """Return a page with these spans.

    Args:
        children: HTML elements.
        css_styles: another style.
    """
    return (
        f'<html><head><meta charset="utf-8"><style>\n{css_styles}</style></head>\n'
        f'<body><div class="tokenized-text" dir=auto>{"".join(children)}</div></body></html>\n'
    )
