"""`GenerationMixin.generate`: from what a model reads to what it writes, by the rule that the settings ask for.

Adds: the choice of the rule, and everything before the first step: the encoder, masks, start tokens, rows for beams.
Leaves out: the rules, each in a file of its name; models without an encoder; several machines (`synced_gpus`).

Source: transformers 4.26.1, generation/utils.py; `streamer` is transformers 4.28's, `length_counts` is ours.
"""

from __future__ import annotations

import copy
import warnings
from collections.abc import Generator, Iterable
from typing import Any

import torch
from torch import Tensor

from tokenlab.steps import stepwise
from tokenlab.transformers.generation.assembling import (
    Allowed,
    criteria_for,
    processors_for,
    scorer_for,
    warpers_for,
)
from tokenlab.transformers.generation.beam_hypotheses import LengthCounts
from tokenlab.transformers.generation.beam_sample import beam_sample
from tokenlab.transformers.generation.beam_scorer import eos_ids
from tokenlab.transformers.generation.beam_search import beam_search
from tokenlab.transformers.generation.configuration_utils import DEFAULTS, GenerationConfig
from tokenlab.transformers.generation.constrained_beam_search import constrained_beam_search
from tokenlab.transformers.generation.contrastive_search import contrastive_search
from tokenlab.transformers.generation.forced_words import constraints_of
from tokenlab.transformers.generation.greedy_search import greedy_search
from tokenlab.transformers.generation.group_beam_search import group_beam_search
from tokenlab.transformers.generation.modes import mode_of
from tokenlab.transformers.generation.outputs import (
    BeamSampleEncoderDecoderOutput,
    BeamSampleOutput,
    BeamSearchEncoderDecoderOutput,
    BeamSearchOutput,
    ContrastiveSearchEncoderDecoderOutput,
    ContrastiveSearchOutput,
    GenerateOutput,
    GreedySearchEncoderDecoderOutput,
    GreedySearchOutput,
    SampleEncoderDecoderOutput,
    SampleOutput,
)
from tokenlab.transformers.generation.refusals import (
    check_names,
    refuse_arguments,
    refuse_ids,
    refuse_lengths,
    refuse_lists,
    refuse_without_ids,
    settle_lengths,
)
from tokenlab.transformers.generation.sample import sample
from tokenlab.transformers.generation.transitions import compute_transition_scores

__all__ = [  # with the answers by name, which transformers has in its file of this name, too
    "BeamSampleEncoderDecoderOutput",
    "BeamSampleOutput",
    "BeamSearchEncoderDecoderOutput",
    "BeamSearchOutput",
    "ContrastiveSearchEncoderDecoderOutput",
    "ContrastiveSearchOutput",
    "GenerateOutput",
    "GenerationMixin",
    "GreedySearchEncoderDecoderOutput",
    "GreedySearchOutput",
    "SampleEncoderDecoderOutput",
    "SampleOutput",
    "follow_model_config",
    "mask_of",
]
OF_DECODER = ("decoder_", "cross_attn", "use_cache")  # how arguments begin that the encoder is not given


