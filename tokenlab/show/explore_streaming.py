"""A text to type, and how it comes out of its tokens: held where a character is not whole yet."""

from __future__ import annotations

from typing import Any

import ipywidgets

from tokenlab.algorithms.held_bytes import come_out
from tokenlab.show.explore import _WIDE, Explorer, _short
from tokenlab.steps import Recording

BY_TOKENS, BY_BYTES = "as the encoding cuts it", "one byte a token"


def explore_streaming(text: str, encoding: Any) -> Explorer:
    """A text to type and a cut to choose, and what a streamer shows token by token.

    Args:
        text: what is typed at first.
        encoding: ours or tiktoken's.
    """

    def record(text: str, tokens: str) -> Recording[Any, Any]:
        ids = encoding.encode_ordinary(_short(text))
        parts = encoding.decode_tokens_bytes(ids)
        return come_out.record([bytes([byte]) for byte in b"".join(parts)] if tokens == BY_BYTES else parts)

    return Explorer(
        record,
        text=ipywidgets.Text(text, description="text", **_WIDE),
        tokens=ipywidgets.Dropdown(options=[BY_TOKENS, BY_BYTES], description="tokens"),
    )
