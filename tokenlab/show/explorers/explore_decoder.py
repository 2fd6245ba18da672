"""Explorer of a decoder-only model: an own prompt, temperature and filters, and the distribution of each next token."""

from __future__ import annotations

from typing import Any

from tokenlab.show.explorers.controls import FloatSlider, IntSlider, TextBox
from tokenlab.show.explorers.explorer import Explorer
from tokenlab.show.explorers.typed_text import LONGEST_TYPED, check_characters, check_length
from tokenlab.steps.recording import Recording

MAX_NEW = 30  # tokens that are generated at every key press


def explore_decoder(
    prompt: str,
    model: Any,
    tokenizer: Any,
    seed: int = 0,
    temperature: float = 1.0,
    top_k: int = 0,
    top_p: float = 1.0,
    min_p: float = 0.0,
) -> Explorer:
    """Explore how a decoder-only model continues a prompt.

    Args:
        prompt: the first text of the box.
        model: a `Decoder` of `tokenlab.minimal.decoder`.
        tokenizer: its tokenizer, with the special token `<|endoftext|>`.
        seed: the first seed of the draws.
        temperature: the first value of its slider; 0 takes the most probable token.
        top_k: the first value of its slider; 0 keeps every token.
        top_p: the first value of its slider.
        min_p: the first value of its slider.
    """
    from tokenlab.traces.generation.trace_decoder import trace_decoder

    def record(prompt: str, seed: int, top_k: int, **settings: float) -> Recording[Any, Any]:
        if any("\ud800" <= character <= "\udfff" for character in prompt):
            raise ValueError("prompt has half of a surrogate pair, which is no character; type whole characters")
        check_length("prompt", tokenizer.encode_ordinary(check_characters(prompt, LONGEST_TYPED, "record", "prompt")))
        rounded = {name: round(value, 2) for name, value in settings.items()}
        return trace_decoder.record(model, tokenizer, prompt, seed, top_k=top_k, max_new=MAX_NEW, **rounded)

    return Explorer(
        record,
        opened=-1,
        prompt=TextBox("prompt", prompt),
        seed=IntSlider("seed", seed, 0, max(99, seed)),
        temperature=FloatSlider("temperature", temperature, 0.0, max(2.0, temperature), 0.1),
        top_k=IntSlider("top_k", top_k, 0, max(50, top_k)),
        top_p=FloatSlider("top_p", top_p, 0.05, 1.0, 0.05),
        min_p=FloatSlider("min_p", min_p, 0.0, 1.0, 0.05),
    )
