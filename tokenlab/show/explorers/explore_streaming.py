"""Controls for a streamer: a typed text, and the text shown after each token."""

from __future__ import annotations

from typing import Any

import ipywidgets

from tokenlab.algorithms.decoding.incremental_utf8 import stream_text
from tokenlab.show.explorers.explorer import Explorer, check_characters, text_box
from tokenlab.steps.recording import Recording

BY_TOKENS, BY_BYTES = "as the encoding cuts it", "one byte a token"


def explore_streaming(text: str, encoding: Any) -> Explorer:
    """Explore the text that a streamer shows token by token; an incomplete character is held back."""

    def record(text: str, tokens: str) -> Recording[Any, Any]:
        ids = encoding.encode_ordinary(check_characters(text))
        parts = encoding.decode_tokens_bytes(ids)
        return stream_text.record([bytes([byte]) for byte in b"".join(parts)] if tokens == BY_BYTES else parts)

    return Explorer(
        record,
        text=text_box("text", text),
        tokens=ipywidgets.Dropdown(options=[BY_TOKENS, BY_BYTES], description="tokens"),
    )
