"""One forward pass of a T5 from ids to loss, block by block, with the numbers that each block computed.

Adds: a step for every block, in the order of computation: embedding, RMS norm, queries, keys, values, scores, bias,
mask, softmax, weighted values, concatenation, output projection, residual connection, feed-forward layer, and the
output layer. Forward hooks record the tensors of one ordinary call of the model; nothing is computed a second time but
the probabilities and the losses, for which the library calls one fused function.
Leaves out: batches, padding, generation. Layers that are not chosen have one step, their output.
Source: transformers 4.26.1, models/t5/modeling_t5.py; Raffel et al. 2020, section 2.1.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from tokenlab.algorithms.vectors import Row
from tokenlab.libraries.transformers.hook_points import watch
from tokenlab.printing.errors import check_integer
from tokenlab.steps.recording import stepwise
from tokenlab.traces.t5.map_steps import BlockComputed, OneNumber
from tokenlab.traces.t5.trace_attention_head import (
    attention_names,
    check_attention_name,
    decoder_input_ids,
    encode_or_ids,
    head_numbers,
    ids_to_tokens,
)

Seen = dict[str, Tensor]
COLUMNS = 8  # recorded columns of a table


@stepwise
@torch.no_grad()
def trace_model_map(
    model: Any,
    tokenizer: Any,
    source: str | Sequence[int],
    target: str | Sequence[int],
    layer: int | None = 0,
    head: int = 0,
    source_position: int = 0,
    target_position: int = 0,
) -> Generator[BlockComputed, None, tuple[Row, ...]]:
    """Return the logits of each position of the decoder: (target, vocab_size).

    Args:
        model: a T5ForConditionalGeneration.
        tokenizer: the model's tokenizer, or None if source and target are ids.
        source: the text that the encoder reads, or its ids.
        target: the text that the decoder should predict, or its ids.
        layer: the encoder layer and decoder layer whose blocks are steps; None for all layers.
        head: the attention head whose tables are recorded.
        source_position: the row of the encoder's tables whose computation is recorded in detail.
        target_position: the row of the decoder's tables whose computation is recorded in detail.

    Raises:
        ValueError: a text is empty, or a layer, head or position does not exist.
    """
    ids = encode_or_ids(tokenizer, source, "text")
    labels = encode_or_ids(tokenizer, target, "target")
    if not labels:
        raise ValueError("target is empty; give the text that the decoder should predict")
    layers = max(len(model.encoder.block), len(model.decoder.block))
    if layer is not None:
        layer = check_integer("layer", layer, at_least=0)
        if layer >= layers:
            raise ValueError(f"layer={layer} does not exist; the layers are 0 to {layers - 1}")
    for name in attention_names(model):
        if layer is None or f".{layer}." in name:
            check_attention_name(model, name, head, ())
    read = decoder_input_ids(model, labels)
    for name, position, texts in (("source", source_position, ids), ("target", target_position, read)):
        if not 0 <= position < len(texts):
            raise ValueError(f"{name}_position={position} does not exist; the positions are 0 to {len(texts) - 1}")
    seen = forward_pass(model, ids, read, labels)
    walk = ModelWalk(
        model,
        seen,
        head,
        {"encoder": ids_to_tokens(tokenizer, ids), "decoder": ids_to_tokens(tokenizer, read)},
        {"encoder": source_position, "decoder": target_position},
    )
    for stack, given in (("encoder", ids), ("decoder", read)):
        yield walk.ids(stack, given)
        yield walk.embedding(stack, given)
        for number in range(len(getattr(model, stack).block)):
            if layer is None or number == layer:
                yield from walk.layer(stack, number)
            else:
                yield walk.hidden(f"{stack}.block.{number}.output", stack, seen[f"{stack}.block.{number}.output"])
        yield walk.final_norm(stack)
    yield from walk.output(labels, [str(name) for name in ids_to_tokens(tokenizer, list(range(walk.vocab_size)))])
    return to_rows(seen["logits"])


class ModelWalk:
    """The steps of one recorded forward pass."""

    def __init__(
        self, model: Any, seen: Seen, head: int, tokens: dict[str, list[str]], positions: dict[str, int]
    ) -> None:
        self.model, self.seen, self.head = model, seen, head
        self.tokens, self.positions = tokens, positions
        self.vocab_size: int = model.lm_head.weight.shape[0]

    # --- the ends -----------------------------------------------------------------------------------

    def ids(self, stack: str, ids: list[int]) -> BlockComputed:
        """Return the step of the ids, a table with one column."""
        shape = ((length_name(stack), len(ids)),)
        rows = tuple((float(id),) for id in ids)
        return BlockComputed(f"{stack}.ids", shape, tuple(self.tokens[stack]), ("id",), rows, None, None)

    def embedding(self, stack: str, ids: list[int]) -> BlockComputed:
        """Return the step of the embedding: one row of the embedding table for each id."""
        made = self.hidden(f"{stack}.embedding", stack, self.seen[f"{stack}.embedded"])
        return explained(made, lambda row, _: {"operands": (("id", float(ids[row])),)})

    def final_norm(self, stack: str) -> BlockComputed:
        """Return the step of the norm after the last layer."""
        return self.norm(f"{stack}.final_norm", stack, getattr(self.model, stack).final_layer_norm)

    def output(self, labels: list[int], names: list[str]) -> Iterator[BlockComputed]:
        """Yield the steps of the logits, the probabilities and the cross-entropy."""
        position, logits = self.positions["decoder"], self.seen["logits"].float()
        best = logits[position].topk(min(COLUMNS, self.vocab_size)).indices.tolist()
        if labels[position] not in best:
            best[-1] = labels[position]
        place, weight = best.index(labels[position]), self.model.lm_head.weight
        scaled = self.seen["lm_head.input"]  # the hidden states, times d_model^-0.5 if the embedding is shared
        shape = (("target", len(labels)), ("vocab", self.vocab_size))
        shown = tuple(names[id] for id in best)
        log_probabilities = logits.log_softmax(-1)
        for kind, table in (("logits", logits), ("probabilities", log_probabilities.exp())):
            value = table[position, best[place]].item()
            made_of: dict[str, Any] = {"operands": (("logit", logits[position, best[place]].item()),)}
            if kind == "logits":
                made_of = product(scaled[position], weight[best[place]])
            example = OneNumber(position, place, value, **made_of)
            rows = to_rows(table[:, best])
            yield BlockComputed(f"output.{kind}", shape, tuple(self.tokens["decoder"]), shown, rows, None, example)
        chosen = [log_probabilities[row, label].item() for row, label in enumerate(labels)]
        both = tuple((torch.tensor(one).exp().item(), -one) for one in chosen)
        losses, equal_parts = tuple(-one for one in chosen), (1 / len(labels),) * len(labels)
        loss = OneNumber(position, 1, self.seen["loss"].item(), losses, equal_parts)
        goals = tuple(names[id] for id in labels)
        yield BlockComputed("output.loss", (), goals, ("p(label)", "loss"), both, None, loss)

    # --- a layer ------------------------------------------------------------------------------------

    def layer(self, stack: str, number: int) -> Iterator[BlockComputed]:
        """Yield the steps of one layer: its sublayers, each with a norm before it and a residual connection."""
        for part, sublayer in zip(parts_of(stack), getattr(self.model, stack).block[number].layer, strict=True):
            place = f"{stack}.block.{number}.{part}"
            yield self.norm(f"{place}.norm", stack, sublayer.layer_norm)
            if part == "feed_forward":
                yield from self.feed_forward(place, stack, sublayer.DenseReluDense)
            else:
                yield from self.attention(place, stack, attention_of(sublayer))
            yield self.residual(place, stack)

    def norm(self, block: str, stack: str, module: Any) -> BlockComputed:
        """Return the step of an RMS norm."""
        before = self.seen[f"{block}.input"].float()
        made = self.hidden(block, stack, self.seen[block])
        sizes = (before.pow(2).mean(-1) + module.variance_epsilon).sqrt()
        operands = ("x", "rms", "weight")

        def parts(row: int, column: int) -> dict[str, Any]:
            values = (before[row, column], sizes[row], module.weight[column])
            return {"operands": tuple((name, one.item()) for name, one in zip(operands, values, strict=True))}

        return explained(made, parts)

    def residual(self, place: str, stack: str) -> BlockComputed:
        """Return the step of a residual connection: the sublayer's input plus its output."""
        before, added = self.seen[f"{place}.residual.input"], self.seen[f"{place}.output"]
        made = self.hidden(f"{place}.residual", stack, self.seen[f"{place}.residual"])

        def parts(row: int, column: int) -> dict[str, Any]:
            return {"operands": (("x", before[row, column].item()), ("output", added[row, column].item()))}

        return explained(made, parts)

    def feed_forward(self, place: str, stack: str, dense: Any) -> Iterator[BlockComputed]:
        """Yield the steps of a feed-forward layer; only ReLU without a gate is explained number by number."""
        normed, inner = self.seen[f"{place}.norm"], self.seen[f"{place}.activations"]
        made = self.hidden(f"{place}.activations", stack, inner, "d_ff")
        if hasattr(dense, "wi") and self.model.config.dense_act_fn == "relu":
            made = explained(made, lambda row, column: product(normed[row], dense.wi.weight[column]))
        yield made
        made = self.hidden(f"{place}.output", stack, self.seen[f"{place}.output"])
        yield explained(made, lambda row, column: product(inner[row], dense.wo.weight[column]))

    def attention(self, place: str, stack: str, attention: Any) -> Iterator[BlockComputed]:
        """Yield the steps of an attention, with the tables of the chosen head."""
        seen, is_cross = self.seen, place.endswith("cross_attention")
        number = head_numbers(self.model, place).index(self.head)
        first, d_kv = number * attention.key_value_proj_dim, attention.key_value_proj_dim
        weights = seen[f"{place}.weights"][number]
        query = self.positions[stack]
        key = int(weights[query].argmax())
        key_stack = "encoder" if is_cross else stack
        normed = seen[f"{place}.norm"]
        read = seen["encoder.output"] if is_cross else normed
        for kind, states, of, row in (
            ("queries", normed, stack, query),
            ("keys", read, key_stack, key),
            ("values", read, key_stack, key),
        ):
            matrix = getattr(attention, kind[0]).weight[first : first + d_kv]
            made = self.table(f"{place}.{kind}", of, seen[f"{place}.{kind}"][number], "d_kv", row)
            yield explained(made, partial(_projected, states, matrix))
        sizes = {kind: seen[f"{place}.{kind}"][number] for kind in ("queries", "keys", "values")}
        yield self.pairs(place, "scores", stack, (query, key), product(sizes["queries"][query], sizes["keys"][key]))
        added = {name: one for name in ("bias", "mask") if (one := self.added(place, name)) is not None}
        for name, matrix in added.items():
            far = () if name == "mask" else (("distance", float(key - query)),)
            yield self.pairs(place, name, stack, (query, key), {"operands": far}, matrix)
        terms = {"score": seen[f"{place}.scores"][number], **added}
        operands = tuple((name, one.expand(weights.shape)[query, key].item()) for name, one in terms.items())
        yield self.pairs(place, "weights", stack, (query, key), {"operands": operands})
        made = self.table(f"{place}.weighted_values", stack, seen[f"{place}.weighted_values"][number], "d_kv", query)
        yield explained(made, lambda row, column: product(weights[row], sizes["values"][:, column]))
        yield from self.projection(place, stack, attention)

    def projection(self, place: str, stack: str, attention: Any) -> Iterator[BlockComputed]:
        """Yield the steps after the heads: their concatenation and the output projection."""
        joined, d_kv = self.seen[f"{place}.o.input"], attention.key_value_proj_dim
        heads = range(min(len(attention.heads), COLUMNS))
        each = max(1, COLUMNS // len(heads))
        columns = [number * d_kv + one for number in heads for one in range(min(each, d_kv))]
        names = tuple(f"h{attention.heads[column // d_kv]}: {column % d_kv}" for column in columns)
        row, values = self.positions[stack], to_rows(joined[:, columns])
        mine = next((place for place, name in enumerate(names) if name.startswith(f"h{self.head}:")), 0)
        operands = (("head", float(self.head)), ("column", float(columns[mine] % d_kv)))
        shape = ((length_name(stack), len(joined)), ("heads*d_kv", joined.shape[-1]))
        example = OneNumber(row, mine, values[row][mine], operands=operands)
        yield BlockComputed(f"{place}.concatenation", shape, tuple(self.tokens[stack]), names, values, None, example)
        made = self.hidden(f"{place}.output", stack, self.seen[f"{place}.output"])
        yield explained(made, lambda row, column: product(joined[row], attention.o.weight[column]))

    # --- tables -------------------------------------------------------------------------------------

    def added(self, place: str, name: str) -> Tensor | None:
        """Return the bias of the chosen head, or the mask, that is added to the scores; the first layer computes it."""
        stack = place.partition(".")[0]
        found = None if "cross" in place else self.seen.get(f"{stack}.block.0.self_attention.{name}")
        return None if found is None else found[self.head if name == "bias" else 0]

    def pairs(
        self, place: str, kind: str, stack: str, cell: tuple[int, int], made_of: dict[str, Any], matrix: Any = None
    ) -> BlockComputed:
        """Return the step of a table with a row for each query and a column for each key."""
        if matrix is None:
            matrix = self.seen[f"{place}.{kind}"][head_numbers(self.model, place).index(self.head)]
        keys = self.tokens["encoder" if "cross" in place else stack]
        matrix = matrix.expand(len(self.tokens[stack]), len(keys))
        heads = (("heads", len(head_numbers(self.model, place))),) if kind != "mask" else ()
        shape = (*heads, ("queries", len(matrix)), ("keys", len(keys)))
        head = None if kind == "mask" else self.head
        example = OneNumber(*cell, matrix[cell].item(), **made_of)
        return BlockComputed(
            f"{place}.{kind}", shape, tuple(self.tokens[stack]), tuple(keys), to_rows(matrix), head, example
        )

    def table(self, block: str, stack: str, matrix: Tensor, size: str, row: int) -> BlockComputed:
        """Return the step of a table of one head, with a row for each token."""
        heads = len(head_numbers(self.model, block.rpartition(".")[0]))
        shape = (("heads", heads), (length_name(stack), len(matrix)), (size, matrix.shape[-1]))
        return self.recorded(block, stack, matrix, shape, self.head, row)

    def hidden(self, block: str, stack: str, matrix: Tensor, size: str = "d_model") -> BlockComputed:
        """Return the step of a table with a row for each token."""
        shape = ((length_name(stack), len(matrix)), (size, matrix.shape[-1]))
        return self.recorded(block, stack, matrix, shape, None, self.positions[stack])

    def recorded(self, block: str, stack: str, matrix: Tensor, shape: Any, head: int | None, row: int) -> BlockComputed:
        """Return a step with the first columns of a table; its example is the largest number of a row."""
        values = to_rows(matrix[:, :COLUMNS])
        columns = tuple(map(str, range(len(values[0]))))
        column = max(range(len(columns)), key=lambda one: abs(values[row][one]))
        example = OneNumber(row, column, values[row][column])
        return BlockComputed(block, shape, tuple(self.tokens[stack]), columns, values, head, example)


def explained(made: BlockComputed, made_of: Callable[[int, int], dict[str, Any]]) -> BlockComputed:
    """Return a step with the numbers that its example was computed from.

    Args:
        made: the step.
        made_of: a function of the example's row and column that returns these numbers.
    """
    assert made.example is not None
    row, column, value = made.example.row, made.example.column, made.example.value
    example = OneNumber(row, column, value, **made_of(row, column))
    return BlockComputed(made.block, made.shape, made.rows, made.columns, made.values, made.head, example)


def length_name(stack: str) -> str:
    """Return the name of the length of a stack's sequence.

    >>> length_name("encoder"), length_name("decoder")
    ('source', 'target')
    """
    return "source" if stack == "encoder" else "target"


def product(left: Tensor, right: Tensor) -> dict[str, Any]:
    """Return the operands of a dot product."""
    return {"left": numbers(left), "right": numbers(right)}


def _projected(states: Tensor, weight: Tensor, row: int, column: int) -> dict[str, Any]:
    return product(states[row], weight[column])


# --- the recorded pass ----------------------------------------------------------------------------


def forward_pass(model: Any, source: list[int], read: list[int], labels: list[int]) -> Seen:
    """Call the model once without dropout; return every recorded tensor without its batch dimension."""
    training = model.training
    model.eval()
    try:
        with watch(model, "*") as points, record_modules(named_modules(model)) as seen:
            output = model(
                input_ids=torch.tensor([source], device=model.device),
                decoder_input_ids=torch.tensor([read], device=model.device),
                labels=torch.tensor([labels], device=model.device),
                use_cache=False,
                return_dict=True,
            )
    finally:
        model.train(training)
    tensors = {name: tensor[0] for name, tensor in (*points.items(), *seen.items())}
    return tensors | {"logits": output.logits[0], "loss": output.loss}


def named_modules(model: Any) -> dict[str, nn.Module]:
    """Return the modules without hook points whose inputs or outputs are recorded, by the name of the record."""
    modules: dict[str, nn.Module] = {"lm_head": model.lm_head}
    for stack in ("encoder", "decoder"):
        modules[f"{stack}.final_norm"] = getattr(model, stack).final_layer_norm
        for number, block in enumerate(getattr(model, stack).block):
            for part, sublayer in zip(parts_of(stack), block.layer, strict=True):
                place = f"{stack}.block.{number}.{part}"
                modules[f"{place}.norm"] = sublayer.layer_norm
                modules[f"{place}.residual"] = sublayer
                if part != "feed_forward":
                    modules[f"{place}.o"] = attention_of(sublayer).o
    return modules


def parts_of(stack: str) -> tuple[str, ...]:
    """Return the sublayers of a layer.

    >>> parts_of("encoder")
    ('self_attention', 'feed_forward')
    """
    return ("self_attention", *(["cross_attention"] if stack == "decoder" else []), "feed_forward")


def attention_of(sublayer: Any) -> Any:
    """Return the attention of a sublayer."""
    return sublayer.SelfAttention if hasattr(sublayer, "SelfAttention") else sublayer.EncDecAttention


@contextmanager
def record_modules(modules: dict[str, nn.Module]) -> Iterator[Seen]:
    """Record the first input (`name.input`) and the output (`name`) of modules inside this `with` block."""
    seen: Seen = {}
    handles = []

    def recorder(name: str) -> Any:
        def record(module: nn.Module, inputs: tuple[Any, ...], output: Any) -> None:
            seen[f"{name}.input"] = inputs[0]
            seen[name] = output if isinstance(output, Tensor) else output[0]

        return record

    for name, module in modules.items():
        handles.append(module.register_forward_hook(recorder(name)))
    try:
        yield seen
    finally:
        for handle in handles:
            handle.remove()


def to_rows(tensor: Tensor) -> tuple[Row, ...]:
    """Return a matrix as tuples of numbers."""
    return tuple(map(tuple, tensor.float().tolist()))


def numbers(vector: Tensor) -> Row:
    """Return a vector as a tuple of numbers."""
    return tuple(vector.float().tolist())
