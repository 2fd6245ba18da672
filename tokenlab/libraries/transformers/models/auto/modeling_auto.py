"""The Auto classes of models: one per head, each with the mapping from configurations to models with this head.

Adds: the Auto classes of text models. T5 is the only model of this package, so the mappings of other heads are empty
    until a model is registered; `from_pretrained` then raises the library's error for a head that no model has.
Leaves out: Auto classes of images, sound and questions, of TensorFlow and Flax; feature extractors and processors.

Source: transformers 4.26.1, models/auto/modeling_auto.py.

>>> from tokenlab.libraries.transformers import T5Config
>>> MODEL_MAPPING[T5Config].__name__, MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING[T5Config].__name__
('T5Model', 'T5ForConditionalGeneration')
>>> T5Config in MODEL_FOR_CAUSAL_LM_MAPPING
False
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from tokenlab.libraries.transformers.models.auto.auto_factory import Names, _BaseAutoModelClass, _LazyAutoMapping
from tokenlab.libraries.transformers.models.auto.configuration_auto import CONFIG_MAPPING_NAMES
from tokenlab.libraries.transformers.models.auto.decision_steps import Decision
from tokenlab.printing.errors import warn
from tokenlab.steps.recording import call_steps, stepwise_classmethod

MODEL_MAPPING_NAMES: Names = {"t5": "T5Model"}
MODEL_FOR_PRETRAINING_MAPPING_NAMES: Names = {"t5": "T5ForConditionalGeneration"}
MODEL_WITH_LM_HEAD_MAPPING_NAMES: Names = {"t5": "T5ForConditionalGeneration"}
MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES: Names = {"t5": "T5ForConditionalGeneration"}


def _mapping(names: Names) -> _LazyAutoMapping:
    return _LazyAutoMapping(CONFIG_MAPPING_NAMES, names)


def _empty_mapping() -> tuple[Names, _LazyAutoMapping]:
    """Return the names and the mapping of a head that no model of this package has."""
    names: Names = {}
    return names, _mapping(names)


MODEL_MAPPING = _mapping(MODEL_MAPPING_NAMES)
MODEL_FOR_PRETRAINING_MAPPING = _mapping(MODEL_FOR_PRETRAINING_MAPPING_NAMES)
MODEL_WITH_LM_HEAD_MAPPING = _mapping(MODEL_WITH_LM_HEAD_MAPPING_NAMES)
MODEL_FOR_CAUSAL_LM_MAPPING_NAMES, MODEL_FOR_CAUSAL_LM_MAPPING = _empty_mapping()
MODEL_FOR_MASKED_LM_MAPPING_NAMES, MODEL_FOR_MASKED_LM_MAPPING = _empty_mapping()
MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING = _mapping(MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES)
MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING_NAMES, MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING = _empty_mapping()


class AutoModel(_BaseAutoModelClass):
    """Load a model without an output layer: it returns hidden states and cannot generate."""

    _model_mapping = MODEL_MAPPING


class AutoModelForPreTraining(_BaseAutoModelClass):
    """Load a model with the output layer of its pre-training."""

    _model_mapping = MODEL_FOR_PRETRAINING_MAPPING


class _AutoModelWithLMHead(_BaseAutoModelClass):
    """Load a model with an output layer over the vocabulary."""

    _model_mapping = MODEL_WITH_LM_HEAD_MAPPING


class AutoModelForCausalLM(_BaseAutoModelClass):
    """Load a model for causal language modeling."""

    _model_mapping = MODEL_FOR_CAUSAL_LM_MAPPING


class AutoModelForMaskedLM(_BaseAutoModelClass):
    """Load a model for masked language modeling."""

    _model_mapping = MODEL_FOR_MASKED_LM_MAPPING


class AutoModelForSeq2SeqLM(_BaseAutoModelClass):
    """Load a model for sequence-to-sequence language modeling."""

    _model_mapping = MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING


class AutoModelForSequenceClassification(_BaseAutoModelClass):
    """Load a model for sequence classification."""

    _model_mapping = MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING


class AutoModelWithLMHead(_AutoModelWithLMHead):
    """Load a model with an output layer over the vocabulary; deprecated."""

    @stepwise_classmethod
    def from_config(cls, config: Any, **kwargs: Any) -> Generator[Decision, None, Any]:
        """Warn, and return an untrained model."""
        _warn_deprecated()
        return (yield from call_steps(super().from_config, config, **kwargs))

    @stepwise_classmethod
    def from_pretrained(
        cls, pretrained_model_name_or_path: Any, *model_args: Any, **kwargs: Any
    ) -> Generator[Decision, None, Any]:
        """Warn, and load a model."""
        _warn_deprecated()
        return (yield from call_steps(super().from_pretrained, pretrained_model_name_or_path, *model_args, **kwargs))


def _warn_deprecated() -> None:
    warn(
        "AutoModelWithLMHead is deprecated; use AutoModelForSeq2SeqLM for encoder-decoder models like T5, "
        "AutoModelForCausalLM for causal models or AutoModelForMaskedLM for masked models",
        FutureWarning,
    )
