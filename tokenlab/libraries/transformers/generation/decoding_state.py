"""The state of a call of a generation loop, and its output: all that loops share, apart from the selection of a token.

`DecodingState` has the settings of a call, one step of the model with its KV cache, and the values recorded for the
output; `UnfinishedSequences` pads the texts that have ended while others continue. The output classes are those of
`generate` with return_dict_in_generate=True; fields that were not requested are None. The model's arguments are checked
here, for the loops and for `generate`.
Leaves out: the loops (`loops`, `beam_loops`); the outputs of models without an encoder.

Source: transformers 4.26.1, generation/utils.py. There a second eos id breaks the loops: an output never ends, and its
later ids are multiplied. `streamer` is transformers 4.28's.
"""

from __future__ import annotations

import difflib
import inspect
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

import torch
from torch import Tensor

from tokenlab.libraries.transformers.generation.argument_checks import Eos, checked_pad
from tokenlab.libraries.transformers.generation.beam_scorer import eos_token_id_list
from tokenlab.libraries.transformers.generation.configuration_utils import DEFAULTS
from tokenlab.libraries.transformers.generation.stopping_criteria import MaxLengthCriteria, StoppingCriteriaList
from tokenlab.libraries.transformers.modeling_outputs import ModelOutput, Tensors
from tokenlab.printing.errors import warn

TensorsPerStep = tuple[Tensors, ...]  # for each step, one tensor for each layer


@dataclass
class GreedySearchEncoderDecoderOutput(ModelOutput):
    """Output of greedy search.

    Args:
        sequences: ids, padded with the pad id: (outputs, length).
        scores: for each step, the processed logits: (outputs, vocab_size).
        encoder_attentions: for each layer of the encoder: (texts, heads, source, source).
        encoder_hidden_states: the input of each layer and the output of the last: (texts, source, d_model).
        decoder_attentions: for each step and layer: (outputs, heads, 1, generated so far).
        cross_attentions: for each step and layer: (outputs, heads, 1, source).
        decoder_hidden_states: for each step, the input of each layer and the output of the last.
    """

    sequences: Tensor | None = None
    scores: Tensors | None = None
    encoder_attentions: Tensors | None = None
    encoder_hidden_states: Tensors | None = None
    decoder_attentions: TensorsPerStep | None = None
    cross_attentions: TensorsPerStep | None = None
    decoder_hidden_states: TensorsPerStep | None = None


@dataclass
class SampleEncoderDecoderOutput(GreedySearchEncoderDecoderOutput):
    """Output of sampling; warpers have changed the scores as well."""


@dataclass
class ContrastiveSearchEncoderDecoderOutput(GreedySearchEncoderDecoderOutput):
    """Output of contrastive search; a step's states and attentions precede its candidates."""


@dataclass
class BeamSearchEncoderDecoderOutput(ModelOutput):
    """Output of beam search and group beam search; the other fields are as in greedy search, for all beams.

    Args:
        sequences: the best hypotheses of each text, best first: (outputs, length).
        sequences_scores: cumulative log-probabilities divided by length ** length_penalty; with output_scores=True.
        scores: for each step, the processed log-probabilities of all beams: (texts * beams, vocab_size).
        beam_indices: the row of `scores` in which each token was selected, then -1: (outputs, length).
    """

    sequences: Tensor | None = None
    sequences_scores: Tensor | None = None
    scores: Tensors | None = None
    beam_indices: Tensor | None = None
    encoder_attentions: Tensors | None = None
    encoder_hidden_states: Tensors | None = None
    decoder_attentions: TensorsPerStep | None = None
    cross_attentions: TensorsPerStep | None = None
    decoder_hidden_states: TensorsPerStep | None = None


@dataclass
class BeamSampleEncoderDecoderOutput(BeamSearchEncoderDecoderOutput):
    """Output of beam sampling; warpers have changed the scores as well."""


# In transformers each is a union with the output of models without an encoder.
GreedySearchOutput: TypeAlias = GreedySearchEncoderDecoderOutput
SampleOutput: TypeAlias = SampleEncoderDecoderOutput
ContrastiveSearchOutput: TypeAlias = ContrastiveSearchEncoderDecoderOutput
BeamSearchOutput: TypeAlias = BeamSearchEncoderDecoderOutput
BeamSampleOutput: TypeAlias = BeamSampleEncoderDecoderOutput
GenerateOutput: TypeAlias = (
    GreedySearchOutput | SampleOutput | ContrastiveSearchOutput | BeamSearchOutput | BeamSampleOutput
)


CONFIG_ARGUMENTS = (
    *("pad_token_id", "eos_token_id", "return_dict_in_generate"),
    *("output_scores", "output_attentions", "output_hidden_states"),
)


