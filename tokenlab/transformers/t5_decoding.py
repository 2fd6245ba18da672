"""`T5Decoding`: a T5 in the middle of writing, which reads one more token of each row and says what may come next.

Adds: what `T5ForConditionalGeneration.forward` answers with a cache, in a fraction of its time. What stays the same
from token to token is made once: the mask, the source's keys and values, the biases of all distances in one row. What
grows lies in one tensor, so that beams change places in one go.
Leaves out: the start, which the model itself reads; the checks of `forward`; and every look inside: points, dropout,
attentions, states. Where one of these is asked for, `going_on` answers None, and the model does it all.

Source: transformers 4.26.1, models/t5/modeling_t5.py, for what is computed.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import isfunction
from itertools import chain
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.modules import module as torch_modules

from tokenlab.transformers.model_output import Cache
from tokenlab.transformers.t5_attention import T5Attention, T5LayerCrossAttention, T5LayerSelfAttention
from tokenlab.transformers.t5_layers import T5DenseActDense, T5DenseGatedActDense, T5LayerFF, T5LayerNorm
from tokenlab.transformers.t5_masks import additive
from tokenlab.transformers.t5_stack import T5Block, T5Stack
from tokenlab.transformers.watching import Points

PLAIN = {T5Stack, T5Block, T5Attention, T5LayerSelfAttention, T5LayerCrossAttention, T5LayerFF, T5LayerNorm}
PLAIN |= {T5DenseActDense, T5DenseGatedActDense, Points}
PLAIN |= {nn.Linear, nn.Embedding, nn.Dropout, nn.Identity, nn.ModuleList}
METHODS = [(kind, name, method) for kind in PLAIN for name, method in vars(kind).items() if isfunction(method)]
NAMES = {name for _, name, _ in METHODS}
KINDS: dict[str, Any] = dict.fromkeys(("q", "k", "v", "o", "wi", "wi_0", "wi_1", "wo"), nn.Linear)
KINDS |= dict.fromkeys(("layer_norm", "final_layer_norm"), T5LayerNorm)
OF_ALL: list[Any] = [torch_modules._global_forward_hooks, torch_modules._global_forward_pre_hooks]
ROOM = 32  # tokens for which there is a place at first; it doubles


def going_on(model: Any, cache: Cache, mask: Tensor | None, texts: int) -> T5Decoding | None:
    """A quick reader of the tokens that follow, or None where only `forward` does all that it should.

    Args:
        model: a T5ForConditionalGeneration.
        cache: past_key_values, as `forward` answered them.
        mask: which ids of the source may be looked at: (rows, source); None for all.
        texts: how many texts the rows belong to, one after another with as many rows each: the beams of a text look
            at one and the same source.
    """
    modules = [model.lm_head, *parts_of(model.decoder)]
    weights = [weight for each in modules if each._parameters for weight in each._parameters.values()]
    is_plain = (
        not any(each.training for each in (model, *modules))
        and (mask is None or mask.dim() == 2)
        and {type(each) for each in modules} <= PLAIN
        and all(type(part) is KINDS.get(name, type(part)) for each in modules for name, part in each._modules.items())
        and type(model.lm_head) is nn.Linear
        and not any(each._parameters.get("bias") is not None for each in modules)
        and all(vars(kind).get(name) is method for kind, name, method in METHODS)  # nobody put in another
        and all(NAMES.isdisjoint(vars(each)) and not getattr(each, "pruned_heads", None) for each in modules)
        and {weight.dtype for weight in weights if weight is not None} == {torch.float32}
        and not torch.is_autocast_enabled(model.device.type)
    )
    # subtle: the dictionaries themselves, not what is in them now: a hook that comes later makes one true.
    own = ((each._forward_hooks, each._forward_pre_hooks) for each in (model, *modules))
    hooks = [*OF_ALL, *chain.from_iterable(own)]
    return T5Decoding(model, cache, mask, texts, hooks) if is_plain and not any(hooks) else None


def parts_of(module: nn.Module) -> list[Any]:
    """The module and all below it; `modules()` takes ten times as long, which is half of what a token takes."""
    found: list[Any] = [module]
    for each in found:
        found += each._modules.values()  # and the loop goes on with them
    return found


class T5Decoding:
    """The decoder of a T5 with what it has read so far; `going_on` makes one.

    >>> from tokenlab.transformers import T5Config, T5ForConditionalGeneration
    >>> model = T5ForConditionalGeneration(T5Config(10, 4, 2, 4, 1, num_heads=1)).eval()
    >>> ids, written = torch.tensor([[3, 4, 1]]), torch.tensor([[0, 7]])
    >>> start = model(ids, decoder_input_ids=written[:, :1])
    >>> with torch.no_grad():
    ...     decoding = going_on(model, start.past_key_values, mask=None, texts=1)
    ...     scores = decoding.score(decoding.read(written[:, 1]))
    >>> torch.allclose(scores, model(ids, decoder_input_ids=written).logits[:, -1], atol=1e-5)
    True
    """

    def __init__(self, model: Any, cache: Cache, mask: Tensor | None, texts: int, hooks: list[Any]) -> None:
        decoder = model.decoder
        rows, heads, self.length, _ = cache[0][0].shape
        self.heads, self.texts, self.hooks = heads, texts, hooks
        self.table: Tensor = decoder.embed_tokens.weight  # (vocab_size, d_model)
        self.scoring: Tensor = model.lm_head.weight.t()  # (d_model, vocab_size)
        self.scale = torch.tensor(model.model_dim**-0.5 if model.config.tie_word_embeddings else 1.0)
        self.distances: T5Attention = decoder.block[0].layer[0].SelfAttention  # knows the bias of each
        one_of_each = slice(None, None, rows // texts)  # the rows of a text are alike
        own = mask_of_texts(None if mask is None else mask[one_of_each], heads)
        self.layers: list[Any] = [
            (
                SelfAttending(block.layer[0]),
                CrossAttending(block.layer[1], keys[one_of_each], values[one_of_each], own),
                feeding(block.layer[2]),
            )
            for block, (_, _, keys, values) in zip(decoder.block, cache, strict=True)
        ]
        self.norm = Norm(decoder.final_layer_norm)
        read = torch.stack([torch.stack(layer[:2]) for layer in cache])  # (layers, 2, rows, heads, length, d_kv)
        # subtle: spare is pages until somebody reorders: greedy search never does, and needs no second copy.
        self.pages = self.spare = Pages(read.permute(4, 0, 1, 2, 3, 5), room_for(self.length))
        self.lay_out_biases()

    @property
    def is_watched(self) -> bool:
        """Whether somebody looks into the model by now."""
        return any(self.hooks)

    def read(self, tokens: Tensor) -> Tensor:
        """The states above the last block, after one more token of each row: (rows, d_model).

        Args:
            tokens: one of each row: (rows,).
        """
        if self.length == self.pages.room:
            self.make_room()
        self.length += 1
        bias = self.biases.narrow(2, self.pages.room - self.length, self.length)  # (rows * heads, 1, length)
        states = self.table[tokens]  # (rows, d_model)
        slots = self.pages.slots(self.length - 1)
        for number, (self_attending, cross_attending, feed) in enumerate(self.layers):
            keys, values = self.pages.keys[number], self.pages.values[number]
            keys, values = keys.narrow(2, 0, self.length), values.narrow(1, 0, self.length)
            states = self_attending(states, slots[number], keys, values, bias)
            states = feed(cross_attending(states))
        return self.norm(states)

    def score(self, states: Tensor) -> Tensor:
        """The scores of what may come next: (rows, vocab_size)."""
        return torch.mm(states * self.scale, self.scoring)

    def reorder(self, parents: Tensor) -> None:
        """Let row i be what row parents[i] was, of the same text.

        Args:
            parents: (rows,); another number of rows, as many for each text, is welcome.
        """
        read = self.pages.read[: self.length]
        if len(parents) != read.shape[3]:
            self.pages = self.spare = Pages(read.index_select(3, parents), self.pages.room)
            self.lay_out_biases()
            return
        if len(parents) == self.texts:  # each row has a source of its own, which goes with it
            for _, cross_attending, _ in self.layers:
                cross_attending.look_at(*(each[parents] for each in cross_attending.source))
        if self.spare is self.pages:
            self.spare = Pages(read, self.pages.room)
        torch.index_select(read, 3, parents, out=self.spare.read[: self.length])
        self.pages, self.spare = self.spare, self.pages

    @property
    def cache(self) -> Cache:
        """What was read, as past_key_values: with it `forward` can go on."""
        read = self.pages.read[: self.length].permute(1, 2, 3, 4, 0, 5)  # (layers, 2, rows, heads, length, d_kv)
        times = read.shape[2] // self.texts
        return tuple(
            (keys, values, *(each.repeat_interleave(times, dim=0) for each in cross_attending.source))
            for (keys, values), (_, cross_attending, _) in zip(read, self.layers, strict=True)
        )

    def make_room(self) -> None:
        """Turn to larger pages."""
        self.pages = self.spare = Pages(self.pages.read, room_for(self.length))
        self.lay_out_biases()

    def lay_out_biases(self) -> None:
        """The biases of a query at the last place for the keys at all: a query before it has as many of the last ones.

        For they depend on the distance alone.
        """
        of_heads = self.distances.compute_bias(1, self.pages.room)[0]  # (heads, 1, room)
        self.biases = of_heads.repeat(self.pages.read.shape[3], 1, 1)  # (rows * heads, 1, room)


def room_for(length: int) -> int:
    """A power of two that is larger.

    >>> room_for(1), room_for(32)
    (32, 64)
    """
    return max(ROOM, 1 << length.bit_length())


class Pages:
    """Keys and values of all layers in one tensor, by tokens first: so what was read lies together before all room.

    Args:
        read: (length, layers, 2, rows, heads, d_kv).
        room: for how many tokens there is a place.
    """

    def __init__(self, read: Tensor, room: int) -> None:
        self.room = room
        self.read = read.new_empty(room, *read.shape[1:])
        self.read[: len(read)] = read
        by_row = self.read.flatten(3, 4)  # (room, layers, 2, rows * heads, d_kv)
        self.keys = [keys.permute(1, 2, 0) for keys in by_row[:, :, 0].unbind(1)]  # (rows * heads, d_kv, room)
        self.values = [values.transpose(0, 1) for values in by_row[:, :, 1].unbind(1)]  # (rows * heads, room, d_kv)

    def slots(self, place: int) -> tuple[Tensor, ...]:
        """For each layer where the keys and the values of a token are written: (2, rows, heads * d_kv)."""
        return self.read[place].flatten(3).unbind()


class Norm:
    """The norm of a layer, in as few operations as there are: at this size each costs more than its numbers."""

    def __init__(self, norm: T5LayerNorm) -> None:
        self.weight, self.share = norm.weight, 1 / len(norm.weight)
        self.small = torch.tensor(norm.variance_epsilon, device=norm.weight.device)

    def __call__(self, states: Tensor) -> Tensor:
        """States of the same size, with a weight for each dimension: (rows, d_model)."""
        size = torch.linalg.vector_norm(states, dim=-1, keepdim=True)  # (rows, 1)
        root = torch.addcmul(self.small, size, size, value=self.share).rsqrt_()  # 1 / root of the mean square
        return (root * states).mul_(self.weight)


class SelfAttending:
    """Self attention with its norm and its residual, of one query for each row."""

    def __init__(self, layer: T5LayerSelfAttention) -> None:
        attention = layer.SelfAttention
        self.norm = Norm(layer.layer_norm)
        self.q, self.k, self.v, self.o = weights_of(attention)
        self.d_kv = attention.key_value_proj_dim

    def __call__(self, states: Tensor, slot: Tensor, keys: Tensor, values: Tensor, bias: Tensor) -> Tensor:
        """The states with what each row takes from its past: (rows, d_model).

        Args:
            states: (rows, d_model).
            slot: where each row's new key and value are written, so that they stand in keys and values: (2, rows, ...).
            keys: (rows * heads, d_kv, length).
            values: (rows * heads, length, d_kv).
            bias: (rows * heads, 1, length).
        """
        normed = self.norm(states)
        torch.mm(normed, self.k, out=slot[0])
        torch.mm(normed, self.v, out=slot[1])
        query = torch.mm(normed, self.q)  # (rows, heads * d_kv)
        weights = torch.bmm(query.view(-1, 1, self.d_kv), keys).add_(bias).softmax(-1)  # (rows * heads, 1, length)
        return torch.addmm(states, torch.bmm(weights, values).view(query.shape), self.o)


class CrossAttending:
    """Attention to the source with its norm and its residual; the rows of a text are queries at the same keys."""

    def __init__(self, layer: T5LayerCrossAttention, keys: Tensor, values: Tensor, mask: Tensor | None) -> None:
        attention = layer.EncDecAttention
        self.norm = Norm(layer.layer_norm)
        self.q, _, _, self.o = weights_of(attention)
        self.texts, self.heads, _, self.d_kv = keys.shape
        self.mask = mask  # (texts * heads, 1, source)
        self.look_at(keys, values)

    def look_at(self, keys: Tensor, values: Tensor) -> None:
        """Take these for the source, each (texts, heads, source, d_kv)."""
        self.source = keys, values
        self.keys = keys.flatten(0, 1).transpose(1, 2)  # (texts * heads, d_kv, source)
        self.values = values.flatten(0, 1)  # (texts * heads, source, d_kv)

    def __call__(self, states: Tensor) -> Tensor:
        """The states with what each row takes from its source: (rows, d_model)."""
        query = torch.mm(self.norm(states), self.q)  # (rows, heads * d_kv)
        rows, width = query.shape
        by_text = query.view(self.texts, -1, self.heads, self.d_kv).transpose(1, 2)
        scores = torch.bmm(by_text.reshape(self.texts * self.heads, -1, self.d_kv), self.keys)
        if self.mask is not None:
            scores += self.mask
        taken = torch.bmm(scores.softmax(-1), self.values)  # (texts * heads, rows of a text, d_kv)
        by_row = taken.view(self.texts, self.heads, -1, self.d_kv).transpose(1, 2)
        return torch.addmm(states, by_row.reshape(rows, width), self.o)


def feeding(layer: T5LayerFF) -> Callable[[Tensor], Tensor]:
    """The feed-forward layer with its norm and its residual."""
    dense, norm = layer.DenseReluDense, Norm(layer.layer_norm)
    act, back = dense.act, dense.wo.weight.t()
    if isinstance(dense, T5DenseActDense):
        out = dense.wi.weight.t()
        return lambda states: torch.addmm(states, act(torch.mm(norm(states), out)), back)
    gate, value = dense.wi_0.weight.t(), dense.wi_1.weight.t()

    def feed(states: Tensor) -> Tensor:
        normed = norm(states)
        return torch.addmm(states, act(torch.mm(normed, gate)) * torch.mm(normed, value), back)

    return feed


def weights_of(attention: T5Attention) -> tuple[Tensor, ...]:
    """Those of the queries, keys, values and the output, each (from, to)."""
    return tuple(layer.weight.t() for layer in (attention.q, attention.k, attention.v, attention.o))


def mask_of_texts(mask: Tensor | None, heads: int) -> Tensor | None:
    """What is added to scores: (texts * heads, 1, source); None where nothing is hidden."""
    if mask is None or mask.all():
        return None
    return additive(mask, torch.float32).repeat_interleave(heads, dim=0)[:, None]
