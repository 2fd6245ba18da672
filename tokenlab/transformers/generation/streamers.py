"""Streamers: a text is shown while `generate` still writes it.

Adds: `TextStreamer` and `TextIteratorStreamer`, word by word as transformers has them, and `SteadyStreamer` and
`SteadyIteratorStreamer`, which are ours: they show a character as soon as it is certain, and lose none.
Leaves out: `AsyncTextIteratorStreamer`.

What differs between the two: those of the library show a text up to its last blank, so Japanese kana, Thai or a long
line of dots wait for the end; after a line end they forget what came before, and T5 loses the blank that the next line
begins with; and what they have shown they take for certain, though the next token may take a blank away ("is n't").

Source: transformers 5.23, generation/streamers.py; the first were 4.28's. Unlike there, `put` also takes a list.
"""

from __future__ import annotations

from collections.abc import Iterator
from queue import Queue
from typing import Any

from tokenlab.transformers.generation.detokenizing import Detokenizer

CHINESE = (  # the blocks whose characters are shown at once
    (0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F), (0x2B740, 0x2B81F),
    (0x2B820, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F),
)  # fmt: skip


class BaseStreamer:
    """What `generate` calls: `put` with the start and with each token, `end` when all is written.

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
        """Take ids: the start as (texts, length), then what each text got as (texts,)."""
        raise NotImplementedError(f"{type(self).__name__} has no put of its own, which generate calls with ids")

    def end(self) -> None:
        """Nothing more comes."""
        raise NotImplementedError(f"{type(self).__name__} has no end of its own, which generate calls at last")


class TextStreamer(BaseStreamer):
    """Prints a text word by word.

    Args:
        tokenizer: that of the model; any with a `decode`.
        skip_prompt: whether to leave out what is put first: of a T5 the start token alone.
        decode_kwargs: further arguments of `decode`, as skip_special_tokens=True.

    >>> from tokenlab import data
    >>> from tokenlab.tiktoken.own_files import encoding_of
    >>> encoding = encoding_of(data.FOLDER / "small.tiktoken")
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
        """Take ids, and show what of their text is ready.

        Raises:
            ValueError: the ids of several texts.
        """
        ids = _of_one_text(type(self).__name__, value)
        is_prompt, self.next_tokens_are_prompt = self.next_tokens_are_prompt, False
        if not (self.skip_prompt and is_prompt):
            self.on_finalized_text(self._more(ids))

    def end(self) -> None:
        """Show what is left."""
        self.next_tokens_are_prompt = True
        self.on_finalized_text(self._rest(), stream_end=True)

    def on_finalized_text(self, text: str, stream_end: bool = False) -> None:
        """Print a text that is ready, and a line end at last; what a subclass overrides."""
        print(text, flush=True, end="\n" if stream_end else "")

    def _more(self, ids: list[int]) -> str:
        self.token_cache += ids
        text = self._text()
        line_ends = text.endswith("\n")
        shows_all = line_ends or (text != "" and _is_chinese(text[-1]))
        ready = text[self.print_len : len(text) if shows_all else text.rfind(" ") + 1]
        self.print_len += len(ready)
        if line_ends:
            self.token_cache, self.print_len = [], 0
        return ready

    def _rest(self) -> str:
        rest = self._text()[self.print_len :]
        self.token_cache, self.print_len = [], 0
        return rest

    def _text(self) -> str:
        return str(self.tokenizer.decode(self.token_cache, **self.decode_kwargs)) if self.token_cache else ""


class SteadyStreamer(TextStreamer):
    """Prints each character as soon as it is certain; all that it prints is the text of all ids.

    Args:
        tokenizer: that of the model; any with a `decode`.
        skip_prompt: whether to leave out what is put first.
        decode_kwargs: further arguments of `decode`.

    >>> class Bytes:
    ...     def decode(self, ids):
    ...         return bytes(ids).decode(errors="replace")
    >>> shown, streamer = [], SteadyStreamer(Bytes())
    >>> streamer.on_finalized_text = lambda text, stream_end=False: shown.append(text)
    >>> for byte in "née".encode():
    ...     streamer.put([byte])
    >>> shown
    ['n', '', 'é', 'e']
    """

    def __init__(self, tokenizer: Any, skip_prompt: bool = False, **decode_kwargs: Any) -> None:
        super().__init__(tokenizer, skip_prompt, **decode_kwargs)
        self.detokenizer = Detokenizer(tokenizer, **decode_kwargs)

    def _more(self, ids: list[int]) -> str:
        return self.detokenizer.put(ids)

    def _rest(self) -> str:
        return self.detokenizer.end()


class TextIteratorStreamer(TextStreamer):
    """Hands a text on, word by word, to a `for` loop in another thread than that of `generate`.

    Args:
        tokenizer: that of the model; any with a `decode`.
        skip_prompt: whether to leave out what is put first.
        timeout: seconds after which the loop stops waiting with queue.Empty, as when `generate` has failed; None waits
            for ever.
        decode_kwargs: further arguments of `decode`.

    >>> from threading import Thread
    >>> from tokenlab import data
    >>> from tokenlab.transformers import T5ForConditionalGeneration, T5Tokenizer
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
        """Put a text that is ready into the queue, and at last the signal that stops the loop."""
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


class SteadyIteratorStreamer(TextIteratorStreamer, SteadyStreamer):
    """Hands each character on as soon as it is certain.

    >>> class Bytes:
    ...     def decode(self, ids):
    ...         return bytes(ids).decode(errors="replace")
    >>> streamer = SteadyIteratorStreamer(Bytes())
    >>> for byte in "née".encode():
    ...     streamer.put([byte])
    >>> streamer.end()
    >>> list(streamer)
    ['n', '', 'é', 'e', '']
    """


def _of_one_text(streamer: str, value: Any) -> list[int]:
    shape = tuple(getattr(value, "shape", (len(value),)))
    if len(shape) > 2 or (len(shape) == 2 and shape[0] != 1):
        raise ValueError(f"{streamer} shows one text, and is given ids of the shape {shape}; generate one alone")
    value = value[0] if len(shape) == 2 else value
    return list(value.tolist() if hasattr(value, "tolist") else value)


def _is_chinese(character: str) -> bool:
    return any(first <= ord(character) <= last for first, last in CHINESE)
