"""What tests of `tokenlab.libraries.sentencepiece` share: models trained by the library, both processors, and texts."""

from __future__ import annotations

import functools
import io
from collections.abc import Callable
from typing import Any, NamedTuple

import sentencepiece
from hypothesis import strategies as st
from sentencepiece import sentencepiece_model_pb2

from tests.strategies import SNIPPETS, texts
from tokenlab import data
from tokenlab.libraries import sentencepiece as ours

sentencepiece.set_min_log_level(3)
messages: Any = sentencepiece_model_pb2
LINES = [*data.text("mixed").splitlines(), *data.text("english").splitlines()[:150], *SNIPPETS[:40]]
SYMBOLS = ["<sep>", "<se", "the t", "ab", "é", "日本"]
OTHER: dict[str, dict[str, Any]] = {
    "plain": {},
    "bytes": {"byte_fallback": True, "vocab_size": 800, "character_coverage": 0.98},
    "symbols": {"user_defined_symbols": SYMBOLS, "control_symbols": ["<mask>"], "unk_surface": "??"},
    "identity": {
        "normalization_rule_name": "identity",
        "add_dummy_prefix": False,
        "remove_extra_whitespaces": False,
        "pad_id": 3,
        "bos_id": -1,
    },
    "suffix": {"treat_whitespace_as_suffix": True, "normalization_rule_name": "nfkc"},
    "across": {
        "split_by_whitespace": False,
        "allow_whitespace_only_pieces": True,
        "normalization_rule_name": "nfkc_cf",
    },
    "folded": {"normalization_rule_name": "nmt_nfkc_cf", "remove_extra_whitespaces": False},
}
TYPES = ("unigram", "bpe", "word", "char")
KINDS = [(model_type, other) for model_type in TYPES for other in OTHER]


def train(side: Any, lines: Any = None, **options: Any) -> bytes:
    """The bytes of a model that one of the two libraries trains."""
    model = io.BytesIO()
    lines = iter(LINES if lines is None else lines)
    side.SentencePieceTrainer.train(sentence_iterator=lines, model_writer=model, **options)
    return model.getvalue()


@functools.cache
def trained(model_type: str, other: str) -> bytes:
    options = {"vocab_size": 500, "hard_vocab_limit": False, "model_type": model_type, **OTHER[other]}
    return train(sentencepiece, **options)


class Pair(NamedTuple):
    ours: Any
    live: Any

    def same(self, method: str, *args: Any, **kwargs: Any) -> Any:
        """Call a method of both and compare; what came of it."""
        mine, theirs = (plain(outcome(getattr(side, method), *args, **kwargs)) for side in self)
        assert mine == theirs, (method, args, kwargs)
        return mine


@functools.cache
def pair(model_type: str, other: str) -> Pair:
    return of(trained(model_type, other))


def of(model: bytes) -> Pair:
    return Pair(ours.SentencePieceProcessor(model_proto=model), sentencepiece.SentencePieceProcessor(model_proto=model))


def outcome(call: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """What comes of a call: the result, or the type of the exception."""
    try:
        return call(*args, **kwargs)
    except Exception as error:
        return type(error)


def plain(result: Any) -> Any:
    if hasattr(result, "SerializeToString"):
        return result.SerializeToString()
    if hasattr(result, "dtype"):
        return result.dtype, result.flags.writeable, result.tolist()
    return [plain(one) for one in result] if isinstance(result, list) else result


hostile = st.lists(
    texts(surrogates=False, max_snippets=4)
    | st.sampled_from(["▁", "▁▁", " ", "  ", "the the", "aaaa", "abab", "\x1c", "　", *SYMBOLS])
    | st.sampled_from([line[:60] for line in LINES if line]),
    max_size=5,
).map(lambda parts: "".join(parts)[:400])
