"""The source of the page `why`: its text, and the values of the command's options."""

from __future__ import annotations

from publish.live.runtime import HERE
from tokenlab.libraries.tiktoken.registry import PATTERNS
from tokenlab.storage import files
from tokenlab.why.load import KINDS


def why_page() -> str:
    """Return the page as Markdown.

    >>> why_page().splitlines()[0]
    '# Why does a tokenizer split a text that way?'
    """
    text = files.read_text(HERE / "why.md")
    return text.replace("{kinds}", " ".join(KINDS)).replace("{encodings}", " ".join(PATTERNS))
