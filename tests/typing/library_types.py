"""What the type checker knows of the libraries' interfaces: read by `mypy --strict tests/typing`, never run."""

from __future__ import annotations

from pathlib import Path
from typing import Any, assert_type

from tokenlab.libraries.sentencepiece import SentencePieceProcessor
from tokenlab.libraries.tiktoken import Encoding, get_encoding
from tokenlab.libraries.tokenizers import Encoding as TokenizersEncoding
from tokenlab.libraries.tokenizers import Tokenizer
from tokenlab.libraries.tokenizers.implementations import ByteLevelBPETokenizer
from tokenlab.libraries.tokenizers.models import Model, WordLevel
from tokenlab.libraries.tokenizers.normalizers import Normalizer
from tokenlab.libraries.transformers import T5Config, T5Tokenizer, T5TokenizerFast

processor = SentencePieceProcessor(model_file=Path("spiece.model"))
assert_type(processor.piece_to_id("a"), int)
assert_type(processor.PieceToId(["a", "b"]), list[int])
assert_type(processor["a"], int)
assert_type(processor.id_to_piece(3), str)
assert_type(processor.IdToPiece([3, 4]), list[str])
assert_type(processor.get_score(3), float)
assert_type(processor.GetScore([3]), list[float])
assert_type(processor.is_unknown(3), bool)
assert_type(processor.IsControl([3]), list[bool])
assert_type(processor.is_unused(3), bool)
assert_type(processor.is_byte([3]), list[bool])
assert_type(processor.encode("a text"), Any)  # depends on options, as in the library
assert_type(processor.vocab_size(), int)

# Wrong types are found. `warn_unused_ignores` of strict makes each comment an expectation.
processor.decode([3, 4]), processor.decode(["a", "b"]), processor.DecodeIds([[3], [4]])
processor.decode(3.5)  # type: ignore[arg-type]
processor.encode(3)  # type: ignore[arg-type]
processor.id_to_piece("a")  # type: ignore[arg-type]
processor.piece_to_id(3)  # type: ignore[call-overload]
SentencePieceProcessor(model_file=3)  # type: ignore[arg-type]

encoding = get_encoding("gpt2")
assert_type(encoding, Encoding)
assert_type(encoding.encode("a text", allowed_special="all"), list[int])
assert_type(encoding.decode([1, 2]), str)
assert_type(encoding.decode_bytes([1, 2]), bytes)
assert_type(encoding.encode_batch(["a", "b"]), list[list[int]])
assert_type(encoding.n_vocab, int)

tokenizer = Tokenizer(WordLevel({"a": 0}))
assert_type(tokenizer.decode([0]), str)
assert_type(tokenizer.encode_batch(["a", ("a", "a")]), list[TokenizersEncoding])
tokenizer.decode(0)  # type: ignore[arg-type]
tokenizer.decode_batch([0])  # type: ignore[list-item]
byte_level = ByteLevelBPETokenizer()
assert_type(byte_level.model, Model)
assert_type(byte_level.normalizer, Normalizer | None)
assert_type(byte_level.encode("a", ["b"]), TokenizersEncoding)
byte_level.encode(3)  # type: ignore[arg-type]

config = T5Config.from_pretrained("folder")
assert_type(config, T5Config)
T5Config.from_pretrained(3)  # type: ignore[arg-type]
slow, fast = T5Tokenizer("spiece.model"), T5TokenizerFast("spiece.model")
assert_type(slow.convert_tokens_to_ids("a"), int)
assert_type(fast.convert_tokens_to_ids(["a", "b"]), list[int])
assert_type(fast.convert_ids_to_tokens(3), str)
assert_type(slow.convert_ids_to_tokens([3, 4]), list[str])
assert_type(slow.encode("a text", ["a", "pair"]), list[int])
assert_type(slow.batch_decode([[3], [4]]), list[str])
slow(["a text", "another"], text_target="a text"), slow([["two", "words"]], is_split_into_words=True)
slow(3)  # type: ignore[arg-type]
slow.decode("a text")  # type: ignore[arg-type]
