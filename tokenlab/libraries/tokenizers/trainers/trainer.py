"""The base of the trainers: settings, counting words, progress bars, and how a trainer is pickled and printed.

Source: tokenizers, tokenizer/mod.rs (`Trainer`), bindings/python/src/trainers.rs.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from enum import Enum
from typing import Any, ClassVar, Self

from tokenlab.algorithms.corpus.corpus_files import count_texts
from tokenlab.libraries.tokenizers.added_vocabulary import AddedToken
from tokenlab.libraries.tokenizers.components.arguments import (
    Setting,
    check_bool,
    check_list,
    check_sequence,
    check_text,
    refuse_surrogates,
)
from tokenlab.libraries.tokenizers.components.component import (
    REPR_ITEMS,
    STR_ITEMS,
    STR_LENGTH,
    Component,
    representation,
)
from tokenlab.libraries.tokenizers.models.model import Model


class ProgressFormat(Enum):
    """How training reports its progress; the values are those of a pickled trainer."""

    indicatif = "Indicatif"
    json = "JsonLines"
    silent = "Silent"

    def __str__(self) -> str:
        return self.value


def check_special_tokens(name: str, value: Any) -> list[AddedToken]:
    """Return special tokens as `AddedToken`s; a given `AddedToken` becomes special.

    Raises:
        TypeError: the value is not a list, or an item is neither a str nor an `AddedToken`.

    >>> check_special_tokens("special_tokens", ["<s>"])[0].special
    True
    """
    tokens = []
    for token in check_list(name, value):
        if isinstance(token, AddedToken):
            token.special = True
            tokens.append(token.copy())
        elif isinstance(token, str):
            tokens.append(AddedToken(refuse_surrogates(name, token), special=True))
        else:
            raise TypeError(f"{name}: {token!r:.60} should be a str or an AddedToken, not {type(token).__name__}")
    return tokens


def check_alphabet(name: str, value: Any) -> list[str]:
    """Return a sequence of characters without repetitions; any other text in it raises a ValueError."""
    characters = check_texts(name, value)
    for character in characters:
        if len(character) != 1:
            raise ValueError(f"{name}: {character!r:.60} should be a str of length 1")
    return list(dict.fromkeys(characters))


def first_characters(name: str, value: Any) -> list[str]:
    """Return the first character of each text, without repetitions; an empty text has none.

    >>> first_characters("initial_alphabet", ["abc", "", "d"])
    ['a', 'd']
    """
    return list(dict.fromkeys(text[0] for text in check_texts(name, value) if text))


def check_texts(name: str, value: Any) -> list[str]:
    """Return a sequence of texts as a list; a str, or anything else, raises a TypeError."""
    return [check_text(f"an item of {name}", text) for text in check_sequence(name, value, "of str")]


def check_progress_format(name: str, value: Any) -> str:
    """Return "indicatif", "json" or "silent"; any other text means "indicatif"."""
    text = check_text(name, value)
    return text if text in ProgressFormat.__members__ else "indicatif"


class Progress:
    """Reports the stages of training.

    Args:
        show: whether to show bars, which also needs a terminal.
        format: "indicatif" for bars, "json" for lines of JSON (even if `show` is False), "silent" for nothing.
    """

    def __init__(self, show: bool, format: str = "indicatif") -> None:
        self.show = show and format == "indicatif"
        self.lines = format == "json"

    @contextmanager
    def stage(self, name: str, total: int) -> Iterator[Callable[[], None]]:
        """Report a stage; call the function that this yields after each of its units.

        >>> with Progress(False, "silent").stage("Compute merges", 2) as done:
        ...     done()
        """
        from tqdm import tqdm

        count = 0
        with tqdm(total=total, desc=name, disable=None if self.show else True) as bar:

            def done() -> None:
                nonlocal count
                count += 1
                bar.update()
                self._line(name, count, total)

            self._line(name, 0, total)
            yield done
        end = count or total if name != "Compute merges" else count
        self._line(name, end, end)

    def _line(self, name: str, current: int, total: int) -> None:
        if self.lines:
            line = json.dumps({"stage": name, "current": current, "total": total}, separators=(",", ":"))
            print(line, file=sys.stderr)


class Trainer(Component):
    """The base class of the trainers; it cannot be instantiated.

    `feed` counts words; `train_model` learns from the counts. `Tokenizer.train` calls both.
    """

    show_progress = Setting(check_bool, "Whether to show progress bars while training.")
    special_tokens = Setting(
        check_special_tokens,
        "The special tokens, which come first in the vocabulary.",
        show=lambda tokens: [token.copy() for token in tokens],  # changing them does not change the trainer
    )
    model_name: ClassVar[str]  # the class in tokenlab.libraries.tokenizers.models that this trains
    _fields: ClassVar[tuple[str, ...]]  # the saved settings, in the order of the library; "words" comes after them
    _is_nested: ClassVar[bool] = False  # whether they are saved as those of a "bpe_trainer"

    _closed = True
    _advice = "one of the trainers, such as BpeTrainer"

    def _start(self, arguments: dict[str, Any]) -> None:
        """Set the settings, given the local variables of `__init__`; print the unknown ones, which are not refused."""
        for name in arguments["unknown"]:
            print(f"Ignored unknown kwargs option {name}")
        fields = {name.removeprefix("_"): name for name in self._fields}
        for name in [name for name in arguments if name in fields]:
            setattr(self, fields[name], arguments[name])
        self._words: Counter[str] = Counter()

    def feed(self, iterator: Iterable[str], process: Callable[[str], list[str]]) -> None:
        """Count the words of all sequences; this replaces earlier counts.

        Args:
            iterator: the sequences; those of `CorpusFiles` are split and counted by its executor.
            process: splits a sequence into words.

        >>> from tokenlab.libraries.tokenizers.trainers.model_trainers import BpeTrainer
        >>> trainer = BpeTrainer()
        >>> trainer.feed(["a b", "a"], str.split)
        >>> trainer.get_word_count()
        2
        """
        self._words = count_texts(iterator, process)

    def train_model(self, model: Model) -> list[AddedToken]:
        """Replace the vocabulary of a model by one learned from the counted words; return the special tokens.

        Raises:
            ValueError: the model is of another kind.
        """
        if not any(kind.__name__ == self.model_name for kind in type(model).__mro__):
            given = type(model).__name__
            raise ValueError(f"{type(self).__name__} can only train a {self.model_name}, not a {given}")
        self._train(model)
        return self.special_tokens

    def _train(self, model: Any) -> None:
        raise NotImplementedError

    def to_json(self) -> dict[str, Any]:
        """Return the settings and the counted words, as the library pickles them."""
        fields = {name.removeprefix("_"): getattr(self, name) for name in self._fields}
        fields["special_tokens"] = [token.to_json() for token in self.special_tokens]
        if "progress_format" in fields:
            fields["progress_format"] = ProgressFormat[fields["progress_format"]].value
        fields["words"] = dict(self._words)
        return {type(self).__name__: {"bpe_trainer": fields} if self._is_nested else fields}

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> Self:
        """Return the trainer with these settings and words; a missing or wrong one raises a ValueError."""
        trainer = cls.__new__(cls)
        try:
            values = fields[cls.__name__]["bpe_trainer"] if cls._is_nested else fields[cls.__name__]
            trainer._words = Counter(values["words"])
            for name in cls._fields:
                field = name.removeprefix("_")
                setattr(trainer, name, _from_json(field, values[field]))
        except (KeyError, TypeError, OverflowError) as error:
            raise ValueError(f"the state of a {cls.__name__} is not valid: {type(error).__name__}: {error}") from None
        return trainer

    def __setstate__(self, state: bytes) -> None:
        if not isinstance(state, bytes):
            raise TypeError(f"the state of a trainer should be bytes, not {type(state).__name__}")
        try:
            fields = json.loads(state)
        except ValueError as error:
            raise ValueError(f"the state of a trainer should be JSON: {error}") from None
        vars(self).update(vars(self.from_json(fields)))

    def _shown(self) -> dict[str, Any]:
        (fields,) = self.to_json().values()
        return {"type": type(self).__name__, **_for_repr(fields)}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({representation(self._shown(), REPR_ITEMS)})"

    def __str__(self) -> str:
        return f"{type(self).__name__}({representation(self._shown(), STR_ITEMS, STR_LENGTH)})"


def texts_of(iterator: Iterable[Any]) -> Iterator[str]:
    """Yield the texts of an iterator of texts and of lists of texts.

    Raises:
        TypeError: an item is neither a str nor a list of str.
        UnicodeEncodeError: a text has a lone surrogate.

    >>> list(texts_of(["a", ["b", "c"]]))
    ['a', 'b', 'c']
    """
    for item in iterator:
        for text in [item] if isinstance(item, str) else item:
            yield check_text("a text of an iterator", text)


def _from_json(name: str, value: Any) -> Any:
    if name == "special_tokens":
        return [AddedToken(**token) for token in value]
    return ProgressFormat(value).name if name == "progress_format" else value


def _for_repr(fields: dict[str, Any]) -> dict[str, Any]:
    shown = dict(fields)
    if "bpe_trainer" in fields:
        return {"bpe_trainer": {"type": "BpeTrainer", **_for_repr(fields["bpe_trainer"])}}
    shown["special_tokens"] = [{"type": "AddedToken", **token} for token in fields["special_tokens"]]
    if "progress_format" in fields:
        shown["progress_format"] = ProgressFormat(fields["progress_format"])
    return shown
