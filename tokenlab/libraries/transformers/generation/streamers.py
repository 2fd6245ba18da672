"""Streamers: show a text while `generate` is still generating it.

Adds: `TextStreamer` and `TextIteratorStreamer`, word by word as transformers has them, and `StablePrefixStreamer` and
`StablePrefixIteratorStreamer`, which are ours: they show a character as soon as it is certain, and omit none. They use
an `IncrementalDetokenizer`, which works with any tokenizer that has a `decode`: a character of several tokens is
pending until it is complete, and so is text that the next token may move by removing or inserting a space.
Leaves out: `AsyncTextIteratorStreamer`; tokens that are byte strings (`tokenlab.algorithms.decoding.incremental_utf8`);
speed: all ids are decoded each time.

The library's streamers show a text up to its last space, so Japanese kana, Thai or a long line of dots are shown only
at the end. They clear their cache after a line end, so T5 loses a space at the beginning of the next line. They never
take back text, although the next token may remove a space that was shown ("is n't").

Source: transformers 5.23, generation/streamers.py; the first were 4.28's. Unlike there, `put` also takes a list.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator
from queue import Queue
from typing import Any

CJK_RANGES = (  # the blocks whose characters are shown immediately
    (0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F), (0x2B740, 0x2B81F),
    (0x2B820, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F),
)  # fmt: skip


class BaseStreamer:
    """The interface that `generate` calls: `put` with the prompt and with each token, `end` after the last token.

    >>> class Counting(BaseStreamer):
    ...     puts = 0
    ...     def put(self, value):
    ...         self.puts += 1
    ...     def end(self):
    ...         print(self.puts, "puts")
    >>> streamer = Counting()
    >>> _ = streamer.put([[0]]), streamer.put([7]), streamer.end()
    2 puts
    """

    def put(self, value: Any) -> None:
        """Receive ids: the prompts as (texts, length), then the next token of each text as (texts,)."""
        raise NotImplementedError(f"{type(self).__name__} should define put(value), which generate calls with ids")

    def end(self) -> None:
        """Finish the text."""
        raise NotImplementedError(
            f"{type(self).__name__} should define end(), which generate calls after the last token"
        )


class TextStreamer(BaseStreamer):
    """Print a text word by word.

    Args:
        tokenizer: the model's tokenizer; any object with a `decode`.
        skip_prompt: whether to leave out the first `put`: with T5 only the start token.
        decode_kwargs: further arguments of `decode`, such as skip_special_tokens=True.

    >>> from tokenlab import data
    >>> from tokenlab.libraries.tiktoken.registry import load_local_encoding
    >>> encoding = load_local_encoding(data.FOLDER / "small.tiktoken")
    >>> streamer = TextStreamer(encoding)
    >>> _ = [streamer.put([id]) for id in encoding.encode("the player was")], streamer.end()
    the player was
    """

    def __init__(self, tokenizer: Any, skip_prompt: bool = False, **decode_kwargs: Any) -> None:
        self.tokenizer = tokenizer
        self.skip_prompt = skip_prompt
        self.decode_kwargs = decode_kwargs
        self.token_cache: list[int] = []
        self.print_len = 0  # characters of the cached tokens that were shown
        self.next_tokens_are_prompt = True

    def put(self, value: Any) -> None:
        """Receive ids, and show the part of the text that is ready.

        Raises:
            ValueError: the ids are of several texts.
        """
        ids = _ids_of_single_text(type(self).__name__, value)
        is_prompt, self.next_tokens_are_prompt = self.next_tokens_are_prompt, False
        if not (self.skip_prompt and is_prompt):
            self.on_finalized_text(self._add_ids(ids))

    def end(self) -> None:
        """Show the rest of the text."""
        self.next_tokens_are_prompt = True
        self.on_finalized_text(self._flush(), stream_end=True)

    def on_finalized_text(self, text: str, stream_end: bool = False) -> None:
        """Print a finished part of the text, and a line end after the last; subclasses override this method."""
        print(text, flush=True, end="\n" if stream_end else "")

    def _add_ids(self, ids: list[int]) -> str:
        self.token_cache += ids
        text = self._text()
        ends_line = text.endswith("\n")
        shows_all = ends_line or (text != "" and _is_cjk(text[-1]))
        ready = text[self.print_len : len(text) if shows_all else text.rfind(" ") + 1]
        self.print_len += len(ready)
        if ends_line:
            self.token_cache, self.print_len = [], 0
        return ready

    def _flush(self) -> str:
        rest = self._text()[self.print_len :]
        self.token_cache, self.print_len = [], 0
        return rest

    def _text(self) -> str:
        return str(self.tokenizer.decode(self.token_cache, **self.decode_kwargs)) if self.token_cache else ""


class StablePrefixStreamer(TextStreamer):
    """Print each character as soon as it is certain; the printed parts together are the decoded text of all ids.

    >>> class Bytes:
    ...     def decode(self, ids):
    ...         return bytes(ids).decode(errors="replace")
    >>> shown, streamer = [], StablePrefixStreamer(Bytes())
    >>> streamer.on_finalized_text = lambda text, stream_end=False: shown.append(text)
    >>> for byte in "née".encode():
    ...     streamer.put([byte])
    >>> shown
    ['n', '', 'é', 'e']
    """

    def __init__(self, tokenizer: Any, skip_prompt: bool = False, **decode_kwargs: Any) -> None:
        super().__init__(tokenizer, skip_prompt, **decode_kwargs)
        self.detokenizer = IncrementalDetokenizer(tokenizer, **decode_kwargs)

    def _add_ids(self, ids: list[int]) -> str:
        return self.detokenizer.put(ids)

    def _flush(self) -> str:
        return self.detokenizer.end()


class TextIteratorStreamer(TextStreamer):
    """Pass a text, word by word, to a `for` loop in a thread other than that of `generate`.

    Args:
        timeout: seconds after which the loop raises queue.Empty, for example because `generate` failed; None means no
            limit. The other arguments are those of `TextStreamer`.

    >>> from threading import Thread
    >>> from tokenlab import data
    >>> from tokenlab.libraries.transformers import T5ForConditionalGeneration, T5Tokenizer
    >>> tokenizer = T5Tokenizer.from_pretrained(data.t5_tiny())
    >>> model = T5ForConditionalGeneration.from_pretrained(data.t5_tiny())
    >>> streamer = TextIteratorStreamer(tokenizer, skip_prompt=True, timeout=60, skip_special_tokens=True)
    >>> given = tokenizer("translate English to German: He has a dog.", return_tensors="pt")
    >>> Thread(target=model.generate, kwargs={**given, "max_new_tokens": 9, "streamer": streamer}).start()
    >>> list(streamer)
    ['', 'Er ', 'hat ', 'einen ', '', '', 'Hund.']
    """

    def __init__(
        self, tokenizer: Any, skip_prompt: bool = False, timeout: float | None = None, **decode_kwargs: Any
    ) -> None:
        super().__init__(tokenizer, skip_prompt, **decode_kwargs)
        self.text_queue: Queue[Any] = Queue()
        self.stop_signal: Any = None
        self.timeout = timeout

    def on_finalized_text(self, text: str, stream_end: bool = False) -> None:
        """Put a finished part of the text into the queue, and after the last the signal that stops the loop."""
        self.text_queue.put(text, timeout=self.timeout)
        if stream_end:
            self.text_queue.put(self.stop_signal, timeout=self.timeout)

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        value = self.text_queue.get(timeout=self.timeout)
        if value == self.stop_signal:
            raise StopIteration
        return str(value)


class StablePrefixIteratorStreamer(TextIteratorStreamer, StablePrefixStreamer):
    """Pass each character to a `for` loop as soon as it is certain.

    >>> class Bytes:
    ...     def decode(self, ids):
    ...         return bytes(ids).decode(errors="replace")
    >>> streamer = StablePrefixIteratorStreamer(Bytes())
    >>> for byte in "née".encode():
    ...     streamer.put([byte])
    >>> streamer.end()
    >>> list(streamer)
    ['n', '', 'é', 'e', '']
    """


def _ids_of_single_text(streamer: str, value: Any) -> list[int]:
    shape = tuple(getattr(value, "shape", (len(value),)))
    if len(shape) > 2 or (len(shape) == 2 and shape[0] != 1):
        raise ValueError(f"{streamer} shows one text, and got ids of shape {shape}; generate a single text")
    value = value[0] if len(shape) == 2 else value
    return list(value.tolist() if hasattr(value, "tolist") else value)


def _is_cjk(character: str) -> bool:
    return any(first <= ord(character) <= last for first, last in CJK_RANGES)


REPLACEMENT_CHARACTER = "\N{REPLACEMENT CHARACTER}"  # the text that `decode` returns for an incomplete character
MAX_BYTES = 4  # bytes of one character: after three more tokens it is complete, or never will be
# Ends of a text from which `clean_up_tokenization` may still remove a space, such as the one before "n't".
# subtle: possessive (++, *+) and anchored at the first space of a run, because it runs at every token.
UNSTABLE_CHARACTERS = re.compile(r"((?<! ) ++n?+ *+'?+ *+[rv]?+ *+|')\Z")


class IncrementalDetokenizer:
    r"""Decode ids step by step; the returned parts together are the `decode` of all ids.

    Args:
        tokenizer: an object with a `decode`.
        decode_kwargs: its further arguments, such as skip_special_tokens=True.

    >>> from tokenlab.libraries.tiktoken.registry import load_local_encoding
    >>> from tokenlab import data
    >>> encoding = load_local_encoding(data.FOLDER / "small.tiktoken")
    >>> detokenizer = IncrementalDetokenizer(encoding)
    >>> [detokenizer.put([id]) for id in encoding.encode("é🙂")], detokenizer.end()
    (['', 'é', '', '', '', '🙂'], '')
    """

    def __init__(self, tokenizer: Any, **decode_kwargs: Any) -> None:
        self.tokenizer = tokenizer
        self.decode_kwargs = decode_kwargs
        cleans = decode_kwargs.get("clean_up_tokenization_spaces", True)
        self.cleans = cleans and hasattr(tokenizer, "clean_up_tokenization")
        skips = decode_kwargs.get("skip_special_tokens", False)
        special = getattr(tokenizer, "all_special_ids", ())
        self.skipped: frozenset[int] = frozenset(special if skips else ())
        self.special: list[int] = [] if skips else list(special[:1])
        self._begin()

    def _begin(self) -> None:
        self.ids: list[int] = []
        self.shown = 0  # characters that were returned
        self.lengths: deque[int] = deque(maxlen=MAX_BYTES)  # lengths of the text after each of the last puts

    @property
    def pending_text(self) -> str:
        """The text that later ids may still change, as `end` would return it now."""
        return self._text(self.ids)[self.shown :]

    def put(self, ids: Iterable[int]) -> str:
        """Add ids; return the text that has become certain."""
        ids = [id for id in ids if id not in self.skipped]
        if not ids:
            return ""
        self.ids += ids
        text = self._text(self.ids)
        self.lengths.append(len(text))
        new = text[self.shown : self._stable_length(text)]
        self.shown += len(new)
        return new

    def end(self) -> str:
        """Return the pending text, and start a new text."""
        rest = self.pending_text
        self._begin()
        return rest

    def _text(self, ids: list[int]) -> str:
        return str(self.tokenizer.decode(ids, **self.decode_kwargs)) if ids else ""

    def _stable_length(self, text: str) -> int:
        """Return the number of characters that later ids cannot change."""
        # subtle: an incomplete character looks like a real U+FFFD, but is completed within three more tokens.
        old_length = min(self.lengths) if len(self.lengths) == MAX_BYTES else 0
        stable = max(len(text.rstrip(REPLACEMENT_CHARACTER)), old_length)
        moving = UNSTABLE_CHARACTERS.search(text) if self.cleans else None
        if self.special:
            # subtle: a special token of T5 inserts a space before the text between it and the previous one.
            stable = min(stable, common_prefix_length(text, self._text(self.ids + self.special)))
        return min(stable, moving.start()) if moving else stable


def common_prefix_length(left: str, right: str) -> int:
    """Return the length of the longest common prefix of two texts.

    >>> common_prefix_length("ab c", "abc"), common_prefix_length("ab", "abc")
    (2, 2)
    """
    shorter = min(len(left), len(right))
    return next((index for index in range(shorter) if left[index] != right[index]), shorter)
