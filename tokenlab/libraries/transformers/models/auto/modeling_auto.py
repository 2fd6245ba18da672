"""The Auto classes of models: one per head, each with the mapping from configurations to models with this head.

Adds: all Auto classes of 4.26.1. T5 is the only model of this package, so the mappings of other heads are empty until a
    model is registered; `from_pretrained` then raises the library's error for a head that a model does not have.
Leaves out: Auto classes of TensorFlow and Flax; feature extractors, image processors and processors.

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
MODEL_FOR_QUESTION_ANSWERING_MAPPING_NAMES, MODEL_FOR_QUESTION_ANSWERING_MAPPING = _empty_mapping()
MODEL_FOR_TABLE_QUESTION_ANSWERING_MAPPING_NAMES, MODEL_FOR_TABLE_QUESTION_ANSWERING_MAPPING = _empty_mapping()
MODEL_FOR_VISUAL_QUESTION_ANSWERING_MAPPING_NAMES, MODEL_FOR_VISUAL_QUESTION_ANSWERING_MAPPING = _empty_mapping()
MODEL_FOR_DOCUMENT_QUESTION_ANSWERING_MAPPING_NAMES, MODEL_FOR_DOCUMENT_QUESTION_ANSWERING_MAPPING = _empty_mapping()
MODEL_FOR_TOKEN_CLASSIFICATION_MAPPING_NAMES, MODEL_FOR_TOKEN_CLASSIFICATION_MAPPING = _empty_mapping()
MODEL_FOR_MULTIPLE_CHOICE_MAPPING_NAMES, MODEL_FOR_MULTIPLE_CHOICE_MAPPING = _empty_mapping()
MODEL_FOR_NEXT_SENTENCE_PREDICTION_MAPPING_NAMES, MODEL_FOR_NEXT_SENTENCE_PREDICTION_MAPPING = _empty_mapping()
MODEL_FOR_IMAGE_CLASSIFICATION_MAPPING_NAMES, MODEL_FOR_IMAGE_CLASSIFICATION_MAPPING = _empty_mapping()
MODEL_FOR_IMAGE_SEGMENTATION_MAPPING_NAMES, MODEL_FOR_IMAGE_SEGMENTATION_MAPPING = _empty_mapping()
MODEL_FOR_SEMANTIC_SEGMENTATION_MAPPING_NAMES, MODEL_FOR_SEMANTIC_SEGMENTATION_MAPPING = _empty_mapping()
MODEL_FOR_UNIVERSAL_SEGMENTATION_MAPPING_NAMES, MODEL_FOR_UNIVERSAL_SEGMENTATION_MAPPING = _empty_mapping()
MODEL_FOR_INSTANCE_SEGMENTATION_MAPPING_NAMES, MODEL_FOR_INSTANCE_SEGMENTATION_MAPPING = _empty_mapping()
MODEL_FOR_OBJECT_DETECTION_MAPPING_NAMES, MODEL_FOR_OBJECT_DETECTION_MAPPING = _empty_mapping()
MODEL_FOR_ZERO_SHOT_OBJECT_DETECTION_MAPPING_NAMES, MODEL_FOR_ZERO_SHOT_OBJECT_DETECTION_MAPPING = _empty_mapping()
MODEL_FOR_DEPTH_ESTIMATION_MAPPING_NAMES, MODEL_FOR_DEPTH_ESTIMATION_MAPPING = _empty_mapping()
MODEL_FOR_VIDEO_CLASSIFICATION_MAPPING_NAMES, MODEL_FOR_VIDEO_CLASSIFICATION_MAPPING = _empty_mapping()
MODEL_FOR_VISION_2_SEQ_MAPPING_NAMES, MODEL_FOR_VISION_2_SEQ_MAPPING = _empty_mapping()
MODEL_FOR_AUDIO_CLASSIFICATION_MAPPING_NAMES, MODEL_FOR_AUDIO_CLASSIFICATION_MAPPING = _empty_mapping()
MODEL_FOR_CTC_MAPPING_NAMES, MODEL_FOR_CTC_MAPPING = _empty_mapping()
MODEL_FOR_SPEECH_SEQ_2_SEQ_MAPPING_NAMES, MODEL_FOR_SPEECH_SEQ_2_SEQ_MAPPING = _empty_mapping()
MODEL_FOR_AUDIO_FRAME_CLASSIFICATION_MAPPING_NAMES, MODEL_FOR_AUDIO_FRAME_CLASSIFICATION_MAPPING = _empty_mapping()
MODEL_FOR_AUDIO_XVECTOR_MAPPING_NAMES, MODEL_FOR_AUDIO_XVECTOR_MAPPING = _empty_mapping()
MODEL_FOR_BACKBONE_MAPPING_NAMES, MODEL_FOR_BACKBONE_MAPPING = _empty_mapping()
MODEL_FOR_CAUSAL_IMAGE_MODELING_MAPPING_NAMES, MODEL_FOR_CAUSAL_IMAGE_MODELING_MAPPING = _empty_mapping()
MODEL_FOR_MASKED_IMAGE_MODELING_MAPPING_NAMES, MODEL_FOR_MASKED_IMAGE_MODELING_MAPPING = _empty_mapping()


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


class AutoModelForQuestionAnswering(_BaseAutoModelClass):
    """Load a model for question answering."""

    _model_mapping = MODEL_FOR_QUESTION_ANSWERING_MAPPING


class AutoModelForTableQuestionAnswering(_BaseAutoModelClass):
    """Load a model for table question answering."""

    _model_mapping = MODEL_FOR_TABLE_QUESTION_ANSWERING_MAPPING


class AutoModelForVisualQuestionAnswering(_BaseAutoModelClass):
    """Load a model for visual question answering."""

    _model_mapping = MODEL_FOR_VISUAL_QUESTION_ANSWERING_MAPPING


class AutoModelForDocumentQuestionAnswering(_BaseAutoModelClass):
    """Load a model for document question answering."""

    _model_mapping = MODEL_FOR_DOCUMENT_QUESTION_ANSWERING_MAPPING


class AutoModelForTokenClassification(_BaseAutoModelClass):
    """Load a model for token classification."""

    _model_mapping = MODEL_FOR_TOKEN_CLASSIFICATION_MAPPING


class AutoModelForMultipleChoice(_BaseAutoModelClass):
    """Load a model for multiple choice."""

    _model_mapping = MODEL_FOR_MULTIPLE_CHOICE_MAPPING


class AutoModelForNextSentencePrediction(_BaseAutoModelClass):
    """Load a model for next sentence prediction."""

    _model_mapping = MODEL_FOR_NEXT_SENTENCE_PREDICTION_MAPPING


class AutoModelForImageClassification(_BaseAutoModelClass):
    """Load a model for image classification."""

    _model_mapping = MODEL_FOR_IMAGE_CLASSIFICATION_MAPPING


class AutoModelForImageSegmentation(_BaseAutoModelClass):
    """Load a model for image segmentation."""

    _model_mapping = MODEL_FOR_IMAGE_SEGMENTATION_MAPPING


class AutoModelForSemanticSegmentation(_BaseAutoModelClass):
    """Load a model for semantic segmentation."""

    _model_mapping = MODEL_FOR_SEMANTIC_SEGMENTATION_MAPPING


class AutoModelForUniversalSegmentation(_BaseAutoModelClass):
    """Load a model for universal segmentation."""

    _model_mapping = MODEL_FOR_UNIVERSAL_SEGMENTATION_MAPPING


class AutoModelForInstanceSegmentation(_BaseAutoModelClass):
    """Load a model for instance segmentation."""

    _model_mapping = MODEL_FOR_INSTANCE_SEGMENTATION_MAPPING


class AutoModelForObjectDetection(_BaseAutoModelClass):
    """Load a model for object detection."""

    _model_mapping = MODEL_FOR_OBJECT_DETECTION_MAPPING


class AutoModelForZeroShotObjectDetection(_BaseAutoModelClass):
    """Load a model for zero-shot object detection."""

    _model_mapping = MODEL_FOR_ZERO_SHOT_OBJECT_DETECTION_MAPPING


class AutoModelForDepthEstimation(_BaseAutoModelClass):
    """Load a model for depth estimation."""

    _model_mapping = MODEL_FOR_DEPTH_ESTIMATION_MAPPING


class AutoModelForVideoClassification(_BaseAutoModelClass):
    """Load a model for video classification."""

    _model_mapping = MODEL_FOR_VIDEO_CLASSIFICATION_MAPPING


class AutoModelForVision2Seq(_BaseAutoModelClass):
    """Load a model for vision-to-text modeling."""

    _model_mapping = MODEL_FOR_VISION_2_SEQ_MAPPING


class AutoModelForAudioClassification(_BaseAutoModelClass):
    """Load a model for audio classification."""

    _model_mapping = MODEL_FOR_AUDIO_CLASSIFICATION_MAPPING


class AutoModelForCTC(_BaseAutoModelClass):
    """Load a model for connectionist temporal classification."""

    _model_mapping = MODEL_FOR_CTC_MAPPING


class AutoModelForSpeechSeq2Seq(_BaseAutoModelClass):
    """Load a model for speech-to-text modeling."""

    _model_mapping = MODEL_FOR_SPEECH_SEQ_2_SEQ_MAPPING


class AutoModelForAudioFrameClassification(_BaseAutoModelClass):
    """Load a model for audio frame classification."""

    _model_mapping = MODEL_FOR_AUDIO_FRAME_CLASSIFICATION_MAPPING


class AutoModelForAudioXVector(_BaseAutoModelClass):
    """Load a model for audio retrieval with x-vectors."""

    _model_mapping = MODEL_FOR_AUDIO_XVECTOR_MAPPING


class AutoBackbone(_BaseAutoModelClass):
    """Load a model that returns feature maps of images."""

    _model_mapping = MODEL_FOR_BACKBONE_MAPPING


class AutoModelForMaskedImageModeling(_BaseAutoModelClass):
    """Load a model for masked image modeling."""

    _model_mapping = MODEL_FOR_MASKED_IMAGE_MODELING_MAPPING


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