class GenerationMixin:
    """What a model with `prepare_inputs_for_generation` can write."""

    greedy_search = greedy_search
    sample = sample
    contrastive_search = contrastive_search
    beam_search = beam_search
    beam_sample = beam_sample
    group_beam_search = group_beam_search
    constrained_beam_search = constrained_beam_search
    compute_transition_scores = compute_transition_scores

    @stepwise  # subtle: without torch.no_grad(), which each loop has; once more would be paid at every step
    def generate(
        self: Any,
        inputs: Tensor | None = None,
        generation_config: GenerationConfig | None = None,
        logits_processor: Iterable[Any] | None = None,
        stopping_criteria: Iterable[Any] | None = None,
        prefix_allowed_tokens_fn: Allowed | None = None,
        synced_gpus: bool = False,
        streamer: Any = None,
        length_counts: LengthCounts = "prompt",
        **kwargs: Any,
    ) -> Generator[Any, None, Any]:
        """Write an output for each text.

        Args:
            inputs: the ids of the texts: (texts, length); also accepted as input_ids=.
            generation_config: settings; without it, the model's own.
            logits_processor: own processors, which come after those that settings ask for.
            stopping_criteria: own criteria, beside those that settings ask for.
            prefix_allowed_tokens_fn: which ids may follow, of a text's number and of what was written.
            synced_gpus: is not built here.
            streamer: its `put` gets the start, then each token, and its `end` is called; not with beams.
            length_counts: "prompt", as 4.26.1 scores hypotheses, or "eos", as transformers does today.
            kwargs: settings that win over the configuration's, and arguments of the model: attention_mask,
                encoder_outputs, decoder_input_ids ...

        Returns:
            ids (texts * num_return_sequences, length) from the start token on, filled up with the pad id; with
            return_dict_in_generate=True all that was asked for, by name.

        Raises:
            ValueError: settings that do not go together, names that nobody knows, or nan in the model's scores.
            NotImplementedError: synced_gpus=True, or a model without an encoder.

        >>> from tokenlab.transformers import T5Config, T5ForConditionalGeneration
        >>> untrained = T5ForConditionalGeneration(T5Config(10, 4, 2, 4, 1, num_heads=1, decoder_start_token_id=0))
        >>> untrained.generate(torch.tensor([[3, 4, 1]]), num_beams=3, num_return_sequences=2, max_length=5).shape[0]
        2
        """
        config, model_kwargs = self._settings(generation_config, kwargs)
        refuse_ids(config, self.config.vocab_size)
        refuse_arguments(config, streamer, length_counts, logits_processor, stopping_criteria, prefix_allowed_tokens_fn)
        model_kwargs.pop("return_dict", None)  # what is answered is said by return_dict_in_generate
        check_names(type(self), model_kwargs)
        refuse_lists(model_kwargs)
        mode = mode_of(config)
        demands = constraints_of(config, self.config.vocab_size, eos_ids(config.eos_token_id))
        read, model_kwargs = self._encoded(inputs, config, model_kwargs)
        refuse_without_ids(config, read)
        input_ids = self._starts(len(read), config, model_kwargs)
        settle_lengths(config, kwargs, input_ids.shape[-1])
        refuse_lengths(config, input_ids.shape[-1])

        returned, beams = config.num_return_sequences, config.num_beams
        options: dict[str, Any] = {
            "logits_processor": processors_for(
                config, input_ids.shape[-1], read, prefix_allowed_tokens_fn, logits_processor or ()
            ),
            "stopping_criteria": criteria_for(config, stopping_criteria or ()),
            "pad_token_id": config.pad_token_id,
            "eos_token_id": config.eos_token_id,
            "output_scores": config.output_scores,
            "output_attentions": config.output_attentions,
            "output_hidden_states": config.output_hidden_states,
            "return_dict_in_generate": config.return_dict_in_generate,
            "synced_gpus": synced_gpus,
        }
        if config.do_sample:
            options["logits_warper"] = warpers_for(config, self.generation_config.eos_token_id)
        if mode == "contrastive_search":
            options |= {"top_k": config.top_k, "penalty_alpha": config.penalty_alpha}
        if beams == 1:
            options["streamer"] = streamer
        else:
            scorer = "constrained_beam_scorer" if demands else "beam_scorer"
            options[scorer] = scorer_for(
                config, len(read), input_ids, options["stopping_criteria"], length_counts, demands
            )
        times = beams * (returned if config.do_sample else 1)
        input_ids, model_kwargs = self._expand_inputs_for_generation(times, True, input_ids, **model_kwargs)
        if streamer is not None:
            streamer.put(input_ids.cpu())
        return (yield from getattr(self, mode).steps(input_ids, **options, **model_kwargs))

    def _settings(
        self: Any, given: GenerationConfig | None, kwargs: dict[str, Any]
    ) -> tuple[GenerationConfig, dict[str, Any]]:
        """The settings of this call, and the arguments that are none.

        Raises:
            ValueError: settings that are impossible whatever the model, or something else than a GenerationConfig.
        """
        if given is None:
            if self.generation_config._from_model_config:
                follow_model_config(self)
            given = self.generation_config
        if not isinstance(given, GenerationConfig):
            raise ValueError(
                f"generation_config is a {type(given).__name__}, and should be a GenerationConfig: "
                "GenerationConfig(**dictionary) makes one, or GenerationConfig.from_model_config(model.config)"
            )
        config: Any = copy.deepcopy(given)
        rest = config.update(**kwargs)
        if isinstance(config.eos_token_id, Tensor):
            config.eos_token_id = config.eos_token_id.tolist()
        config.validate()
        if config.pad_token_id is None and config.eos_token_id is not None:
            config.pad_token_id = eos_ids(config.eos_token_id)[0]
        return config, rest

    @torch.no_grad()
    def _encoded(
        self: Any, inputs: Tensor | None, config: GenerationConfig, model_kwargs: dict[str, Any]
    ) -> tuple[Tensor, dict[str, Any]]:
        """What is read, and the arguments of the model, with what its encoder makes of that."""
        if not self.config.is_encoder_decoder:
            raise NotImplementedError(f"{type(self).__name__} has no encoder; models without one are not built here")
        model_kwargs = {name: value for name, value in model_kwargs.items() if value is not None}
        sources = {"inputs": inputs}
        sources |= {name: model_kwargs.pop(name, None) for name in ("input_ids", "inputs_embeds")}
        named = [name for name, value in sources.items() if value is not None]
        if len(named) > 1:
            raise ValueError(f"{' and '.join(named)} are given, which all say what is read; give one of them")
        read = sources[named[0]] if named else None
        if read is None:
            read = self._unread(config, model_kwargs.get("encoder_outputs"))
        if not isinstance(read, Tensor) or read.dim() != (3 if named == ["inputs_embeds"] else 2):
            shape = tuple(read.shape) if isinstance(read, Tensor) else type(read).__name__
            raise ValueError(
                f"{named[0] if named else 'inputs'} should be a tensor of ids (texts, length), and is {shape}; "
                "one text alone is torch.tensor([ids])"
            )
        model_kwargs["use_cache"] = config.use_cache
        if "encoder_outputs" in model_kwargs:
            return read, model_kwargs
        if "attention_mask" not in model_kwargs:
            model_kwargs["attention_mask"] = mask_of(read, config)
        argument = "inputs_embeds" if named == ["inputs_embeds"] else "input_ids"
        of_encoder = {name: value for name, value in model_kwargs.items() if not name.startswith(OF_DECODER)}
        model_kwargs["encoder_outputs"] = self.get_encoder()(
            **of_encoder,
            **{argument: read},
            output_attentions=config.output_attentions,
            output_hidden_states=config.output_hidden_states,
            return_dict=True,
        )
        return read, model_kwargs

    def _unread(self: Any, config: GenerationConfig, encoder_outputs: Any) -> Tensor:
        """Ids that stand for a text where there is none."""
        if encoder_outputs is not None:
            shape = encoder_outputs[0].shape[:2]
            return torch.full(shape, -100, device=self.device)  # the encoder has read already
        if config.bos_token_id is None:
            raise ValueError("inputs is missing: give the ids of the texts, (texts, length)")
        return torch.full((1, 1), config.bos_token_id, device=self.device)

    def _starts(self: Any, texts: int, config: GenerationConfig, model_kwargs: dict[str, Any]) -> Tensor:
        """What stands at the beginning of each output: (texts, length)."""
        given = model_kwargs.pop("decoder_input_ids", None)
        if given is not None:
            if given.dim() != 2 or len(given) != texts:
                raise ValueError(
                    f"decoder_input_ids should have a row for each of the {texts} texts, and has the shape "
                    f"{tuple(given.shape)}"
                )
            return torch.as_tensor(given)
        own = self.generation_config
        ways = (config.decoder_start_token_id, own.decoder_start_token_id, config.bos_token_id, own.bos_token_id)
        start = next((id for id in ways if id is not None), None)
        if start is None:
            raise ValueError(
                "decoder_start_token_id is missing: the id that stands before everything written; for a T5 it is "
                "the pad id: decoder_start_token_id=0"
            )
        return torch.full((texts, 1), start, device=self.device)

    @staticmethod
    def _expand_inputs_for_generation(
        expand_size: int = 1, is_encoder_decoder: bool = False, input_ids: Tensor | None = None, **model_kwargs: Any
    ) -> tuple[Tensor | None, dict[str, Any]]:
        """Each row so many times, one below the other."""

        def expanded(tensor: Tensor | None) -> Tensor | None:
            return None if tensor is None else tensor.repeat_interleave(expand_size, dim=0)

        if expand_size == 1:
            return input_ids, model_kwargs
        for name in ("attention_mask", "decoder_attention_mask"):
            if name in model_kwargs:
                model_kwargs[name] = expanded(model_kwargs[name])
        if is_encoder_decoder:
            encoded = copy.copy(model_kwargs["encoder_outputs"])  # the caller's own stays as it is
            if isinstance(encoded, tuple):
                encoded = (expanded(encoded[0]), *encoded[1:])
            else:
                encoded.last_hidden_state = expanded(encoded.last_hidden_state)
            model_kwargs["encoder_outputs"] = encoded
        return expanded(input_ids), model_kwargs


