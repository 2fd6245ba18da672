"""Makes the tiny T5: `make t5-tiny`. Interrupted, it goes on where it was; on several devices: `accelerate launch`.

The grammar beside it writes sentences, from which a vocabulary is learned, then the model: it fills gaps at first, then
it reads tasks and writes answers, gaps still among them. In the end it answers sentences that it has never seen, and
how many answers are right is written to its card, README.md.
"""

from __future__ import annotations

import io
import os
import re
import shutil
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from hashlib import sha256
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import torch
from accelerate import Accelerator
from tqdm import tqdm

from tokenlab import data
from tokenlab.algorithms.training_data.span_corruption import corrupt, noise_mask, reconstruct
from tokenlab.libraries.sentencepiece import SentencePieceTrainer
from tokenlab.libraries.transformers import T5Config, T5ForConditionalGeneration, T5Tokenizer
from tokenlab.libraries.transformers.models.t5.greedy_decode import greedy_decode
from tokenlab.libraries.transformers.training_loop import (
    Batch,
    Pair,
    WholeBatchLoss,
    bucketed_batches,
    learning_rates,
    load_checkpoint,
    pad_batch,
    save_checkpoint,
    train_model,
)
from tokenlab.storage import files

FOLDER = Path(__file__).resolve().parent
UNFINISHED = FOLDER.parents[1] / "build" / "t5-tiny"
grammar = data.grammar()
GAPS = "fill gaps"
SHARES = {grammar.TO_GERMAN: 6.0, grammar.TO_CHINESE: 4.0, grammar.TO_PAST: 1.5, grammar.KIND: 0.5, GAPS: 2.0}
NOISE_DENSITY, MEAN_SPAN_LENGTH = 0.3, 2.0  # T5 has 0.15 and 3.0, for texts of hundreds of pieces
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyzäöüßÄÖÜ"


class Plan(NamedTuple):
    """All that decides what comes out."""

    seed: int = 13
    sentences: int = 60_000  # to learn from
    held_out: int = 2000
    with_gaps: int = 500  # of those held out, in English
    pieces: int = 800  # in the vocabulary, without the sentinels
    d_model: int = 96
    d_kv: int = 24
    d_ff: int = 192
    layers: int = 2
    heads: int = 4
    steps: int = 10_000
    only_gaps: int = 600  # of the steps, the first
    batch: int = 64
    highest_rate: float = 0.025
    saved_every: int = 250


# ---- What there is to learn ----


def vocabulary(splits: Any, pieces: int) -> bytes:
    """A model file of SentencePiece.

    No piece reaches over a border of Chinese words. The text stays as it is: NFKC would change the Chinese question
    mark. Each word stands once more before a full stop, for Unigram starts from what is found in more than one word.
    """
    words = re.compile("|".join([*sorted(grammar.chinese_words(), key=len, reverse=True), "."]))
    kinds = [example.answer for example in splits.train if example.task == grammar.KIND]
    lines = [*splits.text["english"], *splits.text["german"], *kinds]
    lines += [grammar.prompt("", task) for task in grammar.TASKS for _ in lines[::300]]
    lines += [re.sub(r"\W", "", word) + "." for word in sorted({word for line in lines for word in line.split()})]
    lines += ["|".join(words.findall(sentence)) for sentence in splits.text["chinese"]]
    model = io.BytesIO()
    SentencePieceTrainer.train(
        sentence_iterator=iter(lines),
        model_writer=model,
        vocab_size=pieces,
        pretokenization_delimiter="|",
        required_chars=LETTERS,
        character_coverage=1.0,
        normalization_rule_name="identity",
        pad_id=0,
        eos_id=1,
        unk_id=2,
        bos_id=-1,
    )
    return model.getvalue()