def identity_processor(input_ids: Tensor, scores: Tensor, **kwargs: Any) -> Tensor:
    """Return the scores: a processor that changes nothing."""
    return scores


class DecodingState:
    """State of one call of a generation loop.

    Args:
        arguments: the arguments of the loop by name, as `greedy_search` describes them.
    """

    def __init__(self, arguments: dict[str, Any]) -> None:
        model, model_kwargs, input_ids = arguments["self"], arguments["model_kwargs"], arguments["input_ids"]
        if not model.config.is_encoder_decoder or "encoder_outputs" not in model_kwargs:
            raise ValueError(
                "encoder_outputs is missing: a loop needs the output of the encoder; give "
                "encoder_outputs=model.get_encoder()(ids), or call generate, which does"
            )
        check_model_kwargs_names(model, model_kwargs, is_loop=True)
        if arguments["synced_gpus"]:
            raise NotImplementedError("synced_gpus is not implemented: one process runs one model")
        own = vars(model.generation_config)
        chosen = {name: own[name] if arguments[name] is None else arguments[name] for name in CONFIG_ARGUMENTS}
        self.model = model
        self.kwargs = model_kwargs
        self.processors = arguments["logits_processor"] or identity_processor
        self.warpers = arguments.get("logits_warper") or identity_processor
        self.criteria = with_max_length(arguments["stopping_criteria"], arguments.get("max_length"))
        self.pad: int | None = chosen["pad_token_id"]
        self.eos: Eos = chosen["eos_token_id"]
        self.ends = eos_token_id_list(self.eos)
        self.with_names: bool = chosen["return_dict_in_generate"]
        self.wanted = {name: bool(chosen[name]) for name in ("output_attentions", "output_hidden_states")}
        self.keeps_scores = self.with_names and bool(chosen["output_scores"])
        self.scores: tuple[Tensor, ...] = ()
        # For each beam, the rows of the scores in which its tokens were selected, if they were requested.
        self.beam_indices: list[tuple[int, ...]] | None = None
        self.outputs: list[Any] = []  # of each step, if attentions or hidden states are requested
        self.newest: Any = None  # the output of the newest run of the model
        self.decoding: Any = None  # the fast incremental decoder, if it runs the steps
        self.texts = len(input_ids)  # number of sources; a text's beams share one, other rows have one each
        self.streamer = arguments.get("streamer")
        self.step = 0
        self.hint = "; remove_invalid_values=True replaces nan by 0"

    @property
    def max_length(self) -> int | None:
        """The maximum length including the prompt, or None if no criterion sets one."""
        return getattr(self.criteria, "max_length", None)

    def next_token_logits(self, input_ids: Tensor) -> Tensor:
        """Run one step of the model; return the logits of the next token: (rows, vocab_size)."""
        if self.uses_incremental_decoder(input_ids):
            scores: Tensor = self.decoding.compute_logits(self.decoding.next_hidden_states(input_ids[:, -1]))
            return scores
        output = self.forward(input_ids)
        if self.with_names and any(self.wanted.values()):
            self.outputs.append(output)
        logits: Tensor = output.logits[:, -1]
        return logits

    def uses_incremental_decoder(self, input_ids: Tensor) -> bool:
        """Start a step; return True if the fast incremental decoder runs it, which needs a model without hooks."""
        self.step += 1
        if self.step == 1 and input_ids.shape[1] == 1 and self.kwargs.get("past_key_values") is None:
            self.start_incremental_decoder(first_ids=input_ids)
        if self.decoding is not None and self.decoding.has_hooks:
            self.kwargs["past_key_values"], self.decoding = self.decoding.past_key_values, None
        return self.decoding is not None

    def forward(self, input_ids: Tensor, **wanted: bool) -> Any:
        """Run the model on the tokens that are not in its cache; return its output.

        Args:
            wanted: further outputs, such as output_hidden_states=True.
        """
        given = self.model.prepare_inputs_for_generation(input_ids, **self.kwargs)
        self.newest = self.model(**given, return_dict=True, **{**self.wanted, **wanted})
        return self.newest

    def update_model_kwargs(self, **options: Any) -> None:
        """End a step: put the cache of a run of the model into the model's arguments of the next step."""
        if self.decoding is not None:
            return
        options = {"is_encoder_decoder": True, **options}
        self.kwargs = self.model._update_model_kwargs_for_generation(self.newest, self.kwargs, **options)
        if self.step == 1 and self.kwargs.get("past_key_values") is not None:
            self.start_incremental_decoder()

    def start_incremental_decoder(self, **first: Tensor) -> None:
        """Create the fast incremental decoder if the model has one, and no output needs a look inside the model."""
        if not any(self.wanted.values()) and hasattr(self.model, "incremental_decoder"):
            self.decoding = self.model.incremental_decoder(self.texts, **first, **self.kwargs)

    def record_scores(self, scores: Tensor) -> None:
        """Record a step's scores if they were requested."""
        if self.keeps_scores:
            self.scores += (scores,)

    def reorder_cache(self, rows: Tensor) -> None:
        """Replace row i of the KV cache and of the beam indices by row rows[i], the beam that row i continues."""
        if self.decoding is not None:
            self.decoding.reorder_cache(rows)
        elif self.kwargs.get("past_key_values") is not None:
            self.kwargs["past_key_values"] = self.model._reorder_cache(self.kwargs["past_key_values"], rows)
        if self.beam_indices is not None:
            self.beam_indices = [(*self.beam_indices[parent], parent) for parent in rows.tolist()]

    def should_stop(self, input_ids: Tensor) -> bool:
        """Return True if a stopping criterion is met."""
        return bool(self.criteria(input_ids, self.scores if self.keeps_scores else None))

    def check_selectable(
        self, highest: Sequence[float], scores: Tensor, unfinished: Sequence[bool], infinite: bool = False
    ) -> None:
        """Raise if no token can be selected for an unfinished text.

        Args:
            highest: the highest probability of each text: nan if a score is nan or infinite, or all are forbidden.
            scores: (texts, vocab_size), which show the reason.
            unfinished: whether each text is unfinished; scores of finished texts are not used.
            infinite: whether a score may be plus infinity, as in greedy search.

        Raises:
            ValueError: the scores are nan or infinite, or the processors left no token.
        """
        for text, value in enumerate(highest):
            if value != value and unfinished[text]:
                most = float(scores[text].max())
                if not (infinite and most == math.inf):
                    self._refuse(forbidden=most == -math.inf, infinite=most == math.inf)

    def _refuse(self, forbidden: bool, infinite: bool = False) -> None:
        reason = (
            "every token is forbidden; bad_words_ids, suppress_tokens, prefix_allowed_tokens_fn ... have to allow at "
            "least one"
            if forbidden
            else f"the scores are {'infinite' if infinite else 'nan'} (the model's weights are broken, or too large "
            f"for its dtype, or a processor makes them so{self.hint})"
        )
        raise ValueError(f"at step {self.step} no token can be selected: {reason}")

    def stream(self, tokens: Tensor) -> None:
        """Pass the new token of each text to the streamer, if there is one."""
        if self.streamer is not None:
            self.streamer.put(tokens.cpu())

    def make_output(self, output_class: Any, sequences: Tensor, **more: Any) -> Any:
        """End the stream; return the ids, or an `output_class` with everything that was requested."""
        if self.streamer is not None:
            self.streamer.end()
        if not self.with_names:
            return sequences
        encoded = self.kwargs["encoder_outputs"]
        attentions, states = self.wanted["output_attentions"], self.wanted["output_hidden_states"]
        return output_class(
            sequences=sequences,
            scores=self.scores if self.keeps_scores else None,
            encoder_attentions=getattr(encoded, "attentions", None) if attentions else None,
            encoder_hidden_states=getattr(encoded, "hidden_states", None) if states else None,
            decoder_attentions=self._of_all("decoder_attentions") if attentions else None,
            cross_attentions=self._of_all("cross_attentions") if attentions else None,
            decoder_hidden_states=self._of_all("decoder_hidden_states") if states else None,
            **more,
        )

    def _of_all(self, name: str) -> tuple[Any, ...]:
        return tuple(getattr(output, name) for output in self.outputs)


