"""`Run`: what all loops of generation share around the choice of a token.

Adds: the settings of a call, one step of the model with its cache, and what is kept for the answer.
Leaves out: every choice of a token, which is in `greedy_search`, `sample`, `beam_search` and the others.

Source: transformers 4.26.1, generation/utils.py.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any, Self

import torch
from torch import Tensor

from tokenlab.transformers.generation.beam_scorer import Eos, eos_ids, tokens_for_each_beam
from tokenlab.transformers.generation.refusals import check_names

SETTINGS = (
    *("pad_token_id", "eos_token_id", "return_dict_in_generate"),
    *("output_scores", "output_attentions", "output_hidden_states"),
)


def no_change(input_ids: Tensor, scores: Tensor, **kwargs: Any) -> Tensor:
    """A list of processors without any."""
    return scores


class Run:
    """One call of a loop.

    Args:
        model: one with an encoder and `prepare_inputs_for_generation`.
        input_ids: the prompts, or the rows of all beams: (rows, length).
        model_kwargs: what else the model is given at each step: encoder_outputs, attention_mask, use_cache ...
        logits_processor: what changes the scores before a token is chosen.
        stopping_criteria: when to stop, ended or not.
        max_length: another limit, as loops were once given it.
        synced_gpus: is not built here.
        settings: the arguments that have the names of settings; of those that are None, the model's own.
    """

    def __init__(
        self,
        model: Any,
        input_ids: Tensor,
        model_kwargs: dict[str, Any],
        logits_processor: Any,
        stopping_criteria: Any,
        max_length: int | None = None,
        synced_gpus: bool = False,
        **settings: Any,
    ) -> None:
        if not model.config.is_encoder_decoder or "encoder_outputs" not in model_kwargs:
            raise ValueError(
                "encoder_outputs is missing: a loop goes on from what the encoder made of the text; give "
                "encoder_outputs=model.get_encoder()(ids), or call generate, which does"
            )
        check_names(type(model), model_kwargs)
        if synced_gpus:
            raise NotImplementedError("synced_gpus is not built here: one process runs one model")
        own = vars(model.generation_config)
        chosen = {name: own[name] if settings.get(name) is None else settings[name] for name in SETTINGS}
        self.model = model
        self.kwargs = model_kwargs
        self.processors = logits_processor or no_change
        self.criteria = with_limit(stopping_criteria, max_length)
        self.pad: int | None = chosen["pad_token_id"]
        self.eos: Eos = chosen["eos_token_id"]
        self.ends = eos_ids(self.eos)
        self.with_names: bool = chosen["return_dict_in_generate"]
        self.wanted = {name: bool(chosen[name]) for name in ("output_attentions", "output_hidden_states")}
        self.keeps_scores = self.with_names and bool(chosen["output_scores"])
        self.scores: tuple[Tensor, ...] = ()
        self.outputs: list[Any] = []  # with what was asked for, of each step
        self.decoding: Any = None  # a quick reader, once the model has read the start
        self.texts = len(input_ids)  # the rows of a text have one source; by itself each row is one
        self.step = 0
        self.start = input_ids.shape[-1]
        self.way_out = "; remove_invalid_values=True takes 0 instead"

    @classmethod
    def of(cls, given: dict[str, Any]) -> Self:
        """The run of a loop.

        Args:
            given: what the loop was called with, which is its locals() at the beginning.
        """
        names = ("input_ids", "model_kwargs", "logits_processor", "stopping_criteria", "max_length", "synced_gpus")
        return cls(given["self"], **{name: given[name] for name in (*names, *SETTINGS) if name in given})

    def beams_of(self, scorer: Any, input_ids: Tensor, with_constraints: bool = False) -> tuple[int, int]:
        """How many texts there are, and how many beams each has.

        Raises:
            ValueError: the rows are not one for each beam of each text.
            TypeError: a scorer of the other kind.
        """
        if hasattr(scorer, "constraints") != with_constraints:
            wanted = "ConstrainedBeamSearchScorer" if with_constraints else "BeamSearchScorer"
            raise TypeError(f"the scorer is a {type(scorer).__name__}; this loop asks a {wanted}")
        texts, beams = len(scorer._beam_hyps), scorer.num_beams
        if len(input_ids) != texts * beams:
            raise ValueError(
                f"input_ids should have {texts} x {beams} rows, one for each beam of each text, and has "
                f"{len(input_ids)}; input_ids.repeat_interleave(num_beams, dim=0) makes them"
            )
        # The rows of a text that is done go on from another text's, which only a look at all scores can tell.
        self.texts = self.texts if self.keeps_scores else texts
        self.way_out = ""  # log_softmax has made the whole row nan: with 0 instead, all tokens would be alike
        return texts, beams

    @property
    def max_length(self) -> int | None:
        """How long outputs may get, prompt and all, if a criterion says so."""
        return getattr(self.criteria, "max_length", None)

    def read(self, input_ids: Tensor) -> Tensor:
        """One step of the model: the scores of the next token, (rows, vocab_size)."""
        if self.is_quick():
            scores: Tensor = self.decoding.score(self.decoding.read(input_ids[:, -1]))
            return scores
        output = self.forward(input_ids)
        if self.with_names and any(self.wanted.values()):
            self.outputs.append(output)
        logits: Tensor = output.logits[:, -1]
        return logits

    def is_quick(self) -> bool:
        """Begin a step, and say whether the quick reader does it; if somebody watches the model by now, it does not."""
        self.step += 1
        if self.decoding is not None and self.decoding.is_watched:
            self.kwargs["past_key_values"], self.decoding = self.decoding.cache, None
        return self.decoding is not None

    def forward(self, input_ids: Tensor, **wanted: bool) -> Any:
        """All that the model answers to what is not in its cache yet.

        Args:
            wanted: what is wanted beside that.
        """
        given = self.model.prepare_inputs_for_generation(input_ids, **self.kwargs)
        output = self.model(**given, return_dict=True, **{**self.wanted, **wanted})
        self.kwargs["past_key_values"] = output.past_key_values
        if self.step == 1 and not any(self.wanted.values()) and hasattr(self.model, "going_on"):
            self.decoding = self.model.going_on(self.texts, **self.kwargs)
        return output

    def keep(self, scores: Tensor) -> None:
        """Keep a step's scores, if they were asked for."""
        if self.keeps_scores:
            self.scores += (scores,)

    def reorder(self, rows: Tensor) -> None:
        """Let row i of the cache be what row rows[i] was: its keys and values belong to the beam it goes on from."""
        if self.decoding is not None:
            self.decoding.reorder(rows)
        elif self.kwargs["past_key_values"] is not None:
            self.kwargs["past_key_values"] = self.model._reorder_cache(self.kwargs["past_key_values"], rows)

    def must_stop(self, input_ids: Tensor) -> bool:
        """Whether a criterion says so."""
        return bool(self.criteria(input_ids, self.scores if self.keeps_scores else None))

    def check(self, highest: Sequence[float], scores: Tensor, is_open: Sequence[bool], infinite: bool = False) -> None:
        """Stop where no token can be chosen for a text that still writes.

        Args:
            highest: the highest probability of each text: nan if any score is or is infinite, or all are forbidden.
            scores: (texts, vocab_size), from which the reason is read.
            is_open: which texts still write; of the others nobody reads the scores.
            infinite: whether a score may be plus infinity, which the likeliest may.

        Raises:
            ValueError: the scores are nan, or infinite, or the processors left no token.
        """
        for text, value in enumerate(highest):
            if value != value and is_open[text]:
                most = float(scores[text].max())
                if not (infinite and most == math.inf):
                    self._refuse(forbidden=most == -math.inf, infinite=most == math.inf)

    def check_beams(self, best: Sequence[float], scorer: Any) -> None:
        """Stop where no candidate can be chosen for a text that is not done and has no hypothesis.

        Args:
            best: the highest sum of each text's candidates: nan if any is, and minus infinity if all are forbidden.
            scorer: keeps the books.

        Raises:
            ValueError: the scores are nan, or the processors left no token.
        """
        if all(value > -math.inf for value in best):
            return
        if any(value != value for value in best):
            self._refuse(forbidden=False)
        texts = zip(best, scorer._done, scorer._beam_hyps, strict=True)
        if any(value == -math.inf and not done and not len(pool) for value, done, pool in texts):
            self._refuse(forbidden=True)

    def _refuse(self, forbidden: bool, infinite: bool = False) -> None:
        reason = (
            "every token is forbidden, and what forbids (bad_words_ids, suppress_tokens, prefix_allowed_tokens_fn ...) "
            "has to leave one"
            if forbidden
            else f"the scores are {'infinite' if infinite else 'nan'} (the model's weights are broken, or too large "
            f"for its dtype, or a processor makes them so{self.way_out})"
        )
        raise ValueError(f"at step {self.step} no token can be chosen: {reason}")

    def answer(self, kind: Any, sequences: Tensor, **more: Any) -> Any:
        """The ids, or everything by name."""
        if not self.with_names:
            return sequences
        encoded = self.kwargs["encoder_outputs"]
        attentions, states = self.wanted["output_attentions"], self.wanted["output_hidden_states"]
        return kind(
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


def with_limit(criteria: Any, max_length: int | None) -> Any:
    """The criteria, with a largest length if one is given."""
    from tokenlab.transformers.generation.stopping_criteria import MaxLengthCriteria, StoppingCriteriaList

    criteria = StoppingCriteriaList() if criteria is None else criteria
    if max_length is not None:
        warnings.warn("max_length is for generate; a loop is given MaxLengthCriteria(max_length)", stacklevel=4)
        criteria = StoppingCriteriaList([*criteria, MaxLengthCriteria(max_length)])
    if len(criteria) == 0:
        warnings.warn("there are no stopping_criteria: a model that never ends its output runs for ever", stacklevel=4)
    return criteria


def candidates_for(beams: int, ends: Sequence[int], of: int) -> int:
    """How many candidates are looked at, so that enough are left when every id that ends an output is among them.

    >>> candidates_for(4, [1], of=400), candidates_for(4, [1, 2], of=400), candidates_for(4, [1], of=5)
    (8, 12, 5)
    """
    return min(tokens_for_each_beam(ends) * beams, of)


def first_alone(texts: int, beams: int, like: Tensor) -> Tensor:
    """Sums to start with: of each text all but the first are switched off, or its beams would all write the same.

    Args:
        texts: how many there are.
        beams: how many each has.
        like: a tensor on the device of the sums.

    >>> first_alone(1, 2, torch.tensor([0]))
    tensor([ 0.0000e+00, -1.0000e+09])
    """
    sums = like.new_full((texts, beams), -1e9, dtype=torch.float)
    sums[:, 0] = 0
    return sums.view(-1)  # (texts * beams,)


def extended(input_ids: Tensor, tokens: Tensor) -> Tensor:
    """Each row with its token at the end.

    >>> extended(torch.tensor([[0, 5]]), torch.tensor([7]))
    tensor([[0, 5, 7]])
    """
    return torch.cat([input_ids, tokens[:, None]], dim=-1)
