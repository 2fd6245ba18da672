"""What each of OpenAI's encodings consists of: a file of ranks, a pattern, special tokens.

Source: tiktoken 0.14, tiktoken_ext/openai_public.py.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tokenlab.algorithms.split import Splitter, split_cl100k, split_o200k, split_r50k
from tokenlab.tiktoken.load import data_gym_to_mergeable_bpe_ranks, load_tiktoken_bpe

HOST = "https://openaipublic.blob.core.windows.net"
ENDOFTEXT, ENDOFPROMPT = "<|endoftext|>", "<|endofprompt|>"
FIM = ("<|fim_prefix|>", "<|fim_middle|>", "<|fim_suffix|>")  # to fill in the middle of a text

SHA256 = {
    "r50k_base": "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930",
    "p50k_base": "94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069",
    "cl100k_base": "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    "o200k_base": "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
}


def gpt2() -> dict[str, Any]:
    """GPT-2's own files: the ranks follow from the list of merges."""
    ranks = data_gym_to_mergeable_bpe_ranks(
        vocab_bpe_file=f"{HOST}/gpt-2/encodings/main/vocab.bpe",
        encoder_json_file=f"{HOST}/gpt-2/encodings/main/encoder.json",
        vocab_bpe_hash="1ce1664773c50f3e0cc8842619a93edc4624525b728b188a9e0be33b7726adc5",
        encoder_json_hash="196139668be63f3b5d6574427317ae82f612a97c5d1cdaf36ed2256dbf636783",
    )
    return {
        "name": "gpt2",
        "explicit_n_vocab": 50257,
        "pat_str": split_r50k.pattern,
        "mergeable_ranks": ranks,
        "special_tokens": {ENDOFTEXT: 50256},
    }


@dataclass(frozen=True)
class Recipe:
    """An encoding whose ranks are in a `.tiktoken` file."""

    name: str
    file: str
    splitter: Splitter
    special_tokens: Mapping[str, int]
    explicit_n_vocab: int | None = None

    def __call__(self) -> dict[str, Any]:
        """The arguments of `Encoding`."""
        ranks = load_tiktoken_bpe(f"{HOST}/encodings/{self.file}.tiktoken", expected_hash=SHA256[self.file])
        checked = {"explicit_n_vocab": self.explicit_n_vocab} if self.explicit_n_vocab else {}
        return checked | {
            "name": self.name,
            "pat_str": self.splitter.pattern,
            "mergeable_ranks": ranks,
            "special_tokens": dict(self.special_tokens),
        }


# GPT-4's file has a hole: 100256 is nobody's id, and so are 100261 to 100275.
CL100K_SPECIAL = {ENDOFTEXT: 100257, **dict(zip(FIM, range(100258, 100261), strict=True)), ENDOFPROMPT: 100276}
O200K_SPECIAL = {ENDOFTEXT: 199999, ENDOFPROMPT: 200018}

# The tokens of OpenAI's chat format "harmony"; what has no purpose yet is reserved, and 200018 has two spellings.
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
RESERVED = [id for id in range(200000, 201088) if id not in HARMONY.values()]
HARMONY_SPECIAL = O200K_SPECIAL | HARMONY | {f"<|reserved_{id}|>": id for id in RESERVED}

RECIPES = (
    Recipe("r50k_base", "r50k_base", split_r50k, {ENDOFTEXT: 50256}, 50257),
    Recipe("p50k_base", "p50k_base", split_r50k, {ENDOFTEXT: 50256}, 50281),
    Recipe(
        "p50k_edit", "p50k_base", split_r50k, {ENDOFTEXT: 50256, **dict(zip(FIM, range(50281, 50284), strict=True))}
    ),
    Recipe("cl100k_base", "cl100k_base", split_cl100k, CL100K_SPECIAL),
    Recipe("o200k_base", "o200k_base", split_o200k, O200K_SPECIAL),
    Recipe("o200k_harmony", "o200k_base", split_o200k, HARMONY_SPECIAL),
)

ENCODING_CONSTRUCTORS: dict[str, Callable[[], dict[str, Any]]] = {
    "gpt2": gpt2,
    **{recipe.name: recipe for recipe in RECIPES},
}