class UnfinishedSequences:
    """The unfinished texts of a batch; false if every text has generated an eos id.

    Raises:
        ValueError: there is an eos id, but no pad id.

    >>> from types import SimpleNamespace
    >>> import torch
    >>> unfinished = UnfinishedSequences(2, SimpleNamespace(ends=[1], pad=0))
    >>> unfinished.append(torch.tensor([1, 7]))
    (tensor([1, 7]), (1, 7), (True, False))
    >>> unfinished.append(torch.tensor([5, 1]))
    (tensor([0, 1]), (None, 1), (False, True))
    >>> bool(unfinished)
    False
    """

    def __init__(self, texts: int, state: DecodingState) -> None:
        if state.ends and state.pad is None:
            raise ValueError("pad_token_id is missing: finished texts (eos_token_id) are padded while others continue")
        self.ends = frozenset(state.ends)
        self.pad = state.pad
        self.open = [True] * texts

    def __bool__(self) -> bool:
        return any(self.open)

    def append(self, tokens: Tensor) -> tuple[Tensor, tuple[int | None, ...], tuple[bool, ...]]:
        """Append a token to each text.

        Returns:
            The appended ids, the pad id for finished texts: (texts,); the token of each text, None if it was finished;
            and whether the token finished it.
        """
        before, ids = self.open, tokens.tolist()
        self.open = [is_open and token not in self.ends for is_open, token in zip(before, ids, strict=True)]
        padded = tokens if all(before) else tokens.new_tensor(self._padded(before, ids))
        generated = tuple(token if is_open else None for is_open, token in zip(before, ids, strict=True))
        return padded, generated, tuple(was and not now for was, now in zip(before, self.open, strict=True))

    def _padded(self, before: list[bool], ids: list[int]) -> list[int | None]:
        if self.pad is not None and any(self.open):
            checked_pad(self.pad)
        return [token if is_open else self.pad for is_open, token in zip(before, ids, strict=True)]


