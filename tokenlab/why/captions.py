"""The captions of a recording's view as plain text, so that terminal and player state a rule in the same words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from importlib import import_module
from typing import Any

from tokenlab.show.frames import Frame, Html, StepRange, registry
from tokenlab.steps import Recording

_TAG = re.compile(r"<[^<>]*>")


def plain_text(html: Html) -> str:
    """Return the text of a caption without its markup; `<` in a text is escaped, so each tag is the view's own.

    >>> plain_text("<b class=new>&lt;s&gt;</b> is a special token.")
    '<s> is a special token.'
    """
    return unescape(_TAG.sub("", html))


def frames(recording: Recording[Any, Any], steps: int) -> Iterator[Frame]:
    """Yield the frames of the player after each of the first steps, without the frame before step 1.

    >>> from tokenlab.algorithms.wordpiece.encode import encode_word
    >>> [plain_text(frame.caption) for frame in frames(encode_word.record("a", {"a"}), 1)]
    ['a is in the vocabulary, so it is a token. The encoder continues after it.']
    """
    import_module("tokenlab.show.views")  # registers all views
    shown = iter(registry.views[recording.function](recording, StepRange(0, min(steps, len(recording)))))
    next(shown, None)
    yield from shown
