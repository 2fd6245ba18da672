"""Makes the tiny decoder-only model: `make decoder-tiny`, about 40 minutes on two cores.

`stories.py` writes short stories, from which a byte-level BPE vocabulary is learned, then the model of
`tokenlab/minimal/decoder.py`. In the end it writes stories of its own, which `stories.py` checks; how many of them hold
is written to its card, README.md. Everything is written at the end, so an interrupted run changes no file.
"""

from __future__ import annotations

import base64
import math
import os
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

import torch
from torch import Tensor
from tqdm import tqdm

from tokenlab import data
from tokenlab.algorithms.bpe.train_indexed import train_indexed
from tokenlab.algorithms.text.byte_symbols import GPT2_ORDER
from tokenlab.algorithms.text.count_words import count_words
from tokenlab.minimal.decoder import SMALL, Decoder, train
from tokenlab.minimal.gpt2_tokenizer import Tokenizer, load
from tokenlab.storage import files

FOLDER = Path(__file__).resolve().parent
UNFINISHED = FOLDER.parents[1] / "build" / "decoder-tiny"
END = "<|endoftext|>"


class Plan(NamedTuple):
    """All that decides what comes out."""

    seed: int = 24
    stories: int = 120_000  # to learn from
    held_out: int = 500
    samples: int = 500  # written by the model, in the end
    stored: int = 200  # of the samples
    temperature: float = 0.7
    tokens: int = 3_000  # in the vocabulary, with the end of a story
    deviation: float = 0.1  # of the initial weights
    steps: int = 15_500
    rows: int = 8  # windows in a batch
    width: int = 192  # tokens in a window
    emphasized: int = 4_000  # steps in which tokens that refer to earlier ones count much more
    emphasis: float = 6.0  # how much more
    later_emphasis: float = 2.0  # in the steps after these, but for the last
    plain: int = 8_000  # steps in the end in which every token counts the same, so that the model is not too sure
    rare: float = 0.004  # the largest share of a rare token among all tokens
    averaged: int = 500  # steps over which the stored weights are an average


class Story(NamedTuple):
    """A story of the model, and what the checker says of it."""

    text: str
    ended: bool  # before the limit

    @property
    def grammatical(self) -> bool:
        """Whether it came to an end, and every sentence is one of the grammar's."""
        return self.ended and bool(data.stories().grammatical(self.text))

    @property
    def consistent(self) -> bool:
        """Whether it came to an end, and no sentence contradicts an earlier one."""
        return self.ended and not data.stories().consistent(self.text)


# ---- What there is to learn ----


def written(plan: Plan) -> tuple[list[str], list[str]]:
    """Return the stories for training, and others that are held out."""
    random, held_out = Random(plan.seed), dict[str, None]()
    while len(held_out) < plan.held_out:
        held_out[data.stories().story(random)] = None
    drawn = (data.stories().story(random) for _ in tqdm(range(plan.stories), "stories", unit="story"))
    return [story for story in drawn if story not in held_out], [*held_out]


def vocabulary(stories: Iterable[str], tokens: int) -> list[str]:
    """Return the lines of a `.tiktoken` file; the end of a story is one more token, without a line."""
    alphabet = [bytes([byte]) for byte in GPT2_ORDER]
    counts = count_words(stories, split="gpt2", symbols="bytes")
    merges = train_indexed(counts, tokens - 1, tie_break="lowest_id", initial_alphabet=alphabet)
    all_ = [*alphabet, *(left + right for left, right in merges)]
    return [f"{base64.b64encode(token).decode()} {rank}\n" for rank, token in enumerate(all_)]


def tokenizer(folder: Path) -> Tokenizer:
    """Return the tokenizer of a folder."""
    ranks = load(folder / "vocabulary.tiktoken")
    return Tokenizer(ranks, {END: len(ranks)})


def encoded(stories: Iterable[str], tokenizer: Tokenizer) -> list[list[int]]:
    """Return the ids of each story, after the end of the one before; each pre-token is encoded once."""
    known: dict[str, list[int]] = {}
    rows = []
    for story in stories:
        rows.append([tokenizer.special[END]])
        for piece in tokenizer.pattern.findall(story):
            rows[-1] += known.get(piece) or known.setdefault(piece, tokenizer.encode_ordinary(piece))
    return rows