def with_max_length(criteria: Any, max_length: int | None) -> Any:
    """Return the criteria, with a MaxLengthCriteria if `max_length` is given."""
    criteria = StoppingCriteriaList() if criteria is None else criteria
    if max_length is not None:
        warn("max_length is for generate; a loop takes MaxLengthCriteria(max_length)")
        criteria = StoppingCriteriaList([*criteria, MaxLengthCriteria(max_length)])
    if len(criteria) == 0:
        warn("there are no stopping_criteria: generation may never stop")
    return criteria


def append_tokens(input_ids: Tensor, tokens: Tensor) -> Tensor:
    """Append a token to each row.

    >>> append_tokens(torch.tensor([[0, 5]]), torch.tensor([7]))
    tensor([[0, 5, 7]])
    """
    return torch.cat([input_ids, tokens[:, None]], dim=-1)


TENSORS = ("inputs_embeds", "attention_mask", "decoder_input_ids", "decoder_attention_mask")


def check_model_kwargs_are_tensors(model_kwargs: dict[str, Any]) -> None:
    """Raise a ValueError for an argument of the model that should be a tensor and is none.

    >>> check_model_kwargs_are_tensors({"decoder_input_ids": [[0]]})
    Traceback (most recent call last):
    ...
    ValueError: decoder_input_ids is a list, and should be a tensor with a row for each text; torch.tensor(it) is one
    """
    for name in TENSORS:
        if not isinstance(given := model_kwargs.get(name), Tensor | None):
            raise ValueError(
                f"{name} is a {type(given).__name__}, and should be a tensor with a row for each text; "
                "torch.tensor(it) is one"
            )


@lru_cache(maxsize=16)  # computing two signatures takes longer than all other checks of a call
def parameter_names(function: Callable[..., Any]) -> tuple[str, ...]:
    """Return the names of the parameters of a function, including self."""
    return tuple(inspect.signature(function).parameters)


def check_model_kwargs_names(model: Any, model_kwargs: dict[str, Any], is_loop: bool = False) -> None:
    """Raise a ValueError for an argument that a model does not know, `labels`, or a streamer with beams.

    A loop such as `greedy_search` ignores unknown arguments with a warning. Similar names are suggested.

    >>> from tokenlab.libraries.transformers import T5Config, T5ForConditionalGeneration
    >>> check_model_kwargs_names(T5ForConditionalGeneration(T5Config(10, 4, 2, 4, 1)), {"num_beam": 4})
    Traceback (most recent call last):
    ...
    ValueError: num_beam is neither a setting of generate nor an argument of T5ForConditionalGeneration; \
do you mean num_beams?
    """
    methods = (model.prepare_inputs_for_generation, model.forward)
    known = {name for method in methods for name in parameter_names(getattr(method, "__func__", method))} - {"self"}
    if model_kwargs.get("streamer") is not None:
        raise ValueError("streamer with beams: no token is certain until the end; leave out one of them")
    for name, value in model_kwargs.items():
        if value is not None and name == "labels" and not is_loop:
            raise ValueError("labels is for forward, which computes a loss; leave it out")
        if value is not None and name == "decoder_inputs_embeds":
            warn(f"{name} is ignored: generation starts with decoder_input_ids")
        if value is not None and name not in known:
            near = difflib.get_close_matches(name, [*DEFAULTS, *known], n=1)
            suggestion = f"; do you mean {near[0]}?" if near else ""
            model_class = type(model).__name__
            message = f"{name} is neither a setting of generate nor an argument of {model_class}{suggestion}"
            if not is_loop:
                raise ValueError(message)
            warn(f"{message}. It is ignored")