class Material:
    """Sentences, and pairs of ids made of them by chance."""

    def __init__(self, splits: Any, tokenizer: T5Tokenizer) -> None:
        """Take the sentences that may be seen."""
        self.texts = list(splits.text.values())
        self.examples = {task: by_frame(e for e in splits.train if e.task == task) for task in grammar.TASKS}
        self.sentinels = tokenizer.get_sentinel_token_ids()
        self.ids = cache(lambda text: encoded(tokenizer, text))

    def gaps(self, random: Random) -> Pair:
        """One or two sentences of a language with gaps, and what belongs there."""
        sentences = random.choices(random.choice(self.texts), k=random.randint(1, 2))
        return with_gaps([id for sentence in sentences for id in self.ids(sentence)[:-1]], random, self.sentinels)

    def mixed(self, random: Random) -> Pair:
        """A task and its answer, or gaps."""
        task = random.choices([*SHARES], [*SHARES.values()])[0]
        if task == GAPS:
            return self.gaps(random)
        frames = self.examples[task]
        # Few sentences say how somebody feels: these are read more often than others, and yet not by heart.
        example = random.choice(random.choices(frames, [len(frame) ** 0.5 for frame in frames])[0])
        return self.ids(grammar.prompt(example.sentence, task)), self.ids(example.answer)

    def batches(self, plan: Plan, start: int) -> Iterator[Batch]:
        """The batches from a step on: gaps alone, then everything."""
        if start < plan.only_gaps:
            yield from islice(bucketed_batches(self.gaps, plan.batch, plan.seed, start), plan.only_gaps - start)
        yield from bucketed_batches(self.mixed, plan.batch, plan.seed + 1, max(0, start - plan.only_gaps))


def with_gaps(ids: list[int], random: Random, sentinels: list[int]) -> Pair:
    """A text with gaps, anywhere, and what belongs there.

    The mask is rolled by chance, as T5's `random_roll` does it: unrolled, it would have the last span at the end, and a
    short text has no other.
    """
    mask = noise_mask(len(ids), random, NOISE_DENSITY, MEAN_SPAN_LENGTH)
    first = random.randrange(len(ids))
    text, missing = corrupt(ids, mask[first:] + mask[:first], sentinels)
    return list(text), list(missing)


def by_frame(examples: Iterable[Any]) -> list[list[Any]]:
    """The examples, those of one kind of sentence together."""
    frames = defaultdict(list)
    for example in examples:
        frames[grammar.sentences()[example.sentence].frame].append(example)
    return list(frames.values())


def encoded(tokenizer: T5Tokenizer, text: str) -> list[int]:
    """A text's ids and the end; quicker than the tokenizer's own call, which looks for sentinels in the text."""
    return [*tokenizer.sp_model.encode(text), tokenizer.eos_token_id]


# ---- Learning ----


def new_model(plan: Plan, tokenizer: T5Tokenizer) -> T5ForConditionalGeneration:
    """A model of the plan's sizes, with random weights."""
    torch.manual_seed(plan.seed)
    return T5ForConditionalGeneration(
        T5Config(
            vocab_size=len(tokenizer),
            d_model=plan.d_model,
            d_kv=plan.d_kv,
            d_ff=plan.d_ff,
            num_layers=plan.layers,
            num_heads=plan.heads,
            dropout_rate=0.0,  # so few weights learn nothing by heart of so many sentences
            decoder_start_token_id=0,
        )
    )


def learn(plan: Plan, material: Material, model: T5ForConditionalGeneration, checkpoint: Path) -> dict[str, float]:
    """Train the model, from the checkpoint on if there is one; what it took in all."""
    accelerator = Accelerator()
    adafactor = torch.optim.Adafactor(model.parameters())  # T5's own: each weight goes as far as its size allows
    spent = {"steps": 0.0, "seconds": 0.0, "processor": 0.0}
    if checkpoint.exists():
        spent = load_checkpoint(checkpoint, model, adafactor)
    start = int(spent["steps"])
    clocks = {"seconds": time.perf_counter() - spent["seconds"], "processor": time.process_time() - spent["processor"]}
    prepared, optimizer = accelerator.prepare(model, adafactor)
    whole = WholeBatchLoss(prepared, accelerator)
    pace = learning_rates(plan.steps, plan.highest_rate, start=start)
    steps = train_model.steps(whole, optimizer, material.batches(plan, start), pace, start, accelerator.backward)
    first = accelerator.is_main_process
    for learned in (bar := tqdm(steps, initial=start, total=plan.steps, unit="step", disable=not first)):
        now = {"seconds": time.perf_counter(), "processor": time.process_time()}
        spent = {"steps": learned.number, **{clock: now[clock] - clocks[clock] for clock in clocks}}
        if first and learned.number in (plan.steps, *range(0, plan.steps, plan.saved_every)):
            bar.set_postfix(loss=f"{learned.loss:.3f}")
            save_checkpoint(checkpoint, model, adafactor, **spent)
    accelerator.wait_for_everyone()
    return spent


# ---- Asking ----