def follow_model_config(model: Any) -> None:
    """Take over settings that were changed in the model's configuration, as one did before there were others.

    4.26.1 takes over all, and so loses what was changed in model.generation_config.
    """
    own, now = vars(model.generation_config), vars(model.config)
    if all(name not in now or now[name] == own[name] for name in DEFAULTS if not name.startswith(("_", "transf"))):
        return
    before, after = vars(model.followed_config), vars(GenerationConfig.from_model_config(model.config))
    changed = {name: value for name, value in after.items() if value != before[name] and value != own[name]}
    if changed:
        warnings.warn(
            f"{', '.join(changed)} changed in model.config; settings of generation belong into "
            "model.generation_config, or into the call of generate",
            stacklevel=4,
        )
        own.update(changed)
        before.update(changed)


def mask_of(read: Tensor, config: GenerationConfig) -> Tensor:
    """1 for what is read and 0 for what fills up, as far as ids show it.

    >>> mask_of(torch.tensor([[5, 1, 0]]), GenerationConfig(pad_token_id=0, eos_token_id=1))
    tensor([[1, 1, 0]])
    """
    pad = config.pad_token_id
    ids = read.dim() == 2 and read.dtype in (torch.int, torch.long)
    if ids and pad is not None and pad not in eos_ids(config.eos_token_id):
        return torch.ne(read, pad).long()
    return torch.ones(read.shape[:2], dtype=torch.long, device=read.device)