def windows(rows: Sequence[Sequence[int]], width: int) -> Tensor:
    """Return a window (width + 1 ids) of each story: it begins before the story, and goes on with the next ones.

    >>> windows([[9, 1, 2], [9, 3], [9, 4, 5, 6]], 3).tolist()
    [[9, 1, 2, 9], [9, 3, 9, 4], [9, 4, 5, 6]]
    """
    joined = torch.tensor([id for row in rows for id in row])
    starts = torch.tensor([0, *(len(row) for row in rows[:-1])]).cumsum(0)
    return joined.unfold(0, width + 1, 1)[starts[starts + width < len(joined)]]


class Emphasizing(Decoder):
    """A decoder in whose loss tokens that refer to earlier ones may count more than others.

    These are the pronouns, and rare tokens that the text has had before, such as names. For them, the model has to look
    back. It learns that from few tokens, so without the emphasis it learns it long after the grammar.
    """

    emphasis = 1.0  # how much more
    rare: Tensor  # whether each token of the vocabulary is rare: (V)
    pronouns: Tensor  # whether it is a pronoun: (V)

    def loss(self, ids: Tensor) -> Tensor:
        """Return the weighted mean loss of predicting each of the ids (B, T) but the first from all before it."""
        logits, _ = self(ids[:, :-1])
        losses = torch.nn.functional.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten(), reduction="none")
        refers = repeated(ids) & self.rare[ids] | self.pronouns[ids]
        weights = 1 + (self.emphasis - 1) * refers[:, 1:].flatten()
        return (losses * weights).sum() / weights.sum()


def repeated(ids: Tensor) -> Tensor:
    """Return whether each of the ids (B, T) has occurred before in its row.

    >>> repeated(torch.tensor([[3, 5, 3, 3]])).tolist()
    [[False, False, True, True]]
    """
    return (ids[:, :, None] == ids[:, None, :]).tril(-1).any(-1)


# ---- What was learned ----


@torch.no_grad()
def nats_per_byte(model: Decoder, rows: Sequence[Sequence[int]], texts: Sequence[str]) -> float:
    """Return the loss of whole stories, each with its end, over the number of their bytes."""
    end = rows[0][0]
    losses = [model.loss(torch.tensor([[*row, end]])) * len(row) for row in rows]
    return math.fsum(map(float, losses)) / sum(len(text.encode()) for text in texts)


def samples(model: Decoder, tokenizer: Tokenizer, plan: Plan) -> list[Story]:
    """Return stories that the model writes after the end of another, a hundred at a time."""
    torch.manual_seed(plan.seed)
    found, end = [], tokenizer.special[END]
    for first in tqdm(range(0, plan.samples, 100), "samples", unit="batch"):
        prompts = [[end]] * min(100, plan.samples - first)
        for ids in model.generate(prompts, 2 * plan.width, end, temperature=plan.temperature):
            found.append(Story(tokenizer.decode(ids[:-1]) if ids[-1] == end else tokenizer.decode(ids), ids[-1] == end))
    return found


# ---- All of it ----


def make(plan: Plan, unfinished: Path, folder: Path) -> dict[str, float]:
    """Learn a vocabulary and a model, measure it, put all of it into the folder, and return the measurements."""
    unfinished.mkdir(parents=True, exist_ok=True)
    stories, held_out = written(plan)
    files.write_atomically(unfinished / "vocabulary.tiktoken", vocabulary(stories, plan.tokens))
    splits = tokenizer(unfinished)
    batches = windows(encoded(stories, splits), plan.width)
    config = SMALL | {"vocab_size": plan.tokens, "eos_token_id": plan.tokens - 1, "initializer_range": plan.deviation}
    model = Emphasizing.untrained(config, plan.seed)
    counts = batches.flatten().bincount(minlength=plan.tokens)
    model.emphasis, model.rare = plan.emphasis, counts < plan.rare * counts.sum()
    words = [splits.decode([id]).strip().lower() for id in range(plan.tokens)]
    model.pronouns = torch.tensor([word in data.stories().PRONOUNS for word in words])
    began, last = time.perf_counter(), 0.0
    bar = tqdm(train(model, batches, plan.steps, plan.rows, parts=1), total=plan.steps, unit="step")
    mean = {name: weight.detach().clone() for name, weight in model.weights.items()}
    for step, last in enumerate(bar, 1):
        bar.set_postfix(loss=f"{last:.3f}")
        for name, weight in model.weights.items():
            mean[name].lerp_(weight.detach(), max(1 / step, 1 / plan.averaged))  # newer steps count more
        if step == plan.emphasized:
            model.emphasis = plan.later_emphasis
        if step == plan.steps - plan.plain:
            model.emphasis = 1.0
    minutes = (time.perf_counter() - began) / 60
    Decoder(mean, config).save(unfinished, torch.float16)
    stored = Decoder.from_folder(unfinished)  # what is measured is what is stored
    told = samples(stored, splits, plan)
    known = {*stories}
    measured = {
        "parameters": sum(weight.numel() for weight in stored.weights.values()),
        "minutes": minutes,
        "loss": last,
        "nats_per_byte": nats_per_byte(stored, encoded(held_out, splits), held_out),
        "grammatical": sum(story.grammatical for story in told) / len(told),
        "consistent": sum(story.consistent for story in told) / len(told),
        "new": sum(story.text not in known for story in told) / len(told),
    }
    texts = [story.text.strip() + "\n" for story in told[: plan.stored]]
    files.write_atomically(unfinished / "samples.txt", "\n".join(texts))
    files.write_atomically(unfinished / "README.md", card(plan, measured, told))
    for file in sorted(unfinished.iterdir()):
        os.replace(file, folder / file.name)
    unfinished.rmdir()
    return measured