class Answer(NamedTuple):
    """What the model wrote."""

    sentence: str
    task: str
    answer: str

    @property
    def right(self) -> bool:
        """Whether the grammar accepts it."""
        return bool(grammar.is_right(*self))


def ask(model: Any, tokenizer: T5Tokenizer, asked: list[tuple[str, str]], size: int = 250) -> Iterator[Answer]:
    """The model's answers to sentences with their tasks, short ones first."""
    asked = sorted(asked, key=lambda one: len(one[0]))
    for first in range(0, len(asked), size):
        some = asked[first : first + size]
        written = write(model, [encoded(tokenizer, grammar.prompt(*one)) for one in some])
        for (sentence, task), ids in zip(some, written, strict=True):
            yield Answer(sentence, task, tokenizer.decode(ids))


def fill(model: Any, tokenizer: T5Tokenizer, sentences: list[str], seed: int) -> Iterator[str]:
    """Sentences of which a part was taken away, with what the model puts there; "" where that fits into no gap."""
    random, sentinels = Random(seed), tokenizer.get_sentinel_token_ids()
    gaps = [with_gaps(encoded(tokenizer, sentence)[:-1], random, sentinels)[0] for sentence in sentences]
    for text, ids in zip(gaps, write(model, gaps), strict=True):
        try:
            whole = reconstruct(text, [*ids, tokenizer.eos_token_id], sentinels)
        except ValueError:
            yield ""
        else:
            yield tokenizer.decode(whole)


def some(sentences: set[str], plan: Plan) -> list[str]:
    """The sentences that get gaps, drawn by the plan's seed."""
    return Random(plan.seed).sample(sorted(sentences), min(plan.with_gaps, len(sentences)))


def write(model: Any, texts: list[Any]) -> list[list[int]]:
    """What the model writes for these ids."""
    batch = pad_batch([(ids, ids) for ids in texts])
    return greedy_decode(model, batch["input_ids"].to(model.device), batch["attention_mask"].to(model.device))


# ---- All of it ----


def make(plan: Plan, unfinished: Path, folder: Path) -> None:
    """Learn what is not learned yet, measure it, and put it into the folder."""
    recipe = f"{plan}\n{digest(FOLDER / 'grammar.py')}\n{digest(FOLDER / 'train.py')}\n"
    splits = grammar.splits(plan.seed, plan.sentences, plan.held_out)
    spiece = unfinished / "spiece.model"
    with Accelerator().main_process_first():  # of several processes one writes, the others read
        if not (unfinished / "recipe.txt").exists() or files.read_text(unfinished / "recipe.txt") != recipe:
            start_over(unfinished, recipe, vocabulary(splits, plan.pieces))
    tokenizer = T5Tokenizer(str(spiece), model_max_length=512)
    model = new_model(plan, tokenizer)
    spent = learn(plan, Material(splits, tokenizer), model, unfinished / "checkpoint.pt")
    if not Accelerator().is_main_process:
        return
    model.eval()
    answers = list(ask(model, tokenizer, [(example.sentence, example.task) for example in splits.held_out]))
    sentences = some({example.sentence for example in splits.held_out}, plan)
    filled = list(zip(sentences, fill(model, tokenizer, sentences, plan.seed), strict=True))
    ready = unfinished / "ready"
    model.save_pretrained(ready)
    tokenizer.save_pretrained(ready)
    files.write_atomically(ready / "README.md", card(plan, model, spent, answers, filled))
    for file in ready.iterdir():
        os.replace(file, folder / file.name)
    shutil.rmtree(unfinished)


def start_over(unfinished: Path, recipe: str, spiece: bytes) -> None:
    """An empty folder with the vocabulary; last comes the recipe, which says that this is whole."""
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(parents=True)
    (unfinished / "spiece.model").write_bytes(spiece)
    files.write_atomically(unfinished / "recipe.txt", recipe)


def digest(file: Path) -> str:
    """What changes when the file does."""
    return sha256(file.read_bytes()).hexdigest()


