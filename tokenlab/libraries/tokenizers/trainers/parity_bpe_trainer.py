"""ParityBpeTrainer: BPE for several languages, which compresses them about equally.

Leaves out: the algorithm (`tokenlab.libraries.tokenizers.trainers.train_parity_bpe`).
Source: tokenizers 0.23.3, models/bpe/parity_trainer.rs and bindings/python/src/trainers.rs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from tokenlab.libraries.tokenizers.added_vocabulary import AddedToken
from tokenlab.libraries.tokenizers.components.arguments import (
    Setting,
    check_bool,
    check_number,
    check_sequence,
    check_text,
    check_unsigned,
    optional,
)
from tokenlab.libraries.tokenizers.components.component import representation
from tokenlab.libraries.tokenizers.trainers.model_trainers import BpeTrainer
from tokenlab.libraries.tokenizers.trainers.train_parity_bpe import train_parity
from tokenlab.libraries.tokenizers.trainers.trainer import Progress, texts_of

if TYPE_CHECKING:
    from tokenlab.libraries.tokenizers.tokenizer import Tokenizer

SETTINGS = (  # the attributes, in the order in which they are checked and pickled
    *("num_merges", "_variant", "min_frequency", "global_merges", "window_size", "alpha", "total_symbols"),
    *("show_progress", "_ratio", "special_tokens", "limit_alphabet", "initial_alphabet", "continuing_subword_prefix"),
    *("end_of_word_suffix", "max_token_length"),
)
SHOWN = ("num_merges", "variant", "min_frequency", "global_merges", "window_size", "alpha", "total_symbols")


def _check_numbers(name: str, value: Any) -> list[float]:
    return [check_number(f"an item of {name}", number) for number in check_sequence(name, value, "of numbers")]


def _check_variant(name: str, value: Any) -> str:
    if check_text("variant", value) not in ("base", "window"):
        raise ValueError(f"Unknown variant {value!r}. Use 'base' or 'window'.")
    return str(value)


class ParityBpeTrainer:
    """A trainer of BPE on one corpus per language; before each merge, it chooses the language that needs it most.

    Args:
        variant: "base", or "window", in which no language is chosen too often.
        ratio: the wanted compression rate of each language; `dev_iterators` take precedence.

    The other arguments are the attributes of the same names.

    Raises:
        TypeError, OverflowError: an argument has a wrong type, or a number does not fit.
        ValueError: the variant is unknown, or an item of initial_alphabet is not one character.

    >>> ParityBpeTrainer(num_merges=10, alpha=1.5)
    ParityBpeTrainer(num_merges=10, variant="base", min_frequency=0, global_merges=0, window_size=100, alpha=1.5, \
total_symbols=false)
    """

    num_merges = Setting(check_unsigned, "The number of merges.")
    min_frequency = Setting(check_unsigned, "The frequency that a pair must have to be merged.")
    global_merges = Setting(check_unsigned, "The number of initial merges that are chosen for all languages together.")
    window_size = Setting(check_unsigned, 'The number of recent choices that the variant "window" looks at.')
    alpha = Setting(check_number, "A language may have `alpha` times its equal share of the recent choices.")
    total_symbols = Setting(check_bool, "Whether the characters count as merges.")
    show_progress, special_tokens = BpeTrainer.show_progress, BpeTrainer.special_tokens
    limit_alphabet, initial_alphabet = BpeTrainer.limit_alphabet, BpeTrainer.initial_alphabet
    continuing_subword_prefix = BpeTrainer.continuing_subword_prefix
    end_of_word_suffix = BpeTrainer.end_of_word_suffix
    max_token_length = BpeTrainer.max_token_length
    _variant = Setting(_check_variant, "The way of choosing a language.")
    _ratio = Setting(optional(_check_numbers), "The wanted compression rate of each language, or None.")

    def __init__(
        self,
        num_merges: int = 32000,
        variant: str = "base",
        min_frequency: int = 0,
        ratio: Sequence[float] | None = None,
        global_merges: int = 0,
        window_size: int = 100,
        alpha: float = 2.0,
        total_symbols: bool = False,
        special_tokens: list[str | AddedToken] | None = None,
        show_progress: bool = True,
        limit_alphabet: int | None = None,
        initial_alphabet: Sequence[str] | None = None,
        continuing_subword_prefix: str | None = None,
        end_of_word_suffix: str | None = None,
        max_token_length: int | None = None,
    ) -> None:
        special_tokens = [] if special_tokens is None else special_tokens
        initial_alphabet = [] if initial_alphabet is None else initial_alphabet
        settings = locals()
        for name in SETTINGS:
            setattr(self, name, settings[name.lstrip("_")])

    def __setattr__(self, name: str, value: Any) -> None:
        if not hasattr(type(self), name):
            raise AttributeError(f"ParityBpeTrainer has no attribute {name!r}; its settings are in its signature")
        object.__setattr__(self, name, value)

    @property
    def variant(self) -> str:
        """The way of choosing a language: "base" or "window". It cannot be changed."""
        return self._variant

    def train_from_iterator(
        self,
        tokenizer: Tokenizer,
        train_iterators: Sequence[Iterable[Any]],
        dev_iterators: Sequence[Iterable[Any]] | None = None,
        ratio: Sequence[float] | None = None,
    ) -> None:
        """Replace the model of a tokenizer by a BPE model that is trained on one corpus per language.

        Args:
            tokenizer: its normalizer and pre-tokenizer are used.
            train_iterators: for each language, texts or lists of texts.
            dev_iterators: for each language, texts whose length chooses the language; ideally translations.
            ratio: the wanted compression rate of each language, instead of the trainer's `ratio`.

        Raises:
            TypeError: an item is neither a str nor a list of str.
            ValueError: there is no language, or the numbers of languages differ.
            RuntimeError: a setting is not valid for training.
        """
        from tokenlab.libraries.tokenizers.models.bpe import BPE
        from tokenlab.libraries.tokenizers.tokenizer import Tokenizer

        if not isinstance(tokenizer, Tokenizer):
            raise TypeError(f"tokenizer={tokenizer!r:.60} should be a Tokenizer, not {type(tokenizer).__name__}")
        train = _sequence("train_iterators", train_iterators)
        dev = [] if dev_iterators is None else _sequence("dev_iterators", dev_iterators)
        if not train:
            raise ValueError("train_iterators must not be empty; give one iterator per language")
        if dev_iterators is not None and len(dev) != len(train):
            raise ValueError(f"dev_iterators length ({len(dev)}) must match train_iterators length ({len(train)})")
        rates = self._ratio if ratio is None else _check_numbers("ratio", ratio)
        process = tokenizer._pipeline().word_texts
        counts = [
            [Counter(word for text in texts_of(iterator) for word in process(text)) for iterator in iterators]
            for iterators in (train, dev)
        ]
        try:
            with Progress(self.show_progress).stage("Compute merges", self.num_merges) as done:
                symbols, merges = train_parity(
                    counts[0],
                    self.num_merges,
                    dev=counts[1],
                    ratio=None if dev else rates,
                    window=self.window_size if self.variant == "window" else None,
                    alpha=self.alpha,
                    min_frequency=self.min_frequency,
                    global_merges=self.global_merges,
                    total_symbols=self.total_symbols,
                    special_tokens=[token.content for token in self.special_tokens],
                    initial_alphabet=self.initial_alphabet,
                    limit_alphabet=self.limit_alphabet,
                    prefix=self.continuing_subword_prefix or "",
                    suffix=self.end_of_word_suffix or "",
                    max_token_length=self.max_token_length,
                    on_merge=done,
                )
        except ValueError as error:
            raise RuntimeError(f"Training error: {error}") from None
        model = BPE(
            continuing_subword_prefix=self.continuing_subword_prefix, end_of_word_suffix=self.end_of_word_suffix
        )
        model.replace_vocabulary({symbol: id for id, symbol in enumerate(symbols)}, merges)
        tokenizer.model = model
        tokenizer.add_special_tokens(list(self.special_tokens))

    def __getstate__(self) -> dict[str, Any]:
        """Return the settings, as the library pickles them: of special tokens, only the texts."""
        state = {name.lstrip("_"): getattr(self, name) for name in SETTINGS}
        return state | {"special_tokens": [token.content for token in self.special_tokens]}

    def __setstate__(self, state: dict[str, Any]) -> None:
        if not isinstance(state, dict):
            raise TypeError(f"the state of a ParityBpeTrainer should be a dict, not {type(state).__name__}")
        for name in SETTINGS:
            setattr(self, name, state[name.lstrip("_")])

    def __repr__(self) -> str:
        settings = (f"{name}={_shown(getattr(self, name))}" for name in SHOWN)
        return f"ParityBpeTrainer({', '.join(settings)})"


def _shown(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else representation(value)


def _sequence(name: str, value: Any) -> list[Any]:
    if isinstance(value, str | bytes) or not isinstance(value, Sequence):
        raise TypeError(f"{name}={value!r:.60} should be a list with one iterator per language")
    return list(value)
