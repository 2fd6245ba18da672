"""OpenAI's encodings: for each one a rank file, a pattern and special tokens.

Source: tiktoken 0.14, tiktoken_ext/openai_public.py.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from tokenlab.algorithms.text.pre_tokenizers import PreTokenizer, split_cl100k, split_o200k, split_r50k
from tokenlab.libraries.tiktoken.load import SHA256, data_gym_to_mergeable_bpe_ranks, load_tiktoken_bpe

HOST = "https://openaipublic.blob.core.windows.net"
ENDOFTEXT, ENDOFPROMPT = "<|endoftext|>", "<|endofprompt|>"
FIM_TOKENS = ("<|fim_prefix|>", "<|fim_middle|>", "<|fim_suffix|>")  # for fill-in-the-middle prompts

# GPT-2's two files; transformers publishes the same ones as merges.txt and vocab.json.
VOCAB_BPE_SHA256 = "1ce1664773c50f3e0cc8842619a93edc4624525b728b188a9e0be33b7726adc5"
ENCODER_JSON_SHA256 = "196139668be63f3b5d6574427317ae82f612a97c5d1cdaf36ed2256dbf636783"


def gpt2() -> dict[str, Any]:
    """Return the arguments of `Encoding` for GPT-2, whose ranks follow from its list of merges."""
    ranks = data_gym_to_mergeable_bpe_ranks(
        vocab_bpe_file=f"{HOST}/gpt-2/encodings/main/vocab.bpe",
        encoder_json_file=f"{HOST}/gpt-2/encodings/main/encoder.json",
        vocab_bpe_hash=VOCAB_BPE_SHA256,
        encoder_json_hash=ENCODER_JSON_SHA256,
    )
    return {
        "name": "gpt2",
        "explicit_n_vocab": 50257,
        "pat_str": split_r50k.pattern,
        "mergeable_ranks": ranks,
        "special_tokens": {ENDOFTEXT: 50256},
    }


class EncodingSpec(NamedTuple):
    """An encoding whose ranks are in a `.tiktoken` file."""

    name: str
    file: str
    splitter: PreTokenizer
    special_tokens: Mapping[str, int]
    explicit_n_vocab: int | None = None

    def arguments(self) -> dict[str, Any]:
        """Return the arguments of `Encoding`."""
        ranks = load_tiktoken_bpe(f"{HOST}/encodings/{self.file}.tiktoken", expected_hash=SHA256[self.file])
        optional = {"explicit_n_vocab": self.explicit_n_vocab} if self.explicit_n_vocab else {}
        return optional | {
            "name": self.name,
            "pat_str": self.splitter.pattern,
            "mergeable_ranks": ranks,
            "special_tokens": dict(self.special_tokens),
        }


P50K_EDIT_SPECIAL = {ENDOFTEXT: 50256, **dict(zip(FIM_TOKENS, range(50281, 50284), strict=True))}
# cl100k_base has gaps: the ids 100256 and 100261 to 100275 are unused.
CL100K_SPECIAL = {ENDOFTEXT: 100257, **dict(zip(FIM_TOKENS, range(100258, 100261), strict=True)), ENDOFPROMPT: 100276}
O200K_SPECIAL = {ENDOFTEXT: 199999, ENDOFPROMPT: 200018}

# The tokens of OpenAI's chat format "harmony"; unassigned ids are reserved, and 200018 has two names.
HARMONY = {
    "<|startoftext|>": 199998,
    "<|return|>": 200002,
    "<|constrain|>": 200003,
    "<|channel|>": 200005,
    "<|start|>": 200006,
    "<|end|>": 200007,
    "<|message|>": 200008,
    "<|call|>": 200012,
}
RESERVED = sorted({*range(200000, 201088)} - {*HARMONY.values()})
HARMONY_SPECIAL = O200K_SPECIAL | HARMONY | {f"<|reserved_{id}|>": id for id in RESERVED}

ENCODING_SPECS = (
    EncodingSpec("r50k_base", "r50k_base", split_r50k, {ENDOFTEXT: 50256}, 50257),
    EncodingSpec("p50k_base", "p50k_base", split_r50k, {ENDOFTEXT: 50256}, 50281),
    EncodingSpec("p50k_edit", "p50k_base", split_r50k, P50K_EDIT_SPECIAL),
    EncodingSpec("cl100k_base", "cl100k_base", split_cl100k, CL100K_SPECIAL),
    EncodingSpec("o200k_base", "o200k_base", split_o200k, O200K_SPECIAL),
    EncodingSpec("o200k_harmony", "o200k_base", split_o200k, HARMONY_SPECIAL),
)

ENCODING_CONSTRUCTORS: dict[str, Callable[[], dict[str, Any]]] = {
    "gpt2": gpt2,
    **{spec.name: spec.arguments for spec in ENCODING_SPECS},
}
