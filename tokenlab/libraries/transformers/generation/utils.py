"""`GenerationMixin.generate`: generate output ids from source ids with the decoding strategy that the settings select.

Adds: the selection of the strategy, and the preparation: the encoder, masks, start tokens, rows for beams.
Leaves out: the strategies (`loops`, `beam_loops`); models without an encoder; several machines (`synced_gpus`).

Source: transformers 4.26.1, generation/utils.py; `streamer` is transformers 4.28's, `length_counts` is ours.
"""

from __future__ import annotations

import copy
from collections.abc import Generator, Iterable, Sequence
from typing import Any

import torch
from torch import Tensor

from tokenlab.algorithms.decoding.stopping_rule import LengthCounts
from tokenlab.libraries.transformers.generation.argument_checks import Eos, generation_mode
from tokenlab.libraries.transformers.generation.beam_constraints import build_constraints
from tokenlab.libraries.transformers.generation.beam_loops import (
    beam_sample,
    beam_search,
    constrained_beam_search,
    group_beam_search,
)
from tokenlab.libraries.transformers.generation.beam_scorer import eos_token_id_list
from tokenlab.libraries.transformers.generation.components import (
    PrefixAllowedTokensFn,
    check_generate_arguments,
    check_input_ids_given,
    get_beam_scorer,
    get_logits_processor,
    get_logits_warper,
    get_stopping_criteria,
    merge_criteria_processor_list,
    set_max_length,
)
from tokenlab.libraries.transformers.generation.configuration_utils import ORIGIN, GenerationConfig
from tokenlab.libraries.transformers.generation.decoding_state import (
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
    check_model_kwargs_are_tensors,
    check_model_kwargs_names,
)
from tokenlab.libraries.transformers.generation.logits_warpers import LogitsProcessorList
from tokenlab.libraries.transformers.generation.loops import contrastive_search, greedy_search, sample
from tokenlab.libraries.transformers.generation.stopping_criteria import StoppingCriteriaList
from tokenlab.printing.errors import warn
from tokenlab.steps.recording import is_stepwise, overridable

__all__ = [  # with the output classes, which transformers defines in its file of this name
    "BeamSampleEncoderDecoderOutput", "BeamSampleOutput", "BeamSearchEncoderDecoderOutput", "BeamSearchOutput",
    "ContrastiveSearchEncoderDecoderOutput", "ContrastiveSearchOutput", "GenerateOutput", "GenerationMixin",
    "GreedySearchEncoderDecoderOutput", "GreedySearchOutput", "SampleEncoderDecoderOutput", "SampleOutput",
    "update_from_model_config",
]  # fmt: skip
DECODER_ARGUMENTS = ("decoder_", "cross_attn", "use_cache")  # prefixes of arguments that the encoder does not get


def compute_transition_scores(
    self: Any,
    sequences: Tensor,
    scores: Sequence[Tensor],
    beam_indices: Tensor | None = None,
    normalize_logits: bool = False,
) -> Tensor:
    """Return the score of each generated token; 0 after the end.

    Args:
        self: the model.
        sequences: the outputs: (outputs, length).
        scores: for each step: (rows, vocab_size).
        beam_indices: the row in which each token was selected, -1 after the end; None means the output's row.
        normalize_logits: whether to convert the scores to log-probabilities first.

    Returns:
        (outputs, generated tokens of the longest).

    >>> ids, scores = torch.tensor([[0, 2, 1]]), [torch.tensor([[0.1, 0.2, 0.3]]), torch.tensor([[0.4, 0.5, 0.6]])]
    >>> compute_transition_scores(None, ids, scores)
    tensor([[0.3000, 0.5000]])
    """
    steps = torch.stack(tuple(scores), dim=1)  # (rows, steps, vocab_size)
    if normalize_logits:
        steps = steps.log_softmax(dim=-1)
    if beam_indices is None:
        beam_indices = torch.arange(len(steps), device=sequences.device)[:, None].expand(-1, len(scores))
    longest = int((beam_indices >= 0).sum(dim=-1).max())
    rows = beam_indices[:, :longest]
    tokens = sequences[:, sequences.shape[-1] - longest :]
    found = steps[rows.clamp(min=0), torch.arange(longest, device=rows.device), tokens]
    return found.masked_fill(rows < 0, 0.0)