def card(plan: Plan, measured: dict[str, float], told: list[Story]) -> str:
    """Return the text of README.md: what this is, how it was made, and how good its stories are."""
    wrong = [words for story in told if story.ended for words in data.stories().consistent(story.text)[:1]]
    return CARD.format(
        plan=plan,
        small=SMALL,
        mistakes="\n".join(f"- {words}" for words in wrong[:10]) or "- none",
        threads=torch.get_num_threads(),
        torch=torch.__version__,
        first=told[0].text.strip().replace("\n", "\n> "),
        **measured,
    )


CARD = """# A tiny decoder-only model that writes stories

It continues short stories for children. It has the format of Llama, {parameters:,} parameters in half precision:
{small[num_hidden_layers]} layers, vectors of {small[hidden_size]} numbers, {small[num_attention_heads]} query heads
that share {small[num_key_value_heads]} key-value heads, and {plan.tokens:,} tokens (byte-level BPE; the last one ends
a story).

```python
from tokenlab import data
from tokenlab.minimal.decoder import Decoder
from tokenlab.minimal.gpt2_tokenizer import Tokenizer, load

ranks = load(data.decoder_tiny() / "vocabulary.tiktoken")
tokenizer = Tokenizer(ranks, {{"<|endoftext|>": len(ranks)}})
model = Decoder.from_folder(data.decoder_tiny())
prompt = "<|endoftext|>Once upon a time"
ids = model.generate([tokenizer.encode(prompt)], 200, end=len(ranks), temperature=0.7)
print(tokenizer.decode(ids[0]))
```

transformers 5 loads it with `LlamaForCausalLM.from_pretrained("data/decoder-tiny")` from the root of the repository.

The model was made for tokenlab and has the MIT license. `make decoder-tiny` writes everything in this folder except
`stories.py`, `words.py` and `train.py`.

## Stories

The model wrote {plan.samples} stories at temperature {plan.temperature:g}. `stories.py` reads them: a story is
grammatical if it ends and the grammar accepts each of its sentences; it is consistent if it ends and no sentence
contradicts an earlier one (something that was lost is not held a sentence later).
`python stories.py --check samples.txt` prints its verdicts on the first {plan.stored}.

| measured | value |
|---|---:|
| grammatical stories | {grammatical:.1%} |
| consistent stories | {consistent:.1%} |
| stories that are not among those for training | {new:.1%} |
| loss on {plan.held_out} other stories, in nats per byte | {nats_per_byte:.4f} |

The first of them:

> {first}

The first contradiction of some stories, at most 10:

{mistakes}

The model knows these stories and nothing else: it continues other texts with sentences of its own.

## How it was made

- {plan.stories:,} stories; the seed is {plan.seed} for the stories, the weights, the batches and the samples
- in the stories, names, things and phrases at the front of their list in `words.py` are drawn more often, as some words
  of any language are
- {plan.steps:,} steps of {plan.rows} windows of {plan.width} tokens; a window begins with a story
- pronouns, and rare tokens that the story has had before, such as names, count {plan.emphasis:g} times in the loss of
  the first {plan.emphasized:,} steps and {plan.later_emphasis:g} times in that of the others, but for the last
  {plan.plain:,}, so that the model learns early to look back for what they refer to
- initial weights with a standard deviation of {plan.deviation:g}
- AdamW with a warm-up, a cosine and clipping, as in `tokenlab/minimal/decoder.py`, in float32, without dropout
- the stored weights are an average over about the last {plan.averaged} steps, in which newer steps count more
- the last loss of a batch was {loss:.3f} nats per token
- the steps took {minutes:.1f} minutes; {threads} threads, torch {torch}
"""


if __name__ == "__main__":
    print(make(Plan(), UNFINISHED, FOLDER))