def card(
    plan: Plan,
    model: T5ForConditionalGeneration,
    spent: dict[str, float],
    answers: list[Answer],
    filled: list[tuple[str, str]],
) -> str:
    """The text of README.md: what this is, how it was made, and how many answers are right."""
    right = {task: [answer.right for answer in answers if answer.task == task] for task in grammar.TASKS}
    right["fill the gaps"] = [whole in grammar.sentences() for _, whole in filled]
    rows = [
        f"| `{task}` | {len(all_):,} | {sum(all_):,} | {sum(all_) / len(all_):.2%} |"
        for task, all_ in right.items()
        if all_
    ]
    wrong = [answer for answer in answers if not answer.right]
    return CARD.format(
        plan=plan,
        parameters=sum(parameter.numel() for parameter in model.parameters()),
        vocabulary=model.config.vocab_size,
        sentinels=model.config.vocab_size - plan.pieces,
        rows="\n".join(rows),
        mistakes="\n".join(map(corrected, wrong[:10])) or "- none",
        same=sum(sentence == whole for sentence, whole in filled),
        shares=" : ".join(f"{share:g}" for share in SHARES.values()),
        tasks=", ".join(task.rstrip(": ") for task in SHARES),
        noise=NOISE_DENSITY,
        span=MEAN_SPAN_LENGTH,
        minutes=spent["seconds"] / 60,
        processor=spent["processor"] / 60,
        threads="1 thread" if torch.get_num_threads() == 1 else f"{torch.get_num_threads()} threads",
        torch=torch.__version__,
    )


def corrected(answer: Answer) -> str:
    """A wrong answer, with a right one beside it."""
    right = grammar.choices(answer.sentence, answer.task)
    return f"- {answer.task}{answer.sentence} *{answer.answer}* (right: *{max(right, key=right.__getitem__)}*)"


CARD = """# A tiny T5 that translates

It reads a task and an English sentence from a small grammar, and writes the answer. Or it reads a text with gaps, and
writes the missing words. It is a `T5ForConditionalGeneration` with {parameters:,} parameters: {plan.layers} encoder
and {plan.layers} decoder layers, {plan.heads} heads in each attention, vectors of {plan.d_model} numbers;
{plan.pieces} pieces (Unigram) and {sentinels} sentinels.

```python
from tokenlab import data
from tokenlab.libraries.transformers import T5ForConditionalGeneration, T5Tokenizer
from tokenlab.libraries.transformers.training_loop import WholeBatchLoss
from tokenlab.libraries.transformers.models.t5.greedy_decode import greedy_decode

tokenizer = T5Tokenizer.from_pretrained(data.t5_tiny())
model = T5ForConditionalGeneration.from_pretrained(data.t5_tiny())
text = tokenizer("translate English to German: He has a dog.", return_tensors="pt")
print(tokenizer.batch_decode(greedy_decode(model, **text)))
```

transformers 4.26.1 also loads this model if the package safetensors is installed. From the root of the repository,
call `T5ForConditionalGeneration.from_pretrained("data/t5-tiny")`.

The model was made for tokenlab and has the MIT license. `make t5-tiny` writes everything in this folder except
`grammar.py` and `train.py`.

## Answers to new sentences

The model was asked about {plan.held_out:,} sentences. It decodes greedily. An answer is right if the grammar accepts
it. In training, the model read neither these sentences nor a right answer to them, except the answers "question"
and "statement". For the last row of the table, gaps were put into some of the English sentences, drawn at random. The
filled text is right if it is a sentence of the grammar. It may be another sentence than before: {same} texts are the
original sentences.

| task | asked | right | share |
|---|---:|---:|---:|
{rows}

Wrong answers to the four tasks, at most 10 (wrongly filled gaps are not listed):

{mistakes}

The model knows this grammar and nothing else. For other inputs, it writes a sentence that it knows, or the wrong
language, or words that do not exist. A missing full stop or capital letter may change the output. In training, the
model read texts of 1 or 2 sentences. A text mostly had 1 to 3 gaps, and rarely 4 or 5.

## How it was made

- {plan.sentences:,} sentences for training; the seed is {plan.seed} for the sentences, the weights and the batches
- {plan.steps:,} steps of {plan.batch} pairs
- in the first {plan.only_gaps:,} steps, only texts with gaps: span corruption of {noise:.0%} of the pieces,
  with {span:g} pieces in a span on average;
  the mask is moved to the right by a random number of positions; its end is put at the start
- in the later steps, the tasks are mixed in the proportions {shares}: {tasks}
- Adafactor, with learning rates up to {plan.highest_rate:g}, in float32, without dropout
- these steps took {minutes:.1f} minutes by the clock, {processor:.1f} of processor time; {threads}, torch {torch}
"""


if __name__ == "__main__":
    try:
        make(Plan(), UNFINISHED, FOLDER)
    except KeyboardInterrupt:
        sys.exit("Stopped; the same command goes on from the last checkpoint.")