class GenerationMixin:
    """The generation methods of a model with `prepare_inputs_for_generation`."""

    greedy_search = greedy_search
    sample = sample
    contrastive_search = contrastive_search
    beam_search = beam_search
    beam_sample = beam_sample
    group_beam_search = group_beam_search
    constrained_beam_search = constrained_beam_search
    compute_transition_scores = compute_transition_scores

    @overridable  # subtle: without torch.no_grad(), which each loop has; entering it twice costs time at every step
    def generate(
        self: Any,
        inputs: Tensor | None = None,
        generation_config: GenerationConfig | None = None,
        logits_processor: Iterable[Any] | None = None,
        stopping_criteria: Iterable[Any] | None = None,
        prefix_allowed_tokens_fn: PrefixAllowedTokensFn | None = None,
        synced_gpus: bool = False,
        streamer: Any = None,
        length_counts: LengthCounts = "prompt",
        **kwargs: Any,
    ) -> Generator[Any, None, Any]:
        """Generate an output for each text.

        Args:
            inputs: the ids of the texts: (texts, length); also accepted as input_ids=.
            generation_config: settings; None means the model's.
            logits_processor: additional processors, applied after those from the settings.
            stopping_criteria: criteria in addition to those from the settings.
            prefix_allowed_tokens_fn: a function of a text's index and its ids so far that returns the ids that may
                follow.
            synced_gpus: not implemented.
            streamer: an object whose `put` gets the prompt and each token, and whose `end` is called; without beams.
            length_counts: "prompt", as 4.26.1 scores hypotheses, or "eos", as transformers does today.
            kwargs: settings that override the configuration's, and arguments of the model: attention_mask,
                encoder_outputs, decoder_input_ids ...

        Returns:
            ids (texts * num_return_sequences, length) from the start token on, padded with the pad id; with
            return_dict_in_generate=True a ModelOutput with everything that was requested.

        Raises:
            ValueError: settings are incompatible, an argument is unknown, or the model's logits are nan.
            NotImplementedError: synced_gpus=True, or a model without an encoder.

        >>> from tokenlab.libraries.transformers import T5Config, T5ForConditionalGeneration
        >>> untrained = T5ForConditionalGeneration(T5Config(10, 4, 2, 4, 1, num_heads=1, decoder_start_token_id=0))
        >>> untrained.generate(torch.tensor([[3, 4, 1]]), num_beams=3, num_return_sequences=2, max_length=5).shape[0]
        2
        """
        config, model_kwargs = self._settings(generation_config, kwargs)
        check_generate_arguments(
            config,
            self.config.vocab_size,
            streamer=streamer,
            length_counts=length_counts,
            logits_processor=logits_processor,
            stopping_criteria=stopping_criteria,
            prefix_allowed_tokens_fn=prefix_allowed_tokens_fn,
        )
        model_kwargs.pop("return_dict", None)  # return_dict_in_generate decides what is returned
        self._validate_model_kwargs(model_kwargs.copy())
        model_kwargs.pop("decoder_inputs_embeds", None)
        mode = generation_mode(config)
        constraints: list[Any] = []
        if mode == "constrained_beam_search":
            constraints = build_constraints(config, self.config.vocab_size, eos_token_id_list(config.eos_token_id))
        with torch.no_grad():
            source, model_kwargs = self._encoded(inputs, config, model_kwargs)
            input_ids = self._prepare_decoder_input_ids_for_generation(
                len(source),
                decoder_start_token_id=config.decoder_start_token_id,
                bos_token_id=config.bos_token_id,
                model_kwargs=model_kwargs,
                device=source.device,
            )
            check_input_ids_given(config, source)
            set_max_length(config, kwargs, input_ids.shape[-1])
            options: dict[str, Any] = {
                "logits_processor": self._get_logits_processor(
                    generation_config=config,
                    input_ids_seq_length=input_ids.shape[-1],
                    encoder_input_ids=source,
                    prefix_allowed_tokens_fn=prefix_allowed_tokens_fn,
                    logits_processor=logits_processor or LogitsProcessorList(),
                ),
                "stopping_criteria": self._get_stopping_criteria(
                    generation_config=config, stopping_criteria=stopping_criteria or StoppingCriteriaList()
                ),
                "pad_token_id": config.pad_token_id,
                "eos_token_id": config.eos_token_id,
                "output_scores": config.output_scores,
                "return_dict_in_generate": config.return_dict_in_generate,
                "synced_gpus": synced_gpus,
            }
            if mode in ("sample", "beam_sample"):
                options["logits_warper"] = self._get_logits_warper(config)
            scorers: list[Any] = []
            if "beam" in mode:
                criteria = options["stopping_criteria"]
                scorers = [get_beam_scorer(config, len(source), input_ids, criteria, length_counts, constraints)]
            elif streamer is not None:
                options["streamer"] = streamer
            if mode not in ("greedy_search", "contrastive_search"):
                outputs = config.num_return_sequences if config.do_sample else 1  # each sample has separate beams
                input_ids, model_kwargs = self._expand_inputs_for_generation(
                    input_ids=input_ids, expand_size=config.num_beams * outputs, is_encoder_decoder=True, **model_kwargs
                )
            if streamer is not None:
                streamer.put(input_ids.cpu())
            match mode:
                case "contrastive_search":
                    loop = self.contrastive_search
                    options |= {"top_k": config.top_k, "penalty_alpha": config.penalty_alpha}
                case "constrained_beam_search":
                    loop = self.constrained_beam_search
                    options["constrained_beam_scorer"] = scorers.pop()
                case "group_beam_search":
                    loop = self.group_beam_search
                case "beam_sample":
                    loop = self.beam_sample
                case "beam_search":
                    loop = self.beam_search
                case "sample":
                    loop = self.sample
                case _:
                    loop = self.greedy_search
            if not is_stepwise(loop):  # an override without torch.no_grad()
                return loop(input_ids, *scorers, **options, **model_kwargs)
        return (yield from loop.steps(input_ids, *scorers, **options, **model_kwargs))

    # --- methods that subclasses may override: the names, arguments and order of calls are the library's ----------

    def prepare_inputs_for_generation(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        """Return the arguments of `forward` for one step."""
        raise NotImplementedError(f"{type(self).__name__} should have prepare_inputs_for_generation to use generate")

    def adjust_logits_during_generation(self, logits: Tensor, **kwargs: Any) -> Tensor:
        """Return the logits that a loop over beams uses."""
        return logits

    def _reorder_cache(self, past: Any, beam_idx: Tensor) -> Any:
        raise NotImplementedError(f"{type(self).__name__} should have _reorder_cache for beams")

    def _validate_model_kwargs(self, model_kwargs: dict[str, Any]) -> None:
        check_model_kwargs_names(self, model_kwargs)
        check_model_kwargs_are_tensors(model_kwargs)

    def _extract_past_from_model_output(self, outputs: Any, standardize_cache_format: bool = False) -> Any:
        return outputs.past_key_values

    def _update_model_kwargs_for_generation(
        self,
        outputs: Any,
        model_kwargs: dict[str, Any],
        is_encoder_decoder: bool = False,
        standardize_cache_format: bool = False,
    ) -> dict[str, Any]:
        """Return the arguments of the next step, with the cache of this one."""
        past = self._extract_past_from_model_output(outputs, standardize_cache_format=standardize_cache_format)
        model_kwargs["past_key_values"] = past
        return model_kwargs

    _get_logits_processor = get_logits_processor
    _get_logits_warper = get_logits_warper
    _get_stopping_criteria = get_stopping_criteria
    _merge_criteria_processor_list = merge_criteria_processor_list

    def _settings(
        self: Any, given: GenerationConfig | None, kwargs: dict[str, Any]
    ) -> tuple[GenerationConfig, dict[str, Any]]:
        """Return the settings of this call, and the arguments that are not settings."""
        if given is None:
            if self.generation_config._from_model_config:
                update_from_model_config(self)
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
            config.pad_token_id = eos_token_id_list(config.eos_token_id)[0]
        return config, rest

    def _encoded(
        self: Any, inputs: Tensor | None, config: GenerationConfig, model_kwargs: dict[str, Any]
    ) -> tuple[Tensor, dict[str, Any]]:
        """Return the source ids or embeddings, and the arguments of the model with its encoder's output."""
        if not self.config.is_encoder_decoder:
            raise NotImplementedError(f"{type(self).__name__} has no encoder; models without one are not built here")
        read, name, model_kwargs = self._prepare_model_inputs(inputs, config.bos_token_id, model_kwargs)
        if not isinstance(read, Tensor) or read.dim() != (3 if name == "inputs_embeds" else 2):
            shape = tuple(read.shape) if isinstance(read, Tensor) else type(read).__name__
            raise ValueError(
                f"{'inputs' if inputs is not None else name} should be a tensor of ids (texts, length), and is {shape}"
                "; one text alone is torch.tensor([ids])"
            )
        for setting in ("output_attentions", "output_hidden_states", "use_cache"):
            model_kwargs[setting] = getattr(config, setting)
        if "encoder_outputs" in model_kwargs:
            return read, model_kwargs
        if "attention_mask" not in model_kwargs:
            model_kwargs["attention_mask"] = self._prepare_attention_mask_for_generation(
                read, config.pad_token_id, config.eos_token_id
            )
        return read, self._prepare_encoder_decoder_kwargs_for_generation(read, model_kwargs, name)

    def _prepare_model_inputs(
        self: Any,
        inputs: Tensor | None = None,
        bos_token_id: int | None = None,
        model_kwargs: dict[str, Any] | None = None,
    ) -> tuple[Tensor, str, dict[str, Any]]:
        """Return the source ids or embeddings, the name of their argument, and the other arguments."""
        others = {name: value for name, value in (model_kwargs or {}).items() if value is not None}
        sources = {"inputs": inputs}
        sources |= {name: others.pop(name, None) for name in ("input_ids", "inputs_embeds")}
        named = [name for name, value in sources.items() if value is not None]
        if len(named) > 1:
            raise ValueError(f"{' and '.join(named)} are given, which are alternatives; give one of them")
        if not named:
            read = self._prepare_input_ids_for_generation(bos_token_id, others.get("encoder_outputs"))
            return read, "input_ids", others
        found: Any = sources[named[0]]
        return found, "inputs_embeds" if named == ["inputs_embeds"] else "input_ids", others

    def _prepare_input_ids_for_generation(self: Any, bos_token_id: int | None, encoder_outputs: Any) -> Tensor:
        """Return ids for a call that has none: the bos id, or -100 where the encoder's output is given."""
        if encoder_outputs is not None:
            return torch.full(encoder_outputs[0].shape[:2], -100, device=self.device)
        if bos_token_id is None:
            raise ValueError("inputs is missing: give the ids of the texts, (texts, length)")
        return torch.full((1, 1), bos_token_id, device=self.device)

    def _prepare_attention_mask_for_generation(
        self, inputs: Tensor, pad_token_id: int | None, eos_token_id: Eos
    ) -> Tensor:
        """Return 1 for tokens and 0 for padding, as far as the ids show it: (texts, length).

        >>> GenerationMixin()._prepare_attention_mask_for_generation(torch.tensor([[5, 1, 0]]), 0, eos_token_id=1)
        tensor([[1, 1, 0]])
        """
        ids = inputs.dim() == 2 and inputs.dtype in (torch.int, torch.long)
        if ids and pad_token_id is not None and pad_token_id not in eos_token_id_list(eos_token_id):
            return torch.ne(inputs, pad_token_id).long()
        return torch.ones(inputs.shape[:2], dtype=torch.long, device=inputs.device)

    def _prepare_encoder_decoder_kwargs_for_generation(
        self: Any, inputs_tensor: Tensor, model_kwargs: dict[str, Any], model_input_name: str | None = None
    ) -> dict[str, Any]:
        """Return the arguments with `encoder_outputs`."""
        of_encoder = {name: value for name, value in model_kwargs.items() if not name.startswith(DECODER_ARGUMENTS)}
        of_encoder |= {"return_dict": True, model_input_name or "input_ids": inputs_tensor}
        return {**model_kwargs, "encoder_outputs": self.get_encoder()(**of_encoder)}

    def _prepare_decoder_input_ids_for_generation(
        self: Any,
        batch_size: int,
        decoder_start_token_id: int | None = None,
        bos_token_id: int | None = None,
        model_kwargs: dict[str, Any] | None = None,
        device: Any = None,
    ) -> Tensor:
        """Return the decoder's prompts: (texts, length)."""
        given = (model_kwargs or {}).pop("decoder_input_ids", None)
        if given is not None:
            if given.dim() != 2 or len(given) != batch_size:
                raise ValueError(
                    f"decoder_input_ids should have a row for each of the {batch_size} texts, and has the shape "
                    f"{tuple(given.shape)}"
                )
            return torch.as_tensor(given)
        start = self._get_decoder_start_token_id(decoder_start_token_id, bos_token_id)
        return torch.full((batch_size, 1), start, device=self.device)

    def _get_decoder_start_token_id(
        self: Any, decoder_start_token_id: int | None = None, bos_token_id: int | None = None
    ) -> int:
        own = self.generation_config
        for id in (decoder_start_token_id, own.decoder_start_token_id, bos_token_id, own.bos_token_id):
            if id is not None:
                return int(id)
        raise ValueError(
            "decoder_start_token_id is missing: the first id of the decoder's input; for a T5 it is the pad id: "
            "decoder_start_token_id=0"
        )

    @staticmethod
    def _expand_inputs_for_generation(
        expand_size: int = 1, is_encoder_decoder: bool = False, input_ids: Tensor | None = None, **model_kwargs: Any
    ) -> tuple[Tensor | None, dict[str, Any]]:
        """Repeat each row `expand_size` times; copies of a row are adjacent."""

        def expanded(tensor: Tensor | None) -> Tensor | None:
            return None if tensor is None else tensor.repeat_interleave(expand_size, dim=0)

        if expand_size == 1:
            return input_ids, model_kwargs
        for name in ("attention_mask", "decoder_attention_mask"):
            if name in model_kwargs:
                model_kwargs[name] = expanded(model_kwargs[name])
        if is_encoder_decoder:
            encoded = copy.copy(model_kwargs["encoder_outputs"])  # the caller's object is not changed
            if isinstance(encoded, tuple):
                encoded = (expanded(encoded[0]), *encoded[1:])
            else:
                encoded.last_hidden_state = expanded(encoded.last_hidden_state)
            model_kwargs["encoder_outputs"] = encoded
        return expanded(input_ids), model_kwargs


def update_from_model_config(model: Any) -> None:
    """Let model.generation_config follow model.config, from which it was made, and warn if that changes a setting.

    subtle: changes of model.generation_config are lost as well, because the rule does not ask which of both changed.
    """
    followed, own = GenerationConfig.from_model_config(model.config), model.generation_config
    if followed == own:
        return
    now, before = vars(followed), vars(own)
    names = [name for name in {**now, **before} if name not in ORIGIN and now.get(name) != before.get(name)]
    changes = ", ".join(f"{name}={now.get(name)!r} (was {before.get(name)!r})" for name in names)
    warn(
        f"model.generation_config was made from model.config, and follows it again: {changes}; give settings to "
        "generate, or set model.generation_config = GenerationConfig(...)"
    )
    model.generation_config = followed
